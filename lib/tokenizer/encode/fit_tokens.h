/* fit_tokens.h - checkpoints, and heads of texts within a number of tokens */
#ifndef CTX_TOKENIZER_ENCODE_FIT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_FIT_TOKENS_H

#include "tokenizer/encode/count_tokens.h"

/* A boundary between pretokens and the tokens of the text before it. */
struct ctx_token_checkpoint {
	size_t at; /* in bytes */
	uint64_t tokens;
};

/* As ctx_token_head, for a text whose tokens up to the boundary from are known
 * and at most limit. */
int ctx_fit_head(struct ctx_token_counter *counter, const char *p, size_t n,
    struct ctx_token_checkpoint from, uint64_t limit, size_t *at,
    uint64_t *tokens, struct ctx_err *err);

/* Returns the offset at which the character that contains byte i of p begins.
 */
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
