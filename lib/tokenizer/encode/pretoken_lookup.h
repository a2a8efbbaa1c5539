/* pretoken_lookup.h - looks up many pretokens in the cache at once */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_LOOKUP_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_LOOKUP_H

#include "tokenizer/encode/pretoken_cache.h"

#define CTX_PRETOKEN_LOOKUP_MAX 512 /* maximum number of pretokens per call */

/* Pretokens to look up, each given by the offsets of its start and end.  Both
 * arrays must be readable up to a multiple of eight entries. */
struct ctx_pretoken_list {
	const uint32_t *start, *end;
	size_t n; /* at most CTX_PRETOKEN_LOOKUP_MAX */
};

struct ctx_pretoken_lookup {
	struct ctx_key keys[CTX_PRETOKEN_LOOKUP_MAX];
	/* indices of the pretokens that are not cached */
	uint32_t missed[CTX_PRETOKEN_LOOKUP_MAX];
	/* Indices of pretokens that are too long for a key, and their hashes,
	 * which count_tokens.c computes. */
	size_t nlongs;
	uint32_t longs[CTX_PRETOKEN_LOOKUP_MAX];
	uint64_t hashes[CTX_PRETOKEN_LOOKUP_MAX];
};

/*
 * Looks up the listed pretokens of the text p in the cache, and adds their
 * tokens to *tokens.  Sets lookup->keys to their keys.  Lists pretokens of more
 * than CTX_PRETOKEN_CACHE_KEY bytes in lookup->longs, and others that are not
 * cached in lookup->missed.  Returns the number of the latter.  16 bytes must
 * be readable at the start of each pretoken.
 */
typedef size_t ctx_pretoken_lookup_fn(const struct ctx_pretoken_cache *cache,
    const char *p, const struct ctx_pretoken_list *list,
    struct ctx_pretoken_lookup *lookup, uint64_t *tokens);

ctx_pretoken_lookup_fn ctx_pretoken_lookup_portable, ctx_pretoken_lookup_avx2,
    ctx_pretoken_lookup_avx512, ctx_pretoken_lookup_neon;

/* Returns the implementation for an instruction set from ctx_simd_resolve. */
ctx_pretoken_lookup_fn *ctx_pretoken_lookup_pick(enum ctx_simd simd);

#endif
