/*
 * anthropic.c - reads messages of the Anthropic Messages API
 *
 * Roles are user and assistant.  Newer models also accept system messages
 * inside the conversation.  Tool calls are blocks of an assistant message, tool
 * results are blocks of the next user message.  For tools that the provider
 * runs, call and result are both in the assistant message.  Thinking is signed,
 * so a thinking block may be removed but not changed.
 *
 * Source: the message parameter types of anthropic-sdk-python, August 2026.
 */
#include "dialect/read.h"

/* Returns which part of a block shows that it is of Anthropic's format, as a
 * text for users, or NULL if other formats have such blocks, too. */
static const char *
identify_block(const struct ctx_json *json, uint32_t block)
{
	static const char *const types[] = {"tool_use", "tool_result",
	    "server_tool_use", "mcp_tool_use", "search_result",
	    "container_upload", "mid_conv_system", "compaction", NULL};
	uint32_t type = ctx_json_find(json, block, "type");
	const char *word = ctx_json_is_any(json, type, types);

	if (word != NULL)
		return word;
	if ((ctx_json_is(json, type, "image") ||
		ctx_json_is(json, type, "document")) &&
	    ctx_json_find(json, block, "source") != 0)
		return "a block with source";
	return ctx_json_ends_with(json, type, "_tool_result") ? "_tool_result"
							      : NULL;
}

/* Returns why a block is probably of Anthropic's format, as a text for users,
 * or NULL.  The reason is no proof: gateways to Anthropic's models accept such
 * blocks in Chat Completions, too.  In a thinking block of Anthropic, the
 * member thinking is a string; in Mistral's blocks, it is an array. */
static const char *
suggest_from_block(const struct ctx_json *json, uint32_t block)
{
	uint32_t type = ctx_json_find(json, block, "type");

	if (ctx_json_find(json, block, "cache_control") != 0)
		return "cache_control";
	if (ctx_json_is_array(json, ctx_json_find(json, block, "citations")))
		return "citations";
	if (ctx_json_is(json, type, "thinking") &&
	    ctx_json_is_string(json, ctx_json_find(json, block, "thinking")))
		return "thinking";
	return ctx_json_is(json, type, "redacted_thinking")
	    ? "redacted_thinking"
	    : NULL;
}

/* Calls the function tell for each block of a message, until tell returns a
 * reason: a text for users that says why the block is of Anthropic's format.
 * Returns this reason, or NULL if there is none, or if the message can only be
 * a Chat Completions message. */
static const char *
find_reason_in_blocks(const struct ctx_json *json, uint32_t node,
    const char *(*tell)(const struct ctx_json *json, uint32_t block))
{
	uint32_t content = ctx_json_find(json, node, "content"), block = 0;
	const char *why = NULL;

	if (!ctx_json_is_array(json, content) ||
	    ctx_json_find(json, node, "role") == 0 ||
	    ctx_detect_chat(json, node, false) != NULL)
		return NULL;
	while (why == NULL && ctx_json_next_element(json, content, &block))
		why = tell(json, block);
	return why;
}

/* Returns the path of a member that only a whole response of Anthropic has, as
 * a text for users, or NULL if there is none.  The members of the message are
 * in the same object as the other members of the response. */
static const char *
identify_response(const struct ctx_json *json, uint32_t node)
{
	static const char *const paths[] = {"stop_reason",
	    "usage/input_tokens"};
	size_t i;

	if (ctx_json_find(json, node, "role") == 0 ||
	    !ctx_json_is_array(json, ctx_json_find(json, node, "content")))
		return NULL;
	for (i = 0; i < CTX_LENGTH(paths); i++)
		if (ctx_json_find_path(json, node, paths[i]) != 0)
			return paths[i];
	return NULL;
}

const char *
ctx_anthropic_is(const struct ctx_json *json, uint32_t node)
{
	const char *why = identify_response(json, node);

	return why != NULL ? why
			   : find_reason_in_blocks(json, node, identify_block);
}

const char *
ctx_anthropic_likely(const struct ctx_json *json, uint32_t node)
{
	uint32_t role = ctx_json_find(json, node, "role");

	/* A message with the role system is usually a Chat Completions message,
	 * so it does not suggest Anthropic's format. */
	if (ctx_role_of(json, role) == CTX_ROLE_SYSTEM)
		return NULL;
	return find_reason_in_blocks(json, node, suggest_from_block);
}

/* Adds the content of the "source" of an image or document block: plain text as
 * a text block, a list of blocks as one opaque block, anything else as
 * media. */
static int
read_anthropic_source(struct ctx_message *message, uint32_t source,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t type = ctx_json_find(json, source, "type"), value;

	if (ctx_json_is(json, type, "text") &&
	    (value = ctx_json_find(json, source, "data")) != 0)
		return ctx_read_block(message, CTX_BLOCK_TEXT, value, err);
	if (ctx_json_is(json, type, "content") &&
	    (value = ctx_json_find(json, source, "content")) != 0)
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, value, err);
	return ctx_read_block(message, CTX_BLOCK_MEDIA, source, err);
}

/* Adds a content block that may also be inside a tool result.  Does not read
 * the blocks inside this block. */
static int
read_anthropic_plain_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(json, block, "type"), value;

	if (ctx_json_is(json, type, "text") &&
	    (value = ctx_json_find(json, block, "text")) != 0)
		return ctx_read_block(message, CTX_BLOCK_TEXT, value, err);
	if ((ctx_json_is(json, type, "image") ||
		ctx_json_is(json, type, "document")) &&
	    (value = ctx_json_find(json, block, "source")) != 0)
		return read_anthropic_source(message, value, err);
	return ctx_read_block(message, CTX_BLOCK_OPAQUE, block, err);
}

/* Adds a tool result. own: true if the client ran the tool, not the provider.
 * A text may replace the content only if own is true and the content has no
 * references to tools. */
static int
read_anthropic_tool_result(struct ctx_message *message, uint32_t block,
    bool own, struct ctx_err *err)
{
	static const char *const found[] = {"tool_reference", NULL};
	const struct ctx_json *json = message->json;
	uint32_t body = ctx_json_find(json, block, "content");
	uint32_t id = ctx_json_find(json, block, "tool_use_id");
	size_t first = message->n;
	int rc;

	if (own && ctx_has_block(json, body, found) == NULL)
		rc = ctx_read_result(message, body, id, 0,
		    read_anthropic_plain_block, err);
	else
		rc = ctx_read_fixed_result(message, CTX_BLOCK_OPAQUE, body, id,
		    err);
	if (rc == 0)
		ctx_read_failure(message, first, block);
	return rc;
}

/* Adds a tool call. own: true if the client runs the tool; false if the
 * provider does.  If own is false, the arguments must not be shortened: the
 * provider defines the members of the arguments.  It may also run the tool
 * later, when the client sends a paused turn back. */
static int
read_anthropic_tool_call(struct ctx_message *message, uint32_t block, bool own,
    struct ctx_err *err)
{
	if (ctx_read_call_in(message, block, "input", "id", "name", err) < 0)
		return -1;
	message->blocks[message->n - 1].no_truncate = !own;
	message->blocks[message->n - 1].provider_runs = !own;
	ctx_read_caller(message, ctx_json_find(message->json, block, "caller"));
	return 0;
}

static int
read_anthropic_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(json, block, "type");

	if (ctx_json_is(json, type, "tool_use"))
		return read_anthropic_tool_call(message, block, true, err);
	if (ctx_json_is(json, type, "server_tool_use") ||
	    ctx_json_is(json, type, "mcp_tool_use"))
		return read_anthropic_tool_call(message, block, false, err);
	if (ctx_json_is(json, type, "tool_result"))
		return read_anthropic_tool_result(message, block, true, err);
	if (ctx_json_ends_with(json, type, "_tool_result"))
		return read_anthropic_tool_result(message, block, false, err);
	if (ctx_json_is(json, type, "thinking") ||
	    ctx_json_is(json, type, "redacted_thinking"))
		return ctx_read_thinking(message, block, err);
	/* The summary that Anthropic uses instead of everything before it. */
	if (ctx_json_is(json, type, "compaction"))
		message->flags |= CTX_MESSAGE_PINNED;
	return read_anthropic_plain_block(json, block, message, err);
}

int
ctx_anthropic_read_content(struct ctx_message *message, uint32_t content,
    struct ctx_err *err)
{
	return ctx_read_content(message, content, read_anthropic_block, err);
}

int
ctx_anthropic_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc = ctx_read_message(message, json, node, "content",
	    read_anthropic_block, err);

	if (rc <= 0)
		return rc;
	message->model = ctx_find_model(json, node);
	/* Anthropic allows a system message in a conversation only after a user
	 * message, and before an assistant message or at the end.  So ctx keeps
	 * or removes the system message together with the messages before and
	 * after it. */
	if (message->role == CTX_ROLE_SYSTEM)
		message->flags |= CTX_MESSAGE_ATTACH_BOTH;
	return 1;
}
