/* strategy.c - the table of the strategies of ctx-prune; the first strategy is
 * the default */
#include <string.h>

#include "prune/plan.h"

static const struct ctx_strategy strategies[] = {
    {
	.name = "salient",
	.about = "keeps the groups that name the most rare things",
	.decide = ctx_ranked_decide,
	.has_steps = true,
	.pins_system = true,
	.has_budget = true,
	.needs_all = true,
	.cuts_results = true,
	.truncates_texts = true,
	.ranks_user_messages = true,
	.refills = true,
	.scorer = &ctx_salient_kind,
	.reasons = ctx_salient_reasons,
	.n_reasons = sizeof ctx_salient_reasons / sizeof ctx_salient_reasons[0],
    },
    {
	.name = "pinned-fifo",
	.about = "removes the oldest groups, keeps system messages",
	.decide = ctx_fifo_decide,
	.has_steps = true,
	.pins_system = true,
	.has_budget = true,
    },
    {
	.name = "fifo",
	.about = "removes the oldest groups",
	.decide = ctx_fifo_decide,
	.has_steps = true,
	.has_budget = true,
    },
    {
	.name = "window",
	.about = "keeps the last turns, whatever they cost",
	.decide = ctx_window_decide,
	.pins_system = true,
    },
    {
	.name = "middle-out",
	.about = "keeps the first messages, and the newest that fit",
	.decide = ctx_fifo_decide,
	.has_steps = true,
	.pins_system = true,
	.pins_first = true,
	.has_budget = true,
    },
    {
	.name = "summarize",
	.about = "replaces what it removes by one summary message",
	.decide = ctx_summarize_decide,
	.pins_system = true,
	.has_budget = true,
	.needs_all = true,
	.refills = true,
	.summarizes = true,
    },
    {
	.name = "heuristic",
	.about = "removes first what says least",
	.decide = ctx_ranked_decide,
	.has_steps = true,
	.pins_system = true,
	.has_budget = true,
	.needs_all = true,
	.clears_results = true,
	.cuts_results = true,
	.truncates_texts = true,
	.ranks_user_messages = true,
	.refills = true,
	.scorer = &ctx_heuristic_kind,
	.reasons = ctx_heuristic_reasons,
	.n_reasons =
	    sizeof ctx_heuristic_reasons / sizeof ctx_heuristic_reasons[0],
    },
    {
	.name = "recall",
	.about = "keeps the newest, and what is nearest to the question",
	.decide = ctx_recall_decide,
	.pins_system = true,
	.has_budget = true,
	.needs_all = true,
	.ranks_user_messages = true,
	.splits_turns = true,
	.truncates_texts = true,
	.refills = true,
	.embeds = true,
	.scorer = &ctx_recall_kind,
    },
};

const struct ctx_strategy *
ctx_strategy_at(size_t i)
{
	return i < sizeof strategies / sizeof strategies[0] ? &strategies[i]
							    : NULL;
}

const struct ctx_strategy *
ctx_strategy_find(const char *name)
{
	const struct ctx_strategy *row;

	for (size_t i = 0; (row = ctx_strategy_at(i)) != NULL; i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

const char *
ctx_strategy_reason(const struct ctx_strategy *strategy, double rank)
{
	const size_t n = strategy->n_reasons;

	/* This condition is also true for a NaN, so a NaN is never converted to
	 * an index. */
	if (n == 0 || !(rank >= 0))
		return strategy->name;
	return strategy->reasons[rank < (double)n ? (size_t)rank : n - 1];
}
