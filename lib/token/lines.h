/*
 * lines.h - looking up many pieces among the words met before
 *
 * Included once by each back end, which brings
 *
 *	struct sum		tokens, added up; zero is none
 *	line_adds(sum, line, key)	adds what the key in this line costs;
 *				is it there?
 *	sum_total(sum)
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
probe_lines(const struct ctx_words *w, const char *p, const uint32_t *start,
    const uint32_t *end, size_t n, struct ctx_probe *probe, uint64_t *tokens)
{
	const uint64_t *table = w->lines;
	struct ctx_key *keys = probe->keys;
	uint32_t lines[CTX_PROBE_MAX];
	struct sum sum = {0};
	size_t i, k, count = 0;

	for (i = 0; i < n; i++)
		make_key(keys + i, p, start[i], end[i]);
	for (; i % GROUP != 0; i++)
		keys[i] = CTX_KEY_EMPTY;
	for (i = 0; i < n; i += GROUP) {
		vec_hash(lines + i, keys + i, w->shift);
#pragma GCC unroll 8
		for (k = 0; k < GROUP; k++)
			__builtin_prefetch(table +
			    CTX_WORDS_LINE * (size_t)lines[i + k]);
	}
	for (i = 0; i < n; i++) {
		probe->missed[count] = (uint32_t)i;
		count += !line_adds(&sum, table +
		    CTX_WORDS_LINE * (size_t)lines[i], keys + i);
	}
	*tokens += sum_total(&sum);
	return count;
}
