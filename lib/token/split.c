/* split.c - a text to the pieces that are encoded one by one */
#include <string.h>

#include "token/piece.h"
#include "token/split.h"

static void
split_portable(struct ctx_split *split, struct ctx_scheme scheme,
    const char *p, size_t n, size_t max)
{
	size_t at = 0, length;

	split->n = split->alone = 0;
	while (split->n < max && at < n) {
		length = ctx_piece_next(scheme, p + at, n - at);
		if (at + length > INT32_MAX ||
		    memchr(p + at, 0xff, length) != NULL) {
			if (split->n == 0)
				split->alone = length;
			return;
		}
		at += length;
		split->end[split->n++] = (uint32_t)at;
	}
}

ctx_split_fn *
ctx_split_pick(enum ctx_simd simd)
{
	(void)simd;
	return split_portable;
}
