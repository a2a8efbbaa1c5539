/* build.h - builds a packed vocabulary from a list of tokens */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILD_H
#define CTX_TOKENIZER_VOCABULARY_BUILD_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_BUILD_MAX   1024       /* maximum bytes of a token */
#define CTX_BUILD_ANY   0          /* any two tokens may be the parts */
#define CTX_BUILD_NEVER UINT32_MAX /* no merge makes the token */
/* The token is a character from which merging starts.  Only used with the
 * pretokenizer CTX_PRETOKENIZER_CHARS. */
#define CTX_BUILD_CHAR (UINT32_MAX - 1)

struct ctx_build_token {
	const char *p;
	/* length of the token in bytes; 0 if no token has this number */
	uint32_t n;
	/* id of the token in the encoding; CTX_VOCAB_NONE for a single byte
	 * without an id */
	uint32_t id;
	/* The two tokens that merge to this one: cut is the length of the left
	 * one in bytes.  Instead of a length, cut may be CTX_BUILD_ANY,
	 * CTX_BUILD_NEVER or CTX_BUILD_CHAR. */
	uint32_t cut;
};

struct ctx_build_added_token {
	const char *p;
	uint32_t n;
	uint32_t id;
	/* true if the name is recognized even if the caller does not ask for
	 * special tokens */
	bool added;
	/* True if the name is searched for in the text after normalization.
	 * Then the name itself (the member p) is normalized, too. */
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
	/* True if a pretoken with exactly the bytes of a token becomes this
	 * token, even if merging the bytes gives other tokens. */
	bool whole;
	bool nfc; /* true if text is normalized (NFC) before it is split */
	/* where a blank is put before a text, as CTX_VOCAB_PREFIX... bits; 0:
	 * nowhere */
	unsigned prefix;
	/* SHA-256 of the vocabulary file and its pretokenizer (load.c) */
	unsigned char source[32];
};

/*
 * Builds a packed vocabulary and sets *block to it and *size to its size in
 * bytes.  The caller frees the block.
 *
 * A token is unreachable if merging its bytes gives other tokens.  It has an id
 * and can be decoded, but is never the result of merging.  It is only used if
 * pack->whole is true, for a pretoken that has exactly its bytes.  If several
 * tokens have equal bytes, one is used: the first one that is reachable.
 *
 * CTX_EFILE: a byte has no token, or a limit is exceeded.
 */
int ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err);

#endif
