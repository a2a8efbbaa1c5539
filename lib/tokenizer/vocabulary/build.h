/* build.h - builds a packed vocabulary from a list of tokens (see
 * vocabulary.h) */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILD_H
#define CTX_TOKENIZER_VOCABULARY_BUILD_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* maximum length in bytes of a token, and of all tokens together */
#define CTX_BUILD_MAX      ((1 << CTX_PLACE_BITS) - 1)
#define CTX_BUILD_TEXT_MAX (UINT32_MAX >> CTX_PLACE_BITS)
/* value of the member cut: the token may be merged from any two tokens */
#define CTX_BUILD_ANY 0
/* value of the member cut: no merge makes the token */
#define CTX_BUILD_NEVER UINT32_MAX
/* Value of the member cut: the token is a character, and merging begins with
 * these tokens.  Only used with CTX_PRETOKENIZER_CHARS. */
#define CTX_BUILD_CHAR (UINT32_MAX - 1)

struct ctx_build_token {
	const char *p;
	/* length of the token in bytes; 0 if no token has this number */
	uint32_t n;
	/* Id of the token in the encoding.  CTX_VOCAB_NONE if the token is a
	 * single byte that has no id. */
	uint32_t id;
	/* Says which two tokens are merged to the token: length in bytes of the
	 * first of the two tokens, or CTX_BUILD_ANY, CTX_BUILD_NEVER or
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
	/* The tokens.  If several merges are possible in a text, the merge that
	 * makes the first token in this list is made. */
	struct ctx_build_token *tokens;
	size_t n, cap;
	/* If not empty: a text in which the bytes of all tokens are (p points
	 * into it).  So tokens can have bytes in common. */
	struct ctx_str shared_text;
	struct ctx_build_added_token *specials;
	size_t nspecials, specials_cap;
	/* Patterns of the vocabulary file by which a text is split (see
	 * pretokenize_pcre2.h); may be empty. */
	struct ctx_buf patterns;
	/* memory of the tokens and names that are copied from a file */
	struct ctx_arena arena;
	struct ctx_buf bytes; /* of the tokens of a rank file */
	struct ctx_pretokenizer pretokenizer;
	/* True if a pretoken (piece of text that is encoded separately) whose
	 * bytes are exactly those of a token becomes this token, even if
	 * merging the bytes would give other tokens. */
	bool whole;
	bool nfc; /* true if text is normalized (NFC) before it is split */
	/* CTX_VOCAB_PREFIX... bits: before which texts a blank is put */
	unsigned prefix;
	/* SHA-256 of the vocabulary file and of its pretokenizer (load.c) */
	unsigned char source[32];
};

/* Adds a token to the list of tokens.  Does not copy the bytes of the token. */
int ctx_vocab_builder_add(struct ctx_vocab_builder *pack,
    struct ctx_build_token token, struct ctx_err *err);
/* Adds a special token.  Copies its name. */
int ctx_vocab_builder_add_special(struct ctx_vocab_builder *pack,
    struct ctx_build_added_token special, struct ctx_err *err);
/* Frees the lists of tokens, the patterns and the arena. */
void ctx_vocab_builder_release(struct ctx_vocab_builder *pack);
/*
 * Builds a packed vocabulary (a block of memory with all lookup tables).  Sets
 * *block to the block, and *size to its size in bytes.  The caller must free
 * the block.
 *
 * A token is unreachable if merging its bytes gives other tokens.  Such a token
 * has an id and can be decoded, but is never the result of merging.  An
 * unreachable token is only used if pack->whole is true, for a pretoken (piece
 * of text that is encoded separately) whose bytes are exactly those of the
 * token.  If several tokens have the same bytes, only the first reachable token
 * is used.
 *
 * Fails with CTX_EFILE if there is no token for a byte, or if a limit is
 * exceeded.
 */
int ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err);

#endif
