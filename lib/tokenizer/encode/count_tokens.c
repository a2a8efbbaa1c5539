/*
 * count_tokens.c - counts the tokens of a text
 *
 * The text is split into pretokens (backend.c), up to CTX_PRETOKENIZE_MAX at a
 * time.  Most pretokens (pieces of text that are encoded by themselves) are
 * found in a cache (pretoken_batch.h, pretoken_cache.c).  Pretokens that are
 * not in the cache are looked up in the vocabulary (vocabulary.c).  If a
 * pretoken is not a token of the vocabulary, its bytes are merged into tokens
 * (bpe_interleaved.h, bpe.c).
 */
#include <stdlib.h>

#include "tokenizer/encode/blanks.h"
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/encode/split_chars.h"
#include "tokenizer/open.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/crossing.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* maximum number of cuts in a long pretoken (word, number, ...) that one call
 * finds */
#define CUTS 64

/* Returns true if the vocabulary of the encoding has this flag
 * (CTX_VOCAB_...). */
static bool
has_flag(const struct ctx_tokenizer *tokenizer, uint32_t flag)
{
	return tokenizer->vocab.head != NULL &&
	    (tokenizer->vocab.head->flags & flag) != 0;
}

int
ctx_token_counter_open(struct ctx_token_counter **counter,
    const struct ctx_tokenizer *tokenizer, enum ctx_simd simd,
    struct ctx_err *err)
{
	struct ctx_token_counter *c = calloc(1, sizeof *c);

	*counter = NULL;
	if (c == NULL)
		return ctx_err_nomem(err);
	simd = ctx_simd_resolve(simd);
	c->tokenizer = tokenizer;
	c->nfc = ctx_tokenizer_nfc(tokenizer) || tokenizer->vocab.chars;
	c->normalizer.find = tokenizer->vocab.chars ? ctx_blanks_find : NULL;
	c->added = ctx_added_token_longest(tokenizer, CTX_NAMES_ADDED);
	c->added_normal = ctx_added_token_longest(tokenizer,
	    CTX_NAMES_NORMAL * CTX_NAMES_ADDED);
	c->backend = ctx_backend_pick(simd);
	c->bpe.merge = c->backend->merge;
	c->plain = CTX_PLAIN_BYTES;
	if (tokenizer->claude != NULL)
		ctx_marked_text_init(&c->marked, tokenizer->claude,
		    tokenizer->automaton);
	if (has_flag(tokenizer, CTX_VOCAB_NUMBERS))
		c->plain |= CTX_PLAIN_NUMBERS;
	c->local = ctx_tokenizer_real(tokenizer) && c->added == 0 &&
	    c->added_normal == 0 && tokenizer->pcre2 == NULL &&
	    !has_flag(tokenizer, CTX_VOCAB_PREFIX);
	if (ctx_pretoken_cache_init(&c->cache, err) < 0 ||
	    (tokenizer->pcre2 != NULL &&
		ctx_pcre2_begin(&c->pcre2, tokenizer->pcre2,
		    ctx_tokenizer_name(tokenizer), err) < 0)) {
		ctx_token_counter_close(c);
		return -1;
	}
	if (c->pcre2 != NULL &&
	    tokenizer->vocab.head->pretokenizer.family != CTX_PRETOKENIZER_NONE)
		ctx_pcre2_set_last(c->pcre2, c->backend->split,
		    tokenizer->vocab.head->pretokenizer);
	*counter = c;
	return 0;
}

int
ctx_token_counter_clone(struct ctx_token_counter **counter,
    const struct ctx_token_counter *like, enum ctx_simd simd,
    struct ctx_err *err)
{
	return ctx_token_counter_open(counter, like->tokenizer, simd, err);
}

int
ctx_token_counter_store_texts(struct ctx_token_counter *c, struct ctx_err *err)
{
	return ctx_text_counts_open(&c->texts, err);
}

const struct ctx_tokenizer *
ctx_token_counter_tokenizer(const struct ctx_token_counter *c)
{
	return c->tokenizer;
}

void
ctx_token_counter_close(struct ctx_token_counter *c)
{
	if (c == NULL)
		return;
	ctx_pretoken_cache_release(&c->cache);
	ctx_text_counts_release(&c->texts);
	ctx_bpe_release(&c->bpe);
	ctx_pcre2_end(c->pcre2);
	ctx_marked_text_release(&c->marked);
	ctx_nfc_release(&c->normalizer);
	ctx_buf_release(&c->normal);
	free(c);
}

void
ctx_counter_begin(struct ctx_token_counter *c)
{
	if (c->pcre2 != NULL)
		ctx_pcre2_reset(c->pcre2);
}

void
ctx_counter_split_plain(struct ctx_token_counter *c,
    struct ctx_pretokenize *split, unsigned plain, struct ctx_str text,
    size_t max)
{
	const struct ctx_vocab *v = &c->tokenizer->vocab;

	if (c->tokenizer->claude != NULL)
		ctx_units_split(split, text.p, text.n, max);
	else if (v->chars)
		ctx_split_chars(split, v, plain, text.p, text.n, max);
	else
		c->backend->split(split, v->head->pretokenizer, plain, text.p,
		    text.n, max);
}

int
ctx_counter_split(struct ctx_token_counter *c, const char *p, size_t n,
    size_t max, unsigned plain, struct ctx_err *err)
{
	if (c->pcre2 != NULL)
		return ctx_pcre2_split(c->pcre2, &c->pretokens, p, n, max, err);
	ctx_counter_split_plain(c, &c->pretokens, plain, (struct ctx_str){p, n},
	    max);
	return 0;
}

_Static_assert(CTX_TOKEN_WORD <= CTX_BPE_MAX,
    "words fit a struct ctx_bpe_pretoken");

/* Merges all waiting pretokens (words, numbers, ...) into tokens, adds the
 * number of tokens to *tokens, and stores the number for each pretoken in the
 * cache, unless ctx_waiting.p is NULL. */
static void
merge_waiting(struct ctx_token_counter *c, uint64_t *tokens)
{
	const struct ctx_waiting *w;
	size_t i, n, merged;

	c->backend->merge(&c->tokenizer->vocab, c->waiting_pretokens,
	    c->nwaiting);
	for (i = 0; i < c->nwaiting; i++) {
		w = c->waiting + i;
		n = c->waiting_pretokens[i].n;
		merged = ctx_bpe_pretoken_count(c->waiting_pretokens + i);
		*tokens += merged;
		if (w->p == NULL)
			continue;
		if (n > CTX_PRETOKEN_CACHE_KEY)
			ctx_pretoken_cache_add_long(&c->cache, w->p, n, merged);
		else if (ctx_pretoken_cache_find(&c->cache, w->key) == 0)
			ctx_pretoken_cache_add(&c->cache, w->key,
			    (unsigned)merged);
	}
	c->nwaiting = 0;
}

/* Adds a pretoken (word, number, ...) of n bytes that is neither in the cache
 * nor a token to the list of pretokens that will be merged together.  If the
 * list is full, first merges the pretokens in the list. */
static void
merge_later(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_waiting waiting, uint64_t *tokens)
{
	if (c->nwaiting == CTX_BPE_BATCH)
		merge_waiting(c, tokens);
	c->waiting[c->nwaiting] = waiting;
	ctx_bpe_pretoken_begin(&c->tokenizer->vocab,
	    c->waiting_pretokens + c->nwaiting++, p, n);
}

/* Merges n bytes (any number) immediately, without the list of waiting
 * pretokens.  Adds the number of tokens to *tokens. */
static int
merge_text(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	if (ctx_bpe_long(&c->tokenizer->vocab, &c->bpe, p, n, err) < 0)
		return -1;
	*tokens += c->bpe.n;
	return 0;
}

/* Counts a pretoken (word, number, ...) of at most CTX_PRETOKEN_CACHE_KEY bytes
 * that is not a token.  The pretoken was not in the cache when its batch was
 * looked up, but may have been added since then, if the batch contains an equal
 * pretoken. */
static void
count_unknown_word(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_key key, uint64_t *tokens)
{
	unsigned known = ctx_pretoken_cache_find(&c->cache, key);

	*tokens += known;
	if (known == 0)
		merge_later(c, p, n, (struct ctx_waiting){p, key}, tokens);
}

/* Counts a pretoken (word, number, ...) of at most CTX_PRETOKEN_CACHE_KEY
 * bytes. */
static void
count_word(struct ctx_token_counter *c, const char *p, size_t n,
    struct ctx_key key, uint64_t *tokens)
{
	if (ctx_vocab_find_key(&c->tokenizer->vocab, key) == CTX_VOCAB_NONE)
		count_unknown_word(c, p, n, key, tokens);
	else
		*tokens += 1;
}

void
ctx_counter_ask_longs(const struct ctx_token_counter *c,
    struct ctx_pretoken_lookup *b, const char *p, struct ctx_pretoken_list list)
{
	size_t k;
	uint32_t i;

	for (k = 0; k < b->nlongs; k++) {
		i = b->longs[k];
		b->hashes[k] = ctx_pretoken_cache_hash_long(p + list.start[i],
		    list.end[i] - list.start[i]);
		ctx_pretoken_cache_ask_long(&c->cache, b->hashes[k]);
	}
}

size_t
ctx_pretokenize_inner(const struct ctx_pretokenize *split, size_t n)
{
	size_t inner = split->listed;

	while (inner > 0 && n - split->start[inner - 1] < CTX_VOCAB_KEY)
		inner--;
	return inner;
}

/* For n pretokens (words, numbers, ...) that were not in the cache, prefetches
 * the entries of the vocabulary's hash table.  For pretokens that are too long
 * for a key, computes their hashes and prefetches their cache entries. */
static void
prefetch_missed(const struct ctx_token_counter *c,
    struct ctx_pretoken_lookup *b, const char *p, struct ctx_pretoken_list list,
    size_t n)
{
	size_t k;

	for (k = 0; k < n; k++)
		ctx_vocab_ask_key(&c->tokenizer->vocab, b->keys[b->missed[k]]);
	ctx_counter_ask_longs(c, b, p, list);
}

/* Returns true if a pretoken (word, number, ...) is a token. guess: result of
 * ctx_vocab_guess for the key of the pretoken. */
static inline bool
is_token(const struct ctx_vocab *v, uint32_t guess, struct ctx_key key)
{
	if (guess == CTX_VOCAB_NONE)
		return false;
	return (guess != CTX_VOCAB_UNSURE &&
		   ctx_vocab_has_key(v, guess, key)) ||
	    ctx_vocab_find_key(v, key) != CTX_VOCAB_NONE;
}

/* Looks up n pretokens that were not in the cache in the vocabulary's hash
 * table.  Adds the number of pretokens that are tokens to *tokens.  Moves the
 * indices of all other pretokens to the beginning of b->missed, and returns the
 * number of these.
 *
 * While the text of one token comes from memory, the texts of the next tokens
 * are prefetched. */
static size_t
find_keys(struct ctx_token_counter *c, struct ctx_pretoken_lookup *b, size_t n,
    uint64_t *tokens)
{
	const struct ctx_vocab *v = &c->tokenizer->vocab;
	uint32_t *guesses = b->guesses;
	size_t i, left = 0;
	struct ctx_key key;
	bool found;

	for (i = 0; i < n; i++)
		guesses[i] = ctx_vocab_guess(v, b->keys[b->missed[i]]);
	for (i = 0; i < n; i++)
		if (guesses[i] < CTX_VOCAB_UNSURE)
			ctx_vocab_ask_text(v, guesses[i]);
	for (i = 0; i < n; i++) {
		key = b->keys[b->missed[i]];
		found = is_token(v, guesses[i], key);
		/* An earlier pretoken of the batch may be equal and may already
		 * have been added to the cache. */
		if (found && ctx_pretoken_cache_find(&c->cache, key) == 0)
			ctx_pretoken_cache_add(&c->cache, key, 1);
		*tokens += found;
		b->missed[left] = b->missed[i];
		left += !found;
	}
	return left;
}

/* Counts the listed pretokens (words, numbers, ...) of at most
 * CTX_PRETOKEN_CACHE_KEY bytes, and stores the indices of longer pretokens in
 * b->longs.  At the beginning of each pretoken, 16 bytes must be readable. */
static void
count_short(struct ctx_token_counter *c, struct ctx_pretoken_lookup *b,
    const char *p, struct ctx_pretoken_list list, uint64_t *tokens)
{
	size_t misses, k;
	uint32_t i;

	misses = c->backend->lookup(&c->cache, p, &list, b, tokens);
	prefetch_missed(c, b, p, list, misses);
	misses = find_keys(c, b, misses, tokens);
	for (k = 0; k < misses; k++) {
		i = b->missed[k];
		count_unknown_word(c, p + list.start[i],
		    list.end[i] - list.start[i], b->keys[i], tokens);
	}
}

/* Returns the number of tokens of a pretoken (word, number, ...) of 16 bytes or
 * more if it is in the cache or is itself a token; otherwise returns 0.  Also
 * finds tokens that merging cannot make, because such a token is used for a
 * whole pretoken. */
static unsigned
find_known_long(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t hash)
{
	unsigned known = ctx_pretoken_cache_find_long(&c->cache, hash, p, n);

	if (known == 0 &&
	    ctx_vocab_find(&c->tokenizer->vocab, p, n) != CTX_VOCAB_NONE) {
		known = 1;
		ctx_pretoken_cache_add_long(&c->cache, p, n, known);
	}
	return known;
}

/* Merges a pretoken (word, number, ...) of 16 bytes or more that is neither in
 * the cache nor a token. */
static int
merge_long_word(struct ctx_token_counter *c, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err)
{
	if (n <= CTX_TOKEN_WORD) {
		merge_later(c, p, n, (struct ctx_waiting){.p = p}, tokens);
		return 0;
	}
	if (merge_text(c, p, n, tokens, err) < 0)
		return -1;
	ctx_pretoken_cache_add_long(&c->cache, p, n, c->bpe.n);
	return 0;
}

/* Places at which a long pretoken (word, number, ...) can be cut, so that its
 * parts can be merged separately: no token of the vocabulary contains both the
 * character before such a place and the character after it. */
struct cuts {
	size_t at; /* number of bytes that were searched */
	/* the character directly before the offset "at"; not set at the
	 * beginning of the pretoken */
	uint32_t last;
	size_t n;
	/* offsets in the pretoken at which it can be cut, and its end */
	size_t ends[CUTS];
};

/* Used to skip ASCII characters quickly.  Returns 7 if the first eight of n
 * bytes are all ASCII characters (so that the 7 characters after the first of
 * them can be skipped) and more bytes follow, otherwise 0. */
static size_t
count_ascii_run(const char *p, size_t n)
{
	uint64_t word;

	if (n <= sizeof word)
		return 0;
	memcpy(&word, p, sizeof word);
	return (word & 0x8080808080808080u) == 0 ? sizeof word - 1 : 0;
}

/* Finds the next places at which a long pretoken (word, number, ...) can be
 * cut, and its end.  The loop has no branch for a cut, because the processor
 * could not predict it.  There is never a cut between two ASCII characters. */
static void
find_cuts(const struct ctx_vocab *v, const char *p, size_t n, struct cuts *c)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t at = c->at, length;
	uint32_t a = c->last, b;

	c->n = 0;
	if (at == 0)
		at = ctx_char_next(p, n, &a);
	for (; at < n && c->n < CUTS - 1; at += length) {
		length = count_ascii_run(p + at - 1, n - at + 1);
		if (length > 0) {
			a = s[at + length - 1];
			continue;
		}
		length = ctx_char_next(p + at, n - at, &b);
		c->ends[c->n] = at;
		c->n += (size_t)((s[at - 1] | s[at]) >= 0x80) &
		    (a != CTX_CHAR_BAD) & (b != CTX_CHAR_BAD) &
		    !ctx_vocab_crossing(v, a, b, s[at - 1], s[at]);
		a = b;
	}
	if (at == n)
		c->ends[c->n++] = n;
	c->at = at;
	c->last = a;
}

/* Counts the parts of long pretokens (words, numbers, ...) that are listed in
 * c->parts.  Each part has at most CTX_PRETOKEN_CACHE_KEY bytes. */
static void
count_parts(struct ctx_token_counter *c, const char *p, uint64_t *tokens)
{
	struct ctx_parts *parts = &c->parts;
	struct ctx_pretoken_list list = {parts->start, parts->end, parts->n};

	parts->n = 0;
	count_short(c, &c->parts_batch, p, list, tokens);
}

/* Counts a part of a long pretoken (word, number, ...): n bytes at text.p + at.
 * A long part is neither looked up in the cache nor added to it, because long
 * parts are rarely repeated. */
static int
count_part(struct ctx_token_counter *c, struct ctx_str text, size_t at,
    size_t n, uint64_t *tokens, struct ctx_err *err)
{
	const char *p = text.p + at;
	struct ctx_parts *parts = &c->parts;

	if (n > CTX_TOKEN_WORD)
		return merge_text(c, p, n, tokens, err);
	if (n > CTX_PRETOKEN_CACHE_KEY) {
		merge_later(c, p, n, (struct ctx_waiting){.p = NULL}, tokens);
	} else if (text.n - at < CTX_VOCAB_KEY) {
		count_word(c, p, n, ctx_key_copy(p, n), tokens);
	} else {
		if (parts->n == CTX_PRETOKEN_LOOKUP_MAX)
			count_parts(c, text.p, tokens);
		parts->start[parts->n] = (uint32_t)at;
		parts->end[parts->n++] = (uint32_t)(at + n);
	}
	return 0;
}

/* Counts a pretoken (word, number, ...) of 16 bytes or more that is neither in
 * the cache nor a token: n bytes at text.p + at. */
static int
count_unknown_long(struct ctx_token_counter *c, struct ctx_str text, size_t at,
    size_t n, uint64_t *tokens, struct ctx_err *err)
{
	const struct ctx_vocab *v = &c->tokenizer->vocab;
	const char *p = text.p + at;
	struct cuts cuts;
	size_t begin, i;

	/* If a part has exactly the bytes of a token, it would be counted as
	 * one token.  This is wrong if merging the bytes gives other tokens.
	 * v->unreached says that the vocabulary has such tokens; the pretoken
	 * is then not cut.  If v->chars is true, the pretoken cannot be cut,
	 * because the text was already cut at all such places. */
	if (v->unreached || v->chars)
		return merge_long_word(c, p, n, tokens, err);
	cuts.at = cuts.last = 0;
	find_cuts(v, p, n, &cuts);
	if (cuts.n == 1 && cuts.ends[0] == n)
		return merge_long_word(c, p, n, tokens, err);
	for (begin = 0; begin < n; find_cuts(v, p, n, &cuts))
		for (i = 0; i < cuts.n; begin = cuts.ends[i++])
			if (count_part(c, text, at + begin,
				cuts.ends[i] - begin, tokens, err) < 0)
				return -1;
	return 0;
}

static int
count_listed(struct ctx_token_counter *c, struct ctx_str text,
    struct ctx_pretoken_list list, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_pretoken_lookup *b = &c->batch;
	unsigned known;
	size_t k, at, n;

	count_short(c, b, text.p, list, tokens);
	for (k = 0; k < b->nlongs; k++) {
		at = list.start[b->longs[k]];
		n = list.end[b->longs[k]] - at;
		known = find_known_long(c, text.p + at, n, b->hashes[k]);
		*tokens += known;
		if (known == 0 &&
		    count_unknown_long(c, text, at, n, tokens, err) < 0)
			return -1;
	}
	return 0;
}

/* Counts the last pretokens (words, numbers, ...) of the text, from index first
 * on.  As 16 bytes are read from the beginning of each pretoken, which may be
 * beyond the end of the text, the end of the text is first copied to a larger
 * buffer. */
static int
count_last(struct ctx_token_counter *c, struct ctx_str text, size_t first,
    uint64_t *tokens, struct ctx_err *err)
{
	char last[2 * CTX_VOCAB_KEY] = {0};
	const struct ctx_str copy = {last, CTX_VOCAB_KEY};
	struct ctx_pretoken_list list;
	struct ctx_pretokenize *s = &c->pretokens;
	size_t at = text.n < CTX_VOCAB_KEY ? 0 : text.n - CTX_VOCAB_KEY, i;

	memcpy(last, text.p + at, text.n - at);
	for (i = first; i < s->listed; i++) {
		s->start[i] -= (uint32_t)at;
		s->end[i] -= (uint32_t)at;
	}
	list = (struct ctx_pretoken_list){s->start + first, s->end + first,
	    s->listed - first};
	if (count_listed(c, copy, list, tokens, err) < 0)
		return -1;
	merge_waiting(c, tokens);
	return 0;
}

int
ctx_counter_count(struct ctx_token_counter *c, struct ctx_str text, size_t max,
    uint64_t *tokens, size_t *used, struct ctx_err *err)
{
	struct ctx_pretokenize *s = &c->pretokens;
	size_t i, inner, some;
	struct ctx_pretoken_list list;

	/* Empty both lists: a previous call that failed may have left pretokens
	 * in them. */
	c->nwaiting = c->parts.n = 0;
	if (ctx_counter_split(c, text.p, text.n, max, c->plain, err) < 0)
		return -1;
	*used = s->used;
	if (s->alone > 0)
		return merge_text(c, text.p, s->alone, tokens, err);
	*tokens += s->n - s->listed;
	inner = ctx_pretokenize_inner(s, text.n);
	for (i = 0; i < inner; i += some) {
		some = inner - i < CTX_PRETOKEN_LOOKUP_MAX
		    ? inner - i
		    : CTX_PRETOKEN_LOOKUP_MAX;
		list =
		    (struct ctx_pretoken_list){s->start + i, s->end + i, some};
		if (count_listed(c, text, list, tokens, err) < 0)
			return -1;
	}
	count_parts(c, text.p, tokens);
	merge_waiting(c, tokens);
	return inner == s->listed ? 0 : count_last(c, text, inner, tokens, err);
}
