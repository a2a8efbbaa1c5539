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
    const uint32_t *end, size_t n, struct ctx_key *keys, uint32_t *missed)
{
	const uint64_t *lines[CTX_PROBE_MAX], *table = v->lines;
	unsigned shift = v->line_shift;
	uint64_t lo, hi, fill_lo, fill_hi;
	const char *fill;
	size_t i, count = 0;
	uint32_t from;

	for (i = 0; i < n; i++) {
		/* Pieces of more than 16 bytes wrap around and get the fill
		 * of no bytes at all: the key that is never found. */
		from = CTX_VOCAB_KEY - (end[i] - start);
		from = from < CTX_VOCAB_KEY ? from : CTX_VOCAB_KEY;
		fill = (const char *)ctx_key_fill + from;
		memcpy(&fill_lo, fill, 8);
		memcpy(&fill_hi, fill + 8, 8);
		memcpy(&lo, p + start, 8);
		memcpy(&hi, p + start + 8, 8);
		lo |= fill_lo;
		hi |= fill_hi;
		keys[i] = (struct ctx_key){lo, hi};
		lines[i] = table +
		    8 * (ctx_key_hash((struct ctx_key){lo, hi}) >> shift);
		__builtin_prefetch(lines[i]);
		start = end[i];
	}
	for (i = 0; i < n; i++) {
		missed[count] = (uint32_t)i;
		count += !line_has(lines[i], keys + i);
	}
	return count;
}
