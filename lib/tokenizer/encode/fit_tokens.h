/* fit_tokens.h - what fit_tokens.c, fit_tail.c and token_index.c share:
 * checkpoints of a counted text, and starts of characters */
#ifndef CTX_TOKENIZER_ENCODE_FIT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_FIT_TOKENS_H

#include "tokenizer/encode/count_tokens.h"

/* A place in a text, between two pretokens, and the number of tokens before
 * it. */
struct ctx_token_checkpoint {
	size_t at; /* offset of the place in bytes */
	uint64_t tokens;
};

/* Returns the offset at which the UTF-8 character begins that contains byte i
 * of the text p. */
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
