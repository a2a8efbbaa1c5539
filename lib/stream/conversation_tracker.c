/* conversation_tracker.c - stores what is known about the conversation that is
 * being read: its model, the names of its tools, the index of the message */
#include "stream/conversation_tracker.h"

int
ctx_tracker_init(struct conversation_tracker *tracker, bool tools, bool tokens,
    struct ctx_err *err)
{
	*tracker =
	    (struct conversation_tracker){.tools = tools, .tokens = tokens};
	return tools ? ctx_groups_init(&tracker->groups, err) : 0;
}

void
ctx_tracker_release(struct conversation_tracker *tracker)
{
	if (tracker->tools)
		ctx_groups_release(&tracker->groups);
}

/* Sets tracker->index to the index of the message in its conversation.  All
 * records of a message that is split over several records have the same index.
 * A record that is not sent to the model gets the index of the next message. */
static void
set_message_index(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event)
{
	unsigned flags = event->message->flags;

	tracker->index = tracker->messages;
	if (flags & CTX_MESSAGE_HIDDEN)
		return;
	if (event->line != 0 && !event->inside)
		tracker->index =
		    ctx_transcript_message_index(stream->transcript,
			event->line, tracker->messages);
	tracker->messages +=
	    tracker->messages == 0 || !(flags & CTX_MESSAGE_CONTINUES);
}

int
ctx_tracker_query(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err)
{
	if (tracker->asked)
		return 0;
	tracker->asked = true;
	return ctx_stream_binds(stream, event, counters, &tracker->binds, err);
}

int
ctx_tracker_enter(struct conversation_tracker *tracker,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *counters, struct ctx_err *err)
{
	bool fresh = event->kind == CTX_EVENT_BEGIN;

	if (fresh) {
		tracker->messages = tracker->bound_end = 0;
		tracker->asked = tracker->changed = false;
	}
	if (ctx_tracker_query(tracker, stream, event, counters, err) < 0)
		return -1;
	if (fresh && tracker->tools)
		ctx_groups_reset(&tracker->groups);
	if (!fresh)
		set_message_index(tracker, stream, event);
	if (!tracker->tokens)
		return 0;
	if (!fresh && tracker->model_counter.counter != NULL)
		return event->inside
		    ? 0
		    : ctx_stream_update_counter(stream, event, counters,
			  &tracker->model_counter, err);
	return ctx_stream_measure(stream, event, counters,
	    &tracker->model_counter, err);
}

int
ctx_tracker_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err)
{
	uint32_t id;

	*tool = (struct ctx_str){"", 0};
	if (!tracker->tools)
		return 0;
	if (ctx_groups_tool(&tracker->groups, event->message, i, &id, err) < 0)
		return -1;
	if (id != 0)
		*tool = ctx_intern_at(&tracker->groups.tools, id);
	return 0;
}

int
ctx_tracker_first_tool(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;

	for (size_t i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_CALL ||
		    message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT)
			return ctx_tracker_tool(tracker, event, i, tool, err);
	*tool = (struct ctx_str){"", 0};
	return 0;
}

int
ctx_tracker_leave(struct conversation_tracker *tracker,
    const struct ctx_event *event, struct ctx_err *err)
{
	static const struct ctx_cost nothing;

	if (!tracker->tools)
		return 0;
	if (ctx_groups_add(&tracker->groups, event->message, &nothing, 0, err) <
	    0)
		return -1;
	return ctx_groups_forget(&tracker->groups, err);
}
