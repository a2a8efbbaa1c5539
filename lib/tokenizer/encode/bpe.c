/*
 * bpe.c - byte-pair encoding (BPE) of one pretoken
 *
 * Definition of BPE: begin with the tokens of the single bytes or, in a
 * SentencePiece vocabulary, of the characters (ctx_vocab_first).  Two adjacent
 * tokens can merge if the vocabulary has a token for them.  Of all pairs that
 * can merge, merge the pair whose result has the lowest number; if several
 * pairs have this result, the leftmost of them.  Stop when no pair can merge.
 * ctx_bpe_pairs works in exactly this way, for few bytes.
 *
 * ctx_bpe_long finds the same tokens from left to right.  It relies on this
 * theorem: a sequence of tokens is an encoding if and only if each two adjacent
 * tokens are the encoding of their own bytes (Berglund and van der Merwe,
 * "Formalizing BPE Tokenization", 2023).  Every beginning of a pretoken (piece
 * of text that is encoded by itself) has exactly one encoding.  So the function
 * takes the longest token that can stand after the token before it.  If there
 * is none, it removes the last token and tries shorter ones in its place.  The
 * place where no token was possible is marked as a dead end and never tried
 * again, so the time is linear.  The method comes from the Rust crate bpe by
 * Neubeck and van Antwerpen.
 *
 * To save time, pieces of the text (windows) are first encoded separately, many
 * at once.  Tokens are then taken from these windows, because they are nearly
 * always right except near the ends of a window.  A wrong token leads to a dead
 * end, and is then removed.
 */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encode/bpe.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* SIMD vectors of four and of sixteen numbers.  Functions get the address of a
 * vector, because some processors cannot pass a vector in a register. */
typedef int32_t four_vector __attribute__((vector_size(16)));
typedef uint32_t sixteen_vector __attribute__((vector_size(64)));

/* Compares four tags in a line of the hash table with one tag.  The value that
 * belongs to a tag is eight words after the tag in the line.  If one of the
 * four tags is equal, combines its value with *found by OR; otherwise does not
 * change *found. */
static inline void
find_four(four_vector *found, const uint32_t *entry, uint32_t tag)
{
	four_vector tags, values;

	memcpy(&tags, entry, sizeof tags);
	memcpy(&values, entry + 8, sizeof values);
	*found |= values & (tags == (int32_t)tag);
}

/* Looks up a pair of tokens in one line of the hash table, by the tag of the
 * pair.  Returns the value of the pair, or 0 if the line does not contain the
 * pair. */
static inline uint32_t
pair_in(const uint32_t *entry, uint32_t tag)
{
	four_vector found = {0};
	uint64_t half[2];

	find_four(&found, entry, tag);
	find_four(&found, entry + 4, tag);
	memcpy(half, &found, sizeof half);
	half[0] |= half[1];
	return (uint32_t)(half[0] | half[0] >> 32);
}

static inline void
keep_smaller(four_vector *least, const void *list)
{
	four_vector four, first;

	memcpy(&four, list, sizeof four);
	first = four < *least;
	*least = (four & first) | (*least & ~first);
}

/* Returns the smallest of n numbers; see bpe_interleaved.h. */
static inline uint32_t
find_least(const uint32_t *list, uint32_t n)
{
	four_vector a = (four_vector){0} + INT32_MAX, b = a;
	uint32_t i, k, four[4], best;

	for (i = 0; i < n; i += 16)
		for (k = 0; k < 16; k += 8) {
			keep_smaller(&a, list + i + k);
			keep_smaller(&b, list + i + k + 4);
		}
	keep_smaller(&a, &b);
	memcpy(four, &a, sizeof a);
	best = four[0];
	for (i = 1; i < 4; i++)
		best = four[i] < best ? four[i] : best;
	return best;
}

#include "tokenizer/simd/bpe_interleaved.h"

void
ctx_bpe_merge_portable(const struct ctx_vocab *v,
    struct ctx_bpe_pretoken *pretokens, size_t n)
{
	merge_pretokens(v, pretokens, n);
}

/* Marks all pairs of tokens in a pretoken (word, number, ...) of n bytes as not
 * mergeable.  Writes up to 15 more elements, because find_least reads sixteen
 * elements at a time. */
static void
clear_merges(struct ctx_bpe_pretoken *pretoken, size_t n)
{
	const sixteen_vector none = (sixteen_vector){0} + CTX_BPE_MERGE_NONE;
	size_t i;

	for (i = 0; i < n; i += 16)
		memcpy(pretoken->merges + i, &none, sizeof none);
}

/* Prepares a pretoken (word, number, ...) for merging, like
 * ctx_bpe_pretoken_begin, for a vocabulary whose tokens are merged from
 * characters and not from bytes. */
static void
begin_chars(const struct ctx_vocab *v, struct ctx_bpe_pretoken *pretoken,
    const char *p, size_t n)
{
	unsigned at = 0, before = 0;
	size_t length;

	pretoken->occupied = 1 | UINT64_C(2) << n;
	pretoken->n = (uint32_t)n;
	pretoken->tokens[0] = pretoken->tokens[n + 1] = CTX_PAIR_NOBODY;
	clear_merges(pretoken, n);
	for (at = 1; at <= n; at += (unsigned)length) {
		pretoken->tokens[at] =
		    ctx_vocab_first(v, p + at - 1, n + 1 - at, &length);
		pretoken->occupied |= UINT64_C(1) << at;
		if (before > 0)
			pretoken->merges[before] =
			    ctx_bpe_merge_rank(ctx_vocab_pair(v,
						   pretoken->tokens[before],
						   pretoken->tokens[at]),
				before);
		before = at;
	}
}

void
ctx_bpe_pretoken_begin(const struct ctx_vocab *v,
    struct ctx_bpe_pretoken *pretoken, const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;
	const uint32_t *leaves = v->leaves, *digrams = v->digrams;
	/* pair: number that consists of the last two bytes read */
	unsigned i, pair = s[0];

	if (v->chars) {
		begin_chars(v, pretoken, p, n);
		return;
	}
	pretoken->occupied = UINT64_MAX >> (CTX_BPE_MAX - n);
	pretoken->n = (uint32_t)n;
	pretoken->tokens[0] = pretoken->tokens[n + 1] = CTX_PAIR_NOBODY;
	clear_merges(pretoken, n);
	pretoken->tokens[1] = leaves[pair];
	for (i = 1; i < n; i++) {
		pretoken->tokens[i + 1] = leaves[s[i]];
		pair = (pair << 8 | s[i]) & 0xffff;
		pretoken->merges[i] = ctx_bpe_merge_rank(digrams[pair], i);
	}
}

size_t
ctx_bpe_pairs(const struct ctx_vocab *v, const char *p, size_t n, uint32_t *out)
{
	struct ctx_bpe_pretoken pretoken;
	uint64_t occupied;
	size_t k = 0;

	ctx_bpe_pretoken_begin(v, &pretoken, p, n);
	merge_pretokens(v, &pretoken, 1);
	/* If a token begins at position i, bit i of pretoken.occupied is set.
	 * The lowest and the highest bit that is set stand for the ends of the
	 * pretoken.  The loop first removes the lowest bit, and ends when only
	 * the highest bit is left. */
	for (occupied = pretoken.occupied & (pretoken.occupied - 1);
	     (occupied & (occupied - 1)) != 0; occupied &= occupied - 1)
		out[k++] = pretoken.tokens[__builtin_ctzll(occupied)];
	return k;
}

/*
 * Returns true if the tokens a and b are the encoding of their own bytes.  They
 * are not if some merge across the border between a and b is made before one of
 * the merges that lead to a and b.  To find this out, the loop undoes the
 * merges that lead to a and b, the latest first, and looks up after each step
 * the two tokens that are now adjacent at the border.  If the merge of these
 * two tokens has a lower number than the merge that was undone last, it would
 * be made before that merge.
 */
static bool
is_own_encoding(const struct ctx_vocab *v, uint32_t a, uint32_t b)
{
	/* only merges with a lower number are made before the merges that were
	 * undone so far */
	uint32_t limit = v->end;
	uint32_t left, right;

	/* If the two tokens do not merge, ctx_vocab_pair returns
	 * CTX_VOCAB_NONE, which is greater than limit: the loop continues. */
	while (ctx_vocab_pair(v, a, b) >= limit) {
		left = ctx_vocab_parent(v, a, 1);
		right = ctx_vocab_parent(v, b, 0);
		if (left == a && right == b)
			return true;
		/* Of several merges with the same result, the leftmost is made
		 * first.  So if a and b are equal, the merge that leads to b is
		 * undone first. */
		if (right == b || (left != a && a > b)) {
			limit = a;
			a = left;
		} else {
			limit = b + 1;
			b = right;
		}
	}
	return false;
}

#define JUDGED_BITS 12

/* A window is a piece of a pretoken that is encoded separately.  Tokens near
 * the ends of a window may be wrong, so only the tokens from NEAR bytes after
 * its beginning to FAR bytes before its end are used.  Exceptions: the first
 * window is used from its beginning, and the window at the end of the pretoken
 * up to its end. */
#define WINDOW CTX_BPE_MAX
#define NEAR   6
#define FAR    10
#define STRIDE (WINDOW - NEAR - FAR)

struct ctx_ahead {
	/* Cached results of is_own_encoding: each element is a pair of tokens,
	 * with the result (true or false) in the lowest bit. */
	uint64_t judged[1 << JUDGED_BITS];
	struct ctx_bpe_pretoken windows[CTX_BPE_BATCH];
	/* offset in the pretoken of the first window (piece that is encoded
	 * separately) */
	size_t first;
	size_t n; /* number of windows */
};

/* Returns true if the token b can stand directly after the token a in an
 * encoding.  Caches the results of is_own_encoding, because long pretokens
 * (words, numbers, ...) often repeat the same tokens. */
static bool
may_follow_token(const struct ctx_vocab *v, const struct ctx_bpe *m, uint32_t a,
    uint32_t b)
{
	uint64_t pair = (uint64_t)a << 22 | (uint64_t)b << 1;
	uint64_t *entry = m->ahead->judged +
	    (ctx_pair_hash(a, b) >> (CTX_PAIR_BITS - JUDGED_BITS));

	if (*entry >> 1 != pair >> 1)
		*entry = pair | is_own_encoding(v, a, b);
	return (*entry & 1) != 0;
}

static int
append_token(struct ctx_bpe *m, uint32_t token, struct ctx_err *err)
{
	if (m->n == m->cap) {
		if (CTX_GROW(m->tokens, m->cap, m->n + 1, err) < 0)
			return -1;
	}
	m->tokens[m->n++] = token;
	return 0;
}

/* Returns true if the offset "at" in the pretoken (word, number, ...) is a dead
 * end: no token of the encoding can begin there. */
static bool
is_dead(const struct ctx_bpe *m, size_t at)
{
	return (m->dead[at / 64] >> at % 64 & 1) != 0;
}

/* Finds the next token of repetitive text quickly.  If the last two tokens are
 * equal, and the next bytes repeat them, returns this token: it can certainly
 * stand after itself.  Otherwise returns CTX_VOCAB_NONE. */
static uint32_t
find_repeated_token(const struct ctx_vocab *v, const struct ctx_bpe *m,
    const char *p, size_t n, size_t at)
{
	uint32_t token;
	size_t length;

	if (m->n < 2 || m->tokens[m->n - 1] != m->tokens[m->n - 2])
		return CTX_VOCAB_NONE;
	token = m->tokens[m->n - 1];
	length = ctx_vocab_length(v, token);
	return length <= n - at && !is_dead(m, at + length) &&
		memcmp(p + at, p + at - length, length) == 0
	    ? token
	    : CTX_VOCAB_NONE;
}

/* Returns the longest token that is shorter than the given token and with whose
 * bytes the given token begins. p: bytes of the given token.  Returns
 * CTX_VOCAB_NONE if the given token is a byte or character with which merging
 * begins. */
static uint32_t
find_shorter_token(const struct ctx_vocab *v, uint32_t token, const char *p)
{
	size_t length = ctx_vocab_length(v, token);

	return length == 1 || ctx_vocab_parent(v, token, 0) == token
	    ? CTX_VOCAB_NONE
	    : ctx_vocab_longest(v, p, length - 1);
}

/* Returns the longest token with which the bytes from offset "at" on begin and
 * that can stand after the last token of *m.  Returns CTX_VOCAB_NONE if there
 * is no such token. */
static uint32_t
find_next_token(const struct ctx_vocab *v, const struct ctx_bpe *m,
    const char *p, size_t n, size_t at)
{
	uint32_t token = ctx_vocab_longest(v, p + at, n - at);

	for (; token != CTX_VOCAB_NONE;
	     token = find_shorter_token(v, token, p + at))
		if (!is_dead(m, at + ctx_vocab_length(v, token)) &&
		    (m->n == 0 ||
			may_follow_token(v, m, m->tokens[m->n - 1], token)))
			break;
	return token;
}

/* Returns the window (piece that is encoded separately) that contains the byte
 * at the offset "at" of the pretoken.  Sets *begin to the offset of the window.
 * If the byte is after the last window, first encodes new windows from this
 * byte on. */
static const struct ctx_bpe_pretoken *
find_window(const struct ctx_vocab *v, struct ctx_bpe *m, const char *p,
    size_t n, size_t at, size_t *begin)
{
	struct ctx_ahead *a = m->ahead;
	size_t k = at < a->first + NEAR ? 0 : (at - a->first - NEAR) / STRIDE;
	size_t from;

	if (k >= a->n) {
		a->first = from = at;
		for (a->n = k = 0; from < n && a->n < CTX_BPE_BATCH;
		     from += STRIDE)
			ctx_bpe_pretoken_begin(v, a->windows + a->n++, p + from,
			    n - from < WINDOW ? n - from : WINDOW);
		m->merge(v, a->windows, a->n);
	}
	*begin = a->first + k * STRIDE;
	return a->windows + k;
}

/* Takes tokens from the window (piece of the pretoken that was encoded
 * separately) that contains byte *at.  Appends these tokens to m->tokens, as
 * long as each of them can stand after the token before it, and moves *at to
 * the end of the last token.  Returns 1 if tokens were appended, 0 if not, or
 * -1 with *err. */
static int
take_ahead(const struct ctx_vocab *v, struct ctx_bpe *m, const char *p,
    size_t n, size_t *at, struct ctx_err *err)
{
	size_t begin, end, place, taken = m->n;
	const struct ctx_bpe_pretoken *w = find_window(v, m, p, n, *at, &begin);
	uint64_t occupied = w->occupied;
	uint32_t token;

	end = begin + w->n == n ? n : begin + NEAR + STRIDE;
	while (*at < end) {
		place = *at - begin + 1;
		token = w->tokens[place];
		/* Only the first token of a window is compared with the token
		 * before it: adjacent tokens of the same window can always
		 * stand side by side. */
		if ((occupied >> place & 1) == 0 ||
		    (m->n == taken && m->n > 0 &&
			!may_follow_token(v, m, m->tokens[m->n - 1], token)) ||
		    is_dead(m, *at + ctx_vocab_length(v, token)))
			break;
		if (append_token(m, token, err) < 0)
			return -1;
		*at += ctx_vocab_length(v, token);
	}
	return m->n > taken;
}

static int
prepare_merge(struct ctx_bpe *m, size_t n, struct ctx_err *err)
{
	if (m->merge == NULL)
		m->merge = ctx_bpe_merge_portable;
	if (m->ahead == NULL) {
		m->ahead = malloc(sizeof *m->ahead);
		if (m->ahead == NULL)
			return ctx_err_nomem(err);
		memset(m->ahead->judged, 0xff, sizeof m->ahead->judged);
	}
	m->ahead->n = m->ahead->first = 0;
	if (CTX_GROW(m->dead, m->dead_cap, n / 64 + 1, err) < 0)
		return -1;
	memset(m->dead, 0, (n / 64 + 1) * sizeof *m->dead);
	m->n = 0;
	return 0;
}

static int
merge_queue(const struct ctx_vocab *v, struct ctx_bpe *m, const char *p,
    size_t n, struct ctx_err *err)
{
	if (CTX_GROW(m->tokens, m->cap, n, err) < 0)
		return -1;
	m->n = ctx_bpe_queue(v, p, n, m->tokens, err);
	return m->n > 0 ? 0 : -1;
}

/* Returns true if a text may contain a token that has a lower number than one
 * of its parts.  For such a text, the fast method of ctx_bpe_long could find
 * wrong tokens. */
static bool
may_be_disordered(const struct ctx_vocab_head *h, const char *p, size_t n)
{
	const char *end = p + n - 1, *at;
	uint32_t i;

	if ((h->flags & CTX_VOCAB_DISORDER) == 0)
		return false;
	if (h->n_disorder > CTX_DISORDER_MAX)
		return true;
	for (i = 0; i < h->n_disorder; i++)
		for (at = p; at < end; at++) {
			at = memchr(at, h->disorder[i][0], (size_t)(end - at));
			if (at == NULL)
				break;
			if ((unsigned char)at[1] == h->disorder[i][1])
				return true;
		}
	return false;
}

int
ctx_bpe_long(const struct ctx_vocab *v, struct ctx_bpe *m, const char *p,
    size_t n, struct ctx_err *err)
{
	size_t at = 0, careful = 0, wait = 1;
	uint32_t token;
	int taken;

	if (may_be_disordered(v->head, p, n))
		return merge_queue(v, m, p, n, err);
	if (prepare_merge(m, n, err) < 0)
		return -1;
	while (at < n) {
		token = find_repeated_token(v, m, p, n, at);
		if (token == CTX_VOCAB_NONE && careful == 0) {
			taken = take_ahead(v, m, p, n, &at, err);
			if (taken < 0)
				return -1;
			/* If no token could be taken from a window, the next
			 * two tokens are found without windows, one by one.  If
			 * the next window fails, too, this number is doubled,
			 * up to 64.  So windows are rarely tried in vain in a
			 * long run of one character, where tokens can be longer
			 * than a window. */
			wait = taken > 0 ? 1 : wait < 64 ? wait * 2 : wait;
			careful = taken > 0 ? 0 : wait;
			continue;
		}
		careful -= careful > 0;
		if (token == CTX_VOCAB_NONE)
			token = find_next_token(v, m, p, n, at);
		if (token != CTX_VOCAB_NONE) {
			if (append_token(m, token, err) < 0)
				return -1;
			at += ctx_vocab_length(v, token);
			continue;
		}
		/* If all tokens were removed, no encoding was found.  Every
		 * text has an encoding if the tables are right, as those of
		 * build.c are, so the tables must be damaged. */
		if (m->n == 0)
			return ctx_err_set(err, CTX_EFILE,
			    "the vocabulary is damaged: it cannot encode "
			    "some texts");
		m->dead[at / 64] |= UINT64_C(1) << at % 64;
		at -= ctx_vocab_length(v, m->tokens[--m->n]);
		careful += 2;
	}
	return 0;
}

void
ctx_bpe_release(struct ctx_bpe *m)
{
	free(m->tokens);
	free(m->dead);
	free(m->ahead);
	memset(m, 0, sizeof *m);
}
