/*
 * pretoken_batch.h - looking up many pieces among the words met before
 *
 * Included once by each back end, which brings
 *
 *	struct sum		zero is none
 *	line_adds(sum, line, key)	adds the tokens of the key and
 *				CTX_PRETOKEN_CACHE_FOUND if it is in this line
 *	sum_total(sum)
 *
 * and, if it can do better than one by one, with CTX_VEC_HASH defined
 *
 *	vec_hash(out, keys, shift)	ctx_key_hash() >> shift of eight keys
 *
 * or, with CTX_VEC_LONGS defined
 *
 *	vec_longs(start, end)	bit i: piece i of eight has no key
 *
 * First the keys of many pieces are made and their lines asked for, then all
 * are compared.  Between the two the lines come in, many at a time.  Eight
 * are compared without asking which of them were found: nearly always all
 * are.
 */
#include "tokenizer/encode/pretoken_lookup.h"

#define GROUP 8
_Static_assert(CTX_PRETOKEN_LOOKUP_MAX % GROUP == 0,
    "no group goes beyond the end");

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

#ifndef CTX_VEC_LONGS
static inline unsigned
vec_longs(const uint32_t *start, const uint32_t *end)
{
	unsigned longs = 0, i;

	for (i = 0; i < GROUP; i++)
		longs |= (unsigned)(end[i] - start[i] > CTX_PRETOKEN_CACHE_KEY)
		    << i;
	return longs;
}
#endif

/* The key of one piece.  Those of more than CTX_PRETOKEN_CACHE_KEY bytes get
 * the fill of no bytes at all: a key that is never found. */
static inline void
make_key(struct ctx_key *key, const char *p, uint32_t start, uint32_t end)
{
	uint32_t from = CTX_PRETOKEN_CACHE_KEY + start - end;
	key_vector bytes, fill;

	from = from < CTX_PRETOKEN_CACHE_KEY ? from : CTX_PRETOKEN_CACHE_KEY;
	memcpy(&bytes, p + start, sizeof bytes);
	memcpy(&fill, ctx_key_fill + 1 + from, sizeof fill);
	bytes |= fill;
	memcpy(key, &bytes, sizeof bytes);
}

/* Lists those of a group, of which bits are set, that are in none of their
 * lines. */
static __attribute__((noinline)) size_t
list_missed(const uint64_t *table, const uint32_t *lines,
    const struct ctx_key *keys, unsigned bits, uint32_t *missed, size_t first)
{
	size_t count = 0;
	struct sum sum;
	unsigned i;

	for (; bits != 0; bits &= bits - 1) {
		i = (unsigned)__builtin_ctz(bits);
		sum = (struct sum){0};
		line_adds(&sum,
		    table + CTX_PRETOKEN_CACHE_LINE * (size_t)lines[i],
		    keys + i);
		missed[count] = (uint32_t)(first + i);
		count += sum_total(&sum) == 0;
	}
	return count;
}

/* Lists the long ones of a group; returns the bits of the others. */
static inline unsigned
list_longs(const uint32_t *start, const uint32_t *end, size_t first, size_t n,
    struct ctx_pretoken_lookup *probe)
{
	unsigned all = n < GROUP ? (1u << n) - 1 : (1u << GROUP) - 1;
	unsigned longs = vec_longs(start, end) & all, left;

	for (left = longs; left != 0; left &= left - 1)
		probe->longs[probe->nlongs++] =
		    (uint32_t)(first + (unsigned)__builtin_ctz(left));
	return all & ~longs;
}

static inline size_t
probe_lines(const struct ctx_pretoken_cache *w, const char *p,
    const uint32_t *start, const uint32_t *end, size_t n,
    struct ctx_pretoken_lookup *probe, uint64_t *tokens)
{
	const uint64_t *table = w->lines;
	struct ctx_key *keys = probe->keys;
	uint32_t lines[CTX_PRETOKEN_LOOKUP_MAX];
	size_t i, k, count = 0;
	unsigned shorts;
	uint64_t total;
	struct sum sum;

	probe->nlongs = 0;
	for (i = 0; i < n; i++)
		make_key(keys + i, p, start[i], end[i]);
	for (; i % GROUP != 0; i++)
		keys[i] = CTX_KEY_EMPTY;
	for (i = 0; i < n; i += GROUP) {
		vec_hash(lines + i, keys + i, w->shift);
#pragma GCC unroll 8
		for (k = 0; k < GROUP; k++)
			__builtin_prefetch(table +
			    CTX_PRETOKEN_CACHE_LINE * (size_t)lines[i + k]);
	}
	for (i = 0; i < n; i += GROUP) {
		sum = (struct sum){0};
#pragma GCC unroll 8
		for (k = 0; k < GROUP; k++)
			line_adds(&sum,
			    table +
				CTX_PRETOKEN_CACHE_LINE * (size_t)lines[i + k],
			    keys + i + k);
		shorts = list_longs(start + i, end + i, i, n - i, probe);
		total = sum_total(&sum);
		*tokens += total % CTX_PRETOKEN_CACHE_FOUND;
		if (total / CTX_PRETOKEN_CACHE_FOUND <
		    (unsigned)__builtin_popcount(shorts))
			count += list_missed(table, lines + i, keys + i, shorts,
			    probe->missed + count, i);
	}
	return count;
}
