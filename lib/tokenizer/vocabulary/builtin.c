/*
 * builtin.c - the packed vocabularies of the built-in encodings, in read-only
 * data
 *
 * The assembler includes the binary files (.incbin).  A C source file of their
 * size would take long to compile.
 */
#include "tokenizer/vocabulary/builtin.h"

#if defined(__APPLE__)
#define SECTION "__TEXT,__const"
#define SYMBOL  "_"
#else
#define SECTION ".rodata"
#define SYMBOL  ""
#endif

#define VOCAB(name)                                             \
	__asm__(".section " SECTION "\n"                        \
		".balign 64\n"                                  \
		".globl " SYMBOL "ctx_vocab_" #name "\n" SYMBOL \
		"ctx_vocab_" #name ":\n"                        \
		".incbin \"" CTX_GEN "/" #name ".vocab\"\n"     \
		".balign 64\n"                                  \
		".text\n")

VOCAB(r50k_base);
VOCAB(p50k_base);
VOCAB(cl100k_base);
VOCAB(o200k_base);
