/*
 * pretokenize_pcre2.c - splits text into pretokens (pieces of text that are
 * encoded by themselves) by the patterns of a vocabulary file
 *
 * Patterns are not matched with the characters of the text, but with their
 * kinds (onig_to_pcre2.h), each of which is one byte.  Some thousands of
 * characters at a time are converted to kinds.  If more text could change a
 * match, PCRE2 reports a partial match, and more characters are converted.  If
 * all converted characters belong to one pretoken, their number is at least
 * doubled, so that the time is linear.
 *
 * The time must be linear for every pattern.  So each match is first tried with
 * few characters and few steps, which is enough for most pretokens.  If it is
 * not enough, a second compilation of the pattern is used, which calls a
 * function (a callout of PCRE2) at each item of the pattern.  This function
 * counts the steps for the whole text.  The match limit of PCRE2 could not be
 * used instead, because it begins anew for each match, and counts a repetition
 * as one step for any number of characters.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

/* number of characters for which there is room at first */
#define WINDOW 4096
/* Limits of the first try of a match: number of characters, and number of steps
 * for each offset at which a match is tried. */
#define FEW       128
#define FEW_STEPS 100
/* Limits for matches whose steps are counted.  STEPS: number of steps for a
 * text.  STEP_MORE: number of additional steps for each character.
 * STEP_LENGTH: a step that covers many characters counts one more for each
 * STEP_LENGTH characters.  HEAP_LIMIT: memory in kilobytes.  DEPTH_LIMIT: depth
 * of backtracking. */
#define STEPS       1000000
#define STEP_MORE   256
#define STEP_LENGTH 16
#define HEAP_LIMIT  65536
#define DEPTH_LIMIT 400000

struct code {
	pcre2_code *quick, *counted;
};

struct ctx_pcre2_pretokenizer {
	struct ctx_kinds kinds;
	size_t n;
	struct code code[CTX_PCRE2_MAX];
};

struct ctx_pcre2_state {
	const struct ctx_pcre2_pretokenizer *pretokenizer;
	const char *name; /* name of the vocabulary, for error messages */
	pcre2_match_data *data;
	pcre2_match_context *quick, *counted;
	/* number of steps of PCRE2 that are still allowed for the text */
	uint64_t steps;
	size_t passed; /* position in the text at the last step */
	/* kind of each character, and its length in bytes */
	unsigned char *kinds, *lengths;
	/* Numbers of characters in the arrays kinds and lengths. at: characters
	 * that were split off; n: all characters; cap: characters for which
	 * there is room. */
	size_t at, n, cap;
	/* Total length in bytes of the characters from index "at" on, which
	 * were not split off yet. */
	size_t bytes;
	/* true if more text may come later; see ctx_pcre2_part */
	bool part;
	/* Each pattern divides the pieces of text that the previous pattern
	 * gives.  For each pattern: number of characters of the current piece
	 * that were not split off yet. */
	size_t left[CTX_PCRE2_MAX];
	/* The built-in pretokenizer that divides the pieces of text that the
	 * last pattern gives (ctx_pcre2_set_last), or NULL if there is none.
	 * inner: pretokens of one such piece. */
	ctx_pretokenize_fn *last;
	struct ctx_pretokenizer last_pretokenizer;
	struct ctx_pretokenize inner;
};

static int
compile_splitter(pcre2_code **code, const char *pattern, uint32_t more,
    struct ctx_err *err)
{
	PCRE2_SIZE at;
	int why;

	*code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	    PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C |
		PCRE2_NO_AUTO_CAPTURE | more,
	    &why, &at, NULL);
	if (*code != NULL)
		return 0;
	if (why == PCRE2_ERROR_HEAP_FAILED)
		return ctx_err_nomem(err);
	return ctx_err_set(err, CTX_EFILE,
	    CTX_REFUSED("a split pattern (a regular expression) that PCRE2 "
			"cannot compile"));
}

/* Compiles a pattern twice: to machine code (quick), and with callouts that
 * count steps (counted).  Refuses a pattern that matches the empty text,
 * because splitting would never end. */
static int
compile_both(struct code *code, const char *pattern, struct ctx_err *err)
{
	uint32_t empty = 1;

	if (compile_splitter(&code->quick, pattern, 0, err) < 0 ||
	    compile_splitter(&code->counted, pattern, PCRE2_AUTO_CALLOUT, err) <
		0)
		return -1;
	(void)pcre2_pattern_info(code->quick, PCRE2_INFO_MATCHEMPTY, &empty);
	if (empty != 0)
		return ctx_err_set(err, CTX_EFILE,
		    CTX_REFUSED("a regular expression for splitting "
				"texts that matches the empty text"));
	/* If PCRE2 cannot make machine code for this processor, it interprets
	 * the pattern, which takes more time. */
	(void)pcre2_jit_compile(code->quick,
	    PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
	return 0;
}

static int
compile_all(struct ctx_pcre2_pretokenizer *pretokenizer, const char *p,
    size_t n, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str list[CTX_PCRE2_MAX];
	size_t count = 0, at = 0, i;

	while (n > 0 && count < CTX_PCRE2_MAX && memchr(p, '\0', n) != NULL) {
		list[count] = (struct ctx_str){p, strlen(p)};
		p += list[count].n + 1;
		n -= list[count++].n + 1;
	}
	if (n > 0 || count == 0)
		return ctx_err_set(err, CTX_EFILE,
		    CTX_REFUSED("more than %d regular expressions for "
				"splitting texts"),
		    CTX_PCRE2_MAX);
	if (ctx_onig_to_pcre2(list, count, &pretokenizer->kinds, out, err) < 0)
		return -1;
	for (i = 0; i < count; i++) {
		if (compile_both(pretokenizer->code + pretokenizer->n++,
			out->p + at, err) < 0)
			return -1;
		at += strlen(out->p + at) + 1;
	}
	return 0;
}

int
ctx_pcre2_open(struct ctx_pcre2_pretokenizer **pretokenizer,
    const char *patterns, size_t n, struct ctx_err *err)
{
	struct ctx_buf out = {0};
	int rc;

	*pretokenizer = calloc(1, sizeof **pretokenizer);
	if (*pretokenizer == NULL)
		return ctx_err_nomem(err);
	rc = compile_all(*pretokenizer, patterns, n, &out, err);
	ctx_buf_release(&out);
	if (rc < 0) {
		ctx_pcre2_close(*pretokenizer);
		*pretokenizer = NULL;
	}
	return rc;
}

void
ctx_pcre2_close(struct ctx_pcre2_pretokenizer *pretokenizer)
{
	size_t i;

	if (pretokenizer == NULL)
		return;
	for (i = 0; i < pretokenizer->n; i++) {
		pcre2_code_free(pretokenizer->code[i].quick);
		pcre2_code_free(pretokenizer->code[i].counted);
	}
	free(pretokenizer);
}

static int
grow_kinds(struct ctx_pcre2_state *s, size_t cap, struct ctx_err *err)
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

/* Called by PCRE2 at each item of a pattern.  Counts the steps of the whole
 * text.  If there are too many, returns an error, which ends the match. */
static int
count_step(pcre2_callout_block *block, void *user)
{
	struct ctx_pcre2_state *s = user;
	size_t at = block->current_position;
	size_t length = at > s->passed ? at - s->passed : s->passed - at;
	uint64_t steps = 1 + length / STEP_LENGTH;

	s->passed = at;
	if (steps > s->steps)
		return PCRE2_ERROR_CALLOUT;
	s->steps -= steps;
	return 0;
}

static int
make_contexts(struct ctx_pcre2_state *s)
{
	s->data = pcre2_match_data_create(1, NULL);
	s->quick = pcre2_match_context_create(NULL);
	s->counted = pcre2_match_context_create(NULL);
	if (s->data == NULL || s->quick == NULL || s->counted == NULL)
		return -1;
	pcre2_set_match_limit(s->quick, FEW_STEPS);
	pcre2_set_match_limit(s->counted, UINT32_MAX);
	pcre2_set_depth_limit(s->counted, DEPTH_LIMIT);
	pcre2_set_heap_limit(s->counted, HEAP_LIMIT);
	pcre2_set_callout(s->counted, count_step, s);
	return 0;
}

int
ctx_pcre2_begin(struct ctx_pcre2_state **state,
    const struct ctx_pcre2_pretokenizer *pretokenizer, const char *name,
    struct ctx_err *err)
{
	struct ctx_pcre2_state *s = calloc(1, sizeof *s);

	*state = s;
	if (s == NULL)
		return ctx_err_nomem(err);
	s->pretokenizer = pretokenizer;
	s->name = name;
	if (make_contexts(s) == 0 && grow_kinds(s, WINDOW, err) == 0) {
		ctx_pcre2_reset(s);
		return 0;
	}
	ctx_pcre2_end(s);
	*state = NULL;
	return ctx_err_nomem(err);
}

void
ctx_pcre2_end(struct ctx_pcre2_state *s)
{
	if (s == NULL)
		return;
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->quick);
	pcre2_match_context_free(s->counted);
	free(s->kinds);
	free(s->lengths);
	free(s);
}

void
ctx_pcre2_set_last(struct ctx_pcre2_state *s, ctx_pretokenize_fn *split,
    struct ctx_pretokenizer pretokenizer)
{
	s->last = split;
	s->last_pretokenizer = pretokenizer;
}

void
ctx_pcre2_reset(struct ctx_pcre2_state *s)
{
	s->at = s->n = s->bytes = 0;
	s->part = false;
	s->steps = STEPS;
	memset(s->left, 0, sizeof s->left);
}

void
ctx_pcre2_part(struct ctx_pcre2_state *s)
{
	s->part = true;
}

/* Converts the next characters of the text to kinds, until the arrays are full.
 * p, n: the text that was not split off yet.  If the arrays are full and no
 * character in them was split off, first doubles their size. */
static int
refill_kinds(struct ctx_pcre2_state *s, const char *p, size_t n,
    struct ctx_err *err)
{
	uint32_t cp;
	size_t length;

	if (s->at == 0 && s->n == s->cap && grow_kinds(s, 2 * s->cap, err) < 0)
		return -1;
	memmove(s->kinds, s->kinds + s->at, s->n - s->at);
	memmove(s->lengths, s->lengths + s->at, s->n - s->at);
	s->n -= s->at;
	s->at = 0;
	while (s->n < s->cap && s->bytes < n) {
		length = ctx_char_next(p + s->bytes, n - s->bytes, &cp);
		s->kinds[s->n] = ctx_kind_of(&s->pretokenizer->kinds, cp);
		s->lengths[s->n++] = (unsigned char)length;
		s->bytes += length;
		s->steps += STEP_MORE;
	}
	return 0;
}

static int
match_counted(struct ctx_pcre2_state *s, size_t i, const unsigned char *p,
    size_t n, uint32_t options)
{
	s->passed = 0;
	return pcre2_match(s->pretokenizer->code[i].counted, p, n, 0, options,
	    s->data, s->counted);
}

/* Searches for the first match of pattern i in the characters from index *at up
 * to, but not including, n.  Returns the result of pcre2_match.  Moves *at
 * beyond characters at which no match begins.  A search may begin at any
 * character, because no pattern looks at characters before its match. part:
 * true if more characters may come after the first n. */
static int
match_pattern(struct ctx_pcre2_state *s, size_t i, size_t n, bool part,
    size_t *at)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(s->data);
	uint32_t end = part ? PCRE2_PARTIAL_HARD : 0;
	const unsigned char *p;
	size_t left, some;
	int rc;

	for (;; *at += rc == PCRE2_ERROR_PARTIAL ? found[0] : some) {
		p = s->kinds + s->at + *at;
		left = n - *at;
		some = left < FEW ? left : FEW;
		rc = pcre2_match(s->pretokenizer->code[i].quick, p, some, 0,
		    some < left ? PCRE2_PARTIAL_HARD : end, s->data, s->quick);
		if (rc >= 0)
			return rc;
		if (rc != PCRE2_ERROR_NOMATCH && rc != PCRE2_ERROR_PARTIAL)
			break;
		if (some == left)
			return rc;
		if (rc == PCRE2_ERROR_PARTIAL && found[0] == 0)
			break;
	}
	return match_counted(s, i, p, left, end);
}

/* Pattern i divides the next n characters into pieces: its matches, and the
 * text between them.  Sets *length to the number of characters in the first
 * piece.  Returns 1; 0 if the length depends on characters that are not known
 * yet (only if part is true); or -1 with *err. */
static int
find_first_pretoken(struct ctx_pcre2_state *s, size_t i, size_t n, bool part,
    size_t *length, struct ctx_err *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(s->data);
	size_t at = 0;
	int rc = match_pattern(s, i, n, part, &at);

	if (rc >= 0) {
		at += found[0];
		*length = at > 0 ? at : found[1];
		return 1;
	}
	if (rc == PCRE2_ERROR_NOMEMORY)
		return ctx_err_nomem(err);
	if (rc != PCRE2_ERROR_NOMATCH && rc != PCRE2_ERROR_PARTIAL)
		return ctx_err_set(err, CTX_ELIMIT,
		    "%.120s: a regular expression that splits texts takes too "
		    "many steps for this text; to estimate its tokens, use -e "
		    "bytes/4",
		    s->name);
	*length = n;
	return !part;
}

/* All patterns together divide the text into pieces.  Sets *length to the
 * number of characters in the next piece.  Returns 1; 0 if the length depends
 * on text that is not known yet; or -1 with *err. */
static int
find_next_pretoken(struct ctx_pcre2_state *s, const char *p, size_t n,
    size_t *length, struct ctx_err *err)
{
	size_t i;
	int rc;

	while (s->left[0] == 0) {
		rc = s->n == s->at ? 0
				   : find_first_pretoken(s, 0, s->n - s->at,
					 s->part || s->bytes < n, s->left, err);
		if (rc < 0)
			return -1;
		if (rc > 0)
			break;
		s->left[0] = 0;
		if (s->bytes == n)
			return 0;
		if (refill_kinds(s, p, n, err) < 0)
			return -1;
	}
	for (i = 1; i < s->pretokenizer->n; i++)
		if (s->left[i] == 0 &&
		    find_first_pretoken(s, i, s->left[i - 1], false,
			s->left + i, err) < 0)
			return -1;
	*length = s->left[i - 1];
	return 1;
}

static size_t
count_bytes(const struct ctx_pcre2_state *s, size_t characters)
{
	size_t bytes = 0, i;

	for (i = 0; i < characters; i++)
		bytes += s->lengths[s->at + i];
	return bytes;
}

/* Removes bytes that were split off from the beginning of the text.  The caller
 * must pass a number of bytes that ends with a whole character. */
static void
consume_bytes(struct ctx_pcre2_state *s, size_t bytes)
{
	size_t n = 0, i;

	s->bytes -= bytes;
	for (; bytes > 0; n++)
		bytes -= s->lengths[s->at + n];
	s->at += n;
	for (i = 0; i < s->pretokenizer->n; i++)
		s->left[i] -= n;
}

/* Appends the pretokens (words, numbers, ...) in the next n bytes to the list
 * in *split.  Returns false at a pretoken that cannot be listed (see
 * ctx_pretokenize.alone).  If it is the first pretoken of the call, it is split
 * off alone; otherwise it is left for the next call. */
static bool
append_pretokens(struct ctx_pcre2_state *s, struct ctx_pretokenize *split,
    size_t base, const char *p, size_t n, size_t max)
{
	const struct ctx_pretokenize *inner = &s->inner;
	size_t i;

	if (s->last == NULL) {
		s->inner.n = s->inner.listed = 1;
		s->inner.start[0] = 0;
		s->inner.end[0] = (uint32_t)n;
		s->inner.alone = n > CTX_PRETOKENIZE_SPAN - base ||
			memchr(p, 0xff, n) != NULL
		    ? n
		    : 0;
	} else {
		s->last(&s->inner, s->last_pretokenizer, 0, p, n,
		    max - split->n);
	}
	if (inner->alone > 0) {
		if (split->n == 0) {
			split->alone = inner->alone;
			consume_bytes(s, inner->alone);
		}
		return false;
	}
	for (i = 0; i < inner->n; i++) {
		split->start[split->n] = (uint32_t)base + inner->start[i];
		split->end[split->n++] = (uint32_t)base + inner->end[i];
	}
	consume_bytes(s, inner->end[inner->n - 1]);
	return true;
}

int
ctx_pcre2_split(struct ctx_pcre2_state *s, struct ctx_pretokenize *split,
    const char *p, size_t n, size_t max, struct ctx_err *err)
{
	size_t at = 0, length = 0, bytes;
	int rc;

	split->n = split->alone = 0;
	while (split->n < max && at < n && at < CTX_PRETOKENIZE_SPAN) {
		rc = find_next_pretoken(s, p + at, n - at, &length, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			break;
		bytes = count_bytes(s, length);
		if (!append_pretokens(s, split, at, p + at, bytes, max))
			break;
		at = split->end[split->n - 1];
	}
	split->listed = split->n;
	split->used = split->alone > 0 ? split->alone : at;
	return 0;
}
