/*
 * incbin.h - includes a binary file in the read-only data of the program
 *
 * The assembler includes the file (.incbin), because a C source file of the
 * same size would take long to compile.
 */
#ifndef CTX_TOKENIZER_VOCABULARY_INCBIN_H
#define CTX_TOKENIZER_VOCABULARY_INCBIN_H

#if defined(__APPLE__)
#define CTX_INCBIN_SECTION "__TEXT,__const"
#define CTX_INCBIN_SYMBOL  "_"
#else
#define CTX_INCBIN_SECTION ".rodata"
#define CTX_INCBIN_SYMBOL  ""
#endif

/* Defines an array that contains a file of the directory CTX_GEN. name: name of
 * the array. */
#define CTX_INCBIN(name, file)                                                 \
	__asm__(".section " CTX_INCBIN_SECTION "\n"                            \
		".balign 64\n"                                                 \
		".globl " CTX_INCBIN_SYMBOL #name "\n" CTX_INCBIN_SYMBOL #name \
		":\n"                                                          \
		".incbin \"" CTX_GEN "/" file "\"\n"                           \
		".balign 64\n"                                                 \
		".text\n")

#endif
