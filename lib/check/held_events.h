/* held_events.h - keeps the events of a conversation in memory, to check them
 * later */
#ifndef CTX_CHECK_HELD_EVENTS_H
#define CTX_CHECK_HELD_EVENTS_H

#include "stream/rewrite.h"

/* An event in memory.  It is a message or another element of a conversation
 * inside a record, or a whole record. */
struct ctx_held_event {
	/* The event's message in memory or, if the event has no message, its
	 * record. */
	struct ctx_held_message held;
	enum ctx_event_kind kind;
	struct ctx_record record;
	struct ctx_record_layout layout;
};

/* Appends an event to a queue whose entries are structs ctx_held_event.
 * Returns the new entry, or NULL with *err. */
struct ctx_held_event *ctx_held_event_add(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Sets *event to an event that was kept in memory.  *event is valid until this
 * function is called again. */
int ctx_held_event_read(struct ctx_rewrite *rewrite, struct ctx_held_event *one,
    struct ctx_event *event, struct ctx_err *err);

#endif
