/* file_pretokenizer.h - reads how a vocabulary file splits text into pretokens
 * (pieces of text that are encoded separately) */
#ifndef CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H
#define CTX_TOKENIZER_VOCABULARY_FILE_PRETOKENIZER_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"

/* The functions below set pack->patterns and pack->pretokenizer.  A text is
 * first split by the patterns, with PCRE2.  The resulting pieces of the text
 * are then split by the built-in pretokenizer.  If the last pattern splits in
 * the same way as a built-in pretokenizer, the built-in pretokenizer replaces
 * the pattern. */

/*
 * Sets pack->pretokenizer and pack->patterns from the pre_tokenizer of a
 * tokenizer.json.  The patterns are stored in the buffer "text", which must
 * remain valid as long as "pack".  Fails with CTX_EFILE if the pre_tokenizer
 * removes, joins or changes text, splits nothing, or has an unknown type.
 */
int ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack,
    const json_t *pre, struct ctx_buf *text, struct ctx_err *err);

/* How a model in a GGUF file splits text into pretokens (pieces of text that
 * are encoded separately).  A GGUF file contains only a name, the value of
 * tokenizer.ggml.pre. ctx has a table with a row for each name.  The rows were
 * taken from the tokenizer.json files of the models. */
struct ctx_file_pretokenizer_model {
	const char *name;
	/* at most 3 patterns; if there are fewer, NULL comes after the last
	 * pattern */
	const char *patterns[3];
	/* the setting use_regex of ByteLevel: true if GPT-2's pattern also
	 * splits the text */
	bool byte_level;
	bool nfc; /* true if texts are normalized (NFC) first */
	/* the setting ignore_merges of the tokenizer.json; see
	 * ctx_vocab_builder.whole */
	bool whole;
};

/* Returns the row of the table for a value of tokenizer.ggml.pre in a GGUF
 * file, or NULL if the value is not known. */
const struct ctx_file_pretokenizer_model *ctx_file_pretokenizer_named(
    struct ctx_str name);

/* Sets *err to CTX_EFILE and a text: a vocabulary file is refused because of
 * its part "what" (such as its pre_tokenizer). name: type or name of this part,
 * or "".  Returns -1. */
int ctx_refuse_tokenizer(struct ctx_err *err, const char *what,
    const char *name);
/* Returns the string that an object has for a key, or "" if there is none. */
const char *ctx_json_string_of(const json_t *object, const char *key);
/* Returns true if an object has the value true for a key. */
bool ctx_json_true_of(const json_t *object, const char *key);

#endif
