/* char_tokens.h - lists the tokens of a SentencePiece vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_CHAR_TOKENS_H
#define CTX_TOKENIZER_VOCABULARY_CHAR_TOKENS_H

#include "tokenizer/vocabulary/build.h"

/*
 * Tokens of a vocabulary that merges characters and has byte fallback: a
 * character without a token becomes the tokens of its bytes.  The caller must
 * add the tokens in this order: tokens of one character; tokens of one byte;
 * all other tokens, in the order of their merges.  A struct whose members are
 * all 0 is an empty list.
 */
struct ctx_char_tokens {
	struct ctx_arena arena; /* memory of the bytes of all tokens */
	struct ctx_build_token *list;
	size_t n, cap;
	/* True if texts are divided before each blank.  A token with a blank
	 * after its first character is then never used. */
	bool words;
};

void ctx_char_tokens_release(struct ctx_char_tokens *tokens);
/* Returns a copy of a token's name, with a blank in place of each U+2581.  The
 * arena owns the copy.  If there is not enough memory, the member p of the
 * result is NULL, and *err is set. */
struct ctx_str ctx_char_name(struct ctx_arena *arena, struct ctx_str name,
    struct ctx_err *err);
/* Returns the length in bytes of the copy that ctx_char_name would make. */
size_t ctx_char_name_size(struct ctx_str name);
/* Returns true if the name consists of exactly one character. */
bool ctx_is_char_name(struct ctx_str name);
/* Returns the byte that a name such as <0x0A> stands for, or -1 for any other
 * name. */
int ctx_byte_of_name(struct ctx_str name);
/* Adds a token.  U+2581 in its name stands for a blank. cut: see struct
 * ctx_build_token; a length is the number of bytes after U+2581 was replaced.
 * A token that cannot occur in any text is added with the cut
 * CTX_BUILD_NEVER. */
int ctx_char_tokens_add(struct ctx_char_tokens *tokens, struct ctx_str name,
    uint32_t id, uint32_t cut, struct ctx_err *err);
/* Adds the token of a byte.  If the byte is also an ASCII character that has
 * its own token, the token of the byte is not used. */
int ctx_char_tokens_add_byte(struct ctx_char_tokens *tokens, unsigned byte,
    uint32_t id, struct ctx_err *err);

#endif
