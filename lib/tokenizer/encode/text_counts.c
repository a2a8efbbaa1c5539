/* text_counts.c - stores the numbers of tokens of texts */
#include <stdlib.h>

#include "tokenizer/encode/text_counts.h"

/* number of entries of the table; a power of two */
enum { ENTRIES = 1 << 15 };

int
ctx_text_counts_open(struct ctx_text_counts *counts, struct ctx_err *err)
{
	ctx_hashkey_init(&counts->key);
	counts->list = calloc(ENTRIES, sizeof *counts->list);
	return counts->list == NULL ? ctx_err_nomem(err) : 0;
}

void
ctx_text_counts_release(struct ctx_text_counts *counts)
{
	free(counts->list);
}

struct ctx_text_count *
ctx_text_counts_find(const struct ctx_text_counts *counts, const char *p,
    size_t n)
{
	struct ctx_text_count *entry;
	uint64_t hash[2];

	if (counts->list == NULL || n < CTX_TEXT_COUNTS_LEAST)
		return NULL;
	ctx_hash_wide(&counts->key, p, n, hash);
	entry = &counts->list[hash[0] % ENTRIES];
	if (entry->hash[0] != hash[0] || entry->hash[1] != hash[1])
		*entry = (struct ctx_text_count){{hash[0], hash[1]}, 0};
	return entry;
}
