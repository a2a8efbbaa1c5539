/* held_events.c - keeps events of a conversation in memory that are checked
 * later */
#include <stdlib.h>
#include <string.h>

#include "check/held_events.h"

static struct ctx_held_event *
append_held_event(struct ctx_held_events *held, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_event *list, *one;

	list = ctx_grow(held->list, &held->cap, held->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	held->list = list;
	one = &list[held->n++];
	*one = (struct ctx_held_event){.kind = event->kind,
	    .record = *event->record,
	    .layout = *event->layout,
	    .node = event->node};
	return one;
}

int
ctx_held_add_inner(struct ctx_held_events *held, const struct ctx_event *event,
    struct ctx_err *err)
{
	return append_held_event(held, event, err) == NULL ? -1 : 0;
}

int
ctx_held_add_record(struct ctx_held_events *held, const struct ctx_event *event,
    char *text, size_t n, struct ctx_err *err)
{
	struct ctx_str was = event->record->text, *value;
	struct ctx_held_event *one =
	    text != NULL ? append_held_event(held, event, err) : NULL;

	if (one == NULL) {
		free(text);
		return -1;
	}
	one->text = text;
	one->record.text = (struct ctx_str){text, n};
	value = &one->record.value;
	if (event->kind == CTX_EVENT_MESSAGE)
		value->p = text + (value->p - was.p);
	return 0;
}

int
ctx_held_event(struct ctx_held_events *held, size_t i, struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_event *one = &held->list[i];
	struct ctx_str value = one->record.value;
	size_t used;

	*event = (struct ctx_event){.kind = one->kind,
	    .record = &one->record,
	    .layout = &one->layout,
	    .node = one->node,
	    .inside = one->text == NULL};
	if (one->kind != CTX_EVENT_MESSAGE)
		return 0;
	if (one->text != NULL) {
		one->record.json = &held->json;
		if (ctx_json_scan(&held->json, value.p, value.n, &used, err) <=
		    0)
			return -1;
	}
	event->message = &held->message;
	return ctx_dialect_read_message(one->layout.dialect, one->record.json,
		   one->node, &held->message, err) < 0
	    ? -1
	    : 0;
}

void
ctx_held_clear(struct ctx_held_events *held)
{
	while (held->n > 0)
		free(held->list[--held->n].text);
}

void
ctx_held_release(struct ctx_held_events *held)
{
	ctx_held_clear(held);
	free(held->list);
	ctx_json_release(&held->json);
	ctx_message_release(&held->message);
}
