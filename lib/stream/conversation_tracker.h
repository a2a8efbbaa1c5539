/* conversation_tracker.h - keeps what is known of the conversation that is
 * being read: model, tool names, index of the message */
#ifndef CTX_STREAM_CONVERSATION_TRACKER_H
#define CTX_STREAM_CONVERSATION_TRACKER_H

#include "group/group.h"
#include "stream/stream.h"

/* Data about the conversation that is being read.  The caller sets the members
 * "tools" and "tokens", which say what else is computed. */
struct conversation_tracker {
	/* true if tool names are needed */
	bool tools;
	/* true if the token counter is needed */
	bool tokens;
	struct ctx_model_counter model_counter; /* valid if tokens is true */
	struct ctx_groups groups;               /* valid if tools is true */
	bool asked;                             /* true once binds is set */
	/* true if the provider refuses signed reasoning of the model if
	 * anything before it was changed */
	bool binds;
	/* true once a message of the conversation was changed */
	bool changed;
	uint64_t index; /* index of the current message, from 0 */
	uint64_t messages;
};

int ctx_tracker_init(struct conversation_tracker *tracker, bool tools,
    bool tokens, struct ctx_err *err);
void ctx_tracker_release(struct conversation_tracker *tracker);
/* Must be called first for each event CTX_EVENT_BEGIN and CTX_EVENT_MESSAGE:
 * resets the tracker at the beginning of a conversation, counts the message,
 * and finds the token counter. */
int ctx_tracker_enter(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets tracker->binds: true if the provider refuses signed reasoning of the
 * conversation's model if anything before it was changed.  The model is looked
 * up once per conversation. */
int ctx_tracker_query(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets *tool to the tool name of block i, a tool call or tool result.  *tool
 * is empty if the name is not known, or if tracker->tools is false. */
int ctx_tracker_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err);
/* Sets *tool to the tool name of the message's first tool call or tool result;
 * it is empty if there is none. */
int ctx_tracker_first_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err);
/* Must be called when a message was processed: records its tool calls, so that
 * ctx_tracker_tool finds the tool names of later tool results. */
int ctx_tracker_leave(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_err *err);

#endif
