/* count_text.c - counts the tokens of a whole text */
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/open.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* Returns the estimate of the encoding "bytes/4": a quarter of the number of
 * bytes, rounded up. */
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

int
ctx_token_fits(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t limit, bool *within, struct ctx_err *err)
{
	const struct ctx_vocab_head *head = c->tokenizer->vocab.head;
	size_t factor = c->nfc ? CTX_NFC_FACTOR : 1;
	struct ctx_text_splitter w;
	int rc = 1;

	if (c->tokenizer->claude != NULL)
		factor = CTX_CLAUDE_FACTOR;
	if (!ctx_tokenizer_real(c->tokenizer)) {
		*within = estimate_tokens(n) <= limit;
		return 0;
	}
	/* Often the length of the text is enough to decide.  A text has at most
	 * factor tokens per byte, so a short text certainly fits.  A token has
	 * at most head->longest bytes, so a long text certainly has too many
	 * tokens.  The latter is not used for Claude's encodings, which remove
	 * some characters. */
	*within = n <= limit / factor;
	if (*within ||
	    (head != NULL && c->added == 0 && c->added_normal == 0 &&
		n / factor / head->longest > limit))
		return 0;
	ctx_text_splitter_init(&w, c, p, n);
	/* Nearly every pretoken has at least one token.  So after limit -
	 * tokens + 1 more pretokens the limit is probably exceeded, and no more
	 * than these are counted at once. */
	while (rc > 0 && w.tokens <= limit)
		rc = ctx_text_splitter_next(&w,
		    limit - w.tokens < CTX_PRETOKENIZE_MAX
			? (size_t)(limit - w.tokens) + 1
			: CTX_PRETOKENIZE_MAX,
		    err);
	*within = w.tokens <= limit;
	return rc < 0 ? -1 : 0;
}
