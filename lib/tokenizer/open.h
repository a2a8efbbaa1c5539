/* open.h - an open tokenizer and its special tokens */
#ifndef CTX_TOKENIZER_OPEN_H
#define CTX_TOKENIZER_OPEN_H

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary/vocabulary.h"

struct ctx_pcre2_pretokenizer;
struct ctx_specials; /* the table of a built-in encoding */

struct ctx_added_token_name {
	struct ctx_str text;
	uint32_t id, row; /* row: index in vocab.specials */
	/* Number, from 1, in ctx_tokenizer.names of the longest other name that
	 * is a prefix of this one; 0: none. */
	uint32_t inside;
	uint32_t depth; /* number of names that are prefixes of this one */
	unsigned names; /* set of CTX_NAMES_... bits */
};

struct ctx_tokenizer {
	struct ctx_vocab vocab;              /* all zero for "bytes/4" */
	const struct ctx_specials *specials; /* NULL: use vocab.specials */
	struct ctx_pcre2_pretokenizer
	    *pcre2; /* compiled patterns of a vocabulary file, or NULL */
	/* starts[0][b]: CTX_NAMES_... bits of the names whose first byte is b;
	 * starts[1][b]: of those whose second byte may be b.  For vocabulary
	 * files only. */
	unsigned char starts[2][256];
	struct ctx_added_token_name *names; /* names of vocab.specials, sorted
					       by their bytes; NULL: none */
	char *name;
	void *block; /* memory of vocab, owned; NULL for a built-in encoding */
	size_t size;
};

/* The estimate of "bytes/4". */
#define CTX_BYTES_PER_TOKEN 4

extern const struct ctx_specials ctx_specials_r50k, ctx_specials_p50k_edit,
    ctx_specials_cl100k, ctx_specials_o200k, ctx_specials_harmony;

/* Kinds of names of special tokens, by where they are searched. */
enum {
	CTX_NAMES_ASKED = 1, /* only if the caller asks for special tokens */
	CTX_NAMES_ADDED = 2, /* in every text ("added tokens") */
	/* Factor: CTX_NAMES_ASKED or CTX_NAMES_ADDED times this are the names
	 * that are searched in the normal form of the text between other names.
	 * Only encodings that normalize have such names. */
	CTX_NAMES_NORMAL = 4 /* a factor, not a bit */
};

/* Returns the length of the longest name of these kinds that p, n begins with,
 * and sets *id; 0 if there is none. */
size_t ctx_added_token_at(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, unsigned names, uint32_t *id);
/* Returns the offset of the first name of these kinds; n if there is none. */
size_t ctx_added_token_find(const struct ctx_tokenizer *tokenizer,
    const char *p, size_t n, unsigned names);
/* Fills names and starts from vocab.specials.  ctx_tokenizer_unload frees
 * them. */
int ctx_added_token_index(struct ctx_tokenizer *tokenizer, struct ctx_err *err);
/* Appends the name of special token id.  Returns 1, 0 if id is not a special
 * token, or -1. */
int ctx_added_token_name(const struct ctx_tokenizer *tokenizer, uint32_t id,
    struct ctx_buf *out, struct ctx_err *err);
/* Returns one more than the highest id of a special token of a built-in
 * encoding; 0 if it has none.  For a vocabulary file also 0: head->ids covers
 * its special tokens. */
uint32_t ctx_added_token_end(const struct ctx_tokenizer *tokenizer);

/* Returns the length in bytes of the longest name of these kinds in a
 * vocabulary file; 0 if it has none, or for a built-in encoding. */
size_t ctx_added_token_longest(const struct ctx_tokenizer *tokenizer,
    unsigned names);

/* Loads a vocabulary file; see ctx_tokenizer_open. */
int ctx_tokenizer_load(struct ctx_tokenizer *tokenizer, const char *file,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_unload(struct ctx_tokenizer *tokenizer);

/* Returns true if text is normalized before it is split. */
static inline bool
ctx_tokenizer_nfc(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL &&
	    (tokenizer->vocab.head->flags & CTX_VOCAB_NFC) != 0;
}

/* Returns false for "bytes/4", which has no vocabulary. */
static inline bool
ctx_tokenizer_real(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL;
}

/* Returns the public id of a token number of the vocabulary. */
static inline uint32_t
ctx_token_id(const struct ctx_vocab *v, uint32_t token)
{
	return v->ids == NULL ? token : v->ids[token];
}

#endif
