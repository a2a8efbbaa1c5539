/*
 * vercel_model.c - reads messages of the Vercel AI SDK of the type ModelMessage
 *
 * Tool calls are parts of an assistant message.  Tool results are parts of a
 * tool message, or of the assistant message if the provider ran the tool.  A
 * tool call may need approval.  The request for the approval is read as a tool
 * call, the response as the result of this call.
 *
 * Source: provider-utils/src/types of vercel/ai, August 2026; version 4 wrote
 * args and result instead of input and output.
 */
#include "dialect/read.h"

const char *
ctx_vercel_model_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const types[] = {"tool-call", "tool-result",
	    "tool-approval-request", "tool-approval-response", "reasoning-file",
	    NULL};
	uint32_t content = ctx_json_find(json, node, "content"), block = 0;
	uint32_t type;
	const char *why;

	if (ctx_json_find(json, node, "role") == 0)
		return NULL;
	if (ctx_json_find(json, node, "providerOptions") != 0)
		return "providerOptions";
	why = ctx_has_block(json, content, types);
	if (why != NULL)
		return why;
	while (ctx_json_next_element(json, content, &block)) {
		type = ctx_json_find(json, block, "type");
		if (type == 0)
			continue;
		if (ctx_json_find(json, block, "mediaType") != 0)
			return "mediaType";
		if (ctx_json_find(json, block, "providerOptions") != 0)
			return "providerOptions";
		if (ctx_json_is(json, type, "reasoning") &&
		    ctx_json_find(json, block, "text") != 0)
			return "reasoning";
		if (ctx_json_is(json, type, "image") &&
		    ctx_json_find(json, block, "image") != 0)
			return "image";
	}
	return NULL;
}

/* Adds a content block that is neither a tool call nor a tool result.  It may
 * be in the content of a message or of a tool result. */
static int
read_vercel_plain_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"reasoning", "text", CTX_BLOCK_REASONING},
	    {"redacted-reasoning", "data", CTX_BLOCK_REASONING},
	    {"image", "image", CTX_BLOCK_MEDIA},
	    {"file", "data", CTX_BLOCK_MEDIA},
	    {"media", "data", CTX_BLOCK_MEDIA},
	    {"file-data", "data", CTX_BLOCK_MEDIA},
	    {"file-url", "url", CTX_BLOCK_MEDIA},
	    {"file-id", "fileId", CTX_BLOCK_MEDIA},
	    {"image-data", "data", CTX_BLOCK_MEDIA},
	    {"image-url", "url", CTX_BLOCK_MEDIA},
	    {"image-file-id", "fileId", CTX_BLOCK_MEDIA},
	    {"reasoning-file", "data", CTX_BLOCK_MEDIA},
	};

	(void)json;
	if (ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err) < 0)
		return -1;
	ctx_read_encryption(message, block, "providerOptions");
	return 0;
}

/* Adds a tool result.  Its content is written as {"type", "value"}, and the
 * model gets only the value. */
static int
read_vercel_tool_result(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t body = ctx_find_either(json, block, "output", "result");
	uint32_t value = body == 0 ? 0 : ctx_json_find(json, body, "value");
	size_t result = message->n;
	enum ctx_block_kind kind;
	uint32_t type = body == 0 ? 0 : ctx_json_find(json, body, "type");

	if (value == 0)
		value = body;
	if (ctx_read_result(message, value,
		ctx_json_find(json, block, "toolCallId"),
		ctx_json_find(json, block, "toolName"), read_vercel_plain_block,
		err) < 0)
		return -1;
	message->blocks[result].payload = body;
	/* The type is "error-text" or "error-json" if the call failed. */
	message->blocks[result].is_error =
	    ctx_json_starts_with(json, type, "error-");
	if (value == 0 || json->nodes[value].kind == CTX_JSON_ARRAY)
		return 0;
	kind = json->nodes[value].kind == CTX_JSON_STRING ? CTX_BLOCK_TEXT
							  : CTX_BLOCK_OPAQUE;
	if (ctx_read_block(message, kind, value, err) < 0)
		return -1;
	message->blocks[message->n - 1].result_index = (uint32_t)result + 1;
	return 0;
}

/* Adds a tool call.  If it was made by a program that the model has written,
 * the id of the tool call that runs this program is in
 * providerOptions.anthropic. */
static int
read_vercel_tool_call(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;

	if (ctx_read_call(message,
		ctx_find_either(json, block, "input", "args"),
		ctx_json_find(json, block, "toolCallId"),
		ctx_json_find(json, block, "toolName"), err) < 0)
		return -1;
	message->blocks[message->n - 1].provider_runs =
	    ctx_is_true(json, block, "providerExecuted");
	ctx_read_caller(message,
	    ctx_json_find_path(json, block,
		"providerOptions/anthropic/caller"));
	return 0;
}

static int
read_vercel_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(json, block, "type");

	if (ctx_json_is(json, type, "tool-call"))
		return read_vercel_tool_call(message, block, err);
	if (ctx_json_is(json, type, "tool-result"))
		return read_vercel_tool_result(message, block, err);
	if (ctx_json_is(json, type, "tool-approval-request"))
		return ctx_read_call(message, 0,
		    ctx_json_find(json, block, "approvalId"), 0, err);
	if (ctx_json_is(json, type, "tool-approval-response"))
		return ctx_read_result(message, 0,
		    ctx_json_find(json, block, "approvalId"), 0, NULL, err);
	return read_vercel_plain_block(json, block, message, err);
}

/* Marks the tool calls of a message that asks the user for approval, so that
 * their arguments are not shortened.  Once the user approves the calls, the
 * tools run with these arguments.  The request for approval is read as a tool
 * call without arguments. */
static void
protect_asked_tool_calls(struct ctx_message *message)
{
	bool asks = false;
	size_t i;

	for (i = 0; i < message->n; i++)
		asks = asks ||
		    (message->blocks[i].kind == CTX_BLOCK_TOOL_CALL &&
			message->blocks[i].payload == 0);
	for (i = 0; i < message->n; i++)
		message->blocks[i].no_truncate =
		    asks && message->blocks[i].kind == CTX_BLOCK_TOOL_CALL;
}

int
ctx_vercel_model_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc = ctx_read_message(message, json, node, "content",
	    read_vercel_block, err);

	if (rc > 0)
		protect_asked_tool_calls(message);
	return rc;
}
