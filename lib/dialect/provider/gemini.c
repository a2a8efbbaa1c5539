/*
 * gemini.c - reads messages ("contents") of the Google Gemini API
 *
 * Roles are user (also if there is no role), model and the older function.  A
 * message consists of parts (content blocks).  The key of a part says what the
 * part is; keys are camelCase in JSON and snake_case in dumps of the Python
 * SDK.  A thought is a text part with thought: true.  Any part may contain a
 * thoughtSignature, which is removed only together with the part.
 *
 * Source: types.py of python-genai, August 2026.
 */
#include "dialect/read.h"

const char *
ctx_gemini_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const keys[] = {"text", "functionCall",
	    "function_call", "functionResponse", "function_response",
	    "inlineData", "inline_data", "fileData", "file_data",
	    "thoughtSignature", "thought_signature", "executableCode",
	    "executable_code", "codeExecutionResult", "code_execution_result",
	    "toolCall", "toolResponse"};
	uint32_t parts = ctx_json_find(json, node, "parts"), part;
	size_t i;

	if (!ctx_json_is_array(json, parts))
		return NULL;
	part = ctx_json_at(json, parts, 0);
	/* A part (content block) may also be a string, because the Python SDK
	 * accepts strings. */
	if (ctx_json_is_string(json, part))
		return "parts of text";
	if (part == 0 || ctx_json_find(json, part, "type") != 0)
		return NULL;
	for (i = 0; i < CTX_LENGTH(keys); i++)
		if (ctx_json_find(json, part, keys[i]) != 0)
			return keys[i];
	return NULL;
}

/* Adds a tool result.  Besides the response, a tool result may have parts
 * (content blocks) with media.  Then a text cannot replace the content of the
 * result. */
static int
read_function_response(struct ctx_message *message, uint32_t response,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t body = ctx_json_find(json, response, "response"), one = 0;
	uint32_t media = ctx_json_find(json, response, "parts");
	uint32_t result = (uint32_t)message->n, id, name;
	bool beside;
	int rc;

	id = ctx_json_find(json, response, "id");
	name = ctx_json_find(json, response, "name");
	beside = media != 0 && ctx_json_at(json, media, 0) != 0;
	rc = beside
	    ? ctx_read_fixed_result(message, CTX_BLOCK_OPAQUE, body, id, err)
	    : ctx_read_result(message, body, id, name, NULL, err);
	if (rc < 0)
		return -1;
	message->blocks[result].name = name;
	message->blocks[result].is_partial =
	    ctx_is_true(json, response, "willContinue") ||
	    ctx_is_true(json, response, "will_continue");
	while (ctx_json_next_element(json, media, &one)) {
		if (ctx_read_block(message, CTX_BLOCK_MEDIA, one, err) < 0)
			return -1;
		message->blocks[message->n - 1].result_index = result + 1;
	}
	return 0;
}

/* Adds a tool call.  The part (content block) with the call may also contain a
 * signature of the thoughts before the call. */
static int
read_function_call(struct ctx_message *message, uint32_t part, uint32_t call,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t signature = ctx_find_either(json, part, "thoughtSignature",
	    "thought_signature");

	if (ctx_read_call_in(message, call, "args", "id", "name", err) < 0)
		return -1;
	if (ctx_json_is_string(json, signature))
		message->blocks[message->n - 1].signature = signature;
	return 0;
}

/* Returns true if a part (content block) contains nothing but a signature and
 * perhaps the flag "thought". */
static bool
is_signature(const struct ctx_json *json, uint32_t part)
{
	size_t n = ctx_json_find(json, part, "thought") != 0 ? 2 : 1;

	return ctx_json_count(json, part) == n &&
	    ctx_find_either(json, part, "thoughtSignature",
		"thought_signature") != 0;
}

static int
read_gemini_part(const struct ctx_json *json, uint32_t part,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t value;

	if (json->nodes[part].kind == CTX_JSON_STRING)
		return ctx_read_block(message, CTX_BLOCK_TEXT, part, err);
	value = ctx_find_either(json, part, "functionCall", "function_call");
	if (value != 0)
		return read_function_call(message, part, value, err);
	value = ctx_find_either(json, part, "functionResponse",
	    "function_response");
	if (value != 0)
		return read_function_response(message, value, err);
	if ((value = ctx_json_find(json, part, "text")) != 0)
		return ctx_read_block(message,
		    ctx_is_true(json, part, "thought") ? CTX_BLOCK_REASONING
						       : CTX_BLOCK_TEXT,
		    value, err);
	value = ctx_find_either(json, part, "inlineData", "inline_data");
	if (value == 0)
		value = ctx_find_either(json, part, "fileData", "file_data");
	if (value != 0)
		return ctx_read_block(message, CTX_BLOCK_MEDIA, value, err);
	if (is_signature(json, part))
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, 0, err);
	return ctx_read_block(message, CTX_BLOCK_OPAQUE, part, err);
}

int
ctx_gemini_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t role = ctx_json_find(json, node, "role"), parts;

	parts = ctx_json_find(json, node, "parts");
	if (parts == 0)
		return 0;
	ctx_message_reset(message, json, node);
	message->role_node = role;
	if (role == 0 || json->nodes[role].kind == CTX_JSON_NULL)
		message->role = CTX_ROLE_USER;
	else if (ctx_json_is(json, role, "model"))
		message->role = CTX_ROLE_ASSISTANT;
	else
		message->role = ctx_role_of(json, role);
	return ctx_read_content(message, parts, read_gemini_part, err) < 0 ? -1
									   : 1;
}
