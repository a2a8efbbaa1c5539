/*
 * utf8.c - validates, decodes, encodes and counts UTF-8
 *
 * ctx_char_next defines what is valid (table 3-7 of the Unicode standard, which
 * is equivalent to RFC 3629).  All other functions must agree with
 * ctx_char_next.
 */
#include "base/base.h"
#include "base/vector_avx.h"

size_t
ctx_utf8_next(const char *p, size_t n, uint32_t *cp)
{
	size_t length = ctx_char_next(p, n, cp);

	if (*cp == CTX_CHAR_BAD)
		*cp = 0xfffd;
	return length;
}

static bool
is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

size_t
ctx_utf8_back(const char *p, size_t at)
{
	do
		at--;
	while (is_continuation(p[at]));
	return at;
}

size_t
ctx_utf8_put(char out[4], uint32_t cp)
{
	size_t len = 1u + (cp >= 0x80) + (cp >= 0x800) + (cp >= 0x10000), i;

	if (len == 1) {
		out[0] = (char)cp;
		return 1;
	}
	for (i = len - 1; i > 0; i--, cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)((0xf00u >> len & 0xf0) | cp);
	return len;
}

#if defined(__x86_64__) || defined(__aarch64__)
/*
 * Validation of UTF-8 by table lookup in SIMD vectors: Keiser and Lemire,
 * "Validating UTF-8 in less than one instruction per byte" (2021).  Each bit
 * below stands for an error of two adjacent bytes.  Three tables give sets of
 * possible errors: for the high half of the first byte, its low half, and the
 * high half of the second byte.  An error is real if it is in all three sets.
 */
enum {
	/* a lead byte without a continuation byte after it */
	TOO_SHORT = 1 << 0,
	/* a continuation byte without a lead byte before it, because it comes
	 * after an ASCII byte */
	TOO_LONG = 1 << 1,
	SHORTER_3 = 1 << 2, /* overlong: e0 before a byte below a0 */
	/* beyond U+10FFFF: f4 or more before a byte above 8f */
	TOO_LARGE = 1 << 3,
	SURROGATE = 1 << 4, /* surrogate: ed before a byte above 9f */
	SHORTER_2 = 1 << 5, /* overlong: a lead byte c0 or c1 */
	/* A second byte below 90.  After f0, this byte makes an overlong form.
	 * After a byte above f4, no byte is valid, and no other error bit
	 * covers a second byte below 90. */
	SHORTER_4 = 1 << 6,
	/* Two continuation bytes directly after each other, which are valid
	 * only in characters of 3 or 4 bytes. */
	TWO_CONTS = 1 << 7,
};

/* Sets of errors for the tables first_high, first_low and second_high.  ANY:
 * errors that are possible with any low four bits of the first byte.  F5:
 * errors that are possible if the low four bits of the first byte are 5 to 15.
 * CONT: errors that are possible if the second byte is a continuation byte. */
#define ANY  (TOO_SHORT | TOO_LONG | TWO_CONTS)
#define F5   (ANY | TOO_LARGE | SHORTER_4)
#define CONT (TOO_LONG | TWO_CONTS | SHORTER_2)

static const uint8_t first_high[16] = {TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TWO_CONTS, TWO_CONTS, TWO_CONTS,
    TWO_CONTS, TOO_SHORT | SHORTER_2, TOO_SHORT,
    TOO_SHORT | SHORTER_3 | SURROGATE, TOO_SHORT | TOO_LARGE | SHORTER_4};
static const uint8_t first_low[16] = {ANY | SHORTER_2 | SHORTER_3 | SHORTER_4,
    ANY | SHORTER_2, ANY, ANY, ANY | TOO_LARGE, F5, F5, F5, F5, F5, F5, F5, F5,
    F5 | SURROGATE, F5, F5};
static const uint8_t second_high[16] = {TOO_SHORT, TOO_SHORT, TOO_SHORT,
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    CONT | SHORTER_3 | SHORTER_4, CONT | SHORTER_3 | TOO_LARGE,
    CONT | SURROGATE | TOO_LARGE, CONT | SURROGATE | TOO_LARGE, TOO_SHORT,
    TOO_SHORT, TOO_SHORT, TOO_SHORT};

#if defined(__x86_64__)
#define KIND(name) name##_avx512
#define VECTOR     __m512i
#define TARGET     AVX512
#include "utf8_blocks.h"

#define KIND(name) name##_avx2
#define VECTOR     __m256i
#define TARGET     AVX2
#include "utf8_blocks.h"
#else
#define KIND(name) name##_neon
#define VECTOR     uint8x16_t
#define TARGET
#include "utf8_blocks.h"
#endif
#endif

/* Validates UTF-8 from the offset "at" up to the offset "goal".  A character
 * must begin at "at".  Returns the offset of the first invalid character.  If
 * there is none, returns "goal", or the end of the character that extends
 * beyond it. */
static size_t
validate_until(const char *p, size_t at, size_t n, size_t goal)
{
	uint32_t cp;
	size_t len;

	while (at < goal) {
		if ((p[at] & 0x80) == 0) {
			at++;
			while (
			    goal - at >= 8 && bits_word(load_word(p + at)) == 0)
				at += 8;
			continue;
		}
		len = ctx_utf8_next(p + at, n - at, &cp);
		if (len == 1)
			break;
		at += len;
	}
	return at;
}

size_t
ctx_utf8_valid(const char *p, size_t n, enum ctx_simd simd)
{
	size_t at = validate_until(p, 0, n, n < 3 ? n : 3);

	if (at < 3)
		return at;
	switch (ctx_simd_resolve(simd)) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		at = valid_blocks_avx512(p, at, n);
		break;
	case CTX_SIMD_AVX2:
		at = valid_blocks_avx2(p, at, n);
		break;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		at = valid_blocks_neon(p, at, n);
		break;
#endif
	default:
		break;
	}
	return validate_until(p, at, n, n);
}

bool
ctx_utf8_is_space(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r');
}

/* Returns the number of characters: the number of bytes that are not
 * continuation bytes, because each character has exactly one such byte. */
size_t
ctx_utf8_count(const char *p, size_t n)
{
	const size_t step = sizeof(PLAIN_VECTOR);
	PLAIN_VECTOR counts;
	size_t vectors, more = 0, at = 0;

	while (n - at >= step) {
		counts = (PLAIN_VECTOR){0};
		/* Each count is a byte, whose maximum is 255.  So at most 255
		 * vectors are added up at once. */
		vectors = (n - at) / step < 255 ? (n - at) / step : 255;
		for (; vectors > 0; vectors--, at += step)
			counts = PLAIN(tally)(counts,
			    PLAIN(continues)(PLAIN(load)(p + at)));
		more += (size_t)PLAIN(total)(counts);
	}
	for (; at < n; at++)
		more += is_continuation(p[at]);
	return n - more;
}

size_t
ctx_utf8_skip(const char *p, size_t n, uint64_t chars)
{
	const size_t block = 256;
	size_t at = 0, more;

	for (; n - at >= block; at += block, chars -= more)
		if ((more = ctx_utf8_count(p + at, block)) > chars)
			break;
	for (; at < n; at++)
		if (!is_continuation(p[at]) && chars-- == 0)
			break;
	return at;
}
