/* words.c - the pieces that were merged before, and what they cost */
#include <stdlib.h>

#include "token/words.h"

#define FIRST_BITS 8
#define LAST_BITS  15
#define LONG_BITS  15

_Static_assert(sizeof(struct ctx_words_line) == 64, "a line of cache");
_Static_assert(sizeof(struct ctx_words_long) == 128, "two lines of cache");
_Static_assert((64u << LAST_BITS) + (128u << LONG_BITS) <= CTX_TOKEN_CACHE,
    "what ctx.h promises");

static struct ctx_words_line *
make_lines(unsigned bits)
{
	size_t size = sizeof(struct ctx_words_line) << bits;
	void *lines;

	if (posix_memalign(&lines, sizeof(struct ctx_words_line), size) != 0)
		return NULL;
	return memset(lines, 0, size);
}

int
ctx_words_init(struct ctx_words *words, struct ctx_err *err)
{
	words->bits = FIRST_BITS;
	words->added = 0;
	words->longs = NULL;
	words->lines = make_lines(words->bits);
	return words->lines == NULL ? ctx_err_nomem(err) : 0;
}

void
ctx_words_release(struct ctx_words *words)
{
	free(words->lines);
	free(words->longs);
	memset(words, 0, sizeof *words);
}

static void
enter(struct ctx_words *words, struct ctx_key key, unsigned tokens)
{
	struct ctx_words_line *line =
	    words->lines + (ctx_words_line(words, key) - words->lines);

	line->key[line->oldest] = key;
	line->tokens[line->oldest] = tokens;
	line->oldest = (line->oldest + 1) % 3;
}

/* Four times the lines; without memory it stays as it is. */
static void
grow(struct ctx_words *words)
{
	struct ctx_words old = *words;
	size_t i, n = (size_t)1 << old.bits;
	unsigned k;

	words->bits += 2;
	if (words->bits > LAST_BITS)
		words->bits = LAST_BITS;
	words->lines = make_lines(words->bits);
	if (words->lines == NULL) {
		*words = old;
		return;
	}
	for (i = 0; i < n; i++)
		for (k = 0; k < 3; k++)
			if (old.lines[i].tokens[k] > 0)
				enter(words, old.lines[i].key[k],
				    old.lines[i].tokens[k]);
	free(old.lines);
}

void
ctx_words_add(struct ctx_words *words, struct ctx_key key, unsigned tokens)
{
	if (words->added++ > (size_t)1 << (words->bits - 1) &&
	    words->bits < LAST_BITS) {
		words->added = 0;
		grow(words);
	}
	enter(words, key, tokens);
}

/* Any number of bytes, eight at a time, the last eight once more. */
static size_t
long_line(const char *p, size_t n)
{
	uint64_t hash = n, word;
	size_t i;

	for (i = 0; i + 8 < n; i += 8) {
		memcpy(&word, p + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	memcpy(&word, p + n - 8, 8);
	hash = (hash ^ word) * 0xd6e8feb86659fd93u;
	return (size_t)(hash >> (64 - LONG_BITS));
}

unsigned
ctx_words_find_long(const struct ctx_words *words, const char *p, size_t n)
{
	const struct ctx_words_long *line;

	if (words->longs == NULL)
		return 0;
	line = words->longs + long_line(p, n);
	if (line->n == n && memcmp(line->text, p, n) == 0)
		return line->tokens;
	line = words->longs + (long_line(p, n) ^ 1);
	return line->n == n && memcmp(line->text, p, n) == 0 ? line->tokens
							      : 0;
}

void
ctx_words_add_long(struct ctx_words *words, const char *p, size_t n,
    size_t tokens)
{
	struct ctx_words_long *line;

	if (words->longs == NULL) {
		words->longs = calloc((size_t)1 << LONG_BITS, sizeof *line);
		if (words->longs == NULL)
			return;
	}
	/* Two places for each word; the older of two makes room. */
	line = words->longs + long_line(p, n);
	words->longs[long_line(p, n) ^ 1] = *line;
	memcpy(line->text, p, n);
	line->n = (uint8_t)n;
	line->tokens = (uint8_t)tokens;
}
