/*
 * pattern.c - regular expressions that always end
 *
 * PCRE2 counts its match limit anew at every start offset, so the limit is
 * low; just-in-time code is faster but gives up on texts that the
 * interpreter can do, so that answer is asked for again.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "ctx.h"

/* Steps for each start offset, nesting, and kilobytes of heap. */
#define MATCH_LIMIT 100000
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT  65536
#define LONGEST     65536 /* bytes of a pattern */

struct ctx_pattern_code {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

static void
free_code(struct ctx_pattern_code *one)
{
	pcre2_code_free(one->code);
	pcre2_match_data_free(one->data);
	pcre2_match_context_free(one->context);
}

int
ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err)
{
	const uint32_t options =
	    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
	struct ctx_pattern_code *list, one = {0};
	unsigned char why[120];
	PCRE2_SIZE at;
	int code;

	if (strlen(pattern) > LONGEST)
		return ctx_err_set(err, CTX_EARG,
		    "pattern longer than %d bytes", LONGEST);
	list = ctx_grow(patterns->list, &patterns->cap, patterns->n + 1,
	    sizeof *list, err);
	if (list == NULL)
		return -1;
	patterns->list = list;
	one.code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	    options, &code, &at, NULL);
	if (one.code == NULL) {
		pcre2_get_error_message(code, why, sizeof why);
		return ctx_err_set(err, CTX_EARG,
		    "pattern '%.80s', character %zu: %s", pattern, at + 1,
		    (const char *)why);
	}
	/* Without just-in-time code the interpreter does the work. */
	(void)pcre2_jit_compile(one.code, PCRE2_JIT_COMPLETE);
	one.data = pcre2_match_data_create(1, NULL);
	one.context = pcre2_match_context_create(NULL);
	if (one.data == NULL || one.context == NULL) {
		free_code(&one);
		return ctx_err_nomem(err);
	}
	pcre2_set_match_limit(one.context, MATCH_LIMIT);
	pcre2_set_depth_limit(one.context, DEPTH_LIMIT);
	pcre2_set_heap_limit(one.context, HEAP_LIMIT);
	list[patterns->n++] = one;
	return 0;
}

bool
ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n)
{
	size_t i;
	int rc;

	for (i = 0; i < patterns->n; i++) {
		struct ctx_pattern_code *one = &patterns->list[i];

		rc = pcre2_match(one->code, (PCRE2_SPTR)p, n, 0, 0, one->data,
		    one->context);
		if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
			rc = pcre2_match(one->code, (PCRE2_SPTR)p, n, 0,
			    PCRE2_NO_JIT, one->data, one->context);
		if (rc >= 0)
			return true;
		if (rc != PCRE2_ERROR_NOMATCH) {
			patterns->overrun = true;
			return true;
		}
	}
	return false;
}

bool
ctx_pattern_picks(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n)
{
	if (only->n > 0 && !ctx_pattern_match(only, p, n))
		return false;
	return except->n == 0 || !ctx_pattern_match(except, p, n);
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
