/* split_chars.h - splits text for vocabularies whose tokens are merged from
 * characters */
#ifndef CTX_TOKENIZER_ENCODE_SPLIT_CHARS_H
#define CTX_TOKENIZER_ENCODE_SPLIT_CHARS_H

#include "tokenizer/simd/backend.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* Splits off the first pretokens (pieces of text that are encoded by
 * themselves) of a text of n bytes, at least 1 and at most max, like a
 * ctx_pretokenize_fn.  vocab->chars must be true.  By its definition the
 * encoding merges the whole text; splitting only saves time.  A pretoken ends
 * between two characters if no token contains the first one directly before the
 * second one, so the tokens of all pretokens together are those of the whole
 * text. */
void ctx_split_chars(struct ctx_pretokenize *split,
    const struct ctx_vocab *vocab, unsigned plain, const char *p, size_t n,
    size_t max);

#endif
