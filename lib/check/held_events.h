/* held_events.h - keeps the events of a conversation in memory, so that they
 * can be checked later */
#ifndef CTX_CHECK_HELD_EVENTS_H
#define CTX_CHECK_HELD_EVENTS_H

#include "stream/rewrite.h"

/* An event of lib/stream that is kept in memory.  An event says that something
 * was read: a message, another element of a conversation inside a record, or a
 * whole record. */
struct ctx_held_event {
	/* the event's message or, if the event has no message, its record */
	struct ctx_held_message held;
	enum ctx_event_kind kind;
	struct ctx_record record;
	struct ctx_record_layout layout;
};

/* An empty queue whose elements have the type struct ctx_held_event. */
extern const struct ctx_held_queue ctx_held_events;
/* Appends an event to the queue of its conversation in *rewrite.  If the event
 * is a record, first applies rewrite->edits to the record. */
int ctx_held_event_add(struct ctx_rewrite *rewrite,
    const struct ctx_event *event, struct ctx_err *err);
/* Sets *event to the event that was kept in memory as *one. *event is valid
 * until the next call of this function.  If the event is a record, this record
 * becomes the record that is being read. */
int ctx_held_event_read(struct ctx_rewrite *rewrite, struct ctx_held_event *one,
    struct ctx_event *event, struct ctx_err *err);

#endif
