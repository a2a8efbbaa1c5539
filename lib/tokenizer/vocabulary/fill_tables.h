/* fill_tables.h - the state of filling the tables of a packed vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H
#define CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* How a token of the vocabulary is used. */
enum token_use {
	UNUSED,
	REACHED, /* merging the token's bytes gives it */
	WHOLE,   /* only used for a pretoken of exactly the token's bytes */
};

/* A packed vocabulary whose tables are being filled.  Unlike struct ctx_vocab
 * it is writable. */
struct vocab_fill {
	const struct ctx_vocab_builder *in;
	struct ctx_vocab_head *head;
	struct ctx_vocab view;
	enum token_use *uses; /* how each token is used */
	/* number of tokens of at most 16 bytes, number of longer tokens, number
	 * of bytes of all tokens */
	size_t keys, longs, text;
	size_t spilled;
	uint32_t longest, ids;
	/* log2 of sizes of hash tables; they grow until all entries fit */
	uint32_t spill_bits, pair_bits;
	/* true if an entry did not fit: try again with a larger table */
	bool full;
	/* true if more than MOST_ALIKE tokens have one hash value: refuse the
	 * file */
	bool crowded;
};

static inline void *
section_at(const struct vocab_fill *f, enum ctx_vocab_section which)
{
	return (char *)f->head + f->head->at[which];
}

/* Fills all tables of an empty packed vocabulary.  Returns 1; 0 if a table was
 * too small, which will be larger at the next call; or -1 with *err. */
int ctx_vocab_fill_tables(struct vocab_fill *f, struct ctx_err *err);

#endif
