/* backend.h - a text to the pieces that are encoded one by one */
#ifndef CTX_TOKENIZER_SIMD_BACKEND_H
#define CTX_TOKENIZER_SIMD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

#define CTX_PRETOKENIZE_MAX  2048       /* pieces found at once */
#define CTX_PRETOKENIZE_SPAN (1u << 30) /* bytes they begin in */

/*
 * No piece but the last few of a text depends on what comes behind the text:
 * whatever is appended, the boundaries before the last CTX_PRETOKENIZE_UNSURE
 * pieces stay where they are.  (The worst case is a word and a contraction
 * that is not yet whole, behind letters without case.)
 */
#define CTX_PRETOKENIZE_UNSURE 3

/* Kinds of pieces that are tokens for certain and need no looking up. */
enum {
	CTX_PLAIN_BYTES = 1,   /* of one byte */
	CTX_PLAIN_NUMBERS = 2, /* of ASCII digits */
};

struct ctx_pretokenize {
	size_t n;      /* pieces found */
	size_t listed; /* those of them that are not plain */
	size_t used;   /* bytes that all of them take */
	/*
	 * Length of a first piece that is not among them, else 0: one that
	 * holds the byte 0xff, which keys cannot have, or one of more than
	 * CTX_PRETOKENIZE_SPAN bytes.
	 */
	size_t alone;
	/* The list, in bytes from the start of the text; there is room for
	 * what a block of 64 bytes may write beyond its end. */
	uint32_t start[CTX_PRETOKENIZE_MAX + 64];
	uint32_t end[CTX_PRETOKENIZE_MAX + 64];
};

/* Finds the first pieces, 1 to max, of a text of n bytes, n at least 1;
 * the start is a boundary, the end is the end of the text.  Those of the
 * kinds in plain are counted but not listed. */
typedef void ctx_pretokenize_fn(struct ctx_pretokenize *split,
    struct ctx_pretokenizer scheme, unsigned plain, const char *p, size_t n,
    size_t max);

ctx_pretokenize_fn ctx_pretokenize_portable, ctx_pretokenize_avx2,
    ctx_pretokenize_avx512, ctx_pretokenize_neon;

/* The back end for one that ctx_simd_resolve returned. */
ctx_pretokenize_fn *ctx_pretokenize_pick(enum ctx_simd simd);

#endif
