/* build.h - packs a list of tokens into a vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILD_H
#define CTX_TOKENIZER_VOCABULARY_BUILD_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_BUILD_MAX   1024       /* most bytes of a token */
#define CTX_BUILD_ANY   0          /* any two tokens may be its parts */
#define CTX_BUILD_NEVER UINT32_MAX /* no merge makes the token */

struct ctx_build_token {
	const char *p;
	uint32_t n;   /* bytes; 0: no token has this number */
	uint32_t id;  /* public id; CTX_VOCAB_NONE: a byte without one */
	uint32_t cut; /* bytes of the left of its two parts, or CTX_BUILD_... */
};

struct ctx_build_added_token {
	const char *p;
	uint32_t n;
	uint32_t id;
	bool added;  /* true if also recognized in ordinary text */
	bool normal; /* true if searched in the normal form of the text; p is
			normalized then */
};

struct ctx_vocab_builder {
	const struct ctx_build_token *tokens; /* in merge order */
	size_t n;
	const struct ctx_build_added_token *specials;
	size_t nspecials;
	struct ctx_str patterns; /* see pretokenize_pcre2.h; may be empty */
	struct ctx_pretokenizer pretokenizer;
	bool whole; /* true if a pretoken that equals a token becomes that
		       token, even if merging gives other tokens */
	bool nfc;   /* true if text is normalized (NFC) before it is split */
	/* SHA-256 of the source file and its pretokenizer (load.c). */
	unsigned char source[32];
};

/*
 * Packs a vocabulary into *block of *size bytes; the caller frees it.
 *
 * A token is unreachable if merging its bytes does not give it.  An unreachable
 * token keeps its id and its text and is never the result of merging.  With
 * whole it is still used for a pretoken of exactly its bytes.  Of equal tokens
 * only one is used: the first that its merge gives.
 *
 * CTX_EFILE: a byte has no token, or a limit is exceeded.
 */
int ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err);

#endif
