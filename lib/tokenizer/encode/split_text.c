/*
 * split_text.c - splits a text into pretokens and counts them, some at a time
 *
 * The order of the steps is that of the tokenizers library:
 *  - find added tokens in the original text
 *  - normalize the text between them (to NFC, or as SentencePiece does), if the
 *    encoding demands it
 *  - find those added tokens that are searched for in the normalized text
 *  - split the remaining text into pretokens
 */
#include "tokenizer/encode/blanks.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/open.h"

#define NORMAL_ADDED (CTX_NAMES_NORMAL * CTX_NAMES_ADDED)

static struct ctx_spans
make_spans(const char *p, size_t n, bool scanned)
{
	return (struct ctx_spans){{p, n}, 0, n, scanned};
}

void
ctx_text_splitter_init_plain(struct ctx_text_splitter *w,
    struct ctx_token_counter *counter, const char *p, size_t n)
{
	w->counter = counter;
	w->spans = make_spans(p, n, true);
	w->normal.text.n = w->normal.at = 0;
	w->tokens = 0;
	w->nfc = w->changed = w->different = w->mapped = false;
	ctx_counter_begin(counter);
}

void
ctx_text_splitter_init(struct ctx_text_splitter *w,
    struct ctx_token_counter *counter, const char *p, size_t n)
{
	ctx_text_splitter_init_plain(w, counter, p, n);
	w->spans.scanned = counter->added == 0;
	w->nfc = counter->nfc;
}

static void
find_next_name(struct ctx_text_splitter *w, struct ctx_spans *s, unsigned names)
{
	s->end = s->at +
	    ctx_added_token_find(w->counter->tokenizer, s->text.p + s->at,
		s->text.n - s->at, names);
	s->scanned = true;
	ctx_counter_begin(w->counter);
}

static void
skip_name(struct ctx_text_splitter *w, struct ctx_spans *s, unsigned names)
{
	uint32_t id;

	s->at += ctx_added_token_at(w->counter->tokenizer, s->text.p + s->at,
	    s->text.n - s->at, names, &id);
	w->tokens++;
	s->scanned = false;
}

/* Makes one step in a text: counts the added token at the current position, or
 * the next pretokens (pieces of text that are encoded by themselves) before the
 * next added token. */
static int
advance_span(struct ctx_text_splitter *w, struct ctx_spans *s, unsigned names,
    size_t max, struct ctx_err *err)
{
	struct ctx_str text;
	size_t used = 0;

	if (!s->scanned)
		find_next_name(w, s, names);
	if (s->at == s->end) {
		skip_name(w, s, names);
		return 0;
	}
	text = (struct ctx_str){s->text.p + s->at, s->end - s->at};
	if (ctx_counter_count(w->counter, text, max, &w->tokens, &used, err) <
	    0)
		return -1;
	s->at += used;
	return 0;
}

static bool
begins_with_blank(struct ctx_str text)
{
	return text.p[0] == ' ' ||
	    (text.n >= 3 && memcmp(text.p, CTX_BLANK_SIGN, 3) == 0);
}

/* Returns true if the encoding puts a blank before this text. first: true if
 * the text is at the beginning of the caller's text, false if it comes after an
 * added token. */
static bool
gets_prefix(const struct ctx_token_counter *c, struct ctx_str text, bool first)
{
	uint32_t flags = c->tokenizer->vocab.head->flags;

	return (flags & CTX_VOCAB_PREFIX) != 0 && text.n > 0 &&
	    (first || (flags & CTX_VOCAB_PREFIX_ONCE) == 0) &&
	    ((flags & CTX_VOCAB_PREFIX_WORD) == 0 || !begins_with_blank(text));
}

int
ctx_counter_normalize(struct ctx_token_counter *c, struct ctx_str *text,
    bool first, bool *changed, struct ctx_err *err)
{
	c->normalizer.prefix = gets_prefix(c, *text, first);
	return ctx_nfc_text(&c->normalizer, text, &c->normal, changed, err);
}

/* Normalizes the ordinary text (text without added tokens) that begins at
 * w->spans.at. */
static int
start_normal_text(struct ctx_text_splitter *w, struct ctx_err *err)
{
	struct ctx_token_counter *c = w->counter;
	struct ctx_str text = {w->spans.text.p + w->spans.at,
	    w->spans.end - w->spans.at};

	if (ctx_counter_normalize(c, &text, w->spans.at == 0, &w->changed,
		err) < 0)
		return -1;
	w->different |= w->changed;
	w->mapped = false;
	w->normal = make_spans(text.p, text.n, c->added_normal == 0);
	ctx_counter_begin(c);
	return 0;
}

static int
advance_normal(struct ctx_text_splitter *w, size_t max, struct ctx_err *err)
{
	struct ctx_spans *s = &w->spans, *normal = &w->normal;

	if (normal->text.n == 0) {
		if (!s->scanned)
			find_next_name(w, s, CTX_NAMES_ADDED);
		if (s->at == s->end) {
			skip_name(w, s, CTX_NAMES_ADDED);
			return 0;
		}
		if (start_normal_text(w, err) < 0)
			return -1;
	}
	if (advance_span(w, normal, NORMAL_ADDED, max, err) < 0)
		return -1;
	if (normal->at == normal->text.n) {
		s->at = s->end;
		normal->text.n = normal->at = 0;
	}
	return 0;
}

int
ctx_text_splitter_next(struct ctx_text_splitter *w, size_t max,
    struct ctx_err *err)
{
	int rc;

	if (w->spans.at == w->spans.text.n)
		return 0;
	if (w->counter->tokenizer->claude != NULL)
		rc = ctx_units_count(w->counter, w->spans.text, &w->spans.at,
		    max, &w->tokens, err);
	else
		rc = w->nfc
		    ? advance_normal(w, max, err)
		    : advance_span(w, &w->spans, CTX_NAMES_ADDED, max, err);
	return rc < 0 ? -1 : 1;
}

int
ctx_text_splitter_place(struct ctx_text_splitter *w, size_t *at,
    struct ctx_err *err)
{
	struct ctx_token_counter *c = w->counter;
	struct ctx_spans *s = &w->spans;
	struct ctx_str text = {s->text.p + s->at, s->end - s->at};
	int rc;

	*at = s->at + w->normal.at;
	if (w->normal.text.n == 0 || !w->changed)
		return 1;
	if (!w->mapped &&
	    ctx_nfc_map_init(&c->map, &c->normalizer, text, err) < 0)
		return -1;
	w->mapped = true;
	rc = ctx_nfc_map_place(&c->map, w->normal.at, at, err);
	*at += s->at;
	return rc;
}

bool
ctx_token_estimate(const struct ctx_token_counter *c, size_t n,
    uint64_t *tokens)
{
	*tokens =
	    (uint64_t)n / CTX_BYTES_PER_TOKEN + (n % CTX_BYTES_PER_TOKEN != 0);
	return !ctx_tokenizer_real(c->tokenizer);
}

int
ctx_token_count(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_text_splitter w;
	struct ctx_text_count *known;
	int rc;

	if (ctx_token_estimate(c, n, tokens))
		return 0;
	known = ctx_text_counts_find(&c->texts, p, n);
	if (known != NULL && known->tokens > 0) {
		*tokens = known->tokens;
		return 0;
	}
	ctx_text_splitter_init(&w, c, p, n);
	while ((rc = ctx_text_splitter_next(&w, CTX_PRETOKENIZE_MAX, err)) > 0)
		;
	*tokens = w.tokens;
	if (known != NULL && rc == 0)
		known->tokens = *tokens;
	return rc;
}
