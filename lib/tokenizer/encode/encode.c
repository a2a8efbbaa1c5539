/* encode.c - encodes a text as token ids */
#include <stdlib.h>

#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/open.h"
#include "tokenizer/vocabulary/vocabulary.h"

void
ctx_tokens_release(struct ctx_tokens *tokens)
{
	free(tokens->ids);
	memset(tokens, 0, sizeof *tokens);
}

static int
append_id(struct ctx_tokens *out, uint32_t id, struct ctx_err *err)
{
	if (id == CTX_VOCAB_NONE)
		return ctx_err_set(err, CTX_EINPUT,
		    "the text has a byte that is not UTF-8 and has no token in "
		    "the vocabulary");
	if (out->n == out->cap) {
		if (CTX_GROW(out->ids, out->cap, out->n + 1, err) < 0)
			return -1;
	}
	out->ids[out->n++] = id;
	return 0;
}

/* Appends the token ids of a pretoken (piece of text that is encoded by
 * itself).  If whole is true and the bytes of the pretoken are exactly those of
 * a token, this token is used without merging. */
static int
encode_piece(struct ctx_token_counter *c, const char *p, size_t n, bool whole,
    struct ctx_tokens *out, struct ctx_err *err)
{
	const struct ctx_vocab *v = &c->tokenizer->vocab;
	uint32_t token = whole ? ctx_vocab_find(v, p, n) : CTX_VOCAB_NONE;
	size_t i;

	if (token != CTX_VOCAB_NONE)
		return append_id(out, ctx_token_id(v, token), err);
	if (ctx_bpe_long(v, &c->bpe, p, n, err) < 0)
		return -1;
	for (i = 0; i < c->bpe.n; i++)
		if (append_id(out, ctx_token_id(v, c->bpe.tokens[i]), err) < 0)
			return -1;
	return 0;
}

/* Encodes a text in which names of special tokens are ordinary text. */
static int
encode_text(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_tokens *out, struct ctx_err *err)
{
	const struct ctx_pretokenize *s = &c->pretokens;
	size_t i;

	ctx_counter_begin(c);
	for (; n > 0; p += s->used, n -= s->used) {
		if (ctx_counter_split(c, p, n, CTX_PRETOKENIZE_MAX, 0, err) < 0)
			return -1;
		if (s->alone > 0 &&
		    encode_piece(c, p, s->alone, false, out, err) < 0)
			return -1;
		for (i = 0; i < s->listed; i++)
			if (encode_piece(c, p + s->start[i],
				s->end[i] - s->start[i], true, out, err) < 0)
				return -1;
	}
	return 0;
}

/* Removes the first special token name, and the text before it, from the
 * beginning of *text.  Sets *before to the text before the name, and *id to the
 * id of the token.  If the text contains no such name, sets *before to the
 * whole text, makes *text empty, and returns false. */
static bool
take_name(const struct ctx_tokenizer *t, struct ctx_str *text, unsigned names,
    struct ctx_str *before, uint32_t *id)
{
	size_t n = ctx_added_token_find(t, text->p, text->n, names), length = 0;

	*before = (struct ctx_str){text->p, n};
	if (n < text->n)
		length =
		    ctx_added_token_at(t, text->p + n, text->n - n, names, id);
	text->p += n + length;
	text->n -= n + length;
	return length > 0;
}

/* Encodes a text in which names of special tokens are searched for only after
 * normalization (NFC). */
static int
encode_normal(struct ctx_token_counter *c, struct ctx_str text, bool first,
    unsigned names, struct ctx_tokens *out, struct ctx_err *err)
{
	struct ctx_str before;
	bool changed, named;
	uint32_t id = 0;

	if (!c->nfc)
		return encode_text(c, text.p, text.n, out, err);
	if (ctx_counter_normalize(c, &text, first, &changed, err) < 0)
		return -1;
	while (text.n > 0) {
		named = take_name(c->tokenizer, &text, names * CTX_NAMES_NORMAL,
		    &before, &id);
		if (encode_text(c, before.p, before.n, out, err) < 0 ||
		    (named && append_id(out, id, err) < 0))
			return -1;
	}
	return 0;
}

int
ctx_token_encode(struct ctx_token_counter *c, const char *p, size_t n,
    bool special, struct ctx_tokens *out, struct ctx_err *err)
{
	const struct ctx_tokenizer *t = c->tokenizer;
	unsigned names =
	    special ? CTX_NAMES_ASKED | CTX_NAMES_ADDED : CTX_NAMES_ADDED;
	struct ctx_str text = {p, n}, before;
	uint32_t id = 0;
	bool named;

	if (t->vocab.head == NULL)
		return ctx_err_set(err, CTX_EARG,
		    "the encoding %s has no token ids", ctx_tokenizer_name(t));
	while (text.n > 0) {
		named = take_name(t, &text, names, &before, &id);
		if (encode_normal(c, before, before.p == p, names, out, err) <
			0 ||
		    (named && append_id(out, id, err) < 0))
			return -1;
	}
	return 0;
}
