/*
 * tables.h - the tables of the built-in encodings (packed vocabularies and
 * automatons of pieces), which are made when ctx is built
 *
 * All tables together are one block of memory: usually a file, which
 * map_tables.c maps into memory.  In a build with VOCAB=builtin the block is
 * part of the program (builtin_tables.c).
 */
#ifndef CTX_TOKENIZER_VOCABULARY_TABLES_H
#define CTX_TOKENIZER_VOCABULARY_TABLES_H

#include "base/base.h"

enum ctx_table {
	CTX_TABLE_P50K, /* vocabulary of p50k_base, also used for r50k_base */
	CTX_TABLE_CL100K,
	CTX_TABLE_O200K,
	CTX_TABLE_MISTRAL,
	CTX_TABLE_CLAUDE_3,
	CTX_TABLE_CLAUDE_4_7,
	CTX_TABLES,
	CTX_TABLE_NONE = CTX_TABLES
};

#define CTX_TABLES_FILE  "encodings"
#define CTX_TABLES_MAGIC "ctxtable"
/* Must be increased whenever the format of the block or of a table changes. */
#define CTX_TABLES_VERSION 8
/* A number from which the byte order of a block is recognised. */
#define CTX_TABLES_ORDER 0x01020304u
/* Each table begins at a multiple of this number of bytes. */
#define CTX_TABLES_ALIGN 4096

/* The beginning of the block with all tables. */
struct ctx_tables_head {
	char magic[8];
	uint32_t order, version;
	uint64_t size; /* size of the block in bytes */
	/* for each table: its offset in bytes from the beginning of the
	 * block */
	uint64_t at[CTX_TABLES];
};

/* Returns the block with the tables of all built-in encodings, or NULL with
 * *err if it cannot be opened.  The block remains valid until the process
 * ends.  The file that defines this function also defines
 * ctx_tokenizer_set_data and ctx_tokenizer_open_data. */
const struct ctx_tables_head *ctx_tables_open(struct ctx_err *err);

static inline const void *
ctx_tables_find(const struct ctx_tables_head *head, enum ctx_table table)
{
	return (const char *)head + head->at[table];
}

#endif
