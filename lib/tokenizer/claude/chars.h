/*
 * chars.h - the properties of characters that matter to Claude's encodings
 *
 * The authors of the package ctok measured the properties with the provider's
 * token counts.  Most of them follow Unicode 15.0, but not all.  All characters
 * from U+10000 on have the class CTX_RUN_HARD.
 */
#ifndef CTX_TOKENIZER_CLAUDE_CHARS_H
#define CTX_TOKENIZER_CLAUDE_CHARS_H

#include <stddef.h>
#include <stdint.h>

/* The class of a character is stored in the lowest bits of its properties.
 * Neighbouring characters of one class form a run: "abc" is a run of three
 * letters. */
enum {
	/* Han, Hangul, emoji, most symbols: no token joins them with other
	 * classes */
	CTX_RUN_HARD,
	CTX_RUN_WORD,  /* letters, and marks that belong to a word */
	CTX_RUN_DIGIT, /* 0-9, and those of Arabic */
	CTX_RUN_PUNCT, /* ASCII punctuation, and a few other symbols */
	CTX_RUN_SPACE,
	/* Combining marks without a letter before them.  The class depends on
	 * the context, so the table of properties does not have it. */
	CTX_RUN_MARK,
	CTX_RUN_MASK = 7,
};

enum {
	/* Letter m in claude_chars.tsv: a combining mark.  After a letter it
	 * belongs to the word; otherwise it begins a run of the class
	 * CTX_RUN_MARK. */
	CTX_CHAR_STRAY = 1 << 3,
	/* Letter b in claude_chars.tsv: punctuation, symbols and others.  In
	 * the rewritten text a marker byte is between such a character and a
	 * space. */
	CTX_CHAR_BORDER = 1 << 4,
	/* n: a number that has such a marker byte */
	CTX_CHAR_NUMBER = 1 << 5,
	CTX_CHAR_DECIMAL = 1 << 6,  /* d: category Nd */
	CTX_CHAR_NUMERAL = 1 << 7,  /* o: category No */
	CTX_CHAR_SELECTOR = 1 << 8, /* v: variation selector */
	CTX_CHAR_UPPER = 1 << 9,    /* u */
	CTX_CHAR_LOWER = 1 << 10,   /* l */
	CTX_CHAR_LETTER = 1 << 11,  /* a: a letter or mark by its category */
	/* Letter s in claude_chars.tsv: a letter that always begins a word
	 * unless a letter or combining mark is before it.  Normalization does
	 * not change the letter there. */
	CTX_CHAR_STARTS = 1 << 12,
	CTX_CHAR_REMOVED = 1 << 13, /* x: it has no tokens */
	CTX_CHAR_BLANK = 1 << 14,   /* f: read as a space */
};

/* The letters by which lib/gen/data/claude_chars.tsv names the properties, from
 * CTX_CHAR_STRAY on, and the classes. */
#define CTX_CHAR_LETTERS "mbndovulasxf"
#define CTX_RUN_LETTERS  "HWDPS"

#define CTX_CHAR_BITS 21 /* bits of a code point */

/* A range of capital letters.  The capital c has the small letter lower + (c -
 * first). */
struct ctx_lower {
	uint16_t first, last, lower; /* lower: of the first */
};

/* Tables made by lib/gen/make_claude_chars.c.  ctx_claude_block and
 * ctx_claude_value give each character below U+10000, by blocks of 128, an
 * index into ctx_claude_properties.  ctx_claude_lower has the capital letters,
 * as ranges in rising order. */
extern const uint8_t ctx_claude_block[];
extern const uint8_t ctx_claude_value[];
extern const uint16_t ctx_claude_properties[];
extern const struct ctx_lower ctx_claude_lower[];
extern const size_t ctx_claude_n_lower;

/* Returns the index of a character in ctx_claude_properties.  Index 0 has the
 * properties of most characters of the class CTX_RUN_HARD. */
static inline unsigned
ctx_claude_kind(uint32_t cp)
{
	if (cp >= 0x10000)
		return 0;
	return ctx_claude_value[ctx_claude_block[cp / 128] * 128u + cp % 128];
}

/* Returns the small letter of a capital letter; any other character is returned
 * as it is. */
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
