/* fill_tables.h - fills the lookup tables of a packed vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H
#define CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* When a token of the vocabulary is used. */
enum token_use {
	UNUSED,
	REACHED, /* used if merging bytes gives the token (it is reachable) */
	/* used only for a pretoken (piece of text that is encoded by itself)
	 * whose bytes are exactly those of the token */
	WHOLE,
};

/* A packed vocabulary whose tables are being filled.  "head" points to its
 * memory for writing, "view" is for lookups in it. */
struct vocab_fill {
	const struct ctx_vocab_builder *in;
	struct ctx_vocab_head *head;
	struct ctx_vocab view;
	enum token_use *uses; /* for each token: when it is used */
	/* keys: number of tokens of at most 16 bytes; longs: number of longer
	 * tokens; text: total length of all tokens in bytes. */
	size_t keys, longs, text;
	uint32_t longest, ids;
	/* Number of lines of the table PAIRS.  It is increased until all
	 * entries fit into the table. */
	uint32_t pair_lines;
	/* True if an entry did not fit, so that the table must be made
	 * larger. */
	bool full;
	/* True if more than MOST_ALIKE tokens have the same place in a hash
	 * table.  The vocabulary file is then refused. */
	bool crowded;
};

static inline void *
section_at(const struct vocab_fill *f, enum ctx_vocab_section which)
{
	return (char *)f->head + f->head->at[which];
}

/* Fills all tables of a packed vocabulary.  Returns 1 on success; 0 if the
 * table PAIRS was too small, and f->pair_lines is then the next size to try; -1
 * with *err on an error. */
int ctx_vocab_fill_tables(struct vocab_fill *f, struct ctx_err *err);

#endif
