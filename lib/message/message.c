/* message.c - one message, as spans of its record */
#include <stdlib.h>
#include <string.h>

#include "message/message.h"

const char *
ctx_role_name(enum ctx_role role)
{
	static const char *const names[] = {
	    [CTX_ROLE_OTHER] = "other",
	    [CTX_ROLE_SYSTEM] = "system",
	    [CTX_ROLE_USER] = "user",
	    [CTX_ROLE_ASSISTANT] = "assistant",
	    [CTX_ROLE_TOOL] = "tool",
	};

	return names[role];
}

const char *
ctx_block_kind_name(enum ctx_block_kind kind)
{
	static const char *const names[] = {
	    [CTX_BLOCK_TEXT] = "text",
	    [CTX_BLOCK_REASONING] = "reasoning",
	    [CTX_BLOCK_TOOL_CALL] = "call",
	    [CTX_BLOCK_TOOL_RESULT] = "result",
	    [CTX_BLOCK_MEDIA] = "media",
	    [CTX_BLOCK_OPAQUE] = "opaque",
	};

	return names[kind];
}

int
ctx_block_tool(const struct ctx_json *json, const struct ctx_block *part,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err)
{
	*tool = (struct ctx_str){"", 0};
	if (part->name == 0)
		return 0;
	if (ctx_json_text(json, part->name, scratch, tool, err) < 0)
		return -1;
	tool->p += part->prefix;
	tool->n -= part->prefix;
	return 0;
}

/* Is the member of this key what makes reasoning signed? */
static bool
is_signature(const struct ctx_json *json, uint32_t key)
{
	static const char *const keys[] = {"signature", "thinkingSignature",
	    "redactedContent", "redactedReasoning", "redactedData"};
	static const char *const types[] = {"redacted_thinking",
	    "redactedThinking", "redacted-reasoning"};
	size_t i;

	if (json->nodes[key + 1].kind == CTX_JSON_NULL ||
	    ctx_json_is(json, key + 1, ""))
		return false;
	for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (ctx_json_is(json, key, keys[i]))
			return true;
	for (i = 0; ctx_json_is(json, key, "type") &&
	     i < sizeof types / sizeof types[0];
	     i++)
		if (ctx_json_is(json, key + 1, types[i]))
			return true;
	return false;
}

static bool
has_signature(const struct ctx_json *json, uint32_t object)
{
	uint32_t key = object + 1, end = json->nodes[object].next;

	for (; key < end; key = json->nodes[key + 1].next)
		if (is_signature(json, key))
			return true;
	return false;
}

bool
ctx_block_is_signed(const struct ctx_json *json, const struct ctx_block *part)
{
	uint32_t node = part->child, end;

	if (part->kind != CTX_BLOCK_REASONING || node == 0)
		return false;
	/* A member is taken out by its key, which stands before the value. */
	if (json->nodes[part->parent].kind == CTX_JSON_OBJECT)
		node++;
	end = json->nodes[node].next;
	for (; node < end; node++)
		if (json->nodes[node].kind == CTX_JSON_OBJECT &&
		    has_signature(json, node))
			return true;
	return false;
}

bool
ctx_message_is_signed(const struct ctx_message *view)
{
	size_t i;

	for (i = 0; i < view->n; i++)
		if (ctx_block_is_signed(view->json, &view->parts[i]))
			return true;
	return false;
}

bool
ctx_message_was_sent(const struct ctx_message *view)
{
	return view->role == CTX_ROLE_ASSISTANT ||
	    (view->asked > 0 && view->asked < view->n);
}

void
ctx_message_reset(struct ctx_message *view, const struct ctx_json *json,
    uint32_t node)
{
	struct ctx_block *parts = view->parts;
	size_t cap = view->cap;

	memset(view, 0, sizeof *view);
	view->json = json;
	view->node = node;
	view->parts = parts;
	view->cap = cap;
}

void
ctx_message_release(struct ctx_message *view)
{
	free(view->parts);
	memset(view, 0, sizeof *view);
}

struct ctx_block *
ctx_message_add_block(struct ctx_message *view, enum ctx_block_kind kind,
    uint32_t value, struct ctx_err *err)
{
	struct ctx_block *parts, *part;

	parts =
	    ctx_grow(view->parts, &view->cap, view->n + 1, sizeof *parts, err);
	if (parts == NULL)
		return NULL;
	view->parts = parts;
	part = &parts[view->n++];
	memset(part, 0, sizeof *part);
	part->kind = kind;
	part->value = value;
	return part;
}
