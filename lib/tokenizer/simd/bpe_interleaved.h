/*
 * bpe_interleaved.h - merges several pretokens into tokens in one loop
 *
 * Each of portable.c, avx2.c, avx512.c and neon.c includes this file once.
 * Before that, it defines these functions with its instructions:
 *
 *  - pair_in(line, tag): the token to which the pair with this tag merges, with
 *    all bits inverted; 0 if the line of the hash table does not have the pair
 *  - find_least(list, n): the lowest of the first n numbers of a list; n is
 *    rounded up to a multiple of sixteen
 *
 * After a merge, the two new pairs that it makes must be looked up.  Most of
 * these lookups fail, and memory is slow.  So one merge is first made in every
 * pretoken, and the table entries of its two new pairs are prefetched.  Only
 * then the new pairs of all pretokens are looked up.  While the table entries
 * of one pretoken come from memory, the other pretokens are merged.
 */
#include "tokenizer/encode/bpe.h"

/* Two adjacent tokens that are looked up in the vocabulary to find out whether
 * they merge. */
struct pair_lookup {
	const uint32_t *line;
	uint32_t tag;
	/* position of the first token in the pretoken (piece of text that is
	 * encoded by itself) */
	uint32_t at;
};

/* A merge that is being made, and the two new pairs that the resulting token
 * forms: with the token before it and with the token after it. */
struct pretoken_merge {
	struct ctx_bpe_pretoken *pretoken;
	struct pair_lookup left, right;
};

static inline void
prefetch_pair(const struct ctx_vocab *v, struct pair_lookup *pair, uint32_t a,
    uint32_t b, unsigned at)
{
	uint64_t hash = ctx_pair_hash(a, b);

	pair->line = v->pairs +
	    CTX_PAIR_LINE * (size_t)ctx_pair_home(hash, v->pair_lines);
	pair->tag = ctx_pair_tag(hash);
	pair->at = at;
	__builtin_prefetch(pair->line);
}

/* Searches for a pair of tokens in all lines of the hash table that may contain
 * it.  Called only if the first of these lines is full and does not contain the
 * pair, which is rare. at: position of the first token in the pretoken. */
static __attribute__((noinline)) uint32_t
find_far_pair(const struct ctx_vocab *v,
    const struct ctx_bpe_pretoken *pretoken, unsigned at)
{
	uint64_t right = pretoken->occupied & ~((UINT64_C(2) << at) - 1);

	return ctx_vocab_pair(v, pretoken->tokens[at],
	    pretoken->tokens[__builtin_ctzll(right)]);
}

/* Looks up a pair of adjacent tokens in the hash table of pairs, and stores the
 * rank of their merge in the pretoken. */
static inline void
get_pair(const struct ctx_vocab *v, struct ctx_bpe_pretoken *pretoken,
    const struct pair_lookup *pair)
{
	uint32_t found = pair_in(pair->line, pair->tag);

	if (((found == 0) & ctx_pair_overflows(pair->line)) != 0)
		found = ~find_far_pair(v, pretoken, pair->at);
	pretoken->merges[pair->at] = ctx_bpe_merge_rank(~found, pair->at);
}

/* Makes a merge in a pretoken (word, number, ...), and prefetches the entries
 * of the hash table for the two new pairs. best: rank of the merge. */
static inline void
merge_best_pair(const struct ctx_vocab *v, struct ctx_bpe_pretoken *pretoken,
    uint32_t best, struct pretoken_merge *m)
{
	unsigned at = best % CTX_BPE_POSITIONS, next, beyond, before;
	uint32_t token = best / CTX_BPE_POSITIONS;
	uint64_t right = pretoken->occupied & ~((UINT64_C(2) << at) - 1);

	next = (unsigned)__builtin_ctzll(right);
	beyond = (unsigned)__builtin_ctzll(right & (right - 1));
	before = 63 -
	    (unsigned)__builtin_clzll(
		pretoken->occupied & ((UINT64_C(1) << at) - 1));
	pretoken->occupied &= ~(UINT64_C(1) << next);
	pretoken->tokens[at] = token;
	pretoken->merges[next] = CTX_BPE_MERGE_NONE;
	m->pretoken = pretoken;
	prefetch_pair(v, &m->left, pretoken->tokens[before], token, before);
	prefetch_pair(v, &m->right, token, pretoken->tokens[beyond], at);
}

static inline void
merge_pretokens(const struct ctx_vocab *v, struct ctx_bpe_pretoken *pretokens,
    size_t n)
{
	struct pretoken_merge merges[CTX_BPE_BATCH];
	struct ctx_bpe_pretoken *pretoken;
	size_t i, left;
	uint32_t best;

	for (i = 0; i < n; i++)
		merges[i].pretoken = pretokens + i;
	for (; n > 0; n = left) {
		for (i = left = 0; i < n; i++) {
			pretoken = merges[i].pretoken;
			best = find_least(pretoken->merges, pretoken->n);
			if (best < v->merge_end)
				merge_best_pair(v, pretoken, best,
				    merges + left++);
		}
		for (i = 0; i < left; i++) {
			get_pair(v, merges[i].pretoken, &merges[i].right);
			get_pair(v, merges[i].pretoken, &merges[i].left);
		}
	}
}
