/* builtin_tables.c - the tables of the built-in encodings as a part of the
 * program, in read-only data; only used in a build with VOCAB=builtin */
#include "tokenizer/vocabulary/incbin.h"
#include "tokenizer/vocabulary/tables.h"

CTX_INCBIN(ctx_builtin_tables, CTX_TABLES_FILE);

extern const unsigned char ctx_builtin_tables[];

const struct ctx_tables_head *
ctx_tables_open(struct ctx_err *err)
{
	(void)err;
	return (const void *)ctx_builtin_tables;
}

void
ctx_tables_open_early(void)
{
}

int
ctx_tables_set_directory(const char *dir, struct ctx_err *err)
{
	(void)dir, (void)err;
	return 0;
}
