/* backend.h - functions that split text into pretokens, 64 bytes at a time */
#ifndef CTX_TOKENIZER_SIMD_BACKEND_H
#define CTX_TOKENIZER_SIMD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

/* maximum number of pretokens that one call returns */
#define CTX_PRETOKENIZE_MAX 2048
/* When a call has split off this number of bytes, it splits off no more. */
#define CTX_PRETOKENIZE_SPAN (1u << 30)

/* If bytes are appended to a text, the boundaries before its last
 * CTX_PRETOKENIZE_UNSURE pretokens remain.  Only the boundaries of these
 * pretokens can move.  (Three are needed if letters without case are before a
 * word and an incomplete contraction.) */
#define CTX_PRETOKENIZE_UNSURE 3

/* Kinds of pretokens that are tokens of the vocabulary for certain, so that
 * they need not be looked up. */
enum {
	CTX_PLAIN_BYTES = 1,   /* pretokens of one byte */
	CTX_PLAIN_NUMBERS = 2, /* pretokens that are only ASCII digits */
};

struct ctx_pretokenize {
	size_t n; /* number of pretokens that were found */
	/* Number of pretokens in the arrays start and end.  Pretokens that
	 * certainly are tokens (the kinds in the argument plain) are not in the
	 * arrays; only the member n counts them. */
	size_t listed;
	size_t used; /* length of all these pretokens in bytes */
	/* Length in bytes of a first pretoken that cannot be in the arrays,
	 * because it contains the byte 0xff, which the keys of hash tables
	 * cannot have, or has more than CTX_PRETOKENIZE_SPAN bytes.  The call
	 * then splits off only this pretoken, and n is 0.  Otherwise 0. */
	size_t alone;
	/* Offsets of the start and the end of each listed pretoken in the text.
	 * The arrays are longer than the list can be, because 64 elements may
	 * be written after its last one. */
	uint32_t start[CTX_PRETOKENIZE_MAX + 64];
	uint32_t end[CTX_PRETOKENIZE_MAX + 64];
};

/* Splits off at least 1 and at most max pretokens from the beginning of a text
 * of n bytes; n is at least 1.  The text must begin where a pretoken begins.
 * No text follows after the n bytes. plain: CTX_PLAIN_... bits, the kinds of
 * pretokens that are counted, but not listed. */
typedef void ctx_pretokenize_fn(struct ctx_pretokenize *split,
    struct ctx_pretokenizer pretokenizer, unsigned plain, const char *p,
    size_t n, size_t max);

ctx_pretokenize_fn ctx_pretokenize_portable, ctx_pretokenize_avx2,
    ctx_pretokenize_avx512, ctx_pretokenize_neon;

/* Returns the split function for an instruction set. simd: a result of
 * ctx_simd_resolve. */
ctx_pretokenize_fn *ctx_pretokenize_pick(enum ctx_simd simd);

#endif
