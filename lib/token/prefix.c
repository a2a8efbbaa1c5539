/*
 * prefix.c - a text counted while it comes
 *
 * What is counted for good ends at a boundary between pieces that no byte
 * behind it can move.  The built-in splitters are sure of all but the last
 * few pieces; the patterns of files are sure of a match that did not look at
 * the end of the text; and where a name of an added token could begin that
 * is not whole yet, the text may end there.
 */
#include "token/cut.h"

#define STEP 256 /* pieces counted at once */

/* Where the last character begins if it is not whole, else n. */
static size_t
whole_characters(const char *p, size_t n)
{
	size_t at = n > 0 ? ctx_cut_before(p, n, n - 1) : 0;
	unsigned char lead = n > 0 ? (unsigned char)p[at] : 0;
	size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2
									   : 1;

	return n - at < length ? at : n;
}

/* Adds a text to its end. */
static int
count_closed(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_mark *sum, struct ctx_err *err)
{
	struct ctx_walk w;
	int rc;

	ctx_walk_init(&w, c, p, n);
	w.scanned = true;
	while ((rc = ctx_walk_next(&w, CTX_SPLIT_MAX, err)) > 0)
		;
	sum->at += n;
	sum->tokens += w.tokens;
	return rc;
}

/* Adds what is sure of a text that may go on or end anywhere behind n. */
static int
count_open(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_mark *sum, struct ctx_err *err)
{
	struct ctx_mark past[CTX_SPLIT_UNSURE + 1] = {{0, 0}};
	size_t sure = c->chain == NULL ? CTX_SPLIT_UNSURE : 0, i;
	struct ctx_walk w;
	int rc;

	ctx_walk_init(&w, c, p, n);
	w.scanned = true;
	if (c->chain != NULL)
		ctx_chain_part(c->chain);
	/* A walk by patterns ends where one would have to see more, so never
	 * within a match of the first, from where nobody could go on. */
	while ((rc = ctx_walk_next(&w, STEP, err)) > 0 && w.at > past[0].at) {
		for (i = sure; i > 0; i--)
			past[i] = past[i - 1];
		past[0] = (struct ctx_mark){w.at, w.tokens};
	}
	sum->at += past[sure].at;
	sum->tokens += past[sure].tokens;
	return rc < 0 ? -1 : 0;
}

int
ctx_token_prefix(struct ctx_token_counter *c, const char *p, size_t n,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	const struct ctx_tokenizer *t = c->tokenizer;
	size_t longest = c->added > 0 ? c->added : 1, end, span;
	struct ctx_mark sum = {0, 0};
	uint32_t id;

	end = n < longest ? 0 : whole_characters(p, n - longest + 1);
	if (!ctx_tokenizer_real(t)) {
		sum.at = n - n % CTX_BYTES_PER_TOKEN;
		sum.tokens = sum.at / CTX_BYTES_PER_TOKEN;
		end = 0;
	}
	while (sum.at < end) {
		span = n;
		if (c->added > 0)
			span = sum.at + ctx_special_find(t, p + sum.at,
			    n - sum.at, true);
		if (span >= end) {
			if (count_open(c, p + sum.at, end - sum.at, &sum,
				err) < 0)
				return -1;
			break;
		}
		if (count_closed(c, p + sum.at, span - sum.at, &sum, err) < 0)
			return -1;
		sum.at += ctx_special_at(t, p + span, n - span, true, &id);
		sum.tokens++;
	}
	*at = sum.at;
	*tokens = sum.tokens;
	return 0;
}
