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
read_again(struct held_conversation *convo, struct held_message *entry,
    const struct ctx_dialect *told, const struct ctx_json *json,
    struct ctx_message *view, struct ctx_cost *cost, struct ctx_err *err)
{
	size_t parts;
	int rc;

	if (entry->dialect->read(json, 0, view, err) < 0 ||
	    ctx_count_message(convo->measure.counter, entry->dialect, view,
		cost, err) < 0)
		return -1;
	parts = view->n;
	rc = told->read(json, 0, view, err);
	if (rc > 0 && view->n == parts)
		entry->dialect = told;
	else if (rc >= 0)
		rc = entry->dialect->read(json, 0, view, err);
	return rc < 0 ? -1 : 0;
}

static int
take_again(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, const struct ctx_dialect *told,
    struct ctx_json *json, struct ctx_message *view, struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .view = view,
	    .cost = &cost};
	size_t used;

	if (entry->dialect == NULL)
		return ctx_prune_hold_unknown(convo, entry, err);
	free(entry->spared);
	entry->spared = NULL;
	if (ctx_json_scan(json, entry->text, entry->n, &used, err) < 0 ||
	    read_again(convo, entry, told, json, view, &cost, err) < 0)
		return -1;
	return ctx_prune_hold_message(p, convo, entry, &event, err);
}

int
ctx_prune_reclassify(struct prune *p, struct held_conversation *convo,
    const struct ctx_dialect *told, struct ctx_err *err)
{
	struct ctx_message view = {0};
	struct ctx_json json;
	size_t i;
	int rc = 0;

	ctx_groups_reset(&convo->groups);
	if (convo->scorer != NULL)
		ctx_scorer_reset(convo->scorer);
	convo->priced = convo->unnoted = NULL;
	ctx_json_init(&json, p->meter->simd);
	for (i = 0; i < convo->n && rc == 0; i++)
		rc = take_again(p, convo, &convo->entries[i], told, &json,
		    &view, err);
	ctx_message_release(&view);
	ctx_json_release(&json);
	return rc;
}
