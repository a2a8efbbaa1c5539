/*
 * counter.c - tokens of a text
 *
 * A text is split into pieces (split.c), a few thousand at a time.  Most
 * pieces are tokens, which the key table tells (probe.c); each of the others
 * is looked up among the words met before (words.c) and, if it is new,
 * merged (merge.c).
 */
#include <stdlib.h>

#include "token/counter.h"
#include "token/unicode.h"

int
ctx_token_counter_open(struct ctx_token_counter **counter,
    const struct ctx_tokenizer *tokenizer, enum ctx_simd simd,
    struct ctx_err *err)
{
	struct ctx_token_counter *c = calloc(1, sizeof *c);

	*counter = NULL;
	if (c == NULL)
		return ctx_err_nomem(err);
	c->tokenizer = tokenizer;
	c->added = ctx_special_any_added(tokenizer);
	c->split = ctx_split_pick(ctx_simd_pick(simd));
	c->probe = ctx_probe_pick(ctx_simd_pick(simd));
	c->local = ctx_tokenizer_real(tokenizer) && !c->added &&
	    tokenizer->chain == NULL;
	if (ctx_words_init(&c->words, err) < 0 || (tokenizer->chain != NULL &&
	    ctx_chain_begin(&c->chain, tokenizer->chain, err) < 0)) {
		ctx_token_counter_close(c);
		return -1;
	}
	*counter = c;
	return 0;
}

void
ctx_token_counter_close(struct ctx_token_counter *c)
{
	if (c == NULL)
		return;
	ctx_words_release(&c->words);
	ctx_merge_release(&c->merge);
	ctx_chain_end(c->chain);
	free(c);
}

void
ctx_counter_begin(struct ctx_token_counter *c)
{
	if (c->chain != NULL)
		ctx_chain_reset(c->chain);
}

int
ctx_counter_split(struct ctx_token_counter *c, const char *p, size_t n,
    size_t max, struct ctx_err *err)
{
	struct ctx_scheme scheme = c->tokenizer->vocab.head->scheme;

	if (c->chain != NULL)
		return ctx_chain_split(c->chain,
		    scheme.family == CTX_SCHEME_NONE ? NULL : c->split,
		    scheme, &c->pieces, p, n, max, err);
	c->split(&c->pieces, scheme, p, n, max);
	return 0;
}

_Static_assert(CTX_TOKEN_WORD <= CTX_MERGE_MAX,
    "words are merged pair by pair");

/* Merges a piece (or a part of one) that no table knows. */
static int
merge(struct ctx_token_counter *c, const char *p, size_t n, uint64_t *tokens,
    struct ctx_err *err)
{
	uint32_t out[CTX_MERGE_MAX];

	if (n <= CTX_TOKEN_WORD) {
		*tokens += ctx_merge_pairs(&c->tokenizer->vocab, p, n, out);
		return 0;
	}
	if (ctx_merge_long(&c->tokenizer->vocab, &c->merge, p, n, err) < 0)
		return -1;
	*tokens += c->merge.n;
	return 0;
}

/* The same for more than 16 bytes, which may be a word met before. */
static int
merge_word(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	uint64_t merged;

	if (n > CTX_WORDS_LONG)
		return merge(c, p, n, tokens, err);
	merged = ctx_words_find_long(&c->words, p, n);
	if (merged == 0) {
		if (merge(c, p, n, &merged, err) < 0)
			return -1;
		ctx_words_add_long(&c->words, p, n, merged);
	}
	*tokens += merged;
	return 0;
}

/* A piece of at most 16 bytes, not in its line of the key table. */
static int
count_word(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_key key, uint64_t *tokens, struct ctx_err *err)
{
	uint64_t merged = ctx_words_find(&c->words, key);

	if (merged == 0) {
		if (ctx_vocab_find_key(&c->tokenizer->vocab, key) !=
		    CTX_VOCAB_NONE)
			merged = 1;
		else if (merge(c, p, n, &merged, err) < 0)
			return -1;
		ctx_words_add(&c->words, key, (unsigned)merged);
	}
	*tokens += merged;
	return 0;
}

/* Where the first characters of p end that no token can hold together with
 * what follows; n if there is no such place. */
static size_t
certain_cut(const struct ctx_vocab *v, const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t at, length;
	uint32_t a, b;

	for (at = ctx_char_next(p, n, &a); at < n; at += length) {
		length = ctx_char_next(p + at, n - at, &b);
		if ((s[at - 1] >= 0x80 || s[at] >= 0x80) &&
		    a != CTX_CHAR_BAD && b != CTX_CHAR_BAD &&
		    !ctx_vocab_crossing(v, a, b, s[at - 1], s[at]))
			return at;
		a = b;
	}
	return n;
}

/* A piece of more than 16 bytes. */
static int
count_long(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	const struct ctx_vocab *v = &c->tokenizer->vocab;
	struct ctx_key key;
	size_t part;

	if (ctx_vocab_find(v, p, n) != CTX_VOCAB_NONE) {
		++*tokens;
		return 0;
	}
	/* A token that its bytes do not merge to would be found in a part
	 * where only merging counts. */
	if (v->unreached)
		return merge_word(c, p, n, tokens, err);
	for (; n > 0; p += part, n -= part) {
		part = certain_cut(v, p, n);
		if (part > CTX_VOCAB_KEY) {
			if (merge_word(c, p, part, tokens, err) < 0)
				return -1;
			continue;
		}
		key = ctx_key_copy(p, part);
		if (count_word(c, p, part, key, tokens, err) < 0)
			return -1;
	}
	return 0;
}

/* One piece, wherever it stands. */
static int
count_piece(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	if (n > CTX_VOCAB_KEY)
		return count_long(c, p, n, tokens, err);
	return count_word(c, p, n, ctx_key_copy(p, n), tokens, err);
}

/* Pieces first to last (not included) of c->pieces, at most CTX_PROBE_MAX,
 * 16 bytes readable at each. */
static int
count_probed(struct ctx_token_counter *c, const char *p, size_t first,
    size_t last, uint64_t *tokens, struct ctx_err *err)
{
	const uint32_t *end = c->pieces.end + first;
	uint32_t start = first > 0 ? end[-1] : 0, from, i;
	size_t misses, k;
	uint64_t extra = 0;
	unsigned known;

	misses = c->probe(&c->tokenizer->vocab, p, start, end, last - first,
	    c->keys, c->missed);
	for (k = 0; k < misses; k++)
		__builtin_prefetch(ctx_words_line(&c->words,
		    c->keys[c->missed[k]]));
	for (k = 0; k < misses; k++) {
		i = c->missed[k];
		known = ctx_words_find(&c->words, c->keys[i]);
		extra += known;
		if (known > 0)
			continue;
		from = i > 0 ? end[i - 1] : start;
		if (count_piece(c, p + from, end[i] - from, &extra, err) < 0)
			return -1;
	}
	*tokens += last - first - misses + extra;
	return 0;
}

/* Pieces so near the end of the text that keys cannot be read in place. */
static int
count_last(struct ctx_token_counter *c, const char *p, size_t first,
    uint64_t *tokens, struct ctx_err *err)
{
	const uint32_t *end = c->pieces.end;
	uint32_t start = first > 0 ? end[first - 1] : 0;
	size_t i;

	for (i = first; i < c->pieces.n; i++) {
		if (count_piece(c, p + start, end[i] - start, tokens,
		    err) < 0)
			return -1;
		start = end[i];
	}
	return 0;
}

/* Counts the first pieces, 1 to max, of a text; *used is their length. */
static int
count_part(struct ctx_token_counter *c, const char *p, size_t n, size_t max,
    uint64_t *tokens, size_t *used, struct ctx_err *err)
{
	const struct ctx_split *s = &c->pieces;
	size_t first, last, inner;

	if (ctx_counter_split(c, p, n, max, err) < 0)
		return -1;
	*used = s->alone;
	if (s->alone > 0)
		return merge(c, p, s->alone, tokens, err);
	*used = s->end[s->n - 1];
	inner = s->n;
	while (inner > 0 &&
	    n - (inner > 1 ? s->end[inner - 2] : 0) < CTX_VOCAB_KEY)
		inner--;
	for (first = 0; first < inner; first = last) {
		last = inner - first < CTX_PROBE_MAX ? inner
						     : first + CTX_PROBE_MAX;
		if (count_probed(c, p, first, last, tokens, err) < 0)
			return -1;
	}
	return count_last(c, p, inner, tokens, err);
}

void
ctx_walk_init(struct ctx_walk *w, struct ctx_token_counter *counter,
    const char *p, size_t n)
{
	*w = (struct ctx_walk){counter, p, n, 0, 0, n, !counter->added};
	ctx_counter_begin(counter);
}

int
ctx_walk_next(struct ctx_walk *w, size_t max, struct ctx_err *err)
{
	const struct ctx_tokenizer *t = w->counter->tokenizer;
	size_t used = 0;
	uint32_t id;

	if (w->at == w->n)
		return 0;
	if (!w->scanned) {
		w->span = w->at + ctx_special_find(t,
		    w->p + w->at, w->n - w->at, true);
		w->scanned = true;
		ctx_counter_begin(w->counter);
	}
	if (w->at < w->span) {
		if (count_part(w->counter, w->p + w->at, w->span - w->at, max,
		    &w->tokens, &used, err) < 0)
			return -1;
	} else {
		used = ctx_special_at(t, w->p + w->at, w->n - w->at, true,
		    &id);
		w->tokens++;
		w->scanned = false;
	}
	w->at += used;
	return 1;
}

/* The estimate of "bytes/4". */
static uint64_t
estimate(size_t n)
{
	return (uint64_t)n / CTX_BYTES_PER_TOKEN +
	    (n % CTX_BYTES_PER_TOKEN != 0);
}

int
ctx_token_count(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_walk w;
	int rc;

	*tokens = estimate(n);
	if (!ctx_tokenizer_real(c->tokenizer))
		return 0;
	ctx_walk_init(&w, c, p, n);
	while ((rc = ctx_walk_next(&w, CTX_SPLIT_MAX, err)) > 0)
		;
	*tokens = w.tokens;
	return rc;
}

int
ctx_token_within(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t limit, bool *within, struct ctx_err *err)
{
	const struct ctx_vocab_head *head = c->tokenizer->vocab.head;
	struct ctx_walk w;
	int rc = 1;

	if (head == NULL) {
		*within = estimate(n) <= limit;
		return 0;
	}
	/* A token is at least one byte and at most the longest token. */
	*within = n <= limit;
	if (*within || (!c->added && n / head->longest > limit))
		return 0;
	ctx_walk_init(&w, c, p, n);
	/* No more pieces than the tokens that are left: pieces are tokens. */
	while (rc > 0 && w.tokens <= limit)
		rc = ctx_walk_next(&w, limit - w.tokens < CTX_SPLIT_MAX
		    ? (size_t)(limit - w.tokens) + 1 : CTX_SPLIT_MAX, err);
	*within = w.tokens <= limit;
	return rc < 0 ? -1 : 0;
}
