/*
 * pretokenize_block.h - finds the boundaries of pretokens in 64 bytes at once
 *
 * Each of portable.c, avx2.c, avx512.c and neon.c includes this file once.
 * Before that, it defines with its instructions a type struct vec of 64 bytes
 * and these functions:
 *
 *  - vec_load(v, p): fills v with the 64 bytes at p
 *  - vec_fold(v): v with each byte | 0x20, so that letters have no case
 *  - vec_equal(v, c): a mask; bit i is set if byte i is c
 *  - vec_range(v, c, n): a mask; bit i is set if byte i is one of c to c + n
 *  - vec_high(v): a mask; bit i is set if byte i is 0x80 or more
 *
 * It may define CTX_VEC_EMIT and a function that replaces the one below:
 *
 *  - vec_emit(out, base, bits): writes the offset base + i for each bit i that
 *    is set; may write 64 offsets to out
 *
 * It may define CTX_VEC_CLASSES, so that classify_block.h finds the classes of
 * many characters at once, with a type struct vec_index and these functions:
 *
 *  - vec_bit(v, k): a mask; bit i is bit k of byte i; k is not 7
 *  - vec_index(v): for each byte, its low six bits and, above them, the lowest
 *    bit of the byte before
 *  - vec_classes(index, table): for each byte, the class in a table of 128
 *    elements at the byte's index, as struct ctx_class_bits
 *
 * The patterns never look back, and pretokens leave no gaps.  So the text after
 * a boundary can be split without the text before it.  A block of 64 bytes is
 * loaded at a boundary.  All boundaries in the block are computed from the
 * masks of classify_block.h.  Boundaries that text after the block could change
 * are dropped.  The next block begins at the last boundary that is kept.  If no
 * boundary is kept, pretokenize.c finds the next boundary character by
 * character.
 */
#include <stdbool.h>
#include <string.h>

#include "tokenizer/encode/pretokenize.h"
#include "tokenizer/simd/backend.h"
#include "tokenizer/simd/classify_block.h"
#include "tokenizer/unicode.h"

#define TOP (UINT64_C(1) << 63)

#ifndef CTX_VEC_EMIT
static ALWAYS_INLINE void
vec_emit(uint32_t *out, uint32_t base, uint64_t bits)
{
	unsigned i, n = (unsigned)__builtin_popcountll(bits);

	/* Each round writes four offsets.  So there are few rounds, and the
	 * processor predicts their number more often.  The last round may write
	 * up to three offsets too many; the caller ignores them. */
	for (i = 0; i < n; i += 4) {
		out[i] = base + (uint32_t)__builtin_ctzll(bits);
		bits &= bits - 1;
		out[i + 1] = base + (uint32_t)__builtin_ctzll(bits | TOP);
		bits &= bits - 1;
		out[i + 2] = base + (uint32_t)__builtin_ctzll(bits | TOP);
		bits &= bits - 1;
		out[i + 3] = base + (uint32_t)__builtin_ctzll(bits | TOP);
		bits &= bits - 1;
	}
}
#endif

/* Finds the beginnings of contractions with two bytes ('s) and with three bytes
 * ('ll).  If any_case is true, the letters of a contraction may also be
 * capitals; it is false for r50k. */
static ALWAYS_INLINE void
find_contractions(const struct char_masks *b, const struct vec *v,
    bool any_case, uint64_t *two, uint64_t *three)
{
	struct vec folded = any_case ? vec_fold(v) : *v;
	uint64_t one = vec_equal(&folded, 's') | vec_equal(&folded, 't') |
	    vec_equal(&folded, 'm') | vec_equal(&folded, 'd');
	uint64_t e = vec_equal(&folded, 'e') & b->letter;
	uint64_t l = vec_equal(&folded, 'l') & b->letter;
	uint64_t rv =
	    (vec_equal(&folded, 'r') | vec_equal(&folded, 'v')) & b->letter;

	*two = b->quote & (one & b->letter) >> 1;
	*three = b->quote & ((rv >> 1 & e >> 2) | (l >> 1 & l >> 2));
}

/* Returns a mask of the positions at which a pretoken (piece of text that is
 * encoded by itself) of white space begins, including positions inside white
 * space that is divided into two pretokens.  If breaks_end is true
 * (\s*[\r\n]+), white space is divided after its last line break.  The last
 * blank of white space belongs to the next pretoken, unless the text ends
 * there. */
static ALWAYS_INLINE uint64_t
find_space_boundaries(const struct char_masks *b, bool breaks_end)
{
	uint64_t white = b->blank | b->breaks;
	uint64_t found = white & ~positions_after(b, white),
		 blank = b->blank | b->gaps;
	uint64_t last = white | (b->end ? UINT64_C(1) << b->stop : 0);
	uint64_t next = last >> 1, starts, ends, start;

	/* The shift by one is right only for white space characters of one
	 * byte.  Add the characters of two and of three bytes. */
	if (b->gaps != 0)
		next |= (b->gaps >> 1 & ~(b->gaps >> 2) & last >> 2) |
		    (b->gaps >> 1 & b->gaps >> 2 & last >> 3);
	if (!breaks_end)
		return found | (white & ~next);
	found |= b->blank & ~next;
	/* Blanks after a line break begin a pretoken, unless another line break
	 * comes after the blanks. */
	starts = b->blank & b->breaks << 1;
	ends = (blank + starts) & ~blank;
	if ((ends & b->breaks) == 0)
		return found | starts;
	for (; starts != 0; starts &= starts - 1) {
		start = starts & (0 - starts);
		ends = (blank + start) & ~blank;
		/* At least one run of blanks ends at a line break and so does
		 * not begin a pretoken.  Examine the runs one by one to find
		 * those that begin a pretoken. */
		if ((ends & b->breaks) == 0)
			found |= start;
	}
	return found;
}

/* Returns a mask of the boundaries at which a pretoken (word, number, ...) of
 * digits begins. most: maximum number of digits in a pretoken, 1 or 3; 0: no
 * maximum. */
static ALWAYS_INLINE uint64_t
find_digit_boundaries(const struct char_masks *b, unsigned most)
{
	uint64_t found = b->digit & ~positions_after(b, b->digit), third, next;

	if (most == 0 || b->digit == 0)
		return found;
	if (most == 1)
		return b->digit;
	third = b->digit & positions_after(b, b->digit);
	third &= positions_after(b, third);
	for (next = found; next != 0; found |= next)
		next = positions_after(b,
			   positions_after(b, positions_after(b, next))) &
		    third;
	return found;
}

/* Returns a mask of the certain positions: whatever text comes after the block,
 * it does not change whether a pretoken (piece of text that is encoded by
 * itself) begins at such a position.  A contraction needs up to three
 * characters, so the last three positions are not certain.  White space at the
 * end of the block may continue after the block, so only its first position is
 * certain. */
static ALWAYS_INLINE uint64_t
find_certain(const struct char_masks *b)
{
	uint64_t white = b->blank | b->gaps | b->breaks;
	uint64_t known = bits_below(b->stop), run;

	if (b->end)
		return known;
	run = ~white & known;
	/* Set "run" to the position after the last character that is not white
	 * space; this is where the white space at the end of the block
	 * begins. */
	run = run == 0 ? 1 : UINT64_C(2) << (63 - __builtin_clzll(run));
	known = b->stop > 3 ? bits_below(b->stop - 3) : 0;
	return known & (run == 0 ? UINT64_MAX : run | (run - 1));
}

static ALWAYS_INLINE uint64_t
find_boundaries(struct char_masks *b, const struct vec *v,
    struct ctx_pretokenizer pretokenizer)
{
	bool r50k = pretokenizer.family == CTX_PRETOKENIZER_R50K;
	bool o200k = pretokenizer.family == CTX_PRETOKENIZER_O200K;
	uint64_t sticky, tail, first, found, joined, one;
	uint64_t two = 0, three = 0, cut = 0, removed = 0;

	if (pretokenizer.contractions && (b->quote & b->letter >> 1) != 0)
		find_contractions(b, v, !r50k, &two, &three);
	if (!r50k) {
		/* Line breaks (in o200k also slashes) after symbols are in the
		 * same pretoken as the symbols. */
		sticky = o200k ? b->breaks | b->slash : b->breaks;
		tail = b->breaks & positions_after(b, b->symbol);
		tail |= ((sticky + tail) ^ sticky) & sticky;
		b->symbol &= ~tail;
		b->breaks &= ~tail;
	}
	if (o200k) {
		/* In o200k a contraction is in the same pretoken as the word
		 * before it.  If another contraction comes directly after the
		 * first (which is rare), the masks are valid only up to this
		 * other contraction, and pretokenize.c finds the boundary. */
		two &= positions_after(b, b->letter);
		three &= positions_after(b, b->letter);
		cut = two << 2 | three << 3;
		removed = two | two << 1 | three | three << 1 | three << 2;
		stop_at(b, cut & (two | three));
		b->symbol &= ~(two | three);
	} else {
		/* In all patterns except o200k, a contraction is a pretoken of
		 * its own.  But an apostrophe after a symbol or a space does
		 * not begin a contraction. */
		first = b->symbol & ~positions_after(b, b->symbol | b->space);
		cut = (two & first) << 2 | (three & first) << 3;
		removed = ((two | three) & first) << 1;
	}
	first = b->symbol & ~positions_after(b, b->symbol);
	found = first & ~(b->space << 1);
	one = r50k ? b->space : b->blank | found;
	joined = b->letter & ~positions_after(b, b->letter);
	found |= joined & ~positions_after(b, one);
	if (o200k) {
		found |= b->upper & positions_after(b, b->lower);
		/* The pattern U*O+ (capital letters, then small ones) needs at
		 * least one character for O+.  It depends on later characters
		 * whether a capital letter after letters without case begins a
		 * new word.  So the masks are valid only up to such a capital
		 * letter. */
		stop_at(b, b->upper & positions_after(b, b->caseless));
	}
	joined = find_digit_boundaries(b, pretokenizer.digits);
	found |= r50k ? joined & ~(b->space << 1) : joined;
	found |= find_space_boundaries(b, !r50k);
	return (found & ~removed) | cut;
}

static ALWAYS_INLINE uint64_t
find_certain_boundaries(struct char_masks *b, const struct vec *v,
    struct ctx_pretokenizer pretokenizer)
{
	uint64_t found = find_boundaries(b, v, pretokenizer) & find_certain(b);

	return b->end ? found | UINT64_C(1) << b->stop : found;
}

/* Returns a mask of the boundaries between pretokens (words, numbers, ...) that
 * are certain, whatever comes after the block; for blocks with characters that
 * are not ASCII.  This is a separate function so that the code for ASCII blocks
 * remains fast. */
static __attribute__((noinline)) uint64_t
find_rest_boundaries(const struct char_masks *ascii, const struct vec *v,
    uint64_t high, const char *p, struct ctx_pretokenizer pretokenizer)
{
	struct char_masks b = *ascii;

	classify_rest(&b, v, high, p,
	    pretokenizer.family == CTX_PRETOKENIZER_O200K);
	return find_certain_boundaries(&b, v, pretokenizer);
}

/* Returns a mask of the boundaries between pretokens (words, numbers, ...) in
 * the block at p that are certain, whatever comes after the block.  The
 * beginning of the block is not included. n: number of bytes from p to the end
 * of the text.  Sets *numbers to a mask of the digits in pretokens that consist
 * only of digits. */
static ALWAYS_INLINE uint64_t
find_block_boundaries(const char *p, size_t n,
    struct ctx_pretokenizer pretokenizer, uint64_t *numbers)
{
	char copy[BLOCK];
	struct char_masks b = {.stop = BLOCK}, passed;
	struct vec v;
	uint64_t high, found;

	if (n < BLOCK) {
		memset(copy, 0, sizeof copy);
		memcpy(copy, p, n);
		p = copy;
		b.stop = (unsigned)n;
		b.end = true;
	}
	vec_load(&v, p);
	classify_ascii(&b, &v);
	/* A short block is filled with zero bytes, which must not count as
	 * symbols. */
	b.symbol &= bits_below(b.stop);
	high = vec_high(&v);
	/* In r50k a pretoken of digits may begin with a space, so the positions
	 * of digits do not say which pretokens consist only of digits. */
	*numbers = high == 0 && pretokenizer.family != CTX_PRETOKENIZER_R50K
	    ? b.digit
	    : 0;
	if (high == 0) {
		found = find_certain_boundaries(&b, &v, pretokenizer);
	} else {
		/* The function gets a copy of the masks, so that the compiler
		 * can keep the masks of ASCII blocks in registers. */
		passed = b;
		found =
		    find_rest_boundaries(&passed, &v, high, p, pretokenizer);
	}
	return found & ~UINT64_C(1);
}

/* Clears all set bits except the n lowest ones. */
static inline uint64_t
keep_lowest_bits(uint64_t bits, size_t n)
{
	uint64_t rest = bits;

	while (n-- > 0)
		rest &= rest - 1;
	return bits & ~rest;
}

/* Adds the pretokens (words, numbers, ...) of a block to s->start and s->end,
 * except pretokens of the kinds in "plain" (CTX_PLAIN_... bits). at: offset of
 * the block in the text. found: mask of the boundaries between pretokens; the
 * beginning of the block is also a boundary. numbers: mask of the digits in
 * pretokens that consist only of digits. */
static ALWAYS_INLINE void
list_pieces(struct ctx_pretokenize *s, unsigned plain, uint32_t at,
    uint64_t found, uint64_t numbers)
{
	uint64_t begins = (found | 1) & ((TOP >> __builtin_clzll(found)) - 1);
	uint64_t bytes = plain & CTX_PLAIN_BYTES ? begins & found >> 1 : 0;
	uint64_t first, last;

	numbers = plain & CTX_PLAIN_NUMBERS ? numbers : 0;
	first = begins & ~(bytes | numbers);
	last = found & ~(bytes << 1 | numbers << 1);
	vec_emit(s->start + s->listed, at, first);
	vec_emit(s->end + s->listed, at, last);
	s->listed += (size_t)__builtin_popcountll(first);
}

static inline void
list_piece(struct ctx_pretokenize *s, unsigned plain, size_t at, size_t length)
{
	s->n++;
	if (length == 1 && (plain & CTX_PLAIN_BYTES) != 0)
		return;
	s->start[s->listed] = (uint32_t)at;
	s->end[s->listed++] = (uint32_t)(at + length);
}

static ALWAYS_INLINE void
split_blocks(struct ctx_pretokenize *s, struct ctx_pretokenizer pretokenizer,
    unsigned plain, const char *p, size_t n, size_t max)
{
	size_t at = 0, length;
	uint64_t found, numbers;

	s->n = s->listed = s->alone = 0;
	while (s->n < max && at < n && at < CTX_PRETOKENIZE_SPAN) {
		found = find_block_boundaries(p + at, n - at, pretokenizer,
		    &numbers);
		if (found != 0) {
			length = (size_t)__builtin_popcountll(found);
			if (length > max - s->n) {
				length = max - s->n;
				found = keep_lowest_bits(found, length);
			}
			list_pieces(s, plain, (uint32_t)at, found, numbers);
			s->n += length;
			at += 63 - (size_t)__builtin_clzll(found);
			continue;
		}
		length = ctx_pretoken_next(pretokenizer, p + at, n - at);
		if (length > CTX_PRETOKENIZE_SPAN ||
		    memchr(p + at, 0xff, length) != NULL) {
			if (s->n == 0)
				at = s->alone = length;
			break;
		}
		list_piece(s, plain, at, length);
		at += length;
	}
	s->used = at;
}

/* Calls split_blocks with the family of patterns as a constant, so that the
 * compiler makes specialised code for each family. */
static inline void
split_text(struct ctx_pretokenize *s, struct ctx_pretokenizer pretokenizer,
    unsigned plain, const char *p, size_t n, size_t max)
{
	switch (pretokenizer.family) {
	case CTX_PRETOKENIZER_R50K:
		pretokenizer.family = CTX_PRETOKENIZER_R50K;
		split_blocks(s, pretokenizer, plain, p, n, max);
		break;
	case CTX_PRETOKENIZER_CL100K:
		pretokenizer.family = CTX_PRETOKENIZER_CL100K;
		split_blocks(s, pretokenizer, plain, p, n, max);
		break;
	default:
		pretokenizer.family = CTX_PRETOKENIZER_O200K;
		split_blocks(s, pretokenizer, plain, p, n, max);
		break;
	}
}
