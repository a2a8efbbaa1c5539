/* conversation_tracker.h - stores what is known about the conversation that is
 * being read: its model, the names of its tools, the index of the message */
#ifndef CTX_STREAM_CONVERSATION_TRACKER_H
#define CTX_STREAM_CONVERSATION_TRACKER_H

#include "group/group.h"
#include "stream/stream.h"

/* The model, tools and tokens of the conversation that is being read.  The
 * caller sets the members "tools" and "tokens" to choose what is computed. */
struct conversation_tracker {
	/* true if tool names are computed */
	bool tools;
	/* true if the token counter is computed */
	bool tokens;
	struct ctx_model_counter model_counter; /* valid if tokens is true */
	struct ctx_groups groups;               /* valid if tools is true */
	/* true once the member "binds" is set */
	bool asked;
	/* How the provider of the conversation's model treats reasoning when
	 * anything before it was changed. */
	enum ctx_binding binds;
	/* true once a message of this conversation was changed */
	bool changed;
	uint64_t index; /* index of the current message, from 0 */
	/* Only ctx_truncate_message sets this: see ctx_bound_count. */
	uint64_t bound_end;
	uint64_t messages;
};

int ctx_tracker_init(struct conversation_tracker *tracker, bool tools,
    bool tokens, struct ctx_err *err);
void ctx_tracker_release(struct conversation_tracker *tracker);
/* Updates the tracker: resets it at the beginning of a conversation, counts the
 * messages, and finds the token counter if it is not known yet.  The caller
 * must call this before it does anything else with an event CTX_EVENT_BEGIN or
 * CTX_EVENT_MESSAGE. */
int ctx_tracker_enter(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets tracker->binds to how the provider of the conversation's model treats
 * reasoning when anything before it was changed.  Looks up the model only in
 * the first call for a conversation. */
int ctx_tracker_query(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets *tool to the tool name of block i of the event's message, which is a
 * tool call or tool result.  Sets *tool to an empty text if the name is not
 * known, or if tracker->tools is false. */
int ctx_tracker_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err);
/* Sets *tool to the tool name of the first tool call or tool result of the
 * event's message, or to an empty text if there is none. */
int ctx_tracker_first_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err);
/* Stores the ids and tool names of the message's tool calls, so that
 * ctx_tracker_tool finds the tool names of later tool results.  The caller must
 * call this after it has processed a message. */
int ctx_tracker_leave(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_err *err);

#endif
