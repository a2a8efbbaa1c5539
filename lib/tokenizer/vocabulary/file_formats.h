/* file_formats.h - functions that read vocabulary files of different formats */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H
#define CTX_TOKENIZER_VOCABULARY_FILE_FORMATS_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* The functions ctx_..._build convert a vocabulary file (n bytes at p) to a
 * packed vocabulary (a block of memory with lookup tables).  The functions set
 * *block to the packed vocabulary, which the caller must free, and *size to its
 * size in bytes.  They fail with CTX_EFILE if the file is refused; then
 * err->text says why. */

/* Converts a tiktoken rank file: each line consists of a token in base64, a
 * space and the token's rank.  The caller must have set pack->pretokenizer. */
int ctx_tiktoken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Converts a tokenizer.json of Hugging Face to a packed vocabulary, and sets
 * pack->pretokenizer. */
int ctx_huggingface_build(struct ctx_vocab_builder *pack, const char *p,
    size_t n, void **block, size_t *size, struct ctx_err *err);
/* Converts a tokenizer.json that was already parsed (root) to a packed
 * vocabulary. */
int ctx_huggingface_build_root(struct ctx_vocab_builder *pack,
    const json_t *root, void **block, size_t *size, struct ctx_err *err);
/* Converts a GGUF file to a packed vocabulary.  The caller may pass only the
 * first ctx_gguf_size bytes of the file. */
int ctx_gguf_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Parses the JSON of a vocabulary file. flags: flags of json_loadb of the
 * library jansson.  The caller must free *root, which is NULL after an
 * error. */
int ctx_huggingface_parse(json_t **root, const char *p, size_t n, size_t flags,
    struct ctx_err *err);
/* Converts a tekken.json, the format of Mistral, to a packed vocabulary. */
int ctx_tekken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err);
/* Returns true if a JSON file that begins with these bytes is probably a
 * tekken.json. */
bool ctx_tekken_is(const char *p, size_t n);
/* Converts a SentencePiece model file to a packed vocabulary. */
int ctx_sentencepiece_build(struct ctx_vocab_builder *pack, const char *p,
    size_t n, void **block, size_t *size, struct ctx_err *err);
/* Returns true if a file with these first bytes, which is not JSON, is probably
 * a SentencePiece model. */
bool ctx_sentencepiece_is(const char *p, size_t n);
#define CTX_GGUF_MAGIC "GGUF"
/* Returns the length in bytes of the part of a GGUF file that ctx needs: the
 * beginning up to the end of the metadata.  Returns 0 if the n bytes do not
 * contain all metadata, so that more must be read.  Returns n if the file is
 * invalid; ctx_gguf_build then refuses it. */
size_t ctx_gguf_size(const char *p, size_t n);

#endif
