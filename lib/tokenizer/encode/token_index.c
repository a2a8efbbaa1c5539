/*
 * token_index.c - counts a text once, so that parts of it can be counted
 * quickly
 *
 * A mark is a boundary between two pretokens (pieces of text that are encoded
 * by themselves), together with the number of tokens before it (struct
 * ctx_token_checkpoint).  The number of tokens between two marks is the
 * difference of the two marks' numbers of tokens, because pretokens are encoded
 * independently.  A boundary is stored as a mark only if text that is appended
 * later cannot move it: at least CTX_PRETOKENIZE_UNSURE pretokens must be after
 * it.
 */
#include <stdlib.h>

#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/fit_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/open.h"

#define DISTANCE 4096 /* least number of bytes from one mark to the next */
/* number of pretokens (words, numbers, ...) that are counted in one step */
#define STEP 256

static int
append_mark(struct ctx_token_index *m, struct ctx_token_checkpoint mark,
    struct ctx_err *err)
{
	if (CTX_GROW(m->list, m->cap, m->n + 1, err) < 0)
		return -1;
	m->list[m->n++] = mark;
	return 0;
}

/* Returns the number of marks (stored boundaries between pretokens (words,
 * numbers, ...)) at offsets up to and including "at". */
static size_t
count_marks_until(const struct ctx_token_index *m, size_t at)
{
	size_t low = 0, high = m->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->list[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns mark i, counted from 1: a stored boundary between pretokens (words,
 * numbers, ...), with the number of tokens before it.  Mark 0 is the beginning
 * of the text. */
static struct ctx_token_checkpoint
get_mark(const struct ctx_token_index *m, size_t i)
{
	return i == 0 ? (struct ctx_token_checkpoint){0, 0} : m->list[i - 1];
}

int
ctx_token_index_append(struct ctx_token_index *m, struct ctx_token_counter *c,
    struct ctx_str text, struct ctx_err *err)
{
	struct ctx_token_checkpoint from = get_mark(m, m->n),
				    past[CTX_PRETOKENIZE_UNSURE];
	struct ctx_text_splitter w;
	size_t settled = text.n, at, i;
	int rc, clean;

	m->counter = c;
	m->text = text;
	if (!ctx_tokenizer_real(c->tokenizer))
		return ctx_token_count(c, text.p, text.n, &m->tokens, err);
	if (ctx_tokenizer_nfc(c->tokenizer))
		settled = from.at +
		    ctx_nfc_settled(text.p + from.at, text.n - from.at);
	for (i = 0; i < CTX_PRETOKENIZE_UNSURE; i++)
		past[i] = from;
	ctx_text_splitter_init(&w, c, text.p, text.n);
	w.spans.at = from.at;
	while ((rc = ctx_text_splitter_next(&w, STEP, err)) > 0) {
		clean = ctx_text_splitter_place(&w, &at, err);
		if (clean < 0)
			return -1;
		/* past[0] is the end of an earlier step, CTX_PRETOKENIZE_UNSURE
		 * steps ago.  At least CTX_PRETOKENIZE_UNSURE pretokens come
		 * after this place, so it can be stored as a mark: a place from
		 * which counting can begin.  If c->local is false, appended
		 * text may move any boundary (because of added tokens or
		 * patterns of a vocabulary file), so no marks are stored. */
		if (c->local && at <= settled &&
		    past[0].at - get_mark(m, m->n).at >= DISTANCE &&
		    append_mark(m, past[0], err) < 0)
			return -1;
		if (!clean)
			continue;
		for (i = 0; i + 1 < CTX_PRETOKENIZE_UNSURE; i++)
			past[i] = past[i + 1];
		past[i] =
		    (struct ctx_token_checkpoint){at, from.tokens + w.tokens};
	}
	m->tokens = from.tokens + w.tokens;
	m->changed |= w.different;
	return rc;
}

/* Called to count the text from the offset "from" on as a text of its own.  If
 * this text is split into pretokens (words, numbers, ...), its boundaries are
 * usually those of the whole text after a few pretokens.  Finds the first
 * boundary that both have.  Sets *whole to the number of pretokens between
 * mark_at and this boundary in the whole text, and *own to the number of
 * pretokens before it in the text from "from" on. mark_at: a boundary at or
 * before "from".  Returns false if no common boundary is near. */
static bool
find_shared(const struct ctx_token_index *m, size_t mark_at, size_t from,
    size_t *own, size_t *whole)
{
	struct ctx_token_counter *c = m->counter;
	const char *p = m->text.p;
	size_t n = m->text.n;
	struct ctx_pretokenize *a = &c->pretokens, *b = &c->other_pretokens;
	size_t i = 0, k = 0;

	ctx_counter_split_plain(c, a, 0,
	    (struct ctx_str){p + mark_at, n - mark_at}, CTX_PRETOKENIZE_MAX);
	ctx_counter_split_plain(c, b, 0, (struct ctx_str){p + from, n - from},
	    CTX_PRETOKENIZE_MAX);
	while (i < a->n && k < b->n) {
		if (mark_at + a->end[i] == from + b->end[k]) {
			*whole = i + 1;
			*own = k + 1;
			return true;
		}
		if (mark_at + a->end[i] < from + b->end[k])
			i++;
		else
			k++;
	}
	return false;
}

/* Counts a number of pretokens (words, numbers, ...) of a text, from the offset
 * sum->at on.  Moves sum->at to the end of the last of these pretokens, and
 * adds their number of tokens to sum->tokens. */
static int
count_pretokens(const struct ctx_token_index *m, struct ctx_str text,
    size_t pretokens, struct ctx_token_checkpoint *sum, struct ctx_err *err)
{
	struct ctx_text_splitter w;

	ctx_text_splitter_init_plain(&w, m->counter, text.p, text.n);
	w.spans.at = sum->at;
	if (ctx_text_splitter_next(&w, pretokens, err) < 0)
		return -1;
	sum->at = w.spans.at;
	sum->tokens += w.tokens;
	return 0;
}

/* Counts the end of the text [0, to), which is a beginning of the indexed text.
 * The last few boundaries before "to" may differ from those of the indexed
 * text.  So sets *last to the last mark (stored boundary) after which there are
 * enough pretokens (words, numbers, ...), or to mark 0, the beginning of the
 * text.  Sets *tail to the number of tokens from this mark to the offset
 * "to". */
static int
find_last_mark(const struct ctx_token_index *m, size_t to,
    struct ctx_token_checkpoint *last, uint64_t *tail, struct ctx_err *err)
{
	size_t i = count_marks_until(m, to), steps;
	struct ctx_text_splitter w;
	int rc;

	for (;; i--) {
		*last = get_mark(m, i);
		steps = 0;
		ctx_text_splitter_init_plain(&w, m->counter, m->text.p, to);
		w.spans.at = last->at;
		while ((rc = ctx_text_splitter_next(&w,
			    steps < 2 * CTX_PRETOKENIZE_UNSURE ? 1 : STEP,
			    err)) > 0)
			steps++;
		*tail = w.tokens;
		if (rc < 0)
			return -1;
		if (i == 0 || steps >= 2 * CTX_PRETOKENIZE_UNSURE)
			return 0;
	}
}

int
ctx_token_index_range(const struct ctx_token_index *m, size_t from, size_t to,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_checkpoint before =
					get_mark(m, count_marks_until(m, from)),
				    last;
	struct ctx_token_checkpoint part = {0, 0};
	struct ctx_token_counter *c = m->counter;
	const char *p = m->text.p + from;
	size_t own, whole;
	uint64_t tail;

	if (!c->local || m->changed || to - from < 2 * DISTANCE)
		return ctx_token_count(c, p, to - from, tokens, err);
	if (find_last_mark(m, to, &last, &tail, err) < 0)
		return -1;
	if (last.at <= from || !find_shared(m, before.at, from, &own, &whole))
		return ctx_token_count(c, p, to - from, tokens, err);
	if (count_pretokens(m, (struct ctx_str){p, m->text.n - from}, own,
		&part, err) < 0 ||
	    count_pretokens(m, m->text, whole, &before, err) < 0)
		return -1;
	if (from + part.at > last.at)
		return ctx_token_count(c, p, to - from, tokens, err);
	*tokens = part.tokens + (last.tokens - before.tokens) + tail;
	return 0;
}

/* Returns the index of the last mark before which the text has at most the
 * given number of tokens.  A mark is a stored boundary between pretokens. */
static size_t
count_marks_within(const struct ctx_token_index *m, uint64_t tokens)
{
	size_t low = 0, high = m->n, middle;

	while (low < high) {
		middle = low + (high - low + 1) / 2;
		if (get_mark(m, middle).tokens <= tokens)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

int
ctx_token_index_head(const struct ctx_token_index *m, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_checkpoint cut =
	    get_mark(m, count_marks_within(m, limit));

	if (ctx_fit_head(m->counter, m->text, limit, &cut, err) < 0)
		return -1;
	*at = cut.at;
	*tokens = cut.tokens;
	return 0;
}

/* Finds a longer end of the text that has at most limit tokens, by bisection.
 * The caller must pass a high->at from which on the text has at most limit
 * tokens, and a "low" from which on it has more.  Moves *high to the offset at
 * which the end that was found begins. */
static int
search_tail(const struct ctx_token_index *m, size_t low,
    struct ctx_token_checkpoint *high, uint64_t limit, struct ctx_err *err)
{
	const char *p = m->text.p;
	size_t n = m->text.n, middle;
	uint64_t tokens;

	for (;;) {
		middle = ctx_fit_before(p, n, low + (high->at - low) / 2);
		/* The middle may be rounded down to low although a character
		 * begins between low and high.  Then the beginning of the last
		 * character before high is tried. */
		if (middle <= low)
			middle = ctx_fit_before(p, n, high->at - 1);
		if (middle <= low)
			return 0;
		if (ctx_token_index_range(m, middle, n, &tokens, err) < 0)
			return -1;
		if (tokens <= limit)
			*high = (struct ctx_token_checkpoint){middle, tokens};
		else
			low = middle;
	}
}

/* Finds the longest end of the text with at most limit tokens for the encoding
 * "bytes/4", which estimates the number of tokens from the number of bytes. */
static int
estimate_tail(const struct ctx_token_index *m, uint64_t limit, size_t *at,
    uint64_t *tokens, struct ctx_err *err)
{
	const char *p = m->text.p;
	size_t n = m->text.n;

	*at = 0;
	if (n / CTX_BYTES_PER_TOKEN >= limit)
		*at = n - (size_t)limit * CTX_BYTES_PER_TOKEN;
	while (*at < n && ((unsigned char)p[*at] & 0xc0) == 0x80)
		++*at;
	return ctx_token_count(m->counter, p + *at, n - *at, tokens, err);
}

int
ctx_token_index_tail(const struct ctx_token_index *m, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_token_checkpoint high = {m->text.n, 0};
	uint64_t cost;
	size_t i;

	if (!ctx_tokenizer_real(m->counter->tokenizer))
		return estimate_tail(m, limit, at, tokens, err);
	if (m->tokens <= limit) {
		*at = 0;
		*tokens = m->tokens;
		return 0;
	}
	/* A mark is a stored boundary between pretokens.  The loop goes back
	 * from mark to mark as long as the text after the mark has at most
	 * limit tokens.  It begins one mark later than the stored numbers of
	 * tokens suggest, because the end of a text, counted alone, may have a
	 * few tokens more or less. */
	i = count_marks_within(m, m->tokens - limit);
	for (i += i < m->n;; i--) {
		if (ctx_token_index_range(m, get_mark(m, i).at, m->text.n,
			&cost, err) < 0)
			return -1;
		if (cost > limit || i == 0)
			break;
		high = (struct ctx_token_checkpoint){get_mark(m, i).at, cost};
	}
	if (search_tail(m, get_mark(m, i).at, &high, limit, err) < 0)
		return -1;
	*at = high.at;
	*tokens = high.tokens;
	return 0;
}

void
ctx_token_index_reset(struct ctx_token_index *m)
{
	m->n = m->text.n = 0;
	m->tokens = 0;
	m->changed = false;
}

void
ctx_token_index_release(struct ctx_token_index *m)
{
	free(m->list);
	memset(m, 0, sizeof *m);
}

int
ctx_token_head(struct ctx_token_counter *c, struct ctx_str text, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	const struct ctx_token_index index = {.counter = c, .text = text};

	return ctx_token_index_head(&index, limit, at, tokens, err);
}

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
