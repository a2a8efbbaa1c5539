/*
 * reclassify.c - what is held when a stream's dialect is found
 *
 * Messages of role and content tell nothing.  Until one tells they are taken
 * as generic ones, which know no place that a system message must keep, nor
 * in which form a summary can stand.
 */
#include <stdlib.h>

#include "prune/held_conversation.h"

/* Puts view on the message of a held record by the dialect told, if that
 * finds as much in it as its own did, for which it stays counted. */
static int
reread_message(struct held_conversation *conversation,
    struct held_message *held, const struct ctx_dialect *told,
    const struct ctx_json *json, struct ctx_message *message,
    struct ctx_cost *cost, struct ctx_err *err)
{
	size_t parts;
	int rc;

	if (ctx_dialect_read_message(held->dialect, json, 0, message, err) <
		0 ||
	    ctx_count_message(conversation->model_counter.counter, message,
		cost, err) < 0)
		return -1;
	parts = message->n;
	rc = ctx_dialect_read_message(told, json, 0, message, err);
	if (rc > 0 && message->n == parts)
		held->dialect = told;
	else if (rc >= 0)
		rc = ctx_dialect_read_message(held->dialect, json, 0, message,
		    err);
	return rc < 0 ? -1 : 0;
}

static int
reclassify_message(struct prune *p, struct held_conversation *conversation,
    struct held_message *held, const struct ctx_dialect *told,
    struct ctx_json *json, struct ctx_message *message, struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .message = message,
	    .cost = &cost};
	size_t used;

	if (held->dialect == NULL)
		return ctx_prune_hold_unknown(conversation, held, err);
	free(held->spared);
	held->spared = NULL;
	if (ctx_json_scan(json, held->text, held->n, &used, err) < 0 ||
	    reread_message(conversation, held, told, json, message, &cost,
		err) < 0)
		return -1;
	return ctx_prune_hold_message(p, conversation, held, &event, err);
}

int
ctx_prune_reclassify(struct prune *p, struct held_conversation *conversation,
    const struct ctx_dialect *told, struct ctx_err *err)
{
	struct ctx_message message = {0};
	struct ctx_json json;
	size_t i;
	int rc = 0;

	ctx_groups_reset(&conversation->groups);
	if (conversation->scorer != NULL)
		ctx_scorer_reset(conversation->scorer);
	conversation->notice_cost_dialect = conversation->notice_unsupported =
	    NULL;
	ctx_json_init(&json, p->counters->simd);
	for (i = 0; i < conversation->n && rc == 0; i++)
		rc = reclassify_message(p, conversation,
		    &conversation->messages[i], told, &json, &message, err);
	ctx_message_release(&message);
	ctx_json_release(&json);
	return rc;
}
