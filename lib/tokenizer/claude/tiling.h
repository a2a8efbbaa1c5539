/*
 * tiling.h - counts the smallest number of pieces (tokens) into which bytes can
 * be divided
 *
 * The cost of n bytes is the smallest number of pieces that make up the first n
 * bytes.  This cost is one more than the lowest cost of m bytes, for all m such
 * that the bytes from m to n are a piece or a single byte.  A piece has at most
 * CTX_PIECE_LONGEST bytes, so only the most recent costs are stored.
 */
#ifndef CTX_TOKENIZER_CLAUDE_TILING_H
#define CTX_TOKENIZER_CLAUDE_TILING_H

#include "tokenizer/claude/pieces.h"

/* number of costs (smallest numbers of pieces) that are stored: a power of two
 * above CTX_PIECE_LONGEST */
#define CTX_TILING_COSTS 256

struct ctx_tiling {
	const struct ctx_pieces *pieces;
	/* number of the automaton's state after the last byte */
	uint32_t state;
	uint32_t at; /* number of bytes so far, modulo 2^32 */
	uint64_t costs[CTX_TILING_COSTS];
};

static inline void
ctx_tiling_begin(struct ctx_tiling *tiling, const struct ctx_pieces *pieces)
{
	tiling->pieces = pieces;
	tiling->state = tiling->at = 0;
	tiling->costs[0] = 0;
}

static inline void
ctx_tiling_put(struct ctx_tiling *tiling, unsigned char byte)
{
	const struct ctx_pieces *pieces = tiling->pieces;
	uint32_t at = tiling->at + 1;
	uint64_t least = tiling->costs[tiling->at % CTX_TILING_COSTS], cost;
	const uint8_t *length;

	tiling->state = ctx_pieces_step(pieces, tiling->state, byte);
	length = ctx_pieces_at(pieces, tiling->state);
	for (; *length != 0; length++) {
		cost = tiling->costs[(at - *length) % CTX_TILING_COSTS];
		least = cost < least ? cost : least;
	}
	tiling->at = at;
	tiling->costs[at % CTX_TILING_COSTS] = least + 1;
}

static inline uint64_t
ctx_tiling_cost(const struct ctx_tiling *tiling)
{
	return tiling->costs[tiling->at % CTX_TILING_COSTS];
}

#endif
