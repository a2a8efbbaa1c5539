/*
 * vercel_ui.c - reads messages of the Vercel AI SDK of the type UIMessage,
 * which chat applications store
 *
 * A tool part (content block of a tool) contains the tool call and, once the
 * tool has run, its result, so call and result cannot be separated.  The type
 * of a tool part is "tool-" and the name of the tool.  Parts for the
 * application (steps, sources, data-NAME) cost no tokens.
 *
 * Source: packages/ai/src/ui/ui-messages.ts of vercel/ai, August 2026; version
 * 4 wrote {"type": "tool-invocation", "toolInvocation"}.
 */
#include "dialect/read.h"

#define TOOL "tool-"

/* Returns true if only messages of the Vercel AI SDK have a part with this type
 * and these keys.  The type alone is not enough, because other formats have the
 * same types. */
static bool
is_ui_part(const struct ctx_json *json, uint32_t part)
{
	static const struct {
		/* type of a message part, and a key that such a part must
		 * have */
		const char *type, *key;
	} rows[] = {
	    {"text", "text"},
	    {"reasoning", "text"},
	    {"reasoning", "reasoning"}, /* in version 4 of the SDK */
	    {"file", "url"},
	    {"file", "data"}, /* in version 4 of the SDK */
	    {"reasoning-file", "url"},
	    {"source-url", "url"},
	    {"source-document", "sourceId"},
	    {"source", "source"},
	    {"step-start", "type"},
	    {"dynamic-tool", "toolName"},
	    {"tool-invocation", "toolInvocation"},
	};
	uint32_t type = ctx_json_find(json, part, "type");
	size_t i;

	for (i = 0; i < CTX_LENGTH(rows); i++)
		if (ctx_json_is(json, type, rows[i].type) &&
		    ctx_json_find(json, part, rows[i].key) != 0)
			return true;
	return ctx_json_starts_with(json, type, TOOL) ||
	    ctx_json_starts_with(json, type, "data-");
}

const char *
ctx_vercel_ui_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t parts = ctx_json_find(json, node, "parts"), part = 0;

	if (parts == 0 || ctx_json_find(json, node, "role") == 0)
		return NULL;
	while (ctx_json_next_element(json, parts, &part))
		if (is_ui_part(json, part))
			return "parts with a type";
	return NULL;
}

/* Adds the tool result of a tool part, if the part contains a result.  A tool
 * part always contains the tool call, but contains the result only in the
 * states that the table lists. */
static int
read_ui_tool_result(struct ctx_message *message, uint32_t tool, uint32_t id,
    uint32_t name, struct ctx_err *err)
{
	static const struct {
		const char *state, *key;
	} states[] = {
	    {"output-available", "output"},
	    {"output-error", "errorText"},
	    {"output-denied", NULL},
	    {"result", "result"},
	};
	const struct ctx_json *json = message->json;
	uint32_t state = ctx_json_find(json, tool, "state"), body = 0;
	size_t i;

	for (i = 0; i < CTX_LENGTH(states); i++) {
		if (!ctx_json_is(json, state, states[i].state))
			continue;
		if (states[i].key != NULL)
			body = ctx_json_find(json, tool, states[i].key);
		if (ctx_read_result(message, body, id, name, NULL, err) < 0)
			return -1;
		message->blocks[message->n - 1].is_error =
		    ctx_json_is(json, state, "output-error");
		/* If the content is an array, the elements are not content
		 * blocks but data that the tool has returned.  So the array
		 * becomes one opaque block. */
		if (!ctx_json_is_array(json, body))
			return 0;
		if (ctx_read_block(message, CTX_BLOCK_OPAQUE, body, err) < 0)
			return -1;
		message->blocks[message->n - 1].result_index =
		    (uint32_t)message->n - 1;
		return 0;
	}
	return 0;
}

static int
read_ui_tool(struct ctx_message *message, uint32_t tool, uint32_t name,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t id = ctx_json_find(json, tool, "toolCallId");
	uint32_t input = ctx_find_either(json, tool, "input", "rawInput");

	if (input == 0)
		input = ctx_json_find(json, tool, "args");
	size_t call = message->n;

	if (ctx_read_call(message, input, id, name, err) < 0 ||
	    read_ui_tool_result(message, tool, id, name, err) < 0)
		return -1;
	/* A tool call without a result will still be executed, so its arguments
	 * must not be shortened. */
	message->blocks[call].no_truncate = message->n == call + 1;
	return 0;
}

/* Adds the call and the result of a tool part whose type is "tool-" and the
 * name of the tool. */
static int
read_typed_tool(struct ctx_message *message, uint32_t tool, uint32_t type,
    struct ctx_err *err)
{
	size_t i = message->n;

	if (read_ui_tool(message, tool, type, err) < 0)
		return -1;
	for (; i < message->n; i++)
		message->blocks[i].prefix = sizeof TOOL - 1;
	return 0;
}

static int
read_ui_part(const struct ctx_json *json, uint32_t part,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"reasoning", "text", CTX_BLOCK_REASONING},
	    {"file", "url", CTX_BLOCK_MEDIA},
	    {"reasoning-file", "url", CTX_BLOCK_MEDIA},
	    {"source-url", NULL, CTX_BLOCK_OPAQUE},
	    {"source-document", NULL, CTX_BLOCK_OPAQUE},
	    {"source", NULL, CTX_BLOCK_OPAQUE},
	};
	uint32_t type = ctx_json_find(json, part, "type"), tool;

	if (type == 0)
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, part, err);
	/* A step-start part separates two steps and has no content.  So it
	 * becomes no block. */
	if (ctx_json_is(json, type, "step-start"))
		return 0;
	if (ctx_json_is(json, type, "dynamic-tool"))
		return read_ui_tool(message, part,
		    ctx_json_find(json, part, "toolName"), err);
	tool = ctx_json_find(json, part, "toolInvocation");
	if (tool != 0)
		return read_ui_tool(message, tool,
		    ctx_json_find(json, tool, "toolName"), err);
	if (ctx_json_starts_with(json, type, TOOL))
		return read_typed_tool(message, part, type, err);
	if (ctx_json_starts_with(json, type, "data-"))
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, 0, err);
	if (ctx_read_typed(message, part, rows, CTX_LENGTH(rows), err) < 0)
		return -1;
	ctx_read_encryption(message, part, "providerMetadata");
	return 0;
}

int
ctx_vercel_ui_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	/* Messages of version 3 of the SDK had content instead of parts. */
	return ctx_read_message(message, json, node,
	    ctx_json_find(json, node, "parts") != 0 ? "parts" : "content",
	    read_ui_part, err);
}
