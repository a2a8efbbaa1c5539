/* file_formats.h - vocabularies from files */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H
#define CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/*
 * Readers of vocabulary files: the n bytes of a file to a packed block, to
 * be freed by the caller.  CTX_EFILE says what the matter is.
 */

/* tiktoken's format: lines of a token in base64, a space and its rank. */
int ctx_tiktoken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* tokenizer.json of Hugging Face; the scheme is in the file. */
int ctx_huggingface_build(struct ctx_vocab_builder *pack, const char *p,
    size_t n, void **block, size_t *size, struct ctx_err *err);
/* The same, parsed. */
int ctx_huggingface_build_root(struct ctx_vocab_builder *pack,
    const json_t *root, void **block, size_t *size, struct ctx_err *err);
/* A GGUF file, of which the first bytes are enough that hold its pairs. */
int ctx_gguf_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
#define CTX_GGUF_MAGIC "GGUF"
/* How many bytes that is, if n are enough to tell; else 0. */
size_t ctx_gguf_size(const char *p, size_t n);

#endif
