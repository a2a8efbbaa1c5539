/* fit_tokens.h - places in a counted text (checkpoints), and beginnings of
 * characters */
#ifndef CTX_TOKENIZER_ENCODE_FIT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_FIT_TOKENS_H

#include "tokenizer/encode/count_tokens.h"

/* A boundary between two pretokens (pieces of text that are encoded by
 * themselves) of a text. */
struct ctx_token_checkpoint {
	size_t at; /* offset of the boundary in the text, in bytes */
	uint64_t tokens;
};

/* Finds the longest beginning of a text with at most limit tokens.  The caller
 * must set *cut to a checkpoint with at most limit tokens, from which counting
 * continues.  Sets *cut to the end of the beginning that was found, and to the
 * number of tokens before this end. */
int ctx_fit_head(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, struct ctx_token_checkpoint *cut, struct ctx_err *err);

/* Returns the offset of the first byte of the UTF-8 character that contains
 * byte i of the text p, or i if i is n, the end of the text. */
static inline size_t
ctx_fit_before(const char *p, size_t n, size_t i)
{
	size_t back = 0;

	while (i < n && i > 0 && back++ < 3 &&
	    ((unsigned char)p[i] & 0xc0) == 0x80)
		i--;
	return i;
}

#endif
