/*
 * pretoken_cache.h - caches how many tokens each pretoken (word, number, ...)
 * has
 *
 * Every pretoken is looked up here first, even if it is a token of the
 * vocabulary.  Texts repeat their words, and this cache is denser than the
 * vocabulary's table.  Its size is limited: an entry in a full line is
 * replaced.  The table starts small, so that short runs are fast, and grows as
 * it fills. pretoken_batch.h looks only into the line where a pretoken belongs
 * (its home line). ctx_pretoken_cache_find also looks into the neighbour line.
 */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_CACHE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/*
 * A line of the hash table has four keys, as in the table of the vocabulary.  A
 * key has 16 bytes, but a pretoken here at most 15.  So the last byte of a key
 * is the pretoken's number of tokens; it is 0 if the entry is empty.
 */
/* maximum length of a pretoken in a line, in bytes */
#define CTX_PRETOKEN_CACHE_KEY  15
#define CTX_PRETOKEN_CACHE_LINE 8 /* number of uint64_t per line */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* position of a key's last byte in its 64-bit word: right shift in bits */
#define CTX_PRETOKEN_CACHE_SHIFT 0
#else
#define CTX_PRETOKEN_CACHE_SHIFT 56
#endif
#define CTX_PRETOKEN_CACHE_BITS   15 /* log2 of the maximum number of lines */
#define CTX_PRETOKEN_CACHE_TOKENS (UINT64_C(0xff) << CTX_PRETOKEN_CACHE_SHIFT)
/* For each pretoken that is in the cache, this is added to the sum of tokens.
 * So the upper half of the sum is the number of these pretokens. */
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

/* A long pretoken may be stored at eight places.  Each place has a tag, a part
 * of the pretoken's hash; 0 marks an empty place.  If no tag is equal, the
 * pretoken is not in the cache. */
#define CTX_PRETOKEN_CACHE_WAYS 8

struct ctx_pretoken_cache {
	uint64_t *lines;
	/* long pretokens; NULL until one is added */
	struct ctx_pretoken_cache_long *longs;
	/* tags of the long pretokens; they follow these in one block of
	 * memory */
	uint16_t *tags;
	unsigned shift; /* a hash shifted right by this is a line number */
	/* log2 of the number of lines, and of the number of places for long
	 * pretokens */
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
/* Prefetches the places of the cache at which a long pretoken with this hash
 * may be stored. */
void ctx_pretoken_cache_ask_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash);
void ctx_pretoken_cache_add_long(struct ctx_pretoken_cache *cache,
    const char *p, size_t n, size_t tokens);

/* Adds a pretoken of at most CTX_PRETOKEN_CACHE_KEY bytes, which must not be
 * in the cache.  If there is not enough memory to make the hash table larger,
 * the pretoken replaces another one. */
void ctx_pretoken_cache_add(struct ctx_pretoken_cache *cache,
    struct ctx_key key, unsigned tokens);

#endif
