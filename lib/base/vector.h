/*
 * vector.h - the SIMD operations that ctx uses, with the same names for all
 * processors
 *
 * Each operation is a function OPERATION_KIND, where KIND is the type of
 * vector: word (8 bytes in an integer), sse2, avx2, avx512 or neon.  Vectors
 * contain unsigned bytes.  A comparison returns a vector in which all bits of a
 * byte are set for true; with AVX-512 it returns one bit per byte.  The
 * operators & | ^ work on all kinds of vectors.
 *
 * Code for several kinds is in a file that is included once per kind, with the
 * macros KIND, VECTOR and TARGET defined.  This code must call only inlined
 * functions: at a call of another function in the same file, gcc 12 does not
 * clear the upper halves of the AVX registers, which costs hundreds of cycles.
 *
 * The operations of AVX2 and AVX-512 are in vector_avx.h, because the header
 * that they need takes compilers half a second to read.
 */
#ifndef CTX_BASE_VECTOR_H
#define CTX_BASE_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE     static inline __attribute__((always_inline))
#define EVERY_BYTE 0x0101010101010101u

/*
 * Operations on 8 bytes in a uint64_t; the first byte is in the lowest bits.  A
 * comparison sets a byte to 0x80 for true. bits_word reads only the top bit of
 * each byte.
 */
INLINE uint64_t
load_word(const char *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

INLINE uint64_t
zeros_word(uint64_t v)
{
	const uint64_t low = 0x7f * EVERY_BYTE;

	return ~(((v & low) + low) | v | low);
}

INLINE uint64_t
equal_word(uint64_t v, char c)
{
	return zeros_word(v ^ (unsigned char)c * EVERY_BYTE);
}

/* Finds the quotes and control bytes, which a JSON string may contain only as
 * escapes.  The SIMD versions of this function invert bit 1 of each byte; after
 * that, exactly the quotes and control bytes are less than or equal to a
 * space. */
INLINE uint64_t
stops_word(uint64_t v)
{
	return equal_word(v, '"') | zeros_word(v & 0xe0 * EVERY_BYTE);
}

/* Finds the continuation bytes of UTF-8, in which the top two bits are 10. */
INLINE uint64_t
continues_word(uint64_t v)
{
	return v & ~v << 1 & 0x80 * EVERY_BYTE;
}

/* Adds 1 to each byte of the vector "counts" for which a comparison was true.
 * found: result of the comparison.  A byte of "counts" overflows after 255. */
INLINE uint64_t
tally_word(uint64_t counts, uint64_t found)
{
	return counts + (found >> 7);
}

/* Returns the sum of all bytes of a vector. */
INLINE uint64_t
total_word(uint64_t v)
{
	const uint64_t even = 0x00ff00ff00ff00ffu;

	return ((v & even) + (v >> 8 & even)) * 0x0001000100010001u >> 48;
}

INLINE uint64_t
set_word(uint64_t v, char bit)
{
	return v | (unsigned char)bit * EVERY_BYTE;
}

/* Finds the bytes of a vector that are not ASCII: sets the top bit of these
 * bytes in the result.  The other bits of the result have no meaning. */
INLINE uint64_t
high_word(uint64_t v)
{
	return v;
}

/* Returns a mask whose bit i is the top bit of byte i of a vector. */
INLINE uint64_t
bits_word(uint64_t v)
{
	return (v >> 7 & EVERY_BYTE) * 0x0102040810204080u >> 56;
}

#if defined(__x86_64__)
#include <emmintrin.h>

INLINE __m128i
load_sse2(const char *p)
{
	return _mm_loadu_si128((const void *)p);
}

INLINE __m128i
equal_sse2(__m128i v, char c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

INLINE __m128i
stops_sse2(__m128i v)
{
	v = _mm_xor_si128(v, _mm_set1_epi8(2));
	return _mm_cmpeq_epi8(v, _mm_min_epu8(v, _mm_set1_epi8(' ')));
}

INLINE __m128i
continues_sse2(__m128i v)
{
	return _mm_cmplt_epi8(v, _mm_set1_epi8(-0x40));
}

INLINE __m128i
tally_sse2(__m128i counts, __m128i found)
{
	return _mm_sub_epi8(counts, found);
}

INLINE uint64_t
total_sse2(__m128i v)
{
	__m128i halves = _mm_sad_epu8(v, _mm_setzero_si128());

	return (uint64_t)_mm_cvtsi128_si64(halves) +
	    (uint64_t)_mm_extract_epi16(halves, 4);
}

INLINE __m128i
set_sse2(__m128i v, char bit)
{
	return _mm_or_si128(v, _mm_set1_epi8(bit));
}

INLINE __m128i
high_sse2(__m128i v)
{
	return v;
}

INLINE uint64_t
bits_sse2(__m128i v)
{
	return (uint32_t)_mm_movemask_epi8(v);
}

#elif defined(__aarch64__)
#include <arm_neon.h>

INLINE uint8x16_t
load_neon(const char *p)
{
	return vld1q_u8((const uint8_t *)p);
}

INLINE uint8x16_t
equal_neon(uint8x16_t v, char c)
{
	return vceqq_u8(v, vdupq_n_u8((uint8_t)c));
}

INLINE uint8x16_t
stops_neon(uint8x16_t v)
{
	return vcleq_u8(veorq_u8(v, vdupq_n_u8(2)), vdupq_n_u8(' '));
}

INLINE uint8x16_t
continues_neon(uint8x16_t v)
{
	return vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(-0x40));
}

INLINE uint8x16_t
tally_neon(uint8x16_t counts, uint8x16_t found)
{
	return vsubq_u8(counts, found);
}

INLINE uint64_t
total_neon(uint8x16_t v)
{
	return vaddlvq_u8(v);
}

INLINE uint8x16_t
less_neon(uint8x16_t v, unsigned char c)
{
	return vqsubq_u8(v, vdupq_n_u8(c));
}

INLINE uint8x16_t
keep_neon(uint8x16_t v, unsigned char bits)
{
	return vandq_u8(v, vdupq_n_u8(bits));
}

INLINE uint8x16_t
half_neon(uint8x16_t v)
{
	return vshrq_n_u8(v, 4);
}

INLINE uint8x16_t
lookup_neon(const uint8_t table[16], uint8x16_t v)
{
	return vqtbl1q_u8(vld1q_u8(table), v);
}

INLINE uint8x16_t
high_neon(uint8x16_t v)
{
	return v;
}

/* Moves the top bit of byte i, in each half of the vector, to bit i of that
 * byte; all other bits become 0.  So the sum of the 8 bytes of a half has the
 * top bits of these bytes as its 8 bits. */
INLINE uint64_t
bits_neon(uint8x16_t v)
{
	static const int8_t places[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4,
	    5, 6, 7};
	const uint8x16_t bit = vshlq_u8(vshrq_n_u8(v, 7), vld1q_s8(places));

	return vaddv_u8(vget_low_u8(bit)) |
	    (uint64_t)vaddv_u8(vget_high_u8(bit)) << 8;
}

INLINE bool
any_neon(uint8x16_t v)
{
	return vmaxvq_u8(v) != 0;
}

INLINE uint8x16_t
some_neon(uint8x16_t v)
{
	return vtstq_u8(v, v);
}
#endif

/* The kind of vector that every processor of this architecture supports. */
#if defined(__x86_64__)
#define PLAIN(name)  name##_sse2
#define PLAIN_VECTOR __m128i
#elif defined(__aarch64__)
#define PLAIN(name)  name##_neon
#define PLAIN_VECTOR uint8x16_t
#else
#define PLAIN(name)  name##_word
#define PLAIN_VECTOR uint64_t
#endif

#endif
