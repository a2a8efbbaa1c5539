/* char_tokens.h - lists the tokens of a SentencePiece vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_CHAR_TOKENS_H
#define CTX_TOKENIZER_VOCABULARY_CHAR_TOKENS_H

#include "tokenizer/vocabulary/build.h"

/*
 * The tokens of a vocabulary that merges characters and has byte fallback: a
 * character without a token becomes the tokens of its bytes.  Add first the
 * characters, then the bytes, then the other tokens in the order of their
 * merges.  A zeroed struct is an empty list.
 */
struct ctx_char_tokens {
	struct ctx_arena arena; /* the bytes of all tokens */
	struct ctx_build_token *list;
	size_t n, cap;
	/* true if merges never reach over the start of a word, so that a token
	 * with a blank after its first character is never used */
	bool words;
};

void ctx_char_tokens_release(struct ctx_char_tokens *tokens);
/* Returns a copy of a name in which U+2581 became a blank; .p is NULL with *err
 * if there is no memory.  The arena owns it. */
struct ctx_str ctx_char_name(struct ctx_arena *arena, struct ctx_str name,
    struct ctx_err *err);
/* Returns the number of bytes of that copy. */
size_t ctx_char_name_size(struct ctx_str name);
/* Returns true if the name is one character. */
bool ctx_is_char_name(struct ctx_str name);
/* Returns the byte of a name such as <0x0A>; -1 for other names. */
int ctx_byte_of_name(struct ctx_str name);
/* Adds a token; cut is as in struct ctx_build_token, in bytes of the name.  A
 * name that contains a blank is never found in a text. */
int ctx_char_tokens_add(struct ctx_char_tokens *tokens, struct ctx_str name,
    uint32_t id, uint32_t cut, struct ctx_err *err);
/* Adds the token of a byte.  It is not used in a text if the byte is an ASCII
 * character with a token. */
int ctx_char_tokens_add_byte(struct ctx_char_tokens *tokens, unsigned byte,
    uint32_t id, struct ctx_err *err);

#endif
