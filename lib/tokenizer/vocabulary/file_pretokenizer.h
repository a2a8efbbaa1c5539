/* file_pretokenizer.h - reads how a vocabulary file splits text into
 * pretokens */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H
#define CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* The functions below set pack->patterns, which split text in PCRE2, and
 * pack->pretokenizer, a built-in pretokenizer that splits the pieces further.
 * A last pattern whose text is exactly that of a built-in pretokenizer becomes
 * pack->pretokenizer. */

/*
 * Sets pack->pretokenizer and pack->patterns from the pre_tokenizer of a
 * tokenizer.json.  The patterns are stored in text, which must remain valid as
 * long as pack.  CTX_EFILE: the pre_tokenizer drops, joins or changes text,
 * splits nothing, or is of an unknown type.
 */
int ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack,
    const json_t *pre, struct ctx_buf *text, struct ctx_err *err);

/* How models split text into pretokens, by the value of tokenizer.ggml.pre in
 * their GGUF file.  The source of these entries is the models'
 * tokenizer.json. */
struct ctx_file_pretokenizer_model {
	const char *name;
	const char *patterns[3]; /* NULL after the last */
	/* value of use_regex: true if ByteLevel splits by GPT-2's pattern */
	bool byte_level;
	bool nfc;   /* true if text is normalized (NFC) */
	bool whole; /* value of ignore_merges in the tokenizer.json */
};

/* Returns the entry for a value of tokenizer.ggml.pre in a GGUF file; NULL if
 * the value is unknown. */
const struct ctx_file_pretokenizer_model *ctx_file_pretokenizer_named(
    struct ctx_str name);

#endif
