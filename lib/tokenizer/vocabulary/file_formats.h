/* file_formats.h - readers of vocabulary files */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H
#define CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* Each reader turns the n bytes of a file into a packed vocabulary *block,
 * which the caller frees.  CTX_EFILE: the file is refused, err->text says
 * why. */

/* Reads a tiktoken rank file: each line is a token in base64, a space and its
 * rank.  The caller has set pack->pretokenizer. */
int ctx_tiktoken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Reads a tokenizer.json of Hugging Face and sets pack->pretokenizer from it.
 */
int ctx_huggingface_build(struct ctx_vocab_builder *pack, const char *p,
    size_t n, void **block, size_t *size, struct ctx_err *err);
/* Reads a tokenizer.json that is already parsed. */
int ctx_huggingface_build_root(struct ctx_vocab_builder *pack,
    const json_t *root, void **block, size_t *size, struct ctx_err *err);
/* Reads a GGUF file.  Its first ctx_gguf_size bytes are enough. */
int ctx_gguf_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
#define CTX_GGUF_MAGIC "GGUF"
/* Returns the bytes from the start of a GGUF file to the end of its metadata; 0
 * if n bytes do not reach that far.  Returns n for a file that ctx_gguf_build
 * will refuse. */
size_t ctx_gguf_size(const char *p, size_t n);

#endif
