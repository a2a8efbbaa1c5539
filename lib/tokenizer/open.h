/* open.h - struct ctx_tokenizer (an open encoding), and the names of its
 * special tokens */
#ifndef CTX_TOKENIZER_OPEN_H
#define CTX_TOKENIZER_OPEN_H

#include "tokenizer/claude/claude.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary/vocabulary.h"

struct ctx_pcre2_pretokenizer;
struct ctx_specials; /* the special tokens of a built-in encoding */

struct ctx_added_token_name {
	struct ctx_str text;
	uint32_t id, row; /* row: index in vocab.specials */
	/* The longest other name with which this name begins.  For "<a>b" this
	 * may be "<a>".  Its index in ctx_tokenizer.names plus 1; 0 if there is
	 * none. */
	uint32_t inside;
	uint32_t depth; /* number of other names with which this name begins */
	/* CTX_NAMES_... bits: when this name is recognized in a text */
	unsigned names;
};

struct ctx_tokenizer {
	/* The vocabulary.  Zeroed for "bytes/4" and for encodings of Claude,
	 * which have no vocabulary of this kind. */
	struct ctx_vocab vocab;
	const struct ctx_claude *claude; /* an encoding of Claude, or NULL */
	/* automaton that finds the pieces of Claude's encoding, or NULL */
	const void *automaton;
	/* Special tokens of a built-in encoding.  NULL for a vocabulary file:
	 * its special tokens are in names. */
	const struct ctx_specials *specials;
	struct ctx_pcre2_pretokenizer
	    *pcre2; /* compiled patterns of a vocabulary file, or NULL */
	/* For vocabulary files, to skip most bytes of a text quickly.
	 * starts[0][b]: the CTX_NAMES_... bits of all names whose first byte is
	 * b. starts[1][b]: those of all names whose second byte is b, or that
	 * have one byte. */
	unsigned char starts[2][256];
	/* names of the special tokens in a vocabulary file, sorted by their
	 * bytes; NULL if there are none */
	struct ctx_added_token_name *names;
	/* names_before[b]: number of names whose first byte is lower than b */
	uint32_t names_before[257];
	char *name;
	/* The memory to which vocab points; the tokenizer owns it.  NULL for a
	 * built-in encoding. */
	void *block;
	size_t size;
};

/* The encoding "bytes/4" estimates one token for this number of bytes. */
#define CTX_BYTES_PER_TOKEN 4

extern const struct ctx_specials ctx_specials_r50k, ctx_specials_p50k_edit,
    ctx_specials_cl100k, ctx_specials_o200k, ctx_specials_harmony;

/* Kinds of names of special tokens, such as <|endoftext|>, by when they are
 * recognized in a text. */
enum {
	/* recognized only if the caller asks for special tokens */
	CTX_NAMES_ASKED = 1,
	CTX_NAMES_ADDED = 2, /* in every text ("added tokens") */
	/* The constants above are for names that are searched for in the text
	 * as it was given.  A constant multiplied by CTX_NAMES_NORMAL is for
	 * names that are searched for in the normal form (NFC) of the text.
	 * Only encodings that normalize text have these names. */
	CTX_NAMES_NORMAL = 4 /* a factor, not a bit */
};

/* Looks for a special token name at the beginning of a text (the n bytes at p).
 * Returns the length in bytes of the longest name that the text begins with,
 * and sets *id to its token.  Returns 0 if there is none. names: CTX_NAMES_...
 * bits, the kinds of names that are considered. */
size_t ctx_added_token_at(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, unsigned names, uint32_t *id);
/* Returns the offset of the first special token name in a text; n if there is
 * none. names: CTX_NAMES_... bits, the kinds of names that are searched. */
size_t ctx_added_token_find(const struct ctx_tokenizer *tokenizer,
    const char *p, size_t n, unsigned names);
/* Makes the sorted list of special token names (names, starts) from
 * vocab.specials.  ctx_tokenizer_unload frees it. */
int ctx_added_token_index(struct ctx_tokenizer *tokenizer, struct ctx_err *err);
/* Appends the name of a special token to the buffer "out". id: the id of the
 * token.  Returns 1, 0 if id is not a special token, or -1 with *err. */
int ctx_added_token_name(const struct ctx_tokenizer *tokenizer, uint32_t id,
    struct ctx_buf *out, struct ctx_err *err);
/* Returns one more than the highest id of a special token of a built-in
 * encoding; 0 if it has none.  Returns 0 for a vocabulary file, too: head->ids
 * already counts its special tokens. */
uint32_t ctx_added_token_end(const struct ctx_tokenizer *tokenizer);

/* Returns the length in bytes of the longest special token name in a vocabulary
 * file.  Returns 0 if there is none, or for a built-in encoding. names:
 * CTX_NAMES_... bits, the kinds of names that are considered. */
size_t ctx_added_token_longest(const struct ctx_tokenizer *tokenizer,
    unsigned names);

/* Returns true if the name of an added token contains a blank. */
bool ctx_added_token_has_blank(const struct ctx_tokenizer *tokenizer);

/* Loads a vocabulary file, or its compiled form from the cache; see
 * ctx_tokenizer_open. */
int ctx_tokenizer_load(struct ctx_tokenizer *tokenizer, const char *file,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_unload(struct ctx_tokenizer *tokenizer);

/* Returns true if the encoding normalizes a text (NFC) before it is split into
 * pretokens. */
static inline bool
ctx_tokenizer_nfc(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL &&
	    (tokenizer->vocab.head->flags & CTX_VOCAB_NFC) != 0;
}

/* Returns true if the tokenizer determines the tokens of a text.  Returns false
 * for "bytes/4", which only estimates their number from the bytes. */
static inline bool
ctx_tokenizer_real(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL || tokenizer->claude != NULL;
}

/* Converts the index of a token in ctx's own vocabulary table into the token's
 * id in the encoding. */
static inline uint32_t
ctx_token_id(const struct ctx_vocab *v, uint32_t token)
{
	return v->ids == NULL ? token : v->ids[token];
}

#endif
