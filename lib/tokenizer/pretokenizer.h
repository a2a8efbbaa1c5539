/* pretokenizer.h - names the regular expression that splits a text into
 * pretokens (words, numbers, punctuation) */
#ifndef CTX_TOKENIZER_PRETOKENIZER_H
#define CTX_TOKENIZER_PRETOKENIZER_H

#include <stdint.h>

/* Families of regular expressions that split text: those of tiktoken's
 * openai_public.py (0.14), and of Hugging Face files with equal patterns.
 * Within a family, patterns differ only in the limit of digits and in
 * contractions ('s, 't). */
enum ctx_pretokenizer_family {
	CTX_PRETOKENIZER_R50K, /* also the patterns of gpt2 and p50k */
	CTX_PRETOKENIZER_CL100K,
	CTX_PRETOKENIZER_O200K,
	/* No built-in pattern is used, only those of the vocabulary file. */
	CTX_PRETOKENIZER_NONE,
	/* The vocabulary is SentencePiece's: tokens are merged from characters,
	 * not bytes, and nothing splits the text.  For speed it is split
	 * between two characters that no token contains in this order. */
	CTX_PRETOKENIZER_CHARS,
};

struct ctx_pretokenizer {
	uint8_t family;
	uint8_t digits; /* maximum digits of a pretoken; 0: no limit */
	/* true if the pattern has alternatives for 's, 't, 're, ... */
	uint8_t contractions;
	uint8_t unused;
};

#endif
