/* fit_tokens.h - the beginning of a text that fits a number of tokens */
#ifndef CTX_TOKENIZER_ENCODE_FIT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_FIT_TOKENS_H

#include "tokenizer/encode/count_tokens.h"

/* A boundary between pieces and the tokens of all before it. */
struct ctx_token_checkpoint {
	size_t at; /* bytes */
	uint64_t tokens;
};

/* As ctx_token_head, for a text that is known to cost at most limit tokens
 * up to a boundary. */
int ctx_fit_head(struct ctx_token_counter *counter, const char *p, size_t n,
    struct ctx_token_checkpoint from, uint64_t limit, size_t *at,
    uint64_t *tokens, struct ctx_err *err);

/* The first byte of the character that byte i of p is in. */
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
