/*
 * chars.h - how Claude's encodings read a character
 *
 * The properties were measured with the provider's token counts by the authors
 * of ctok; most follow Unicode 15.0, but not all.  Characters from U+10000 on
 * are hard.
 */
#ifndef CTX_TOKENIZER_CLAUDE_CHARS_H
#define CTX_TOKENIZER_CLAUDE_CHARS_H

#include <stddef.h>
#include <stdint.h>

/* The class of a character, in the lowest bits of its properties.  Characters
 * of one class that stand together are a run. */
enum {
	CTX_RUN_HARD,  /* by themselves: Han, Hangul, emoji, most symbols */
	CTX_RUN_WORD,  /* letters, and marks that belong to a word */
	CTX_RUN_DIGIT, /* 0-9, and those of Arabic */
	CTX_RUN_PUNCT, /* ASCII punctuation, and a few other symbols */
	CTX_RUN_SPACE,
	CTX_RUN_MARK, /* a mark without a letter before it; not in the table */
	CTX_RUN_MASK = 7,
};

enum {
	/* m: a mark of a word, which begins a run CTX_RUN_MARK where no letter
	 * is before it */
	CTX_CHAR_STRAY = 1 << 3,
	/* b: punctuation, symbols and the like, which have a marker next to a
	 * space */
	CTX_CHAR_BORDER = 1 << 4,
	CTX_CHAR_NUMBER = 1 << 5,   /* n: a number that has such a marker */
	CTX_CHAR_DECIMAL = 1 << 6,  /* d: category Nd */
	CTX_CHAR_NUMERAL = 1 << 7,  /* o: category No */
	CTX_CHAR_SELECTOR = 1 << 8, /* v: variation selector */
	CTX_CHAR_UPPER = 1 << 9,    /* u */
	CTX_CHAR_LOWER = 1 << 10,   /* l */
	CTX_CHAR_LETTER = 1 << 11,  /* a: a letter or mark by its category */
	/* s: a letter that begins a word after any character but a letter or a
	 * mark, and that no normalization changes there */
	CTX_CHAR_STARTS = 1 << 12,
	CTX_CHAR_REMOVED = 1 << 13, /* x: it has no tokens */
	CTX_CHAR_BLANK = 1 << 14,   /* f: read as a space */
};

/* The letters of the properties from CTX_CHAR_STRAY on, and of the classes, in
 * lib/gen/data/claude_chars.tsv. */
#define CTX_CHAR_LETTERS "mbndovulasxf"
#define CTX_RUN_LETTERS  "HWDPS"

#define CTX_CHAR_BITS 21 /* bits of a code point */

/* Characters that lie together and have lower case. */
struct ctx_lower {
	uint16_t first, last, lower; /* lower: of the first */
};

/* Tables made by lib/gen/make_claude_chars.c: the index of the properties of
 * the characters below U+10000, by blocks of 128, and the sorted ranges of
 * characters with lower case. */
extern const uint8_t ctx_claude_block[];
extern const uint8_t ctx_claude_value[];
extern const uint16_t ctx_claude_properties[];
extern const struct ctx_lower ctx_claude_lower[];
extern const size_t ctx_claude_n_lower;

/* Returns the index of the properties of a character.  Those at index 0 are
 * CTX_RUN_HARD. */
static inline unsigned
ctx_claude_kind(uint32_t cp)
{
	if (cp >= 0x10000)
		return 0;
	return ctx_claude_value[ctx_claude_block[cp / 128] * 128u + cp % 128];
}

#endif
