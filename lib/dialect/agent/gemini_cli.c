/*
 * gemini_cli.c - reads chats that Gemini CLI records
 *
 * Each line is a message; tool calls and their results are together in the
 * model's line.  A line with the id of an earlier line replaces that line.  A
 * line {"$rewindTo"} removes a message and all messages after that message.  A
 * line {"$set": {"messages"}} is a checkpoint: its messages replace all lines
 * before the checkpoint.
 *
 * Source: chatRecordingService.ts, chatRecordingTypes.ts and sessionUtils.ts of
 * gemini-cli, August 2026.
 */
#include "dialect/read.h"

/* Returns the JSON node of the array of messages in a checkpoint line, or 0 for
 * other lines. */
static uint32_t
find_checkpoint(const struct ctx_json *json, uint32_t node)
{
	uint32_t messages = ctx_json_find_path(json, node, "$set/messages");

	return ctx_json_is_array(json, messages) ? messages : 0;
}

/* Returns the JSON node of the type of a message, or 0 if the node is not a
 * message. */
static uint32_t
find_message_type(const struct ctx_json *json, uint32_t node)
{
	static const char *const types[] = {"user", "gemini", "info", "error",
	    "warning", NULL};
	uint32_t type = ctx_json_find(json, node, "type");

	if (type == 0 || ctx_json_find(json, node, "id") == 0 ||
	    ctx_json_find(json, node, "content") == 0 ||
	    ctx_json_find(json, node, "message") != 0)
		return 0;
	return ctx_json_is_any(json, type, types) ? type : 0;
}

const char *
ctx_gemini_cli_is(const struct ctx_json *json, uint32_t node)
{
	if (ctx_json_find(json, node, "$set") != 0)
		return "$set";
	if (ctx_json_find(json, node, "$rewindTo") != 0)
		return "$rewindTo";
	if (ctx_json_find(json, node, "sessionId") != 0 &&
	    ctx_json_find(json, node, "projectHash") != 0)
		return "sessionId and projectHash";
	if (ctx_json_find(json, node, "timestamp") != 0 &&
	    find_message_type(json, node) != 0)
		return "type, id, timestamp and content";
	return NULL;
}

/* Adds a part (content block) of a message's content.  A part has the format of
 * the Gemini API: {"text": ...}, {"functionCall": ...} and so on.  A string is
 * a text part. */
static int
read_gemini_cli_part(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct {
		/* A part is an object with one member, such as {"functionCall":
		 * {"args": ...}}. key: key of that member, "functionCall".
		 * value: key of the payload inside the value of that member,
		 * "args"; NULL if the payload is the whole value. */
		const char *key, *value;
		enum ctx_block_kind kind;
	} keys[] = {
	    {"text", NULL, CTX_BLOCK_TEXT},
	    {"functionCall", "args", CTX_BLOCK_TOOL_CALL},
	    {"functionResponse", "response", CTX_BLOCK_TOOL_RESULT},
	    {"inlineData", NULL, CTX_BLOCK_MEDIA},
	    {"fileData", NULL, CTX_BLOCK_MEDIA},
	};
	uint32_t member;
	struct ctx_block *block;
	size_t i;

	if (json->nodes[node].kind == CTX_JSON_STRING)
		return ctx_read_block(message, CTX_BLOCK_TEXT, node, err);
	for (i = 0; i < CTX_LENGTH(keys); i++) {
		member = ctx_json_find(json, node, keys[i].key);
		if (member == 0)
			continue;
		block =
		    ctx_message_add_block(message, keys[i].kind, member, err);
		if (block == NULL)
			return -1;
		if (keys[i].value != NULL) {
			block->payload =
			    ctx_json_find(json, member, keys[i].value);
			block->id = ctx_json_find(json, member, "id");
			block->name = ctx_json_find(json, member, "name");
		}
		if (block->kind == CTX_BLOCK_TEXT &&
		    ctx_is_true(json, node, "thought"))
			block->kind = CTX_BLOCK_REASONING;
		return 0;
	}
	return ctx_read_block(message, CTX_BLOCK_OPAQUE, node, err);
}

/* Adds the blocks of a message's content to the message.  The content is a
 * string, a part, or an array of strings and parts. */
static int
read_gemini_cli_content(struct ctx_message *message, uint32_t content,
    struct ctx_err *err)
{
	if (ctx_json_is_object(message->json, content))
		return read_gemini_cli_part(message->json, content, message,
		    err);
	return ctx_read_content(message, content, read_gemini_cli_part, err);
}

/* Returns the JSON node of the text of a function response: the string in its
 * member "output".  If the response has only one member, the string in that
 * member is the text.  If there is no such string, returns the node of the
 * whole response. */
static uint32_t
find_response_text(const struct ctx_json *json, uint32_t response)
{
	uint32_t text = ctx_json_find(json, response, "output");

	if (text == 0 && json->nodes[response].kind == CTX_JSON_OBJECT &&
	    ctx_json_count(json, response) == 1)
		text = response + 2;
	if (!ctx_json_is_string(json, text))
		return response;
	return text;
}

/* If a tool result consists of a single string, returns the JSON node of that
 * string, otherwise 0. */
static uint32_t
find_plain_output(const struct ctx_json *json, uint32_t result)
{
	uint32_t response, text;

	if (!ctx_json_is_array(json, result) ||
	    ctx_json_count(json, result) != 1)
		return 0;
	response = ctx_json_find_path(json, ctx_json_at(json, result, 0),
	    "functionResponse/response");
	if (response == 0)
		return 0;
	text = find_response_text(json, response);
	return json->nodes[text].kind == CTX_JSON_STRING ? text : 0;
}

static int
read_result_part(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t response =
	    ctx_json_find_path(json, node, "functionResponse/response");

	if (response == 0)
		return read_gemini_cli_part(json, node, message, err);
	return ctx_read_block(message, CTX_BLOCK_TEXT,
	    find_response_text(json, response), err);
}

/* Marks the part (content block) "functionResponse" so that ctx never removes
 * this part.  Used if a tool result consists of several parts: without a
 * functionResponse, the tool call would have no result.  The text of the part
 * may still be shortened. */
static void
keep_response(struct ctx_message *message, size_t first)
{
	struct ctx_block *block;

	for (block = message->blocks + first;
	     block < message->blocks + message->n; block++)
		if (block->result_index != 0 && block->removable != 0 &&
		    ctx_json_find(message->json, block->removable,
			"functionResponse") != 0)
			block->container = block->removable = 0;
}

/* Adds a tool call and its result to the message.  One JSON object contains
 * both; the result may be missing. */
static int
read_gemini_cli_tool_call(struct ctx_message *message, uint32_t calls,
    uint32_t call, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	struct ctx_block *block =
	    ctx_message_add_block(message, CTX_BLOCK_TOOL_CALL, 0, err);
	uint32_t id, name, result, output;
	size_t first;

	if (block == NULL)
		return -1;
	id = block->id = ctx_json_find(json, call, "id");
	name = block->name = ctx_json_find(json, call, "name");
	block->payload = ctx_json_find(json, call, "args");
	block->container = calls;
	block->removable = call;
	result = ctx_json_find(json, call, "result");
	if (result == 0 || json->nodes[result].kind == CTX_JSON_NULL)
		return 0;
	output = find_plain_output(json, result);
	first = message->n;
	if (ctx_read_result(message, output != 0 ? output : result, id, name,
		read_result_part, err) < 0)
		return -1;
	keep_response(message, first);
	return 0;
}

static int
read_model(struct ctx_message *message, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t calls = ctx_json_find(json, node, "toolCalls"), call = 0;

	if (ctx_read_member(message, node, "thoughts", CTX_BLOCK_REASONING,
		err) < 0 ||
	    read_gemini_cli_content(message,
		ctx_json_find(json, node, "content"), err) < 0)
		return -1;
	while (ctx_json_next_element(json, calls, &call))
		if (read_gemini_cli_tool_call(message, calls, call, err) < 0)
			return -1;
	return 0;
}

/* Returns true if the content is a command to Gemini CLI, or context that
 * Gemini CLI inserted.  When Gemini CLI resumes a chat, it does not send such
 * content to the model. */
static bool
is_for_agent(const struct ctx_json *json, uint32_t content)
{
	static const char *const starts[] = {"/", "?", "<session_context>",
	    "<hook_context>", NULL};
	uint32_t text = content;

	if (ctx_json_is_array(json, text))
		text = ctx_json_at(json, text, 0);
	if (ctx_json_is_object(json, text))
		text = ctx_json_find(json, text, "text");
	return ctx_begins(json, text, starts);
}

/* Reads the message at a JSON node: sets role and flags, and adds its
 * blocks. */
static int
read_message_into(struct ctx_message *message, uint32_t node, uint32_t type,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t content = ctx_json_find(json, node, "content");

	if (ctx_json_is(json, type, "gemini")) {
		message->role = CTX_ROLE_ASSISTANT;
		return read_model(message, node, err);
	}
	message->role = CTX_ROLE_USER;
	if (!ctx_json_is(json, type, "user") || is_for_agent(json, content)) {
		message->flags |= CTX_MESSAGE_HIDDEN;
		return 0;
	}
	return read_gemini_cli_content(message, content, err);
}

/* Reads a checkpoint line with several messages as one message, which ctx never
 * removes. */
static int
read_checkpoint(struct ctx_message *parsed, uint32_t messages,
    struct ctx_err *err)
{
	const struct ctx_json *json = parsed->json;
	uint32_t message = 0, type;

	while (ctx_json_next_element(json, messages, &message)) {
		type = find_message_type(json, message);
		if (type != 0 &&
		    read_message_into(parsed, message, type, err) < 0)
			return -1;
	}
	parsed->role = CTX_ROLE_USER;
	parsed->flags = CTX_MESSAGE_META | CTX_MESSAGE_PINNED;
	return 1;
}

int
ctx_gemini_cli_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t messages = find_checkpoint(json, node), type;

	ctx_message_reset(message, json, node);
	if (messages != 0)
		return read_checkpoint(message, messages, err);
	type = find_message_type(json, node);
	if (type == 0)
		return 0;
	message->role_node = type;
	message->time = ctx_json_find(json, node, "timestamp");
	message->model = ctx_json_find(json, node, "model");
	return read_message_into(message, node, type, err) < 0 ? -1 : 1;
}

void
ctx_gemini_cli_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	uint32_t type;

	line->about = ctx_json_find(json, node, "$rewindTo");
	if (line->about != 0) {
		line->kind = CTX_LINE_REWIND;
	} else if (find_checkpoint(json, node) != 0) {
		line->kind = CTX_LINE_SUMMARY;
	} else if ((type = find_message_type(json, node)) != 0) {
		line->kind = CTX_LINE_MESSAGE;
		line->id = ctx_json_find(json, node, "id");
		line->model = ctx_json_find(json, node, "model");
		if (ctx_json_is(json, type, "user"))
			line->flags = CTX_LINE_USER;
	}
}
