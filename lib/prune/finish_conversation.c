/* finish_conversation.c - decides what is removed from a conversation after all
 * its messages were read */
#include <string.h>

#include "prune/held_conversation.h"

/* Returns the number of summaries and notices (texts about removed messages)
 * that were inserted as separate messages, not as blocks of other messages. */
static uint64_t
count_inserted_messages(const struct held_conversation *conversation)
{
	uint64_t n = 0;

	for (size_t i = 0; i < conversation->entries->end; i++)
		n += ctx_insertion_is_before(conversation,
		    ctx_prune_entry_at(conversation, i));
	return n;
}

static int
report_outcome(struct prune *run, struct held_conversation *conversation,
    const struct ctx_err *trouble, bool refused, struct ctx_err *err)
{
	struct ctx_prune_outcome outcome = {0};

	if (run->options->ended == NULL)
		return 0;
	outcome.file = conversation->file;
	outcome.line = conversation->line;
	outcome.before = conversation->groups.tokens + conversation->plan.fixed;
	outcome.after = conversation->plan.after;
	outcome.messages = conversation->groups.messages;
	outcome.messages_removed = conversation->n_removed;
	outcome.messages_kept = outcome.messages - outcome.messages_removed +
	    count_inserted_messages(conversation);
	if (outcome.messages_removed > 0)
		outcome.notice_unsupported = conversation->notice_unsupported;
	outcome.settings = &conversation->plan.settings;
	outcome.plan = &conversation->plan;
	outcome.over = outcome.after > outcome.settings->budget;
	outcome.breaks_signed_reasoning =
	    trouble == NULL && ctx_plan_leaves_bound(&conversation->plan);
	outcome.refused = refused;
	outcome.error = trouble;
	return run->options->ended(run->options->user, &outcome, err);
}

/* Computes the rank of each segment (message or part of one).  Segments with
 * the lowest rank are removed first.  Does nothing if the conversation need not
 * be pruned, or if its strategy does not rank segments by their text. */
static int
rank_if_due(struct held_conversation *conversation, struct ctx_err *err)
{
	if (!ctx_plan_due(&conversation->plan))
		return 0;
	if (ctx_plan_survey(&conversation->plan, err) < 0)
		return -1;
	return ctx_scorer_rank(conversation->scorer, &conversation->plan, err);
}

/* Cancels all planned changes: clears the marks of all segments, and removes
 * all summaries and notices from the plan. */
static void
undo_plan(struct held_conversation *conversation)
{
	memset(conversation->plan.marks, 0, conversation->groups.n);
	conversation->plan.bound_from = UINT64_MAX;
	for (size_t i = 0; i < conversation->entries->end; i++)
		ctx_prune_entry_at(conversation, i)->insertion_number = 0;
	conversation->n_insertions = 0;
	ctx_plan_total(&conversation->plan);
}

/* Marks bound reasoning for removal after the first inserted summary or notice.
 * Bound reasoning is reasoning that the provider does not take if anything
 * before it was changed. */
static void
bind_insertions(struct held_conversation *conversation)
{
	size_t first = 0;

	for (size_t i = 0; i < conversation->entries->end;
	     first += ctx_prune_entry_at(conversation, i)->n_segments, i++)
		if (ctx_prune_entry_at(conversation, i)->insertion_number !=
		    0) {
			ctx_plan_bind(&conversation->plan,
			    conversation->groups.segments[first].message);
			return;
		}
}

int
ctx_prune_plan_summary(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err)
{
	if (!conversation->plan.settings.strategy->summarizes)
		return 0;
	if (ctx_prune_summarize(run, conversation, err) < 0) {
		undo_plan(conversation);
		return -1;
	}
	/* The summary may be inserted before all other changes.  The bound
	 * reasoning between the summary and the first other change must then be
	 * removed, too. */
	bind_insertions(conversation);
	return 0;
}

int
ctx_prune_finish_conversation(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err)
{
	struct ctx_err trouble;
	bool failed = conversation->scorer != NULL &&
	    rank_if_due(conversation, &trouble) < 0;
	bool refused;

	if (failed && trouble.code == CTX_ENOMEM) {
		*err = trouble;
		return -1;
	}
	/* After the stream's conversation (in which each message is a line) no
	 * other conversation needs the scorer. */
	if (conversation->line == 0)
		ctx_scorer_finish(&conversation->scorer);
	if (ctx_prune_count_passages(run, conversation, err) < 0 ||
	    ctx_plan_decide(&conversation->plan, true, err) < 0)
		return -1;
	if (ctx_prune_plan_summary(run, conversation, &trouble) < 0) {
		if (trouble.code == CTX_ENOMEM) {
			*err = trouble;
			return -1;
		}
		failed = true;
	}
	refused = !failed &&
	    conversation->plan.settings.reasoning == CTX_REASONING_FAIL &&
	    ctx_plan_leaves_bound(&conversation->plan);
	if (failed || refused)
		undo_plan(conversation);
	else if (ctx_insertions_add_notices(run, conversation, err) < 0)
		return -1;
	bind_insertions(conversation);
	if (ctx_prune_apply_plan(run, conversation, true, err) < 0 ||
	    ctx_prune_report_lines(run, conversation, err) < 0)
		return -1;
	if (ctx_report_sync(&run->options->report, err) < 0)
		return -1;
	return report_outcome(run, conversation, failed ? &trouble : NULL,
	    refused, err);
}
