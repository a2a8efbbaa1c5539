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

#include <stddef.h>

#include "tokenizer/claude/pieces.h"

/* number of costs (smallest numbers of pieces) that are stored: a power of two
 * above CTX_PIECE_LONGEST */
#define CTX_TILING_COSTS 256

/* maximum number of bytes that wait to be tiled together */
#define CTX_TILING_WAITING 256

struct ctx_tiling {
	const struct ctx_pieces *pieces;
	/* number of the automaton's state after the last byte that was tiled */
	uint32_t state;
	uint32_t at; /* number of tiled bytes so far, modulo 2^32 */
	uint64_t costs[CTX_TILING_COSTS];
	/* bytes that were written and are not tiled yet */
	size_t waiting;
	unsigned char bytes[CTX_TILING_WAITING];
};

static inline void
ctx_tiling_begin(struct ctx_tiling *tiling, const struct ctx_pieces *pieces)
{
	tiling->pieces = pieces;
	tiling->state = tiling->at = 0;
	tiling->costs[0] = 0;
	tiling->waiting = 0;
}

/* Tiles the bytes that wait. */
void ctx_tiling_run(struct ctx_tiling *tiling);

/* Writes a character of several bytes as UTF-8.  Stores 4 bytes, of which those
 * after the character are overwritten later.  The code has no branch for the
 * number of bytes, because the processor could not predict it in many texts. */
static inline void
ctx_tiling_put_long(struct ctx_tiling *tiling, uint32_t cp)
{
	unsigned more = 1u + (cp >= 0x800) + (cp >= 0x10000);
	uint32_t lead = 0xf0f0e0c0u >> (8 * more - 8) & 0xff;
	uint32_t word = lead << 8 * more | (cp & 0x3f) | (cp & 0xfc0) << 2 |
	    (cp & 0x3f000) << 4 | (cp & 0x1c0000) << 6 |
	    (0x808080u & ((1u << 8 * more) - 1));
	unsigned char *to = tiling->bytes + tiling->waiting;

	word <<= 24 - 8 * more;
	to[0] = (unsigned char)(word >> 24);
	to[1] = (unsigned char)(word >> 16);
	to[2] = (unsigned char)(word >> 8);
	to[3] = (unsigned char)word;
	tiling->waiting += more + 1;
}

/* Writes a character as UTF-8. */
static inline void
ctx_tiling_put_char(struct ctx_tiling *tiling, uint32_t cp)
{
	if (tiling->waiting > CTX_TILING_WAITING - 4)
		ctx_tiling_run(tiling);
	if (cp < 0x80)
		tiling->bytes[tiling->waiting++] = (unsigned char)cp;
	else
		ctx_tiling_put_long(tiling, cp);
}

/* Writes a byte, such as a marker. */
static inline void
ctx_tiling_put(struct ctx_tiling *tiling, unsigned char byte)
{
	if (tiling->waiting == CTX_TILING_WAITING)
		ctx_tiling_run(tiling);
	tiling->bytes[tiling->waiting++] = byte;
}

/* Adds bytes of which only the number of pieces is known.  No piece contains
 * some of these bytes together with bytes before or after them. */
static inline void
ctx_tiling_add(struct ctx_tiling *tiling, uint64_t cost)
{
	if (tiling->waiting > 0)
		ctx_tiling_run(tiling);
	tiling->state = 0;
	tiling->costs[tiling->at % CTX_TILING_COSTS] += cost;
}

static inline uint64_t
ctx_tiling_cost(struct ctx_tiling *tiling)
{
	ctx_tiling_run(tiling);
	return tiling->costs[tiling->at % CTX_TILING_COSTS];
}

#endif
