/* builtin_tables.c - the tables of the built-in encodings as a part of the
 * program, in read-only data; only used in a build with VOCAB=builtin */
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary/tables.h"

#if defined(__APPLE__)
#define SECTION "__TEXT,__const"
#define SYMBOL  "_ctx_builtin_tables"
#else
#define SECTION ".rodata"
#define SYMBOL  "ctx_builtin_tables"
#endif

/* The assembler includes the file (.incbin), because a C source file of the
 * same size would take long to compile. */
__asm__(".section " SECTION "\n"
	".balign 64\n"
	".globl " SYMBOL "\n" SYMBOL ":\n"
	".incbin \"" CTX_GEN "/" CTX_TABLES_FILE "\"\n"
	".balign 64\n"
	".text\n");

extern const unsigned char ctx_builtin_tables[];

const struct ctx_tables_head *
ctx_tables_open(struct ctx_err *err)
{
	(void)err;
	return (const void *)ctx_builtin_tables;
}

void
ctx_tokenizer_open_data(void)
{
}

int
ctx_tokenizer_set_data(const char *dir, struct ctx_err *err)
{
	(void)dir, (void)err;
	return 0;
}
