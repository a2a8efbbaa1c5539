/*
 * pieces.h - the pieces of a vocabulary as an automaton that finds them in a
 * text
 *
 * The automaton is that of Aho and Corasick: after each byte its state is the
 * longest end of the bytes so far with which a piece begins.  Its edges are
 * slots of one array: the edge of a state with a byte is in slot state.edges +
 * byte, if that slot belongs to the state.  A state is the number of its slot.
 * It is made when ctx is built (lib/gen/make_pieces.c), without pointers.
 */
#ifndef CTX_TOKENIZER_CLAUDE_PIECES_H
#define CTX_TOKENIZER_CLAUDE_PIECES_H

#include <stdint.h>

/* Bytes that stand for markers in a piece; UTF-8 does not use them. */
enum {
	CTX_PIECE_BOW = 0xf8,   /* a word begins */
	CTX_PIECE_EOW = 0xf9,   /* a word ends */
	CTX_PIECE_SHIFT = 0xfa, /* the word had a capital */
	CTX_PIECE_CAPS = 0xfb,  /* the word was in capitals */
};

#define CTX_PIECE_LONGEST 128 /* maximum bytes of a piece */

struct ctx_piece_state {
	uint32_t edges;  /* first slot of the edges */
	uint32_t parent; /* state that this slot belongs to */
	/* the state of the longest proper end of the bytes; 0 is the root */
	uint32_t shorter;
	/* index in lengths: the lengths of the pieces of two bytes or more with
	 * which the bytes end, and 0 */
	uint32_t pieces;
};

struct ctx_pieces_head {
	uint32_t states, lengths; /* sizes of the arrays, which follow */
};

struct ctx_pieces {
	const struct ctx_piece_state *states;
	const uint8_t *lengths;
};

/* No state has this number. */
#define CTX_PIECE_NONE UINT32_MAX

static inline void
ctx_pieces_view(struct ctx_pieces *pieces, const void *image)
{
	const struct ctx_pieces_head *head = image;

	pieces->states = (const struct ctx_piece_state *)(head + 1);
	pieces->lengths = (const uint8_t *)(pieces->states + head->states);
}

/* Returns the state after one more byte. */
static inline uint32_t
ctx_pieces_step(const struct ctx_pieces *pieces, uint32_t state,
    unsigned char byte)
{
	const struct ctx_piece_state *states = pieces->states;
	uint32_t slot;

	for (;; state = states[state].shorter) {
		slot = states[state].edges + byte;
		if (states[slot].parent == state)
			return slot;
		if (state == 0)
			return 0;
	}
}

#endif
