/* line_values.h - arrays in which most elements may be 0 */
#ifndef CTX_TRANSCRIPT_LINE_VALUES_H
#define CTX_TRANSCRIPT_LINE_VALUES_H

#include "base/base.h"

/* An array of numbers.  Elements that were never set are 0.  Elements after the
 * last one that was set take no memory.  A zeroed struct is a valid array. */
struct ctx_values {
	uint32_t *list;
	size_t n, cap;
};

static inline uint32_t
ctx_values_at(const struct ctx_values *values, size_t i)
{
	return i < values->n ? values->list[i] : 0;
}

/* Makes the array at least n elements long. */
int ctx_values_extend(struct ctx_values *values, size_t n, struct ctx_err *err);
/* Sets an element. */
int ctx_values_set(struct ctx_values *values, size_t i, uint32_t number,
    struct ctx_err *err);
/* Sets all elements from the index "from" on to 0. */
void ctx_values_clear(struct ctx_values *values, size_t from);
/* Frees the array, and makes it empty. */
void ctx_values_release(struct ctx_values *values);

#endif
