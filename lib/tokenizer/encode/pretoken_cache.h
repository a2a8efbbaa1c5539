/*
 * pretoken_cache.h - caches how many tokens each pretoken (word, number, ...)
 * has
 *
 * Every pretoken is looked up here first, even if it is a token of the
 * vocabulary: texts repeat their words, and this table is smaller than the
 * vocabulary's.  The table starts small, so that short runs of ctx are fast,
 * and grows up to a maximum.  Then new entries replace old ones.  A pretoken is
 * stored in the line that its hash selects (its home line) or, if that is full,
 * in the neighbour line.  pretoken_batch.h searches only the home line;
 * ctx_pretoken_cache_find searches both.
 */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* A line of the hash table has four keys of 16 bytes.  A pretoken in a line has
 * at most 15 bytes.  So the last byte of its key is free, and has the number of
 * its tokens; 0 marks an empty entry. */
/* maximum length in bytes of a pretoken in the hash table; longer ones are
 * stored elsewhere */
#define CTX_PRETOKEN_CACHE_KEY  15
#define CTX_PRETOKEN_CACHE_LINE 8 /* number of uint64_t per line */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* number of bits by which the last byte of a key is shifted in its 64-bit
 * word */
#define CTX_PRETOKEN_CACHE_SHIFT 0
#else
#define CTX_PRETOKEN_CACHE_SHIFT 56
#endif
#define CTX_PRETOKEN_CACHE_BITS   15 /* log2 of the maximum number of lines */
#define CTX_PRETOKEN_CACHE_TOKENS (UINT64_C(0xff) << CTX_PRETOKEN_CACHE_SHIFT)
/* Added to a sum of tokens for each pretoken that is found in the cache.  So
 * the lower half of the sum is the number of tokens, and the upper half the
 * number of pretokens found. */
#define CTX_PRETOKEN_CACHE_FOUND (UINT64_C(1) << 32)
#define CTX_PRETOKEN_CACHE_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* A cached pretoken of 16 bytes or more; the entry has 128 bytes.  That is
 * enough for the lines of one repeated character in code comments, which often
 * have about 80 characters. */
#define CTX_PRETOKEN_CACHE_LONG 124
struct ctx_pretoken_cache_long {
	uint8_t n; /* length of the pretoken in bytes */
	uint8_t tokens;
	char text[CTX_PRETOKEN_CACHE_LONG + 2];
};

/* Number of places at which a long pretoken may be stored.  Each place has a
 * tag: a part of the pretoken's hash; 0 if the place is empty.  A pretoken is
 * compared only if the tags are equal. */
#define CTX_PRETOKEN_CACHE_WAYS 8

struct ctx_pretoken_cache {
	uint64_t *lines;
	/* long pretokens; NULL until one is added */
	struct ctx_pretoken_cache_long *longs;
	/* The tags of the places in longs.  They are in the same block of
	 * memory, after the last place. */
	uint16_t *tags;
	/* number of bits by which a hash is shifted right to get the number of
	 * a line */
	unsigned shift;
	/* log2 of the number of lines, and of the number of places in longs */
	unsigned bits, long_bits;
	size_t n, nlongs; /* number of short and of long pretokens added */
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

/* Returns the neighbour of a line, in which pretokens are stored that do not
 * fit into the line where they belong.  When the table has its maximum size,
 * the neighbour is not used: pretokens then replace each other. */
static inline const uint64_t *
ctx_pretoken_cache_beside(const struct ctx_pretoken_cache *cache,
    const uint64_t *line)
{
	return cache->lines +
	    ((size_t)(line - cache->lines) ^ CTX_PRETOKEN_CACHE_LINE);
}

/* Looks for a pretoken in one line of the hash table, by its key.  Returns its
 * number of tokens; 0 if the line does not have it. */
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

/* Returns the number of tokens of a cached pretoken; 0 if it is not in the
 * cache. */
static inline unsigned
ctx_pretoken_cache_find(const struct ctx_pretoken_cache *cache,
    struct ctx_key key)
{
	const uint64_t *line = ctx_pretoken_cache_line(cache, key);
	unsigned found = ctx_pretoken_cache_in_line(line, key);

	/* The entries of a line are used in order.  If the last one is empty,
	 * no pretoken had to be stored in the neighbour line. */
	if (found > 0 || (line[7] & CTX_PRETOKEN_CACHE_TOKENS) == 0 ||
	    cache->bits == CTX_PRETOKEN_CACHE_BITS)
		return found;
	return ctx_pretoken_cache_in_line(ctx_pretoken_cache_beside(cache,
					      line),
	    key);
}

/* For a pretoken of 16 bytes or more: compute its hash, and look it up in the
 * cache.  One of more than CTX_PRETOKEN_CACHE_LONG bytes has the hash 0, and is
 * never found or added; nor is one without tokens or with more than 255. */
uint64_t ctx_pretoken_cache_hash_long(const char *p, size_t n);
unsigned ctx_pretoken_cache_find_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash, const char *p, size_t n);
/* Prefetches the place where the cache may have a long pretoken with this
 * hash. */
void ctx_pretoken_cache_ask_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash);
void ctx_pretoken_cache_add_long(struct ctx_pretoken_cache *cache,
    const char *p, size_t n, size_t tokens);

/* Adds a pretoken of at most CTX_PRETOKEN_CACHE_KEY bytes with its number of
 * tokens.  The pretoken must not be in the cache.  If the line (group of
 * entries) of the hash table to which it belongs is full and the table cannot
 * grow, it replaces another pretoken. */
void ctx_pretoken_cache_add(struct ctx_pretoken_cache *cache,
    struct ctx_key key, unsigned tokens);

#endif
