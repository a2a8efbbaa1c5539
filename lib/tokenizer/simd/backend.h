/* backend.h - functions that split text into pretokens, 64 bytes at a time */
#ifndef CTX_TOKENIZER_SIMD_BACKEND_H
#define CTX_TOKENIZER_SIMD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

/* maximum number of pretokens per call */
#define CTX_PRETOKENIZE_MAX 2048
/* after this number of bytes, a call splits off no further pretokens */
#define CTX_PRETOKENIZE_SPAN (1u << 30)

/* When bytes are appended to a text, only the boundaries of its last
 * CTX_PRETOKENIZE_UNSURE pretokens can move.  (The worst case is a word and an
 * incomplete contraction after letters without case.) */
#define CTX_PRETOKENIZE_UNSURE 3

/* Kinds of pretokens that certainly are tokens of the vocabulary, so they need
 * no lookup. */
enum {
	CTX_PLAIN_BYTES = 1,   /* pretokens of one byte */
	CTX_PLAIN_NUMBERS = 2, /* pretokens that are only ASCII digits */
};

struct ctx_pretokenize {
	size_t n; /* number of pretokens found */
	/* number of pretokens in start and end: all but those that certainly
	 * are tokens */
	size_t listed;
	size_t used; /* number of bytes of all pretokens found */
	/* Length of the first pretoken if it must be returned alone (then n is
	 * 0), else 0.  Such a pretoken contains the byte 0xff, which cannot be
	 * in a key of the hash tables, or has more than CTX_PRETOKENIZE_SPAN
	 * bytes. */
	size_t alone;
	/* Start and end of each listed pretoken, in bytes from the start of the
	 * text.  The last block may write 64 entries after the end of the
	 * list. */
	uint32_t start[CTX_PRETOKENIZE_MAX + 64];
	uint32_t end[CTX_PRETOKENIZE_MAX + 64];
};

/* Finds the first pretokens, 1 to max, of a text of n bytes; n is at least 1.
 * The text starts at a boundary between pretokens and ends after n bytes.
 * Pretokens of the kinds in plain (CTX_PLAIN_...) are counted, but not
 * listed. */
typedef void ctx_pretokenize_fn(struct ctx_pretokenize *split,
    struct ctx_pretokenizer pretokenizer, unsigned plain, const char *p,
    size_t n, size_t max);

ctx_pretokenize_fn ctx_pretokenize_portable, ctx_pretokenize_avx2,
    ctx_pretokenize_avx512, ctx_pretokenize_neon;

/* Returns the function for an instruction set from ctx_simd_resolve. */
ctx_pretokenize_fn *ctx_pretokenize_pick(enum ctx_simd simd);

#endif
