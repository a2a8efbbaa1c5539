/* line_values.c - arrays with a number for each line of a file, in little
 * memory if most of these numbers are 0 */
#include <stdlib.h>
#include <string.h>

#include "transcript/line_values.h"

int
ctx_values_extend(struct ctx_values *values, size_t n, struct ctx_err *err)
{
	if (n <= values->n)
		return 0;
	if (CTX_GROW(values->list, values->cap, n, err) < 0)
		return -1;
	memset(values->list + values->n, 0,
	    (n - values->n) * sizeof *values->list);
	values->n = n;
	return 0;
}

int
ctx_values_set(struct ctx_values *values, size_t i, uint32_t number,
    struct ctx_err *err)
{
	if (i >= values->n) {
		if (number == 0)
			return 0;
		if (ctx_values_extend(values, i + 1, err) < 0)
			return -1;
	}
	values->list[i] = number;
	return 0;
}

void
ctx_values_clear(struct ctx_values *values, size_t from)
{
	if (from < values->n)
		memset(values->list + from, 0,
		    (values->n - from) * sizeof *values->list);
}

void
ctx_values_release(struct ctx_values *values)
{
	free(values->list);
	memset(values, 0, sizeof *values);
}
