/* pretokenizer.h - which pattern cuts a text into pieces before they are
 * encoded */
#ifndef CTX_TOKENIZER_PRETOKENIZER_H
#define CTX_TOKENIZER_PRETOKENIZER_H

#include <stdint.h>

/*
 * The patterns of tiktoken's openai_public.py (0.14) and of the Hugging Face
 * files that have the same, as families that differ in kind and in two
 * details.
 */
enum ctx_pretokenizer_family {
	CTX_PRETOKENIZER_R50K, /* also gpt2 and p50k */
	CTX_PRETOKENIZER_CL100K,
	CTX_PRETOKENIZER_O200K,
	CTX_PRETOKENIZER_NONE, /* pieces are what patterns of a file leave */
};

struct ctx_pretokenizer {
	uint8_t family;
	uint8_t digits;       /* longest run of digits in a piece; 0: any */
	uint8_t contractions; /* are 's and its like pieces, or ends of one? */
	uint8_t unused;
};

#endif
