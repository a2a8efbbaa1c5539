/* pretokenizer.h - which pattern splits a text into pretokens */
#ifndef CTX_TOKENIZER_PRETOKENIZER_H
#define CTX_TOKENIZER_PRETOKENIZER_H

#include <stdint.h>

/* Families of patterns: those of tiktoken's openai_public.py (0.14) and of
 * Hugging Face files with equal patterns.  Within a family, patterns differ
 * only by the fields digits and contractions. */
enum ctx_pretokenizer_family {
	CTX_PRETOKENIZER_R50K, /* also gpt2 and p50k */
	CTX_PRETOKENIZER_CL100K,
	CTX_PRETOKENIZER_O200K,
	CTX_PRETOKENIZER_NONE, /* the patterns of a vocabulary file do all of it
				*/
};

struct ctx_pretokenizer {
	uint8_t family;
	uint8_t digits;       /* most digits of a pretoken; 0: no limit */
	uint8_t contractions; /* true if the pattern knows 's, 't, 're, ... */
	uint8_t unused;
};

#endif
