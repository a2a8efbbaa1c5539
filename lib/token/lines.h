/*
 * lines.h - looking up many pieces in the key table
 *
 * Included once by each back end, which brings
 *
 *	line_has(line, key)	1 if one of the four keys of a line is key
 *
 * In two passes: the first makes the keys and asks for their lines, the
 * second compares.  Between the two the lines come in, many at a time; and
 * as a miss is only noted down, nothing in either pass is mispredicted.
 */
#include "token/probe.h"

static inline size_t
probe_lines(const struct ctx_vocab *v, const char *p, uint32_t start,
    const uint32_t *end, size_t n, uint32_t *missed)
{
	struct ctx_key keys[CTX_PROBE_MAX];
	const uint64_t *lines[CTX_PROBE_MAX];
	uint32_t length, begin = start;
	size_t i, count = 0;
	unsigned found;

	for (i = 0; i < n; i++) {
		length = end[i] - start;
		length = length < CTX_VOCAB_KEY ? length : CTX_VOCAB_KEY;
		keys[i] = ctx_key_read(p + start, length);
		lines[i] = v->lines +
		    8 * (ctx_key_hash(keys[i]) >> v->line_shift);
		__builtin_prefetch(lines[i]);
		start = end[i];
	}
	for (i = 0; i < n; i++) {
		/* The key of a longer piece holds its first bytes only. */
		found = line_has(lines[i], keys[i]) &
		    (end[i] - begin <= CTX_VOCAB_KEY);
		missed[count] = (uint32_t)i;
		count += !found;
		begin = end[i];
	}
	return count;
}
