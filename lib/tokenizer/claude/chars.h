/*
 * chars.h - the properties of characters that Claude's encodings distinguish
 *
 * The authors of the package ctok measured these properties with the provider's
 * token counts.  Most properties are those of Unicode 15.0, but some differ.
 * All characters from U+10000 on have the class CTX_RUN_HARD.
 */
#ifndef CTX_TOKENIZER_CLAUDE_CHARS_H
#define CTX_TOKENIZER_CLAUDE_CHARS_H

#include <stddef.h>
#include <stdint.h>

/* Classes of characters.  The class is in the lowest bits of a character's
 * properties.  Consecutive characters of the same class form a run: "abc" is a
 * run of three letters. */
enum {
	/* Han, Hangul, emoji and most symbols.  No token contains such a
	 * character together with a character of another class. */
	CTX_RUN_HARD,
	CTX_RUN_WORD,  /* letters, and marks that belong to a word */
	CTX_RUN_DIGIT, /* the digits 0 to 9, and the Arabic digits */
	CTX_RUN_PUNCT, /* ASCII punctuation, and a few other symbols */
	CTX_RUN_SPACE,
	/* Combining marks without a letter before them.  The class depends on
	 * the context, so it is not in the table of properties. */
	CTX_RUN_MARK,
	CTX_RUN_MASK = 7,
};

enum {
	/* Letter m in claude_chars.tsv: a combining mark.  After a letter it
	 * belongs to the word of this letter; otherwise it begins a run of the
	 * class CTX_RUN_MARK. */
	CTX_CHAR_STRAY = 1 << 3,
	/* Letter b in claude_chars.tsv: punctuation, symbols and some other
	 * characters.  A marker byte is written between such a character and a
	 * space. */
	CTX_CHAR_BORDER = 1 << 4,
	/* letter n in claude_chars.tsv: a number; a marker byte is written
	 * between such a character and a space */
	CTX_CHAR_NUMBER = 1 << 5,
	/* letter d in claude_chars.tsv: a decimal digit (category Nd) */
	CTX_CHAR_DECIMAL = 1 << 6,
	/* letter o in claude_chars.tsv: a number of category No */
	CTX_CHAR_NUMERAL = 1 << 7,
	/* letter v in claude_chars.tsv: a variation selector */
	CTX_CHAR_SELECTOR = 1 << 8,
	CTX_CHAR_UPPER = 1 << 9,  /* letter u: a capital letter */
	CTX_CHAR_LOWER = 1 << 10, /* letter l: a small letter */
	/* letter a in claude_chars.tsv: a letter or combining mark by its
	 * Unicode category */
	CTX_CHAR_LETTER = 1 << 11,
	/* Letter s in claude_chars.tsv: a letter that always begins a word
	 * unless a letter or combining mark is before it.  At the beginning of
	 * a word, normalization does not change this letter. */
	CTX_CHAR_STARTS = 1 << 12,
	/* letter x in claude_chars.tsv: a character that is removed and has no
	 * tokens */
	CTX_CHAR_REMOVED = 1 << 13,
	/* letter f in claude_chars.tsv: a character that is read as a space */
	CTX_CHAR_BLANK = 1 << 14,
};

/* CTX_CHAR_LETTERS: the letters that stand for the properties in
 * lib/gen/data/claude_chars.tsv, in the order of the bits from CTX_CHAR_STRAY
 * on.  CTX_RUN_LETTERS: the letters that stand for the classes, in their
 * order. */
#define CTX_CHAR_LETTERS "mbndovulasxf"
#define CTX_RUN_LETTERS  "HWDPS"

#define CTX_CHAR_BITS 21 /* number of bits that a code point needs */

/* A range of capital letters.  The small letter of capital letter c in this
 * range is lower + (c - first). */
struct ctx_lower {
	/* first, last: first and last capital letter; lower: small letter of
	 * "first" */
	uint16_t first, last, lower;
};

/* Tables made by lib/gen/make_claude_chars.c.  For a character below U+10000,
 * ctx_claude_block and ctx_claude_value (in blocks of 128 characters) give an
 * index into ctx_claude_properties.  ctx_claude_lower contains the ranges of
 * capital letters in ascending order. */
extern const uint8_t ctx_claude_block[];
extern const uint8_t ctx_claude_value[];
extern const uint16_t ctx_claude_properties[];
extern const struct ctx_lower ctx_claude_lower[];
extern const size_t ctx_claude_n_lower;

/* Returns the index of a character's properties in ctx_claude_properties.
 * Index 0 is for most characters of the class CTX_RUN_HARD. */
static inline unsigned
ctx_claude_kind(uint32_t cp)
{
	if (cp >= 0x10000)
		return 0;
	return ctx_claude_value[ctx_claude_block[cp / 128] * 128u + cp % 128];
}

/* A character as a number: the low CTX_CHAR_BITS bits are the code point, and
 * the bits above are the index of the character's properties in
 * ctx_claude_properties. */
static inline uint32_t
ctx_char_make(uint32_t cp)
{
	return cp | ctx_claude_kind(cp) << CTX_CHAR_BITS;
}

static inline uint32_t
ctx_char_point(uint32_t c)
{
	return c & ((1u << CTX_CHAR_BITS) - 1);
}

static inline unsigned
ctx_char_properties(uint32_t c)
{
	return ctx_claude_properties[c >> CTX_CHAR_BITS];
}

/* Returns the small letter for a capital letter.  Returns any other character
 * unchanged. */
static inline uint32_t
ctx_claude_lower_char(uint32_t cp)
{
	size_t low = 0, high = ctx_claude_n_lower, middle;

	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + ('a' - 'A') : cp;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (ctx_claude_lower[middle].last < cp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == ctx_claude_n_lower || ctx_claude_lower[low].first > cp)
		return cp;
	return ctx_claude_lower[low].lower + (cp - ctx_claude_lower[low].first);
}

#endif
