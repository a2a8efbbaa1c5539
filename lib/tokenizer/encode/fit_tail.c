/* fit_tail.c - finds the longest end of a text that has at most a given number
 * of tokens */
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/fit_tokens.h"
#include "tokenizer/open.h"

int
ctx_token_tail(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_index index = {0};
	int rc;

	rc = ctx_token_index_append(&index, c, text, err);
	if (rc == 0)
		rc = ctx_token_index_tail(&index, limit, at, tokens, err);
	ctx_token_index_release(&index);
	return rc;
}
