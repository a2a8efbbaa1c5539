/*
 * pi.c - reads session files of the pi coding agent
 *
 * A file has a header, and then lines {"type", "id", "parentId"} that form a
 * tree, because parentId is the id of another line.  The context (the messages
 * that pi sends) is the path from the root to the last line.  If the path
 * contains a compaction, the context is the summary of the compaction, and the
 * lines from firstKeptEntryId on.  Version 1 had no ids: the parent of each
 * line is the line before it.
 *
 * Source: session-manager.ts, messages.ts and docs/session.md of pi-mono
 * (version 3), March 2026.
 */
#include "dialect/read.h"

/* Returns true if pi's sessions have lines of this type.  A member parentId
 * alone does not identify pi, because lines of other formats have it, too. */
static bool
is_entry(const struct ctx_json *json, uint32_t type)
{
	static const char *const types[] = {"message", "compaction",
	    "branch_summary", "custom", "custom_message", "label",
	    "model_change", "thinking_level_change", "session_info", NULL};

	return ctx_json_is_any(json, type, types);
}

const char *
ctx_pi_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t type = ctx_json_find(json, node, "type");

	if (!ctx_json_is_string(json, type))
		return NULL;
	if (ctx_json_find(json, node, "parentId") != 0 && is_entry(json, type))
		return "type and parentId";
	if (ctx_json_is(json, type, "session") &&
	    ctx_json_find(json, node, "cwd") != 0)
		return "type session";
	if (ctx_json_is(json, type, "message") &&
	    ctx_json_find_path(json, node, "message/role") != 0)
		return "type message";
	return NULL;
}

/* Returns true if a string is the JSON text of an item with encrypted content:
 * the content is then a part of the string. */
static bool
has_encrypted_content(const struct ctx_json *json, uint32_t node)
{
	static const char *const item[] = {"{", NULL};

	return ctx_begins(json, node, item) &&
	    ctx_encrypted_text(json, node).n + 2 < ctx_json_str(json, node).n;
}

/* Adds a reasoning block.  "thinkingSignature" is a signature; or the JSON text
 * of a reasoning item of OpenAI's Responses API; or, with Chat Completions, the
 * name of the member of the message in which the reasoning is sent.  Of an
 * item, the encrypted content is sent; the readable text beside it is a summary
 * for people. */
static int
read_pi_thinking(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t text = ctx_json_find(json, block, "thinking");
	uint32_t sealed = ctx_json_find(json, block, "thinkingSignature");
	bool encrypted = ctx_json_is_string(json, sealed) &&
	    !ctx_json_is(json, sealed, "") &&
	    (ctx_json_is(json, text, "") ||
		ctx_is_true(json, block, "redacted") ||
		has_encrypted_content(json, sealed));

	if (ctx_read_block(message, CTX_BLOCK_REASONING,
		encrypted       ? sealed
		    : text != 0 ? text
				: block,
		err) < 0)
		return -1;
	message->blocks[message->n - 1].is_encrypted = encrypted;
	message->blocks[message->n - 1].signature = sealed;
	return 0;
}

static int
read_pi_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"image", "data", CTX_BLOCK_MEDIA},
	};
	uint32_t type = ctx_json_find(json, block, "type");

	if (ctx_json_is(json, type, "toolCall"))
		return ctx_read_call_in(message, block, "arguments", "id",
		    "name", err);
	if (ctx_json_is(json, type, "thinking"))
		return read_pi_thinking(message, block, err);
	return ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err);
}

static int
read_pi_assistant(struct ctx_message *parsed, uint32_t message,
    struct ctx_err *err)
{
	const struct ctx_json *json = parsed->json;
	uint32_t stop = ctx_json_find(json, message, "stopReason");

	parsed->role = CTX_ROLE_ASSISTANT;
	parsed->model = ctx_json_find(json, message, "model");
	/* pi does not send a response that failed or was aborted to the
	 * model. */
	if (ctx_json_is(json, stop, "error") ||
	    ctx_json_is(json, stop, "aborted"))
		parsed->flags |= CTX_MESSAGE_HIDDEN;
	return ctx_read_content(parsed, ctx_json_find(json, message, "content"),
	    read_pi_block, err);
}

/* Adds a summary, a shell command with its output, or a custom message. pi
 * sends these with the role user. */
static int
read_inserted_message(struct ctx_message *message, uint32_t obj,
    struct ctx_err *err)
{
	static const char *const keys[] = {"summary", "command", "output"};
	const struct ctx_json *json = message->json;
	uint32_t value;
	size_t i;

	message->role = CTX_ROLE_USER;
	message->flags |= CTX_MESSAGE_META;
	if (ctx_is_true(json, obj, "excludeFromContext"))
		message->flags |= CTX_MESSAGE_HIDDEN;
	for (i = 0; i < CTX_LENGTH(keys); i++) {
		value = ctx_json_find(json, obj, keys[i]);
		if (ctx_json_is_string(json, value) &&
		    ctx_read_block(message, CTX_BLOCK_TEXT, value, err) < 0)
			return -1;
	}
	return ctx_read_content(message, ctx_json_find(json, obj, "content"),
	    read_pi_block, err);
}

static int
read_pi_message(struct ctx_message *parsed, uint32_t message,
    struct ctx_err *err)
{
	const struct ctx_json *json = parsed->json;
	uint32_t role = ctx_json_find(json, message, "role");

	if (!ctx_json_is_string(json, role))
		return 0;
	parsed->role_node = role;
	if (ctx_json_is(json, role, "assistant"))
		return read_pi_assistant(parsed, message, err) < 0 ? -1 : 1;
	if (ctx_json_is(json, role, "user")) {
		parsed->role = CTX_ROLE_USER;
		return ctx_read_content(parsed,
			   ctx_json_find(json, message, "content"),
			   read_pi_block, err) < 0
		    ? -1
		    : 1;
	}
	if (ctx_json_is(json, role, "toolResult")) {
		parsed->role = CTX_ROLE_TOOL;
		if (ctx_read_result(parsed,
			ctx_json_find(json, message, "content"),
			ctx_json_find(json, message, "toolCallId"),
			ctx_json_find(json, message, "toolName"), read_pi_block,
			err) < 0)
			return -1;
		ctx_read_failure(parsed, 0, message);
		return 1;
	}
	return read_inserted_message(parsed, message, err) < 0 ? -1 : 1;
}

int
ctx_pi_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(json, node, "type"), message;

	ctx_message_reset(parsed, json, node);
	parsed->time = ctx_json_find(json, node, "timestamp");
	if (ctx_json_is(json, type, "message")) {
		message = ctx_json_find(json, node, "message");
		return message == 0 ? 0 : read_pi_message(parsed, message, err);
	}
	if (ctx_json_is(json, type, "compaction"))
		parsed->flags |= CTX_MESSAGE_PINNED;
	else if (!ctx_json_is(json, type, "branch_summary") &&
	    !ctx_json_is(json, type, "custom_message"))
		return 0;
	return read_inserted_message(parsed, node, err) < 0 ? -1 : 1;
}

void
ctx_pi_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	static const struct {
		const char *type;
		enum ctx_line_kind kind;
		const char *about;
	} kinds[] = {
	    {"session", CTX_LINE_ASIDE, NULL},
	    {"message", CTX_LINE_MESSAGE, NULL},
	    {"compaction", CTX_LINE_SUMMARY, "firstKeptEntryId"},
	    {"branch_summary", CTX_LINE_MESSAGE, NULL},
	    {"custom_message", CTX_LINE_MESSAGE, NULL},
	    {"label", CTX_LINE_LINK, "targetId"},
	};
	static const struct ctx_word levels[] = {
	    {"off", CTX_THINKING_OFF},
	    {"minimal", CTX_THINKING_ON},
	    {"low", CTX_THINKING_ON + 1},
	    {"medium", CTX_THINKING_ON + 2},
	    {"high", CTX_THINKING_ON + 3},
	    {"xhigh", CTX_THINKING_ON + 4},
	    {NULL, CTX_THINKING_UNKNOWN},
	};
	uint32_t type = ctx_json_find(json, node, "type"), message;
	size_t i;

	if (type == 0)
		return;
	line->id = ctx_json_find(json, node, "id");
	line->parent_key = "parentId";
	line->parent = ctx_json_find(json, node, line->parent_key);
	line->kind = CTX_LINE_LINK;
	for (i = 0; i < CTX_LENGTH(kinds); i++) {
		if (!ctx_json_is(json, type, kinds[i].type))
			continue;
		line->kind = kinds[i].kind;
		if (kinds[i].about != NULL)
			line->about = ctx_json_find(json, node, kinds[i].about);
	}
	line->model = ctx_json_find(json, node, "modelId");
	line->thinking = ctx_look_up_word(json,
	    ctx_json_find(json, node, "thinkingLevel"), levels);
	message = ctx_json_find(json, node, "message");
	if (message != 0)
		line->model = ctx_json_find(json, message, "model");
}
