/* scorer.c - calls the functions by which a strategy ranks messages by their
 * text */
#include <stdlib.h>

#include "prune/held_conversation.h"
#include "prune/plan.h"

int
ctx_scorer_open(struct ctx_scorer **scorer, const struct ctx_strategy *strategy,
    const struct ctx_scorer_options *options, struct ctx_err *err)
{
	*scorer = NULL;
	if (strategy->scorer == NULL)
		return 0;
	*scorer = calloc(1, strategy->scorer->size);
	if (*scorer == NULL)
		return ctx_err_nomem(err);
	(*scorer)->kind = strategy->scorer;
	(*scorer)->options = *options;
	return 0;
}

int
ctx_scorer_rank(struct ctx_scorer *scorer, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	return scorer->kind->rank(scorer, plan, err);
}

int
ctx_scorer_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err)
{
	*removed = (struct passages){NULL, 0};
	if (scorer == NULL || scorer->kind->find_removed == NULL)
		return 0;
	return scorer->kind->find_removed(scorer, segment, removed, err);
}

void
ctx_scorer_reset(struct ctx_scorer *scorer)
{
	if (scorer != NULL)
		scorer->kind->reset(scorer);
}

void
ctx_scorer_finish(struct ctx_scorer **scorer)
{
	if (*scorer == NULL)
		return;
	if ((*scorer)->kind->finish != NULL) {
		(*scorer)->kind->finish(*scorer);
		return;
	}
	ctx_scorer_close(*scorer);
	*scorer = NULL;
}

void
ctx_scorer_close(struct ctx_scorer *scorer)
{
	if (scorer == NULL)
		return;
	scorer->kind->release(scorer);
	free(scorer);
}
