/* conversation_tracker.h - facts about the conversation being read */
#ifndef CTX_STREAM_CONVERSATION_TRACKER_H
#define CTX_STREAM_CONVERSATION_TRACKER_H

#include "group/group.h"
#include "stream/stream.h"

/* tools and tokens select what is tracked. */
struct conversation_tracker {
	bool tools;                             /* track tool names */
	bool tokens;                            /* track the token counter */
	struct ctx_model_counter model_counter; /* set if tokens is true */
	struct ctx_groups groups;               /* set if tools is true */
	bool asked;                             /* binds is valid */
	bool binds;     /* the model binds signed reasoning */
	bool changed;   /* a message of the conversation was changed */
	uint64_t index; /* index of the message, from 0 */
	uint64_t messages;
};

int ctx_tracker_init(struct conversation_tracker *tracker, bool tools,
    bool tokens, struct ctx_err *err);
void ctx_tracker_release(struct conversation_tracker *tracker);
/* Must be called for a BEGIN event, and for each message before it is
 * processed. */
int ctx_tracker_enter(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets tracker->binds; looks the model up once per conversation. */
int ctx_tracker_query(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err);
/* Sets *tool to the tool name of block i, a call or result; empty if it is not
 * known or tools is false. */
int ctx_tracker_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err);
/* Sets *tool to the tool name of the message's first call or result; empty if
 * there is none. */
int ctx_tracker_first_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err);
/* Must be called after the message has been processed. */
int ctx_tracker_leave(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_err *err);

#endif
