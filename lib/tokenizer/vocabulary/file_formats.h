/* file_formats.h - functions that read vocabulary files of several formats */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H
#define CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* The functions ctx_..._build convert a vocabulary file, the n bytes at p, to a
 * packed vocabulary.  They set *block, which the caller frees, and *size to its
 * size in bytes.  CTX_EFILE: the file is refused; err->text says why. */

/* Reads a tiktoken rank file: each line is a token in base64, a space and its
 * rank.  The caller has set pack->pretokenizer. */
int ctx_tiktoken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Reads a tokenizer.json of Hugging Face and sets pack->pretokenizer from it.
 */
int ctx_huggingface_build(struct ctx_vocab_builder *pack, const char *p,
    size_t n, void **block, size_t *size, struct ctx_err *err);
/* Converts a tokenizer.json that is already parsed. */
int ctx_huggingface_build_root(struct ctx_vocab_builder *pack,
    const json_t *root, void **block, size_t *size, struct ctx_err *err);
/* Converts a GGUF file.  Only the first ctx_gguf_size bytes of the file are
 * needed. */
int ctx_gguf_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Parses the JSON of a vocabulary file. flags: flags of jansson's json_loadb.
 * The caller frees *root, which is NULL on error. */
int ctx_huggingface_parse(json_t **root, const char *p, size_t n, size_t flags,
    struct ctx_err *err);
/* Converts a tekken.json of Mistral. */
int ctx_tekken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Returns true if the beginning of a JSON file looks like that of a
 * tekken.json. */
bool ctx_tekken_is(const char *p, size_t n);
/* Converts a model file of SentencePiece. */
int ctx_sentencepiece_build(struct ctx_vocab_builder *pack, const char *p,
    size_t n, void **block, size_t *size, struct ctx_err *err);
/* Returns true if the first bytes of a file, which is not JSON, look like those
 * of a SentencePiece model. */
bool ctx_sentencepiece_is(const char *p, size_t n);
#define CTX_GGUF_MAGIC "GGUF"
/* Returns the length in bytes of the beginning of a GGUF file, up to the end of
 * its metadata.  Returns 0 if the n bytes do not have all metadata, so that
 * more must be read.  Returns n if the file is bad, and ctx_gguf_build will
 * refuse it. */
size_t ctx_gguf_size(const char *p, size_t n);

#endif
