/*
 * pretoken_cache.h - cache of pretokens and their numbers of tokens
 *
 * Every pretoken is looked up here first, whether it is a token of the
 * vocabulary or not.  Texts repeat their words, and this cache is denser than
 * the key table.  The size is bounded: an entry in a full line is replaced.
 * The table starts small, so that short runs stay cheap, and grows while it
 * fills.  pretoken_batch.h looks only into the home line of a pretoken;
 * ctx_pretoken_cache_find also finds a pretoken in the neighbour line.
 */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/*
 * A line is four keys, as in the key table of the vocabulary.  A pretoken of at
 * most 15 bytes leaves the last byte of its key to the padding.  In the cache
 * that byte holds its number of tokens; 0 is an empty place.  No key of a
 * pretoken equals an empty place.
 */
#define CTX_PRETOKEN_CACHE_KEY  15 /* most bytes of a pretoken in a line */
#define CTX_PRETOKEN_CACHE_LINE 8  /* uint64_t per line */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CTX_PRETOKEN_CACHE_SHIFT 0 /* shift of the last byte of a key */
#else
#define CTX_PRETOKEN_CACHE_SHIFT 56
#endif
#define CTX_PRETOKEN_CACHE_BITS   15 /* most log2 of the lines */
#define CTX_PRETOKEN_CACHE_TOKENS (UINT64_C(0xff) << CTX_PRETOKEN_CACHE_SHIFT)
#define CTX_PRETOKEN_CACHE_FOUND \
	(UINT64_C(1) << 32) /* pretoken_batch.h adds this per hit */
#define CTX_PRETOKEN_CACHE_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* A pretoken of 16 bytes or more, in 128 bytes.  Rulers and comment frames,
 * often about 80 characters, must fit. */
#define CTX_PRETOKEN_CACHE_LONG 124
struct ctx_pretoken_cache_long {
	uint8_t n; /* bytes */
	uint8_t tokens;
	char text[CTX_PRETOKEN_CACHE_LONG + 2];
};

/* A long pretoken has eight possible places, each with a tag of its hash.  One
 * comparison of tags shows that it is absent; tag 0 is an empty place. */
#define CTX_PRETOKEN_CACHE_WAYS 8

struct ctx_pretoken_cache {
	uint64_t *lines;
	struct ctx_pretoken_cache_long *longs; /* NULL until one is added */
	uint16_t *tags;                        /* in the memory after longs */
	unsigned shift; /* right shift from a hash to its line number */
	unsigned bits, long_bits; /* log2 of the lines, of longs */
	size_t n, nlongs;         /* pretokens added */
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

/* Returns the neighbour line, which takes pretokens that find no place in their
 * home line.  At the largest size it is not used: pretokens replace each other
 * instead. */
static inline const uint64_t *
ctx_pretoken_cache_beside(const struct ctx_pretoken_cache *cache,
    const uint64_t *line)
{
	return cache->lines +
	    ((size_t)(line - cache->lines) ^ CTX_PRETOKEN_CACHE_LINE);
}

/* Returns the tokens of a pretoken if it is in this line, else 0. */
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

/* Returns the tokens of a pretoken, or 0 if it is not cached. */
static inline unsigned
ctx_pretoken_cache_find(const struct ctx_pretoken_cache *cache,
    struct ctx_key key)
{
	const uint64_t *line = ctx_pretoken_cache_line(cache, key);
	unsigned found = ctx_pretoken_cache_in_line(line, key);

	/* Places are filled in order: if the last is empty, the line has never
	 * overflowed. */
	if (found > 0 || (line[7] & CTX_PRETOKEN_CACHE_TOKENS) == 0 ||
	    cache->bits == CTX_PRETOKEN_CACHE_BITS)
		return found;
	return ctx_pretoken_cache_in_line(ctx_pretoken_cache_beside(cache,
					      line),
	    key);
}

/* Hash and lookup of a pretoken of 16 to CTX_PRETOKEN_CACHE_LONG bytes. */
uint64_t ctx_pretoken_cache_hash_long(const char *p, size_t n);
unsigned ctx_pretoken_cache_find_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash, const char *p, size_t n);
/* Prefetches the entry that this hash may have. */
void ctx_pretoken_cache_ask_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash);
void ctx_pretoken_cache_add_long(struct ctx_pretoken_cache *cache,
    const char *p, size_t n, size_t tokens);

/* Adds a pretoken of at most CTX_PRETOKEN_CACHE_KEY bytes that is not cached.
 * If memory is short, the table does not grow and replaces entries. */
void ctx_pretoken_cache_add(struct ctx_pretoken_cache *cache,
    struct ctx_key key, unsigned tokens);

#endif
