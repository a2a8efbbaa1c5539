/*
 * openai_chat.c - reads messages of OpenAI Chat Completions
 *
 * Roles are developer, system, user, assistant, tool and the older function.
 * Tool calls are in tool_calls (or the older function_call); each result is a
 * separate message.  Reasoning is not in the official type, but many servers
 * write it in reasoning_content, reasoning or reasoning_details.  LiteLLM
 * 1.110.2 (November 2026) adds Anthropic's reasoning blocks, in thinking_blocks
 * or in the content.  Mistral writes reasoning as a block of the content with
 * the member "thinking", an array of text chunks (ThinkChunk of Mistral's API,
 * November 2026).  Mistral writes a document as a block with the member
 * "document_url", a URL or a data: URL (recorded in 2026).  Speech of the
 * assistant is {"audio": {"id"}}.
 *
 * Source: the message parameter types of openai-python, August 2026.
 */
#include "dialect/read.h"

/* Returns the JSON node of the array of text chunks in a reasoning block of
 * Mistral, {"type": "thinking", "thinking": [...]}, or 0 for other blocks. */
static uint32_t
find_chunks(const struct ctx_json *json, uint32_t block)
{
	uint32_t type = ctx_json_find(json, block, "type");

	return ctx_json_is(json, type, "thinking")
	    ? ctx_find_list(json, block, "thinking")
	    : 0;
}

static bool
has_thinking_chunks(const struct ctx_json *json, uint32_t content)
{
	uint32_t block = 0;

	while (ctx_json_next_element(json, content, &block))
		if (find_chunks(json, block) != 0)
			return true;
	return false;
}

const char *
ctx_openai_chat_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const blocks[] = {"image_url", "input_audio",
	    "refusal", "file", "document_url", NULL};
	uint32_t role = ctx_json_find(json, node, "role"), call, body;

	if (role == 0)
		return NULL;
	/* In Chat Completions the arguments of a tool call are a string; in
	 * Ollama and chat templates they are an object. */
	call = ctx_json_find(json, node, "tool_calls");
	if (call != 0 && (call = ctx_json_at(json, call, 0)) != 0) {
		body = ctx_json_find_path(json, call, "function/arguments");
		if (ctx_json_is_string(json, body) ||
		    ctx_json_find(json, call, "custom") != 0)
			return "tool_calls";
	}
	if (ctx_json_find(json, node, "tool_call_id") != 0)
		return "tool_call_id";
	if (ctx_json_find(json, node, "function_call") != 0)
		return "function_call";
	if (ctx_find_list(json, node, "thinking_blocks") != 0)
		return "thinking_blocks";
	/* In Mistral's blocks, the member "thinking" is an array; in other
	 * dialects, it is a string. */
	if (has_thinking_chunks(json, ctx_json_find(json, node, "content")))
		return "thinking chunks";
	/* The role developer does not identify Chat Completions, because
	 * Responses has it, too. */
	if (ctx_json_is(json, role, "function"))
		return "role function";
	return ctx_has_block(json, ctx_json_find(json, node, "content"),
	    blocks);
}

static int
read_chat_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"refusal", "refusal", CTX_BLOCK_TEXT},
	    {"image_url", "image_url", CTX_BLOCK_MEDIA},
	    {"input_audio", "input_audio", CTX_BLOCK_MEDIA},
	    {"file", "file", CTX_BLOCK_MEDIA},
	    {"document_url", NULL, CTX_BLOCK_MEDIA},
	};
	uint32_t chunks = find_chunks(json, block), text = 0;
	uint32_t type = ctx_json_find(json, block, "type");

	/* The reasoning is an array of text chunks.  If the array has one
	 * chunk, the text of the chunk is the payload of the block, so that
	 * exactly the tokens of this text are counted.  If the array has
	 * several chunks, the payload is the whole array, and the tokens of the
	 * array's JSON are counted. */
	if (chunks != 0 &&
	    json->nodes[chunks + 1].next == json->nodes[chunks].next)
		text = ctx_json_find(json, chunks + 1, "text");
	if (chunks != 0)
		return ctx_read_block(message, CTX_BLOCK_REASONING,
		    text != 0 ? text : chunks, err);
	if (ctx_json_is(json, type, "thinking") ||
	    ctx_json_is(json, type, "redacted_thinking"))
		return ctx_read_thinking(message, block, err);
	return ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err);
}

/* Adds the reasoning blocks in thinking_blocks.  The blocks can only be removed
 * all together. */
static int
read_thinking_blocks(struct ctx_message *message, uint32_t node,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t list = ctx_json_find(json, node, "thinking_blocks"), block = 0;

	while (ctx_json_next_element(json, list, &block)) {
		if (ctx_read_thinking(message, block, err) < 0)
			return -1;
		message->blocks[message->n - 1].container = node;
		message->blocks[message->n - 1].removable = list - 1;
	}
	return 0;
}

/* Adds reasoning that is a member of the message, beside its content.  Servers
 * write the same reasoning to several members, so only one copy counts: the one
 * in the content or, without it, the first of these members.  All other copies
 * become blocks without a payload. */
static int
read_chat_reasoning(struct ctx_message *message, uint32_t node,
    struct ctx_err *err)
{
	static const char *const members[] = {"reasoning_details",
	    "reasoning_content", "reasoning"};
	static const char *const blocks[] = {"thinking", "redacted_thinking",
	    NULL};
	bool copy =
	    ctx_has_block(message->json,
		ctx_json_find(message->json, node, "content"), blocks) != NULL;
	size_t first, i;

	for (i = 0; i <= CTX_LENGTH(members); i++) {
		first = message->n;
		if ((i == 0 ? read_thinking_blocks(message, node, err)
			    : ctx_read_member(message, node, members[i - 1],
				  CTX_BLOCK_REASONING, err)) < 0)
			return -1;
		for (; copy && first < message->n; first++) {
			message->blocks[first].is_copy = true;
			message->blocks[first].payload = 0;
		}
		copy = copy || message->n > 0;
	}
	return 0;
}

/* Adds a tool call in the form {"name", "arguments"} or {"name", "input"}. */
static int
read_chat_call_body(struct ctx_message *message, uint32_t body, uint32_t id,
    struct ctx_err *err)
{
	return ctx_read_call(message,
	    ctx_find_either(message->json, body, "arguments", "input"), id,
	    ctx_json_find(message->json, body, "name"), err);
}

static int
read_chat_tool_call(const struct ctx_json *json, uint32_t call,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t body = ctx_find_either(json, call, "function", "custom");

	return read_chat_call_body(message, body != 0 ? body : call,
	    ctx_json_find(json, call, "id"), err);
}

static int
read_chat_assistant(struct ctx_message *message, uint32_t node,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t call;

	if (read_chat_reasoning(message, node, err) < 0 ||
	    ctx_read_content(message, ctx_json_find(json, node, "content"),
		read_chat_block, err) < 0 ||
	    ctx_read_member(message, node, "refusal", CTX_BLOCK_TEXT, err) <
		0 ||
	    ctx_read_member(message, node, "audio", CTX_BLOCK_MEDIA, err) < 0 ||
	    ctx_read_content(message, ctx_find_list(json, node, "tool_calls"),
		read_chat_tool_call, err) < 0)
		return -1;
	call = ctx_json_find(json, node, "function_call");
	if (!ctx_json_is_object(json, call))
		return 0;
	if (read_chat_call_body(message, call, 0, err) < 0)
		return -1;
	message->blocks[message->n - 1].container = node;
	message->blocks[message->n - 1].removable = call - 1;
	return 0;
}

/* Returns the JSON node of the id of the tool call that a tool message answers,
 * or 0 if there is none.  SWE-agent writes the id as the only element of
 * tool_call_ids (agents.py, August 2026). */
static uint32_t
find_answered_id(const struct ctx_json *json, uint32_t node)
{
	uint32_t id = ctx_json_find(json, node, "tool_call_id");
	uint32_t list = ctx_json_find(json, node, "tool_call_ids");

	if (id != 0 || !ctx_json_is_array(json, list))
		return id;
	return ctx_json_at(json, list, 0);
}

int
ctx_openai_chat_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t content;
	int rc;

	if (!ctx_read_role(message, json, node,
		ctx_json_find(json, node, "role")))
		return 0;
	message->name = ctx_json_find(json, node, "name");
	content = ctx_json_find(json, node, "content");
	switch (message->role) {
	case CTX_ROLE_ASSISTANT:
		rc = read_chat_assistant(message, node, err);
		break;
	case CTX_ROLE_TOOL:
		rc = ctx_read_result(message, content,
		    find_answered_id(json, node), message->name,
		    read_chat_block, err);
		break;
	default:
		rc = ctx_read_content(message, content, read_chat_block, err);
		break;
	}
	return rc < 0 ? -1 : 1;
}

/* A message with only role and content is possible in many formats, and means
 * the same in all of them.  The functions above read it.  A content block that
 * they do not know becomes opaque, and is only removed with its whole
 * message. */
const char *
ctx_generic_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t role = ctx_json_find(json, node, "role");

	/* A message that has "parts" and no "content" is of a format that ctx
	 * does not know.  Such a message is not read as "generic", because the
	 * tokens of its parts would not be counted. */
	if (!ctx_json_is_string(json, role) ||
	    (ctx_json_find(json, node, "content") == 0 &&
		ctx_find_list(json, node, "parts") != 0))
		return NULL;
	return "role and content";
}
