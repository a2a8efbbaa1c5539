/* fit_tokens.h - checkpoints of a counted text, and starts of characters */
#ifndef CTX_TOKENIZER_ENCODE_FIT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_FIT_TOKENS_H

#include "tokenizer/encode/count_tokens.h"

/* A boundary between two pretokens, with the number of tokens of the text
 * before it. */
struct ctx_token_checkpoint {
	size_t at; /* offset in bytes */
	uint64_t tokens;
};

/* Finds the longest beginning of a text with at most limit tokens, for all
 * encodings except "bytes/4".  Counting starts at *cut, a checkpoint with at
 * most limit tokens.  Sets *cut to the place where this beginning ends, and to
 * the number of tokens in it. */
int ctx_fit_head(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, struct ctx_token_checkpoint *cut, struct ctx_err *err);

/* Returns the offset of the first byte of the UTF-8 character that contains
 * byte i of p. */
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
