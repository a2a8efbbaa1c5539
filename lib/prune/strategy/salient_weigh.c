/*
 * salient_weigh.c - weighs the names (paths, identifiers, ids and numbers) of a
 * conversation
 *
 * The fewer groups (messages kept or removed together) contain a name, the
 * higher is its weight.  The weight is multiplied by the factors below.  They
 * were fitted on 260 recorded sessions of coding agents: a logistic regression
 * of the names that later tool calls need showed which properties of a name
 * matter, and of several factors for each property, those were chosen that kept
 * most of the needed names (NOTES.md).
 */
#include <math.h>
#include <stdlib.h>

#include "prune/strategy/salient.h"

/* factor for a number (CTX_NAME_NUMBER) */
static const double NUMBER = 0.15;
/* factor for a name that the assistant wrote first (CTX_NAME_BY_ASSISTANT) */
static const double BY_ASSISTANT = 0.5;
/* factor for a name in more than FREQUENT_FROM groups: most of these names are
 * kept in some group in any case */
static const double FREQUENT = 0.5;
enum { FREQUENT_FROM = 3 };
/* Factor for a name in this number of pieces (passages of a few lines, or whole
 * texts), or more for the last number: the power 0.25 of the number. */
static const double repeated[] = {1, 1, 1.19, 1.32, 1.41};

struct salient_names
ctx_salient_names(const struct salient *s, size_t i)
{
	const struct salient_segment *segment = &s->segments[i];
	size_t n = segment[1].before - segment->before;
	size_t from = ctx_first_name(segment->pieces, segment->first);

	n = ctx_first_name(segment->pieces, segment->first + n) - from;
	return (
	    struct salient_names){n > 0 ? segment->pieces->names + from : NULL,
	    n};
}

/* Returns the number by which the weight of a name is multiplied. flags: the
 * flags of the name.  The name is in n_groups groups and n_pieces pieces. */
static double
find_factor(unsigned flags, double n_groups, size_t n_pieces)
{
	if (n_pieces >= CTX_LENGTH(repeated))
		n_pieces = CTX_LENGTH(repeated) - 1;
	return repeated[n_pieces] * (flags & CTX_NAME_NUMBER ? NUMBER : 1) *
	    (flags & CTX_NAME_BY_ASSISTANT ? BY_ASSISTANT : 1) *
	    (n_groups > FREQUENT_FROM ? FREQUENT : 1);
}

int
ctx_salient_weigh(const struct salient *s, size_t n_groups, double *weight,
    struct ctx_err *err)
{
	double logs[64], n;
	uint32_t *n_pieces = calloc(s->n_names + 1, sizeof *n_pieces);
	struct salient_names names;
	size_t i, k;

	if (n_pieces == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < s->input.n; i++)
		for (names = ctx_salient_names(s, i), k = 0; k < names.n; k++)
			n_pieces[names.list[k]]++;
	/* Most names are in few groups, so few logarithms are computed. */
	for (i = 0; i < CTX_LENGTH(logs); i++)
		logs[i] = log((double)n_groups / (double)i);
	for (i = 0; i < s->n_names; i++) {
		n = weight[i];
		weight[i] = n < CTX_LENGTH(logs) ? logs[(size_t)n]
						 : log((double)n_groups / n);
		weight[i] *= find_factor(s->table->flags[i], n, n_pieces[i]);
	}
	free(n_pieces);
	return 0;
}
