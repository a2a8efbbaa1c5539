/*
 * block.h - 64 bytes of text to the boundaries between pieces, at once
 *
 * Included once by each back end (portable.c, avx2.c, avx512.c, neon.c),
 * which brings a type struct vec of 64 bytes and these functions:
 *
 *	vec_load(p)		64 bytes from p
 *	vec_fold(v)		each byte | 0x20: letters without case
 *	vec_equal(v, c)		bit i: byte i is c
 *	vec_range(v, c, n)	bit i: byte i is one of c to c + n
 *	vec_high(v)		bit i: byte i is 0x80 or more
 *
 * and, if it can do better than one by one, with CTX_VEC_EMIT defined
 *
 *	vec_emit(out, base, bits)	the offset base + i of each bit set;
 *				64 offsets may be written at out
 *
 * The idea.  The patterns have no look-behind and pieces lie side by side,
 * so how a text splits from a boundary on depends only on what follows.  A
 * block is loaded at a boundary, all boundaries in it are worked out as if
 * the text began there, and those are kept that what lies beyond the block
 * cannot change.  The next block is loaded at the last of them: nothing is
 * carried from block to block.  Where not a single boundary is certain,
 * piece.c finds the next one a character at a time.
 *
 * The algebra.  A set of characters is a mask with bit i for the character
 * whose first byte is byte i of the block.  In ASCII "the character before
 * is in X" is X << 1; in general it is after(X), which skips continuation
 * bytes by the carry of an addition.  A run of X starts at X & ~after(X).
 * Adding a bit to a mask in which it stands at the foot of a run of ones
 * carries to the first zero above: that floods a run or finds its end.
 */
#include <stdbool.h>
#include <string.h>

#include "token/piece.h"
#include "token/split.h"
#include "token/unicode.h"

#define BLOCK	     64
#define TOP	     (UINT64_C(1) << 63)
#define ALWAYS_INLINE inline __attribute__((always_inline))

/*
 * Characters of one block.  Those at stop and beyond are unknown: they lie
 * outside the block, are not valid UTF-8, or are of a kind so rare that the
 * algebra leaves it out.
 */
struct block {
	uint64_t letter, upper, lower, caseless; /* letter is all three */
	uint64_t digit;
	uint64_t symbol;  /* neither letter, number nor white space */
	uint64_t space;	  /* the character ' ' */
	uint64_t blank;	  /* white space other than line breaks */
	uint64_t breaks;  /* CR and LF */
	uint64_t slash, quote;
	uint64_t more;	  /* continuation bytes */
	unsigned stop;	  /* first position that is not known */
	bool end;	  /* the text ends at stop */
};

#ifndef CTX_VEC_EMIT
static ALWAYS_INLINE void
vec_emit(uint32_t *out, uint32_t base, uint64_t bits)
{
	unsigned i, n = (unsigned)__builtin_popcountll(bits);

	/* By fours, so that the end of the loop is easier to predict; what
	 * is written beyond the last bit is never read. */
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

/* The bits below position i, which may be 64. */
static ALWAYS_INLINE uint64_t
below(unsigned i)
{
	return i >= 64 ? UINT64_MAX : (UINT64_C(1) << i) - 1;
}

/* Positions of the characters that follow those of x. */
static ALWAYS_INLINE uint64_t
after(const struct block *b, uint64_t x)
{
	return (b->more + (x << 1)) & ~b->more;
}

static ALWAYS_INLINE void
stop_at(struct block *b, uint64_t positions)
{
	unsigned first;

	if (positions == 0)
		return;
	first = (unsigned)__builtin_ctzll(positions);
	if (first < b->stop) {
		b->stop = first;
		b->end = false;
	}
}

static ALWAYS_INLINE void
classify_ascii(struct block *b, const struct vec *v)
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

/*
 * Adds the characters that are not ASCII.  White space among them is left to
 * piece.c, and so are marks that do not follow a letter where the pattern
 * has them both as letters and as symbols.
 */
static void
classify_rest(struct block *b, uint64_t high, const char *p, bool cased)
{
	uint64_t of[7] = {0}, left = high, covered = 0, bit;
	enum ctx_class class;
	unsigned i, length;
	uint32_t cp;

	b->more = 0;
	while (left != 0) {
		i = (unsigned)__builtin_ctzll(left);
		bit = left & (0 - left);
		length = (unsigned)ctx_char_next(p + i, BLOCK - i, &cp);
		if (cp == CTX_CHAR_BAD) {
			stop_at(b, bit);
			break;
		}
		class = ctx_class_of(cp);
		of[class] |= bit;
		bit *= (UINT64_C(2) << (length - 1)) - 1;
		covered |= bit;
		left &= ~bit;
	}
	b->more = covered & ~(of[CTX_CLASS_OTHER] | of[CTX_CLASS_UPPER] |
	    of[CTX_CLASS_LOWER] | of[CTX_CLASS_LETTER] |
	    of[CTX_CLASS_NUMBER] | of[CTX_CLASS_SPACE] | of[CTX_CLASS_MARK]);
	b->upper |= of[CTX_CLASS_UPPER];
	b->lower |= of[CTX_CLASS_LOWER];
	b->caseless = of[CTX_CLASS_LETTER];
	b->digit |= of[CTX_CLASS_NUMBER];
	b->symbol = (b->symbol & ~high) | of[CTX_CLASS_OTHER];
	stop_at(b, of[CTX_CLASS_SPACE]);
	/* 's in any case is also '\u017f, which is 0xc5 0xbf. */
	stop_at(b, b->quote & of[CTX_CLASS_LOWER] >> 1);
	if (cased)
		b->caseless |= of[CTX_CLASS_MARK];
	else
		b->symbol |= of[CTX_CLASS_MARK];
	b->letter = b->upper | b->lower | b->caseless;
	if (cased)
		stop_at(b, of[CTX_CLASS_MARK] & ~after(b, b->letter));
}

/*
 * Where contractions start: one of two bytes, one of three.  Letters are
 * compared without case, or (r50k) as they are.
 */
static ALWAYS_INLINE void
contractions(const struct block *b, const struct vec *v, bool any_case,
    uint64_t *two, uint64_t *three)
{
	struct vec folded = any_case ? vec_fold(v) : *v;
	uint64_t one = vec_equal(&folded, 's') | vec_equal(&folded, 't') |
	    vec_equal(&folded, 'm') | vec_equal(&folded, 'd');
	uint64_t e = vec_equal(&folded, 'e') & b->letter;
	uint64_t l = vec_equal(&folded, 'l') & b->letter;
	uint64_t rv = (vec_equal(&folded, 'r') | vec_equal(&folded, 'v')) &
	    b->letter;

	*two = b->quote & (one & b->letter) >> 1;
	*three = b->quote & ((rv >> 1 & e >> 2) | (l >> 1 & l >> 2));
}

/*
 * Boundaries in runs of white space.  Line breaks end pieces where the
 * pattern has \s*[\r\n]+: what is behind the last one of a run is a run of
 * its own.  Before anything else the last blank of a run goes with what
 * follows.
 */
static ALWAYS_INLINE uint64_t
space_boundaries(const struct block *b, bool breaks_end)
{
	uint64_t white = b->blank | b->breaks;
	uint64_t found = white & ~(white << 1);
	uint64_t next = white >> 1 | (b->end ? UINT64_C(1) << b->stop >> 1 : 0);
	uint64_t starts, ends, start;

	if (!breaks_end)
		return found | (white & ~next);
	found |= b->blank & ~next;
	/* Blanks behind a break: do they last to the end of the run? */
	starts = b->blank & b->breaks << 1;
	ends = (b->blank + starts) & ~b->blank;
	if ((ends & b->breaks) == 0)
		return found | starts;
	for (; starts != 0; starts &= starts - 1) {
		start = starts & (0 - starts);
		ends = (b->blank + start) & ~b->blank;
		/* What the addition left of other runs is not in ends. */
		if ((ends & b->breaks) == 0)
			found |= start;
	}
	return found;
}

static ALWAYS_INLINE uint64_t
digit_boundaries(const struct block *b, unsigned most)
{
	uint64_t found = b->digit & ~after(b, b->digit), third, next;

	if (most == 0 || b->digit == 0)
		return found;
	if (most == 1)
		return b->digit;
	third = b->digit & after(b, b->digit);
	third &= after(b, third);
	for (next = found; next != 0; found |= next)
		next = after(b, after(b, after(b, next))) & third;
	return found;
}

/*
 * The positions that are certain to be boundaries, below stop.  A contraction
 * needs three more characters known; a run of white space that goes up to
 * stop may go on, and only its start is certain.
 */
static ALWAYS_INLINE uint64_t
certain(const struct block *b)
{
	uint64_t white = b->blank | b->breaks, known = below(b->stop), run;

	if (b->end)
		return known;
	run = ~white & known;
	/* One more than the last position that is not white space. */
	run = run == 0 ? 1 : UINT64_C(2) << (63 - __builtin_clzll(run));
	known = b->stop > 3 ? below(b->stop - 3) : 0;
	return known & (run == 0 ? UINT64_MAX : run | (run - 1));
}

static ALWAYS_INLINE uint64_t
boundaries(struct block *b, const struct vec *v, struct ctx_scheme scheme)
{
	bool r50k = scheme.family == CTX_SCHEME_R50K;
	bool o200k = scheme.family == CTX_SCHEME_O200K;
	uint64_t sticky, tail, first, found, joined, one;
	uint64_t two = 0, three = 0, cut = 0, gone = 0;

	if (scheme.contractions && (b->quote & b->letter >> 1) != 0)
		contractions(b, v, !r50k, &two, &three);
	if (!r50k) {
		/* [\r\n]* or [\r\n/]* behind symbols: no piece of its own. */
		sticky = o200k ? b->breaks | b->slash : b->breaks;
		tail = b->breaks & after(b, b->symbol);
		tail |= ((sticky + tail) ^ sticky) & sticky;
		b->symbol &= ~tail;
		b->breaks &= ~tail;
	}
	if (o200k) {
		/* The end of the word before; one behind another is rare. */
		two &= after(b, b->letter);
		three &= after(b, b->letter);
		cut = two << 2 | three << 3;
		gone = two | two << 1 | three | three << 1 | three << 2;
		stop_at(b, cut & (two | three));
		b->symbol &= ~(two | three);
	} else {
		/* A piece, if one begins here. */
		first = b->symbol & ~after(b, b->symbol | b->space);
		cut = (two & first) << 2 | (three & first) << 3;
		gone = ((two | three) & first) << 1;
	}
	first = b->symbol & ~after(b, b->symbol);
	found = first & ~(b->space << 1);
	one = r50k ? b->space : b->blank | found;
	joined = b->letter & ~after(b, b->letter);
	found |= joined & ~after(b, one);
	if (o200k) {
		found |= b->upper & after(b, b->lower);
		/* U*O+ gives back: what it does depends on what follows. */
		stop_at(b, b->upper & after(b, b->caseless));
	}
	joined = digit_boundaries(b, scheme.digits);
	found |= r50k ? joined & ~(b->space << 1) : joined;
	found |= space_boundaries(b, !r50k);
	return (found & ~gone) | cut;
}

/* The certain boundaries of the block that begins at p, as offsets from it;
 * n is what is left of the text.  Bits of *numbers are digits of pieces that
 * are nothing else. */
static ALWAYS_INLINE uint64_t
block_boundaries(const char *p, size_t n, struct ctx_scheme scheme,
    uint64_t *numbers)
{
	char copy[BLOCK];
	struct block b = {.stop = BLOCK}, copied;
	struct vec v;
	uint64_t high, found, in = UINT64_MAX;

	if (n < BLOCK) {
		memset(copy, 0, sizeof copy);
		memcpy(copy, p, n);
		p = copy;
		b.stop = (unsigned)n;
		b.end = true;
		in = below(b.stop);
	}
	vec_load(&v, p);
	classify_ascii(&b, &v);
	high = vec_high(&v);
	/* A piece of r50k may have a blank before its digits. */
	*numbers = high == 0 && scheme.family != CTX_SCHEME_R50K ? b.digit : 0;
	if (high != 0) {
		/* A copy, so that the masks of plain ASCII stay in
		 * registers. */
		copied = b;
		classify_rest(&copied, high, p,
		    scheme.family == CTX_SCHEME_O200K);
		b = copied;
	}
	b.symbol &= in;
	found = boundaries(&b, &v, scheme) & certain(&b);
	if (b.end)
		found |= UINT64_C(1) << b.stop;
	return found & ~UINT64_C(1);
}

/* The lowest n of the bits. */
static inline uint64_t
lowest(uint64_t bits, size_t n)
{
	uint64_t rest = bits;

	while (n-- > 0)
		rest &= rest - 1;
	return bits & ~rest;
}

/*
 * Lists the pieces between 0, which is a boundary, and those of found, as
 * offsets from at.  A plain piece goes with the boundary at its start and the
 * one at its end.
 */
static ALWAYS_INLINE void
list_pieces(struct ctx_split *s, unsigned plain, uint32_t at, uint64_t found,
    uint64_t numbers)
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
list_piece(struct ctx_split *s, unsigned plain, size_t at, size_t length)
{
	s->n++;
	if (length == 1 && (plain & CTX_PLAIN_BYTES) != 0)
		return;
	s->start[s->listed] = (uint32_t)at;
	s->end[s->listed++] = (uint32_t)(at + length);
}

static ALWAYS_INLINE void
split_blocks(struct ctx_split *s, struct ctx_scheme scheme, unsigned plain,
    const char *p, size_t n, size_t max)
{
	size_t at = 0, length;
	uint64_t found, numbers;

	s->n = s->listed = s->alone = 0;
	while (s->n < max && at < n && at < CTX_SPLIT_SPAN) {
		found = block_boundaries(p + at, n - at, scheme, &numbers);
		if (found != 0) {
			length = (size_t)__builtin_popcountll(found);
			if (length > max - s->n) {
				length = max - s->n;
				found = lowest(found, length);
			}
			list_pieces(s, plain, (uint32_t)at, found, numbers);
			s->n += length;
			at += 63 - (size_t)__builtin_clzll(found);
			continue;
		}
		length = ctx_piece_next(scheme, p + at, n - at);
		if (length > CTX_SPLIT_SPAN ||
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

/* The family is known where this is compiled three times. */
static inline void
split_text(struct ctx_split *s, struct ctx_scheme scheme, unsigned plain,
    const char *p, size_t n, size_t max)
{
	switch (scheme.family) {
	case CTX_SCHEME_R50K:
		scheme.family = CTX_SCHEME_R50K;
		split_blocks(s, scheme, plain, p, n, max);
		break;
	case CTX_SCHEME_CL100K:
		scheme.family = CTX_SCHEME_CL100K;
		split_blocks(s, scheme, plain, p, n, max);
		break;
	default:
		scheme.family = CTX_SCHEME_O200K;
		split_blocks(s, scheme, plain, p, n, max);
		break;
	}
}
