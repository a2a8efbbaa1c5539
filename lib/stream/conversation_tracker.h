/* conversation_tracker.h - what is known of a conversation while it passes */
#ifndef CTX_STREAM_CONVERSATION_TRACKER_H
#define CTX_STREAM_CONVERSATION_TRACKER_H

#include "group/group.h"
#include "stream/stream.h"

/* The first two rows say what is asked for. */
struct conversation_tracker {
	bool tools;                             /* the names of tools */
	bool tokens;                            /* what they cost */
	struct ctx_model_counter model_counter; /* if tokens */
	struct ctx_groups groups;               /* if tools */
	bool asked;                             /* binds is known */
	bool binds;     /* the model binds signed reasoning */
	bool changed;   /* a message of the conversation was changed */
	uint64_t index; /* number of the message, from 0 */
	uint64_t messages;
};

int ctx_tracker_init(struct conversation_tracker *tracker, bool tools,
    bool tokens, struct ctx_err *err);
void ctx_tracker_release(struct conversation_tracker *tracker);
/* For events that begin a conversation, and before a message is looked at. */
int ctx_tracker_enter(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Asks, once for a conversation, whether its model binds signed reasoning. */
int ctx_tracker_query(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets *tool to the tool of part i, a call or result; empty if it is not
 * known, or not asked for. */
int ctx_tracker_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err);
/* The same for the first call or result of the message. */
int ctx_tracker_first_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err);
/* The message has been looked at. */
int ctx_tracker_leave(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_err *err);

#endif
