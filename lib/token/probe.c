/*
 * probe.c - looking up many pieces in the key table at once
 *
 * In two passes: the first makes the keys and asks for their lines, the
 * second compares.  Between the two the lines come in, many at a time; and
 * as a miss is only noted down, nothing in either pass is mispredicted.
 */
#include "token/probe.h"

static size_t
probe_portable(const struct ctx_vocab *v, const char *p, uint32_t start,
    const uint32_t *end, size_t n, uint32_t *missed)
{
	struct ctx_key keys[CTX_PROBE_MAX];
	const uint64_t *lines[CTX_PROBE_MAX], *slot;
	uint32_t length, begin = start;
	size_t i, count = 0;
	unsigned k, found;

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
		slot = lines[i];
		found = 0;
		for (k = 0; k < 4; k++)
			found |= (unsigned)(slot[2 * k] == keys[i].lo) &
			    (unsigned)(slot[2 * k + 1] == keys[i].hi);
		missed[count] = (uint32_t)i;
		count += !found | (end[i] - begin > CTX_VOCAB_KEY);
		begin = end[i];
	}
	return count;
}

ctx_probe_fn *
ctx_probe_pick(enum ctx_simd simd)
{
	(void)simd;
	return probe_portable;
}
