/* pretokenizer.h - names the regular expression that splits a text into
 * pretokens (words, numbers, punctuation) */
#ifndef CTX_TOKENIZER_PRETOKENIZER_H
#define CTX_TOKENIZER_PRETOKENIZER_H

#include <stdint.h>

/* Families of regular expressions that split a text into pretokens.  The
 * patterns come from tiktoken's openai_public.py (0.14); many Hugging Face
 * files have the same patterns.  Patterns of one family differ only in the
 * maximum number of digits and in contractions ('s, 't). */
enum ctx_pretokenizer_family {
	CTX_PRETOKENIZER_R50K, /* the pattern of r50k, gpt2 and p50k */
	CTX_PRETOKENIZER_CL100K,
	CTX_PRETOKENIZER_O200K,
	/* No built-in pattern is used, only the patterns of the vocabulary
	 * file. */
	CTX_PRETOKENIZER_NONE,
	/* For SentencePiece vocabularies: tokens are merged from characters,
	 * not bytes, and the text is not split by a pattern.  To save time, the
	 * text is split between two adjacent characters if no token contains
	 * these two characters in this order. */
	CTX_PRETOKENIZER_CHARS,
};

struct ctx_pretokenizer {
	uint8_t family;
	/* maximum number of digits in a pretoken (piece of text that is encoded
	 * separately); 0: no limit */
	uint8_t digits;
	/* true if the pattern has alternatives for 's, 't, 're, ... */
	uint8_t contractions;
	uint8_t unused;
};

#endif
