/* open.h - an open encoding, and its special tokens */
#ifndef CTX_TOKENIZER_OPEN_H
#define CTX_TOKENIZER_OPEN_H

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary/vocabulary.h"

struct ctx_pcre2_pretokenizer;
struct ctx_specials; /* of a built-in encoding */

struct ctx_added_token_name {
	struct ctx_str text;
	uint32_t id, row; /* of the vocabulary's list */
	uint32_t inside;  /* the longest before it that it begins with, by its
			   * number from 1; 0: none */
	uint32_t depth;   /* how many stand inside one another */
	unsigned names;   /* CTX_NAMES */
};

struct ctx_tokenizer {
	struct ctx_vocab vocab;              /* of "bytes/4": all zero */
	const struct ctx_specials *specials; /* or those of the vocabulary */
	struct ctx_pcre2_pretokenizer
	    *chain; /* the vocabulary's patterns, or NULL */
	/*
	 * What names of the vocabulary's special tokens begin with, by first
	 * and by second byte: sets of CTX_NAMES.
	 */
	unsigned char starts[2][256];
	struct ctx_added_token_name *names; /* theirs, sorted; NULL: none */
	char *name;
	void *block; /* of a file: what vocab stands on */
	size_t size;
};

/* The estimate: four bytes a token. */
#define CTX_BYTES_PER_TOKEN 4

extern const struct ctx_specials ctx_specials_r50k, ctx_specials_p50k_edit,
    ctx_specials_cl100k, ctx_specials_o200k, ctx_specials_harmony;

/* Names of special tokens, by what they are looked for in. */
enum {
	CTX_NAMES_ASKED = 1, /* only where they are asked for */
	CTX_NAMES_ADDED = 2, /* in ordinary text as well */
	/* The same, but in the normal form of what is between the others;
	 * only encodings that normalise have those. */
	CTX_NAMES_NORMAL = 4 /* times one of them */
};

/* The length of the special token of these names that p, n begins with (the
 * longest if there are several), or 0. */
size_t ctx_added_token_at(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, unsigned names, uint32_t *id);
/* Where the next such token begins; n if there is none. */
size_t ctx_added_token_find(const struct ctx_tokenizer *tokenizer,
    const char *p, size_t n, unsigned names);
/* Prepares these for a vocabulary from a file; they are freed with it. */
int ctx_added_token_index(struct ctx_tokenizer *tokenizer, struct ctx_err *err);
/* Appends the name of a special token; 1, or 0 if id is none, or -1. */
int ctx_added_token_name(const struct ctx_tokenizer *tokenizer, uint32_t id,
    struct ctx_buf *out, struct ctx_err *err);
/* One more than the highest id of a special token, or 0. */
uint32_t ctx_added_token_end(const struct ctx_tokenizer *tokenizer);

/* Bytes of the longest of these names that a vocabulary from a file has, 0:
 * there are none. */
size_t ctx_added_token_longest(const struct ctx_tokenizer *tokenizer,
    unsigned names);

/* Loads a vocabulary file, see ctx_tokenizer_open. */
int ctx_tokenizer_load(struct ctx_tokenizer *tokenizer, const char *file,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_unload(struct ctx_tokenizer *tokenizer);

/* Is text normalised? */
static inline bool
ctx_tokenizer_nfc(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL &&
	    (tokenizer->vocab.head->flags & CTX_VOCAB_NFC) != 0;
}

/* Does it have tokens, or only an estimate? */
static inline bool
ctx_tokenizer_real(const struct ctx_tokenizer *tokenizer)
{
	return tokenizer->vocab.head != NULL;
}

static inline uint32_t
ctx_token_id(const struct ctx_vocab *v, uint32_t token)
{
	return v->ids == NULL ? token : v->ids[token];
}

#endif
