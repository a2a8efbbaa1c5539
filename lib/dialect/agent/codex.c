/*
 * codex.c - reads session files ("rollouts") of Codex
 *
 * Each line is {"timestamp", "type", "payload"}.  Codex sends to the model the
 * items of the Responses API that are in lines of the type response_item.  A
 * line of the type compacted replaces all lines before it.  An event
 * thread_rolled_back removes turns.  Other events only repeat items for
 * display.
 *
 * Source: rollout_reconstruction.rs, context_manager/history.rs and
 * contextual_user_message.rs of openai/codex, August 2026.
 */
#include "dialect/read.h"

enum codex_line_type {
	/* A line of another format, or a line that does not change what the
	 * model gets. */
	NOTHING,
	ITEM,
	COMPACTED,
	LETTER, /* a message that another agent has sent to this agent */
	EVENT,
	TURN, /* settings of Codex for the turn that begins with this line */
};

/* Returns the type of a Codex line.  Sets *payload to the JSON node of the
 * line's payload, or to 0 if the line has no payload. */
static enum codex_line_type
find_line_type(const struct ctx_json *json, uint32_t node, uint32_t *payload)
{
	static const struct ctx_word types[] = {
	    {"response_item", ITEM},
	    {"compacted", COMPACTED},
	    {"inter_agent_communication", LETTER},
	    {"event_msg", EVENT},
	    {"turn_context", TURN},
	    {NULL, NOTHING},
	};
	uint32_t type = ctx_json_find(json, node, "type");

	*payload = ctx_json_find(json, node, "payload");
	return *payload == 0 ? NOTHING : ctx_look_up_word(json, type, types);
}

const char *
ctx_codex_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const others[] = {"session_meta", "world_state",
	    "inter_agent_communication_metadata", NULL};
	uint32_t payload, type;

	if (find_line_type(json, node, &payload) != NOTHING)
		return "type and payload";
	type = ctx_json_find(json, node, "type");
	return payload != 0 && ctx_json_is_any(json, type, others)
	    ? "type and payload"
	    : NULL;
}

/* Returns the JSON node of the array with the messages that Codex kept when it
 * compacted the conversation, or 0 if there is none. */
static uint32_t
find_history(const struct ctx_json *json, uint32_t payload)
{
	uint32_t history = ctx_json_find(json, payload, "replacement_history");

	return ctx_json_is_array(json, history) ? history : 0;
}

/* Returns true if a text of the item begins like those user messages that
 * Codex, not a person, writes. */
static bool
is_context(const struct ctx_json *json, uint32_t item)
{
	static const char *const starts[] = {"# AGENTS.md instructions for ",
	    "<user_instructions>", "<environment_context>", "<skill>",
	    "<user_shell_command>", "<turn_aborted>", "<subagent_notification>",
	    NULL};
	uint32_t content = ctx_json_find(json, item, "content"), block = 0;

	while (ctx_json_next_element(json, content, &block))
		if (ctx_begins(json, ctx_json_find(json, block, "text"),
			starts))
			return true;
	return false;
}

/* Adds the text of a content block to the message.  A block without text
 * becomes an opaque block (one whose type ctx does not know).  Used for
 * messages from other agents, and for messages that Codex kept when it
 * compacted the conversation. */
static int
read_codex_text(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t text = ctx_json_find(json, block, "text");

	if (text == 0)
		return ctx_read_block(message, CTX_BLOCK_OPAQUE, block, err);
	return ctx_read_block(message, CTX_BLOCK_TEXT, text, err);
}

/* Reads all messages that Codex kept when it compacted a conversation, or only
 * its summary if the line does not contain these messages.  All are on one
 * line.  So ctx reads them as one message, which it never removes. */
static int
read_compacted(struct ctx_message *message, uint32_t payload,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t history = find_history(json, payload), item = 0, content;

	message->role = CTX_ROLE_USER;
	message->flags = CTX_MESSAGE_META | CTX_MESSAGE_PINNED;
	if (history == 0)
		return ctx_read_content(message,
		    ctx_json_find(json, payload, "message"), read_codex_text,
		    err);
	while (ctx_json_next_element(json, history, &item)) {
		content =
		    ctx_find_either(json, item, "content", "encrypted_content");
		if (content == 0)
			content = item;
		if (ctx_read_content(message, content, read_codex_text, err) <
		    0)
			return -1;
	}
	return 0;
}

static int
read_agent_message(struct ctx_message *message, uint32_t payload,
    struct ctx_err *err)
{
	uint32_t content = ctx_json_find(message->json, payload, "content");

	message->role = CTX_ROLE_USER;
	message->flags = CTX_MESSAGE_META;
	return ctx_read_content(message, content != 0 ? content : payload,
	    read_codex_text, err);
}

static int
read_codex_item(const struct ctx_json *json, uint32_t item,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc = ctx_openai_responses_read(json, item, message, err);
	size_t i;

	if (rc <= 0 || message->role != CTX_ROLE_USER ||
	    !is_context(json, item))
		return rc;
	message->flags |= CTX_MESSAGE_META;
	/* Codex recognizes the messages that Codex itself inserted by the first
	 * words of the text.  So ctx never shortens the text of an inserted
	 * message. */
	for (i = 0; i < message->n; i++)
		message->blocks[i].no_truncate = true;
	return rc;
}

int
ctx_codex_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	uint32_t payload;
	enum codex_line_type what = find_line_type(json, node, &payload);
	int rc = 0;

	ctx_message_reset(message, json, node);
	if (what == ITEM)
		rc = read_codex_item(json, payload, message, err);
	else if (what == COMPACTED)
		rc = read_compacted(message, payload, err) < 0 ? -1 : 1;
	else if (what == LETTER)
		rc = read_agent_message(message, payload, err) < 0 ? -1 : 1;
	message->time = ctx_json_find(json, node, "timestamp");
	return rc;
}

/* Returns the value of a JSON number as an integer, or 0 for other JSON values.
 * For a number that does not fit into 32 bits, the returned value is at least
 * UINT32_MAX. */
static uint64_t
parse_count(const struct ctx_json *json, uint32_t node)
{
	struct ctx_str digits = ctx_json_str(json, node);
	uint64_t n = 0;
	size_t i;

	if (json->nodes[node].kind != CTX_JSON_NUMBER)
		return 0;
	for (i = 0; i < digits.n && digits.p[i] >= '0' && digits.p[i] <= '9' &&
	     n < UINT32_MAX;
	     i++)
		n = n * 10 + (uint64_t)(digits.p[i] - '0');
	return n;
}

/* Returns true if the model wrote the item, not a person or Codex. */
static bool
is_model_item(const struct ctx_json *json, uint32_t type, uint32_t role)
{
	if (role != 0)
		return ctx_json_is(json, role, "assistant");
	return type != 0 && !ctx_json_ends_with(json, type, "_output");
}

static void
read_item_line(const struct ctx_json *json, uint32_t item,
    struct ctx_line_place *line)
{
	uint32_t type = ctx_json_find(json, item, "type");
	uint32_t role = ctx_json_find(json, item, "role");

	/* A ghost_snapshot is the state of the user's files, which Codex
	 * stores for undo.  It is never sent to the model. */
	if (ctx_json_is(json, type, "ghost_snapshot"))
		return;
	line->kind = CTX_LINE_MESSAGE;
	if (is_model_item(json, type, role))
		line->flags = CTX_LINE_ANSWER;
	else if (ctx_json_is(json, role, "developer"))
		line->flags = CTX_LINE_CONTEXT;
	else if (ctx_json_is(json, role, "user"))
		line->flags =
		    is_context(json, item) ? CTX_LINE_CONTEXT : CTX_LINE_USER;
}

static void
read_event_line(const struct ctx_json *json, uint32_t event,
    struct ctx_line_place *line)
{
	uint32_t type = ctx_json_find(json, event, "type");
	uint32_t member = ctx_json_find(json, event, "num_turns");

	if (member == 0 || !ctx_json_is(json, type, "thread_rolled_back"))
		return;
	line->kind = CTX_LINE_ROLLBACK;
	line->turns = parse_count(json, member);
}

void
ctx_codex_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line)
{
	uint32_t payload;

	switch (find_line_type(json, node, &payload)) {
	case ITEM:
		read_item_line(json, payload, line);
		break;
	case COMPACTED:
		line->kind = find_history(json, payload) != 0 ? CTX_LINE_SUMMARY
							      : CTX_LINE_DIGEST;
		break;
	case LETTER:
		line->kind = CTX_LINE_MESSAGE;
		line->flags = CTX_LINE_USER;
		break;
	case EVENT:
		read_event_line(json, payload, line);
		break;
	case TURN:
		line->model = ctx_json_find(json, payload, "model");
		break;
	case NOTHING:
		break;
	}
}
