/*
 * otel_genai.c - reads messages of OpenTelemetry's conventions for generative
 * AI
 *
 * Instrumented programs record these messages as gen_ai.input.messages and
 * gen_ai.output.messages.  A message has a role, and parts with a type.  The
 * text of a text part is its member "content".  (In messages of the Vercel AI
 * SDK, which vercel_ui.c reads, it is the member "text".)  A tool result is the
 * member "response", or "result" in earlier versions.
 *
 * Source: gen-ai-input-messages.json, gen-ai-output-messages.json and the
 * examples of open-telemetry/semantic-conventions, November 2026.
 */
#include "dialect/read.h"

/* Returns the type of a message part if only OpenTelemetry's format has parts
 * of this type, otherwise NULL. */
static const char *
identify_otel_part(const struct ctx_json *json, uint32_t part)
{
	static const struct {
		/* type of a message part, and a key that such a part must
		 * have */
		const char *type, *key;
	} rows[] = {
	    {"tool_call", "name"},
	    {"tool_call_response", "id"},
	    {"server_tool_call", "name"},
	    {"server_tool_call_response", "id"},
	    {"text", "content"},
	    {"reasoning", "content"},
	    {"blob", "content"},
	    {"uri", "uri"},
	    {"file", "file_id"},
	};
	uint32_t type = ctx_json_find(json, part, "type");
	size_t i;

	for (i = 0; i < CTX_LENGTH(rows); i++)
		if (ctx_json_is(json, type, rows[i].type) &&
		    ctx_json_find(json, part, rows[i].key) != 0)
			return rows[i].type;
	return NULL;
}

const char *
ctx_otel_genai_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t parts = ctx_json_find(json, node, "parts"), part = 0;
	const char *why = NULL;

	if (parts == 0 || ctx_json_find(json, node, "role") == 0)
		return NULL;
	while (why == NULL && ctx_json_next_element(json, parts, &part))
		why = identify_otel_part(json, part);
	return why;
}

/* Adds a tool result to the message.  If its content is an array, the elements
 * are not content blocks but data that the tool has returned, so the whole
 * array becomes one opaque block. */
static int
read_otel_tool_result(struct ctx_message *message, uint32_t part,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t body = ctx_find_either(json, part, "response", "result");

	if (ctx_read_result(message, body, ctx_json_find(json, part, "id"), 0,
		NULL, err) < 0)
		return -1;
	if (!ctx_json_is_array(json, body))
		return 0;
	if (ctx_read_block(message, CTX_BLOCK_OPAQUE, body, err) < 0)
		return -1;
	message->blocks[message->n - 1].result_index = (uint32_t)message->n - 1;
	return 0;
}

static int
read_otel_part(const struct ctx_json *json, uint32_t part,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "content", CTX_BLOCK_TEXT},
	    {"reasoning", "content", CTX_BLOCK_REASONING},
	    {"blob", "content", CTX_BLOCK_MEDIA},
	    {"uri", "uri", CTX_BLOCK_MEDIA},
	    {"file", "file_id", CTX_BLOCK_MEDIA},
	};
	uint32_t type = ctx_json_find(json, part, "type");

	if (ctx_json_is(json, type, "tool_call"))
		return ctx_read_call_in(message, part, "arguments", "id",
		    "name", err);
	if (ctx_json_is(json, type, "tool_call_response"))
		return read_otel_tool_result(message, part, err);
	return ctx_read_typed(message, part, rows, CTX_LENGTH(rows), err);
}

int
ctx_otel_genai_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc =
	    ctx_read_message(message, json, node, "parts", read_otel_part, err);

	if (rc > 0)
		message->name = ctx_json_find(json, node, "name");
	return rc;
}
