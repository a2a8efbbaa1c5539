/* split_chars.h - splits text for vocabularies whose tokens are merged from
 * characters */
#ifndef CTX_TOKENIZER_ENCODE_SPLIT_CHARS_H
#define CTX_TOKENIZER_ENCODE_SPLIT_CHARS_H

#include "tokenizer/simd/backend.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* Splits off the first pretokens of a text of n bytes, at least 1 and at most
 * max, like a ctx_pretokenize_fn.  vocab->chars must be true.  The definition
 * of the encoding does not split texts; this function does so only to save
 * time.  A pretoken ends between two characters that no token contains one
 * after the other.  So merging each pretoken alone gives the tokens of the
 * whole text. */
void ctx_split_chars(struct ctx_pretokenize *split,
    const struct ctx_vocab *vocab, unsigned plain, const char *p, size_t n,
    size_t max);

#endif
