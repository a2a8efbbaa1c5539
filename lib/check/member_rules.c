/*
 * member_rules.c - checks the types and ids of content blocks, tool calls and
 * items
 *
 * OpenAI, Chat Completions: "Missing required parameter:
 * 'messages[2].content[0].type'" (neuron-ai #292, September 2025),
 * "'messages[2].tool_calls[0].type'" (langchain-azure #35, February 2025),
 * "Missing parameter 'tool_call_id': messages with role 'tool' must have a
 * 'tool_call_id'" (langchain #22600, June 2024; DelphiOpenAI #54, April 2025).
 * Other servers with this format accept such messages.
 *
 * Responses: "Duplicate item found with id msg_1.  Remove duplicate items from
 * your input and try again." (pi #5165, May 2026; continue #10723, with the id
 * of reasoning, February 2026).
 */
#include "check/validator.h"

/* ---- types ---- */

/* Reports a block or tool call without a type.  The repair inserts the type
 * before the other members of the object. type: the JSON of the inserted
 * member, or NULL if the type is not known. */
static int
refuse_untyped(struct ctx_validator *validator, uint32_t object,
    const char *type, const char *what)
{
	struct ctx_str old = {NULL, 0};

	validator->replacement.n = 0;
	if (type != NULL) {
		old = (struct ctx_str){
		    ctx_json_str(validator->message->json, object).p, 1};
		if (ctx_buf_printf(&validator->replacement, validator->err,
			"{\"type\":\"%s\",", type) < 0)
			return -1;
	}
	return ctx_validate_refuse_text(validator, CTX_RULE_NO_TYPE, old, what);
}

/* Checks that each object in an array has a type.  An object without a type has
 * the given type if it has a member with the given key. */
static int
check_types(struct ctx_validator *validator, const char *list, const char *key,
    const char *type, const char *what)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t array = ctx_json_find(json, validator->message->node, list);
	uint32_t one = 0;

	while (ctx_json_next_element(json, array, &one))
		if (ctx_json_is_object(json, one) &&
		    ctx_json_find(json, one, "type") == 0 &&
		    refuse_untyped(validator, one,
			ctx_json_find(json, one, key) != 0 ? type : NULL,
			what) < 0)
			return -1;
	return 0;
}

static int
check_chat_message(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;

	if (check_types(validator, "content", "text", "text",
		"a content block has no type") < 0 ||
	    check_types(validator, "tool_calls", "function", "function",
		"a tool call has no type") < 0)
		return -1;
	if (!ctx_json_is(message->json, message->role_node, "tool") ||
	    ctx_json_find(message->json, message->node, "tool_call_id") != 0)
		return 0;
	return ctx_validate_refuse(validator, CTX_RULE_BAD_ID,
	    "the tool result has no tool_call_id");
}

/* ---- items of Responses ---- */

/* Returns true if an item is accepted without its id.  A message needs its id
 * if it follows reasoning with an id (ctx_validate_waiting); reasoning needs it
 * if the provider has stored the text of the reasoning. */
static bool
may_lack_id(const struct ctx_validator *validator, uint32_t type)
{
	static const char *const calls[] = {"function_call",
	    "function_call_output", "custom_tool_call",
	    "custom_tool_call_output", NULL};
	const struct ctx_json *json = validator->message->json;
	uint32_t node = validator->message->node;

	if (ctx_json_is(json, type, "reasoning"))
		return ctx_json_is_string(json,
			   ctx_json_find(json, node, "encrypted_content")) &&
		    ctx_json_find(json, node, "summary") != 0;
	if (ctx_json_find(json, node, "role") != 0)
		return validator->n_open_reasoning == 0 ||
		    !validator->reasoning_has_id;
	return ctx_json_is_any(json, type, calls) != NULL;
}

/* Checks that no earlier item has the same id.  The repair removes the id. */
static int
check_item_id(struct ctx_validator *validator)
{
	/* The id of these items is that of another item. */
	static const char *const others[] = {"item_reference",
	    "local_shell_call_output", NULL};
	const struct ctx_json *json = validator->message->json;
	uint32_t node = validator->message->node, number;
	uint32_t type = ctx_json_find(json, node, "type");
	uint32_t id = ctx_json_find(json, node, "id");
	struct ctx_finding finding = {.id = CTX_RULE_DUPLICATE_ITEM,
	    .place = validator->place};
	size_t before = validator->items.n;
	struct ctx_str text;
	int rc;

	if (!ctx_json_is_string(json, id) ||
	    ctx_json_is_any(json, type, others) != NULL)
		return 0;
	validator->text.n = 0;
	if (ctx_json_text(json, id, &validator->text, &text, validator->err) <
		0 ||
	    ctx_intern(&validator->items, text.p, text.n, &number,
		validator->err) < 0)
		return -1;
	if (text.n == 0 || validator->items.n > before)
		return 0;
	finding.node = may_lack_id(validator, type) ? id - 1 : 0;
	rc = ctx_validate_report(validator, &finding,
	    "an earlier item has the same id");
	validator->id_removed = rc > 0;
	return rc;
}

int
ctx_validate_members(struct ctx_validator *validator)
{
	uint64_t rules = validator->rules;

	validator->id_removed = false;
	if ((rules & CTX_TYPED_BLOCKS) && check_chat_message(validator) < 0)
		return -1;
	return (rules & CTX_ITEM_FORM) && check_item_id(validator) < 0 ? -1 : 0;
}
