/*
 * token_rules.h - small made-up vocabularies, merged in a slow and simple way
 *
 * A vocabulary is made from any bytes: tokens of three letters, and rules that
 * merge them.  The rules are in any order.  Several rules may make one token,
 * and the parts of a token may come later than the token.  The slow function
 * applies the lowest rule that fits anywhere, the leftmost first, until no rule
 * fits, as BPE of Hugging Face.  With ranks, it works as tiktoken: any two
 * neighbours whose bytes together are a token merge.
 */
#ifndef TOKEN_RULES_H
#define TOKEN_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encode/bpe.h"
#include "tokenizer/open.h"
#include "tokenizer/vocabulary/build.h"

enum {
	RULES_TOKENS = 60,
	RULES_MOST = 120,
	RULES_LONGEST = 80,
	RULES_TEXT = 400
};

struct rules {
	const uint8_t *data;
	size_t size;
	bool ranked; /* true: with ranks, as tiktoken */
	char text[RULES_TOKENS][RULES_LONGEST];
	uint32_t length[RULES_TOKENS];
	unsigned n;
	struct {
		unsigned left, right, token;
	} list[RULES_MOST];
	unsigned rules;
};

static inline unsigned
rules_next(struct rules *r, unsigned below)
{
	if (r->size == 0)
		return 0;
	r->size--;
	return *r->data++ % below;
}

static inline unsigned
rules_find(const struct rules *r, const char *p, uint32_t n)
{
	unsigned i;

	for (i = 0; i < r->n; i++)
		if (r->length[i] == n && memcmp(r->text[i], p, n) == 0)
			break;
	return i;
}

static inline void
rules_add(struct rules *r, unsigned left, unsigned right)
{
	uint32_t n = r->length[left] + r->length[right];
	char text[2 * RULES_LONGEST];
	unsigned token, i;

	memcpy(text, r->text[left], r->length[left]);
	memcpy(text + r->length[left], r->text[right], r->length[right]);
	token = rules_find(r, text, n);
	if (n > RULES_LONGEST || (token == r->n && r->n == RULES_TOKENS))
		return;
	for (i = 0; i < r->rules; i++)
		if (r->list[i].left == left && r->list[i].right == right)
			return;
	if (token == r->n) {
		memcpy(r->text[token], text, n);
		r->length[r->n++] = n;
	}
	r->list[r->rules].left = left;
	r->list[r->rules].right = right;
	r->list[r->rules++].token = token;
}

static inline void
rules_make(struct rules *r, const uint8_t *data, size_t size)
{
	unsigned most, swaps, a, b, rule[3];

	memset(r, 0, sizeof *r);
	r->data = data;
	r->size = size;
	for (r->n = 0; r->n < 3; r->n++) {
		r->text[r->n][0] = (char)('a' + r->n);
		r->length[r->n] = 1;
	}
	r->ranked = rules_next(r, 3) == 0;
	most = rules_next(r, RULES_MOST);
	swaps = rules_next(r, 3) == 0 ? 0 : rules_next(r, 40);
	while (r->size > 0 && most-- > 0) {
		a = rules_next(r, r->n);
		rules_add(r, a, rules_next(r, r->n));
	}
	for (; r->rules > 0 && swaps > 0 && r->size > 0; swaps--) {
		a = rules_next(r, r->rules);
		b = rules_next(r, r->rules);
		memcpy(rule, r->list + a, sizeof rule);
		memcpy(r->list + a, r->list + b, sizeof rule);
		memcpy(r->list + b, rule, sizeof rule);
	}
}

/* Returns the index of the rule that merges two tokens, or the number of rules
 * if there is none. */
static inline unsigned
rules_rank(const struct rules *r, unsigned left, unsigned right)
{
	char text[2 * RULES_LONGEST];
	unsigned i, token = r->n;

	if (r->ranked) {
		memcpy(text, r->text[left], r->length[left]);
		memcpy(text + r->length[left], r->text[right],
		    r->length[right]);
		token = rules_find(r, text, r->length[left] + r->length[right]);
	}
	for (i = 0; i < r->rules; i++)
		if (r->ranked
			? r->list[i].token == token
			: r->list[i].left == left && r->list[i].right == right)
			break;
	return i;
}

/* Writes the ids of a text of the letters a, b and c.  The id of a token is 256
 * or more; the id of a byte is the byte. */
static inline size_t
rules_encode(const struct rules *r, const char *p, size_t n, uint32_t *out)
{
	unsigned list[RULES_TEXT], best, rank;
	size_t i, at;

	for (i = 0; i < n; i++)
		list[i] = (unsigned)(p[i] - 'a');
	for (;;) {
		best = r->rules;
		at = 0;
		for (i = 0; i + 1 < n; i++) {
			rank = rules_rank(r, list[i], list[i + 1]);
			if (rank < best) {
				best = rank;
				at = i;
			}
		}
		if (best == r->rules)
			break;
		list[at] = r->list[best].token;
		memmove(list + at + 1, list + at + 2,
		    (n - at - 2) * sizeof *list);
		n--;
	}
	for (i = 0; i < n; i++)
		out[i] = list[i] < 3 ? 'a' + list[i] : 256 + list[i];
	return n;
}

/* Packs the vocabulary.  Returns NULL if there is no memory. */
static inline void *
rules_pack(const struct rules *r, struct ctx_vocab *vocab)
{
	struct ctx_build_token tokens[256 + RULES_MOST];
	struct ctx_vocab_builder pack = {.tokens = tokens, .whole = r->ranked};
	static const struct ctx_pretokenizer pretokenizer = {
	    CTX_PRETOKENIZER_R50K, 0, 1, 0};
	static char bytes[256];
	struct ctx_err err;
	unsigned i, k;
	void *block;
	size_t size;

	memset(tokens, 0, sizeof tokens);
	for (pack.n = 0; pack.n < 256; pack.n++) {
		bytes[pack.n] = (char)pack.n;
		tokens[pack.n] = (struct ctx_build_token){bytes + pack.n, 1,
		    (uint32_t)pack.n, CTX_BUILD_ANY};
	}
	for (i = 0; i < r->rules; i++) {
		/* With ranks, a token has the rank of its first rule. */
		for (k = 0; k < i && r->ranked; k++)
			if (r->list[k].token == r->list[i].token)
				break;
		if (r->ranked && k < i)
			continue;
		tokens[pack.n++] =
		    (struct ctx_build_token){r->text[r->list[i].token],
			r->length[r->list[i].token], 256 + r->list[i].token,
			r->ranked ? CTX_BUILD_ANY : r->length[r->list[i].left]};
	}
	pack.pretokenizer = pretokenizer;
	if (ctx_vocab_build(&pack, &block, &size, &err) < 0)
		return NULL;
	if (ctx_vocab_validate(vocab, block, size, &err) < 0)
		abort();
	return block;
}

/* Compares merging with the slow function for a text.  Returns false if the
 * results differ. */
static inline bool
rules_agree(const struct rules *r, const struct ctx_vocab *v, struct ctx_bpe *m,
    const char *p, size_t n)
{
	uint32_t want[RULES_TEXT], got[CTX_BPE_MAX];
	size_t count = rules_encode(r, p, n, want), i;
	struct ctx_err err;

	if (ctx_bpe_long(v, m, p, n, &err) < 0 || m->n != count)
		return false;
	for (i = 0; i < count; i++)
		if (ctx_token_id(v, m->tokens[i]) != want[i])
			return false;
	if (n > CTX_BPE_MAX)
		return true;
	if (ctx_bpe_pairs(v, p, n, got) != count)
		return false;
	for (i = 0; i < count; i++)
		if (ctx_token_id(v, got[i]) != want[i])
			return false;
	return true;
}

#endif
