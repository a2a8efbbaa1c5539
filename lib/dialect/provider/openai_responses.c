/*
 * openai_responses.c - reads items of the OpenAI Responses API
 *
 * A record is an item with a type; a message may have none.  One response
 * consists of several items that directly follow each other (reasoning,
 * messages, tool calls).  These items refer to each other, so they are kept or
 * removed together.  The API refuses reasoning without the item that followed
 * it, and an item that followed reasoning without this reasoning, unless the
 * item has no id.  A tool call and its output have the
 * same call_id.  If the provider runs the tool, one item contains both the call
 * and its output.
 *
 * Source: response_input_item_param.py of openai-python, August 2026.
 */
#include "dialect/read.h"

enum responses_item_kind {
	CALL,
	/* A tool call that must not be shortened, because the provider defines
	 * the members of its value, or because the user has approved it. */
	TYPED,
	/* A tool call that has no name: the search for deferred tools.  Its
	 * type is its name. */
	SEARCH,
	OUTPUT, /* a tool result that a text may replace */
	FIXED,  /* a tool result that must not be replaced by a text */
	SHOT,   /* a screenshot, which must not be replaced by a text */
	REASONING,
	SEALED, /* a compaction: earlier messages in encrypted form */
	MEDIA,
	/* a reference to another item, which the provider has stored */
	POINTER,
	/* An item that becomes one opaque block: an item with both a tool call
	 * and its result, or an item that is neither a message nor a tool
	 * call. */
	OWN,
	SYSTEM,
};

/* The types of items. need: key of a member that an item of this type must
 * have; in a tool call or result, the key of the id that matches the result
 * with its call. value: key of the member with the payload, or NULL. link: how
 * the item is linked to reasoning before it; CTX_LINK_FIXED if openai-python
 * demands the item's id in a request. */
static const struct item {
	const char *type, *need, *value;
	enum responses_item_kind what;
	enum ctx_reasoning_link link;
} items[] = {
    {"function_call", "call_id", "arguments", CALL, CTX_LINK_BY_ID},
    {"function_call_output", "call_id", "output", OUTPUT, CTX_LINK_NONE},
    {"reasoning", "id", NULL, REASONING, CTX_LINK_REASONING},
    {"custom_tool_call", "call_id", "input", CALL, CTX_LINK_BY_ID},
    {"custom_tool_call_output", "call_id", "output", OUTPUT, CTX_LINK_NONE},
    {"local_shell_call", "call_id", "action", TYPED, CTX_LINK_FIXED},
    {"local_shell_call_output", "call_id", "output", OUTPUT, CTX_LINK_NONE},
    /* In the types of the OpenAI SDK this item has no call_id; its member "id"
     * is the id of the tool call. */
    {"local_shell_call_output", "id", "output", OUTPUT, CTX_LINK_NONE},
    {"shell_call", "call_id", "action", TYPED, CTX_LINK_BY_ID},
    {"shell_call_output", "call_id", "output", FIXED, CTX_LINK_NONE},
    {"apply_patch_call", "call_id", "operation", TYPED, CTX_LINK_BY_ID},
    {"apply_patch_call_output", "call_id", "output", OUTPUT, CTX_LINK_NONE},
    {"computer_call", "call_id", "action", TYPED, CTX_LINK_FIXED},
    {"computer_call_output", "call_id", "output", SHOT, CTX_LINK_NONE},
    {"tool_search_call", "call_id", "arguments", SEARCH, CTX_LINK_BY_ID},
    {"tool_search_output", "call_id", "tools", FIXED, CTX_LINK_NONE},
    /* The code of a program is never shortened, because the same item contains
     * a hash of the code (fingerprint), which the provider checks. */
    {"program", "call_id", "code", TYPED, CTX_LINK_FIXED},
    {"program_output", "call_id", "output", FIXED, CTX_LINK_NONE},
    {"mcp_approval_request", "id", "arguments", TYPED, CTX_LINK_FIXED},
    {"mcp_approval_response", "approval_request_id", "reason", FIXED,
	CTX_LINK_NONE},
    {"web_search_call", "id", NULL, OWN, CTX_LINK_FIXED},
    {"file_search_call", "id", NULL, OWN, CTX_LINK_FIXED},
    {"code_interpreter_call", "id", NULL, OWN, CTX_LINK_FIXED},
    {"image_generation_call", "id", "result", MEDIA, CTX_LINK_FIXED},
    {"mcp_call", "id", NULL, OWN, CTX_LINK_FIXED},
    {"mcp_list_tools", "id", NULL, OWN, CTX_LINK_FIXED},
    {"item_reference", "id", NULL, POINTER, CTX_LINK_FIXED},
    {"compaction", "encrypted_content", "encrypted_content", SEALED,
	CTX_LINK_NONE},
    {"compaction_summary", "encrypted_content", "encrypted_content", SEALED,
	CTX_LINK_NONE},
    {"compaction_trigger", "type", NULL, OWN, CTX_LINK_NONE},
    {"additional_tools", "tools", "tools", SYSTEM, CTX_LINK_NONE},
    /* Reasoning items are recognised without an id, because Codex writes no
     * ids. */
    {"reasoning", "summary", NULL, REASONING, CTX_LINK_REASONING},
};

static const struct item *
find_item(const struct ctx_json *json, uint32_t node)
{
	uint32_t type = ctx_json_find(json, node, "type");
	size_t i;

	for (i = 0; type != 0 && i < CTX_LENGTH(items); i++)
		if (ctx_json_is(json, type, items[i].type) &&
		    ctx_json_find(json, node, items[i].need) != 0)
			return &items[i];
	return NULL;
}

/* Returns why a message can only be an item of OpenAI Responses, as a text for
 * users, or NULL.  Called if the types of its content blocks do not prove this.
 * One reason is a refusal block in a message with a type: in Chat Completions,
 * messages with refusal blocks have no type. */
static const char *
identify_message(const struct ctx_json *json, uint32_t node, uint32_t content)
{
	static const char *const refusal[] = {"refusal", NULL};
	uint32_t type = ctx_json_find(json, node, "type");

	if (!ctx_json_is(json, type, "message") ||
	    !ctx_json_is_array(json, content))
		return NULL;
	if (ctx_json_find(json, node, "status") != 0)
		return "status";
	return ctx_has_block(json, content, refusal);
}

const char *
ctx_openai_responses_is(const struct ctx_json *json, uint32_t node)
{
	static const char *const blocks[] = {"input_text", "output_text",
	    "input_image", "input_file", NULL};
	const struct item *item = find_item(json, node);
	uint32_t content = ctx_json_find(json, node, "content");
	const char *why;

	if (item != NULL)
		return item->type;
	if (ctx_json_find(json, node, "role") == 0)
		return NULL;
	why = ctx_has_block(json, content, blocks);
	return why != NULL ? why : identify_message(json, node, content);
}

static int
read_responses_block(const struct ctx_json *json, uint32_t block,
    struct ctx_message *message, struct ctx_err *err)
{
	static const struct ctx_block_type rows[] = {
	    {"input_text", "text", CTX_BLOCK_TEXT},
	    {"output_text", "text", CTX_BLOCK_TEXT},
	    {"text", "text", CTX_BLOCK_TEXT},
	    {"refusal", "refusal", CTX_BLOCK_TEXT},
	    {"input_image", NULL, CTX_BLOCK_MEDIA},
	    {"input_file", NULL, CTX_BLOCK_MEDIA},
	    {"input_audio", NULL, CTX_BLOCK_MEDIA},
	};

	(void)json;
	return ctx_read_typed(message, block, rows, CTX_LENGTH(rows), err);
}

/* Adds the texts in an array of {"type", "text"} to the message, as reasoning
 * blocks.  A single one of these blocks cannot be removed. */
static int
read_texts(struct ctx_message *message, uint32_t list, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t one = 0, text;

	while (ctx_json_next_element(json, list, &one))
		if ((text = ctx_json_find(json, one, "text")) != 0 &&
		    ctx_read_block(message, CTX_BLOCK_REASONING, text, err) < 0)
			return -1;
	return 0;
}

/* Adds a reasoning item.  If the item has encrypted content, the model gets
 * this content; the summary is only for people. */
static int
read_reasoning(struct ctx_message *message, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t sealed = ctx_json_find(json, node, "encrypted_content");
	uint32_t content = ctx_json_find(json, node, "content");

	if (ctx_json_is_string(json, sealed)) {
		if (ctx_read_block(message, CTX_BLOCK_REASONING, sealed, err) <
		    0)
			return -1;
		message->blocks[message->n - 1].is_encrypted = true;
		return 0;
	}
	if (!ctx_json_is_array(json, content))
		content = ctx_json_find(json, node, "summary");
	if (read_texts(message, content, err) < 0)
		return -1;
	/* Adds an empty reasoning block for an item without a text.  By its id,
	 * such an item refers to reasoning that the provider has stored. */
	return message->n > 0
	    ? 0
	    : ctx_read_block(message, CTX_BLOCK_REASONING, 0, err);
}

/* Returns true if the provider ran a tool search, not the client.  A tool
 * search of the provider and its output have no call_id that matches them, and
 * the output may be missing. */
static bool
is_hosted(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_is(json, ctx_json_find(json, node, "execution"),
	    "server");
}

static int
read_responses_item(struct ctx_message *message, const struct item *item,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t id = ctx_json_find(json, message->node, item->need), value = 0;
	enum responses_item_kind what =
	    is_hosted(json, message->node) ? OWN : item->what;
	uint32_t name = ctx_json_find(json, message->node,
	    item->what == SEARCH ? "type" : "name");

	if (item->value != NULL)
		value = ctx_json_find(json, message->node, item->value);
	message->role = CTX_ROLE_ASSISTANT;
	switch (what) {
	case CALL:
	case SEARCH:
	case TYPED:
		if (ctx_read_call(message, value, id, name, err) < 0)
			return -1;
		message->blocks[message->n - 1].no_truncate =
		    item->what == TYPED;
		ctx_read_caller(message,
		    ctx_json_find(json, message->node, "caller"));
		return 0;
	case OUTPUT:
		message->role = CTX_ROLE_TOOL;
		return ctx_read_result(message, value, id, 0,
		    read_responses_block, err);
	case FIXED:
		message->role = CTX_ROLE_TOOL;
		return ctx_read_fixed_result(message, CTX_BLOCK_OPAQUE, value,
		    id, err);
	case SHOT:
		message->role = CTX_ROLE_TOOL;
		return ctx_read_fixed_result(message, CTX_BLOCK_MEDIA, value,
		    id, err);
	case REASONING:
		return read_reasoning(message, message->node, err);
	case SEALED:
		/* The item is a summary that replaces all earlier messages.
		 * The item gets the role system, so that ctx never removes
		 * it. */
		message->role = CTX_ROLE_SYSTEM;
		if (ctx_read_block(message, CTX_BLOCK_OPAQUE, value, err) < 0)
			return -1;
		message->blocks[message->n - 1].is_encrypted = true;
		return 0;
	case MEDIA:
		return ctx_read_block(message, CTX_BLOCK_MEDIA, value, err);
	case SYSTEM:
		message->role = CTX_ROLE_SYSTEM;
		break;
	case POINTER:
		message->flags |= CTX_MESSAGE_REMOTE_STATE | CTX_MESSAGE_PINNED;
		break;
	case OWN:
		break;
	}
	if (ctx_read_block(message, CTX_BLOCK_OPAQUE, value, err) < 0)
		return -1;
	message->blocks[message->n - 1].is_message = value == 0;
	if (item->what == SEARCH)
		message->blocks[message->n - 1].name = name;
	/* The provider made the call of this item after the user had approved
	 * it. */
	id = ctx_json_find(json, message->node, "approval_request_id");
	if (ctx_json_is_string(json, id))
		message->blocks[message->n - 1].caller = id;
	return 0;
}

/* Sets the members of a message that say how it is linked to reasoning before
 * it. */
static void
set_link(struct ctx_message *message, uint32_t node,
    enum ctx_reasoning_link link)
{
	uint32_t id = ctx_json_find(message->json, node, "id");

	if (message->role != CTX_ROLE_ASSISTANT ||
	    (id == 0 && link != CTX_LINK_REASONING))
		return;
	message->link = link;
	if (link != CTX_LINK_BY_ID)
		return;
	message->id_owner = node;
	message->id_key = id - 1;
}

int
ctx_openai_responses_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	const struct item *item = find_item(json, node);
	int rc;

	ctx_message_reset(message, json, node);
	if (json->nodes[node].kind == CTX_JSON_STRING) {
		/* The input of a request may be a string instead of an array:
		 * the text of a user message. */
		message->role = CTX_ROLE_USER;
		return ctx_read_content(message, node, read_responses_block,
			   err) < 0
		    ? -1
		    : 1;
	}
	if (item != NULL) {
		if (read_responses_item(message, item, err) < 0)
			return -1;
		set_link(message, node, item->link);
		return 1;
	}
	rc = ctx_read_message(message, json, node, "content",
	    read_responses_block, err);
	if (rc > 0)
		set_link(message, node, CTX_LINK_BY_ID);
	return rc;
}
