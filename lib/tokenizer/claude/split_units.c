/*
 * split_units.c - splits a text into units, which are parts whose tokens do not
 * depend on the text around them
 *
 * Whether a text can be cut between two characters depends only on the classes
 * of these two characters.  The same is true for the markers that are written
 * before and after the cut (marked_text.c).  The table of cuts follows from
 * these facts:
 *  - A word has a marker on both sides, except after an apostrophe or next to a
 *    combining mark.
 *  - A space before a word may be left out, so it is part of the unit before
 *    the word.
 *  - After a digit, a line feed, a tab, or a character of the class UNIT_HARD
 *    (Han, Hangul, emoji), nothing is left out and no marker is written.
 *  - There is no cut beside a character that normalization may remove or
 *    change.  Han is an exception, because normalization changes it only to
 *    other Han.
 */
#include <string.h>

#include "tokenizer/claude/chars.h"
#include "tokenizer/claude/claude.h"
#include "tokenizer/unicode.h"

enum unit_class {
	/* any other character; the text is never cut beside such a character */
	UNIT_OTHER,
	UNIT_WORD, /* a letter with the property CTX_CHAR_STARTS */
	/* Han, Hangul, emoji: no piece (token) contains such a character
	 * together with another character */
	UNIT_HARD,
	UNIT_DIGIT, /* 0-9 */
	UNIT_LINE,  /* a line feed */
	UNIT_TAB,
	UNIT_SPACE,
	UNIT_QUOTE, /* an ASCII apostrophe */
	UNIT_PUNCT, /* other ASCII punctuation */
	UNIT_CLASSES
};

#define BIT(class) (1u << UNIT_##class)
/* cuts[c]: if a character has the class c, the text can be cut after it if the
 * next character has one of the classes whose bits are set. */
static const uint16_t cuts[UNIT_CLASSES] = {
    [UNIT_OTHER] = 0,
    [UNIT_WORD] = BIT(HARD),
    [UNIT_HARD] = BIT(WORD) | BIT(HARD) | BIT(DIGIT) | BIT(LINE) | BIT(TAB) |
	BIT(SPACE) | BIT(QUOTE) | BIT(PUNCT),
    [UNIT_DIGIT] = BIT(WORD) | BIT(HARD) | BIT(LINE) | BIT(TAB) | BIT(SPACE) |
	BIT(QUOTE) | BIT(PUNCT),
    [UNIT_LINE] = BIT(WORD) | BIT(HARD) | BIT(DIGIT) | BIT(TAB) | BIT(SPACE) |
	BIT(QUOTE) | BIT(PUNCT),
    [UNIT_TAB] = BIT(WORD) | BIT(HARD) | BIT(DIGIT) | BIT(LINE) | BIT(SPACE) |
	BIT(QUOTE) | BIT(PUNCT),
    [UNIT_SPACE] = BIT(WORD),
    [UNIT_QUOTE] = 0,
    [UNIT_PUNCT] = BIT(WORD) | BIT(HARD),
};

#define O UNIT_OTHER
#define W UNIT_WORD
#define D UNIT_DIGIT
#define P UNIT_PUNCT
static const uint8_t ascii[128] = {
    /* clang-format off */
    O, O, O, O, O, O, O, O, O, UNIT_TAB, UNIT_LINE, O, O, O, O, O,
    O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
    UNIT_SPACE, P, P, P, P, P, P, UNIT_QUOTE, P, P, P, P, P, P, P, P,
    D, D, D, D, D, D, D, D, D, D, P, P, P, P, P, P,
    P, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
    W, W, W, W, W, W, W, W, W, W, W, P, P, P, P, P,
    P, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
    W, W, W, W, W, W, W, W, W, W, W, P, P, P, P, O,
    /* clang-format on */
};

static inline bool
is_hard(uint32_t cp)
{
	return cp >= 0x3400 &&
	    (cp <= 0x4dbf || (cp >= 0x4e00 && cp <= 0x9fff) ||
		(cp >= 0xac00 && cp <= 0xd7a3) ||
		(cp >= 0xf900 && cp <= 0xfa6d) ||
		(cp >= 0xfa70 && cp <= 0xfad9) ||
		(cp >= 0x1f000 && cp <= 0x1faff) ||
		(cp >= 0x20000 && cp <= 0x2fa1d));
}

static inline unsigned
classify_char(uint32_t cp)
{
	if (is_hard(cp))
		return UNIT_HARD;
	return cp != CTX_CHAR_BAD &&
		(ctx_claude_properties[ctx_claude_kind(cp)] &
		    CTX_CHAR_STARTS) != 0
	    ? UNIT_WORD
	    : UNIT_OTHER;
}

/* Sets *class to the class of the character at p.  Returns the length of the
 * character in bytes. */
static inline size_t
next_class(const char *p, size_t n, unsigned *class)
{
	uint32_t cp;
	size_t length;

	if ((unsigned char)*p < 0x80) {
		*class = ascii[(unsigned char)*p];
		return 1;
	}
	length = ctx_char_next(p, n, &cp);
	*class = classify_char(cp);
	return length;
}

bool
ctx_unit_is_word(const char *p, size_t n)
{
	unsigned class;

	(void)next_class(p, n, &class);
	return class == UNIT_WORD;
}

#define ROW 8 /* number of ASCII characters that are classified at once */

static bool
is_ascii_row(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return (word & 0x8080808080808080u) == 0;
}

/* The cuts (places at which the text is divided into units) that were found so
 * far. */
struct cutter {
	const char *p;
	size_t n, max, found;
	size_t at; /* number of bytes that were examined */
	/* class of the character directly before the offset "at" */
	unsigned class;
	/* True if the first unit (part of the text that is counted by itself)
	 * cannot be listed; see the member "alone" of struct
	 * ctx_pretokenize. */
	bool alone;
	uint32_t *ends;
};

/* Finds the cuts between ASCII characters.  The loop has no branch for a cut,
 * because the processor would often predict it wrongly.  Leaves room for one
 * more cut, which cut_char may add. */
static void
cut_ascii(struct cutter *c)
{
	size_t at = c->at, found = c->found;
	unsigned class = c->class, next, i;

	while (c->n - at >= ROW && found + ROW < c->max &&
	    at <= CTX_PRETOKENIZE_SPAN && is_ascii_row(c->p + at)) {
		for (i = 0; i < ROW; i++) {
			next = ascii[(unsigned char)c->p[at + i]];
			c->ends[found] = (uint32_t)(at + i);
			found += cuts[class] >> next & 1u;
			class = next;
		}
		at += ROW;
	}
	c->at = at;
	c->found = found;
	c->class = class;
}

/* Finds the cuts between characters of any length.  Stops at ROW ASCII
 * characters, whose cuts cut_ascii finds faster, and at a byte 0xff, which
 * cut_char handles.  Leaves room for one more cut, which cut_char may add. */
static void
cut_mixed(struct cutter *c)
{
	size_t at = c->at, found = c->found, length;
	unsigned class = c->class, next;
	uint32_t cp;

	while (at < c->n && found + 1 < c->max && at <= CTX_PRETOKENIZE_SPAN) {
		if ((unsigned char)c->p[at] < 0x80) {
			if (c->n - at >= ROW && is_ascii_row(c->p + at))
				break;
			next = ascii[(unsigned char)c->p[at]];
			length = 1;
		} else {
			if (c->p[at] == '\xff')
				break;
			length = ctx_char_next(c->p + at, c->n - at, &cp);
			next = classify_char(cp);
		}
		c->ends[found] = (uint32_t)at;
		found += cuts[class] >> next & 1u;
		class = next;
		at += length;
	}
	c->at = at;
	c->found = found;
	c->class = class;
}

/* Reads the next character, and adds a cut before it if the text can be cut
 * there.  Returns false if the units that were found so far must be returned
 * first. */
static bool
cut_char(struct cutter *c)
{
	unsigned class;
	size_t length = next_class(c->p + c->at, c->n - c->at, &class);
	bool alone = c->p[c->at] == '\xff' || c->at > CTX_PRETOKENIZE_SPAN;

	if (c->at > 0 && (cuts[c->class] >> class & 1u) != 0) {
		c->ends[c->found++] = (uint32_t)c->at;
		if (c->alone || c->found == c->max)
			return false;
	}
	if (alone && c->found > 0)
		return false;
	c->alone |= alone;
	c->at += length;
	c->class = class;
	return true;
}

void
ctx_units_split(struct ctx_pretokenize *split, const char *p, size_t n,
    size_t max)
{
	struct cutter c = {.p = p, .n = n, .max = max, .ends = split->end};

	while (c.at < n) {
		if (!c.alone) {
			cut_ascii(&c);
			cut_mixed(&c);
		}
		if (c.at < n && !cut_char(&c))
			break;
	}
	if (c.at == n && c.found < max)
		c.ends[c.found++] = (uint32_t)n;
	split->used = c.alone ? c.at : c.ends[c.found - 1];
	split->alone = c.alone ? c.at : 0;
	split->n = split->listed = c.alone ? 0 : c.found;
	split->start[0] = 0;
	memcpy(split->start + 1, split->end,
	    (split->listed == 0 ? 0 : split->listed - 1) *
		sizeof *split->start);
}
