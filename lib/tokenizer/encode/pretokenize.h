/* pretokenize.h - finds the first pretoken (word, number, ...) of a text */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_H

#include <stddef.h>

#include "tokenizer/pretokenizer.h"

/* Returns the length in bytes of the first pretoken (piece of text that is
 * encoded by itself) of a text of n bytes; n is at least 1. */
size_t ctx_pretoken_next(struct ctx_pretokenizer pretokenizer, const char *p,
    size_t n);

#endif
