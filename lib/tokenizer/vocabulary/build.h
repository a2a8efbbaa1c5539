/* build.h - builds a packed vocabulary from a list of tokens */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILD_H
#define CTX_TOKENIZER_VOCABULARY_BUILD_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_BUILD_MAX   1024       /* maximum bytes of a token */
#define CTX_BUILD_ANY   0          /* any two tokens may be the parts */
#define CTX_BUILD_NEVER UINT32_MAX /* no merge makes the token */
/* The token is a character from which merging starts; only with the
 * pretokenizer CTX_PRETOKENIZER_CHARS. */
#define CTX_BUILD_CHAR (UINT32_MAX - 1)

struct ctx_build_token {
	const char *p;
	uint32_t n; /* number of bytes; 0 if no token has this number */
	/* id of the token in the encoding; CTX_VOCAB_NONE for a single byte
	 * without an id */
	uint32_t id;
	/* number of bytes of the left one of the two tokens that merge to this
	 * one, or CTX_BUILD_ANY, CTX_BUILD_NEVER or CTX_BUILD_CHAR */
	uint32_t cut;
};

struct ctx_build_added_token {
	const char *p;
	uint32_t n;
	uint32_t id;
	bool added; /* true if the name is also recognized in ordinary text */
	/* true if the name is searched in the normal form (NFC) of the text;
	 * then p is normalized */
	bool normal;
};

struct ctx_vocab_builder {
	/* tokens in the order of their merges */
	const struct ctx_build_token *tokens;
	size_t n;
	const struct ctx_build_added_token *specials;
	size_t nspecials;
	/* patterns of the vocabulary file that split text (see
	 * pretokenize_pcre2.h); may be empty */
	struct ctx_str patterns;
	struct ctx_pretokenizer pretokenizer;
	/* true if a pretoken whose bytes are a token becomes this token, even
	 * if merging its bytes gives other tokens */
	bool whole;
	bool nfc; /* true if text is normalized (NFC) before it is split */
	unsigned prefix; /* CTX_VOCAB_PREFIX... bits; 0: no blank is added */
	/* SHA-256 of the vocabulary file and its pretokenizer (load.c) */
	unsigned char source[32];
};

/*
 * Builds a packed vocabulary in *block, which has *size bytes and is freed by
 * the caller.
 *
 * A token is unreachable if merging its bytes does not give it.  An unreachable
 * token keeps its id and its bytes, but is never the result of merging.  If
 * pack->whole is true, it is still used for a pretoken of exactly its bytes.
 * Of tokens with equal bytes only one is used: the first one that its merge
 * gives.
 *
 * CTX_EFILE: a byte has no token, or a limit is exceeded.
 */
int ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err);

#endif
