/* pretokenize.h - where the first piece of a text ends */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_H

#include <stddef.h>

#include "tokenizer/pretokenizer.h"

/* The length in bytes of the first piece; n is at least 1. */
size_t ctx_pretoken_next(struct ctx_pretokenizer scheme, const char *p,
    size_t n);

#endif
