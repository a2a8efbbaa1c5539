/*
 * merge.c - byte-pair encoding of one piece
 *
 * The definition: start with the tokens of the bytes; of all neighbours that
 * can merge, merge those with the lowest result, the leftmost first; stop
 * when none can.  ctx_merge_pairs does that to the letter, for few bytes.
 *
 * ctx_merge_long finds the same tokens from left to right.  A row of tokens
 * is an encoding if and only if each two neighbours in it are the encoding
 * of their own bytes (Berglund and van der Merwe, "Formalizing BPE
 * Tokenization", 2023), and every beginning of a piece has exactly one
 * encoding.  So it takes the longest token that goes with the one before
 * it, and where that leads to an end it takes the token back and tries the
 * others; an end that led nowhere once is never tried again, which keeps the
 * time linear.  The method is that of the Rust crate bpe by A. Neubeck and
 * H. van Antwerpen.  As a short cut, the next few tokens are taken from the
 * encoding of the next few bytes alone, which is right nearly always, and
 * is taken back like anything else where it is not.
 */
#include <stdlib.h>

#include "token/merge.h"

/* From here on a number stands for no merge at all. */
#define NO_MERGE (UINT32_MAX - CTX_MERGE_MAX + 1)

_Static_assert(CTX_VOCAB_MAX <= NO_MERGE / CTX_MERGE_MAX,
    "a token and a position fit one number");

static inline uint32_t
smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The least of the first n numbers, rounded up to a multiple of 4. */
static inline uint32_t
least(const uint32_t *list, size_t n)
{
	uint32_t a = list[0], b = list[1], c = list[2], d = list[3];
	size_t i;

	for (i = 4; i < n; i += 4) {
		a = smaller(a, list[i]);
		b = smaller(b, list[i + 1]);
		c = smaller(c, list[i + 2]);
		d = smaller(d, list[i + 3]);
	}
	return smaller(smaller(a, b), smaller(c, d));
}

/*
 * What two tokens merge to, with the position of the first: the order in
 * which merges are made.  CTX_VOCAB_NONE comes out as NO_MERGE or more.
 */
static inline uint32_t
ranked(uint32_t merged, unsigned at)
{
	return merged * CTX_MERGE_MAX + at;
}

/*
 * Tokens stay at the position of their first byte; bits of live say where
 * there is one.  merges[i] is what the token at i and the next one give.
 */
size_t
ctx_merge_pairs(const struct ctx_vocab *v, const char *p, size_t n,
    uint32_t *out)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t merges[CTX_MERGE_MAX];
	uint32_t tokens[CTX_MERGE_MAX];
	uint64_t live = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX, right;
	unsigned i, next, before;
	uint32_t best;

	for (i = 0; i < n; i++)
		tokens[i] = v->leaves[s[i]];
	for (i = 0; i + 1 < n; i++)
		merges[i] = ranked(v->digrams[(size_t)s[i] << 8 | s[i + 1]],
		    i);
	for (; i < (n + 3) / 4 * 4; i++)
		merges[i] = NO_MERGE;
	while ((best = least(merges, n)) < NO_MERGE) {
		i = best % CTX_MERGE_MAX;
		right = live & ~((UINT64_C(2) << i) - 1);
		next = (unsigned)__builtin_ctzll(right);
		right &= right - 1;
		live &= ~(UINT64_C(1) << next);
		merges[next] = NO_MERGE;
		tokens[i] = best / CTX_MERGE_MAX;
		merges[i] = right == 0 ? NO_MERGE : ranked(ctx_vocab_pair(v,
		    tokens[i], tokens[__builtin_ctzll(right)]), i);
		right = live & ((UINT64_C(1) << i) - 1);
		if (right == 0)
			continue;
		before = 63 - (unsigned)__builtin_clzll(right);
		merges[before] = ranked(ctx_vocab_pair(v, tokens[before],
		    tokens[i]), before);
	}
	for (n = 0; live != 0; live &= live - 1)
		out[n++] = tokens[__builtin_ctzll(live)];
	return n;
}

/*
 * Is a, b the encoding of its own bytes?  It is unless some merge across the
 * seam would have come before a merge that made a or b.  Both are unmade
 * from the seam outward, the later merge first; at each step the two tokens
 * that then met at the seam are looked up: if they merge to something lower
 * than what was unmade last, that merge would have come first.
 */
static bool
compatible(const struct ctx_vocab *v, uint32_t a, uint32_t b)
{
	uint32_t limit = CTX_VOCAB_NONE; /* merges from here on came later */
	uint32_t left, right;

	/* No merge at all is NONE too, which is below no limit. */
	while (ctx_vocab_pair(v, a, b) >= limit) {
		left = v->parents[2 * (size_t)a + 1];
		right = v->parents[2 * (size_t)b];
		if (left == a && right == b)
			return true;
		/* Of equal merges the left one comes first. */
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

/*
 * The same, remembered: entry i holds a pair and the answer in its lowest
 * bit.  Long pieces are often a few tokens over and over.
 */
static bool
fits(const struct ctx_vocab *v, const struct ctx_merge *m, uint32_t a,
    uint32_t b)
{
	uint64_t pair = (uint64_t)a << 22 | (uint64_t)b << 1;
	uint64_t *entry = m->pairs +
	    (ctx_pair_hash(a, b) >> (64 - JUDGED_BITS));

	if (*entry >> 1 != pair >> 1)
		*entry = pair | compatible(v, a, b);
	return (*entry & 1) != 0;
}

static int
push(struct ctx_merge *m, uint32_t token, struct ctx_err *err)
{
	uint32_t *grown;

	if (m->n == m->cap) {
		grown = ctx_grow(m->tokens, &m->cap, m->n + 1,
		    sizeof *m->tokens, err);
		if (grown == NULL)
			return -1;
		m->tokens = grown;
	}
	m->tokens[m->n++] = token;
	return 0;
}

static bool
is_dead(const struct ctx_merge *m, size_t at)
{
	return (m->dead[at / 64] >> at % 64 & 1) != 0;
}

/*
 * If the last two tokens are the same and the text goes on with the same
 * bytes: that token, which goes with itself, as the two show; else NONE.
 */
static uint32_t
repeated(const struct ctx_vocab *v, const struct ctx_merge *m, const char *p,
    size_t n, size_t at)
{
	uint32_t token;
	size_t length;

	if (m->n < 2 || m->tokens[m->n - 1] != m->tokens[m->n - 2])
		return CTX_VOCAB_NONE;
	token = m->tokens[m->n - 1];
	length = ctx_vocab_length(v, token);
	return length <= n - at && !is_dead(m, at + length) &&
	    memcmp(p + at, p + at - length, length) == 0 ? token
							  : CTX_VOCAB_NONE;
}

/* The longest token that can stand at byte at, or NONE. */
static uint32_t
next_token(const struct ctx_vocab *v, const struct ctx_merge *m,
    const char *p, size_t n, size_t at)
{
	uint32_t token = ctx_vocab_longest(v, p + at, n - at);

	for (; token != CTX_VOCAB_NONE; token = v->shorter[token])
		if (!is_dead(m, at + ctx_vocab_length(v, token)) &&
		    (m->n == 0 || fits(v, m, m->tokens[m->n - 1], token)))
			break;
	return token;
}

#define AHEAD 40 /* bytes encoded alone */
#define TRUST 30 /* of which the tokens are taken up to here */

/*
 * Takes the tokens of the next bytes alone, except for those near the end;
 * 1, or 0 if that gave none, or -1.
 */
static int
take_ahead(const struct ctx_vocab *v, struct ctx_merge *m, const char *p,
    size_t *at, struct ctx_err *err)
{
	uint32_t tokens[AHEAD];
	size_t n = ctx_merge_pairs(v, p + *at, AHEAD, tokens), i, end = *at;
	size_t last = *at + TRUST, length;

	if (m->n > 0 && !fits(v, m, m->tokens[m->n - 1], tokens[0]))
		return 0;
	for (i = 0; i < n; i++) {
		length = ctx_vocab_length(v, tokens[i]);
		if (end + length > last || is_dead(m, end + length))
			break;
		if (push(m, tokens[i], err) < 0)
			return -1;
		end += length;
	}
	*at = end;
	return i > 0;
}

static int
prepare(struct ctx_merge *m, size_t n, struct ctx_err *err)
{
	uint64_t *grown;

	if (m->pairs == NULL) {
		m->pairs = malloc(sizeof *m->pairs << JUDGED_BITS);
		if (m->pairs == NULL)
			return ctx_err_nomem(err);
		memset(m->pairs, 0xff, sizeof *m->pairs << JUDGED_BITS);
	}
	grown = ctx_grow(m->dead, &m->dead_cap, n / 64 + 1, sizeof *grown,
	    err);
	if (grown == NULL)
		return -1;
	m->dead = grown;
	memset(m->dead, 0, (n / 64 + 1) * sizeof *m->dead);
	m->n = 0;
	return 0;
}

static int
merge_queue(const struct ctx_vocab *v, struct ctx_merge *m, const char *p,
    size_t n, struct ctx_err *err)
{
	uint32_t *grown = ctx_grow(m->tokens, &m->cap, n, sizeof *m->tokens,
	    err);

	if (grown == NULL)
		return -1;
	m->tokens = grown;
	m->n = ctx_merge_queue(v, p, n, m->tokens, err);
	return m->n > 0 ? 0 : -1;
}

int
ctx_merge_long(const struct ctx_vocab *v, struct ctx_merge *m, const char *p,
    size_t n, struct ctx_err *err)
{
	size_t at = 0, careful = 0, wait = 1;
	uint32_t token;
	int taken;

	if ((v->head->flags & CTX_VOCAB_DISORDER) != 0)
		return merge_queue(v, m, p, n, err);
	if (prepare(m, n, err) < 0)
		return -1;
	while (at < n) {
		token = repeated(v, m, p, n, at);
		if (token == CTX_VOCAB_NONE && careful == 0 &&
		    n - at >= AHEAD) {
			taken = take_ahead(v, m, p, &at, err);
			if (taken < 0)
				return -1;
			/* What fails once may fail again: runs of one
			 * character have tokens of more than TRUST bytes. */
			wait = taken > 0 ? 1 : wait < 64 ? wait * 2 : wait;
			careful = taken > 0 ? 0 : wait;
			continue;
		}
		careful -= careful > 0;
		if (token == CTX_VOCAB_NONE)
			token = next_token(v, m, p, n, at);
		if (token != CTX_VOCAB_NONE) {
			if (push(m, token, err) < 0)
				return -1;
			at += ctx_vocab_length(v, token);
			continue;
		}
		/* Every text has an encoding, so position 0 comes here only
		 * with tables that pack.c did not make. */
		if (m->n == 0)
			return ctx_err_set(err, CTX_EFILE,
			    "a vocabulary that contradicts itself");
		m->dead[at / 64] |= UINT64_C(1) << at % 64;
		at -= ctx_vocab_length(v, m->tokens[--m->n]);
		careful += 2;
	}
	return 0;
}

void
ctx_merge_release(struct ctx_merge *m)
{
	free(m->tokens);
	free(m->dead);
	free(m->pairs);
	memset(m, 0, sizeof *m);
}
