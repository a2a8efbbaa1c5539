/* held_events.h - keeps events of a conversation in memory that are checked
 * later */
#ifndef CTX_CHECK_HELD_EVENTS_H
#define CTX_CHECK_HELD_EVENTS_H

#include "stream/stream.h"

struct ctx_held_event {
	enum ctx_event_kind kind;
	struct ctx_record record;
	struct ctx_record_layout layout;
	/* bytes of the event's record, owned; NULL: the record is still being
	 * read */
	char *text;
	uint32_t node;
};

struct ctx_held_events {
	struct ctx_held_event *list;
	size_t n, cap;
	/* Of the event that was given last: */
	struct ctx_json json;
	struct ctx_message message;
};

/* Stores an event of a conversation that is inside a record.  The record is
 * still being read. */
int ctx_held_add_inner(struct ctx_held_events *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Stores an event about a whole record, whose bytes are the n bytes at text.
 * held owns these from now on, even after an error.  If text is NULL, *err
 * says why, and the function returns -1. */
int ctx_held_add_record(struct ctx_held_events *held,
    const struct ctx_event *event, char *text, size_t n, struct ctx_err *err);
/* Sets *event to the stored event number i, valid until the next call. */
int ctx_held_event(struct ctx_held_events *held, size_t i,
    struct ctx_event *event, struct ctx_err *err);
/* Frees the events. */
void ctx_held_clear(struct ctx_held_events *held);
void ctx_held_release(struct ctx_held_events *held);

#endif
