/*
 * fit_tokens.c - finds the longest head of a text within a number of tokens
 *
 * The text is counted up to the step that exceeds the limit.  Near it the cut
 * is found by bisection; each try is counted as a text that ends there.  A new
 * end changes only the last pretokens, so a try recounts only the last steps.
 */
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/fit_tokens.h"
#include "tokenizer/open.h"

#define STEP 256 /* pretokens counted at once */

static int
estimate_head(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	*at = n;
	if (n / CTX_BYTES_PER_TOKEN >= limit)
		*at = (size_t)limit * CTX_BYTES_PER_TOKEN;
	if (*at > n)
		*at = n;
	*at = ctx_fit_before(p, n, *at);
	return ctx_token_count(c, p, *at, tokens, err);
}

/* Moves *low to a later cut below high by bisection, where base plus the text
 * up to the cut has at most limit tokens. */
static int
search_head(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_token_checkpoint base, struct ctx_token_checkpoint *low,
    size_t high, uint64_t limit, struct ctx_err *err)
{
	uint64_t tokens;
	size_t middle;

	for (;;) {
		middle = low->at + (high - low->at + 1) / 2;
		middle = ctx_fit_before(p, n, middle);
		/* Rounding down to a character can give low although another
		 * character begins between low and high. */
		if (middle <= low->at)
			middle = ctx_fit_before(p, n, high - 1);
		if (middle <= low->at || middle >= high)
			return 0;
		if (ctx_token_count(c, p + base.at, middle - base.at, &tokens,
			err) < 0)
			return -1;
		if (base.tokens + tokens <= limit)
			*low = (struct ctx_token_checkpoint){middle,
			    base.tokens + tokens};
		else
			high = middle;
	}
}

int
ctx_fit_head(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_token_checkpoint from, uint64_t limit, size_t *at,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_checkpoint past[CTX_PRETOKENIZE_UNSURE], base, low;
	struct ctx_text_splitter w;
	size_t place = 0, i;
	int rc, clean;

	for (i = 0; i < CTX_PRETOKENIZE_UNSURE; i++)
		past[i] = from;
	ctx_text_splitter_init(&w, c, p + from.at, n - from.at);
	while ((rc = ctx_text_splitter_next(&w, STEP, err)) > 0) {
		clean = ctx_text_splitter_place(&w, &place, err);
		if (clean < 0)
			return -1;
		if (from.tokens + w.tokens > limit)
			break;
		for (i = 0; clean && i + 1 < CTX_PRETOKENIZE_UNSURE; i++)
			past[i] = past[i + 1];
		if (clean)
			past[i] = (struct ctx_token_checkpoint){from.at + place,
			    from.tokens + w.tokens};
	}
	if (rc < 0)
		return -1;
	base = low = past[rc == 0 ? CTX_PRETOKENIZE_UNSURE - 1 : 0];
	if (rc > 0 && !c->local) {
		/* Tries are counted from the first checkpoint, since a cut may
		 * change more than the last pretokens.  low is recounted like
		 * them. */
		base = from;
		if (ctx_token_count(c, p, low.at, &low.tokens, err) < 0)
			return -1;
		if (low.tokens > limit)
			low = from;
	}
	if (rc > 0 &&
	    search_head(c, p, n, base, &low, from.at + place, limit, err) < 0)
		return -1;
	*at = low.at;
	*tokens = low.tokens;
	return 0;
}

int
ctx_token_head(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_checkpoint start = {0, 0};

	if (!ctx_tokenizer_real(c->tokenizer))
		return estimate_head(c, p, n, limit, at, tokens, err);
	return ctx_fit_head(c, p, n, start, limit, at, tokens, err);
}
