/* backend.h - the functions for each instruction set: they split text into
 * pretokens (pieces of text that are encoded by themselves), 64 bytes at a
 * time, and look up and merge pretokens */
#ifndef CTX_TOKENIZER_SIMD_BACKEND_H
#define CTX_TOKENIZER_SIMD_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/pretokenizer.h"

/* maximum number of pretokens (words, numbers, ...) that one call returns */
#define CTX_PRETOKENIZE_MAX 2048
/* A call that has split off pretokens (words, numbers, ...) with this number of
 * bytes in all splits off no more. */
#define CTX_PRETOKENIZE_SPAN (1u << 30)

/* If text is appended to a text, a boundary between pretokens (words, numbers,
 * ...) remains a boundary if at least CTX_PRETOKENIZE_UNSURE pretokens come
 * after it; later boundaries may change. (Three pretokens may change if letters
 * without case are before a word and an incomplete contraction.) */
#define CTX_PRETOKENIZE_UNSURE 3

/* Kinds of pretokens (words, numbers, ...) that are certainly tokens of the
 * vocabulary, so that they need not be looked up. */
enum {
	CTX_PLAIN_BYTES = 1, /* pretokens of one byte */
	/* pretokens that consist only of ASCII digits */
	CTX_PLAIN_NUMBERS = 2,
};

struct ctx_pretokenize {
	size_t n; /* number of pretokens that were found */
	/* Number of elements in the arrays start and end.  Pretokens of the
	 * kinds in the argument "plain" are certainly tokens; they are counted
	 * in n, but are not in the arrays. */
	size_t listed;
	/* total length in bytes of all pretokens that were found */
	size_t used;
	/* Length in bytes of a pretoken that cannot be in the arrays, because
	 * it has more than CTX_PRETOKENIZE_SPAN bytes or contains the byte
	 * 0xff, which keys of hash tables must not contain.  If the first
	 * pretoken is such a pretoken, the call splits off only this pretoken,
	 * and n is 0.  If not, alone is 0. */
	size_t alone;
	/* Offsets in the text of the beginning and end of each listed pretoken.
	 * The arrays have 64 more elements than the longest list, because up to
	 * 64 elements may be written after the end of the list. */
	uint32_t start[CTX_PRETOKENIZE_MAX + 64];
	uint32_t end[CTX_PRETOKENIZE_MAX + 64];
};

/* Splits off at least 1 and at most max pretokens (words, numbers, ...) from
 * the beginning of a text of n bytes; n is at least 1.  The caller must pass a
 * text that begins at a boundary between pretokens and ends after the n bytes.
 * plain: kinds of pretokens that are counted but not listed (CTX_PLAIN_...
 * bits). */
typedef void ctx_pretokenize_fn(struct ctx_pretokenize *split,
    struct ctx_pretokenizer pretokenizer, unsigned plain, const char *p,
    size_t n, size_t max);

/* The functions for an instruction set. */
struct ctx_backend {
	ctx_pretokenize_fn *split;
	ctx_pretoken_lookup_fn *lookup;
	ctx_bpe_merge_fn *merge;
};
extern const struct ctx_backend ctx_backend_portable, ctx_backend_avx2,
    ctx_backend_avx512, ctx_backend_neon;

/* Returns the functions for an instruction set. simd: a result of
 * ctx_simd_resolve. */
const struct ctx_backend *ctx_backend_pick(enum ctx_simd simd);

#endif
