/* fill_tables.h - fills the tables of a packed vocabulary, by which tokens are
 * looked up */
#ifndef CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H
#define CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* Condition under which a token of the vocabulary is used in a text. */
enum token_use {
	UNUSED,
	REACHED, /* used if merging bytes gives the token */
	WHOLE,   /* used only if a pretoken has exactly the token's bytes */
};

/* A packed vocabulary whose tables are being filled.  head points to memory
 * that can be written; view is for lookups in it. */
struct vocab_fill {
	const struct ctx_vocab_builder *in;
	struct ctx_vocab_head *head;
	struct ctx_vocab view;
	enum token_use *uses; /* when each token is used */
	/* keys: number of tokens of at most 16 bytes. longs: number of longer
	 * tokens. text: length of all tokens in bytes. */
	size_t keys, longs, text;
	uint32_t longest, ids;
	/* number of lines of the table PAIRS, which is increased until all
	 * entries fit */
	uint32_t pair_lines;
	/* True if an entry did not fit, so that a larger table must be
	 * tried. */
	bool full;
	/* True if more than MOST_ALIKE tokens would be in one place of a hash
	 * table.  The file is then refused. */
	bool crowded;
};

static inline void *
section_at(const struct vocab_fill *f, enum ctx_vocab_section which)
{
	return (char *)f->head + f->head->at[which];
}

/* Fills all tables of a packed vocabulary.  Returns 1; 0 if the table PAIRS was
 * too small: f->pair_lines is then the size to try next; or -1 with *err. */
int ctx_vocab_fill_tables(struct vocab_fill *f, struct ctx_err *err);

#endif
