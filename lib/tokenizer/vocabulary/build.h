/* build.h - builds a packed vocabulary from a list of tokens (see
 * vocabulary.h) */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILD_H
#define CTX_TOKENIZER_VOCABULARY_BUILD_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_BUILD_MAX 1024 /* maximum length of a token in bytes */
/* cut: any two tokens may be merged to the token */
#define CTX_BUILD_ANY   0
#define CTX_BUILD_NEVER UINT32_MAX /* cut: no merge makes the token */
/* The token is a character with which merging begins.  Only used with
 * CTX_PRETOKENIZER_CHARS. */
#define CTX_BUILD_CHAR (UINT32_MAX - 1)

struct ctx_build_token {
	const char *p;
	/* length of the token in bytes; 0 if no token has this number */
	uint32_t n;
	/* id of the token in the encoding; CTX_VOCAB_NONE for the token of a
	 * single byte that has no id */
	uint32_t id;
	/* Says which two tokens are merged to the token: length in bytes of the
	 * first of them, or CTX_BUILD_ANY, CTX_BUILD_NEVER or
	 * CTX_BUILD_CHAR. */
	uint32_t cut;
};

struct ctx_build_added_token {
	const char *p;
	uint32_t n;
	uint32_t id;
	/* true if the name is always recognized, even if the caller does not
	 * ask for special tokens */
	bool added;
	/* True if the name is searched for in normalized text.  The name (p)
	 * must then be normalized, too. */
	bool normal;
};

struct ctx_vocab_builder {
	/* tokens in the order in which their merges are made */
	const struct ctx_build_token *tokens;
	size_t n;
	const struct ctx_build_added_token *specials;
	size_t nspecials;
	/* Patterns of the vocabulary file by which a text is split (see
	 * pretokenize_pcre2.h); may be empty. */
	struct ctx_str patterns;
	struct ctx_pretokenizer pretokenizer;
	/* True if a pretoken (piece of text that is encoded by itself) whose
	 * bytes are exactly those of a token becomes this token, even if
	 * merging the bytes would give other tokens. */
	bool whole;
	bool nfc; /* true if text is normalized (NFC) before it is split */
	/* where a blank is put before a text (CTX_VOCAB_PREFIX... bits); 0:
	 * nowhere */
	unsigned prefix;
	/* SHA-256 of the vocabulary file and of its pretokenizer (load.c) */
	unsigned char source[32];
};

/*
 * Builds a packed vocabulary.  Sets *block to it, and *size to its size in
 * bytes.  The caller must free the block.
 *
 * A token is unreachable if merging its bytes gives other tokens.  Such a token
 * has an id and can be decoded, but is never the result of merging.  It is only
 * used if pack->whole is true, for a pretoken whose bytes are exactly those of
 * the token.  If several tokens have the same bytes, only one is used: the
 * first reachable one.
 *
 * CTX_EFILE: there is no token for a byte, or a limit is exceeded.
 */
int ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err);

#endif
