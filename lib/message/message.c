/* message.c - functions for one parsed message and its content blocks */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
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
ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err)
{
	*tool = (struct ctx_str){"", 0};
	if (block->name == 0)
		return 0;
	if (ctx_json_text(json, block->name, scratch, tool, err) < 0)
		return -1;
	tool->p += block->prefix;
	tool->n -= block->prefix;
	return 0;
}

struct ctx_str
ctx_encrypted_text(const struct ctx_json *json, uint32_t node)
{
	static const char key[] = "\\\"encrypted_content\\\":\\\"";
	struct ctx_str text = ctx_json_str(json, node);
	const char *start, *end;

	if (json->nodes[node].kind != CTX_JSON_STRING)
		return (struct ctx_str){"", 0};
	text.p++;
	text.n -= 2;
	start = memmem(text.p, text.n, key, sizeof key - 1);
	if (start == NULL)
		return text;
	start += sizeof key - 1;
	end = memchr(start, '\\', text.n - (size_t)(start - text.p));
	return end == NULL ? (struct ctx_str){"", 0}
			   : (struct ctx_str){start, (size_t)(end - start)};
}

/* Returns true if this member of a reasoning block shows that the reasoning is
 * signed or redacted. key: JSON node of the member's key. */
static bool
is_signature(const struct ctx_json *json, uint32_t key)
{
	static const char *const keys[] = {"signature", "thinkingSignature",
	    "redactedContent", "redacted_content", "redactedReasoning",
	    "redactedData", NULL};
	static const char *const types[] = {"redacted_thinking",
	    "redactedThinking", "redacted-reasoning", "redacted", NULL};

	if (json->nodes[key + 1].kind == CTX_JSON_NULL ||
	    ctx_json_is(json, key + 1, ""))
		return false;
	if (ctx_json_is_any(json, key, keys) ||
	    (ctx_json_is(json, key, "type") &&
		ctx_json_is_any(json, key + 1, types)))
		return true;
	/* In the format of OpenRouter, an encrypted reasoning block has a
	 * member "format", which names the provider's format.
	 * "anthropic-claude-v1" is the format of Claude, whose reasoning is
	 * signed. */
	return ctx_json_is(json, key, "format") &&
	    ctx_json_is(json, key + 1, "anthropic-claude-v1");
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
ctx_block_is_signed(const struct ctx_json *json, const struct ctx_block *block)
{
	uint32_t node = block->removable, end;

	if (block->kind != CTX_BLOCK_REASONING || node == 0)
		return false;
	/* A block that is a member of a JSON object is removed together with
	 * its key.  Then "removable" is the node of the key, and the next node
	 * is the block. */
	if (json->nodes[block->container].kind == CTX_JSON_OBJECT)
		node++;
	end = json->nodes[node].next;
	for (; node < end; node++)
		if (json->nodes[node].kind == CTX_JSON_OBJECT &&
		    has_signature(json, node))
			return true;
	return false;
}

bool
ctx_message_is_signed(const struct ctx_message *message)
{
	for (size_t i = 0; i < message->n; i++)
		if (ctx_block_is_signed(message->json, &message->blocks[i]))
			return true;
	return false;
}

bool
ctx_message_is_bound(const struct ctx_message *message,
    enum ctx_binding binding)
{
	return binding == CTX_BINDS_DROPPED
	    ? message->link == CTX_LINK_REASONING
	    : binding == CTX_BINDS_REFUSED && ctx_message_is_signed(message);
}

bool
ctx_message_has(const struct ctx_message *message, enum ctx_block_kind kind)
{
	for (size_t i = 0; i < message->n; i++)
		if (message->blocks[i].kind == kind)
			return true;
	return false;
}

bool
ctx_message_was_sent(const struct ctx_message *message)
{
	return message->role == CTX_ROLE_ASSISTANT ||
	    (message->n_prompt_blocks > 0 &&
		message->n_prompt_blocks < message->n);
}

bool
ctx_message_is_from_user(const struct ctx_message *message)
{
	const struct ctx_block *block = message->blocks;

	if (message->flags & CTX_MESSAGE_WHOLE_TURN)
		return true;
	if (message->role != CTX_ROLE_USER ||
	    (message->flags &
		(CTX_MESSAGE_META | CTX_MESSAGE_RESULTS_ONLY |
		    CTX_MESSAGE_ATTACHMENT)))
		return false;
	for (size_t i = 0; i < message->n; i++, block++)
		if (block->kind != CTX_BLOCK_TOOL_RESULT &&
		    block->result_index == 0 && block->payload != 0)
			return true;
	return false;
}

void
ctx_message_reset(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node)
{
	struct ctx_block *blocks = message->blocks;
	size_t cap = message->cap;

	memset(message, 0, sizeof *message);
	message->json = json;
	message->node = node;
	message->blocks = blocks;
	message->cap = cap;
}

void
ctx_message_release(struct ctx_message *message)
{
	free(message->blocks);
	memset(message, 0, sizeof *message);
}

struct ctx_block *
ctx_message_add_block(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t value, struct ctx_err *err)
{
	struct ctx_block *block;

	if (CTX_GROW(message->blocks, message->cap, message->n + 1, err) < 0)
		return NULL;
	block = &message->blocks[message->n++];
	memset(block, 0, sizeof *block);
	block->kind = kind;
	block->payload = value;
	return block;
}
