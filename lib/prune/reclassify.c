/*
 * reclassify.c - parses messages again when their dialect (format) becomes
 * known, or counts them again
 *
 * A message that has only a role and content may be of several dialects.  Such
 * a message is read in the dialect "generic" until a later message identifies
 * the real dialect.  As long as the dialect is "generic", ctx does not know
 * whether system messages must be kept, and how a summary is inserted.
 */
#include <stdlib.h>

#include "prune/held_conversation.h"

/* Parses a message in memory again, in the new dialect.  If the message would
 * have another number of blocks in the new dialect, it keeps its old dialect.
 * Sets *cost to the tokens of the message in the old dialect. */
static int
reread_entry(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_dialect *old = entry->held.dialect;
	struct ctx_message *message = &run->rewrite.message;
	size_t blocks;
	int rc;

	if (ctx_prune_reread(run, entry, err) < 0 ||
	    ctx_count_message(conversation->model_counter.counter, message,
		cost, err) < 0)
		return -1;
	blocks = message->n;
	entry->held.dialect = conversation->read_dialect;
	rc = ctx_prune_reread(run, entry, err);
	if (rc < 0 || (rc > 0 && message->n == blocks))
		return rc;
	entry->held.dialect = old;
	return ctx_prune_reread(run, entry, err);
}

static int
reclassify_entry(struct prune *run, struct held_conversation *conversation,
    size_t i, struct ctx_err *err)
{
	struct prune_entry *entry = ctx_prune_entry_at(conversation, i);
	struct ctx_cost cost = {0};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .message = &run->rewrite.message,
	    .cost = &cost,
	    .counted_by = conversation->model_counter.counter};

	if (entry->held.dialect == NULL)
		return ctx_prune_hold_unknown(run, conversation, i, err);
	free(entry->excluded_results);
	entry->excluded_results = NULL;
	if (reread_entry(run, conversation, entry, &cost, err) < 0)
		return -1;
	return ctx_prune_hold_message(run, conversation, entry, &event, err);
}

int
ctx_prune_reclassify(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err)
{
	ctx_groups_reset(&conversation->groups);
	ctx_scorer_reset(conversation->scorer);
	conversation->notice_cost_dialect = conversation->notice_unsupported =
	    NULL;
	for (size_t i = 0; i < conversation->entries->end; i++)
		if (reclassify_entry(run, conversation, i, err) < 0)
			return -1;
	return 0;
}

int
ctx_prune_recount(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct ctx_groups *groups = &conversation->groups;
	const uint64_t tokens = groups->tokens;
	struct prune_entry *entry;
	size_t first = 0, k;

	conversation->notice_cost_dialect = NULL;
	for (size_t i = 0; i < conversation->entries->end; i++) {
		entry = ctx_prune_entry_at(conversation, i);
		/* Unsigned: also right if the messages before have fewer
		 * tokens than they had. */
		for (k = first; k < first + entry->n_segments; k++)
			groups->segments[k].start += groups->tokens - tokens;
		if (entry->held.dialect != NULL && !entry->is_removed &&
		    entry->n_segments > 0 &&
		    ctx_prune_recount_message(run, conversation, entry, first,
			err) < 0)
			return -1;
		first += entry->n_segments;
	}
	return 0;
}
