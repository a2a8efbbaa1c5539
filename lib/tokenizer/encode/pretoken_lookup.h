/* pretoken_lookup.h - looking up many pieces among the words met before, at
 * once */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_LOOKUP_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_LOOKUP_H

#include "tokenizer/encode/pretoken_cache.h"

#define CTX_PRETOKEN_LOOKUP_MAX 512 /* pieces looked up at once */

struct ctx_pretoken_lookup {
	struct ctx_key keys[CTX_PRETOKEN_LOOKUP_MAX];
	uint32_t missed[CTX_PRETOKEN_LOOKUP_MAX]; /* the numbers of pieces */
	/* Those that are too long for a key, and (count_tokens.c) their hashes.
	 */
	size_t nlongs;
	uint32_t longs[CTX_PRETOKEN_LOOKUP_MAX];
	uint64_t hashes[CTX_PRETOKEN_LOOKUP_MAX];
};

/*
 * Looks up the n pieces (at most CTX_PRETOKEN_LOOKUP_MAX) of p that begin at
 * start[i] and end at end[i]; 16 bytes can be read at each, and the lists to a
 * multiple of eight.  Fills in their keys and adds up their tokens; those of
 * more than CTX_PRETOKEN_CACHE_KEY bytes are listed as longs, others that are
 * not known as missed.  Returns how many are missed.
 */
typedef size_t ctx_pretoken_lookup_fn(const struct ctx_pretoken_cache *words,
    const char *p, const uint32_t *start, const uint32_t *end, size_t n,
    struct ctx_pretoken_lookup *probe, uint64_t *tokens);

ctx_pretoken_lookup_fn ctx_pretoken_lookup_portable, ctx_pretoken_lookup_avx2,
    ctx_pretoken_lookup_avx512, ctx_pretoken_lookup_neon;

/* The back end for one that ctx_simd_resolve returned. */
ctx_pretoken_lookup_fn *ctx_pretoken_lookup_pick(enum ctx_simd simd);

#endif
