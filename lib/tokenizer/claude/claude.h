/*
 * claude.h - the reconstructed encodings of Claude
 *
 * Data: pieces, each of which costs one token (pieces.h), and properties of
 * characters (chars.h).  Both are those of the PyPI package ctok, whose authors
 * measured them with the provider's token counts.
 *
 * A text is normalized and written as a stream of bytes with markers: words get
 * their borders marked, words with capitals are written in lower case after a
 * marker, and a space between two borders is left out (marked_text.c).  The
 * tokens are the fewest pieces and single bytes that make up the stream
 * (tiling.h).
 *
 * No piece goes beyond a word, or joins it to what is beside it.  So a text can
 * be cut where a word begins, and at a few other places that two characters
 * decide (split_units.c).  The text between two cuts is a unit.  Its tokens
 * depend on its own bytes alone, so a counter remembers them
 * (count_units.c).  Only a unit at the head or the tail of a text is read
 * differently, because the frame of the message is next to it.
 */
#ifndef CTX_TOKENIZER_CLAUDE_CLAUDE_H
#define CTX_TOKENIZER_CLAUDE_CLAUDE_H

#include "base/base.h"
#include "tokenizer/claude/pieces.h"
#include "tokenizer/claude/tiling.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/simd/backend.h"

extern const unsigned char ctx_pieces_claude_3[], ctx_pieces_claude_4_7[];

/* The tokens of a text are at most this many for each of its bytes: a letter
 * may need a marker for its case, two for its borders, and itself. */
#define CTX_CLAUDE_FACTOR 4

/* An encoding of Claude. */
struct ctx_claude {
	const unsigned char *automaton; /* of its pieces */
	bool folds_quotes; /* typographic quotes are read as ASCII */
	/* a word of at least this many characters in capitals is written after
	 * one marker; 0: never */
	uint8_t least_caps;
	/* true if the frame before the text of a message ends with the marker
	 * for the begin of a word, which a text uses or pays for */
	bool opens_word;
	uint8_t frame; /* tokens of the frame of a request with one message */
};

extern const struct ctx_claude ctx_claude_3, ctx_claude_4_7, ctx_claude_4_8;

/* Where a unit is in its text. */
enum {
	CTX_UNIT_HEAD = 1,
	CTX_UNIT_TAIL = 2,
};

/* Working memory for counting units.  It takes up to 16 times the longest unit
 * counted. */
struct ctx_marked_text {
	const struct ctx_claude *claude;
	struct ctx_pieces pieces;
	struct ctx_nfc normalizer;
	struct ctx_buf normal; /* normal form (NFC) of a unit */
	/* its characters, as the encoding reads them: a code point, and from
	 * bit CTX_CHAR_BITS on the index of its properties */
	uint32_t *chars;
	size_t n, cap;
	struct ctx_tiling tiling;
};

void ctx_marked_text_init(struct ctx_marked_text *marked,
    const struct ctx_claude *claude);
void ctx_marked_text_release(struct ctx_marked_text *marked);
/* Adds the tokens of a unit to *tokens.  edges: set of CTX_UNIT_... bits. */
int ctx_marked_text_count(struct ctx_marked_text *marked, struct ctx_str unit,
    unsigned edges, uint64_t *tokens, struct ctx_err *err);

/* Splits off the first units, 1 to max, of a text that is not empty; it starts
 * at the begin of a unit.  split->alone is used as by pretokenizers. */
void ctx_units_split(struct ctx_pretokenize *split, const char *p, size_t n,
    size_t max);
/* Returns true if a unit that begins with these bytes is read alike at the head
 * of a text and elsewhere: it begins with a word. */
bool ctx_unit_is_word(const char *p, size_t n);

struct ctx_token_counter;
/* Decides whether a text can be cut at the begin of a unit, byte at, so that
 * the rest is counted as a text of its own.  Takes from *tokens, those before
 * the cut, what the rest then costs more.  Returns 0 if the unit may not be
 * complete yet, -1 on error. */
int ctx_units_cut(struct ctx_token_counter *counter, struct ctx_str text,
    size_t at, uint64_t *tokens, struct ctx_err *err);
/* Splits off and counts the next units, 1 to max, of a text from byte *at on;
 * adds their tokens to *tokens and sets *at to their end. */
int ctx_units_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t *at, size_t max, uint64_t *tokens, struct ctx_err *err);

#endif
