/*
 * lanes.h - merging several pieces side by side
 *
 * Included once by each back end, which brings
 *
 *	pair_in(line, tag)	what the pair with this tag merges to, all
 *				bits turned; 0 if it is not in the line
 *	least16(list)		the least of sixteen numbers
 *
 * Each merge waits for lookups of the two pairs that it makes, most of them
 * in vain, and memory is far.  So all lanes choose their merge and ask for
 * these lines, and when the last has done so the first makes its own: the
 * lookups of all lanes are under way at once.  No branch depends on the text.
 */
#include "token/merge.h"

/* A merge under way: the token at before, the new one at at, the next. */
struct lane_merge {
	uint64_t left, right; /* hashes of the pairs */
	uint8_t lane, before, at;
};

static inline const uint32_t *
pair_line(const struct ctx_vocab *v, uint64_t hash)
{
	return v->pairs + CTX_PAIR_LINE * (size_t)(hash >> v->pair_shift);
}

static inline uint32_t
lane_pair(const struct ctx_vocab *v, uint64_t hash)
{
	const uint32_t *line = pair_line(v, hash);
	uint32_t found = pair_in(line, ctx_pair_tag(hash, v->pair_shift));

	if (((found == 0) & (line[CTX_PAIR_LINE - 1] != 0)) != 0)
		return ctx_vocab_pair_far(v, hash);
	return ~found;
}

/* The best merge of a lane, with its place. */
static inline uint32_t
lane_least(const struct ctx_lane *lane)
{
	uint32_t least = least16(lane->merges), next;
	unsigned i;

	for (i = 16; i < lane->n; i += 16) {
		next = least16(lane->merges + i);
		least = next < least ? next : least;
	}
	return least;
}

/* Takes the merge that lane_least found out of the lane. */
static inline void
lane_choose(const struct ctx_vocab *v, struct ctx_lane *lane, uint32_t best,
    struct lane_merge *m)
{
	unsigned at = best % CTX_LANE, next, beyond, before;
	uint32_t token = best / CTX_LANE;
	uint64_t right = lane->live & ~((UINT64_C(2) << at) - 1);

	next = (unsigned)__builtin_ctzll(right);
	beyond = (unsigned)__builtin_ctzll(right & (right - 1));
	before = 63 - (unsigned)__builtin_clzll(lane->live &
	    ((UINT64_C(1) << at) - 1));
	lane->live &= ~(UINT64_C(1) << next);
	lane->tokens[at] = token;
	lane->merges[next] = CTX_LANE_NONE;
	m->at = (uint8_t)at;
	m->before = (uint8_t)before;
	m->left = ctx_pair_hash(lane->tokens[before], token);
	m->right = ctx_pair_hash(token, lane->tokens[beyond]);
	__builtin_prefetch(pair_line(v, m->left));
	__builtin_prefetch(pair_line(v, m->right));
}

static inline void
merge_lanes(const struct ctx_vocab *v, struct ctx_lane *lanes, size_t n)
{
	struct lane_merge merges[CTX_LANES], *m;
	struct ctx_lane *lane;
	size_t i, left;
	uint32_t best;

	for (i = 0; i < n; i++)
		merges[i].lane = (uint8_t)i;
	for (; n > 0; n = left) {
		for (i = left = 0; i < n; i++) {
			lane = lanes + merges[i].lane;
			best = lane_least(lane);
			if (best >= CTX_LANE_NONE)
				continue;
			merges[left].lane = merges[i].lane;
			lane_choose(v, lane, best, merges + left++);
		}
		for (m = merges; m < merges + left; m++) {
			lane = lanes + m->lane;
			lane->merges[m->at] = ctx_lane_rank(lane_pair(v,
			    m->right), m->at);
			lane->merges[m->before] = ctx_lane_rank(lane_pair(v,
			    m->left), m->before);
		}
	}
}
