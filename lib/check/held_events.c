/* held_events.c - keeps the events of a conversation in memory, so that they
 * can be checked later */
#include "check/held_events.h"

struct ctx_held_event *
ctx_held_event_add(struct ctx_held_queue *queue, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_event *one = ctx_held_queue_add(queue, event, err);

	if (one == NULL)
		return NULL;
	one->kind = event->kind;
	one->record = *event->record;
	one->layout = *event->layout;
	return one;
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
	if (held->text != NULL)
		one->record.text = (struct ctx_str){held->text, held->n};
	if (held->dialect == NULL)
		return 0;
	if (ctx_rewrite_reread(rewrite, held, err) < 0)
		return -1;
	one->record.json = rewrite->message.json;
	event->message = &rewrite->message;
	return 0;
}
