/* unicode.h - the classes of characters (letter, number, white space, ...)
 * that pretokenizers distinguish */
#ifndef CTX_TOKENIZER_UNICODE_H
#define CTX_TOKENIZER_UNICODE_H

#include "base/base.h"

/* Classes of characters.  Each class is a set of Unicode 16 general categories,
 * except SPACE, which is the property White_Space.  The o200k pattern has two
 * sets of letters: [Lu Lt Lm Lo M] and [Ll Lm Lo M].  So there are classes for
 * the letters that are only in the first set (UPPER), only in the second set
 * (LOWER), and in both (LETTER, MARK).  MARK is a separate class because the
 * other patterns do not treat marks as letters. */
enum ctx_class {
	/* characters of no other class: punctuation, symbols, control
	 * characters */
	CTX_CLASS_OTHER,
	CTX_CLASS_UPPER, /* general categories Lu, Lt */
	CTX_CLASS_LOWER, /* general category Ll */
	/* Lm Lo: letters that are neither capital nor small */
	CTX_CLASS_LETTER,
	CTX_CLASS_NUMBER, /* general category N */
	CTX_CLASS_SPACE,  /* property White_Space */
	CTX_CLASS_MARK,   /* general category M */
};

/* The classes of 64 bytes of a text, as three masks of 64 bits.  The class of a
 * byte (enum ctx_class) has three bits: the lowest is in the mask "one", the
 * middle one in "two", and the highest in "four".  Bit i of a mask belongs to
 * byte i. */
struct ctx_class_bits {
	uint64_t one, two, four;
};

/* The class of each code point, in two tables.  For each block of 128 code
 * points, ctx_class_block contains the number of a row in ctx_class_value.  The
 * row contains the classes of the 128 code points.  Both tables are made by
 * lib/gen/make_unicode.c. */
extern const uint8_t ctx_class_block[0x110000 / 128];
extern const uint8_t ctx_class_value[];

static inline enum ctx_class
ctx_class_of(uint32_t cp)
{
	return (enum ctx_class)
	    ctx_class_value[ctx_class_block[cp / 128] * 128u + cp % 128];
}

/* The general categories of Unicode 16.  The number of a category is its
 * position in this string; Cn (unassigned) is number 0.  Categories are only
 * used by patterns of vocabulary files; built-in pretokenizers use classes. */
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

/* Sets *class to the class of the UTF-8 character at p, and returns the length
 * of the character in bytes.  A byte that is not UTF-8 has the class
 * CTX_CLASS_OTHER. */
static inline size_t
ctx_char_class(const char *p, size_t n, enum ctx_class *class)
{
	uint32_t cp;
	size_t length = ctx_char_next(p, n, &cp);

	*class = cp == CTX_CHAR_BAD ? CTX_CLASS_OTHER : ctx_class_of(cp);
	return length;
}

#endif
