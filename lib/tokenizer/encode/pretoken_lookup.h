/* pretoken_lookup.h - looks up many pretokens (pieces of text that are encoded
 * by themselves) at once in the cache of their token counts */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKEN_LOOKUP_H
#define CTX_TOKENIZER_ENCODE_PRETOKEN_LOOKUP_H

#include "tokenizer/encode/pretoken_cache.h"

#define CTX_PRETOKEN_LOOKUP_MAX 512 /* maximum number of pretokens per call */

/* A list of pretokens (words, numbers, ...) to be looked up: offsets of their
 * beginnings and ends.  The lookup reads 8 elements at a time, so both arrays
 * must be readable up to a multiple of 8 elements. */
struct ctx_pretoken_list {
	const uint32_t *start, *end;
	size_t n; /* number of pretokens; at most CTX_PRETOKEN_LOOKUP_MAX */
};

struct ctx_pretoken_lookup {
	struct ctx_key keys[CTX_PRETOKEN_LOOKUP_MAX];
	/* indices (in the list) of the short pretokens that are not in the
	 * cache */
	uint32_t missed[CTX_PRETOKEN_LOOKUP_MAX];
	/* for each element of the array "missed", the result of
	 * ctx_vocab_guess */
	uint32_t guesses[CTX_PRETOKEN_LOOKUP_MAX];
	/* The pretokens of more than CTX_PRETOKEN_CACHE_KEY bytes: their
	 * indices in the list, and their hashes, which count_tokens.c
	 * computes. */
	size_t nlongs;
	uint32_t longs[CTX_PRETOKEN_LOOKUP_MAX];
	uint64_t hashes[CTX_PRETOKEN_LOOKUP_MAX];
};

/* Looks up a list of pretokens (words, numbers, ...) of the text p in the
 * cache.  Adds the numbers of tokens of the pretokens that are found to
 * *tokens.  Sets lookup->keys to the keys of all pretokens.  Stores the indices
 * of pretokens with more than CTX_PRETOKEN_CACHE_KEY bytes in lookup->longs,
 * and the indices of all other pretokens that are not found in lookup->missed.
 * Returns the number of elements in lookup->missed.  At the beginning of each
 * pretoken, 16 bytes must be readable. */
typedef size_t ctx_pretoken_lookup_fn(const struct ctx_pretoken_cache *cache,
    const char *p, const struct ctx_pretoken_list *list,
    struct ctx_pretoken_lookup *lookup, uint64_t *tokens);

#endif
