/* presplit.h - the splitters that vocabulary files ask for */
#ifndef CTX_TOKEN_PRESPLIT_H
#define CTX_TOKEN_PRESPLIT_H

#include <jansson.h>

#include "token/pack.h"

/*
 * Sets pack->scheme and pack->patterns, the latter in text, which has to
 * live as long.  A pattern that a built-in splitter is known to be equal to,
 * by its exact text, is that splitter; others go through PCRE2.
 * CTX_EFILE: pieces that are dropped, joined or changed, or none at all.
 */

/* The pre_tokenizer of a tokenizer.json. */
int ctx_presplit_json(struct ctx_pack *pack, const json_t *pre,
    struct ctx_buf *text, struct ctx_err *err);
/* tokenizer.ggml.pre of a GGUF file, as llama.cpp names them. */
int ctx_presplit_named(struct ctx_pack *pack, const char *name,
    struct ctx_buf *text, struct ctx_err *err);

#endif
