/* read_options.c - converts the options of ctx.h, which a program passes, to
 * the options of the functions inside the library */
#include <string.h>

#include "api/handles.h"

int
ctx_api_copy_string(struct ctx_arena *arena, const char *text, const char **to,
    struct ctx_err *err)
{
	*to = NULL;
	if (text == NULL)
		return 0;
	*to = ctx_arena_copy(arena, text, strlen(text) + 1, err);
	return *to != NULL ? 0 : -1;
}

int
ctx_api_choose(const char *what, const char *value, const char *const *names,
    unsigned *i, struct ctx_err *err)
{
	*i = 0;
	if (value == NULL)
		return 0;
	for (; names[*i] != NULL; ++*i)
		if (strcmp(names[*i], value) == 0)
			return 0;
	return ctx_err_set(err, CTX_EARG,
	    "option %s: '%.60s' is unknown; the default is '%s'", what, value,
	    names[0]);
}

int
ctx_api_read_reasoning(const char *value, enum ctx_reasoning *reasoning,
    struct ctx_err *err)
{
	static const char *const names[] = {"drop", "keep", "fail", NULL};
	unsigned i;

	if (ctx_api_choose("reasoning", value, names, &i, err) < 0)
		return -1;
	*reasoning = (enum ctx_reasoning)i;
	return 0;
}

int
ctx_api_add_pattern(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err)
{
	return pattern == NULL ? 0 : ctx_pattern_add(patterns, pattern, err);
}

uint64_t
ctx_api_number(uint64_t value, uint64_t otherwise)
{
	return value == 0 ? otherwise : value == CTX_NONE ? 0 : value;
}
