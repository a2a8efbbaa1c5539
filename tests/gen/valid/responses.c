/*
 * responses.c - the rules of OpenAI Responses items
 */
#include <string.h>

#include "conversation.h"

static const struct {
	const char *call, *output;
	const char *call_key, *output_key;
} responses_pairs[] = {
    {"function_call", "function_call_output", "call_id", "call_id"},
    {"custom_tool_call", "custom_tool_call_output", "call_id", "call_id"},
    {"shell_call", "shell_call_output", "call_id", "call_id"},
    {"apply_patch_call", "apply_patch_call_output", "call_id", "call_id"},
    {"computer_call", "computer_call_output", "call_id", "call_id"},
    {"local_shell_call", "function_call_output", "call_id", "call_id"},
    {"local_shell_call", "local_shell_call_output", "id", "id"},
    {"mcp_approval_request", "mcp_approval_response", "id",
	"approval_request_id"},
};

enum { PAIRS = sizeof responses_pairs / sizeof responses_pairs[0] };

static const char *
responses_type(const json_t *item)
{
	return has(item, "type") ? text(item, "type") : "message";
}

/* Returns true if the model wrote the item, so that it may follow reasoning. */
static bool
responses_by_model(const json_t *item)
{
	const char *type = responses_type(item);
	size_t n = strlen(type);

	if (strcmp(type, "message") == 0)
		return is(item, "role", "assistant");
	return (n > 5 && strcmp(type + n - 5, "_call") == 0) ||
	    strcmp(type, "reasoning") == 0 ||
	    strcmp(type, "mcp_approval_request") == 0;
}

static void
responses_item(struct conversation *t, size_t at, const json_t *item,
    json_t *open, json_t *done)
{
	const char *type = responses_type(item), *id = NULL;
	bool known = false, output = false;
	size_t i;

	for (i = 0; i < PAIRS; i++) {
		if (strcmp(type, responses_pairs[i].call) == 0 && id == NULL) {
			id = text(item, responses_pairs[i].call_key);
			if (in(open, id))
				refuse(t, at, "duplicate-id",
				    "%s is called and has no result yet", id);
			put(open, id, at);
			json_object_del(done, id);
		} else if (strcmp(type, responses_pairs[i].output) == 0) {
			output = true;
			id = text(item, responses_pairs[i].output_key);
			known = known || in(open, id);
		}
	}
	if (!output)
		return;
	if (in(done, id))
		refuse(t, at, "duplicate-result", "%s has a result already",
		    id);
	else if (!known)
		refuse(t, at, "orphan-result", "no call %s before", id);
	json_object_del(open, id);
	put(done, id, at);
}

static void
responses_content(struct conversation *t, size_t at, const json_t *item)
{
	const json_t *content = json_object_get(item, "content");

	if (strcmp(responses_type(item), "message") != 0)
		return;
	if (*text(item, "role") == '\0')
		refuse(t, at, "role", "message has no role");
	if (!json_is_string(content) && json_array_size(content) == 0)
		refuse(t, at, "empty", "message has no content");
}

/* Checks that no earlier item has the same id. */
static void
responses_id(struct conversation *t, size_t at, const json_t *item, json_t *ids)
{
	const char *type = responses_type(item), *id = text(item, "id");

	if (*id == '\0' || strcmp(type, "item_reference") == 0 ||
	    strcmp(type, "local_shell_call_output") == 0)
		return;
	if (in(ids, id))
		refuse(t, at, "duplicate-item", "two items are %s", id);
	put(ids, id, at);
}

/* Checks that every call has a later output, and that another item follows
 * reasoning. */
void
check_responses(struct conversation *t)
{
	json_t *open = new_set(), *done = new_set(), *item, *at;
	json_t *ids = new_set();
	size_t i, user = 0, reasoning = 0, n = json_array_size(t->message);
	bool alone = false;
	const char *id = "";
	void *next;

	json_array_foreach(t->message, i, item) {
		if (alone && !responses_by_model(item))
			refuse(t, reasoning, "reasoning-alone",
			    "no item of the model follows");
		else if (alone && strncmp(id, "rs_", 3) == 0 &&
		    strcmp(responses_type(item), "message") == 0 &&
		    !has(item, "id"))
			refuse(t, reasoning, "reasoning-alone",
			    "the message that follows has no id");
		alone = strcmp(responses_type(item), "reasoning") == 0;
		id = text(item, "id");
		reasoning = i;
		if (is(item, "role", "user"))
			user = i;
		responses_content(t, i, item);
		responses_id(t, i, item, ids);
		responses_item(t, i, item, open, done);
		if (is(item, "type", "compaction_trigger") && i + 1 < n)
			refuse(t, i, "trigger-place", "must be the last item");
	}
	if (alone)
		refuse(t, reasoning, "reasoning-alone", "nothing follows");
	json_object_foreach_safe(open, next, id, at)
	{
		if (t->allow_pending &&
		    json_integer_value(at) > (json_int_t)user)
			json_object_del(open, id);
	}
	unanswered(t, open);
	json_decref(ids);
	json_decref(open);
	json_decref(done);
}
