/*
 * atif.c - reads steps of Harbor's Agent Trajectory Interchange Format
 *
 * A trajectory is one record with all steps: {"schema_version": "ATIF-v1.7",
 * "agent", "steps"}.  A step of the agent contains the model's text, its tool
 * calls, and the results of these calls (observations).  So a tool call and its
 * result can only be kept or removed together.  An observation without the id
 * of a tool call is read as content of the message.
 *
 * Sources: RFC 0001 of Harbor (v1.4) and Harbor's models of v1.7, November
 * 2026.
 */
#include "dialect/read.h"

static const struct ctx_word sources[] = {
    {"user", CTX_ROLE_USER},
    {"agent", CTX_ROLE_ASSISTANT},
    {"system", CTX_ROLE_SYSTEM},
    {NULL, CTX_ROLE_OTHER},
};

const char *
ctx_atif_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t source = ctx_json_find(json, node, "source");

	return ctx_look_up_word(json, source, sources) != CTX_ROLE_OTHER &&
		ctx_json_find(json, node, "step_id") != 0 &&
		ctx_json_find(json, node, "message") != 0
	    ? "step_id"
	    : NULL;
}

static int
read_atif_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"image", "source", CTX_BLOCK_MEDIA},
	};

	(void)json;
	return ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err);
}

static int
read_atif_tool_call(const struct ctx_json *json, uint32_t call,
    struct ctx_message *message, struct ctx_err *err)
{
	(void)json;
	return ctx_read_call_in(message, call, "arguments", "tool_call_id",
	    "function_name", err);
}

/* Returns the JSON node of the step's tool call with this id, or 0 if there is
 * none. */
static uint32_t
find_tool_call(const struct ctx_json *json, uint32_t calls, uint32_t id)
{
	uint32_t call = 0, own;

	if (!ctx_json_is_string(json, id))
		return 0;
	while (ctx_json_next_element(json, calls, &call)) {
		own = ctx_json_find(json, call, "tool_call_id");
		if (own != 0 && ctx_json_equal(json, own, id))
			return call;
	}
	return 0;
}

/* Adds to the message the results of a step's tool calls.  A result contains
 * the id of its tool call.  Of a result without such an id, only the blocks of
 * its content are added. */
static int
read_atif_tool_results(struct ctx_message *message, uint32_t results,
    uint32_t calls, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t result = 0, id, body, call;
	size_t first;
	int rc;

	while (ctx_json_next_element(json, results, &result)) {
		id = ctx_json_find(json, result, "source_call_id");
		body = ctx_json_find(json, result, "content");
		call = find_tool_call(json, calls, id);
		first = message->n;
		if (ctx_json_is_string(json, id))
			rc = ctx_read_result(message, body, id,
			    call == 0
				? 0
				: ctx_json_find(json, call, "function_name"),
			    read_atif_block, err);
		else
			rc = ctx_read_content(message, body, read_atif_block,
			    err);
		if (rc < 0)
			return -1;
		if (first < message->n &&
		    message->blocks[first].removable == 0) {
			message->blocks[first].container = results;
			message->blocks[first].removable = result;
		}
	}
	return 0;
}

int
ctx_atif_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t source = ctx_json_find(json, node, "source");
	uint32_t seen = ctx_json_find(json, node, "observation");
	uint32_t calls = ctx_find_list(json, node, "tool_calls");

	if (!ctx_read_role(message, json, node, source))
		return 0;
	message->role = ctx_look_up_word(json, source, sources);
	message->time = ctx_json_find(json, node, "timestamp");
	message->model = ctx_json_find(json, node, "model_name");
	if (seen != 0)
		seen = ctx_find_list(json, seen, "results");
	return ctx_read_member(message, node, "reasoning_content",
		   CTX_BLOCK_REASONING, err) < 0 ||
		ctx_read_content(message, ctx_json_find(json, node, "message"),
		    read_atif_block, err) < 0 ||
		ctx_read_content(message, calls, read_atif_tool_call, err) <
		    0 ||
		read_atif_tool_results(message, seen, calls, err) < 0
	    ? -1
	    : 1;
}
