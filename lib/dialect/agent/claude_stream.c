/*
 * claude_stream.c - reads the output of "claude -p --output-format stream-json"
 *
 * A line is an object that contains an Anthropic message and other members.  A
 * response of the model has one line per content block.  Lines of other types
 * (init, result, stream_event) contain no message.
 *
 * Messages of a subagent are read, but cost no tokens, because they are not
 * sent to the model of the main conversation.  After a compaction, that model
 * gets a summary which is not in the output.
 *
 * Source: the Claude Code documentation on headless use, August 2026.
 */
#include "dialect/read.h"

const char *
ctx_claude_stream_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const types[] = {"system", "assistant", "user",
	    "result", "stream_event", NULL};
	uint32_t type = ctx_json_find(json, node, "type");

	return type != 0 && ctx_json_find(json, node, "session_id") != 0 &&
		ctx_json_is_any(json, type, types)
	    ? "type and session_id"
	    : NULL;
}

static bool
is_of_subagent(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_is_string(json,
	    ctx_json_find(json, node, "parent_tool_use_id"));
}

int
ctx_claude_stream_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err)
{
	uint32_t message = ctx_json_find(json, node, "message");
	int rc;

	if (message == 0)
		return 0;
	rc = ctx_anthropic_read(json, message, parsed, err);
	if (rc <= 0)
		return rc;
	parsed->time = ctx_json_find(json, node, "timestamp");
	if (is_of_subagent(json, node))
		parsed->flags |= CTX_MESSAGE_HIDDEN;
	return 1;
}

void
ctx_claude_stream_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	uint32_t message = ctx_json_find(json, node, "message");

	line->model = ctx_json_find(json, node, "model");
	if (message != 0) {
		line->kind = CTX_LINE_MESSAGE;
		line->same = ctx_json_find(json, message, "id");
		/* A subagent may use another model than the agent. */
		line->model = is_of_subagent(json, node)
		    ? 0
		    : ctx_claude_model(json, message);
		return;
	}
	if (ctx_json_is(json, ctx_json_find(json, node, "subtype"),
		"compact_boundary"))
		line->kind = CTX_LINE_SUMMARY;
}
