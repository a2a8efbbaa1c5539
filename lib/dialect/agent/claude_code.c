/*
 * claude_code.c - reads session files of Claude Code
 *
 * A line is an object that contains an Anthropic message and other members,
 * such as ids.  Each line contains the id of its parent, so the lines form a
 * tree.  Claude Code sends the messages on the path from the root to the end of
 * the newest branch.  A compaction starts a new root.
 *
 * A response of the model has one line per content block; these lines contain
 * the same message id.
 *
 * Source: _internal/sessions.py of claude-agent-sdk-python (the official
 * reader), August 2026.  NOTES.md lists what the official reader leaves out.
 */
#include "dialect/read.h"

static bool
has_string(const struct ctx_json *json, uint32_t node, const char *key)
{
	return ctx_json_is_string(json, ctx_json_find(json, node, key));
}

/* Finds the texts that a line of the type attachment adds to the conversation.
 *
 * If the attachment is a prompt that was queued while the agent worked, sets
 * *queued to true, and returns the JSON node of the prompt: a string or an
 * array of blocks.
 *
 * Otherwise sets *queued to false, and returns the node of the line's member
 * "rendered": an array of objects with a member "content".  Returns 0 if there
 * is no such member.  Then the line adds nothing, or it is of a version of
 * Claude Code before about 2.1.259: those versions did not store what they
 * sent, and ctx does not count it. */
static uint32_t
find_attached(const struct ctx_json *json, uint32_t node, bool *queued)
{
	uint32_t attachment = ctx_json_find(json, node, "attachment");

	*queued = ctx_json_is(json, ctx_json_find(json, attachment, "type"),
	    "queued_command");
	return *queued ? ctx_json_find(json, attachment, "prompt")
		       : ctx_find_list(json, node, "rendered");
}

const char *
ctx_claude_code_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t type = ctx_json_find(json, node, "type");

	if (!ctx_json_is_string(json, type))
		return NULL;
	if (ctx_json_find(json, node, "parentUuid") != 0)
		return "type and parentUuid";
	if (ctx_json_find(json, node, "leafUuid") != 0)
		return "type and leafUuid";
	if (ctx_json_find(json, node, "sessionId") != 0)
		return "type and sessionId";
	if (ctx_json_is(json, type, "file-history-snapshot"))
		return "type file-history-snapshot";
	return NULL;
}

/* Returns true if the user typed a queued prompt.  Returns false if another
 * agent or Claude Code wrote it. */
static bool
is_typed_by_user(const struct ctx_json *json, uint32_t attachment)
{
	uint32_t origin = ctx_find_object(json, attachment, "origin");

	if (ctx_is_true(json, attachment, "isMeta"))
		return false;
	return origin != 0
	    ? ctx_json_is(json, ctx_json_find(json, origin, "kind"), "human")
	    : ctx_json_is(json, ctx_json_find(json, attachment, "commandMode"),
		  "prompt");
}

/* Reads a line of the type attachment.  Returns 1, or 0 if it is not sent to
 * the model, or -1 with *err. */
static int
read_attached(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err)
{
	bool queued;
	uint32_t attached = find_attached(json, node, &queued), element = 0;
	int rc = 1;

	if (attached == 0)
		return 0;
	ctx_message_reset(parsed, json, node);
	parsed->role = CTX_ROLE_USER;
	parsed->flags |= CTX_MESSAGE_ATTACHMENT | CTX_MESSAGE_ATTACH_PREVIOUS;
	if (!queued ||
	    !is_typed_by_user(json, ctx_json_find(json, node, "attachment")))
		parsed->flags |= CTX_MESSAGE_META;
	if (queued)
		rc = ctx_anthropic_read_content(parsed, attached, err);
	while (!queued && rc >= 0 &&
	    ctx_json_next_element(json, attached, &element))
		rc = ctx_anthropic_read_content(parsed,
		    ctx_json_find(json, element, "content"), err);
	/* A queued prompt may be in the line twice: as typed, and in the member
	 * "rendered" with an explanation for the model.  ctx reads the typed
	 * prompt, but Claude Code sends "rendered", so that a shorter prompt
	 * would save nothing. */
	for (size_t i = 0; i < parsed->n; i++)
		parsed->blocks[i].no_truncate =
		    queued && ctx_find_list(json, node, "rendered") != 0;
	return rc < 0 ? -1 : 1;
}

/* Reads the message of a line.  Returns 1, or 0 if the line has none, or -1
 * with *err. */
static int
read_line_message(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err)
{
	static const char *const types[] = {"user", "assistant", NULL};
	uint32_t type = ctx_json_find(json, node, "type");
	uint32_t message = ctx_json_find(json, node, "message");

	if (ctx_json_is(json, type, "attachment"))
		return read_attached(json, node, parsed, err);
	return message == 0 || ctx_json_is_any(json, type, types) == NULL
	    ? 0
	    : ctx_anthropic_read(json, message, parsed, err);
}

int
ctx_claude_code_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err)
{
	bool summary = ctx_is_true(json, node, "isCompactSummary");
	int rc = read_line_message(json, node, parsed, err);

	if (rc <= 0)
		return rc;
	parsed->time = ctx_json_find(json, node, "timestamp");
	if (summary)
		parsed->flags |= CTX_MESSAGE_META | CTX_MESSAGE_PINNED;
	if (ctx_is_true(json, node, "isMeta"))
		parsed->flags |= CTX_MESSAGE_META;
	if (ctx_is_true(json, node, "isApiErrorMessage") ||
	    (ctx_is_true(json, node, "isVisibleInTranscriptOnly") && !summary))
		parsed->flags |= CTX_MESSAGE_HIDDEN;
	return 1;
}

uint32_t
ctx_claude_model(const struct ctx_json *json, uint32_t message)
{
	uint32_t model = ctx_json_find(json, message, "model");

	return ctx_json_is(json, model, "<synthetic>") ? 0 : model;
}

/* Returns true if a line says that the user has resumed the session (in a line
 * of a hook) or has ended it with /exit. */
static bool
says_restart(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_is(json,
		   ctx_json_find_path(json, node, "data/hookName"),
		   "SessionStart:resume") ||
	    ctx_json_starts_with(json,
		ctx_json_find_path(json, node, "message/content"),
		"<command-name>/exit<");
}

/* Returns the setting of the model's thinking after a message of the user.
 * Claude Code switches thinking off for a message without thinkingMetadata,
 * such as the text of a skill (versions 2.0.64 to 2.1.42). */
static unsigned
read_thinking(const struct ctx_json *json, uint32_t node)
{
	uint32_t setting = ctx_json_find(json, node, "thinkingMetadata");

	return setting == 0 || ctx_is_true(json, setting, "disabled")
	    ? CTX_THINKING_OFF
	    : CTX_THINKING_ON;
}

/* Returns true if the content of a line is only reasoning.  Claude Code 2.1.42
 * to 2.1.193 did not send such a response again (7 of 7 in public sessions,
 * November 2026).  Versions 2.1.7 to 2.1.25 did (6 of 6); but these responses
 * had at most 412 tokens, so the version is not read. */
static bool
has_only_reasoning(const struct ctx_json *json, uint32_t content)
{
	static const char *const types[] = {"thinking", "redacted_thinking",
	    NULL};
	uint32_t block = 0;
	bool found = false;

	while (ctx_json_next_element(json, content, &block)) {
		found = ctx_json_is_any(json,
			    ctx_json_find(json, block, "type"), types) != NULL;
		if (!found)
			break;
	}
	return found;
}

void
ctx_claude_code_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	static const struct ctx_word kinds[] = {
	    {"user", CTX_LINE_MESSAGE},
	    {"assistant", CTX_LINE_MESSAGE},
	    {"progress", CTX_LINE_LINK},
	    {"system", CTX_LINE_LINK},
	    {"attachment", CTX_LINE_LINK},
	    {NULL, CTX_LINE_ASIDE},
	};
	static const char *const results[] = {"tool_result", NULL};
	uint32_t type = ctx_json_find(json, node, "type"), message;
	bool queued;

	line->about = ctx_json_find(json, node, "leafUuid");
	if (!has_string(json, node, "uuid"))
		return;
	line->kind = ctx_look_up_word(json, type, kinds);
	if (ctx_json_is(json, type, "attachment") &&
	    find_attached(json, node, &queued) != 0)
		line->kind = CTX_LINE_ATTACHMENT;
	line->id = ctx_json_find(json, node, "uuid");
	line->parent_key = "parentUuid";
	line->parent = ctx_json_find(json, node, line->parent_key);
	if (ctx_is_true(json, node, "isSidechain") ||
	    has_string(json, node, "teamName"))
		line->flags |= CTX_LINE_SIDE;
	if (ctx_is_true(json, node, "isMeta"))
		line->flags |= CTX_LINE_META;
	if (says_restart(json, node))
		line->flags |= CTX_LINE_RESTART;
	message = ctx_json_find(json, node, "message");
	if (line->kind != CTX_LINE_MESSAGE || message == 0)
		return;
	if (ctx_json_is(json, type, "assistant")) {
		line->flags |= CTX_LINE_ANSWER;
		line->same = ctx_json_find(json, message, "id");
		line->model = ctx_claude_model(json, message);
		line->only_reasoning = has_only_reasoning(json,
		    ctx_json_find(json, message, "content"));
	} else if (ctx_has_block(json, ctx_json_find(json, message, "content"),
		       results) != NULL) {
		line->flags |= CTX_LINE_RESULT;
	} else if (!ctx_is_true(json, node, "isCompactSummary")) {
		line->thinking = read_thinking(json, node);
	}
}
