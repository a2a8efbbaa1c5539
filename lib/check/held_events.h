/* held_events.h - events that are checked only after later ones were read */
#ifndef CTX_CHECK_HELD_EVENTS_H
#define CTX_CHECK_HELD_EVENTS_H

#include "stream/stream.h"

struct ctx_held_event {
	enum ctx_event_kind kind;
	struct ctx_record record;
	struct ctx_record_layout layout;
	char *text; /* owns the record's text; NULL: it is still being read */
	uint32_t node;
};

struct ctx_held_events {
	struct ctx_held_event *list;
	size_t n, cap;
	/* Of the event that was given last: */
	struct ctx_json json;
	struct ctx_message message;
};

/* Holds an event of the record being read, inside that record. */
int ctx_held_add_inner(struct ctx_held_events *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Holds an event about a whole record, whose text becomes the n bytes at text.
 * These are now owned by held, even after an error; NULL is an error with *err
 * already set. */
int ctx_held_add_record(struct ctx_held_events *held,
    const struct ctx_event *event, char *text, size_t n, struct ctx_err *err);
/* Sets *event to event number i, valid until the next call. */
int ctx_held_event(struct ctx_held_events *held, size_t i,
    struct ctx_event *event, struct ctx_err *err);
/* Frees the events. */
void ctx_held_clear(struct ctx_held_events *held);
void ctx_held_release(struct ctx_held_events *held);

#endif
