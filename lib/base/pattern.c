/*
 * pattern.c - matches regular expressions with a limit on the work
 *
 * The work of a match is counted, not timed, so that the same text always gives
 * the same result.  The limits of PCRE2 are not enough: PCRE2 begins to count
 * steps anew at every start offset, and does not count alternatives, nor the
 * bytes that a possessive repeat or \X reads.  So each pattern is compiled
 * twice:
 * - quick: used if the text and the pattern are so short that a few steps from
 *   each start offset are little work;
 * - counted: used otherwise, and after quick has reached its limit of steps.
 *   PCRE2 calls the function count_work at every item of the pattern.  This
 *   function adds up the work, and ends the match when the work is too much.
 * Just-in-time code is faster than PCRE2's interpreter, but runs out of stack
 * on some texts.  The interpreter then repeats the match.  The code and the
 * interpreter call count_work at the same items.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Limits of one match: number of steps from one start offset, depth of
 * backtracking, heap memory in kilobytes. */
#define MATCH_LIMIT 10000000
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT  65536
#define LONGEST     65536 /* maximum length of a pattern in bytes */
#define NEST_LIMIT  64    /* maximum depth of nested groups */
/* Work per message that is reserved for matches with the version "counted" of a
 * pattern (see the top of this file).  If no more than this work is left for
 * the message, the version "quick" is not used.  The reason: for a match with
 * "quick", an upper bound of the work is subtracted, which is usually far too
 * high.  For a match with "counted", the real work is subtracted. */
#define COUNTED_WORK 200000000
/* Maximum work of one match with the version "quick" of a pattern (see the top
 * of this file): steps times start offsets times bytes. */
#define QUICK_WORK 400000000
/* Limits for the number of steps from each start offset, for a match with the
 * version "quick" of a pattern (see the top of this file).  At most MANY_STEPS
 * steps are allowed.  If fewer than FEW_STEPS would be allowed, "quick" is not
 * used. */
#define FEW_STEPS  4
#define MANY_STEPS 16
/* Number of times that a pattern may reach a limit.  After that, the work of
 * each match is limited in proportion to the length of the text and of the
 * pattern, so that a slow pattern does not take the work of a whole message
 * again and again. */
#define FREE_OVERRUNS 3
/* Multiples of the work of reading a byte.  ITEM_WORK: work of one item of the
 * pattern.  GROUP_WORK: work of copying one capturing group, which the
 * interpreter does at each item. */
#define ITEM_WORK  16
#define GROUP_WORK 2
/* CHARACTER: maximum number of bytes of a character.  MOST_REPEATS: maximum
 * number of repeats in a quantifier. */
#define CHARACTER    4
#define MOST_REPEATS 65535
/* Maximum number of adjacent regional indicators (halves of flags) in a text
 * that is matched with \X.  A text with more is not matched: the result is the
 * same as if the match had reached a limit. */
#define MOST_FLAGS 128

struct ctx_pattern_code {
	char *text; /* the pattern as the user wrote it */
	pcre2_code *quick, *counted;
	pcre2_match_data *data;
	pcre2_match_context *context;
	/* True if the version "quick" of the pattern must not be used, but only
	 * the version "counted", which counts the work of a match. */
	bool whole;
	bool clusters; /* true if the pattern contains \X; see has_flag_run */
	/* True if an item of the pattern may read many bytes before it fails;
	 * see count_failed_reads. */
	bool heavy;
	bool scripts; /* true if the pattern may contain a script run */
	/* Number of repeats, plus number of \X, in the pattern.  A repeat or \X
	 * can match a text of any length. */
	size_t runs;
	size_t length; /* length of the pattern in bytes, plus 1 */
	int64_t item;  /* work that is charged for each item of the pattern */
	/* Number of matches with the version "counted" that reached a limit (of
	 * work, depth or memory).  At most FREE_OVERRUNS are counted. */
	unsigned overruns;
};

/* The work of one match, which count_work adds up. */
struct work {
	const struct ctx_pattern_code *one;
	int64_t left;
	size_t n;  /* length of the text in bytes */
	size_t at; /* offset in the text of the item that was counted last */
};

enum outcome { NO, YES, OVERRUN };

static void
free_code(struct ctx_pattern_code *one)
{
	free(one->text);
	pcre2_code_free(one->quick);
	pcre2_code_free(one->counted);
	pcre2_match_data_free(one->data);
	pcre2_match_context_free(one->context);
}

static pcre2_code *
compile_code(const char *pattern, uint32_t more, pcre2_compile_context *limits,
    struct ctx_err *err)
{
	const uint32_t options =
	    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
	unsigned char why[120];
	PCRE2_SIZE at;
	int code;
	pcre2_code *made = pcre2_compile((PCRE2_SPTR)pattern,
	    PCRE2_ZERO_TERMINATED, options | more, &code, &at, limits);

	if (made == NULL && code == PCRE2_ERROR_HEAP_FAILED) {
		ctx_err_nomem(err);
	} else if (made == NULL) {
		pcre2_get_error_message(code, why, sizeof why);
		ctx_err_set(err, CTX_EARG, "pattern '%.80s', character %zu: %s",
		    pattern, at + 1, (const char *)why);
	} else {
		/* If PCRE2 has no just-in-time compiler, its interpreter is
		 * used instead. */
		(void)pcre2_jit_compile(made, PCRE2_JIT_COMPLETE);
	}
	return made;
}

/* Counts the repeats and \X in a pattern.  Also counts an escaped '*', which is
 * harmless: a number that is too high only makes matching slower. */
static size_t
count_runs(const char *pattern)
{
	size_t runs = 0;

	for (; *pattern != '\0'; pattern++)
		runs += strchr("*+{", *pattern) != NULL ||
		    strncmp(pattern, "\\X", 2) == 0;
	return runs;
}

/* Returns true if the pattern may contain a repeated group.  PCRE2 does not
 * count how often the group is repeated, and each repetition may read the whole
 * text.  White space and comments may be between the group and its
 * quantifier. */
static bool
has_loop(const char *pattern)
{
	const char *p = pattern;

	while ((p = strchr(p, ')')) != NULL) {
		p++;
		p += strspn(p, " \t\n\v\f\r");
		if (*p != '\0' && strchr("*+{#", *p) != NULL)
			return true;
		if ((unsigned char)*p >= 0x80 || strncmp(p, "(?#", 3) == 0)
			return true;
	}
	return false;
}

/* Returns true if an item of the pattern may read many bytes before it fails: a
 * back reference, or a quantifier with a number. */
static bool
has_heavy_item(const char *pattern)
{
	if (strchr(pattern, '{') != NULL || strstr(pattern, "(?P=") != NULL)
		return true;
	for (const char *p = pattern; (p = strchr(p, '\\')) != NULL;
	     p += p[1] != '\0' ? 2 : 1)
		if (p[1] != '\0' && strchr("123456789gk", p[1]) != NULL)
			return true;
	return false;
}

/* Returns true if a pattern may contain a script run.  At the end of a script
 * run, PCRE2 reads the whole run again.  This work belongs to no item of the
 * pattern. */
static bool
has_script_run(const char *pattern)
{
	return strstr(pattern, "(*") != NULL &&
	    (strstr(pattern, "sr:") != NULL ||
		strstr(pattern, "script_run:") != NULL);
}

/* Compiles both versions of a pattern, "quick" and "counted".  A stack of 128
 * KiB is enough to compile NEST_LIMIT nested groups. */
static int
compile_both(struct ctx_pattern_code *one, const char *pattern,
    struct ctx_err *err)
{
	pcre2_compile_context *limits = pcre2_compile_context_create(NULL);

	if (limits == NULL)
		return ctx_err_nomem(err);
	pcre2_set_parens_nest_limit(limits, NEST_LIMIT);
	one->quick = compile_code(pattern, 0, limits, err);
	if (one->quick != NULL)
		one->counted =
		    compile_code(pattern, PCRE2_AUTO_CALLOUT, limits, err);
	pcre2_compile_context_free(limits);
	return one->counted != NULL ? 0 : -1;
}

/* Finds the properties of a pattern from which the work of its matches is
 * computed. */
static void
describe_code(struct ctx_pattern_code *one)
{
	const char *pattern = one->text;
	uint32_t groups = 0;

	(void)pcre2_pattern_info(one->counted, PCRE2_INFO_CAPTURECOUNT,
	    &groups);
	one->item = ITEM_WORK + (int64_t)groups * GROUP_WORK;
	one->whole = strstr(pattern, "(*") != NULL || has_loop(pattern);
	one->clusters = strstr(pattern, "\\X") != NULL;
	one->heavy = has_heavy_item(pattern);
	one->scripts = has_script_run(pattern);
	one->length = strlen(pattern) + 1;
	one->runs = count_runs(pattern);
}

int
ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err)
{
	struct ctx_pattern_code one = {0};

	if (strlen(pattern) > LONGEST)
		return ctx_err_set(err, CTX_EARG,
		    "the pattern has more than %d bytes", LONGEST);
	if (CTX_GROW(patterns->list, patterns->cap, patterns->n + 1, err) < 0)
		return -1;
	if (compile_both(&one, pattern, err) < 0) {
		free_code(&one);
		return -1;
	}
	one.text = strdup(pattern);
	one.data = pcre2_match_data_create(1, NULL);
	one.context = pcre2_match_context_create(NULL);
	if (one.text == NULL || one.data == NULL || one.context == NULL) {
		free_code(&one);
		return ctx_err_nomem(err);
	}
	describe_code(&one);
	pcre2_set_depth_limit(one.context, DEPTH_LIMIT);
	pcre2_set_heap_limit(one.context, HEAP_LIMIT);
	patterns->list[patterns->n++] = one;
	return 0;
}

/* Returns the length in bytes of the longest text that a group has captured. */
static size_t
find_longest_capture(const pcre2_callout_block *block)
{
	const PCRE2_SIZE *ends = block->offset_vector;
	size_t longest = 0;

	for (uint32_t i = 1; i < block->capture_top; i++)
		if (ends[2 * i] != PCRE2_UNSET &&
		    ends[2 * i + 1] > ends[2 * i] &&
		    ends[2 * i + 1] - ends[2 * i] > longest)
			longest = ends[2 * i + 1] - ends[2 * i];
	return longest;
}

/* Returns an upper bound of the number of bytes that an item of the pattern
 * reads if it fails.  A back reference reads the captured text, but not beyond
 * the end of the text.  A quantifier reads the characters of its minimum number
 * of repeats.  Bytes that an item has matched are counted at the next item. */
static size_t
count_failed_reads(const struct work *work, const pcre2_callout_block *block)
{
	const char *item = work->one->text + block->pattern_position;
	const char *brace = memchr(item, '{', block->next_item_length);
	unsigned long repeats =
	    brace != NULL ? strtoul(brace + 1, NULL, 10) : 0;
	size_t bytes = CHARACTER;

	if (repeats > MOST_REPEATS)
		repeats = MOST_REPEATS;
	if (strncmp(item, "(?P=", 4) == 0 ||
	    (item[0] == '\\' && item[1] != '\0' &&
		strchr("123456789gk", item[1]) != NULL)) {
		bytes = find_longest_capture(block);
		if (bytes > work->n - block->current_position)
			bytes = work->n - block->current_position;
		repeats += repeats == 0;
	} else if (repeats > 0 && strncmp(item, "\\X", 2) == 0) {
		/* The last of the repeats may read the text up to its end. */
		bytes = work->n - block->current_position;
		repeats = 1;
	}
	return bytes * repeats;
}

/* Adds up the work of a match, and ends the match if the work exceeds its
 * limit.  PCRE2 calls this function during the match, at every item of the
 * pattern. */
static int
count_work(pcre2_callout_block *block, void *user)
{
	struct work *work = user;
	size_t at = block->current_position;

	work->left -= work->one->item +
	    (int64_t)(at > work->at ? at - work->at : work->at - at);
	work->at = at;
	if (work->one->heavy)
		work->left -= (int64_t)count_failed_reads(work, block);
	if (work->one->scripts)
		work->left -= (int64_t)work->n;
	return work->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static enum outcome
outcome_of(int rc)
{
	return rc >= 0 ? YES : rc == PCRE2_ERROR_NOMATCH ? NO : OVERRUN;
}

/* Returns the maximum work of matching a text of n bytes. left: work that
 * remains for the message.  If the pattern has reached a limit FREE_OVERRUNS
 * times, the maximum is the work of all items of the pattern at each byte of
 * the text. */
static int64_t
limit_work(const struct ctx_pattern_code *one, size_t n, int64_t left)
{
	int64_t step = (int64_t)one->length * one->item;

	if (one->overruns < FREE_OVERRUNS || (int64_t)n >= left / step)
		return left;
	return ((int64_t)n + 1) * step;
}

/* Matches a text with the version "counted" of a pattern, which counts the
 * work.  Subtracts the work from *left. */
static enum outcome
match_counted(struct ctx_pattern_code *one, const char *p, size_t n,
    int64_t *left)
{
	const struct work whole = {.one = one,
	    .left = limit_work(one, n, *left),
	    .n = n};
	struct work work = whole;
	enum outcome outcome;
	int rc;

	pcre2_set_match_limit(one->context, MATCH_LIMIT);
	pcre2_set_callout(one->context, count_work, &work);
	rc = pcre2_match(one->counted, (PCRE2_SPTR)p, n, 0, 0, one->data,
	    one->context);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT) {
		work = whole;
		rc = pcre2_match(one->counted, (PCRE2_SPTR)p, n, 0,
		    PCRE2_NO_JIT, one->data, one->context);
	}
	*left -= whole.left - work.left;
	outcome = outcome_of(rc);
	one->overruns += outcome == OVERRUN && one->overruns < FREE_OVERRUNS;
	return outcome;
}

/* Returns approximately how many bytes of a text of n bytes a match from one
 * start offset may read. */
static size_t
compute_reach(const struct ctx_pattern_code *one, size_t n)
{
	return one->runs == 0          ? one->length
	    : n < SIZE_MAX / one->runs ? (n + 1) * one->runs
				       : SIZE_MAX;
}

/* Returns how many steps a match with the version "quick" of a pattern may take
 * from each start offset of a text of n bytes, and sets *work to an upper bound
 * of the work of all these steps.  Returns 0 if the version "quick" must not be
 * used. */
static uint32_t
compute_quick_steps(const struct ctx_pattern_code *one, size_t n, int64_t left,
    int64_t *work)
{
	size_t reach = compute_reach(one, n), step, steps;
	int64_t most = left - COUNTED_WORK;

	if (most > QUICK_WORK)
		most = QUICK_WORK;
	if (one->whole || most <= 0 || n >= (size_t)most / reach)
		return 0;
	step = (n + 1) * reach;
	steps = (size_t)most / step;
	if (steps > MANY_STEPS)
		steps = MANY_STEPS;
	*work = (int64_t)(steps * step);
	return steps < FEW_STEPS ? 0 : (uint32_t)steps;
}

/* Returns true if a text has too many adjacent regional indicators (halves of
 * flags).  For \X, PCRE2 reads back to the first of these indicators in a
 * single step, so the limit of steps does not limit this work. */
static bool
has_flag_run(const char *p, size_t n)
{
	static const char lead[] = "\xf0\x9f\x87";
	const char *end = p + n, *next = p;
	size_t run = 0;

	while ((p = memchr(next, lead[0], (size_t)(end - next))) != NULL) {
		run = p == next ? run : 0;
		next = p + 1;
		if (end - p < 4 || memcmp(p, lead, 3) != 0)
			continue;
		next = p + 4;
		if (++run > MOST_FLAGS)
			return true;
	}
	return false;
}

static enum outcome
match_one(struct ctx_pattern_code *one, const char *p, size_t n, int64_t *left)
{
	int64_t work = 0;
	uint32_t steps = compute_quick_steps(one, n, *left, &work);
	int rc;

	if (*left < 0 || (one->clusters && has_flag_run(p, n)))
		return OVERRUN;
	if (steps == 0)
		return match_counted(one, p, n, left);
	*left -= work;
	pcre2_set_callout(one->context, NULL, NULL);
	pcre2_set_match_limit(one->context, steps);
	rc = pcre2_match(one->quick, (PCRE2_SPTR)p, n, 0, 0, one->data,
	    one->context);
	return rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_JIT_STACKLIMIT
	    ? match_counted(one, p, n, left)
	    : outcome_of(rc);
}

/* Matches a text against all patterns of a list.  Returns YES if at least one
 * pattern matches, even if another pattern has reached a limit. */
static enum outcome
match_any(struct ctx_pattern *patterns, const char *p, size_t n, int64_t *left)
{
	enum outcome all = NO, this;

	for (size_t i = 0; i < patterns->n && all != YES; i++) {
		this = match_one(&patterns->list[i], p, n, left);
		if (this != NO)
			all = this;
		patterns->overruns += this == OVERRUN;
	}
	return all;
}

bool
ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n,
    int64_t *left)
{
	return match_any(patterns, p, n, left) != NO;
}

bool
ctx_pattern_selects(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n, int64_t *left)
{
	if (only->n > 0 && match_any(only, p, n, left) != YES)
		return false;
	return match_any(except, p, n, left) == NO;
}

void
ctx_pattern_release(struct ctx_pattern *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		free_code(&patterns->list[i]);
	free(patterns->list);
	memset(patterns, 0, sizeof *patterns);
}
