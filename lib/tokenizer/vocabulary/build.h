/* build.h - a list of tokens to a packed vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILD_H
#define CTX_TOKENIZER_VOCABULARY_BUILD_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_BUILD_MAX   1024       /* bytes of a token that can be packed */
#define CTX_BUILD_ANY   0          /* merged from whatever is there */
#define CTX_BUILD_NEVER UINT32_MAX /* no merge makes it */

struct ctx_build_token {
	const char *p;
	uint32_t n;   /* 0 leaves a hole in the numbers */
	uint32_t id;  /* public; CTX_VOCAB_NONE: a byte without one */
	uint32_t cut; /* bytes of the left one of the two it is merged from */
};

struct ctx_build_added_token {
	const char *p;
	uint32_t n;
	uint32_t id;
	bool added;  /* found in ordinary text as well */
	bool normal; /* found in the normal form of the text, and is in it */
};

struct ctx_vocab_builder {
	const struct ctx_build_token *tokens; /* most preferred merge first */
	size_t n;
	const struct ctx_build_added_token *specials;
	size_t nspecials;
	struct ctx_str patterns; /* see pretokenize_pcre2.h; none if empty */
	struct ctx_pretokenizer scheme;
	bool whole; /* a piece that is a token is never merged */
	bool nfc;   /* text is normalised before it is split */
	unsigned char source[32];
};

/*
 * Packs a vocabulary into *block, *size bytes, to be freed by the caller.
 * A token that its own bytes do not merge to keeps its number and its text
 * but takes part in nothing, except (whole) as a whole piece; equal tokens
 * count once, as the first of them that its merge can make.
 * CTX_EFILE: not all 256 single bytes are tokens, or a limit is passed.
 */
int ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err);

#endif
