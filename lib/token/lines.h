/*
 * lines.h - looking up many pieces in the key table
 *
 * Included once by each back end, which brings
 *
 *	line_has(line, key)	is one of the four keys of a line this one?
 *
 * and, if it can do better than one by one, with CTX_VEC_HASH defined
 *
 *	vec_hash(out, keys, shift)	ctx_key_hash() >> shift of eight keys
 *
 * First all keys are made and their lines asked for, then all are compared.
 * Between the two the lines come in, many at a time; and as a miss is only
 * noted down, nothing here is mispredicted.
 */
#include "token/probe.h"

#define GROUP 8

typedef uint64_t key_vector __attribute__((vector_size(CTX_VOCAB_KEY)));

#ifndef CTX_VEC_HASH
static inline void
vec_hash(uint32_t *out, const struct ctx_key *keys, unsigned shift)
{
	unsigned i;

	for (i = 0; i < GROUP; i++)
		out[i] = (uint32_t)(ctx_key_hash(keys[i]) >> shift);
}
#endif

/* The key of one piece.  Those of more than 16 bytes wrap around and get the
 * fill of no bytes at all: the key that is never found. */
static inline void
make_key(struct ctx_key *key, const char *p, uint32_t start, uint32_t end)
{
	uint32_t from = CTX_VOCAB_KEY + start - end;
	key_vector bytes, fill;

	from = from < CTX_VOCAB_KEY ? from : CTX_VOCAB_KEY;
	memcpy(&bytes, p + start, sizeof bytes);
	memcpy(&fill, ctx_key_fill + from, sizeof fill);
	bytes |= fill;
	memcpy(key, &bytes, sizeof bytes);
}

static inline size_t
probe_lines(const struct ctx_vocab *v, const char *p, const uint32_t *start,
    const uint32_t *end, size_t n, struct ctx_key *keys, uint32_t *missed)
{
	uint32_t lines[CTX_PROBE_MAX];
	const uint64_t *table = v->lines;
	size_t i, k, count = 0;

	for (i = 0; i < n; i++)
		make_key(keys + i, p, start[i], end[i]);
	for (; i % GROUP != 0; i++)
		keys[i] = CTX_KEY_EMPTY;
	for (i = 0; i < n; i += GROUP) {
		vec_hash(lines + i, keys + i, v->line_shift);
		for (k = i; k < i + GROUP; k++)
			__builtin_prefetch(table + 8 * (size_t)lines[k]);
	}
	for (i = 0; i < n; i++) {
		missed[count] = (uint32_t)i;
		count += !line_has(table + 8 * (size_t)lines[i], keys + i);
	}
	return count;
}
