/*
 * langchain.c - reads LangChain messages, in the three ways in which LangChain
 * writes them
 *
 * messages_to_dict writes {"type", "data"}, dumps writes a constructor with
 * kwargs, model_dump writes one flat object.  Tool calls are in tool_calls,
 * malformed ones in invalid_tool_calls.  The content and additional_kwargs may
 * contain the same tool calls in the provider's format; the copies are not
 * counted.
 *
 * Source: langchain_core/messages, August 2026.
 */
#include "dialect/read.h"

static const struct message_class {
	const char *type, *class, *chunk;
	enum ctx_role role;
	/* true if other formats have a message type with this name, too */
	bool common;
} kinds[] = {
    {"human", "HumanMessage", "HumanMessageChunk", CTX_ROLE_USER, false},
    {"ai", "AIMessage", "AIMessageChunk", CTX_ROLE_ASSISTANT, false},
    {"system", "SystemMessage", "SystemMessageChunk", CTX_ROLE_SYSTEM, true},
    {"tool", "ToolMessage", "ToolMessageChunk", CTX_ROLE_TOOL, true},
    {"function", "FunctionMessage", "FunctionMessageChunk", CTX_ROLE_TOOL,
	true},
    {"chat", "ChatMessage", "ChatMessageChunk", CTX_ROLE_OTHER, true},
};

/* Returns the row of the table for a message type or class of LangChain by its
 * name, such as "ai" or "AIMessage", or NULL if LangChain has no such name. */
static const struct message_class *
find_message_class(const struct ctx_json *json, uint32_t name)
{
	const struct message_class *kind = kinds;

	for (; name != 0 && kind < kinds + CTX_LENGTH(kinds); kind++)
		if (ctx_json_is(json, name, kind->type) ||
		    ctx_json_is(json, name, kind->class) ||
		    ctx_json_is(json, name, kind->chunk))
			return kind;
	return NULL;
}

/* Adds a reasoning block of Bedrock's Converse API, as langchain_aws writes
 * it. */
static int
read_converse_reasoning(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t body = ctx_find_either(json, block, "reasoning_content",
	    "reasoningContent");
	uint32_t text = 0, sealed = 0;

	if (body != 0) {
		text = ctx_json_find(json, body, "text");
		sealed = ctx_find_either(json, body, "redacted_content",
		    "redactedContent");
	}
	if (ctx_read_block(message, CTX_BLOCK_REASONING,
		sealed != 0 ? sealed : text, err) < 0)
		return -1;
	message->blocks[message->n - 1].is_encrypted = sealed != 0;
	return 0;
}

/* LangChain wraps a block that it does not know into another block.  Returns
 * the inner block, or the block itself if it is not wrapped. */
static uint32_t
unwrap_block(const struct ctx_json *json, uint32_t block)
{
	uint32_t type = ctx_json_find(json, block, "type");
	uint32_t value = ctx_json_find(json, block, "value");

	return value != 0 && ctx_json_is(json, type, "non_standard") ? value
								     : block;
}

/* Adds a content block that is neither a tool call nor a tool result. */
static int
read_langchain_plain_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"text-plain", "text", CTX_BLOCK_TEXT},
	    {"output_text", "text", CTX_BLOCK_TEXT},
	    {"refusal", "refusal", CTX_BLOCK_TEXT},
	    {"reasoning", "reasoning", CTX_BLOCK_REASONING},
	    {"image_url", "image_url", CTX_BLOCK_MEDIA},
	    {"input_audio", "input_audio", CTX_BLOCK_MEDIA},
	    {"image", "source", CTX_BLOCK_MEDIA},
	    {"document", "source", CTX_BLOCK_MEDIA},
	    {"audio", "base64", CTX_BLOCK_MEDIA},
	    {"video", "base64", CTX_BLOCK_MEDIA},
	    {"file", "base64", CTX_BLOCK_MEDIA},
	    {"media", "data", CTX_BLOCK_MEDIA},
	};

	uint32_t inner = unwrap_block(json, block);
	uint32_t type = ctx_json_find(json, inner, "type");

	if (json->nodes[block].kind == CTX_JSON_STRING)
		return ctx_read_block(message, CTX_BLOCK_TEXT, block, err);
	if (ctx_json_is(json, type, "thinking") ||
	    ctx_json_is(json, type, "redacted_thinking"))
		return ctx_read_thinking(message, inner, err);
	if (ctx_json_is(json, type, "reasoning_content"))
		return read_converse_reasoning(message, inner, err);
	/* The Responses API refuses reasoning without the item that came after
	 * it.  So a reasoning item is not read as a reasoning block, which ctx
	 * could remove alone. */
	if (ctx_json_find(json, block, "summary") != 0 ||
	    ctx_json_find(json, block, "encrypted_content") != 0)
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, block, err);
	return ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err);
}

static int
read_langchain_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(json, block, "type");

	if (ctx_json_is(json, type, "tool_call") ||
	    ctx_json_is(json, type, "tool_use") ||
	    ctx_json_is(json, type, "server_tool_call"))
		return ctx_read_call(message,
		    ctx_find_either(json, block, "args", "input"),
		    ctx_json_find(json, block, "id"),
		    ctx_json_find(json, block, "name"), err);
	if (ctx_json_is(json, type, "server_tool_result"))
		return ctx_read_fixed_result(message, CTX_BLOCK_OPAQUE,
		    ctx_json_find(json, block, "output"),
		    ctx_json_find(json, block, "tool_call_id"), err);
	if (ctx_json_is(json, type, "tool_result"))
		return ctx_read_result(message,
		    ctx_json_find(json, block, "content"),
		    ctx_json_find(json, block, "tool_use_id"), 0,
		    read_langchain_plain_block, err);
	return read_langchain_plain_block(json, block, message, err);
}

/* Adds a tool call that is an element of an array to the message.  The call is
 * written as {"name", "args", "id"}, or as in Chat Completions: {"id",
 * "function": {"name", "arguments"}}. */
static int
read_langchain_tool_call(const struct ctx_json *json, uint32_t call,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t body = ctx_json_find(json, call, "function");

	if (body == 0)
		body = call;
	return ctx_read_call(message,
	    ctx_find_either(json, body, "args", "arguments"),
	    ctx_json_find(json, call, "id"), ctx_json_find(json, body, "name"),
	    err);
}

/* Adds the tool calls of an assistant message, each once, although a call may
 * be written at several places.  Reads the members tool_calls and
 * invalid_tool_calls.  If both are missing, uses the tool calls in the content,
 * which was read before, or in additional_kwargs. */
static int
read_ai_tool_calls(struct ctx_message *message, uint32_t body, uint32_t extra,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t calls = ctx_find_list(json, body, "tool_calls"), old;
	uint32_t invalid = ctx_find_list(json, body, "invalid_tool_calls");
	bool repeated = calls != 0 || invalid != 0, found = false;
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_CALL)
			continue;
		found = true;
		if (!repeated)
			continue;
		message->blocks[i].kind = CTX_BLOCK_OPAQUE;
		message->blocks[i].payload = 0;
	}
	if (ctx_read_content(message, calls, read_langchain_tool_call, err) <
		0 ||
	    ctx_read_content(message, invalid, read_langchain_tool_call, err) <
		0)
		return -1;
	if (repeated || found || extra == 0)
		return 0;
	if (ctx_read_content(message, ctx_find_list(json, extra, "tool_calls"),
		read_langchain_tool_call, err) < 0)
		return -1;
	old = ctx_json_find(json, extra, "function_call");
	if (!ctx_json_is_object(json, old))
		return 0;
	return ctx_read_call(message, ctx_json_find(json, old, "arguments"), 0,
	    ctx_json_find(json, old, "name"), err);
}

/* Adds the thinking that ChatBedrock stores outside the content.  If the
 * content is an array, the block has no payload, because ChatBedrock then does
 * not send the thinking. */
static int
read_kept_thinking(struct ctx_message *message, uint32_t body, uint32_t extra,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t text = ctx_json_find_path(json, extra, "thinking/text");
	size_t first = message->n;

	if (text == 0)
		return 0;
	if (ctx_read_member(message, extra, "thinking", CTX_BLOCK_REASONING,
		err) < 0)
		return -1;
	message->blocks[first].is_copy =
	    ctx_json_is_array(json, ctx_json_find(json, body, "content"));
	message->blocks[first].payload =
	    message->blocks[first].is_copy ? 0 : text;
	return 0;
}

/* Returns the JSON node of the model's name. body: JSON node of the object with
 * the members of the message. */
static uint32_t
find_model_in(const struct ctx_json *json, uint32_t body)
{
	uint32_t about = ctx_json_find(json, body, "response_metadata");

	return about == 0 ? 0
			  : ctx_find_either(json, about, "model_name", "model");
}

uint32_t
ctx_langchain_model(const struct ctx_json *json, uint32_t node)
{
	uint32_t body = ctx_find_either(json, node, "kwargs", "data");

	return find_model_in(json, body != 0 ? body : node);
}

static int
read_ai(struct ctx_message *message, uint32_t body, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t extra = ctx_json_find(json, body, "additional_kwargs");

	message->model = find_model_in(json, body);
	if (extra != 0 &&
	    (ctx_read_member(message, extra, "reasoning_content",
		 CTX_BLOCK_REASONING, err) < 0 ||
		read_kept_thinking(message, body, extra, err) < 0))
		return -1;
	if (ctx_read_content(message, ctx_json_find(json, body, "content"),
		read_langchain_block, err) < 0)
		return -1;
	return read_ai_tool_calls(message, body, extra, err);
}

/* Reads a LangChain message. node: JSON node of the message; body: JSON node of
 * the object with the members of the message. */
static int
read_langchain_message(const struct ctx_json *json, uint32_t node,
    uint32_t body, const struct message_class *kind,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t content = ctx_json_find(json, body, "content");
	int rc;

	ctx_message_reset(message, json, node);
	message->role = kind->role;
	message->role_node = ctx_json_find(json, body, "type");
	if (kind->role == CTX_ROLE_OTHER) {
		message->role_node = ctx_json_find(json, body, "role");
		message->role = ctx_role_of(json, message->role_node);
	}
	message->name = ctx_json_find(json, body, "name");
	if (message->name != 0 &&
	    json->nodes[message->name].kind != CTX_JSON_STRING)
		message->name = 0;
	switch (message->role) {
	case CTX_ROLE_ASSISTANT:
		rc = read_ai(message, body, err);
		break;
	case CTX_ROLE_TOOL:
		rc = ctx_read_result(message, content,
		    ctx_json_find(json, body, "tool_call_id"), message->name,
		    read_langchain_plain_block, err);
		ctx_read_failure(message, 0, body);
		break;
	default:
		rc = ctx_read_content(message, content, read_langchain_block,
		    err);
		break;
	}
	return rc < 0 ? -1 : 1;
}

const char *
ctx_langchain_dict_is(const struct ctx_json *json, uint32_t node)
{
	if (ctx_find_object(json, node, "data") == 0 ||
	    find_message_class(json, ctx_json_find(json, node, "type")) == NULL)
		return NULL;
	return "type and data";
}

int
ctx_langchain_dict_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	const struct message_class *kind =
	    find_message_class(json, ctx_json_find(json, node, "type"));
	uint32_t data = ctx_find_object(json, node, "data");

	if (kind == NULL || data == 0)
		return 0;
	return read_langchain_message(json, node, data, kind, message, err);
}

/* Returns the row of the table of message classes for a serialized LangChain
 * message.  The name of the class is the last element of the array "id".
 * Returns NULL if the object is not serialized, or if ctx does not know the
 * class. */
static const struct message_class *
find_serialized_class(const struct ctx_json *json, uint32_t node)
{
	uint32_t id = ctx_find_list(json, node, "id");

	if (id == 0 || ctx_json_find(json, node, "lc") == 0)
		return NULL;
	return find_message_class(json,
	    ctx_json_at(json, id, ctx_json_count(json, id) - 1));
}

const char *
ctx_langchain_lc_is(const struct ctx_json *json, uint32_t node)
{
	if (ctx_find_object(json, node, "kwargs") == 0 ||
	    find_serialized_class(json, node) == NULL)
		return NULL;
	return "lc and kwargs";
}

int
ctx_langchain_lc_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	const struct message_class *kind = find_serialized_class(json, node);
	uint32_t kwargs = ctx_find_object(json, node, "kwargs");

	if (kind == NULL || kwargs == 0)
		return 0;
	return read_langchain_message(json, node, kwargs, kind, message, err);
}

const char *
ctx_langchain_dump_is(const struct ctx_json *json, uint32_t node)
{
	const struct message_class *kind =
	    find_message_class(json, ctx_json_find(json, node, "type"));

	if (kind == NULL || ctx_json_find(json, node, "content") == 0 ||
	    (kind->role != CTX_ROLE_OTHER &&
		ctx_json_find(json, node, "role") != 0))
		return NULL;
	if (kind->common &&
	    ctx_json_find(json, node, "additional_kwargs") == 0 &&
	    ctx_json_find(json, node, "response_metadata") == 0 &&
	    ctx_json_find(json, node, "tool_call_id") == 0)
		return NULL;
	return "type and content";
}

int
ctx_langchain_dump_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	const struct message_class *kind =
	    find_message_class(json, ctx_json_find(json, node, "type"));

	if (kind == NULL || ctx_json_find(json, node, "content") == 0)
		return 0;
	return read_langchain_message(json, node, node, kind, message, err);
}
