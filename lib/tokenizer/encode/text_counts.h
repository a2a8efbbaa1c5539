/*
 * text_counts.h - stores the numbers of tokens of texts, for a caller that
 * counts equal texts again and again
 *
 * The table has a fixed size.  It contains hashes of 128 bits in place of the
 * texts; two texts with the same hash are practically impossible (ctx_hash_wide
 * in base.h).  A new text replaces an older one whose hash selects the same
 * entry.
 */
#ifndef CTX_TOKENIZER_ENCODE_TEXT_COUNTS_H
#define CTX_TOKENIZER_ENCODE_TEXT_COUNTS_H

#include "base/base.h"

/* Minimum length in bytes of a text in the table.  A shorter text is counted as
 * fast as it is looked up. */
#define CTX_TEXT_COUNTS_LEAST 64

struct ctx_text_count {
	uint64_t hash[2]; /* both are 0 if the entry is empty */
	uint64_t tokens;
};

struct ctx_text_counts {
	struct ctx_hashkey key;
	struct ctx_text_count *list; /* NULL: no texts are stored */
};

/* Allocates the table (768 KiB). */
int ctx_text_counts_open(struct ctx_text_counts *counts, struct ctx_err *err);
void ctx_text_counts_release(struct ctx_text_counts *counts);
/* Returns the entry of a text, or NULL if the text is too short or the table is
 * not open.  If the text was not in the table, the entry has the hash of the
 * text, and 0 tokens; the caller then stores the number of tokens in it. */
struct ctx_text_count *ctx_text_counts_find(
    const struct ctx_text_counts *counts, const char *p, size_t n);

#endif
