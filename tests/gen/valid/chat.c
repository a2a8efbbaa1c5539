/*
 * chat.c - the rules of OpenAI Chat Completions, and of messages with only role
 * and content
 */
#include "conversation.h"

static void
chat_content(struct conversation *t, size_t at, const json_t *m, bool calls)
{
	const json_t *content = json_object_get(m, "content");
	bool speaks = json_is_string(content) || json_array_size(content) > 0 ||
	    has(m, "audio") || *text(m, "refusal") != '\0';
	bool thinks = *text(m, "reasoning_content") != '\0' ||
	    *text(m, "reasoning") != '\0' ||
	    json_array_size(json_object_get(m, "reasoning_details")) > 0;

	if (json_is_array(content) && json_array_size(content) == 0)
		refuse(t, at, "empty", "content is an empty array");
	else if (is(m, "role", "assistant") && !calls && !speaks)
		refuse(t, at, thinks ? "reasoning-only" : "empty",
		    "assistant says nothing and calls nothing");
	else if (!is(m, "role", "assistant") && !json_is_string(content) &&
	    !json_is_array(content))
		refuse(t, at, "empty", "message has no content");
}

static void
chat_calls(struct conversation *t, size_t at, const json_t *calls, json_t *open)
{
	const json_t *call;
	const char *id;
	size_t i;

	if (json_is_array(calls) && json_array_size(calls) == 0)
		refuse(t, at, "empty-calls", "tool_calls is an empty array");
	json_array_foreach(calls, i, call) {
		id = text(call, "id");
		if (*id == '\0')
			refuse(t, at, "id-form", "a call has no id");
		if (in(open, id))
			refuse(t, at, "duplicate-id", "two calls are %s", id);
		put(open, id, at);
	}
}

static void
chat_result(struct conversation *t, size_t at, const json_t *m, json_t *open,
    json_t *done)
{
	const char *id = text(m, "tool_call_id");

	if (in(done, id))
		refuse(t, at, "duplicate-result", "%s has a result already",
		    id);
	else if (!in(open, id))
		refuse(t, at, "orphan-result",
		    "%s is no call of the assistant message before", id);
	put(done, id, at);
	json_object_del(open, id);
}

/* Many chat templates accept a system message only as the first message
 * (lib/dialect/NOTES.md). */
static void
chat_system(struct conversation *t, size_t at, const json_t *m)
{
	if (t->templates && at > 0 &&
	    (is(m, "role", "system") || is(m, "role", "developer")))
		refuse(t, at, "late-system",
		    "a system message is not the first message");
}

/* Checks that all tool calls get their results, in any order, before any other
 * message. */
void
check_chat(struct conversation *t)
{
	json_t *open = new_set(), *done = new_set(), *m, *calls;
	const char *function = "";
	bool legacy;
	size_t i;

	json_array_foreach(t->message, i, m) {
		chat_system(t, i, m);
		calls = json_object_get(m, "tool_calls");
		legacy = json_is_object(json_object_get(m, "function_call"));
		chat_content(t, i, m, json_array_size(calls) > 0 || legacy);
		if (is(m, "role", "tool")) {
			chat_result(t, i, m, open, done);
			continue;
		}
		unanswered(t, open);
		json_object_clear(done);
		if (is(m, "role", "function") && !is(m, "name", function))
			refuse(t, i, "orphan-result",
			    "%s was not called before", text(m, "name"));
		function = legacy
		    ? text(json_object_get(m, "function_call"), "name")
		    : "";
		if (is(m, "role", "assistant"))
			chat_calls(t, i, calls, open);
		else if (*text(m, "role") == '\0')
			refuse(t, i, "role", "message has no role");
	}
	if (!t->allow_pending)
		unanswered(t, open);
	json_decref(open);
	json_decref(done);
}

void
check_generic(struct conversation *t)
{
	const json_t *m;
	size_t i;

	json_array_foreach(t->message, i, m) {
		chat_system(t, i, m);
		if (*text(m, "role") == '\0')
			refuse(t, i, "role", "message has no role");
		if (!json_is_string(json_object_get(m, "content")))
			refuse(t, i, "empty", "message has no content");
	}
}
