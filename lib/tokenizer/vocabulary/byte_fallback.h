/* byte_fallback.h - reads a tokenizer.json whose model merges characters, and
 * that has tokens of single bytes for characters without a token */
#ifndef CTX_TOKENIZER_VOCABULARY_BYTE_FALLBACK_H
#define CTX_TOKENIZER_VOCABULARY_BYTE_FALLBACK_H

#include <jansson.h>

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/char_tokens.h"

/* Returns true if the model of a tokenizer.json has byte fallback: a character
 * without a token becomes the tokens of its bytes. */
bool ctx_byte_fallback_is(const json_t *model);
/* Reads a tokenizer.json with byte fallback: its normalizer, pre_tokenizer,
 * vocab and merges.  Sets pack->pretokenizer and pack->prefix.  Fills *tokens;
 * the caller must set pack->tokens to this list.  Sets *normal to true if added
 * tokens with the setting "normalized" are searched for in the text after the
 * blanks of the text were replaced. */
int ctx_byte_fallback_read(struct ctx_char_tokens *tokens,
    struct ctx_vocab_builder *pack, const json_t *root, bool *normal,
    struct ctx_err *err);

#endif
