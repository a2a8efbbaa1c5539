/*
 * bedrock.c - reads messages of the AWS Bedrock Converse API
 *
 * Roles are user and assistant, which must alternate. content is an array of
 * blocks without a type: the only key of a block is its type.  A cachePoint is
 * a block, too, but the model does not see it.
 *
 * Source: ContentBlock and related types in the API reference of the Bedrock
 * runtime, August 2026.
 */
#include "dialect/read.h"

const char *
ctx_bedrock_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const keys[] = {"text", "toolUse", "toolResult",
	    "cachePoint", "image", "document", "reasoningContent", "video",
	    "audio", "guardContent", "citationsContent", "searchResult"};
	uint32_t content = ctx_json_find(json, node, "content"), block;
	size_t i;

	if (!ctx_json_is_array(json, content) ||
	    ctx_json_find(json, node, "role") == 0)
		return NULL;
	block = ctx_json_at(json, content, 0);
	if (block == 0 || ctx_json_find(json, block, "type") != 0)
		return NULL;
	for (i = 0; i < CTX_LENGTH(keys); i++)
		if (ctx_json_find(json, block, keys[i]) != 0)
			return keys[i];
	return NULL;
}

/* Adds a content block that may also be inside a tool result.  Does not read
 * the blocks inside this block. */
static int
read_bedrock_plain_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct {
		const char *key;
		enum ctx_block_kind kind;
	} blocks[] = {
	    {"text", CTX_BLOCK_TEXT},
	    {"image", CTX_BLOCK_MEDIA},
	    {"document", CTX_BLOCK_MEDIA},
	    {"video", CTX_BLOCK_MEDIA},
	    {"audio", CTX_BLOCK_MEDIA},
	    {"json", CTX_BLOCK_OPAQUE},
	};
	uint32_t value;
	size_t i;

	for (i = 0; i < CTX_LENGTH(blocks); i++)
		if ((value = ctx_json_find(json, block, blocks[i].key)) != 0)
			return ctx_read_block(message, blocks[i].kind, value,
			    err);
	return ctx_read_block(message, CTX_BLOCK_OPAQUE, block, err);
}

/* Adds a reasoning block: {"reasoningText": {"text", "signature"}} or, if the
 * reasoning is encrypted, {"redactedContent"}.  The AI SDK writes encrypted
 * reasoning as {"redactedReasoning": {"data"}}. */
static int
read_reasoning(struct ctx_message *message, uint32_t content,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t text = ctx_json_find(json, content, "reasoningText"), value;
	struct ctx_block *block;

	value = text == 0 ? ctx_find_either(json, content, "redactedContent",
				"redactedReasoning")
			  : ctx_json_find(json, text, "text");
	if (text == 0 && ctx_json_is_object(json, value))
		value = ctx_json_find(json, value, "data");
	block = ctx_message_add_block(message, CTX_BLOCK_REASONING, value, err);
	if (block == NULL)
		return -1;
	block->is_encrypted = text == 0;
	if (text != 0)
		block->signature = ctx_json_find(json, text, "signature");
	return 0;
}

/* Adds a tool call.  If it has a member "type", the provider runs the tool,
 * and the arguments must not be shortened. */
static int
read_bedrock_tool_call(struct ctx_message *message, uint32_t call,
    struct ctx_err *err)
{
	if (ctx_read_call_in(message, call, "input", "toolUseId", "name", err) <
	    0)
		return -1;
	message->blocks[message->n - 1].no_truncate =
	    ctx_json_find(message->json, call, "type") != 0;
	return 0;
}

static int
read_bedrock_tool_result(struct ctx_message *message, uint32_t result,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t id = ctx_json_find(json, result, "toolUseId");
	uint32_t body = ctx_json_find(json, result, "content");
	size_t first = message->n;
	int rc;

	rc = ctx_json_find(json, result, "type") != 0
	    ? ctx_read_fixed_result(message, CTX_BLOCK_OPAQUE, body, id, err)
	    : ctx_read_result(message, body, id, 0, read_bedrock_plain_block,
		  err);
	if (rc == 0)
		ctx_read_failure(message, first, result);
	return rc;
}

static int
read_bedrock_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t value;

	if ((value = ctx_json_find(json, block, "toolUse")) != 0)
		return read_bedrock_tool_call(message, value, err);
	if ((value = ctx_json_find(json, block, "toolResult")) != 0)
		return read_bedrock_tool_result(message, value, err);
	if ((value = ctx_json_find(json, block, "reasoningContent")) != 0)
		return read_reasoning(message, value, err);
	if (ctx_json_find(json, block, "cachePoint") != 0)
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, 0, err);
	return read_bedrock_plain_block(json, block, message, err);
}

int
ctx_bedrock_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	return ctx_read_message(message, json, node, "content",
	    read_bedrock_block, err);
}
