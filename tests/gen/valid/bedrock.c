/*
 * bedrock.c - the rules of Bedrock Converse
 */
#include "conversation.h"

static void
bedrock_call(struct conversation *t, size_t at, const json_t *use, json_t *open)
{
	const char *id = text(use, "toolUseId");

	if (use == NULL)
		return;
	if (!plain_id(id, ".:"))
		refuse(t, at, "id-form", "toolUseId \"%s\"", id);
	if (in(open, id))
		refuse(t, at, "duplicate-id", "two calls are %s", id);
	if (!json_is_object(json_object_get(use, "input")))
		refuse(t, at, "input", "input of %s is not an object", id);
	put(open, id, at);
}

static void
bedrock_result(struct conversation *t, size_t at, const json_t *result,
    json_t *open, json_t *done)
{
	const char *id = text(result, "toolUseId");

	if (result == NULL)
		return;
	if (in(done, id))
		refuse(t, at, "duplicate-result", "second result for %s", id);
	else if (!in(open, id))
		refuse(t, at, "orphan-result",
		    "%s is no call of the message before", id);
	if (json_array_size(json_object_get(result, "content")) == 0)
		refuse(t, at, "empty", "result of %s has no content", id);
	put(done, id, at);
	json_object_del(open, id);
}

/* Checks the content of a message.  A cachePoint does not count as content. */
static void
bedrock_content(struct conversation *t, size_t at, const json_t *m)
{
	const json_t *part, *reasoning;
	size_t i, things = 0, thoughts = 0, mute = 0, speaks = 0;

	json_array_foreach(json_object_get(m, "content"), i, part) {
		reasoning = json_object_get(part, "reasoningContent");
		things += !has(part, "cachePoint");
		thoughts += reasoning != NULL;
		if (has(part, "text") && is(part, "text", ""))
			refuse(t, at, "empty", "a text is empty");
		mute += has(part, "text") && blank(text(part, "text"));
		speaks += has(part, "toolUse") ||
		    (has(part, "text") && !blank(text(part, "text")));
		reasoning = json_object_get(reasoning, "reasoningText");
		if (has(reasoning, "signature") &&
		    is(reasoning, "signature", ""))
			refuse(t, at, "signature", "the signature is empty");
	}
	if (mute > 0 && speaks == 0)
		refuse(t, at, "empty", "no text says something");
	if (things == 0)
		refuse(t, at, "empty", "message has no content");
	else if (things == thoughts)
		refuse(t, at, "reasoning-only", "assistant only thinks");
}

/* Checks that roles alternate, and that all results are in the next message. */
void
check_bedrock(struct conversation *t)
{
	json_t *open = new_set(), *calls = new_set(), *done = new_set();
	json_t *m, *part;
	const char *before = "";
	size_t i, k;

	json_array_foreach(t->message, i, m) {
		if (i == 0 && !is(m, "role", "user"))
			refuse(t, i, "first", "the user must begin");
		if (!is(m, "role", "user") && !is(m, "role", "assistant"))
			refuse(t, i, "role", "role is \"%s\"", text(m, "role"));
		if (is(m, "role", before))
			refuse(t, i, "alternation", "%s speaks twice", before);
		before = text(m, "role");
		bedrock_content(t, i, m);
		json_object_clear(calls);
		json_object_clear(done);
		json_array_foreach(json_object_get(m, "content"), k, part) {
			bedrock_call(t, i, json_object_get(part, "toolUse"),
			    calls);
			bedrock_result(t, i,
			    json_object_get(part, "toolResult"), open, done);
		}
		unanswered(t, open);
		json_object_update(open, calls);
	}
	if (!t->allow_pending)
		unanswered(t, open);
	json_decref(open);
	json_decref(calls);
	json_decref(done);
}
