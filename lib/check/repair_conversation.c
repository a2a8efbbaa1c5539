/* repair_conversation.c - makes the edits that repair a conversation inside a
 * record */
#include <stdlib.h>

#include "check/repair.h"

/* Adds an edit that inserts the text in repair->out into the record, before the
 * byte at the address "at". */
static int
insert_output(struct ctx_repair *repair, const char *at, struct ctx_err *err)
{
	return ctx_edits_replace(&repair->rewrite->edits,
	    (struct ctx_str){at, 0}, repair->out.p, repair->out.n, err);
}

static int
insert_results(struct ctx_repair *repair, const struct ctx_json *json,
    struct ctx_repair_entry *entry, struct ctx_repair_entry *next,
    struct ctx_err *err)
{
	if (ctx_repair_results_after_next(entry, entry->has_unnamed, next))
		return ctx_repair_move_results(entry, next, err);
	repair->inner.changed = true;
	repair->out.n = 0;
	if (ctx_repair_results_in_next(entry, next)) {
		if (ctx_repair_append_results(&repair->out, entry, ",",
			next->nothing_after ? "" : ",", err) < 0)
			return -1;
		return insert_output(repair, json->text + next->results_at,
		    err);
	}
	if (ctx_buf_add(&repair->out, ",", 1, err) < 0 ||
	    ctx_repair_append_result_messages(&repair->out, entry, ",", err) <
		0)
		return -1;
	return insert_output(repair,
	    json->text + json->nodes[entry->held.node].end, err);
}

/* Adds an edit that inserts a user message into the record, before another
 * message of its conversation. */
static int
insert_leading_message(struct ctx_repair *repair, const struct ctx_json *json,
    const struct ctx_repair_entry *entry, struct ctx_err *err)
{
	repair->out.n = 0;
	if (ctx_buf_printf(&repair->out, err, "%s,",
		entry->held.dialect->lead) < 0)
		return -1;
	return insert_output(repair,
	    json->text + json->nodes[entry->held.node].at, err);
}

int
ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	struct ctx_held_queue *queue = &repair->rewrite->elements;
	uint32_t array = event->layout->messages, at;
	size_t n = ctx_json_count(json, array), i = 0, k = 0;
	bool *drop = calloc(n > 0 ? n : 1, sizeof *drop);
	int rc = 0;

	if (drop == NULL)
		return ctx_err_nomem(err);
	for (at = array + 1; at < json->nodes[array].next && rc == 0;
	     at = json->nodes[at].next, i++) {
		struct ctx_repair_entry *entry;

		/* Array elements that are not messages are not in the queue,
		 * and are skipped. */
		if (k == queue->end)
			break;
		entry = ctx_held_queue_at(queue, k);
		if (entry->held.node >= json->nodes[at].next)
			continue;
		drop[i] = entry->removed;
		entry->changed_from =
		    ctx_repair_pass_change(&repair->inner, entry);
		if (entry->lead_before && !entry->removed)
			rc = insert_leading_message(repair, json, entry, err);
		if (rc == 0 && ctx_repair_has_due_results(entry))
			rc = insert_results(repair, json, entry,
			    ctx_repair_find_shown(queue, entry), err);
		k++;
	}
	if (rc == 0)
		rc = ctx_edits_remove(&repair->rewrite->edits, json, array,
		    drop, err);
	free(drop);
	if (rc == 0)
		rc = ctx_repair_inner_reasoning(repair, err);
	ctx_held_queue_clear(queue);
	repair->run_known = false;
	return rc;
}
