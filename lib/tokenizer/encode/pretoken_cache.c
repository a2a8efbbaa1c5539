/* pretoken_cache.c - caches the number of tokens of pretokens (words, numbers,
 * ...) */
#include <stdlib.h>

#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/tokenizer.h"

/* size in bytes of a line of the processor's cache */
#define LINE            64
#define FIRST_BITS      8
#define LONG_FIRST_BITS 6
#define LONG_LAST_BITS  15
#define LONG_SIZE       (sizeof(struct ctx_pretoken_cache_long) + sizeof(uint16_t))

_Static_assert(sizeof(struct ctx_pretoken_cache_long) == 128,
    "two lines of cache");
_Static_assert((64u << CTX_PRETOKEN_CACHE_BITS) +
	    (LONG_SIZE << LONG_LAST_BITS) <=
	CTX_TOKEN_CACHE,
    "what ctx.h promises");

/* Allocates n bytes, beginning at a multiple of LINE. */
static void *
make_lines(size_t n)
{
	void *lines;

	return posix_memalign(&lines, LINE, n) == 0 ? lines : NULL;
}

/* Allocates an empty hash table with 1 << bits lines.  If there is not enough
 * memory, returns -1 and does not change the cache. */
static int
make_table(struct ctx_pretoken_cache *cache, unsigned bits)
{
	uint64_t *lines = make_lines((size_t)LINE << bits);
	size_t i, n = (size_t)CTX_PRETOKEN_CACHE_LINE << bits;

	if (lines == NULL)
		return -1;
	for (i = 0; i < n; i++)
		lines[i] = i % CTX_PRETOKEN_CACHE_LINE < 4
		    ? CTX_PRETOKEN_CACHE_EMPTY.lo
		    : CTX_PRETOKEN_CACHE_EMPTY.hi;
	cache->lines = lines;
	cache->bits = bits;
	cache->shift = 64 - bits;
	return 0;
}

int
ctx_pretoken_cache_init(struct ctx_pretoken_cache *cache, struct ctx_err *err)
{
	memset(cache, 0, sizeof *cache);
	cache->long_bits = LONG_FIRST_BITS;
	return make_table(cache, FIRST_BITS) < 0 ? ctx_err_nomem(err) : 0;
}

void
ctx_pretoken_cache_release(struct ctx_pretoken_cache *cache)
{
	free(cache->lines);
	free(cache->longs);
	memset(cache, 0, sizeof *cache);
}

/* Returns the binary logarithm of the new number of lines of a hash table that
 * is enlarged: four times the present number of lines (1 << bits), but at most
 * 1 << last. */
static unsigned
grow_bits(unsigned bits, unsigned last)
{
	return bits + 2 < last ? bits + 2 : last;
}

/* Returns the index of the first empty entry in a line of the hash table, or 4
 * if the line is full. */
static unsigned
find_empty_place(const uint64_t *line)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		if ((line[4 + i] & CTX_PRETOKEN_CACHE_TOKENS) == 0)
			break;
	return i;
}

/* Stores an entry for a pretoken (piece of text that is encoded by itself) in
 * the hash table. key: the key of the pretoken. entry: the key with the number
 * of tokens in its last byte. */
static void
insert_entry(struct ctx_pretoken_cache *cache, struct ctx_key key,
    struct ctx_key entry)
{
	const uint64_t *home = ctx_pretoken_cache_line(cache, key),
		       *line = home;
	unsigned i = find_empty_place(line);
	uint64_t *place;

	if (i == 4 && cache->bits < CTX_PRETOKEN_CACHE_BITS) {
		line = ctx_pretoken_cache_beside(cache, home);
		i = find_empty_place(line);
	}
	if (i == 4) {
		/* The line is full, so replace one of its four entries.  The
		 * number of entries that were added so far decides which of
		 * them is replaced. */
		line = home;
		i = cache->n % 4;
	}
	place = cache->lines + (line - cache->lines);
	place[i] = entry.lo;
	place[4 + i] = entry.hi;
}

/* Enlarges the hash table.  If there is not enough memory, keeps the present
 * one. */
static void
grow_table(struct ctx_pretoken_cache *cache)
{
	struct ctx_pretoken_cache old = *cache;
	size_t i, n = (size_t)CTX_PRETOKEN_CACHE_LINE << old.bits;
	struct ctx_key key, entry;

	if (make_table(cache, grow_bits(old.bits, CTX_PRETOKEN_CACHE_BITS)) < 0)
		return;
	for (i = 0; i < n; i++) {
		if (i % CTX_PRETOKEN_CACHE_LINE >= 4 ||
		    (old.lines[i + 4] & CTX_PRETOKEN_CACHE_TOKENS) == 0)
			continue;
		entry = key = (struct ctx_key){old.lines[i], old.lines[i + 4]};
		key.hi |= CTX_PRETOKEN_CACHE_TOKENS;
		insert_entry(cache, key, entry);
	}
	free(old.lines);
}

void
ctx_pretoken_cache_add(struct ctx_pretoken_cache *cache, struct ctx_key key,
    unsigned tokens)
{
	struct ctx_key entry = key;

	/* The hash table is enlarged when it has two pretokens per line on
	 * average. */
	if (cache->n++ >> cache->bits > 1 &&
	    cache->bits < CTX_PRETOKEN_CACHE_BITS)
		grow_table(cache);
	entry.hi ^= CTX_PRETOKEN_CACHE_TOKENS ^
	    (uint64_t)tokens << CTX_PRETOKEN_CACHE_SHIFT;
	insert_entry(cache, key, entry);
}

/* Reads the bytes of the pretoken in words of eight bytes.  The last two words
 * may overlap. */
uint64_t
ctx_pretoken_cache_hash_long(const char *p, size_t n)
{
	uint64_t hash = n, word;
	size_t i;

	if (n > CTX_PRETOKEN_CACHE_LONG)
		return 0;
	for (i = 0; i + 8 < n; i += 8) {
		memcpy(&word, p + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	memcpy(&word, p + n - 8, 8);
	return (hash ^ word) * 0xd6e8feb86659fd93u;
}

/* Returns the index of the first entry in which a long pretoken (word, number,
 * ...) with this hash may be stored; it may also be stored in the next
 * CTX_PRETOKEN_CACHE_WAYS
 * - 1 entries. */
static size_t
find_first_place(const struct ctx_pretoken_cache *cache, uint64_t hash)
{
	return (size_t)(hash >> (64 - cache->long_bits)) /
	    CTX_PRETOKEN_CACHE_WAYS * CTX_PRETOKEN_CACHE_WAYS;
}

static uint16_t
tag_of(uint64_t hash)
{
	return (uint16_t)(hash >> 16 | 1);
}

/* Compares the tags of CTX_PRETOKEN_CACHE_WAYS entries, from index first on,
 * with a tag.  Returns a mask: bit i is set if entry first + i has this tag. */
static unsigned
find_tagged_places(const struct ctx_pretoken_cache *cache, size_t first,
    uint16_t tag)
{
	unsigned found = 0, i;

	for (i = 0; i < CTX_PRETOKEN_CACHE_WAYS; i++)
		found |= (unsigned)(cache->tags[first + i] == tag) << i;
	return found;
}

unsigned
ctx_pretoken_cache_find_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash, const char *p, size_t n)
{
	const struct ctx_pretoken_cache_long *word;
	size_t first = find_first_place(cache, hash);
	unsigned found;

	if (cache->longs == NULL)
		return 0;
	found = find_tagged_places(cache, first, tag_of(hash));
	for (; found != 0; found &= found - 1) {
		word = cache->longs + first + (size_t)__builtin_ctz(found);
		if (word->n == n && memcmp(word->text, p, n) == 0)
			return word->tokens;
	}
	return 0;
}

void
ctx_pretoken_cache_ask_long(const struct ctx_pretoken_cache *cache,
    uint64_t hash)
{
	size_t first = find_first_place(cache, hash);
	unsigned found;

	if (cache->longs == NULL)
		return;
	found = find_tagged_places(cache, first, tag_of(hash));
	if (found != 0)
		__builtin_prefetch(
		    cache->longs + first + (size_t)__builtin_ctz(found));
}

static void
insert_long_entry(struct ctx_pretoken_cache *cache, const char *p, size_t n,
    unsigned tokens)
{
	uint64_t hash = ctx_pretoken_cache_hash_long(p, n);
	size_t place = find_first_place(cache, hash);
	unsigned empty = find_tagged_places(cache, place, 0);

	/* If all CTX_PRETOKEN_CACHE_WAYS entries are in use, replace one of
	 * them.  The number of pretokens that were added so far decides which
	 * of them is replaced. */
	place += empty != 0 ? (size_t)__builtin_ctz(empty)
			    : cache->nlongs % CTX_PRETOKEN_CACHE_WAYS;
	cache->tags[place] = tag_of(hash);
	memcpy(cache->longs[place].text, p, n);
	cache->longs[place].n = (uint8_t)n;
	cache->longs[place].tokens = (uint8_t)tokens;
}

static void
grow_longs(struct ctx_pretoken_cache *cache)
{
	struct ctx_pretoken_cache old = *cache;
	size_t i, n = old.longs == NULL ? 0 : (size_t)1 << old.long_bits;

	if (n > 0)
		cache->long_bits = grow_bits(old.long_bits, LONG_LAST_BITS);
	cache->longs = make_lines(LONG_SIZE << cache->long_bits);
	if (cache->longs == NULL) {
		*cache = old;
		return;
	}
	cache->tags = (uint16_t *)(void *)(cache->longs +
	    ((size_t)1 << cache->long_bits));
	memset(cache->tags, 0, sizeof *cache->tags << cache->long_bits);
	for (i = 0; i < n; i++)
		if (old.tags[i] != 0)
			insert_long_entry(cache, old.longs[i].text,
			    old.longs[i].n, old.longs[i].tokens);
	free(old.longs);
}

void
ctx_pretoken_cache_add_long(struct ctx_pretoken_cache *cache, const char *p,
    size_t n, size_t tokens)
{
	if (n > CTX_PRETOKEN_CACHE_LONG || tokens == 0 || tokens > UINT8_MAX)
		return;
	if (cache->longs == NULL ||
	    (cache->nlongs >> (cache->long_bits - 1) > 0 &&
		cache->long_bits < LONG_LAST_BITS))
		grow_longs(cache);
	cache->nlongs++;
	if (cache->longs != NULL)
		insert_long_entry(cache, p, n, (unsigned)tokens);
}
