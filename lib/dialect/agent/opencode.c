/*
 * opencode.c - reads messages of an opencode export
 *
 * A message is {"info", "parts"}.  A tool part has both a tool call and its
 * result, so call and result can only be kept or removed together. opencode
 * does not send to the model: tool results that it has compacted, and parts for
 * steps, snapshots and patches.
 *
 * To compact a conversation, opencode writes two messages: a user message that
 * asks for a summary (its part has the type compaction), and the model's
 * summary.  Once the summary is finished, opencode no longer sends the messages
 * before these two messages.
 *
 * Sources: the format notes of txcript; message-v2.ts and the export of
 * opencode; August 2026.
 */
#include "dialect/read.h"

static bool
is_compaction(const struct ctx_json *json, uint32_t node)
{
	static const char *const types[] = {"compaction", NULL};

	return ctx_has_block(json, ctx_json_find(json, node, "parts"), types) !=
	    NULL;
}

/* Returns the JSON node of an id if this message is a finished summary of
 * opencode, otherwise 0.  The id is that of the user message that asked for the
 * summary. */
static uint32_t
find_summarized_id(const struct ctx_json *json, uint32_t node)
{
	uint32_t info = ctx_json_find(json, node, "info");

	if (info == 0 || !ctx_is_true(json, info, "summary") ||
	    ctx_json_find(json, info, "finish") == 0)
		return 0;
	return ctx_json_find(json, info, "parentID");
}

/* Returns true if this message is a finished summary for which the user message
 * with this id asked. */
static bool
is_summary_of(const struct ctx_json *json, uint32_t node, uint32_t id)
{
	uint32_t parent = find_summarized_id(json, node);

	return parent != 0 && ctx_json_equal(json, parent, id);
}

uint32_t
ctx_opencode_first(const struct ctx_json *json, uint32_t array)
{
	uint32_t node, first = 0, asked = 0, id = 0;

	for (node = array + 1; node < json->nodes[array].next;
	     node = json->nodes[node].next) {
		if (asked != 0 && is_summary_of(json, node, id))
			first = asked;
		if (!is_compaction(json, node))
			continue;
		id = ctx_json_find_path(json, node, "info/id");
		asked = id == 0 ? 0 : node;
	}
	return first;
}

const char *
ctx_opencode_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t parts = ctx_json_find(json, node, "parts");

	if (!ctx_json_is_array(json, parts) ||
	    ctx_json_find_path(json, node, "info/role") == 0)
		return NULL;
	return "info and parts";
}

static int
read_opencode_tool(struct ctx_message *message, uint32_t part,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t state = ctx_json_find(json, part, "state"), body;
	uint32_t id = ctx_json_find(json, part, "callID");
	uint32_t name = ctx_json_find(json, part, "tool");

	if (ctx_read_call(message,
		ctx_json_find_path(json, part, "state/input"), id, name,
		err) < 0)
		return -1;
	if (state == 0)
		return 0;
	body = ctx_find_either(json, state, "output", "error");
	if (body == 0)
		return 0;
	if (ctx_json_find_path(json, state, "time/compacted") != 0)
		body = 0;
	if (ctx_read_result(message, body, id, name, NULL, err) < 0)
		return -1;
	ctx_read_failure(message, 0, state);
	return 0;
}

static int
read_opencode_part(const struct ctx_json *json, uint32_t part,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"reasoning", "text", CTX_BLOCK_REASONING},
	    {"file", "url", CTX_BLOCK_MEDIA},
	    {"subtask", "prompt", CTX_BLOCK_TEXT},
	    {"snapshot", NULL, CTX_BLOCK_OPAQUE},
	    {"patch", NULL, CTX_BLOCK_OPAQUE},
	    {"agent", NULL, CTX_BLOCK_OPAQUE},
	    {"retry", NULL, CTX_BLOCK_OPAQUE},
	    {"compaction", NULL, CTX_BLOCK_OPAQUE},
	};
	uint32_t type = ctx_json_find(json, part, "type");

	if (ctx_json_is(json, type, "step-start") ||
	    ctx_json_is(json, type, "step-finish"))
		return 0;
	if (ctx_json_is(json, type, "tool"))
		return read_opencode_tool(message, part, err);
	if (ctx_is_true(json, part, "ignored"))
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, 0, err);
	if (ctx_read_typed(message, part, rows, CTX_LENGTH(rows), err) < 0)
		return -1;
	ctx_read_encryption(message, part, "metadata");
	return 0;
}

/* Returns the JSON node of the model's name.  An assistant message has the name
 * in the member modelID; a user message has the name in an object that
 * describes the model that must answer. */
uint32_t
ctx_opencode_model(const struct ctx_json *json, uint32_t node)
{
	uint32_t model = ctx_json_find_path(json, node, "info/modelID");

	return model != 0
	    ? model
	    : ctx_json_find_path(json, node, "info/model/modelID");
}

int
ctx_opencode_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t info = ctx_json_find(json, node, "info");

	if (info == 0 ||
	    !ctx_read_role(message, json, node,
		ctx_json_find(json, info, "role")))
		return 0;
	message->model = ctx_opencode_model(json, node);
	message->time = ctx_json_find_path(json, info, "time/created");
	/* The two messages of a compaction (the request for a summary, and the
	 * summary) are never removed.  Without them opencode would send the
	 * messages that the summary replaces. */
	if (is_compaction(json, node))
		message->flags |= CTX_MESSAGE_META | CTX_MESSAGE_PINNED;
	if (ctx_is_true(json, info, "summary"))
		message->flags |= CTX_MESSAGE_PINNED;
	return ctx_read_content(message, ctx_json_find(json, node, "parts"),
		   read_opencode_part, err) < 0
	    ? -1
	    : 1;
}

void
ctx_opencode_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	if (ctx_opencode_is(json, node) == NULL)
		return;
	line->kind = CTX_LINE_MESSAGE;
	line->id = ctx_json_find_path(json, node, "info/id");
	line->model = ctx_opencode_model(json, node);
	line->about = find_summarized_id(json, node);
	if (line->about != 0)
		line->kind = CTX_LINE_SUMMARY;
	else if (is_compaction(json, node))
		line->flags = CTX_LINE_ASKS;
}
