/*
 * claude.h - the reconstructed encodings of Claude
 *
 * The vocabulary consists of pieces (byte strings, pieces.h).  Each piece is
 * one token.  The pieces and the properties of characters (chars.h) come from
 * the PyPI package ctok, whose authors measured them with the provider's token
 * counts.
 *
 * Before a text is divided into pieces, it is rewritten with marker bytes
 * (marked_text.c).  Markers show where words begin and end.  A word with
 * capitals is written in small letters after a marker.  A single space between
 * two markers is left out.  The number of tokens is that of the fewest pieces
 * and single bytes that make up the result (tiling.h).
 *
 * No piece contains a word and something next to the word.  So a text can be
 * cut before a word, and at some other places (split_units.c).  A unit is the
 * text between two neighbouring cuts.  The tokens of a unit depend only on its
 * bytes, so a counter can store them (count_units.c).  Exceptions are the first
 * and the last unit of a text: their tokens also depend on the frame, the
 * tokens that a request has around the text.
 */
#ifndef CTX_TOKENIZER_CLAUDE_CLAUDE_H
#define CTX_TOKENIZER_CLAUDE_CLAUDE_H

#include "base/base.h"
#include "tokenizer/claude/pieces.h"
#include "tokenizer/claude/tiling.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/simd/backend.h"

/* A text has at most this many tokens per byte.  A capital letter that is a
 * whole word may need four: the letter, a marker for the capital, and markers
 * for the begin and the end of the word. */
#define CTX_CLAUDE_FACTOR 4

/* An encoding of Claude. */
struct ctx_claude {
	bool folds_quotes; /* typographic quotes are read as ASCII */
	/* A word in capitals with at least this many characters is written in
	 * small letters after one marker, CTX_PIECE_CAPS.  0: never. */
	uint8_t least_caps;
	/* True if the frame (the tokens of a request around the text) ends with
	 * the marker for the begin of a word.  If the text begins with a word
	 * or punctuation, this marker belongs to the text.  Otherwise the
	 * marker is written before the text, or replaces a space at its
	 * beginning. */
	bool opens_word;
	/* tokens of a request with one message, without those of the message's
	 * text */
	uint8_t frame;
	/* the part of the member "frame" that is for the message itself: its
	 * role and delimiters.  Each further message of the request adds as
	 * many tokens. */
	uint8_t frame_message;
};

extern const struct ctx_claude ctx_claude_3, ctx_claude_4_7, ctx_claude_4_8;

/* Place of a unit in its text. */
enum {
	CTX_UNIT_HEAD = 1,
	CTX_UNIT_TAIL = 2,
};

/* Working memory for counting units (parts of a text with independent tokens).
 * It takes up to 16 times the bytes of the longest unit counted. */
struct ctx_marked_text {
	const struct ctx_claude *claude;
	struct ctx_pieces pieces;
	struct ctx_nfc normalizer;
	struct ctx_buf normal; /* normal form (NFC) of a unit */
	/* The characters of the unit after normalization.  The low
	 * CTX_CHAR_BITS bits of an element are the code point.  The bits above
	 * are its index in ctx_claude_properties. */
	uint32_t *chars;
	size_t n, cap;
	struct ctx_tiling tiling;
};

/* Prepares the memory for an encoding.  automaton: finds the pieces (tokens) of
 * this encoding in a text (pieces.h). */
void ctx_marked_text_init(struct ctx_marked_text *marked,
    const struct ctx_claude *claude, const void *automaton);
void ctx_marked_text_release(struct ctx_marked_text *marked);
/* Adds the tokens of a unit to *tokens.  edges: CTX_UNIT_HEAD if the unit
 * begins the text, CTX_UNIT_TAIL if it ends the text; 0, one or both. */
int ctx_marked_text_count(struct ctx_marked_text *marked, struct ctx_str unit,
    unsigned edges, uint64_t *tokens, struct ctx_err *err);

/* Splits off units (parts with independent tokens) from the beginning of a
 * text, at least 1 and at most max. The text has at least one byte and begins
 * where a unit begins. split->alone is set as struct ctx_pretokenize
 * describes. */
void ctx_units_split(struct ctx_pretokenize *split, const char *p, size_t n,
    size_t max);
/* Returns true if a unit with these first bytes begins with a word.  Such a
 * unit has as many tokens at the beginning of a text as after other units. */
bool ctx_unit_is_word(const char *p, size_t n);

struct ctx_token_counter;
/* Called when a text is counted in parts.  Decides whether the text can be cut
 * at the offset "at", where a unit begins.  The part after the cut is later
 * counted as a text of its own, which may then have more tokens than as a
 * continuation.  This difference is subtracted from *tokens, the tokens before
 * the cut.  Returns 1; 0 if the text cannot be cut there, or not before more of
 * it is known; or -1 on error. */
int ctx_units_cut(struct ctx_token_counter *counter, struct ctx_str text,
    size_t at, uint64_t *tokens, struct ctx_err *err);
/* Splits off units (parts with independent tokens) of a text, at least 1 and at
 * most max, from byte *at on, and counts their tokens.  Adds the number to
 * *tokens, and sets *at to the end of the last unit. */
int ctx_units_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t *at, size_t max, uint64_t *tokens, struct ctx_err *err);

#endif
