/*
 * classify_block.h - finds the classes (letter, digit, white space, ...) of all
 * characters in a block of 64 bytes at once
 *
 * pretokenize_block.h includes this file, once for each instruction set.  The
 * functions that must be defined before are listed at the top of that file.
 *
 * A set of characters is a mask: bit i is set if the character whose first byte
 * is byte i of the block is in the set.  For ASCII, X << 1 is the set of the
 * characters after the characters in X.  In general, this is
 * positions_after(X), which uses the carry of an addition to skip the
 * continuation bytes of UTF-8.
 *
 * The runs of consecutive characters in X begin at X & ~positions_after(X).  If
 * a bit is added at the beginning of a run of ones, the carry moves to the
 * first zero after the run.  So an addition finds the ends of runs, or fills
 * them.
 */
#include <stdbool.h>
#include <string.h>

#include "tokenizer/encode/pretokenize.h"
#include "tokenizer/unicode.h"

#define BLOCK 64 /* number of bytes in a block */
/* "make coverage" defines ALWAYS_INLINE as empty, because the branches of a
 * function would otherwise be counted once for each inlined copy. */
#ifndef ALWAYS_INLINE
#define ALWAYS_INLINE inline __attribute__((always_inline))
#endif

/* The characters of a block of 64 bytes, as one mask for each class.  In a
 * mask, the bit of a character's first byte is set if the character has the
 * class.  The masks are valid up to the position "stop".  The character at this
 * position is not completely in the block, is not valid UTF-8, or needs a rule
 * that masks cannot express. */
struct char_masks {
	/* all letters; capital letters; small letters; letters without case */
	uint64_t letter, upper, lower, caseless;
	uint64_t digit;
	/* characters other than letters, numbers and white space */
	uint64_t symbol;
	uint64_t space;  /* the character ' ' */
	uint64_t blank;  /* white space except line breaks */
	uint64_t breaks; /* CR and LF */
	uint64_t slash, quote;
	uint64_t more; /* continuation bytes of UTF-8 */
	uint64_t gaps; /* continuation bytes of white space characters */
	/* position in the block up to which the masks are valid */
	unsigned stop;
	bool end; /* true if the text ends at the position "stop" */
};

/* Returns a mask with bits 0 to i - 1 set; i is at most 64. */
static ALWAYS_INLINE uint64_t
bits_below(unsigned i)
{
	return i >= 64 ? UINT64_MAX : (UINT64_C(1) << i) - 1;
}

/* Returns a mask of the characters that come directly after the characters in
 * the mask x.  Skips continuation bytes. */
static ALWAYS_INLINE uint64_t
positions_after(const struct char_masks *b, uint64_t x)
{
	return (b->more + (x << 1)) & ~b->more;
}

/* Makes the masks of the block valid only up to the lowest bit in "positions":
 * lowers b->stop to the position of this bit, if b->stop is higher. */
static ALWAYS_INLINE void
stop_at(struct char_masks *b, uint64_t positions)
{
	/* This is done without a branch, because the processor could not
	 * predict whether the mask is 0. */
	unsigned first =
	    positions == 0 ? BLOCK : (unsigned)__builtin_ctzll(positions);

	b->end = b->end & (first >= b->stop);
	b->stop = first < b->stop ? first : b->stop;
}

static ALWAYS_INLINE void
classify_ascii(struct char_masks *b, const struct vec *v)
{
	struct vec folded = vec_fold(v);

	b->letter = vec_range(&folded, 'a', 25);
	b->upper = vec_range(v, 'A', 25);
	b->lower = b->letter & ~b->upper;
	b->caseless = 0;
	b->digit = vec_range(v, '0', 9);
	b->space = vec_equal(v, ' ');
	b->breaks = vec_equal(v, '\n') | vec_equal(v, '\r');
	b->blank = (vec_range(v, '\t', 4) | b->space) & ~b->breaks;
	b->slash = vec_equal(v, '/');
	b->quote = vec_equal(v, '\'');
	b->symbol = ~(b->letter | b->digit | b->blank | b->breaks);
}

/* The characters in a block of 64 bytes that are not ASCII, as masks. */
struct rest {
	/* mask of the first bytes of those characters whose class was found */
	uint64_t known;
	uint64_t more; /* continuation bytes of UTF-8 */
	struct ctx_class_bits class;
};

/* Finds the classes of the characters that are not ASCII by decoding them one
 * by one. */
static ALWAYS_INLINE void
take_each(struct rest *r, uint64_t high, const char *p)
{
	uint64_t of[7] = {0}, bit, covered = 0;
	enum ctx_class class;
	unsigned i, length;
	uint32_t cp;

	while (high != 0) {
		i = (unsigned)__builtin_ctzll(high);
		bit = high & (0 - high);
		length = (unsigned)ctx_char_next(p + i, BLOCK - i, &cp);
		if (cp == CTX_CHAR_BAD)
			break;
		class = ctx_class_of(cp);
		of[class] |= bit;
		r->known |= bit;
		bit *= (UINT64_C(2) << (length - 1)) - 1;
		covered |= bit;
		high &= ~bit;
	}
	r->more = covered & ~r->known;
	r->class.one = of[1] | of[3] | of[5];
	r->class.two = of[2] | of[3] | of[6];
	r->class.four = of[4] | of[5] | of[6];
}

#ifdef CTX_VEC_CLASSES
/* In a block with at most this many bytes that are not ASCII, it is faster to
 * decode the characters one by one. */
#define FEW 8

/* Finds the classes of all characters of the block that are in one page (128
 * code points).  All of them must have the same number of bytes.  If valid
 * UTF-8 cannot encode the page with this number of bytes, no class is found.
 * cp: any code point of the page. first: mask of the first bytes of the
 * characters. last: number of continuation bytes of each character. */
static ALWAYS_INLINE void
take_page(struct rest *r, const struct vec_index *index, uint32_t cp,
    unsigned last, uint64_t first)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	struct ctx_class_bits class;

	if (cp < least[last] || cp >= 0x110000 || (cp >= 0xd800 && cp < 0xe000))
		return;
	class = vec_classes(index,
	    ctx_class_value + ctx_class_block[cp / 128] * 128u);
	r->known |= first;
	r->class.one |= class.one >> last & first;
	r->class.two |= class.two >> last & first;
	r->class.four |= class.four >> last & first;
}

/* Returns a mask of the characters of three bytes in a range of code points.
 * The first two bytes are a, b at the beginning of the range, and c, d at its
 * end. */
static ALWAYS_INLINE uint64_t
find_char_range(const struct vec *v, unsigned a, unsigned b, unsigned c,
    unsigned d)
{
	return vec_range(v, (char)(a + 1), (int)(c - a - 2)) |
	    (vec_equal(v, (char)a) &
		vec_range(v, (char)b, (int)(0xbf - b)) >> 1) |
	    (vec_equal(v, (char)c) &
		vec_range(v, (char)0x80, (int)(d - 0x80)) >> 1);
}

/* Finds the classes of U+4E00 to U+9FFF and U+AC00 to U+D77F (Han and Hangul),
 * which are all letters without case.  take_page would be slow for them,
 * because Chinese and Korean texts use many pages. */
static ALWAYS_INLINE void
take_east(struct rest *r, const struct vec *v, uint64_t three)
{
	uint64_t letters = (find_char_range(v, 0xe4, 0xb8, 0xe9, 0xbf) |
			       find_char_range(v, 0xea, 0xb0, 0xed, 0x9d)) &
	    three;

	_Static_assert(CTX_CLASS_LETTER == 3, "two bits");
	r->known |= letters;
	r->class.one |= letters;
	r->class.two |= letters;
}

/* Finds the classes of characters page by page (128 code points).  All
 * characters of a page are looked up at once, and a script has few pages, so
 * few lookups are needed.  The index of a character in its page is the low six
 * bits of its last byte and, above them, the lowest bit of the byte before. */
static ALWAYS_INLINE void
take_pages(struct rest *r, const struct vec *v, uint64_t high, const char *p)
{
	const unsigned char *s = (const unsigned char *)p;
	uint64_t six = vec_bit(v, 6), five = vec_bit(v, 5);
	uint64_t more = high & ~six, same;
	uint64_t two = high & six & ~five & more >> 1;
	uint64_t three = high & six & five & more >> 1 & more >> 2;
	uint64_t four = three & vec_bit(v, 4) & more >> 3;
	struct vec_index index = vec_index(v);
	uint32_t cp;
	unsigned i;

	three &= ~vec_bit(v, 4);
	r->more = two << 1 | three << 1 | three << 2 | four << 1 | four << 2 |
	    four << 3;
	for (; two != 0; two &= ~same) {
		i = (unsigned)__builtin_ctzll(two);
		same = two & vec_range(v, (char)(s[i] & 0xfe), 1);
		take_page(r, &index, (s[i] & 0x1fu) << 6, 1, same);
	}
	if ((three & vec_range(v, (char)0xe4, 9)) != 0)
		take_east(r, v, three);
	for (three &= ~r->known; three != 0; three &= ~same) {
		i = (unsigned)__builtin_ctzll(three);
		cp = (s[i] & 0xfu) << 12 | ctx_char_tail(s, i + 1) << 6;
		same = three & vec_equal(v, (char)s[i]) &
		    vec_range(v, (char)(s[i + 1] & 0xfe), 1) >> 1;
		take_page(r, &index, cp, 2, same);
	}
	for (; four != 0; four &= ~same) {
		i = (unsigned)__builtin_ctzll(four);
		cp = (s[i] & 0xfu) << 18 | ctx_char_tail(s, i + 1) << 12 |
		    ctx_char_tail(s, i + 2) << 6;
		same = four & vec_equal(v, (char)s[i]) &
		    vec_equal(v, (char)s[i + 1]) >> 1 &
		    vec_range(v, (char)(s[i + 2] & 0xfe), 1) >> 2;
		take_page(r, &index, cp, 3, same);
	}
}
#endif

static ALWAYS_INLINE void
decode_rest(struct rest *r, const struct vec *v, uint64_t high, const char *p)
{
#ifdef CTX_VEC_CLASSES
	if (__builtin_popcountll(high) > FEW) {
		take_pages(r, v, high, p);
		return;
	}
#endif
	(void)v;
	take_each(r, high, p);
}

/* Adds the characters that are not ASCII to the masks of the block.  If cased
 * is true (o200k), combining marks (the mask "mark") are added to the letters
 * without case; otherwise they are added to the symbols. */
static ALWAYS_INLINE void
add_rest(struct char_masks *b, const struct rest *r, uint64_t mark, bool cased)
{
	uint64_t one = r->class.one, two = r->class.two;
	uint64_t four = r->class.four, white = one & four;

	_Static_assert(CTX_CLASS_UPPER == 1 && CTX_CLASS_LOWER == 2 &&
		CTX_CLASS_LETTER == 3 && CTX_CLASS_NUMBER == 4 &&
		CTX_CLASS_SPACE == 5 && CTX_CLASS_MARK == 6,
	    "by their bits");
	b->more = r->more;
	b->upper |= one & ~(two | four);
	b->lower |= two & ~(one | four);
	b->caseless = (one & two) | (cased ? mark : 0);
	b->letter = b->upper | b->lower | b->caseless;
	b->digit |= four & ~(one | two);
	b->symbol |= (r->known & ~(one | two | four)) | (cased ? 0 : mark);
	/* A white space character has at most two continuation bytes, so shifts
	 * by one and by two find all of them. */
	b->blank |= white;
	b->gaps = (white << 1 | white << 2) & r->more;
}

/* Finds the classes of the characters that are not ASCII, and adds them to the
 * masks of the block.  If cased is true (o200k), a combining mark that is not
 * after a letter may belong to a word or to symbols; the masks are then valid
 * only up to this mark, and pretokenize.c finds the boundary. */
static void
classify_rest(struct char_masks *b, const struct vec *v, uint64_t high,
    const char *p, bool cased)
{
	struct rest r = {0};
	uint64_t mark, quoted;

	decode_rest(&r, v, high, p);
	mark = r.class.two & r.class.four;
	b->symbol &= ~high;
	add_rest(b, &r, mark, cased);
	stop_at(b, high & ~(r.known | r.more));
	if (cased)
		stop_at(b, mark & ~positions_after(b, b->letter));
	/* U+017F is a form of the letter s, so an apostrophe and U+017F are a
	 * contraction, too. find_contractions does not find this contraction,
	 * so the masks are valid only up to the apostrophe. */
	quoted = b->quote & (b->lower & high) >> 1;
	for (; quoted != 0; quoted &= quoted - 1)
		if (memcmp(p + __builtin_ctzll(quoted) + 1, "\xc5\xbf", 2) == 0)
			stop_at(b, quoted);
}
