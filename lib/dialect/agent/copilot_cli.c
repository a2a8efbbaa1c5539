/*
 * copilot_cli.c - reads session files of GitHub Copilot CLI
 *
 * A session is a log of events, ~/.copilot/session-state/ID/events.jsonl:
 * {"type", "data", "id", "timestamp", "parentId"}; parentId is the id of the
 * event before.  The model sees these events:
 *   user.message (transformedContent, if there is one)
 *   assistant.message: its text, reasoning and tool calls
 *   tool.execution_complete: the result of a tool call
 *   system.message and system.notification
 * session.compaction_complete replaces all events before it.  Events of a
 * subagent are not sent to the model of the main conversation.
 *
 * Source: the generated session event types of github/copilot-sdk, August 2026.
 */
#include "dialect/read.h"

#define COMPACTED "session.compaction_complete"

const char *
ctx_copilot_cli_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const families[] = {"session.", "user.",
	    "assistant.", "tool.", "system.", "subagent.", "hook.", "skill.",
	    "permission.", "model."};
	uint32_t type = ctx_json_find(json, node, "type");
	size_t i;

	if (type == 0 || ctx_find_object(json, node, "data") == 0 ||
	    ctx_json_find(json, node, "id") == 0 ||
	    ctx_json_find(json, node, "timestamp") == 0)
		return NULL;
	for (i = 0; i < CTX_LENGTH(families); i++)
		if (ctx_json_starts_with(json, type, families[i]))
			return "type of an event, and data";
	return NULL;
}

/* Returns true if the event is not sent to the model of the main conversation,
 * because it belongs to a subagent, or to a tool that a person started. */
static bool
is_aside(const struct ctx_json *json, uint32_t node, uint32_t data)
{
	return ctx_json_find(json, node, "agentId") != 0 ||
	    ctx_json_find(json, data, "parentToolCallId") != 0 ||
	    ctx_is_true(json, data, "isUserRequested");
}

static int
read_attachment(const struct ctx_json *json, uint32_t attachment,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t bytes = ctx_json_find(json, attachment, "data");

	if (!ctx_json_is_string(json, bytes))
		return 0;
	return ctx_read_block(message, CTX_BLOCK_MEDIA, bytes, err);
}

static int
read_user(struct ctx_message *message, uint32_t data, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;

	return ctx_read_content(message,
		   ctx_find_either(json, data, "transformedContent", "content"),
		   NULL, err) < 0
	    ? -1
	    : ctx_read_content(message,
		  ctx_find_list(json, data, "attachments"), read_attachment,
		  err);
}

static int
read_tool_request(const struct ctx_json *json, uint32_t request,
    struct ctx_message *message, struct ctx_err *err)
{
	(void)json;
	return ctx_read_call_in(message, request, "arguments", "toolCallId",
	    "name", err);
}

/* Adds the text, the reasoning and the tool calls of an assistant message.
 * Encrypted reasoning is not read, because Copilot does not send it when it
 * resumes a session. */
static int
read_copilot_assistant(struct ctx_message *message, uint32_t data,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;

	message->model = ctx_json_find(json, data, "model");
	return ctx_read_member(message, data, "reasoningText",
		   CTX_BLOCK_REASONING, err) < 0 ||
		ctx_read_content(message, ctx_json_find(json, data, "content"),
		    NULL, err) < 0
	    ? -1
	    : ctx_read_content(message,
		  ctx_find_list(json, data, "toolRequests"), read_tool_request,
		  err);
}

/* Adds the images and other media of a tool result.  The media are in a list
 * beside the text of the result.  The list is no array of content blocks, so
 * ctx cannot replace an image by a text block. */
static int
read_result_media(struct ctx_message *message, uint32_t list, uint32_t owner,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t one = 0, bytes;

	while (ctx_json_next_element(json, list, &one)) {
		bytes = ctx_json_find(json, one, "data");
		if (ctx_read_block(message, CTX_BLOCK_MEDIA,
			bytes != 0 ? bytes : one, err) < 0)
			return -1;
		message->blocks[message->n - 1].result_index = owner;
	}
	return 0;
}

static int
read_copilot_tool_result(struct ctx_message *message, uint32_t data,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t id = ctx_json_find(json, data, "toolCallId");
	uint32_t body = ctx_json_find_path(json, data, "result/content");
	uint32_t result = ctx_json_find(json, data, "result"), media = 0;
	uint32_t success = ctx_json_find(json, data, "success");

	if (body == 0)
		body = ctx_json_find_path(json, data, "error/message");
	if (result != 0)
		media = ctx_find_list(json, result, "binaryResultsForLlm");
	if (media != 0)
		return ctx_read_fixed_result(message, CTX_BLOCK_TEXT, body, id,
			   err) < 0
		    ? -1
		    : read_result_media(message, media, 1, err);
	if (ctx_read_result(message, body, id, 0, NULL, err) < 0)
		return -1;
	message->blocks[0].is_error =
	    success != 0 && json->nodes[success].kind == CTX_JSON_FALSE;
	return 0;
}

/* The types of events that are sent to the model, or that remove earlier
 * events. */
static const struct event {
	const char *type;
	enum ctx_line_kind kind;
	unsigned line_flags;
	/* For an event that is sent to the model: the role and the flags of the
	 * message, and the key of its text or the function that reads it. */
	enum ctx_role role;
	unsigned flags;
	const char *text;
	int (*read)(struct ctx_message *parsed, uint32_t data,
	    struct ctx_err *err);
} events[] = {
    {"user.message", CTX_LINE_MESSAGE, CTX_LINE_USER, CTX_ROLE_USER, 0, NULL,
	read_user},
    {"assistant.message", CTX_LINE_MESSAGE, 0, CTX_ROLE_ASSISTANT, 0, NULL,
	read_copilot_assistant},
    {"tool.execution_complete", CTX_LINE_MESSAGE, 0, CTX_ROLE_TOOL, 0, NULL,
	read_copilot_tool_result},
    {"system.message", CTX_LINE_MESSAGE, 0, CTX_ROLE_SYSTEM, 0, "content",
	NULL},
    /* Copilot sends the text of a notification to the model with the role user,
     * although no person wrote the text. */
    {"system.notification", CTX_LINE_MESSAGE, 0, CTX_ROLE_USER,
	CTX_MESSAGE_META, "content", NULL},
    {COMPACTED, CTX_LINE_SUMMARY, 0, CTX_ROLE_USER,
	CTX_MESSAGE_META | CTX_MESSAGE_PINNED, "summaryContent", NULL},
    /* session.context_cleared removes all earlier messages.  Copilot has no
     * event that removes only some messages. */
    {"session.context_cleared", CTX_LINE_REWIND, 0, CTX_ROLE_OTHER, 0, NULL,
	NULL},
};

static const struct event *
find_event(const struct ctx_json *json, uint32_t node, uint32_t data)
{
	uint32_t type = ctx_json_find(json, node, "type");
	size_t i;

	if (data == 0 || is_aside(json, node, data))
		return NULL;
	if (ctx_json_is(json, type, COMPACTED) &&
	    ctx_json_find(json, data, "summaryContent") == 0)
		return NULL;
	for (i = 0; i < CTX_LENGTH(events); i++)
		if (ctx_json_is(json, type, events[i].type))
			return &events[i];
	return NULL;
}

int
ctx_copilot_cli_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t data = ctx_find_object(json, node, "data");
	const struct event *event = find_event(json, node, data);
	int rc;

	if (event == NULL || event->kind == CTX_LINE_REWIND)
		return 0;
	ctx_message_reset(message, json, node);
	message->time = ctx_json_find(json, node, "timestamp");
	message->role = event->role;
	message->flags |= event->flags;
	rc = event->read != NULL
	    ? event->read(message, data, err)
	    : ctx_read_content(message, ctx_json_find(json, data, event->text),
		  NULL, err);
	return rc < 0 ? -1 : 1;
}

void
ctx_copilot_cli_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	uint32_t data = ctx_find_object(json, node, "data");
	const struct event *event;

	if (ctx_copilot_cli_is(json, node) == NULL)
		return;
	line->id = ctx_json_find(json, node, "id");
	line->parent_key = "parentId";
	line->parent = ctx_json_find(json, node, line->parent_key);
	line->kind = CTX_LINE_LINK;
	event = find_event(json, node, data);
	if (event != NULL) {
		line->kind = event->kind;
		line->flags = event->line_flags;
	}
	/* A subagent may use another model than the main conversation. */
	if (!is_aside(json, node, data))
		line->model = ctx_find_either(json, data, "newModel", "model");
}
