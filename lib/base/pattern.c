/*
 * pattern.c - regular expressions whose matching takes limited time
 *
 * PCRE2 itself can limit the steps of a match, but not its time.  PCRE2 counts
 * steps anew at every start offset.  It counts neither alternatives, nor the
 * bytes that a possessive repeat or \X reads.  So each pattern is compiled
 * twice:
 * - quick: tried first, with few steps and a few start offsets per call of
 *   PCRE2;
 * - timed: used when quick reaches its limit, or when one call of quick could
 *   take too long.  PCRE2 calls a function of this file at every item of the
 *   pattern, and that ends the match when its time is over.
 *
 * Just-in-time code is faster than PCRE2's interpreter, but runs out of stack
 * on some texts.  The interpreter then repeats the match.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"

/* Limits of one match: number of steps from one start offset (used in
 * match_timed), depth of backtracking, heap memory in kilobytes. */
#define MATCH_LIMIT 100000
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT  65536
#define LONGEST     65536 /* maximum length of a pattern in bytes */
#define NEST_LIMIT  64    /* maximum depth of nested groups */
/* Maximum work of one call of PCRE2 that does not look at the clock: steps
 * times start offsets times bytes.  This much work takes some tenths of a
 * second at most. */
#define WORK 100000000
/* Fixes how many start offsets one call of PCRE2 tries before the clock is
 * looked at: SPAN divided by the number of bytes that a match from one start
 * offset may read. */
#define SPAN 3000000
/* Minimum number of steps that a match may take from each start offset.  To
 * allow them, one call of PCRE2 gets at most as many start offsets as WORK
 * permits. */
#define FEW_STEPS 4
/* Maximum number of regional indicators (halves of flags) in a row in a text
 * that is matched with \X.  If a text has more, it is not matched, as if a
 * limit of the match had been reached. */
#define MOST_FLAGS 128
/* Minimum number of start offsets that one call of PCRE2 tries in a long text,
 * unless this would exceed WORK. */
#define FEW_STARTS 32
/* If WORK allows fewer start offsets than this in one call of PCRE2, even a
 * match from a single start offset may take too long.  The text is then matched
 * by the compiled pattern that looks at the clock during a match (timed). */
#define LEAST_STARTS 4
/* number of bytes that a match may read between two looks at the clock */
#define LOOK_EVERY 300000

struct ctx_pattern_code {
	pcre2_code *quick, *timed;
	pcre2_match_data *data;
	pcre2_match_context *context;
	bool anchored; /* true if a match can only begin at offset 0 */
	/* true if texts may only be matched by the compiled pattern "timed",
	 * which looks at the clock during a match */
	bool whole;
	bool clusters; /* true if the pattern contains \X; see has_flag_run */
	/* number of repeats and \X in the pattern, which match texts of any
	 * length */
	size_t runs;
	size_t length; /* length of the pattern in bytes, plus 1 */
};

struct timer {
	/* time at which the match must end, in nanoseconds of the monotonic
	 * clock */
	int64_t end;
	size_t n; /* length of the text in bytes */
	/* upper bound of the number of bytes that the match has read since it
	 * last looked at the clock */
	size_t ran;
};

enum outcome { NO, YES, OVERRUN };

static void
free_code(struct ctx_pattern_code *one)
{
	pcre2_code_free(one->quick);
	pcre2_code_free(one->timed);
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

/* Counts the repeats and \X in a pattern.  Counts an escaped '*' as a repeat,
 * too.  That does no harm: if the count is too high, matching is only
 * slower. */
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
 * count how often the group is repeated, and each repetition may read the
 * whole text.  White space and comments may separate the group from its
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

/* Returns true if a pattern must be matched with a single call of PCRE2 for all
 * start offsets, by the compiled pattern that looks at the clock (timed).  This
 * is needed for \G and for verbs such as (*COMMIT), because their meaning
 * depends on the start offset of the call.  It is also needed for repeated
 * groups, because each repetition may take long. */
static bool
needs_whole_text(const char *pattern)
{
	return strstr(pattern, "\\G") != NULL ||
	    strstr(pattern, "(*") != NULL || has_loop(pattern);
}

/* Compiles both versions of a pattern: quick, and the one that looks at the
 * clock (timed).  A stack of 128 KiB is enough to compile NEST_LIMIT nested
 * groups. */
static int
compile_both(struct ctx_pattern_code *one, const char *pattern,
    struct ctx_err *err)
{
	pcre2_compile_context *limits = pcre2_compile_context_create(NULL);

	if (limits == NULL)
		return ctx_err_nomem(err);
	pcre2_set_parens_nest_limit(limits, NEST_LIMIT);
	one->quick = compile_code(pattern, PCRE2_USE_OFFSET_LIMIT, limits, err);
	if (one->quick != NULL)
		one->timed =
		    compile_code(pattern, PCRE2_AUTO_CALLOUT, limits, err);
	pcre2_compile_context_free(limits);
	return one->timed != NULL ? 0 : -1;
}

int
ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err)
{
	struct ctx_pattern_code *list, one = {0};
	uint32_t options = 0;

	if (strlen(pattern) > LONGEST)
		return ctx_err_set(err, CTX_EARG,
		    "the pattern has more than %d bytes", LONGEST);
	list = ctx_grow(patterns->list, &patterns->cap, patterns->n + 1,
	    sizeof *list, err);
	if (list == NULL)
		return -1;
	patterns->list = list;
	if (compile_both(&one, pattern, err) < 0) {
		free_code(&one);
		return -1;
	}
	one.data = pcre2_match_data_create(1, NULL);
	one.context = pcre2_match_context_create(NULL);
	if (one.data == NULL || one.context == NULL) {
		free_code(&one);
		return ctx_err_nomem(err);
	}
	(void)pcre2_pattern_info(one.quick, PCRE2_INFO_ALLOPTIONS, &options);
	one.anchored = (options & PCRE2_ANCHORED) != 0;
	one.whole = needs_whole_text(pattern);
	one.clusters = strstr(pattern, "\\X") != NULL;
	one.length = strlen(pattern) + 1;
	one.runs = count_runs(pattern);
	pcre2_set_depth_limit(one.context, DEPTH_LIMIT);
	pcre2_set_heap_limit(one.context, HEAP_LIMIT);
	list[patterns->n++] = one;
	return 0;
}

static int64_t
read_clock(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool
is_time_over(const struct timer *timer)
{
	return read_clock() >= timer->end;
}

/* Ends a match whose time is over.  PCRE2 calls this function during the
 * match, at every item of the pattern. */
static int
check_clock(pcre2_callout_block *block, void *user)
{
	struct timer *timer = user;

	(void)block;
	timer->ran += timer->n + 1;
	if (timer->ran < LOOK_EVERY)
		return 0;
	timer->ran = 0;
	return is_time_over(timer) ? PCRE2_ERROR_CALLOUT : 0;
}

static int
match_code(struct ctx_pattern_code *one, const pcre2_code *code, const char *p,
    size_t n, size_t at)
{
	/* The call with offset 0 has checked that all of the text is valid
	 * UTF-8.  So PCRE2 need not check it again in later calls. */
	uint32_t options = at > 0 ? PCRE2_NO_UTF_CHECK : 0;
	int rc = pcre2_match(code, (PCRE2_SPTR)p, n, at, options, one->data,
	    one->context);

	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(code, (PCRE2_SPTR)p, n, at,
		    options | PCRE2_NO_JIT, one->data, one->context);
	return rc;
}

static enum outcome
outcome_of(int rc)
{
	return rc >= 0 ? YES : rc == PCRE2_ERROR_NOMATCH ? NO : OVERRUN;
}

/* Finds a match that begins at this offset of the text or after it.  Returns
 * OVERRUN if a limit, such as the time for the match, is reached first. */
static enum outcome
match_timed(struct ctx_pattern_code *one, const char *p, size_t n, size_t at,
    struct timer *timer)
{
	pcre2_set_match_limit(one->context, MATCH_LIMIT);
	pcre2_set_callout(one->context, check_clock, timer);
	return outcome_of(match_code(one, one->timed, p, n, at));
}

/* Returns about how many bytes of an n-byte text a match from one start offset
 * may read. */
static size_t
compute_reach(const struct ctx_pattern_code *one, size_t n)
{
	return one->runs == 0          ? one->length
	    : n < SIZE_MAX / one->runs ? (n + 1) * one->runs
				       : SIZE_MAX;
}

static size_t
compute_starts(size_t reach)
{
	size_t most = WORK / FEW_STEPS / reach, starts = SPAN / reach;

	if (starts < FEW_STARTS)
		starts = FEW_STARTS;
	return starts < most ? starts : most;
}

/* Returns true if a text has too many regional indicators (halves of flags) in
 * a row.  For \X, PCRE2 goes back to the first of them in a single step, so
 * its limit of steps does not count this work. */
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
match_one(struct ctx_pattern_code *one, const char *p, size_t n,
    struct timer *timer)
{
	size_t reach = compute_reach(one, n), starts = compute_starts(reach);
	size_t steps, at = 0, end;
	int rc;

	if (one->clusters && has_flag_run(p, n))
		return OVERRUN;
	if (one->whole || starts < LEAST_STARTS)
		return match_timed(one, p, n, 0, timer);
	if (starts > n + 1)
		starts = n + 1;
	steps = WORK / starts / reach;
	for (; at <= n; at = end) {
		/* The start offset of the next call of PCRE2 must be at the
		 * start of a character. */
		end = at + starts;
		while (end < n && (p[end] & 0xc0) == 0x80)
			end++;
		pcre2_set_callout(one->context, NULL, NULL);
		pcre2_set_match_limit(one->context, (uint32_t)steps);
		pcre2_set_offset_limit(one->context, end - 1);
		rc = match_code(one, one->quick, p, n, at);
		pcre2_set_offset_limit(one->context, PCRE2_UNSET);
		if (rc == PCRE2_ERROR_MATCHLIMIT)
			return match_timed(one, p, n, at, timer);
		if (rc != PCRE2_ERROR_NOMATCH || one->anchored)
			return outcome_of(rc);
		if (end <= n && is_time_over(timer))
			return OVERRUN;
	}
	return NO;
}

/* Matches a text against all patterns of a list.  Returns YES if any of them
 * matches, even if others reached a limit. */
static enum outcome
match_any(struct ctx_pattern *patterns, const char *p, size_t n, int64_t *left)
{
	enum outcome all = NO, this;
	struct timer timer;
	int64_t begin;
	size_t i;

	if (patterns->n == 0)
		return NO;
	if (*left <= 0) {
		patterns->overrun = true;
		return OVERRUN;
	}
	begin = read_clock();
	timer = (struct timer){.end = begin + *left, .n = n};
	for (i = 0; i < patterns->n && all != YES; i++) {
		this = i > 0 && is_time_over(&timer)
		    ? OVERRUN
		    : match_one(&patterns->list[i], p, n, &timer);
		if (this != NO)
			all = this;
		patterns->overrun |= this == OVERRUN;
	}
	*left -= read_clock() - begin;
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
	size_t i;

	for (i = 0; i < patterns->n; i++)
		free_code(&patterns->list[i]);
	free(patterns->list);
	memset(patterns, 0, sizeof *patterns);
}
