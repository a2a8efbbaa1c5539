/*
 * pieces.h - an automaton that finds the pieces (tokens) of a vocabulary in a
 * text
 *
 * The algorithm is that of Aho and Corasick.  After each byte of the text, the
 * state of the automaton represents the longest string that ends there and is
 * the beginning of a piece.  The states are the elements of an array, and the
 * number of a state is its index.  From state s, the byte b leads to the state
 * with the index edges(s) + b, provided that the parent of this state is s.
 * The automaton contains no pointers; it is made when ctx is built
 * (lib/gen/make_pieces.c).
 */
#ifndef CTX_TOKENIZER_CLAUDE_PIECES_H
#define CTX_TOKENIZER_CLAUDE_PIECES_H

#include <stdint.h>

/* Marker bytes that pieces and rewritten texts contain.  These bytes never
 * occur in UTF-8. */
enum {
	CTX_PIECE_BOW = 0xf8, /* marker: beginning of a word */
	CTX_PIECE_EOW = 0xf9, /* marker: end of a word */
	/* marker: only the first letter of the next word was a capital
	 * letter */
	CTX_PIECE_SHIFT = 0xfa,
	/* marker: all letters of the next word were capital letters */
	CTX_PIECE_CAPS = 0xfb,
};

#define CTX_PIECE_LONGEST 128 /* maximum length of a piece in bytes */

/* A state is a number of 64 bits with four fields, from the lowest bit on:
 * three numbers of CTX_PIECE_BITS bits each, which are returned by the
 * functions below; and an index into the array "lengths".  From this index on,
 * the array contains the lengths in bytes of the pieces that end at the state,
 * without pieces of one byte.  A 0 ends this list, but the empty list is two
 * 0s, so that its first length is 0 and its second element can be read. */
#define CTX_PIECE_BITS 17
#define CTX_PIECE_MASK ((1u << CTX_PIECE_BITS) - 1)
/* a number that no state has */
#define CTX_PIECE_NONE CTX_PIECE_MASK

/* Returns the index of this state to which the value of the next byte is added
 * to get the index of the next state. */
static inline uint32_t
ctx_piece_edges(uint64_t state)
{
	return state & CTX_PIECE_MASK;
}

/* Returns the index of the parent of this state: the state from which one more
 * byte leads to this state. */
static inline uint32_t
ctx_piece_parent(uint64_t state)
{
	return state >> CTX_PIECE_BITS & CTX_PIECE_MASK;
}

/* Each state stands for a string.  Returns the index of the state of a shorter
 * string: the longest end of this state's string that can be continued with a
 * byte with which this state's string cannot be continued. 0 is the state of
 * the empty string. */
static inline uint32_t
ctx_piece_shorter(uint64_t state)
{
	return state >> 2 * CTX_PIECE_BITS & CTX_PIECE_MASK;
}

struct ctx_pieces_head {
	/* number of elements of the arrays of states and lengths */
	uint32_t states, lengths;
};

struct ctx_pieces {
	const uint64_t *states;
	const uint8_t *lengths;
};

static inline void
ctx_pieces_view(struct ctx_pieces *pieces, const void *image)
{
	const struct ctx_pieces_head *head = image;

	pieces->states = (const uint64_t *)(head + 1);
	pieces->lengths = (const uint8_t *)(pieces->states + head->states);
}

/* Returns the list of the lengths of the pieces that end at a state. */
static inline const uint8_t *
ctx_pieces_at(const struct ctx_pieces *pieces, uint32_t state)
{
	return pieces->lengths + (pieces->states[state] >> 3 * CTX_PIECE_BITS);
}

/* Returns the index of the state that the automaton has after it has read one
 * more byte. */
static inline uint32_t
ctx_pieces_step(const struct ctx_pieces *pieces, uint32_t state,
    unsigned char byte)
{
	const uint64_t *states = pieces->states;
	uint32_t slot;

	/* The root has a child for every byte. */
	for (;; state = ctx_piece_shorter(states[state])) {
		slot = ctx_piece_edges(states[state]) + byte;
		if (ctx_piece_parent(states[slot]) == state)
			return slot;
	}
}

#endif
