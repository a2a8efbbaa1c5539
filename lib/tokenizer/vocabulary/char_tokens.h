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
	/* True if the text is divided before each blank.  A token with a blank
	 * after its first character is then never used. */
	bool words;
};

void ctx_char_tokens_release(struct ctx_char_tokens *tokens);
/* Returns a copy of a token's name in which each U+2581 is replaced by a blank.
 * The arena owns the copy.  If there is no memory, .p is NULL, with *err. */
struct ctx_str ctx_char_name(struct ctx_arena *arena, struct ctx_str name,
    struct ctx_err *err);
/* Returns the length in bytes of the copy that ctx_char_name would make. */
size_t ctx_char_name_size(struct ctx_str name);
/* Returns true if the name is one character. */
bool ctx_is_char_name(struct ctx_str name);
/* Returns the byte of a name such as <0x0A>; -1 for other names. */
int ctx_byte_of_name(struct ctx_str name);
/* Adds a token.  In its name, U+2581 stands for a blank. cut: a length in the
 * token's bytes; see struct ctx_build_token.  A token that no text can contain
 * is stored as one that no merge makes. */
int ctx_char_tokens_add(struct ctx_char_tokens *tokens, struct ctx_str name,
    uint32_t id, uint32_t cut, struct ctx_err *err);
/* Adds the token of a byte.  If the byte is also an ASCII character that has a
 * token, the token of the byte is not used. */
int ctx_char_tokens_add_byte(struct ctx_char_tokens *tokens, unsigned byte,
    uint32_t id, struct ctx_err *err);

#endif
