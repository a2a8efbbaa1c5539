/*
 * fit_tokens.c - finds the longest beginning of a text that has at most a given
 * number of tokens
 *
 * The text is counted in steps until a step exceeds the limit.  The offset at
 * which the text is cut is then found by bisection, in this step or shortly
 * before it.  For each offset that is tried, the text before the offset is
 * counted as a text of its own.  The cut can change only the last few pretokens
 * (pieces of text that are encoded by themselves) before it, so only the last
 * few steps are counted again.
 */
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/fit_tokens.h"
#include "tokenizer/open.h"

/* number of pretokens (words, numbers, ...) that are counted in one step */
#define STEP 256

/* Finds the longest beginning of a text with at most limit tokens for the
 * encoding "bytes/4", which estimates the number of tokens from the number of
 * bytes. */
static int
estimate_head(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    struct ctx_token_checkpoint *cut, struct ctx_err *err)
{
	size_t at = text.n;

	if (text.n / CTX_BYTES_PER_TOKEN >= limit)
		at = (size_t)limit * CTX_BYTES_PER_TOKEN;
	if (at > text.n)
		at = text.n;
	cut->at = ctx_fit_before(text.p, text.n, at);
	return ctx_token_count(c, text.p, cut->at, &cut->tokens, err);
}

struct head_search {
	struct ctx_token_counter *counter;
	struct ctx_str text;
	uint64_t limit;
	/* Boundary between pretokens from which counting begins, for all
	 * beginnings of the text that are tried. */
	struct ctx_token_checkpoint from;
};

/* Counts the first n bytes of the text as a text of its own. */
static int
count_beginning(const struct head_search *search, size_t n, uint64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_text_splitter w;
	int rc;

	ctx_text_splitter_init(&w, search->counter, search->text.p, n);
	w.spans.at = search->from.at;
	w.tokens = search->from.tokens;
	while ((rc = ctx_text_splitter_next(&w, CTX_PRETOKENIZE_MAX, err)) > 0)
		;
	*tokens = w.tokens;
	return rc;
}

/* Finds the offset between *low and high at which the text is cut, by
 * bisection, and moves *low to this offset.  The caller must pass a *low before
 * which the text has at most limit tokens, and a "high" before which it has
 * more. */
static int
search_head(const struct head_search *search, struct ctx_token_checkpoint *low,
    size_t high, struct ctx_err *err)
{
	struct ctx_str text = search->text;
	uint64_t tokens;
	size_t middle;

	for (;;) {
		middle = low->at + (high - low->at + 1) / 2;
		middle = ctx_fit_before(text.p, text.n, middle);
		/* The middle may be rounded down to low although there is a
		 * character between low and high.  Then the last character
		 * before high is tried. */
		if (middle <= low->at)
			middle = ctx_fit_before(text.p, text.n, high - 1);
		if (middle <= low->at || middle >= high)
			return 0;
		if (count_beginning(search, middle, &tokens, err) < 0)
			return -1;
		if (tokens <= search->limit)
			*low = (struct ctx_token_checkpoint){middle, tokens};
		else
			high = middle;
	}
}

/* Does the same as search_head, for encodings in which a cut may change
 * pretokens (words, numbers, ...) far before it, so that each beginning is
 * counted completely.  If the text before *low exceeds the limit when it is
 * counted in this way, *low is set to the beginning of the text. */
static int
search_whole(struct head_search *search, struct ctx_token_checkpoint *low,
    size_t high, struct ctx_err *err)
{
	search->from = (struct ctx_token_checkpoint){0, 0};
	if (count_beginning(search, low->at, &low->tokens, err) < 0)
		return -1;
	if (low->tokens > search->limit)
		*low = search->from;
	return search_head(search, low, high, err);
}

int
ctx_fit_head(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    struct ctx_token_checkpoint *cut, struct ctx_err *err)
{
	struct ctx_token_checkpoint past[CTX_PRETOKENIZE_UNSURE];
	struct head_search search = {c, text, limit, {0, 0}};
	struct ctx_text_splitter w;
	size_t place = cut->at, i;
	int rc, clean;

	if (!ctx_tokenizer_real(c->tokenizer))
		return estimate_head(c, text, limit, cut, err);
	for (i = 0; i < CTX_PRETOKENIZE_UNSURE; i++)
		past[i] = *cut;
	ctx_text_splitter_init(&w, c, text.p, text.n);
	w.spans.at = cut->at;
	w.tokens = cut->tokens;
	while ((rc = ctx_text_splitter_next(&w, STEP, err)) > 0) {
		clean = ctx_text_splitter_place(&w, &place, err);
		if (clean < 0)
			return -1;
		if (w.tokens > limit)
			break;
		for (i = 0; clean && i + 1 < CTX_PRETOKENIZE_UNSURE; i++)
			past[i] = past[i + 1];
		if (clean)
			past[i] =
			    (struct ctx_token_checkpoint){place, w.tokens};
	}
	*cut = past[rc == 0 ? CTX_PRETOKENIZE_UNSURE - 1 : 0];
	if (rc <= 0)
		return rc;
	search.from = *cut;
	return c->local ? search_head(&search, cut, place, err)
			: search_whole(&search, cut, place, err);
}
