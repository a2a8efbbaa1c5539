/* words.c - the pieces that were merged before, and what they cost */
#include <stdlib.h>

#include "token/words.h"

#define FIRST_BITS 8
#define LAST_BITS                                                            \
	((unsigned)__builtin_ctz(CTX_TOKEN_CACHE / sizeof(struct ctx_words_line)))

_Static_assert(sizeof(struct ctx_words_line) == 64, "a line of cache");

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
	words->lines = make_lines(words->bits);
	return words->lines == NULL ? ctx_err_nomem(err) : 0;
}

void
ctx_words_release(struct ctx_words *words)
{
	free(words->lines);
	memset(words, 0, sizeof *words);
}

static void
enter(struct ctx_words *words, struct ctx_key key, unsigned tokens)
{
	uint64_t hash = ctx_key_rehash(ctx_key_hash(key));
	struct ctx_words_line *line =
	    words->lines + (hash >> (64 - words->bits));

	line->key[line->oldest] = key;
	line->tokens[line->oldest] = (uint8_t)tokens;
	line->oldest = (uint8_t)((line->oldest + 1) % 3);
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
	if (words->added++ > (size_t)1 << words->bits &&
	    words->bits < LAST_BITS) {
		words->added = 0;
		grow(words);
	}
	enter(words, key, tokens);
}
