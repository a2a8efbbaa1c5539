/*
 * sharegpt.c - reads messages {"from", "value"}, the format of many training
 * sets
 *
 * Programs that read such sets demand that roles alternate: human and
 * observation at odd positions, gpt and function_call at even ones.  There are
 * no ids; a tool result answers the oldest tool call that has no result yet.
 * In Hermes sets, the text of a gpt message contains the tool calls in
 * <tool_call> tags.  Such a text is read as a text block and as a tool call.
 *
 * Source: data/README of LLaMA-Factory, November 2026.
 */
#include <string.h>

#include "dialect/read.h"

static const struct sharegpt_sender {
	const char *from;
	enum ctx_role role;
	enum ctx_block_kind value;
} kinds[] = {
    {"human", CTX_ROLE_USER, CTX_BLOCK_TEXT},
    {"gpt", CTX_ROLE_ASSISTANT, CTX_BLOCK_TEXT},
    {"system", CTX_ROLE_SYSTEM, CTX_BLOCK_TEXT},
    {"function_call", CTX_ROLE_ASSISTANT, CTX_BLOCK_TOOL_CALL},
    {"observation", CTX_ROLE_TOOL, CTX_BLOCK_TOOL_RESULT},
    {"tool", CTX_ROLE_TOOL, CTX_BLOCK_TOOL_RESULT},
    {"function_response", CTX_ROLE_TOOL, CTX_BLOCK_TOOL_RESULT},
    {"tool_call", CTX_ROLE_ASSISTANT, CTX_BLOCK_TOOL_CALL},
    {"user", CTX_ROLE_USER, CTX_BLOCK_TEXT},
    {"assistant", CTX_ROLE_ASSISTANT, CTX_BLOCK_TEXT},
    {"chatgpt", CTX_ROLE_ASSISTANT, CTX_BLOCK_TEXT},
    {"model", CTX_ROLE_ASSISTANT, CTX_BLOCK_TEXT},
    {"bing", CTX_ROLE_ASSISTANT, CTX_BLOCK_TEXT},
    {"bard", CTX_ROLE_ASSISTANT, CTX_BLOCK_TEXT},
};

const char *
ctx_sharegpt_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t from = ctx_json_find(json, node, "from");

	if (!ctx_json_is_string(json, from) ||
	    ctx_json_find(json, node, "value") == 0 ||
	    ctx_json_find(json, node, "role") != 0)
		return NULL;
	return "from and value";
}

/* Returns true if a JSON string contains the tag <tool_call>, whose first
 * character is written either as < or as an escape such as \u003c. start: the
 * first byte of the tag in the JSON text: the < or the backslash. */
static bool
has_tool_call_tag(struct ctx_str literal, char start)
{
	const char *p = literal.p + 1, *end = literal.p + literal.n - 1;
	uint32_t cp;
	size_t at;

	while ((p = memchr(p, start, (size_t)(end - p))) != NULL) {
		at = (size_t)(p - literal.p);
		if (ctx_json_string_continues(literal, at, "<tool_call>"))
			return true;
		(void)ctx_json_string_next(literal, &at, &cp);
		p = literal.p + at;
	}
	return false;
}

/* Returns true if the string contains the tag <tool_call>.  The character < may
 * be written as the escape \u003c, as programs in Go do. */
static bool
has_tool_calls_in_text(const struct ctx_json *json, uint32_t node)
{
	struct ctx_str literal = ctx_json_str(json, node);

	return json->nodes[node].kind == CTX_JSON_STRING &&
	    (has_tool_call_tag(literal, '<') ||
		(json->nodes[node].escaped &&
		    has_tool_call_tag(literal, '\\')));
}

int
ctx_sharegpt_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct sharegpt_sender other = {"", CTX_ROLE_OTHER,
	    CTX_BLOCK_TEXT};
	uint32_t from = ctx_json_find(json, node, "from");
	uint32_t value = ctx_json_find(json, node, "value");
	const struct sharegpt_sender *kind = &other;
	size_t i;

	if (!ctx_json_is_string(json, from) || value == 0)
		return 0;
	for (i = 0; i < CTX_LENGTH(kinds); i++)
		if (ctx_json_is(json, from, kinds[i].from))
			kind = &kinds[i];
	ctx_message_reset(message, json, node);
	message->role = kind->role;
	message->role_node = from;
	if (ctx_read_block(message, kind->value, value, err) < 0)
		return -1;
	if (kind->role != CTX_ROLE_ASSISTANT || kind->value != CTX_BLOCK_TEXT ||
	    !has_tool_calls_in_text(json, value))
		return 1;
	message->blocks[0].no_truncate = true;
	return ctx_read_call(message, 0, 0, 0, err) < 0 ? -1 : 1;
}
