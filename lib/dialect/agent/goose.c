/*
 * goose.c - reads messages of a goose session
 *
 * The roles are user and assistant.  A toolResponse is a block of a user
 * message.  A message whose metadata has agentVisible: false is not sent to the
 * model.  For example, a summary has replaced the message, and goose shows the
 * message only to the user.
 *
 * Source: crates/goose/src/conversation/message.rs, November 2026.  In older
 * versions the value of a toolResult is an array of blocks; in newer versions
 * it is an object that contains this array.
 */
#include "dialect/read.h"

const char *
ctx_goose_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const types[] = {"toolRequest", "toolResponse",
	    "redactedThinking", "frontendToolRequest",
	    "toolConfirmationRequest", "systemNotification", "actionRequired",
	    NULL};
	uint32_t content = ctx_json_find(json, node, "content"), created;

	if (!ctx_json_is_array(json, content) ||
	    ctx_json_find(json, node, "role") == 0)
		return NULL;
	created = ctx_json_find(json, node, "created");
	if (created != 0 && json->nodes[created].kind == CTX_JSON_NUMBER)
		return "created";
	if (ctx_json_find_path(json, node, "metadata/agentVisible") != 0)
		return "agentVisible";
	return ctx_has_block(json, content, types);
}

static int
read_goose_plain_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"thinking", "thinking", CTX_BLOCK_REASONING},
	    {"redactedThinking", "data", CTX_BLOCK_REASONING},
	    {"image", "data", CTX_BLOCK_MEDIA},
	    {"audio", "data", CTX_BLOCK_MEDIA},
	    {"resource", "resource", CTX_BLOCK_OPAQUE},
	    {"toolConfirmationRequest", NULL, CTX_BLOCK_OPAQUE},
	    {"actionRequired", NULL, CTX_BLOCK_OPAQUE},
	    {"systemNotification", NULL, CTX_BLOCK_OPAQUE},
	};

	(void)json;
	return ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err);
}

/* Adds a tool call.  The value of its member toolCall is {"status": "success",
 * "value"} or {"status": "error", "error"}. */
static int
read_goose_tool_call(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t value = ctx_json_find_path(json, block, "toolCall/value");
	uint32_t id = ctx_json_find(json, block, "id");

	if (value != 0)
		return ctx_read_call(message,
		    ctx_json_find(json, value, "arguments"), id,
		    ctx_json_find(json, value, "name"), err);
	/* If the model wrote a malformed tool call, goose stores an error
	 * message (the member "error") in place of the tool's name and
	 * arguments. */
	if (ctx_read_call(message,
		ctx_json_find_path(json, block, "toolCall/error"), id, 0,
		err) < 0)
		return -1;
	message->blocks[message->n - 1].no_truncate = true;
	return 0;
}

static int
read_goose_result_body(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t body = ctx_json_find_path(json, block, "toolResult/value");
	uint32_t id = ctx_json_find(json, block, "id");

	if (ctx_json_is_object(json, body))
		body = ctx_json_find(json, body, "content");
	if (ctx_json_is_array(json, body))
		return ctx_read_result(message, body, id, 0,
		    read_goose_plain_block, err);
	/* The content of the result is a string if the tool call failed,
	 * otherwise an array. */
	body = ctx_json_find_path(json, block, "toolResult/error");
	if (body == 0 || json->nodes[body].kind == CTX_JSON_STRING)
		return ctx_read_result(message, body, id, 0, NULL, err);
	return ctx_read_fixed_result(message, CTX_BLOCK_TEXT, body, id, err);
}

/* Adds a tool result, which is written as {"status": "success", "value"} or
 * {"status": "error", "error"}.  With the status "success", too, the tool may
 * have failed: then "value" has isError: true. */
static int
read_goose_tool_result(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t result = ctx_json_find(json, block, "toolResult"), value;
	size_t first = message->n;

	if (read_goose_result_body(message, block, err) < 0)
		return -1;
	if (result == 0)
		return 0;
	ctx_read_failure(message, first, result);
	value = ctx_json_find(json, result, "value");
	if (value != 0)
		ctx_read_failure(message, first, value);
	return 0;
}

static int
read_goose_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(json, block, "type");

	if (ctx_json_is(json, type, "toolRequest") ||
	    ctx_json_is(json, type, "frontendToolRequest"))
		return read_goose_tool_call(message, block, err);
	if (ctx_json_is(json, type, "toolResponse"))
		return read_goose_tool_result(message, block, err);
	return read_goose_plain_block(json, block, message, err);
}

int
ctx_goose_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc = ctx_read_message(message, json, node, "content",
	    read_goose_block, err);
	uint32_t visible;

	if (rc <= 0)
		return rc;
	message->time = ctx_json_find(json, node, "created");
	visible = ctx_json_find_path(json, node, "metadata/agentVisible");
	if (visible != 0 && json->nodes[visible].kind == CTX_JSON_FALSE)
		message->flags |= CTX_MESSAGE_HIDDEN;
	return 1;
}
