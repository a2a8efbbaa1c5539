/*
 * words.h - the pieces that were merged before, and what they cost
 *
 * A table of bounded size: a full line forgets its oldest word.  It begins
 * small, so that a short run does not pay for memory that it never uses, and
 * grows while it keeps filling up.
 */
#ifndef CTX_TOKEN_WORDS_H
#define CTX_TOKEN_WORDS_H

#include "token/vocab.h"

/* One line of cache; a word of zero tokens is an empty place. */
struct ctx_words_line {
	struct ctx_key key[3];
	uint8_t tokens[3];
	uint8_t oldest;
	uint8_t unused[12];
};

struct ctx_words {
	struct ctx_words_line *lines;
	unsigned bits; /* log2 of the lines */
	size_t added;  /* words since it last grew */
};

int ctx_words_init(struct ctx_words *words, struct ctx_err *err);
void ctx_words_release(struct ctx_words *words);
/* Tokens of a word, or 0 if it is not known. */
static inline unsigned
ctx_words_find(const struct ctx_words *words, struct ctx_key key)
{
	uint64_t hash = ctx_key_rehash(ctx_key_hash(key));
	const struct ctx_words_line *line =
	    words->lines + (hash >> (64 - words->bits));
	unsigned i;

	for (i = 0; i < 3; i++)
		if (line->key[i].lo == key.lo && line->key[i].hi == key.hi)
			return line->tokens[i];
	return 0;
}

/* Remembers a word of 1 to 16 tokens.  If memory is short it forgets. */
void ctx_words_add(struct ctx_words *words, struct ctx_key key,
    unsigned tokens);

#endif
