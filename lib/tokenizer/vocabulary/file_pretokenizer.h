/* file_pretokenizer.h - reads how a vocabulary file splits text into
 * pretokens */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H
#define CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* The functions below set pack->patterns and pack->pretokenizer.  The patterns
 * split a text with PCRE2; then the built-in pretokenizer splits the pieces
 * further.  If the last pattern splits as a built-in pretokenizer does, that is
 * used instead of the pattern. */

/*
 * Sets pack->pretokenizer and pack->patterns from the pre_tokenizer of a
 * tokenizer.json.  The buffer text gets the patterns, and must remain valid as
 * long as pack.  CTX_EFILE: the pre_tokenizer drops, joins or changes text,
 * splits nothing, or is of an unknown type.
 */
int ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack,
    const json_t *pre, struct ctx_buf *text, struct ctx_err *err);

/* Rules by which a model in a GGUF file splits text into pretokens.  The file
 * has only their name, the value of tokenizer.ggml.pre; each row of a table is
 * for one name.  The rows were taken from the models' tokenizer.json files. */
struct ctx_file_pretokenizer_model {
	const char *name;
	const char *patterns[3]; /* ended by NULL */
	/* use_regex of the rule ByteLevel: true if GPT-2's pattern also splits
	 * the text */
	bool byte_level;
	bool nfc; /* true if text is first normalized (NFC) */
	/* ignore_merges of the tokenizer.json; see ctx_vocab_builder.whole */
	bool whole;
};

/* Returns the row for a value of tokenizer.ggml.pre; NULL if the value is
 * unknown. */
const struct ctx_file_pretokenizer_model *ctx_file_pretokenizer_named(
    struct ctx_str name);

#endif
