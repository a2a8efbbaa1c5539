/*
 * chain.c - splitters of files: one pattern after another, through PCRE2
 *
 * Text is turned into kinds of characters (regex.h), some thousands at a
 * time, and matched as bytes.  A match that could go on behind what has been
 * turned is only a partial one; then more is, at least twice as much if that
 * was all for one piece, so that the time stays linear.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "token/chain.h"
#include "token/regex.h"

#define WINDOW	  4096	   /* characters, at first */
#define STEPS	  10000000 /* of a match, and so many for each character: */
#define STEP_MORE 16

struct ctx_chain {
	struct ctx_kinds kinds;
	size_t n;
	pcre2_code *code[CTX_CHAIN_MAX];
};

struct ctx_chain_state {
	const struct ctx_chain *chain;
	pcre2_match_data *data;
	pcre2_match_context *context;
	unsigned char *kinds, *lengths; /* of characters; in bytes */
	size_t at, n, cap;	     /* characters: the next, all, room */
	size_t bytes;		     /* of the characters from at to n */
	bool part;		     /* what comes behind is not seen */
	size_t left[CTX_CHAIN_MAX]; /* characters of the piece of each */
	struct ctx_split inner;	     /* by the built-in splitter */
};

/* A pattern that matches nothing would never come to an end. */
static int
compile(struct ctx_chain *chain, const char *pattern, struct ctx_err *err)
{
	pcre2_code **code = chain->code + chain->n;
	uint32_t empty = 1;
	PCRE2_SIZE at;
	int why;

	*code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	    PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C |
	    PCRE2_NO_AUTO_CAPTURE, &why, &at, NULL);
	if (*code == NULL && why == PCRE2_ERROR_HEAP_FAILED)
		return ctx_err_nomem(err);
	if (*code == NULL)
		return ctx_err_set(err, CTX_EFILE, CTX_REFUSED("a splitter "
		    "pattern that PCRE2 does not take"));
	chain->n++;
	(void)pcre2_pattern_info(*code, PCRE2_INFO_MATCHEMPTY, &empty);
	if (empty != 0)
		return ctx_err_set(err, CTX_EFILE, CTX_REFUSED("a splitter "
		    "pattern that can match nothing"));
	/* Without just-in-time code the interpreter does the work. */
	(void)pcre2_jit_compile(*code,
	    PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
	return 0;
}

static int
compile_all(struct ctx_chain *chain, const char *p, size_t n,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str list[CTX_CHAIN_MAX];
	size_t count = 0, at = 0, i;

	while (n > 0 && count < CTX_CHAIN_MAX &&
	    memchr(p, '\0', n) != NULL) {
		list[count] = (struct ctx_str){p, strlen(p)};
		p += list[count].n + 1;
		n -= list[count++].n + 1;
	}
	if (n > 0 || count == 0)
		return ctx_err_set(err, CTX_EFILE, CTX_REFUSED("more than "
		    "%d splitter patterns"), CTX_CHAIN_MAX);
	if (ctx_regex_translate(list, count, &chain->kinds, out, err) < 0)
		return -1;
	for (i = 0; i < count; i++) {
		if (compile(chain, out->p + at, err) < 0)
			return -1;
		at += strlen(out->p + at) + 1;
	}
	return 0;
}

int
ctx_chain_open(struct ctx_chain **chain, const char *patterns, size_t n,
    struct ctx_err *err)
{
	struct ctx_buf out = {0};
	int rc;

	*chain = calloc(1, sizeof **chain);
	if (*chain == NULL)
		return ctx_err_nomem(err);
	rc = compile_all(*chain, patterns, n, &out, err);
	ctx_buf_release(&out);
	if (rc < 0) {
		ctx_chain_close(*chain);
		*chain = NULL;
	}
	return rc;
}

void
ctx_chain_close(struct ctx_chain *chain)
{
	size_t i;

	if (chain == NULL)
		return;
	for (i = 0; i < chain->n; i++)
		pcre2_code_free(chain->code[i]);
	free(chain);
}

static int
grow(struct ctx_chain_state *s, size_t cap, struct ctx_err *err)
{
	unsigned char *kinds, *lengths;

	if (cap > SIZE_MAX / 2 || (kinds = realloc(s->kinds, cap)) == NULL)
		return ctx_err_nomem(err);
	s->kinds = kinds;
	lengths = realloc(s->lengths, cap);
	if (lengths == NULL)
		return ctx_err_nomem(err);
	s->lengths = lengths;
	s->cap = cap;
	return 0;
}

int
ctx_chain_begin(struct ctx_chain_state **state, const struct ctx_chain *chain,
    struct ctx_err *err)
{
	struct ctx_chain_state *s = calloc(1, sizeof *s);

	*state = s;
	if (s == NULL)
		return ctx_err_nomem(err);
	s->chain = chain;
	s->data = pcre2_match_data_create(1, NULL);
	s->context = pcre2_match_context_create(NULL);
	if (s->data != NULL && s->context != NULL && grow(s, WINDOW, err) == 0)
		return 0;
	ctx_chain_end(s);
	*state = NULL;
	return ctx_err_nomem(err);
}

void
ctx_chain_end(struct ctx_chain_state *s)
{
	if (s == NULL)
		return;
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	free(s->kinds);
	free(s->lengths);
	free(s);
}

void
ctx_chain_reset(struct ctx_chain_state *s)
{
	s->at = s->n = s->bytes = 0;
	s->part = false;
	memset(s->left, 0, sizeof s->left);
}

void
ctx_chain_part(struct ctx_chain_state *s)
{
	s->part = true;
}

/* Turns as many characters of p, n as there is room for, more room if all of
 * it is taken. */
static int
refill(struct ctx_chain_state *s, const char *p, size_t n,
    struct ctx_err *err)
{
	uint32_t cp;
	size_t length;

	if (s->at == 0 && s->n == s->cap && grow(s, 2 * s->cap, err) < 0)
		return -1;
	memmove(s->kinds, s->kinds + s->at, s->n - s->at);
	memmove(s->lengths, s->lengths + s->at, s->n - s->at);
	s->n -= s->at;
	s->at = 0;
	while (s->n < s->cap && s->bytes < n) {
		length = ctx_char_next(p + s->bytes, n - s->bytes, &cp);
		s->kinds[s->n] = ctx_kind_of(&s->chain->kinds, cp);
		s->lengths[s->n++] = (unsigned char)length;
		s->bytes += length;
	}
	return 0;
}

/*
 * The first piece by pattern i of the next n characters, in *length; 1, or
 * 0 if that depends on what comes behind them (part), or -1.
 */
static int
first_piece(struct ctx_chain_state *s, size_t i, size_t n, bool part,
    size_t *length, struct ctx_err *err)
{
	uint64_t steps = STEPS + (uint64_t)n * STEP_MORE;
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(s->data);
	uint32_t options = part ? PCRE2_PARTIAL_HARD : 0;
	int rc;

	pcre2_set_match_limit(s->context, steps > UINT32_MAX ? UINT32_MAX
	    : (uint32_t)steps);
	rc = pcre2_match(s->chain->code[i], s->kinds + s->at, n, 0, options,
	    s->data, s->context);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(s->chain->code[i], s->kinds + s->at, n, 0,
		    options | PCRE2_NO_JIT, s->data, s->context);
	if (rc >= 0) {
		*length = found[0] > 0 ? found[0] : found[1];
		return 1;
	}
	if (rc == PCRE2_ERROR_NOMEMORY)
		return ctx_err_nomem(err);
	if (rc != PCRE2_ERROR_NOMATCH && rc != PCRE2_ERROR_PARTIAL)
		return ctx_err_set(err, CTX_ELIMIT, "a splitter pattern takes "
		    "too many steps for this text");
	*length = n;
	return !part;
}

/* The characters of the next piece by all patterns; 1, 0 if they depend on
 * what is not seen, or -1. */
static int
next_piece(struct ctx_chain_state *s, const char *p, size_t n,
    size_t *length, struct ctx_err *err)
{
	size_t i;
	int rc;

	while (s->left[0] == 0) {
		rc = s->n == s->at ? 0 : first_piece(s, 0, s->n - s->at,
		    s->part || s->bytes < n, s->left, err);
		if (rc < 0)
			return -1;
		if (rc > 0)
			break;
		s->left[0] = 0;
		if (s->bytes == n)
			return 0;
		if (refill(s, p, n, err) < 0)
			return -1;
	}
	for (i = 1; i < s->chain->n; i++)
		if (s->left[i] == 0 && first_piece(s, i, s->left[i - 1],
		    false, s->left + i, err) < 0)
			return -1;
	*length = s->left[i - 1];
	return 1;
}

static size_t
bytes_of(const struct ctx_chain_state *s, size_t characters)
{
	size_t bytes = 0, i;

	for (i = 0; i < characters; i++)
		bytes += s->lengths[s->at + i];
	return bytes;
}

/* Goes on behind so many bytes, which end with a character. */
static void
consume(struct ctx_chain_state *s, size_t bytes)
{
	size_t n = 0, i;

	s->bytes -= bytes;
	for (; bytes > 0; n++)
		bytes -= s->lengths[s->at + n];
	s->at += n;
	for (i = 0; i < s->chain->n; i++)
		s->left[i] -= n;
}

/* Adds pieces of the next n bytes to the list; false if one has to stand
 * alone, which it does if it is the first. */
static bool
add(struct ctx_chain_state *s, ctx_split_fn *last, struct ctx_scheme scheme,
    struct ctx_split *split, size_t base, const char *p, size_t n, size_t max)
{
	const struct ctx_split *inner = &s->inner;
	size_t i;

	if (last == NULL) {
		s->inner.n = s->inner.listed = 1;
		s->inner.start[0] = 0;
		s->inner.end[0] = (uint32_t)n;
		s->inner.alone = n > CTX_SPLIT_SPAN - base ||
		    memchr(p, 0xff, n) != NULL ? n : 0;
	} else {
		last(&s->inner, scheme, 0, p, n, max - split->n);
	}
	if (inner->alone > 0) {
		if (split->n == 0) {
			split->alone = inner->alone;
			consume(s, inner->alone);
		}
		return false;
	}
	for (i = 0; i < inner->n; i++) {
		split->start[split->n] = (uint32_t)base + inner->start[i];
		split->end[split->n++] = (uint32_t)base + inner->end[i];
	}
	consume(s, inner->end[inner->n - 1]);
	return true;
}

int
ctx_chain_split(struct ctx_chain_state *s, ctx_split_fn *last,
    struct ctx_scheme scheme, struct ctx_split *split, const char *p,
    size_t n, size_t max, struct ctx_err *err)
{
	size_t at = 0, length = 0, bytes;
	int rc;

	split->n = split->alone = 0;
	while (split->n < max && at < n && at < CTX_SPLIT_SPAN) {
		rc = next_piece(s, p + at, n - at, &length, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			break;
		bytes = bytes_of(s, length);
		if (!add(s, last, scheme, split, at, p + at, bytes, max))
			break;
		at = split->end[split->n - 1];
	}
	split->listed = split->n;
	split->used = split->alone > 0 ? split->alone : at;
	return 0;
}
