/* backend.h - functions that split text into pretokens, 64 bytes at a time */
#ifndef CTX_TOKENIZER_SIMD_BACKEND_H
#define CTX_TOKENIZER_SIMD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

/* maximum number of pretokens that one call returns */
#define CTX_PRETOKENIZE_MAX 2048
/* Once a call has split off this many bytes, it splits off no more. */
#define CTX_PRETOKENIZE_SPAN (1u << 30)

/* If bytes are appended to a text, only the last boundaries between its
 * pretokens can change: those of its last CTX_PRETOKENIZE_UNSURE pretokens.
 * (The worst case is a word and an incomplete contraction after letters
 * without case.) */
#define CTX_PRETOKENIZE_UNSURE 3

/* Kinds of pretokens that are tokens of the vocabulary for certain, so that
 * they need not be looked up. */
enum {
	CTX_PLAIN_BYTES = 1,   /* pretokens of one byte */
	CTX_PLAIN_NUMBERS = 2, /* pretokens that are only ASCII digits */
};

struct ctx_pretokenize {
	size_t n; /* number of pretokens that were found */
	/* Number of pretokens in start and end.  Those that are tokens for
	 * certain are not listed there. */
	size_t listed;
	size_t used; /* length of all these pretokens in bytes */
	/* If the first pretoken must be returned alone: its length (n is then
	 * 0).  Otherwise 0.  Such a pretoken contains the byte 0xff, which
	 * cannot be in a key of the hash tables, or has more than
	 * CTX_PRETOKENIZE_SPAN bytes. */
	size_t alone;
	/* Offsets of the start and the end of each listed pretoken in the
	 * text. 64 elements may be written after the last one. */
	uint32_t start[CTX_PRETOKENIZE_MAX + 64];
	uint32_t end[CTX_PRETOKENIZE_MAX + 64];
};

/* Splits off the first pretokens, 1 to max, of a text of n bytes; n is at
 * least 1.  The text must start at a boundary between pretokens, and ends
 * after n bytes.  Pretokens of the kinds in plain (CTX_PLAIN_...) are counted,
 * but not listed. */
typedef void ctx_pretokenize_fn(struct ctx_pretokenize *split,
    struct ctx_pretokenizer pretokenizer, unsigned plain, const char *p,
    size_t n, size_t max);

ctx_pretokenize_fn ctx_pretokenize_portable, ctx_pretokenize_avx2,
    ctx_pretokenize_avx512, ctx_pretokenize_neon;

/* Returns the function for an instruction set, which is a result of
 * ctx_simd_resolve. */
ctx_pretokenize_fn *ctx_pretokenize_pick(enum ctx_simd simd);

#endif
