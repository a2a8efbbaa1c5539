/* tiling.c - counts the smallest number of pieces (tokens), see tiling.h */
#include "tokenizer/claude/tiling.h"

void
ctx_tiling_run(struct ctx_tiling *tiling)
{
	const struct ctx_pieces pieces = *tiling->pieces;
	uint32_t state = tiling->state, at = tiling->at;
	uint64_t least = tiling->costs[at % CTX_TILING_COSTS], cost;
	const uint8_t *length;
	size_t i;

	for (i = 0; i < tiling->waiting; i++) {
		state = ctx_pieces_step(&pieces, state, tiling->bytes[i]);
		at++;
		length = ctx_pieces_at(&pieces, state);
		/* for the first length of an empty list, which is 0 */
		tiling->costs[at % CTX_TILING_COSTS] = least;
		do {
			cost = tiling->costs[(at - *length) % CTX_TILING_COSTS];
			least = cost < least ? cost : least;
		} while (*++length != 0);
		tiling->costs[at % CTX_TILING_COSTS] = ++least;
	}
	tiling->state = state;
	tiling->at = at;
	tiling->waiting = 0;
}
