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
	/* id: id of the token; row: index of the name in vocab.specials */
	uint32_t id, row;
	/* If this name begins with other names, as "<a>b" begins with "<a>":
	 * index in ctx_tokenizer.names of the longest of these names, plus 1.
	 * Otherwise 0. */
	uint32_t inside;
	uint32_t depth; /* number of other names with which this name begins */
	/* CTX_NAMES_... bits that say when this name is recognized in a text */
	unsigned names;
};

struct ctx_tokenizer {
	/* The vocabulary.  All bytes are zero for "bytes/4" and for encodings
	 * of Claude, which have no vocabulary of this kind. */
	struct ctx_vocab vocab;
	/* the encoding, if it is one of Claude; otherwise NULL */
	const struct ctx_claude *claude;
	/* automaton that finds the pieces (tokens) of an encoding of Claude, or
	 * NULL */
	const void *automaton;
	/* Special tokens of a built-in encoding.  NULL for a vocabulary file,
	 * whose special tokens are in the array "names". */
	const struct ctx_specials *specials;
	struct ctx_pcre2_pretokenizer
	    *pcre2; /* compiled patterns of a vocabulary file, or NULL */
	/* Only for vocabulary files.  Makes the search for names of special
	 * tokens fast, because most bytes of a text begin no name.
	 * starts[0][b]: CTX_NAMES_... bits of all names whose first byte is b.
	 * starts[1][b]: CTX_NAMES_... bits of all names whose second byte is b,
	 * and of all names of one byte. */
	unsigned char starts[2][256];
	/* names of the special tokens in a vocabulary file, sorted by their
	 * bytes; NULL if there are none */
	struct ctx_added_token_name *names;
	/* names_before[b]: number of names whose first byte is lower than b */
	uint32_t names_before[257];
	char *name;
	/* Memory that contains the vocabulary, owned by the tokenizer.  NULL
	 * for a built-in encoding. */
	void *block;
	size_t size;
};

/* number of bytes per token in the encoding "bytes/4" */
#define CTX_BYTES_PER_TOKEN 4

extern const struct ctx_specials ctx_specials_r50k, ctx_specials_p50k_edit,
    ctx_specials_cl100k, ctx_specials_o200k, ctx_specials_harmony;

/* Bits that say when the name of a special token, such as <|endoftext|>, is
 * recognized in a text. */
enum {
	/* recognized only if the caller asks for special tokens */
	CTX_NAMES_ASKED = 1,
	CTX_NAMES_ADDED = 2, /* recognized in every text ("added tokens") */
	/* CTX_NAMES_ASKED and CTX_NAMES_ADDED are for names that are searched
	 * for in the original text.  For names that are searched for in the
	 * normal form (NFC) of the text, the bits are these constants times
	 * CTX_NAMES_NORMAL.  Only encodings that normalize texts have names of
	 * the second kind. */
	CTX_NAMES_NORMAL = 4 /* a factor, and not a bit */
};

/* Searches for a special token name at the beginning of a text (n bytes at p).
 * If several names match, the longest is used.  Returns the length of the name
 * in bytes and sets *id to the id of the token, or returns 0 if the text begins
 * with no name. names: kinds of names that are considered (CTX_NAMES_...
 * bits). */
size_t ctx_added_token_at(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, unsigned names, uint32_t *id);
/* Returns the offset of the first special token name in a text, or n if there
 * is none. names: kinds of names that are searched for (CTX_NAMES_... bits). */
size_t ctx_added_token_find(const struct ctx_tokenizer *tokenizer,
    const char *p, size_t n, unsigned names);
/* Makes the sorted list of special token names (names, starts) from
 * vocab.specials. ctx_tokenizer_unload frees this list. */
int ctx_added_token_index(struct ctx_tokenizer *tokenizer, struct ctx_err *err);
/* Appends the name of the special token with this id to the buffer "out".
 * Returns 1, or 0 if no special token has the id, or -1 with *err. */
int ctx_added_token_name(const struct ctx_tokenizer *tokenizer, uint32_t id,
    struct ctx_buf *out, struct ctx_err *err);

/* Returns the length in bytes of the longest special token name in a vocabulary
 * file.  Returns 0 if there is no name, and for a built-in encoding. names:
 * kinds of names that are considered (CTX_NAMES_... bits). */
size_t ctx_added_token_longest(const struct ctx_tokenizer *tokenizer,
    unsigned names);

/* Returns true if the name of an added token contains a blank. */
bool ctx_added_token_has_blank(const struct ctx_tokenizer *tokenizer);

/* Loads a vocabulary file, or its compiled form from the cache; see
 * ctx_tokenizer_open. */
int ctx_tokenizer_load(struct ctx_tokenizer *tokenizer, const char *file,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_unload(struct ctx_tokenizer *tokenizer);

/* Returns true if the encoding normalizes a text (NFC) before it splits the
 * text into pretokens (pieces of text that are encoded separately). */
static inline bool
ctx_tokenizer_nfc(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL &&
	    (tokenizer->vocab.head->flags & CTX_VOCAB_NFC) != 0;
}

/* Returns true if the encoding really splits a text into tokens, and false for
 * "bytes/4", which only estimates the number of tokens from the number of
 * bytes. */
static inline bool
ctx_tokenizer_real(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL || tokenizer->claude != NULL;
}

/* Returns the id that a token has in the encoding. token: number of the token
 * in ctx's own vocabulary table. */
static inline uint32_t
ctx_token_id(const struct ctx_vocab *v, uint32_t token)
{
	uint32_t from = v->head->ids_from;

	return v->id_shift + (token < from ? token : v->ids[token - from]);
}

#endif
