/* conversation_tracker.h - keeps facts about the conversation that is being
 * read: model, tool names, index of the message */
#ifndef CTX_STREAM_CONVERSATION_TRACKER_H
#define CTX_STREAM_CONVERSATION_TRACKER_H

#include "group/group.h"
#include "stream/stream.h"

/* The members tools and tokens are set by the caller: they say whether tool
 * names and token counters are needed. */
struct conversation_tracker {
	bool tools;                             /* track tool names */
	bool tokens;                            /* track the token counter */
	struct ctx_model_counter model_counter; /* set if tokens is true */
	struct ctx_groups groups;               /* set if tools is true */
	bool asked;                             /* binds is valid */
	bool binds;     /* the model binds signed reasoning */
	bool changed;   /* true if a message of this conversation was changed */
	uint64_t index; /* index of the message, from 0 */
	uint64_t messages;
};

int ctx_tracker_init(struct conversation_tracker *tracker, bool tools,
    bool tokens, struct ctx_err *err);
void ctx_tracker_release(struct conversation_tracker *tracker);
/* Must be called for each event that begins a conversation, and for each
 * message before it is processed. */
int ctx_tracker_enter(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets tracker->binds: true if the model signs reasoning together with all
 * that is before it.  The model is looked up once for each conversation. */
int ctx_tracker_query(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets *tool to the name of the tool of block i, a tool call or result.  *tool
 * is empty if the name is not known, or if tracker->tools is false. */
int ctx_tracker_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err);
/* Sets *tool to the tool name of the first tool call or result of the message;
 * empty if the message has none. */
int ctx_tracker_first_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err);
/* Must be called for each message after it was processed. */
int ctx_tracker_leave(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_err *err);

#endif
