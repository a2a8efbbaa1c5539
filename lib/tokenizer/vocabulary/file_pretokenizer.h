/* file_pretokenizer.h - the splitters that vocabulary files ask for */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H
#define CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/*
 * Sets pack->scheme and pack->patterns, the latter in text, which has to
 * live as long.  A pattern that a built-in splitter is known to be equal to,
 * by its exact text, is that splitter; others go through PCRE2.
 * CTX_EFILE: pieces that are dropped, joined or changed, or none at all.
 */

/* The pre_tokenizer of a tokenizer.json. */
int ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack,
    const json_t *pre, struct ctx_buf *text, struct ctx_err *err);

/* How models split whose kind a GGUF file names (tokenizer.ggml.pre), as
 * their tokenizer.json says. */
struct ctx_file_pretokenizer_model {
	const char *name;
	const char *patterns[3]; /* as many as there are */
	bool byte_level;         /* does ByteLevel split as well? */
	bool nfc;                /* is text to be normalised? */
	bool whole;              /* ignore_merges */
};

/* NULL: a name that is not known. */
const struct ctx_file_pretokenizer_model *ctx_file_pretokenizer_named(
    struct ctx_str name);

#endif
