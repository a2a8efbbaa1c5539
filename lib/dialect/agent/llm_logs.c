/*
 * llm_logs.c - reads the output of "llm logs --json"
 *
 * A row (an object with the prompt and the response) is kept or removed as a
 * whole.  After a row with tool calls, the next row has the tool results and no
 * prompt.  A row without a prompt belongs to the same turn as the row before.
 *
 * Source: cli.py and docs/logging of llm, August 2026.
 */
#include "dialect/read.h"

const char *
ctx_llm_logs_is(const struct ctx_json *json, uint32_t node)
{
	if (ctx_json_find(json, node, "conversation_id") == 0 ||
	    ctx_json_find(json, node, "prompt") == 0 ||
	    ctx_json_find(json, node, "response") == 0)
		return NULL;
	return "prompt and response";
}

/* Adds a text block to the message if the node is a string that is not
 * empty. */
static int
read_log_text(struct ctx_message *message, uint32_t node, struct ctx_err *err)
{
	if (!ctx_json_is_string(message->json, node) ||
	    ctx_json_str(message->json, node).n <= 2)
		return 0;
	return ctx_read_block(message, CTX_BLOCK_TEXT, node, err);
}

static int
read_fragment(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	return read_log_text(message, ctx_json_find(json, block, "content"),
	    err);
}

static int
read_attachment(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	(void)json;
	return ctx_read_block(message, CTX_BLOCK_MEDIA, block, err);
}

static int
read_log_tool_result(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	return ctx_read_result(message, ctx_json_find(json, block, "output"),
	    ctx_json_find(json, block, "tool_call_id"),
	    ctx_json_find(json, block, "name"), NULL, err);
}

static int
read_log_tool_call(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	(void)json;
	return ctx_read_call_in(message, block, "arguments", "tool_call_id",
	    "name", err);
}

/* Adds a block for each element of an array to the message.  The array is the
 * row's member with this key; if it is missing, nothing is added. */
static int
read_list(struct ctx_message *message, const char *key,
    ctx_block_reader *reader, struct ctx_err *err)
{
	return ctx_read_content(message,
	    ctx_find_list(message->json, message->node, key), reader, err);
}

int
ctx_llm_logs_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t prompt = ctx_json_find(json, node, "prompt");
	uint32_t response = ctx_json_find(json, node, "response");
	size_t asked;

	if (prompt == 0 || response == 0)
		return 0;
	ctx_message_reset(message, json, node);
	message->model = ctx_find_model(json, node);
	message->time = ctx_json_find(json, node, "datetime_utc");
	if (read_log_text(message, ctx_json_find(json, node, "system"), err) <
		0 ||
	    read_list(message, "system_fragments", read_fragment, err) < 0)
		return -1;
	asked = message->n;
	if (read_list(message, "prompt_fragments", read_fragment, err) < 0 ||
	    read_log_text(message, prompt, err) < 0 ||
	    read_list(message, "attachments", read_attachment, err) < 0)
		return -1;
	message->role = message->n > asked ? CTX_ROLE_USER : CTX_ROLE_ASSISTANT;
	message->flags |= message->n > asked ? CTX_MESSAGE_WHOLE_TURN
					     : CTX_MESSAGE_ATTACH_PREVIOUS;
	if (read_list(message, "tool_results", read_log_tool_result, err) < 0)
		return -1;
	message->n_prompt_blocks = message->n;
	if (ctx_read_member(message, node, "reasoning", CTX_BLOCK_REASONING,
		err) < 0 ||
	    read_log_text(message, response, err) < 0 ||
	    read_list(message, "tool_calls", read_log_tool_call, err) < 0)
		return -1;
	return 1;
}
