/* count_text.c - counts the tokens of a whole text */
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/open.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* Returns the number of tokens by the encoding "bytes/4": a quarter of the
 * number of bytes, rounded up. */
static uint64_t
estimate_tokens(size_t n)
{
	return (uint64_t)n / CTX_BYTES_PER_TOKEN +
	    (n % CTX_BYTES_PER_TOKEN != 0);
}

bool
ctx_token_estimate(const struct ctx_token_counter *c, size_t n,
    uint64_t *tokens)
{
	*tokens = estimate_tokens(n);
	return !ctx_tokenizer_real(c->tokenizer);
}

int
ctx_token_count(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_text_splitter w;
	int rc;

	if (ctx_token_estimate(c, n, tokens))
		return 0;
	ctx_text_splitter_init(&w, c, p, n);
	while ((rc = ctx_text_splitter_next(&w, CTX_PRETOKENIZE_MAX, err)) > 0)
		;
	*tokens = w.tokens;
	return rc;
}
