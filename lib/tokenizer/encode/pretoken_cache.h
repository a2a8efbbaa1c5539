/*
 * pretoken_cache.h - the pieces that were met before, and what they cost
 *
 * Every piece is looked for here first, tokens of the vocabulary and others
 * alike: a text goes on with the words it began with, and these lie closer
 * together here than in the key table.  A table of bounded size: a full line
 * forgets one of its words.  It begins small, so that a short run does not
 * pay for memory that it never uses, and grows while it keeps filling up.
 * pretoken_batch.h looks into the line of a word only; a word that stands
 * beside it is found all the same, only later.
 */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/*
 * A line is four keys as in the key table.  Words of at most 15 bytes leave
 * the last byte of their key to the fill; it holds their tokens, 0 for an
 * empty place.  Nothing else of an empty place can be the key of a piece.
 */
#define CTX_PRETOKEN_CACHE_KEY  15 /* bytes of a word in a line */
#define CTX_PRETOKEN_CACHE_LINE 8  /* numbers a line */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CTX_PRETOKEN_CACHE_SHIFT \
	0 /* of the last byte of a key in its high word */
#else
#define CTX_PRETOKEN_CACHE_SHIFT 56
#endif
#define CTX_PRETOKEN_CACHE_BITS   15 /* log2 of the lines, at most */
#define CTX_PRETOKEN_CACHE_TOKENS (UINT64_C(0xff) << CTX_PRETOKEN_CACHE_SHIFT)
#define CTX_PRETOKEN_CACHE_FOUND \
	(UINT64_C(1) << 32) /* what pretoken_batch.h counts words in */
#define CTX_PRETOKEN_CACHE_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* A word of 16 bytes and more, in two lines; rulers and the frames of
 * comments, often of some 80 characters, have to fit. */
#define CTX_PRETOKEN_CACHE_LONG 124
struct ctx_pretoken_cache_long {
	uint8_t n; /* bytes */
	uint8_t tokens;
	char text[CTX_PRETOKEN_CACHE_LONG + 2];
};

/* Long words have eight places, and each place a tag, so that a word that is
 * not there is told by one look; 0 for an empty place. */
#define CTX_PRETOKEN_CACHE_WAYS 8

struct ctx_pretoken_cache {
	uint64_t *lines;
	struct ctx_pretoken_cache_long *longs; /* NULL until there is a word */
	uint16_t *tags;                        /* behind them */
	unsigned shift;           /* of a hash, for the number of its line */
	unsigned bits, long_bits; /* log2 of the lines */
	size_t n, nlongs;         /* words added */
};

int ctx_pretoken_cache_init(struct ctx_pretoken_cache *cache,
    struct ctx_err *err);
void ctx_pretoken_cache_release(struct ctx_pretoken_cache *cache);

static inline const uint64_t *
ctx_pretoken_cache_line(const struct ctx_pretoken_cache *cache,
    struct ctx_key key)
{
	return cache->lines +
	    CTX_PRETOKEN_CACHE_LINE *
	    (size_t)(ctx_key_hash(key) >> cache->shift);
}

/* The neighbour of a line, which takes words that it has no place for; in a
 * table that can grow no more, words make room for each other instead. */
static inline const uint64_t *
ctx_pretoken_cache_beside(const struct ctx_pretoken_cache *cache,
    const uint64_t *line)
{
	return cache->lines +
	    ((size_t)(line - cache->lines) ^ CTX_PRETOKEN_CACHE_LINE);
}

static inline unsigned
ctx_pretoken_cache_in_line(const uint64_t *line, struct ctx_key key)
{
	uint64_t high, found = 0;
	unsigned i;

	for (i = 0; i < 4; i++) {
		high = line[4 + i] | CTX_PRETOKEN_CACHE_TOKENS;
		found |= line[i] == key.lo && high == key.hi ? line[4 + i] : 0;
	}
	return (unsigned)(found >> CTX_PRETOKEN_CACHE_SHIFT & 0xff);
}

/* Tokens of a word, or 0 if it is not known. */
static inline unsigned
ctx_pretoken_cache_find(const struct ctx_pretoken_cache *cache,
    struct ctx_key key)
{
	const uint64_t *line = ctx_pretoken_cache_line(cache, key);
	unsigned found = ctx_pretoken_cache_in_line(line, key);

	/* Places are taken from the first on. */
	if (found > 0 || (line[7] & CTX_PRETOKEN_CACHE_TOKENS) == 0 ||
	    cache->bits == CTX_PRETOKEN_CACHE_BITS)
		return found;
	return ctx_pretoken_cache_in_line(ctx_pretoken_cache_beside(cache,
					      line),
	    key);
}

/* The same for words of 16 to CTX_PRETOKEN_CACHE_LONG bytes, by their hash. */
uint64_t ctx_pretoken_cache_hash_long(const char *p, size_t n);
unsigned ctx_pretoken_cache_find_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash, const char *p, size_t n);
/* Asks for where it may be. */
void ctx_pretoken_cache_ask_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash);
void ctx_pretoken_cache_add_long(struct ctx_pretoken_cache *cache,
    const char *p, size_t n, size_t tokens);

/* Remembers a word of at most CTX_PRETOKEN_CACHE_KEY bytes that is not known.
 * If memory is short it forgets. */
void ctx_pretoken_cache_add(struct ctx_pretoken_cache *cache,
    struct ctx_key key, unsigned tokens);

#endif
