/*
 * pretoken_cache.h - caches the number of tokens of pretokens (words, numbers,
 * ...)
 *
 * Every pretoken is first looked up in this cache, even if it is a token of the
 * vocabulary: most words of a text are repeated, and this table is smaller than
 * that of the vocabulary.  The table is small at first, so that short runs of
 * ctx are fast, and grows up to a maximum size.  When it has this size, new
 * entries replace old entries.  The hash of a pretoken selects a line of the
 * table, its home line.  If this line is full, the pretoken is stored in the
 * neighbour line. pretoken_batch.h searches only the home line;
 * ctx_pretoken_cache_find searches both lines.
 */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* A line of the hash table contains four keys of 16 bytes.  A pretoken (piece
 * of text that is encoded by itself) in the table has at most 15 bytes, so the
 * last byte of its key is free; it contains the number of tokens of the
 * pretoken, or 0 if the entry is empty. */
/* Maximum length in bytes of a pretoken (word, number, ...) in this hash table;
 * longer pretokens are stored in struct ctx_pretoken_cache_long. */
#define CTX_PRETOKEN_CACHE_KEY  15
#define CTX_PRETOKEN_CACHE_LINE 8 /* number of uint64_t per line */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* bits by which the last byte of a key is shifted to the left in the key's
 * second 64-bit word */
#define CTX_PRETOKEN_CACHE_SHIFT 0
#else
#define CTX_PRETOKEN_CACHE_SHIFT 56
#endif
/* binary logarithm of the maximum number of lines */
#define CTX_PRETOKEN_CACHE_BITS   15
#define CTX_PRETOKEN_CACHE_TOKENS (UINT64_C(0xff) << CTX_PRETOKEN_CACHE_SHIFT)
/* Added to a sum of tokens for each pretoken (word, number, ...) that is found
 * in the cache, so that the lower half of the sum is the number of tokens, and
 * the upper half is the number of pretokens that were found. */
#define CTX_PRETOKEN_CACHE_FOUND (UINT64_C(1) << 32)
#define CTX_PRETOKEN_CACHE_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* A cached pretoken (word, number, ...) of 16 bytes or more.  An entry has 128
 * bytes.  That is enough for lines of one repeated character in code comments,
 * which often have about 80 characters. */
#define CTX_PRETOKEN_CACHE_LONG 124
struct ctx_pretoken_cache_long {
	uint8_t n; /* length of the pretoken in bytes */
	uint8_t tokens;
	char text[CTX_PRETOKEN_CACHE_LONG + 2];
};

/* Number of entries in which a long pretoken (word, number, ...) may be stored.
 * Each entry has a tag, which is a part of the pretoken's hash, or 0 if the
 * entry is empty.  Pretokens are compared only if their tags are equal. */
#define CTX_PRETOKEN_CACHE_WAYS 8

struct ctx_pretoken_cache {
	uint64_t *lines;
	/* cache entries of pretokens of 16 bytes or more; NULL if none was
	 * added */
	struct ctx_pretoken_cache_long *longs;
	/* Tags of the entries in longs, in the same block of memory, after the
	 * last entry. */
	uint16_t *tags;
	/* bits by which a hash is shifted to the right to get the number of a
	 * line */
	unsigned shift;
	/* binary logarithms of the number of lines, and of the number of
	 * entries in longs */
	unsigned bits, long_bits;
	/* numbers of short and of long pretokens that were added */
	size_t n, nlongs;
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

/* Returns the neighbour of a line of the hash table.  If a line is full, new
 * pretokens (words, numbers, ...) of this line are stored in its neighbour.
 * When the table has its maximum size, no neighbour is used, and new pretokens
 * replace other pretokens in their own line. */
static inline const uint64_t *
ctx_pretoken_cache_beside(const struct ctx_pretoken_cache *cache,
    const uint64_t *line)
{
	return cache->lines +
	    ((size_t)(line - cache->lines) ^ CTX_PRETOKEN_CACHE_LINE);
}

/* Searches one line of the hash table for a key.  Returns the number of tokens
 * of the pretoken (word, number, ...) with this key, or 0 if the line does not
 * contain the key. */
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

/* Returns the number of tokens of the pretoken (word, number, ...) with this
 * key, or 0 if the pretoken is not in the cache. */
static inline unsigned
ctx_pretoken_cache_find(const struct ctx_pretoken_cache *cache,
    struct ctx_key key)
{
	const uint64_t *line = ctx_pretoken_cache_line(cache, key);
	unsigned found = ctx_pretoken_cache_in_line(line, key);

	/* The entries of a line are filled in order.  If the last entry is
	 * empty, no pretoken that belongs to this line is in the neighbour
	 * line. */
	if (found > 0 || (line[7] & CTX_PRETOKEN_CACHE_TOKENS) == 0 ||
	    cache->bits == CTX_PRETOKEN_CACHE_BITS)
		return found;
	return ctx_pretoken_cache_in_line(ctx_pretoken_cache_beside(cache,
					      line),
	    key);
}

/* Computes the hash by which a pretoken (word, number, ...) of 16 bytes or more
 * is looked up in the cache.  A pretoken of more than CTX_PRETOKEN_CACHE_LONG
 * bytes has the hash 0, and is never found or added; a pretoken without tokens
 * or with more than 255 tokens is never added. */
uint64_t ctx_pretoken_cache_hash_long(const char *p, size_t n);
unsigned ctx_pretoken_cache_find_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash, const char *p, size_t n);
/* Prefetches the cache entry that may contain a long pretoken (word, number,
 * ...) with this hash. */
void ctx_pretoken_cache_ask_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash);
void ctx_pretoken_cache_add_long(struct ctx_pretoken_cache *cache,
    const char *p, size_t n, size_t tokens);

/* Adds a pretoken (word, number, ...) of at most CTX_PRETOKEN_CACHE_KEY bytes,
 * which must not be in the cache, with its number of tokens.  If its line of
 * the hash table is full and the table cannot grow, the new pretoken replaces
 * another pretoken. */
void ctx_pretoken_cache_add(struct ctx_pretoken_cache *cache,
    struct ctx_key key, unsigned tokens);

#endif
