/*
 * bpe_heap.c - byte-pair encoding with a heap, for vocabularies whose merges
 * are not in order
 *
 * ctx_bpe_long requires that each token has a higher number than the two tokens
 * that are merged to it.  In some vocabulary files, a token has a lower number
 * than one of its parts.  Such a token is made as soon as its parts exist,
 * between merges with higher numbers.  For vocabulary files with such tokens,
 * this code makes the merges one by one, by the definition in bpe.c.  The heap
 * contains the pairs of tokens that can merge.  The pair whose result has the
 * lowest number is on top; if several pairs have this result, the leftmost of
 * them.
 */
#include <stdlib.h>

#include "tokenizer/encode/bpe.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define END UINT32_MAX

struct merge_heap {
	const struct ctx_vocab *v;
	/* the index in these arrays is the offset of a token's first byte */
	uint32_t *tokens, *next, *before;
	struct pending_merge {
		uint32_t merged, at;
	} * heap;
	size_t n;
};

static bool
is_earlier_merge(struct pending_merge a, struct pending_merge b)
{
	return a.merged != b.merged ? a.merged < b.merged : a.at < b.at;
}

/* Adds the pair of the token at the offset "at" and the next token to the heap,
 * if the two can merge.  The heap has room for three pairs per byte: the pair
 * at the beginning, and two new pairs for each merge. */
static void
push_pair(struct merge_heap *q, uint32_t at)
{
	struct pending_merge new = {CTX_VOCAB_NONE, at};
	size_t i, up;

	if (at != END && q->next[at] != END)
		new.merged =
		    ctx_vocab_pair(q->v, q->tokens[at], q->tokens[q->next[at]]);
	if (new.merged >= q->v->end)
		return;
	for (i = q->n++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!is_earlier_merge(new, q->heap[up]))
			break;
		q->heap[i] = q->heap[up];
	}
	q->heap[i] = new;
}

static struct pending_merge
pop_pair(struct merge_heap *q)
{
	struct pending_merge first = q->heap[0], last = q->heap[--q->n];
	size_t i = 0, down;

	for (;; i = down) {
		down = 2 * i + 1;
		if (down >= q->n)
			break;
		if (down + 1 < q->n &&
		    is_earlier_merge(q->heap[down + 1], q->heap[down]))
			down++;
		if (!is_earlier_merge(q->heap[down], last))
			break;
		q->heap[i] = q->heap[down];
	}
	q->heap[i] = last;
	return first;
}

/* Makes a merge that was taken from the heap.  Does nothing if one of its two
 * tokens was already merged with another token. */
static void
apply_merge(struct merge_heap *q, struct pending_merge w)
{
	uint32_t right =
	    q->tokens[w.at] == CTX_VOCAB_NONE ? END : q->next[w.at];

	if (right == END ||
	    ctx_vocab_pair(q->v, q->tokens[w.at], q->tokens[right]) != w.merged)
		return;
	q->tokens[w.at] = w.merged;
	q->tokens[right] = CTX_VOCAB_NONE;
	q->next[w.at] = q->next[right];
	if (q->next[right] != END)
		q->before[q->next[right]] = w.at;
	push_pair(q, w.at);
	push_pair(q, q->before[w.at]);
}

/* Sets the tokens of the single bytes or characters with which merging begins;
 * n is at least 1. */
static void
list_symbols(struct merge_heap *q, const char *p, uint32_t n)
{
	uint32_t at, before = END;
	size_t length;

	for (at = 0; at < n; at += (uint32_t)length) {
		q->tokens[at] = ctx_vocab_first(q->v, p + at, n - at, &length);
		q->next[at] = at + length < n ? at + (uint32_t)length : END;
		q->before[at] = before;
		before = at;
	}
}

size_t
ctx_bpe_queue(const struct ctx_vocab *v, const char *p, size_t n, uint32_t *out,
    struct ctx_err *err)
{
	struct merge_heap q = {.v = v};
	uint32_t i;
	size_t count = 0;

	if (n >= END / 3) {
		(void)ctx_err_nomem(err);
		return 0;
	}
	q.tokens = malloc(3 * n * sizeof *q.tokens);
	q.heap = malloc(3 * n * sizeof *q.heap);
	if (q.tokens == NULL || q.heap == NULL) {
		free(q.tokens);
		free(q.heap);
		(void)ctx_err_nomem(err);
		return 0;
	}
	q.next = q.tokens + n;
	q.before = q.next + n;
	list_symbols(&q, p, (uint32_t)n);
	for (i = 0; i != END; i = q.next[i])
		push_pair(&q, i);
	while (q.n > 0)
		apply_merge(&q, pop_pair(&q));
	for (i = 0; i != END; i = q.next[i])
		out[count++] = q.tokens[i];
	free(q.tokens);
	free(q.heap);
	return count;
}
