/*
 * reclassify.c - parses messages again once their dialect (format) is known
 *
 * A message with only role and content could be of several dialects.  Until a
 * later message identifies the dialect, it is read as "generic".  In generic
 * messages ctx does not know whether system messages must be kept, nor how a
 * summary is inserted.
 */
#include <stdlib.h>

#include "prune/held_conversation.h"

/* Parses a message in memory again in the new dialect.  If this finds a
 * different number of blocks than before, the message keeps its old dialect.
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
    struct prune_entry *entry, struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .message = &run->rewrite.message,
	    .cost = &cost};

	if (entry->held.dialect == NULL)
		return ctx_prune_hold_unknown(conversation, entry, err);
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
	size_t i;

	ctx_groups_reset(&conversation->groups);
	if (conversation->scorer != NULL)
		ctx_scorer_reset(conversation->scorer);
	conversation->notice_cost_dialect = conversation->notice_unsupported =
	    NULL;
	for (i = 0; i < conversation->entries->end; i++)
		if (reclassify_entry(run, conversation,
			ctx_prune_entry_at(conversation, i), err) < 0)
			return -1;
	return 0;
}
