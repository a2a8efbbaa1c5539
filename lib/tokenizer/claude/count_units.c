/*
 * count_units.c - counts the tokens of units (parts of a text that are counted
 * independently), for Claude's encodings
 *
 * Most units are found in the counter's cache; many units are looked up at
 * once, like pretokens.  The tokens of the other units are counted by
 * marked_text.c.
 */
#include "tokenizer/claude/claude.h"
#include "tokenizer/encode/count_tokens.h"

/* Data for counting the units (parts of a text that are counted by themselves)
 * that are listed in counter->pretokens. */
struct unit_batch {
	struct ctx_token_counter *counter;
	const char *p;
	uint64_t *tokens;
	struct ctx_err *err;
};

static int
tile_unit(const struct unit_batch *b, const char *p, size_t n, unsigned edges,
    uint64_t *tokens)
{
	*tokens = 0;
	return ctx_marked_text_count(&b->counter->marked,
	    (struct ctx_str){p, n}, edges, tokens, b->err);
}

/* Counts a unit of at most CTX_PRETOKEN_CACHE_KEY bytes; looks it up in the
 * cache first. */
static int
count_short_unit(const struct unit_batch *b, const char *p, size_t n,
    struct ctx_key key)
{
	struct ctx_pretoken_cache *cache = &b->counter->cache;
	uint64_t tokens = ctx_pretoken_cache_find(cache, key);

	if (tokens == 0) {
		if (tile_unit(b, p, n, 0, &tokens) < 0)
			return -1;
		/* The number of tokens fits into unsigned: a unit has at most
		 * CTX_PRETOKEN_CACHE_KEY bytes, and each byte at most
		 * CTX_CLAUDE_FACTOR tokens. */
		if (tokens > 0)
			ctx_pretoken_cache_add(cache, key, (unsigned)tokens);
	}
	*b->tokens += tokens;
	return 0;
}

static int
count_long_unit(const struct unit_batch *b, const char *p, size_t n,
    uint64_t hash)
{
	struct ctx_pretoken_cache *cache = &b->counter->cache;
	uint64_t tokens = ctx_pretoken_cache_find_long(cache, hash, p, n);

	if (tokens == 0) {
		if (tile_unit(b, p, n, 0, &tokens) < 0)
			return -1;
		ctx_pretoken_cache_add_long(cache, p, n, tokens);
	}
	*b->tokens += tokens;
	return 0;
}

/* Counts those units (parts of a text) of a list that are too long for a key of
 * the cache.  An earlier lookup has stored the indices of these units. */
static int
count_longs(const struct unit_batch *b, struct ctx_pretoken_list list)
{
	struct ctx_pretoken_lookup *lookup = &b->counter->batch;
	size_t k;
	uint32_t i;

	ctx_counter_ask_longs(b->counter, lookup, b->p, list);
	for (k = 0; k < lookup->nlongs; k++) {
		i = lookup->longs[k];
		if (count_long_unit(b, b->p + list.start[i],
			list.end[i] - list.start[i], lookup->hashes[k]) < 0)
			return -1;
	}
	return 0;
}

/* Counts the units from index first to, but not including, index end.  At the
 * beginning of each unit, 16 bytes must be readable for the lookup. */
static int
count_listed_units(const struct unit_batch *b, size_t first, size_t end)
{
	struct ctx_token_counter *c = b->counter;
	struct ctx_pretoken_lookup *lookup = &c->batch;
	struct ctx_pretoken_list list;
	size_t misses, k, i;

	for (; first < end; first += list.n) {
		list = (struct ctx_pretoken_list){c->pretokens.start + first,
		    c->pretokens.end + first, end - first};
		if (list.n > CTX_PRETOKEN_LOOKUP_MAX)
			list.n = CTX_PRETOKEN_LOOKUP_MAX;
		misses = c->backend->lookup(&c->cache, b->p, &list, lookup,
		    b->tokens);
		for (k = 0; k < misses; k++) {
			i = lookup->missed[k];
			if (count_short_unit(b, b->p + list.start[i],
				list.end[i] - list.start[i],
				lookup->keys[i]) < 0)
				return -1;
		}
		if (count_longs(b, list) < 0)
			return -1;
	}
	return 0;
}

/* Counts a unit so near the end of a text that 16 bytes are not readable from
 * the beginning of the unit. */
static int
count_last_unit(const struct unit_batch *b, const char *p, size_t n)
{
	return n > CTX_PRETOKEN_CACHE_KEY
	    ? count_long_unit(b, p, n, ctx_pretoken_cache_hash_long(p, n))
	    : count_short_unit(b, p, n, ctx_key_copy(p, n));
}

/* Counts the first or the last unit of a text, or a unit that cannot be stored
 * in the cache.  Does not use the cache. */
static int
count_edge_unit(const struct unit_batch *b, const char *p, size_t n,
    unsigned edges)
{
	uint64_t tokens;

	if (tile_unit(b, p, n, edges, &tokens) < 0)
		return -1;
	*b->tokens += tokens;
	return 0;
}

/* Returns true if a unit (part of a text) that ends with this byte has the same
 * number of tokens whether another unit or the end of the text comes after
 * it. */
static bool
ends_alike(char last)
{
	return last > ' ' && last < 0x7f;
}

int
ctx_units_cut(struct ctx_token_counter *c, struct ctx_str text, size_t at,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_str unit = {text.p + at, text.n - at};
	uint64_t head = 0, inside = 0;

	if (unit.n == 0)
		return 0;
	if (ctx_unit_is_word(unit.p, unit.n))
		return 1;
	ctx_units_split(&c->other_pretokens, unit.p, unit.n, 1);
	if (c->other_pretokens.used == unit.n)
		return 0;
	unit.n = c->other_pretokens.used;
	if (ctx_marked_text_count(&c->marked, unit, CTX_UNIT_HEAD, &head, err) <
		0 ||
	    ctx_marked_text_count(&c->marked, unit, 0, &inside, err) < 0)
		return -1;
	if (*tokens + inside < head)
		return 0;
	*tokens = *tokens + inside - head;
	return 1;
}

int
ctx_units_count(struct ctx_token_counter *c, struct ctx_str text, size_t *at,
    size_t max, uint64_t *tokens, struct ctx_err *err)
{
	const struct unit_batch b = {c, text.p + *at, tokens, err};
	struct ctx_pretokenize *s = &c->pretokens;
	size_t n = text.n - *at, i = 0, end, listed;
	unsigned head, tail;

	ctx_units_split(s, b.p, n, max);
	head = *at == 0 && !ctx_unit_is_word(b.p, n) ? CTX_UNIT_HEAD : 0;
	tail = s->used == n && !ends_alike(b.p[n - 1]) ? CTX_UNIT_TAIL : 0;
	*at += s->used;
	if (s->alone > 0)
		return count_edge_unit(&b, b.p, s->alone, head | tail);
	end = s->listed;
	if (tail != 0 && end > 1) {
		end--;
		if (count_edge_unit(&b, b.p + s->start[end],
			s->end[end] - s->start[end], tail) < 0)
			return -1;
		tail = 0;
	}
	if (head != 0 || tail != 0) {
		if (count_edge_unit(&b, b.p, s->end[0], head | tail) < 0)
			return -1;
		i++;
	}
	listed = ctx_pretokenize_inner(s, n);
	if (listed > end)
		listed = end;
	if (listed < i)
		listed = i;
	if (count_listed_units(&b, i, listed) < 0)
		return -1;
	for (i = listed; i < end; i++)
		if (count_last_unit(&b, b.p + s->start[i],
			s->end[i] - s->start[i]) < 0)
			return -1;
	return 0;
}
