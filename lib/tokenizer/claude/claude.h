/*
 * claude.h - the reconstructed encodings of Claude
 *
 * The vocabulary consists of pieces, which are byte strings (pieces.h).  Each
 * piece is a token.  The pieces and the properties of characters (chars.h) come
 * from the PyPI package ctok, whose authors measured them with the provider's
 * token counts.
 *
 * Before a text is divided into pieces, marker bytes are written into it, which
 * show where words begin and end (marked_text.c).  A word with capital letters
 * is written in small letters after a marker.  A single space between two
 * markers is left out.  The number of tokens is the smallest number of pieces
 * and single bytes that make up the resulting bytes (tiling.h).
 *
 * No piece contains a word together with something beside the word.  So a text
 * can be cut before each word, and at some other places (split_units.c).  A
 * unit is the text between two consecutive cuts.  The number of tokens of a
 * unit depends only on its bytes, so a counter can cache it (count_units.c).
 * The first and the last unit of a text are exceptions: their tokens also
 * depend on the frame, which is the tokens that a request has around the text.
 */
#ifndef CTX_TOKENIZER_CLAUDE_CLAUDE_H
#define CTX_TOKENIZER_CLAUDE_CLAUDE_H

#include "base/base.h"
#include "tokenizer/claude/pieces.h"
#include "tokenizer/claude/tiling.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/simd/backend.h"

/* Maximum number of tokens of a text per byte.  A capital letter that is a
 * whole word may have four: the letter, a marker for the capital, and markers
 * for the beginning and the end of the word. */
#define CTX_CLAUDE_FACTOR 4

/* Only characters below this code point have an entry in the member "lone" of
 * struct ctx_marked_text. */
#define CTX_LONE_CHARS 0x10000

/* An encoding of Claude. */
struct ctx_claude {
	/* true if typographic quotes are read as ASCII quotes */
	bool folds_quotes;
	/* A word in capital letters with at least this many characters is
	 * written in small letters after one marker, CTX_PIECE_CAPS.  0: this
	 * is never done. */
	uint8_t least_caps;
	/* True if the frame (the tokens of a request around the text) ends with
	 * the marker for the beginning of a word.  If the text begins with a
	 * word or punctuation, this marker belongs to the text.  Otherwise the
	 * marker is written before the text, or replaces a space at its
	 * beginning. */
	bool opens_word;
	/* number of tokens of a request with one message, without those of the
	 * message's text */
	uint8_t frame;
	/* How many of the tokens in "frame" belong to the message itself: its
	 * role and delimiters.  Each further message adds this number of tokens
	 * to the request. */
	uint8_t frame_message;
};

extern const struct ctx_claude ctx_claude_3, ctx_claude_4_7, ctx_claude_4_8;

/* Position of a unit (part of a text that is counted by itself) in its text. */
enum {
	CTX_UNIT_HEAD = 1,
	CTX_UNIT_TAIL = 2,
};

/* Working memory for counting units (parts of a text that are counted
 * independently).  Besides the struct itself, this memory is up to 16 times as
 * large as the longest unit. */
struct ctx_marked_text {
	const struct ctx_claude *claude;
	struct ctx_pieces pieces;
	struct ctx_nfc normalizer;
	/* The characters of the unit (part of the text that is counted by
	 * itself) after normalization (see ctx_char_make). */
	uint32_t *chars;
	size_t n, cap;
	struct ctx_tiling tiling;
	/* Numbers of tokens of single characters (see is_lone in
	 * marked_text.c), by code point. 0: not counted yet. */
	uint8_t lone[CTX_LONE_CHARS];
};

/* Prepares the memory for an encoding. automaton: the automaton that finds the
 * pieces (tokens) of this encoding in a text (pieces.h). */
void ctx_marked_text_init(struct ctx_marked_text *marked,
    const struct ctx_claude *claude, const void *automaton);
void ctx_marked_text_release(struct ctx_marked_text *marked);
/* Fills marked->chars with the characters of a unit: normalizes them, removes
 * characters without tokens, and replaces some others. */
int ctx_marked_text_read(struct ctx_marked_text *marked, struct ctx_str unit,
    struct ctx_err *err);
/* Adds the tokens of a unit to *tokens. edges: CTX_UNIT_HEAD if the unit is at
 * the beginning of the text; CTX_UNIT_TAIL if it is at the end; both bits if it
 * is the whole text; 0 otherwise. */
int ctx_marked_text_count(struct ctx_marked_text *marked, struct ctx_str unit,
    unsigned edges, uint64_t *tokens, struct ctx_err *err);

/* Splits off units (parts that are counted independently) from the beginning of
 * a text, at least 1 and at most max.  The text must have at least one byte and
 * begin at a boundary between units.  Sets split->alone as described at struct
 * ctx_pretokenize. */
void ctx_units_split(struct ctx_pretokenize *split, const char *p, size_t n,
    size_t max);
/* Returns true if a unit with these first bytes begins with a word.  At the
 * beginning of a text, such a unit has as many tokens as after another unit. */
bool ctx_unit_is_word(const char *p, size_t n);

struct ctx_token_counter;
/* Called when a text is counted in parts.  Finds out whether the text can be
 * cut at the offset "at", which must be a boundary between units.  The part
 * after the cut is later counted as a text of its own, which may give more
 * tokens than if it were counted after the first part; this difference is
 * subtracted from *tokens, the number of tokens before the cut.  Returns 1 if
 * the text can be cut; 0 if it cannot, or if this depends on text that is not
 * known yet; -1 on error. */
int ctx_units_cut(struct ctx_token_counter *counter, struct ctx_str text,
    size_t at, uint64_t *tokens, struct ctx_err *err);
/* Splits off units (parts that are counted independently) from byte *at of a
 * text on, at least 1 and at most max.  Adds the tokens of these units to
 * *tokens, and sets *at to the end of the last unit. */
int ctx_units_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t *at, size_t max, uint64_t *tokens, struct ctx_err *err);

#endif
