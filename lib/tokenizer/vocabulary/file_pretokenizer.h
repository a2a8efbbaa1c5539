/* file_pretokenizer.h - the pretokenizers of vocabulary files */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H
#define CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* Both sources below give pack->pretokenizer, a built-in pretokenizer, and
 * pack->patterns, which run before it in PCRE2.  A last pattern whose text is
 * exactly that of a built-in pretokenizer becomes pack->pretokenizer. */

/*
 * Sets pack->pretokenizer and pack->patterns from the pre_tokenizer of a
 * tokenizer.json.  The patterns are stored in text, which must live as long as
 * pack.  CTX_EFILE: a pre_tokenizer that drops, joins or changes text, that
 * splits nothing, or that is of an unknown type.
 */
int ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack,
    const json_t *pre, struct ctx_buf *text, struct ctx_err *err);

/* How the models split that share a value of tokenizer.ggml.pre in a GGUF file.
 * The source is their tokenizer.json. */
struct ctx_file_pretokenizer_model {
	const char *name;
	const char *patterns[3]; /* NULL after the last */
	bool byte_level; /* use_regex: ByteLevel splits by GPT-2's pattern */
	bool nfc;        /* true if text is normalized */
	bool whole;      /* ignore_merges */
};

/* Returns the entry of a value of tokenizer.ggml.pre, or NULL. */
const struct ctx_file_pretokenizer_model *ctx_file_pretokenizer_named(
    struct ctx_str name);

#endif
