/* split_chars.h - splits text for vocabularies that merge characters */
#ifndef CTX_TOKENIZER_ENCODE_SPLIT_CHARS_H
#define CTX_TOKENIZER_ENCODE_SPLIT_CHARS_H

#include "tokenizer/simd/backend.h"
#include "tokenizer/vocabulary/vocabulary.h"

/*
 * Finds the first pretokens, 1 to max, of a text of n bytes, as a
 * ctx_pretokenize_fn does.  vocab->chars must be true.  A pretoken ends where
 * no token of the vocabulary contains the last character of the pretoken
 * followed by the first character after it.  So merging the pretokens one by
 * one gives the tokens of the whole text.  Whether a pretoken ends at a place
 * depends only on the two characters there.
 */
void ctx_split_chars(struct ctx_pretokenize *split,
    const struct ctx_vocab *vocab, unsigned plain, const char *p, size_t n,
    size_t max);

#endif
