/*
 * anthropic.c - the rules of Anthropic messages
 */
#include <string.h>

#include "conversation.h"

/*
 * Returns an array of turns.  To the provider, neighbouring messages of one
 * role are one turn.  A turn is {"role", "block": [...], "at": [number of the
 * message of each block]}.
 */
static json_t *
anthropic_turns(struct conversation *t)
{
	json_t *turns = json_array(), *turn = NULL, *m, *content, *block, *one;
	size_t i, k;

	json_array_foreach(t->message, i, m) {
		content = json_object_get(m, "content");
		if (json_is_string(content))
			one = json_pack("[{s:s,s:O}]", "type", "text", "text",
			    content);
		else
			one = json_is_array(content) ? json_incref(content)
						     : json_array();
		if (json_array_size(one) == 0 &&
		    (i + 1 < json_array_size(t->message) ||
			!is(m, "role", "assistant")))
			refuse(t, i, "empty", "message has no content");
		if (turn == NULL || !is(turn, "role", text(m, "role"))) {
			turn = json_pack("{s:s,s:i,s:[],s:[]}", "role",
			    text(m, "role"), "first", (int)i, "block", "at");
			json_array_append_new(turns, turn);
		}
		json_array_foreach(one, k, block) {
			json_array_append(json_object_get(turn, "block"),
			    block);
			json_array_append_new(json_object_get(turn, "at"),
			    json_integer((json_int_t)i));
		}
		json_decref(one);
	}
	return turns;
}

static size_t
block_at(const json_t *turn, size_t block)
{
	return (size_t)json_integer_value(
	    json_array_get(json_object_get(turn, "at"), block));
}

/* Returns true if a message has a text that is not blank, or calls a tool of
 * the client. */
static bool
anthropic_speaks(const json_t *m)
{
	const json_t *block;
	size_t i;

	json_array_foreach(json_object_get(m, "content"), i, block) {
		if (is(block, "type", "tool_use") ||
		    (is(block, "type", "text") && !blank(text(block, "text"))))
			return true;
	}
	return false;
}

/* Checks the rules about a single block. */
static void
anthropic_block(struct conversation *t, size_t at, const json_t *block,
    json_t *ids)
{
	const char *id = text(block, "id");

	if (is(block, "type", "text") && blank(text(block, "text")) &&
	    (is(block, "text", "") ||
		!anthropic_speaks(json_array_get(t->message, at))))
		refuse(t, at, "empty", "a text block is blank");
	if (is(block, "type", "thinking") && is(block, "signature", ""))
		refuse(t, at, "signature", "thinking without a signature");
	if (is(block, "type", "redacted_thinking") && is(block, "data", ""))
		refuse(t, at, "signature", "redacted thinking without data");
	if (!is(block, "type", "tool_use"))
		return;
	if (!plain_id(id, ""))
		refuse(t, at, "id-form", "tool_use id \"%s\"", id);
	if (in(ids, id))
		refuse(t, at, "duplicate-id", "two calls are %s", id);
	put(ids, id, at);
	if (!json_is_object(json_object_get(block, "input")))
		refuse(t, at, "input", "input of %s is not an object", id);
}

static bool
is_thinking(const json_t *block)
{
	return is(block, "type", "thinking") ||
	    is(block, "type", "redacted_thinking");
}

static bool
ends_in(const json_t *turn, const char *type)
{
	const json_t *block = json_object_get(turn, "block");
	size_t n = json_array_size(block);

	return n > 0 && is(json_array_get(block, n - 1), "type", type);
}

/* Returns true if there is no turn k, or if it is the last turn and a user turn
 * with nothing but results. */
static bool
anthropic_only_results(const json_t *turns, size_t k)
{
	const json_t *turn = json_array_get(turns, k), *block;
	size_t i;

	if (k < json_array_size(turns) &&
	    (k + 1 < json_array_size(turns) || !is(turn, "role", "user")))
		return false;
	json_array_foreach(json_object_get(turn, "block"), i, block) {
		if (!is(block, "type", "tool_result"))
			return false;
	}
	return true;
}

/* Checks tools that the provider runs: their calls have a result in the same
 * turn, or still run while the client's tools run. */
static void
anthropic_server_tools(struct conversation *t, const json_t *turn, bool last)
{
	json_t *open = new_set(), *block;
	const char *id;
	size_t i, n;

	json_array_foreach(json_object_get(turn, "block"), i, block) {
		n = strlen(text(block, "type"));
		id = text(block, "tool_use_id");
		if (is(block, "type", "server_tool_use"))
			put(open, text(block, "id"), block_at(turn, i));
		else if (n > 12 &&
		    strcmp(text(block, "type") + n - 12, "_tool_result") == 0) {
			if (!in(open, id))
				refuse(t, block_at(turn, i), "orphan-result",
				    "no server_tool_use %s before", id);
			json_object_del(open, id);
		}
	}
	if (!last)
		unanswered(t, open);
	json_decref(open);
}

/* Checks that no message of the assistant has content and then ends with
 * thinking. */
static void
anthropic_last_block(struct conversation *t, size_t at)
{
	const json_t *m = json_array_get(t->message, at), *block;
	bool spoken = false, thinks = false;
	size_t i;

	json_array_foreach(json_object_get(m, "content"), i, block) {
		thinks = is_thinking(block);
		spoken = spoken ||
		    (!thinks &&
			(!is(block, "type", "text") ||
			    !blank(text(block, "text"))));
	}
	if (is(m, "role", "assistant") && spoken && thinks)
		refuse(t, at, "reasoning-last", "the message ends thinking");
}

/* Returns true if a failed result has no content. */
static bool
anthropic_failed_empty(const json_t *result)
{
	const json_t *content = json_object_get(result, "content");

	return json_is_true(json_object_get(result, "is_error")) &&
	    (json_is_string(content) ? *json_string_value(content) == '\0'
				     : json_array_size(content) == 0);
}

/* Adds the tool calls of a turn to the set "open". */
static void
anthropic_assistant(struct conversation *t, const json_t *turn, json_t *open,
    bool last)
{
	const json_t *blocks = json_object_get(turn, "block"), *block;
	json_t *ids = new_set();
	bool only = json_array_size(blocks) > 0;
	size_t i;

	json_array_foreach(blocks, i, block) {
		anthropic_block(t, block_at(turn, i), block, ids);
		only = only && is_thinking(block);
		if (is(block, "type", "tool_use"))
			put(open, text(block, "id"), block_at(turn, i));
		if (is(block, "type", "tool_result"))
			refuse(t, block_at(turn, i), "result-place",
			    "tool_result in an assistant message");
		if (is(block, "type", "image"))
			refuse(t, block_at(turn, i), "media",
			    "image in an assistant message");
	}
	if (only)
		refuse(t, block_at(turn, 0), "reasoning-only",
		    "assistant only thinks");
	anthropic_server_tools(t, turn, last);
	json_decref(ids);
}

static void
anthropic_user(struct conversation *t, const json_t *turn, json_t *open)
{
	json_t *done = new_set(), *block;
	bool text_seen = false;
	const char *id;
	size_t i, at;

	json_array_foreach(json_object_get(turn, "block"), i, block) {
		at = block_at(turn, i);
		id = text(block, "tool_use_id");
		anthropic_block(t, at, block, done);
		if (is(block, "type", "tool_use"))
			refuse(t, at, "call-place",
			    "tool_use in a user message");
		if (!is(block, "type", "tool_result")) {
			text_seen = true;
			continue;
		}
		if (anthropic_failed_empty(block))
			refuse(t, at, "empty-result", "%s failed silently", id);
		if (in(done, id))
			refuse(t, at, "duplicate-result",
			    "second result for %s", id);
		else if (!in(open, id))
			refuse(t, at, "orphan-result",
			    "%s is no call of the message before", id);
		else if (text_seen)
			refuse(t, at, "result-place", "results come first");
		put(done, id, at);
		json_object_del(open, id);
	}
	unanswered(t, open);
	json_decref(done);
}

static void
anthropic_system(struct conversation *t, const json_t *turns, size_t k)
{
	const json_t *turn = json_array_get(turns, k), *block;
	const json_t *before = k > 0 ? json_array_get(turns, k - 1) : NULL;
	const json_t *after = json_array_get(turns, k + 1);
	size_t i,
	    at = (size_t)json_integer_value(json_object_get(turn, "first"));

	if (before == NULL ||
	    !(is(before, "role", "user") ||
		ends_in(before, "web_search_tool_result")))
		refuse(t, at, "system-place", "must follow a user message");
	if (after != NULL && !is(after, "role", "assistant"))
		refuse(t, at, "system-place", "the assistant must be next");
	json_array_foreach(json_object_get(turn, "block"), i, block) {
		if (!is(block, "type", "text"))
			refuse(t, at, "system-place",
			    "only text may stand here");
	}
}

/* Checks that all results of a turn come first in the next turn. */
void
check_anthropic(struct conversation *t)
{
	json_t *turns = anthropic_turns(t), *open = new_set();
	size_t i;
	json_t *turn;

	for (i = 0; i < json_array_size(t->message); i++)
		anthropic_last_block(t, i);
	json_array_foreach(turns, i, turn) {
		size_t at =
		    (size_t)json_integer_value(json_object_get(turn, "first"));

		if (is(turn, "role", "user")) {
			anthropic_user(t, turn, open);
			continue;
		}
		unanswered(t, open);
		if (is(turn, "role", "system"))
			anthropic_system(t, turns, i);
		else if (is(turn, "role", "assistant"))
			anthropic_assistant(t, turn, open,
			    anthropic_only_results(turns, i + 1));
		else
			refuse(t, at, "role", "role is \"%s\"",
			    text(turn, "role"));
	}
	if (!t->allow_pending)
		unanswered(t, open);
	json_decref(turns);
	json_decref(open);
}
