/*
 * merge.c - byte-pair encoding of one piece
 *
 * The definition: start with the tokens of the bytes; of all neighbours that
 * can merge, merge those with the lowest result, the leftmost first; stop
 * when none can.  ctx_merge_pairs does that to the letter.
 *
 * ctx_merge_long finds the same tokens from left to right.  A row of tokens
 * is an encoding if and only if each two neighbours in it are the encoding
 * of their own bytes (Berglund and van der Merwe, "Formalizing BPE
 * Tokenization", 2023), and every beginning of a piece has exactly one
 * encoding.  So it takes the longest token that goes with the one before
 * it, and where that leads to an end it takes the token back and tries the
 * next shorter; an end that led nowhere once is never tried again, which
 * keeps the time linear.  The method is that of the Rust crate bpe by
 * A. Neubeck and H. van Antwerpen.
 */
#include <stdlib.h>

#include "token/merge.h"

/* Takes out element i of n. */
static void
close_gap(uint32_t *list, size_t i, size_t n)
{
	for (; i + 1 < n; i++)
		list[i] = list[i + 1];
}

size_t
ctx_merge_pairs(const struct ctx_vocab *v, const char *p, size_t n,
    uint32_t *out)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t merged[CTX_MERGE_MAX]; /* what out[i] and out[i + 1] give */
	uint32_t best;
	size_t i, at;

	for (i = 0; i < n; i++)
		out[i] = v->leaves[s[i]];
	for (i = 0; i + 1 < n; i++)
		merged[i] = v->digrams[(size_t)s[i] << 8 | s[i + 1]];
	while (n > 1) {
		best = CTX_VOCAB_NONE;
		at = 0;
		for (i = 0; i + 1 < n; i++) {
			at = merged[i] < best ? i : at;
			best = merged[i] < best ? merged[i] : best;
		}
		if (best == CTX_VOCAB_NONE)
			break;
		out[at] = best;
		close_gap(out, at + 1, n);
		close_gap(merged, at, n - 1);
		n--;
		if (at > 0)
			merged[at - 1] =
			    ctx_vocab_pair(v, out[at - 1], out[at]);
		if (at + 1 < n)
			merged[at] = ctx_vocab_pair(v, out[at], out[at + 1]);
	}
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
	uint32_t part;

	for (;;) {
		if (ctx_vocab_pair(v, a, b) < limit)
			return false;
		if (a > b) {
			/* Of equal merges the left one comes first. */
			part = v->parents[2 * (size_t)a + 1];
			if (part != a) {
				limit = a;
				a = part;
				continue;
			}
			part = v->parents[2 * (size_t)b];
			if (part == b)
				return true;
			limit = b + 1;
			b = part;
		} else {
			part = v->parents[2 * (size_t)b];
			if (part != b) {
				limit = b + 1;
				b = part;
				continue;
			}
			part = v->parents[2 * (size_t)a + 1];
			if (part == a)
				return true;
			limit = a;
			a = part;
		}
	}
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

/* The longest of token and its beginnings that can follow here, or NONE. */
static uint32_t
fitting(const struct ctx_vocab *v, const struct ctx_merge *m, size_t at,
    uint32_t token)
{
	size_t end;

	for (; token != CTX_VOCAB_NONE; token = v->shorter[token]) {
		end = at + ctx_vocab_length(v, token);
		if ((m->dead[end / 64] >> end % 64 & 1) == 0 &&
		    (m->n == 0 ||
		    compatible(v, m->tokens[m->n - 1], token)))
			break;
	}
	return token;
}

int
ctx_merge_long(const struct ctx_vocab *v, struct ctx_merge *m, const char *p,
    size_t n, struct ctx_err *err)
{
	uint64_t *grown;
	uint32_t token;
	size_t at = 0;

	grown = ctx_grow(m->dead, &m->dead_cap, n / 64 + 1, sizeof *grown,
	    err);
	if (grown == NULL)
		return -1;
	m->dead = grown;
	memset(m->dead, 0, (n / 64 + 1) * sizeof *m->dead);
	m->n = 0;
	token = ctx_vocab_longest(v, p, n);
	for (;;) {
		token = fitting(v, m, at, token);
		if (token == CTX_VOCAB_NONE) {
			/* Position 0 never comes here: every text has an
			 * encoding, and its first token is tried. */
			m->dead[at / 64] |= UINT64_C(1) << at % 64;
			token = m->tokens[--m->n];
			at -= ctx_vocab_length(v, token);
			token = v->shorter[token];
			continue;
		}
		if (push(m, token, err) < 0)
			return -1;
		at += ctx_vocab_length(v, token);
		if (at == n)
			return 0;
		token = ctx_vocab_longest(v, p + at, n - at);
	}
}

void
ctx_merge_release(struct ctx_merge *m)
{
	free(m->tokens);
	free(m->dead);
	memset(m, 0, sizeof *m);
}
