/* backend.h - splits text into pretokens, 64 bytes at a time */
#ifndef CTX_TOKENIZER_SIMD_BACKEND_H
#define CTX_TOKENIZER_SIMD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

#define CTX_PRETOKENIZE_MAX  2048       /* most pretokens per call */
#define CTX_PRETOKENIZE_SPAN (1u << 30) /* bytes in which they begin */

/* Whatever is appended to a text, its boundaries before the last
 * CTX_PRETOKENIZE_UNSURE pretokens stay where they are.  (The worst case is a
 * word and an incomplete contraction after letters without case.) */
#define CTX_PRETOKENIZE_UNSURE 3

/* Kinds of pretokens that certainly are tokens and need no lookup. */
enum {
	CTX_PLAIN_BYTES = 1,   /* pretokens of one byte */
	CTX_PLAIN_NUMBERS = 2, /* pretokens of ASCII digits */
};

struct ctx_pretokenize {
	size_t n;      /* pretokens found */
	size_t listed; /* those listed: all that are not plain */
	size_t used;   /* bytes of all pretokens found */
	/* Length of a first pretoken that is returned alone, else 0; n is 0
	 * then.  It contains the byte 0xff, which keys cannot have, or has more
	 * than CTX_PRETOKENIZE_SPAN bytes. */
	size_t alone;
	/* First byte and end of each listed pretoken, in bytes from the start
	 * of the text.  The last block may write 64 entries past the end of the
	 * list. */
	uint32_t start[CTX_PRETOKENIZE_MAX + 64];
	uint32_t end[CTX_PRETOKENIZE_MAX + 64];
};

/* Finds the first pretokens, 1 to max, of a text of n bytes, n at least 1.  The
 * text starts at a boundary and ends after n bytes.  Pretokens of the kinds in
 * plain are counted but not listed. */
typedef void ctx_pretokenize_fn(struct ctx_pretokenize *split,
    struct ctx_pretokenizer pretokenizer, unsigned plain, const char *p,
    size_t n, size_t max);

ctx_pretokenize_fn ctx_pretokenize_portable, ctx_pretokenize_avx2,
    ctx_pretokenize_avx512, ctx_pretokenize_neon;

/* Returns the back end for a value of ctx_simd_resolve. */
ctx_pretokenize_fn *ctx_pretokenize_pick(enum ctx_simd simd);

#endif
