/*
 * pretoken_batch.h - looks up many pretokens in the cache at once
 *
 * Each of portable.c, avx2.c, avx512.c and neon.c includes this file once.
 * Before that, it defines with its instructions
 *
 *	struct sum		zero is a valid empty sum
 *	line_adds(sum, line, key)	adds the tokens of the key and
 *				CTX_PRETOKEN_CACHE_FOUND if the line has it
 *	sum_total(sum)		the sum
 *
 * It may also define one or both of these macros, each with a function that
 * replaces the one of this file:
 *
 *	CTX_VEC_HASH	vec_hash(out, keys, shift): ctx_key_hash() >> shift
 *			of eight keys
 *	CTX_VEC_LONGS	vec_longs(start, end): bit i is set if pretoken i of
 *			eight is too long for a key
 *
 * First the keys of many pretokens are made, and their lines of the hash table
 * are prefetched.  Then all keys are compared with these lines, which have
 * arrived from memory meanwhile.  Eight pretokens are compared without a
 * branch, because nearly always all of them are in the cache.
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

/* Makes the key by which a pretoken (piece of text that is encoded by itself)
 * is looked up in the cache.  For a pretoken of more than
 * CTX_PRETOKEN_CACHE_KEY bytes, makes the key of the empty string (all bytes
 * are 0xff), which is never in the cache. */
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

/* Looks up some of eight consecutive pretokens (words, numbers, ...) again, one
 * by one. bits: bit i is set if pretoken i of these eight is to be looked up.
 * first: index of the group's first pretoken.  Writes the indices of those
 * pretokens that are not in their line of the cache to missed, and returns
 * their number. */
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

/* Appends the pretokens (words, numbers, ...) of a group of at most eight that
 * are too long for a key to lookup->longs.  Returns a mask of all other
 * pretokens of the group. first: index of the first pretoken of the group. */
static inline unsigned
list_longs(const uint32_t *start, const uint32_t *end, size_t first, size_t n,
    struct ctx_pretoken_lookup *lookup)
{
	unsigned all = n < GROUP ? (1u << n) - 1 : (1u << GROUP) - 1;
	unsigned longs = vec_longs(start, end) & all, left;

	for (left = longs; left != 0; left &= left - 1)
		lookup->longs[lookup->nlongs++] =
		    (uint32_t)(first + (unsigned)__builtin_ctz(left));
	return all & ~longs;
}

static inline size_t
look_up_pretokens(const struct ctx_pretoken_cache *w, const char *p,
    const struct ctx_pretoken_list *list, struct ctx_pretoken_lookup *lookup,
    uint64_t *tokens)
{
	const uint32_t *start = list->start, *end = list->end;
	const uint64_t *table = w->lines;
	struct ctx_key *keys = lookup->keys;
	uint32_t lines[CTX_PRETOKEN_LOOKUP_MAX];
	size_t n = list->n, i, k, count = 0;
	unsigned shorts;
	uint64_t total;
	struct sum sum;

	lookup->nlongs = 0;
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
		shorts = list_longs(start + i, end + i, i, n - i, lookup);
		total = sum_total(&sum);
		*tokens += total % CTX_PRETOKEN_CACHE_FOUND;
		if (total / CTX_PRETOKEN_CACHE_FOUND <
		    (unsigned)__builtin_popcount(shorts))
			count += list_missed(table, lines + i, keys + i, shorts,
			    lookup->missed + count, i);
	}
	return count;
}
