/*
 * fit_tokens.c - finds the longest beginning of a text that has at most a
 * certain number of tokens
 *
 * The text is counted step by step, until a step exceeds the limit.  Near this
 * place the cut is found by bisection; each try is counted as a text that ends
 * there.  A new end changes only the last pretokens, so each try counts only
 * the last steps again.
 */
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/fit_tokens.h"
#include "tokenizer/open.h"

#define STEP 256 /* number of pretokens that are counted in one step */

/* Finds the longest beginning of a text for the encoding "bytes/4".  It
 * estimates tokens from the number of bytes, so nothing is counted. */
static int
estimate_head(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	*at = text.n;
	if (text.n / CTX_BYTES_PER_TOKEN >= limit)
		*at = (size_t)limit * CTX_BYTES_PER_TOKEN;
	if (*at > text.n)
		*at = text.n;
	*at = ctx_fit_before(text.p, text.n, *at);
	return ctx_token_count(c, text.p, *at, tokens, err);
}

/* Searches for a cut between *low and high by bisection, such that the text up
 * to the cut has at most limit tokens.  Moves *low to the last such cut that
 * it finds. */
static int
search_head(struct ctx_token_counter *c, struct ctx_str text,
    struct ctx_token_checkpoint *low, size_t high, uint64_t limit,
    struct ctx_err *err)
{
	uint64_t tokens;
	size_t middle;

	for (;;) {
		middle = low->at + (high - low->at + 1) / 2;
		middle = ctx_fit_before(text.p, text.n, middle);
		/* The cut was moved down to the start of a character.  It is
		 * now *low, although another character may begin between *low
		 * and high. */
		if (middle <= low->at)
			middle = ctx_fit_before(text.p, text.n, high - 1);
		if (middle <= low->at || middle >= high)
			return 0;
		if (ctx_token_count(c, text.p, middle, &tokens, err) < 0)
			return -1;
		if (tokens <= limit)
			*low = (struct ctx_token_checkpoint){middle, tokens};
		else
			high = middle;
	}
}

/* The text up to *low has at most limit tokens, the text up to high has more.
 * Moves *low to a later cut such that the text up to the cut has at most limit
 * tokens.  *low is a boundary between pretokens, so the text from there on is
 * counted by itself. */
static int
search_from(struct ctx_token_counter *c, struct ctx_str text,
    struct ctx_token_checkpoint *low, size_t high, uint64_t limit,
    struct ctx_err *err)
{
	struct ctx_str rest = {text.p + low->at, text.n - low->at};
	struct ctx_token_checkpoint found = {0, 0};

	if (search_head(c, rest, &found, high - low->at, limit - low->tokens,
		err) < 0)
		return -1;
	low->at += found.at;
	low->tokens += found.tokens;
	return 0;
}

/* Does what search_from does, for encodings in which a cut may change more
 * than the last pretokens.  For each cut, the whole text up to the cut is
 * counted. */
static int
search_whole(struct ctx_token_counter *c, struct ctx_str text,
    struct ctx_token_checkpoint *low, size_t high, uint64_t limit,
    struct ctx_err *err)
{
	if (ctx_token_count(c, text.p, low->at, &low->tokens, err) < 0)
		return -1;
	if (low->tokens > limit)
		*low = (struct ctx_token_checkpoint){0, 0};
	return search_head(c, text, low, high, limit, err);
}

/* Finds the longest beginning of a text that has at most limit tokens.  The
 * encoding must have a vocabulary (not "bytes/4"). */
static int
fit_head(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    struct ctx_token_checkpoint *cut, struct ctx_err *err)
{
	struct ctx_token_checkpoint past[CTX_PRETOKENIZE_UNSURE] = {0};
	struct ctx_text_splitter w;
	size_t place = 0, i;
	int rc, clean;

	ctx_text_splitter_init(&w, c, text.p, text.n);
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
	return c->local ? search_from(c, text, cut, place, limit, err)
			: search_whole(c, text, cut, place, limit, err);
}

int
ctx_token_head(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_checkpoint cut;

	if (!ctx_tokenizer_real(c->tokenizer))
		return estimate_head(c, text, limit, at, tokens, err);
	if (fit_head(c, text, limit, &cut, err) < 0)
		return -1;
	*at = cut.at;
	*tokens = cut.tokens;
	return 0;
}
