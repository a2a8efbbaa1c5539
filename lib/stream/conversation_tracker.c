/* conversation_tracker.c - what is known of a conversation while it passes */
#include "stream/conversation_tracker.h"

int
ctx_tracker_init(struct conversation_tracker *talk, bool tools, bool tokens,
    struct ctx_err *err)
{
	*talk = (struct conversation_tracker){.tools = tools, .tokens = tokens};
	return tools ? ctx_groups_init(&talk->groups, err) : 0;
}

void
ctx_tracker_release(struct conversation_tracker *talk)
{
	if (talk->tools)
		ctx_groups_release(&talk->groups);
}

/* The records of a message have one number; a message that the model is not
 * shown has that of the next. */
static void
number(struct conversation_tracker *talk, const struct ctx_stream *stream,
    const struct ctx_event *event)
{
	unsigned flags = event->view->flags;

	talk->index = talk->messages;
	if (flags & CTX_MESSAGE_HIDDEN)
		return;
	if (event->line != 0 && !event->inside)
		talk->index = ctx_transcript_message_index(stream->live,
		    event->line, talk->messages);
	talk->messages +=
	    talk->messages == 0 || !(flags & CTX_MESSAGE_CONTINUES);
}

int
ctx_tracker_query(struct conversation_tracker *talk,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *meter, struct ctx_err *err)
{
	if (talk->asked)
		return 0;
	talk->asked = true;
	return ctx_stream_binds(stream, event, meter, &talk->binds, err);
}

int
ctx_tracker_enter(struct conversation_tracker *talk,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_model_counters *meter, struct ctx_err *err)
{
	bool fresh = event->kind == CTX_EVENT_BEGIN;

	if (fresh) {
		talk->messages = 0;
		talk->asked = talk->changed = false;
	}
	if (ctx_tracker_query(talk, stream, event, meter, err) < 0)
		return -1;
	if (fresh && talk->tools)
		ctx_groups_reset(&talk->groups);
	if (!fresh)
		number(talk, stream, event);
	if (!talk->tokens || (!fresh && talk->measure.counter != NULL))
		return 0;
	return ctx_stream_measure(stream, event, meter, &talk->measure, err);
}

int
ctx_tracker_tool(struct conversation_tracker *talk,
    const struct ctx_event *event, size_t i, struct ctx_str *tool,
    struct ctx_err *err)
{
	uint32_t id;

	*tool = (struct ctx_str){"", 0};
	if (!talk->tools)
		return 0;
	if (ctx_groups_tool(&talk->groups, event->shape->dialect, event->view,
		i, &id, err) < 0)
		return -1;
	if (id != 0)
		*tool = ctx_intern_at(&talk->groups.tools, id);
	return 0;
}

int
ctx_tracker_first_tool(struct conversation_tracker *talk,
    const struct ctx_event *event, struct ctx_str *tool, struct ctx_err *err)
{
	const struct ctx_message *view = event->view;
	size_t i;

	for (i = 0; i < view->n; i++)
		if (view->parts[i].kind == CTX_BLOCK_TOOL_CALL ||
		    view->parts[i].kind == CTX_BLOCK_TOOL_RESULT)
			return ctx_tracker_tool(talk, event, i, tool, err);
	*tool = (struct ctx_str){"", 0};
	return 0;
}

int
ctx_tracker_leave(struct conversation_tracker *talk,
    const struct ctx_event *event, struct ctx_err *err)
{
	static const struct ctx_cost nothing;

	if (!talk->tools)
		return 0;
	if (ctx_groups_add(&talk->groups, event->shape->dialect, event->view,
		&nothing, 0, err) < 0)
		return -1;
	return ctx_groups_forget(&talk->groups, err);
}
