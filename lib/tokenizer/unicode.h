/* unicode.h - the classes of characters (letter, number, white space, ...)
 * that pretokenizers distinguish */
#ifndef CTX_TOKENIZER_UNICODE_H
#define CTX_TOKENIZER_UNICODE_H

#include <stddef.h>
#include <stdint.h>

/* Classes of characters.  Each is a set of Unicode 16 general categories,
 * except SPACE, which is the property White_Space.  The o200k pattern has two
 * sets of letters: [Lu Lt Lm Lo M] and [Ll Lm Lo M].  So it needs classes for
 * letters in the first set (UPPER), in the second (LOWER), and in both (LETTER,
 * MARK).  MARK is a class by itself, because marks are not letters for the
 * other patterns. */
enum ctx_class {
	CTX_CLASS_OTHER,  /* everything else: punctuation, symbols, control */
	CTX_CLASS_UPPER,  /* Lu Lt */
	CTX_CLASS_LOWER,  /* Ll */
	CTX_CLASS_LETTER, /* Lm Lo: letters without case */
	CTX_CLASS_NUMBER, /* N */
	CTX_CLASS_SPACE,  /* White_Space */
	CTX_CLASS_MARK,   /* M */
};

/* The classes of 64 bytes of a text, as three masks of 64 bits.  The class of
 * byte i is a number of three bits (enum ctx_class).  The mask "one" has the
 * lowest bit of this number for each byte, "two" the middle bit, "four" the
 * highest; bit i of a mask is for byte i. */
struct ctx_class_bits {
	uint64_t one, two, four;
};

/* The class of each code point, in two tables.  ctx_class_block has, for each
 * block of 128 code points, the number of a row of ctx_class_value.  The row
 * has the classes of the 128 code points.  lib/gen/make_unicode.c makes
 * both. */
extern const uint8_t ctx_class_block[0x110000 / 128];
extern const uint8_t ctx_class_value[];

static inline enum ctx_class
ctx_class_of(uint32_t cp)
{
	return (enum ctx_class)
	    ctx_class_value[ctx_class_block[cp / 128] * 128u + cp % 128];
}

/* The Unicode general categories.  The number of a category is its position in
 * this string; Cn, unassigned in Unicode 16, is 0.  Only patterns of vocabulary
 * files use categories; the built-in pretokenizers use classes. */
#define CTX_CATEGORIES \
	"CnLuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCo"
extern const uint16_t ctx_category_block[0x110000 / 128];
extern const uint8_t ctx_category_value[];

static inline unsigned
ctx_category_of(uint32_t cp)
{
	return ctx_category_value[ctx_category_block[cp / 128] * 128u +
	    cp % 128];
}

/* ctx_char_next returns this instead of a code point for a byte at which no
 * valid character starts. */
#define CTX_CHAR_BAD UINT32_MAX

/* Returns the six bits of a code point that are in byte i of s, a continuation
 * byte of UTF-8. */
static inline uint32_t
ctx_char_tail(const unsigned char *s, size_t i)
{
	return s[i] & 0x3fu;
}

/* Decodes the UTF-8 character at p, sets *cp to it and returns its length in
 * bytes; n is at least 1.  For a byte at which no valid character starts, *cp
 * is CTX_CHAR_BAD and the length is 1.  The function is inline because
 * pretokenizers decode every character that is not ASCII. */
static inline size_t
ctx_char_next(const char *p, size_t n, uint32_t *cp)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t c = s[0];

	*cp = c;
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c < 0xe0 && n > 1 && (s[1] & 0xc0) == 0x80) {
		*cp = (c & 0x1f) << 6 | ctx_char_tail(s, 1);
		return 2;
	}
	if (c >= 0xe0 && c < 0xf0 && n > 2 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80) {
		c = (c & 0xf) << 12 | ctx_char_tail(s, 1) << 6 |
		    ctx_char_tail(s, 2);
		if (c >= 0x800 && (c < 0xd800 || c >= 0xe000)) {
			*cp = c;
			return 3;
		}
	} else if (c >= 0xf0 && c < 0xf5 && n > 3 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80) {
		c = (c & 7) << 18 | ctx_char_tail(s, 1) << 12 |
		    ctx_char_tail(s, 2) << 6 | ctx_char_tail(s, 3);
		if (c >= 0x10000 && c < 0x110000) {
			*cp = c;
			return 4;
		}
	}
	*cp = CTX_CHAR_BAD;
	return 1;
}

/* Sets *class to the class of the UTF-8 character at p, and returns its length
 * in bytes.  An invalid byte has class CTX_CLASS_OTHER. */
static inline size_t
ctx_char_class(const char *p, size_t n, enum ctx_class *class)
{
	uint32_t cp;
	size_t length = ctx_char_next(p, n, &cp);

	*class = cp == CTX_CHAR_BAD ? CTX_CLASS_OTHER : ctx_class_of(cp);
	return length;
}

#endif
