/* fill_tables.h - fills the lookup tables of a packed vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H
#define CTX_TOKENIZER_VOCABULARY_FILL_TABLES_H

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* When a token of the vocabulary is used. */
enum token_use {
	UNUSED,
	/* the token is reachable: merging its bytes gives it */
	REACHED,
	/* The token is used only for a pretoken (piece of text that is encoded
	 * separately) whose bytes are exactly those of the token. */
	WHOLE,
};

/* A packed vocabulary whose tables are being filled.  "head" points to the
 * memory of the packed vocabulary, for writing; "view" is used for lookups in
 * its tables. */
struct vocab_fill {
	const struct ctx_vocab_builder *in;
	struct ctx_vocab_head *head;
	struct ctx_vocab view;
	enum token_use *uses; /* for each token: when the token is used */
	/* keys: number of tokens of at most 16 bytes; longs: number of tokens
	 * of more than 16 bytes; merges: number of tokens that may be merged
	 * from two others; text: length of the table TEXT in bytes,
	 * without the bytes at its end that belong to no token. */
	size_t keys, longs, merges, text;
	uint32_t longest, ids;
	/* Number of lines of the table PAIRS (pairs of tokens that can merge).
	 * It is increased until all pairs fit into the table. */
	uint32_t pair_lines;
	/* True if an entry did not fit into the table PAIRS, so that this table
	 * must be made larger. */
	bool full;
	/* True if more than MOST_ALIKE tokens have the same line in a hash
	 * table or the same first 16 bytes.  Then the vocabulary file is
	 * refused. */
	bool crowded;
};

static inline void *
section_at(const struct vocab_fill *f, enum ctx_vocab_section which)
{
	return (char *)f->head + f->head->at[which];
}

/* Fills all tables of a packed vocabulary.  Returns 1 on success, or -1 with
 * *err on an error.  Returns 0 if the table PAIRS was too small; then the
 * caller must try again with the new size f->pair_lines. */
int ctx_vocab_fill_tables(struct vocab_fill *f, struct ctx_err *err);

#endif
