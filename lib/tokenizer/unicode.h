/* unicode.h - the seven kinds of characters that splitters tell apart */
#ifndef CTX_TOKENIZER_UNICODE_H
#define CTX_TOKENIZER_UNICODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * By Unicode 16 general category; SPACE is White_Space.  The pattern of
 * o200k asks for [Lu Lt Lm Lo M] and [Ll Lm Lo M], hence four kinds of
 * letters: MARK is in both sets but is no letter for the other patterns.
 */
enum ctx_class {
	CTX_CLASS_OTHER,  /* everything else: punctuation, symbols, control */
	CTX_CLASS_UPPER,  /* Lu Lt */
	CTX_CLASS_LOWER,  /* Ll */
	CTX_CLASS_LETTER, /* Lm Lo: without case, so in both sets */
	CTX_CLASS_NUMBER, /* N */
	CTX_CLASS_SPACE,  /* White_Space */
	CTX_CLASS_MARK,   /* M */
};

/* Classes of 64 places by the bits of their numbers: bit i is place i. */
struct ctx_class_bits {
	uint64_t one, two, four;
};

/* Made by lib/gen/make_unicode.c: blocks of 128 code points. */
extern const uint8_t ctx_class_block[0x110000 / 128];
extern const uint8_t ctx_class_value[];

static inline enum ctx_class
ctx_class_of(uint32_t cp)
{
	return (enum ctx_class)
	    ctx_class_value[ctx_class_block[cp / 128] * 128u + cp % 128];
}

/*
 * General categories by number, for patterns that ask for any of them; Cn,
 * what Unicode 16 leaves unassigned, is number 0.  A table of their own, as
 * the splitters of known patterns need no more than the classes.
 */
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

#define CTX_CHAR_BAD UINT32_MAX

static inline uint32_t
ctx_char_tail(const unsigned char *s, size_t i)
{
	return s[i] & 0x3fu;
}

/*
 * Decodes the character at p, n at least 1 byte, returns its length.  A byte
 * that starts no valid character gives CTX_CHAR_BAD and 1.  Inline, because
 * splitters ask for every character that is not ASCII.
 */
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

/* The same, giving the class; a bad byte is a symbol. */
static inline size_t
ctx_char_class(const char *p, size_t n, enum ctx_class *class)
{
	uint32_t cp;
	size_t length = ctx_char_next(p, n, &cp);

	*class = cp == CTX_CHAR_BAD ? CTX_CLASS_OTHER : ctx_class_of(cp);
	return length;
}

#endif
