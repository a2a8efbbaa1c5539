/* fill_tables.h - a vocabulary block that is being filled */
#ifndef CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H
#define CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* How a token is used. */
enum token_use {
	UNUSED,
	REACHED, /* merging its bytes gives it */
	WHOLE,   /* only used for a pretoken of exactly its bytes */
};

/* A block that is being filled; unlike struct ctx_vocab it is writable. */
struct vocab_fill {
	const struct ctx_vocab_builder *in;
	struct ctx_vocab_head *head;
	struct ctx_vocab view;
	enum token_use *uses;     /* of each token */
	size_t keys, longs, text; /* tokens of up to 16 bytes, longer tokens,
				     bytes of all tokens */
	size_t spilled;
	uint32_t longest, ids;
	uint32_t spill_bits, pair_bits; /* grow until all entries fit */
	bool full;    /* an entry found no place: try a larger table */
	bool crowded; /* over MOST_ALIKE tokens hash to one place: refuse */
};

static inline void *
section_at(const struct vocab_fill *f, enum ctx_vocab_section which)
{
	return (char *)f->head + f->head->at[which];
}

/* Fills all tables of an empty block.  Returns 1, or 0 if a table was too
 * small: it is larger at the next call; or -1. */
int ctx_vocab_fill_tables(struct vocab_fill *f, struct ctx_err *err);

#endif
