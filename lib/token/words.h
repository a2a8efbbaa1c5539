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
	uint32_t tokens[3];
	uint32_t oldest;
};

/* A word of 17 bytes and more, in two lines; rulers and the frames of
 * comments, often of some 80 characters, have to fit. */
#define CTX_WORDS_LONG 124
struct ctx_words_long {
	uint8_t n; /* bytes; 0 for an empty line */
	uint8_t tokens;
	uint16_t check; /* more of the hash, to tell words without the text */
	char text[CTX_WORDS_LONG];
};

struct ctx_words {
	struct ctx_words_line *lines;
	struct ctx_words_long *longs; /* NULL until there is a word */
	unsigned bits, long_bits; /* log2 of the lines */
	size_t n, nlongs; /* words added */
};

int ctx_words_init(struct ctx_words *words, struct ctx_err *err);
void ctx_words_release(struct ctx_words *words);

static inline const struct ctx_words_line *
ctx_words_line(const struct ctx_words *words, struct ctx_key key)
{
	uint64_t hash = ctx_key_rehash(ctx_key_hash(key));

	return words->lines + (hash >> (64 - words->bits));
}

/* Tokens of a word, or 0 if it is not known. */
static inline unsigned
ctx_words_find(const struct ctx_words *words, struct ctx_key key)
{
	const struct ctx_words_line *line = ctx_words_line(words, key);
	unsigned i, tokens = 0;
	uint64_t other;

	for (i = 0; i < 3; i++) {
		other = (line->key[i].lo ^ key.lo) | (line->key[i].hi ^ key.hi);
		tokens |= other == 0 ? line->tokens[i] : 0;
	}
	return tokens;
}

/* The same for words of 17 to CTX_WORDS_LONG bytes. */
unsigned ctx_words_find_long(const struct ctx_words *words, const char *p,
    size_t n);
void ctx_words_add_long(struct ctx_words *words, const char *p, size_t n,
    size_t tokens);

/* Remembers a word of 1 to 16 tokens.  If memory is short it forgets. */
void ctx_words_add(struct ctx_words *words, struct ctx_key key,
    unsigned tokens);

#endif
