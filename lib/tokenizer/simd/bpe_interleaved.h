/*
 * bpe_interleaved.h - merges several pretokens into tokens in one loop
 *
 * Each of portable.c, avx2.c, avx512.c and neon.c includes this file once.
 * Before that, it defines these functions with its instructions:
 *
 *	pair_in(line, tag)	the token that the pair with this tag merges
 *				to, all bits inverted; 0 if the line of the
 *				hash table does not have the pair
 *	least(list, n)		the lowest of n numbers and those after them
 *				up to a multiple of sixteen
 *
 * After a merge, the two new pairs that it makes must be looked up.  Most of
 * these lookups fail, and memory is slow.  So one merge is first made in every
 * pretoken, and the table entries of its two new pairs are prefetched.  Only
 * then the new pairs of all pretokens are looked up.  While the entries of one
 * pretoken come from memory, the others are merged.
 */
#include "tokenizer/encode/bpe.h"

/* Two adjacent tokens that are being looked up in the vocabulary, to find out
 * if they merge. */
struct lane_pair {
	const uint32_t *line;
	uint32_t tag;
	uint32_t at; /* position in the lane where the first token begins */
};

/* A merge that is being made.  The resulting token makes two new pairs: with
 * the token before it and with the token after it. */
struct lane_merge {
	struct ctx_bpe_lane *lane;
	struct lane_pair left, right;
};

static inline void
prefetch_pair(const struct ctx_vocab *v, struct lane_pair *pair, uint32_t a,
    uint32_t b, unsigned at)
{
	uint64_t hash = ctx_pair_hash(a, b);

	pair->line = v->pairs + CTX_PAIR_LINE * (size_t)(hash >> v->pair_shift);
	pair->tag = ctx_pair_tag(hash, v->pair_shift);
	pair->at = at;
	__builtin_prefetch(pair->line);
}

/* Looks up a pair of tokens in all lines of the hash table where it may be. at:
 * the position of the first token in the lane.  Called only if the first of
 * these lines is full and does not have the pair, which is rare. */
static __attribute__((noinline)) uint32_t
find_far_pair(const struct ctx_vocab *v, const struct ctx_bpe_lane *lane,
    unsigned at)
{
	uint64_t right = lane->occupied & ~((UINT64_C(2) << at) - 1);

	return ctx_vocab_pair(v, lane->tokens[at],
	    lane->tokens[__builtin_ctzll(right)]);
}

/* Looks up a pair of tokens.  Stores the rank of its merge in the lane, the
 * pretoken that is being merged (struct ctx_bpe_lane). */
static inline void
get_pair(const struct ctx_vocab *v, struct ctx_bpe_lane *lane,
    const struct lane_pair *pair)
{
	uint32_t found = pair_in(pair->line, pair->tag);

	if (((found == 0) & (pair->line[CTX_PAIR_LINE - 1] != 0)) != 0)
		found = ~find_far_pair(v, lane, pair->at);
	lane->merges[pair->at] = ctx_bpe_lane_rank(~found, pair->at);
}

/* Makes the merge with the rank best in a lane, the pretoken that is being
 * merged.  Prefetches the table entries of the two new pairs. */
static inline void
merge_best_pair(const struct ctx_vocab *v, struct ctx_bpe_lane *lane,
    uint32_t best, struct lane_merge *m)
{
	unsigned at = best % CTX_LANE, next, beyond, before;
	uint32_t token = best / CTX_LANE;
	uint64_t right = lane->occupied & ~((UINT64_C(2) << at) - 1);

	next = (unsigned)__builtin_ctzll(right);
	beyond = (unsigned)__builtin_ctzll(right & (right - 1));
	before = 63 -
	    (unsigned)__builtin_clzll(
		lane->occupied & ((UINT64_C(1) << at) - 1));
	lane->occupied &= ~(UINT64_C(1) << next);
	lane->tokens[at] = token;
	lane->merges[next] = CTX_BPE_LANE_NONE;
	m->lane = lane;
	prefetch_pair(v, &m->left, lane->tokens[before], token, before);
	prefetch_pair(v, &m->right, token, lane->tokens[beyond], at);
}

static inline void
merge_lanes(const struct ctx_vocab *v, struct ctx_bpe_lane *lanes, size_t n)
{
	struct lane_merge merges[CTX_LANES];
	struct ctx_bpe_lane *lane;
	size_t i, left;
	uint32_t best;

	for (i = 0; i < n; i++)
		merges[i].lane = lanes + i;
	for (; n > 0; n = left) {
		for (i = left = 0; i < n; i++) {
			lane = merges[i].lane;
			best = least(lane->merges, lane->n);
			if (best < CTX_BPE_LANE_NONE)
				merge_best_pair(v, lane, best, merges + left++);
		}
		for (i = 0; i < left; i++) {
			get_pair(v, merges[i].lane, &merges[i].right);
			get_pair(v, merges[i].lane, &merges[i].left);
		}
	}
}
