/*
 * count_streaming.c - counts the tokens of a text of which only the first part
 * is known
 *
 * Counting ends at a boundary between pretokens that later bytes certainly
 * cannot change.  Which boundaries are certain depends on the encoding:
 *  - Built-in pretokenizers: all boundaries except the last few.
 *  - Patterns of vocabulary files: the end of a match that was found without
 *    looking at the end of the known text.
 *  - Units of Claude's encodings: each cut for which both neighbouring
 *    characters are known.
 *  - Added tokens: a boundary is certain if no name of an added token can begin
 *    before the boundary and end in later text.
 *  - Normalized text (NFC): a boundary is certain if later combining marks
 *    cannot change the characters before it.  If normalization changes the
 *    text, counting ends only at offsets that have a counterpart in the
 *    original text.
 */
#include "tokenizer/encode/blanks.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/fit_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/open.h"
#include "tokenizer/vocabulary/crossing.h"

/* number of pretokens (pieces of text that are encoded by themselves) that are
 * counted in one step */
#define STEP 256

/* Returns the length of the text without an incomplete character at its end. */
static size_t
find_whole_end(const char *p, size_t n)
{
	size_t at = n > 0 ? ctx_fit_before(p, n, n - 1) : 0;
	unsigned char lead = n > 0 ? (unsigned char)p[at] : 0;
	size_t length = lead >= 0xf0 ? 4
	    : lead >= 0xe0           ? 3
	    : lead >= 0xc0           ? 2
				     : 1;

	return n - at < length ? at : n;
}

/* Returns the offset up to which all names of added tokens are certainly found.
 * A name that begins later may be incomplete at the end of the known text.
 * longest: length in bytes of the longest name.  The offset is the end of a
 * character. */
static size_t
find_names_end(const char *p, size_t n, size_t longest)
{
	size_t more = longest > 0 ? longest - 1 : 0;

	return n <= more ? 0 : find_whole_end(p, n - more);
}

/* Counts a complete text of n bytes without names of added tokens, and adds the
 * numbers of its bytes and tokens to *sum. */
static int
count_closed(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_token_checkpoint *sum, struct ctx_err *err)
{
	struct ctx_text_splitter w;
	int rc;

	ctx_text_splitter_init(&w, c, p, n);
	w.spans.scanned = true;
	while ((rc = ctx_text_splitter_next(&w, CTX_PRETOKENIZE_MAX, err)) > 0)
		;
	sum->at += n;
	sum->tokens += w.tokens;
	return rc;
}

/* State of counting the beginning of a text whose rest is not known yet.  The
 * text is already normalized. */
struct open {
	struct ctx_token_counter *counter;
	struct ctx_str text;
	size_t at;       /* number of bytes that were counted */
	uint64_t tokens; /* number of tokens in the bytes that were counted */
	bool changed;    /* true if normalization has changed the text */
	struct ctx_nfc_map map;
	/* Place up to which the count is final: an offset in the original text,
	 * and the number of tokens before it. */
	struct ctx_token_checkpoint sure;
};

/* Stores that the count is final up to the offset "at" in the normal form.
 * Does nothing if the original text has no corresponding offset, because
 * normalization has changed the text there. */
static int
confirm_count(struct open *open, size_t at, uint64_t tokens,
    struct ctx_err *err)
{
	int clean =
	    !open->changed ? 1 : ctx_nfc_map_place(&open->map, at, &at, err);

	if (clean > 0)
		open->sure = (struct ctx_token_checkpoint){at, tokens};
	return clean < 0 ? -1 : 0;
}

/* Counts the text up to the offset "end", at which an added token begins, and
 * stores that the count is final up to this offset. */
static int
count_to(struct open *open, size_t end, struct ctx_err *err)
{
	struct ctx_text_splitter w;
	int rc;

	ctx_text_splitter_init_plain(&w, open->counter, open->text.p + open->at,
	    end - open->at);
	while ((rc = ctx_text_splitter_next(&w, CTX_PRETOKENIZE_MAX, err)) > 0)
		;
	open->at = end;
	open->tokens += w.tokens;
	return rc;
}

/* Counts the text up to the offset "end", but only as far as later bytes cannot
 * change the count.  The caller must pass a text that contains no names of
 * added tokens before "end". */
static int
count_sure(struct open *open, size_t end, struct ctx_err *err)
{
	struct ctx_token_counter *c = open->counter;
	struct ctx_token_checkpoint past[CTX_PRETOKENIZE_UNSURE + 1] = {{0, 0}};
	size_t sure = c->pcre2 == NULL ? CTX_PRETOKENIZE_UNSURE : 0, i;
	struct ctx_text_splitter w;
	int rc;

	ctx_text_splitter_init_plain(&w, c, open->text.p + open->at,
	    end - open->at);
	if (c->pcre2 != NULL)
		ctx_pcre2_part(c->pcre2);
	/* With the patterns of a vocabulary file, splitting stops before a
	 * match that would depend on unknown text, so all boundaries are
	 * certain. */
	while ((rc = ctx_text_splitter_next(&w, STEP, err)) > 0 &&
	    w.spans.at > past[0].at) {
		for (i = sure; i > 0; i--)
			past[i] = past[i - 1];
		past[0] = (struct ctx_token_checkpoint){w.spans.at, w.tokens};
		if (past[sure].at > 0 &&
		    confirm_count(open, open->at + past[sure].at,
			open->tokens + past[sure].tokens, err) < 0)
			return -1;
	}
	return rc < 0 ? -1 : 0;
}

/* Counts the normalized text as far as later bytes cannot change the count.
 * Also finds the names of added tokens that are searched for in normalized
 * text. */
static int
count_names(struct open *open, struct ctx_err *err)
{
	const unsigned names = CTX_NAMES_NORMAL * CTX_NAMES_ADDED;
	struct ctx_token_counter *c = open->counter;
	struct ctx_str text = open->text;
	size_t end = find_names_end(text.p, text.n, c->added_normal), span;
	uint32_t id;

	while (open->at < end) {
		span = text.n;
		if (c->added_normal > 0)
			span = open->at +
			    ctx_added_token_find(c->tokenizer,
				text.p + open->at, text.n - open->at, names);
		if (span >= end)
			return count_sure(open, end, err);
		if (count_to(open, span, err) < 0)
			return -1;
		open->at += ctx_added_token_at(c->tokenizer, text.p + span,
		    text.n - span, names, &id);
		open->tokens++;
		if (confirm_count(open, open->at, open->tokens, err) < 0)
			return -1;
	}
	return 0;
}

/* Counts a text whose rest is not known, as far as later bytes cannot change
 * the count.  Adds the numbers of the counted bytes and of their tokens to
 * *sum. */
static int
count_open(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_token_checkpoint *sum, struct ctx_err *err)
{
	struct open open = {.counter = c, .text = {p, n}};

	if (c->nfc &&
	    ctx_counter_normalize(c, &open.text, false, &open.changed, err) < 0)
		return -1;
	if (open.changed &&
	    ctx_nfc_map_init(&open.map, &c->normalizer, (struct ctx_str){p, n},
		err) < 0)
		return -1;
	if (count_names(&open, err) < 0)
		return -1;
	sum->at += open.sure.at;
	sum->tokens += open.sure.tokens;
	return 0;
}

/* Some encodings put a blank before each text.  Finds the last blank of a text
 * that can be replaced by such a blank: if the part after it is counted as a
 * text of its own, both parts together have as many tokens as the whole text.
 * Returns the offset of the blank, or 0 if there is none.  A blank at offset 0
 * is not used, because an added token may be before it. */
static size_t
find_last_blank(const struct ctx_vocab *v, struct ctx_str text)
{
	const unsigned char *s = (const unsigned char *)text.p;
	size_t at;

	for (at = text.n < 2 ? 0 : text.n - 2; at > 0; at--)
		if (s[at] == ' ' && s[at - 1] < 0x80 &&
		    !ctx_vocab_crossing(v, s[at - 1], ' ', s[at - 1], ' ') &&
		    s[at + 1] != ' ' &&
		    s[at + 1] != (unsigned char)CTX_BLANK_SIGN[0])
			return at;
	return 0;
}

/* Returns the offset of the end of the last added token in a text. */
static size_t
find_last_name_end(const struct ctx_token_counter *c, struct ctx_str text)
{
	const struct ctx_tokenizer *t = c->tokenizer;
	size_t from = 0, at = 0;
	uint32_t id;

	while (c->added > 0 && at < text.n) {
		at += ctx_added_token_find(t, text.p + at, text.n - at,
		    CTX_NAMES_ADDED);
		if (at == text.n)
			break;
		at += ctx_added_token_at(t, text.p + at, text.n - at,
		    CTX_NAMES_ADDED, &id);
		from = at;
	}
	return from;
}

/* Counts a text as far as later bytes cannot change the count, for encodings
 * that put a blank before each text.  Sets *at to the offset after a blank of
 * the text, from which the rest will be counted as a text of its own: the blank
 * that the encoding puts before the rest replaces the blank in the text.  Only
 * blanks after the last added token are used. */
static int
count_to_blank(struct ctx_token_counter *c, struct ctx_str text, size_t *at,
    uint64_t *tokens, struct ctx_err *err)
{
	size_t from = find_last_name_end(c, text), blank;
	/* The text after the blank must not begin with the name of an added
	 * token: the encoding would put no blank before such a text. */
	size_t end = find_names_end(text.p, text.n,
	    c->added > c->added_normal ? c->added : c->added_normal);

	*at = 0;
	*tokens = 0;
	if (end <= from || ctx_added_token_has_blank(c->tokenizer))
		return 0;
	blank = find_last_blank(&c->tokenizer->vocab,
	    (struct ctx_str){text.p + from, end - from});
	if (blank == 0)
		return 0;
	*at = from + blank + 1;
	return ctx_token_count(c, text.p, from + blank, tokens, err);
}

/* Counts a text as far as later bytes cannot change the count, for an encoding
 * of Claude.  Sets *sum to an offset from which the following text can be
 * counted as a text of its own, and to the number of tokens before this
 * offset. */
static int
count_sure_units(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_token_checkpoint *sum, struct ctx_err *err)
{
	struct ctx_token_checkpoint here;
	struct ctx_text_splitter w;
	int rc, cut;

	ctx_text_splitter_init(&w, c, p, n);
	while ((rc = ctx_text_splitter_next(&w, STEP, err)) > 0) {
		here = (struct ctx_token_checkpoint){w.spans.at, w.tokens};
		cut = ctx_units_cut(c, (struct ctx_str){p, n}, here.at,
		    &here.tokens, err);
		if (cut < 0)
			return -1;
		if (cut > 0)
			*sum = here;
	}
	return rc;
}

int
ctx_token_count_streaming(struct ctx_token_counter *c, const char *p, size_t n,
    size_t *at, uint64_t *tokens, struct ctx_err *err)
{
	const struct ctx_tokenizer *t = c->tokenizer;
	size_t end = find_names_end(p, n, c->added), span;
	struct ctx_token_checkpoint sum = {0, 0};
	uint32_t id;

	if (t->vocab.chars && (t->vocab.head->flags & CTX_VOCAB_PREFIX) != 0)
		return count_to_blank(c, (struct ctx_str){p, n}, at, tokens,
		    err);
	if (ctx_tokenizer_nfc(t))
		end = ctx_nfc_settled(p, end);
	if (t->claude != NULL) {
		if (count_sure_units(c, p, n, &sum, err) < 0)
			return -1;
		end = 0;
	}
	if (!ctx_tokenizer_real(t)) {
		sum.at = n - n % CTX_BYTES_PER_TOKEN;
		sum.tokens = sum.at / CTX_BYTES_PER_TOKEN;
		end = 0;
	}
	while (sum.at < end) {
		span = n;
		if (c->added > 0)
			span = sum.at +
			    ctx_added_token_find(t, p + sum.at, n - sum.at,
				CTX_NAMES_ADDED);
		if (span >= end) {
			if (count_open(c, p + sum.at, end - sum.at, &sum, err) <
			    0)
				return -1;
			break;
		}
		if (count_closed(c, p + sum.at, span - sum.at, &sum, err) < 0)
			return -1;
		sum.at += ctx_added_token_at(t, p + span, n - span,
		    CTX_NAMES_ADDED, &id);
		sum.tokens++;
	}
	*at = sum.at;
	*tokens = sum.tokens;
	return 0;
}
