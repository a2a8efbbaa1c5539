/* held_events.c - keeps the events of a conversation in memory, so that they
 * can be checked later */
#include "check/held_events.h"

const struct ctx_held_queue ctx_held_events = {
    .entry_size = sizeof(struct ctx_held_event),
};

int
ctx_held_event_add(struct ctx_rewrite *rewrite, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_event *one = event->inside
	    ? ctx_held_queue_add(&rewrite->elements, event, err)
	    : ctx_rewrite_hold_record(rewrite, event, err);

	if (one == NULL)
		return -1;
	one->kind = event->kind;
	one->record = *event->record;
	one->layout = *event->layout;
	return 0;
}

int
ctx_held_event_read(struct ctx_rewrite *rewrite, struct ctx_held_event *one,
    struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_held_message *held = &one->held;

	*event = (struct ctx_event){.kind = one->kind,
	    .record = &one->record,
	    .layout = &one->layout,
	    .node = held->node,
	    .inside = held->text == NULL};
	if (held->text != NULL) {
		one->record.text = (struct ctx_str){held->text, held->n};
		rewrite->record = &one->record;
	}
	if (held->dialect == NULL)
		return 0;
	if (ctx_rewrite_reread(rewrite, held, err) < 0)
		return -1;
	one->record.json = rewrite->message.json;
	event->message = &rewrite->message;
	return 0;
}
