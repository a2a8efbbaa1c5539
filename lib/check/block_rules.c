/* block_rules.c - checks the blocks of a message, without looking at other
 * messages */

#include "check/validator.h"

bool
ctx_validate_says_nothing(const struct ctx_validator *validator,
    const struct ctx_block *block)
{
	const struct ctx_json *json = validator->message->json;

	if (!(validator->rules & CTX_NO_BLANK_TEXT))
		return false;
	if (block->kind == CTX_BLOCK_OPAQUE)
		return block->payload == 0;
	if (block->kind != CTX_BLOCK_TEXT ||
	    !ctx_text_is_empty(json, block->payload, true))
		return false;
	return block->removable == 0 ||
	    (ctx_json_find(json, block->removable, "thoughtSignature") == 0 &&
		ctx_json_find(json, block->removable, "thought_signature") ==
		    0);
}

bool
ctx_message_is_empty(const struct ctx_message *message)
{
	const struct ctx_block *block = message->blocks;

	return message->n == 0 ||
	    (message->n == 1 && block->kind == CTX_BLOCK_TEXT &&
		block->removable == 0 &&
		ctx_text_is_empty(message->json, block->payload, false));
}

/* Returns true if the provider accepts a reasoning block: if the block has a
 * signature, is encrypted, or has the form of Bedrock and no signature. */
static bool
has_reasoning_proof(const struct ctx_json *json, uint32_t block)
{
	static const char *const proofs[] = {"signature", "data"};
	static const char *const inner[] = {"reasoningContent",
	    "reasoningText"};
	uint32_t proof, deeper;
	bool nested = false;
	size_t i;

	for (i = 0; i < 2; i++)
		if ((deeper = ctx_json_find(json, block, inner[i])) != 0) {
			block = deeper;
			nested = true;
		}
	for (i = 0; i < 2; i++) {
		proof = ctx_json_find(json, block, proofs[i]);
		if (proof != 0 && json->nodes[proof].kind != CTX_JSON_NULL)
			return ctx_json_is_string(json, proof) &&
			    !ctx_text_is_empty(json, proof, false);
	}
	/* Some models on Bedrock write reasoning without a signature, and
	 * Bedrock accepts it. */
	return nested;
}

static int
check_id(struct ctx_validator *validator, size_t i)
{
	const struct ctx_json *json = validator->message->json;
	const struct ctx_block *block = &validator->message->blocks[i];
	struct ctx_str literal;
	const char *wrong;
	int rc;

	if (block->id == 0) {
		/* Only a tool call that is an element of an array needs an id;
		 * a tool call in the member "function_call" of a message does
		 * not. */
		if (!(validator->rules & CTX_NEEDS_IDS) ||
		    !ctx_json_is_array(json, block->container))
			return 0;
		return ctx_validate_refuse_block(validator, CTX_RULE_BAD_ID, i,
		    "tool call", block->name != 0 ? " has no id" : "");
	}
	if (json->nodes[block->id].kind != CTX_JSON_STRING)
		return ctx_validate_refuse_block(validator, CTX_RULE_BAD_ID, i,
		    "id of tool call", " is not a string");
	literal = ctx_json_str(json, block->id);
	wrong = ctx_id_wrong(validator->rules, literal);
	if (wrong == NULL)
		return 0;
	rc = ctx_id_repair(&validator->replacement, &validator->spare,
	    validator->rules, literal, validator->err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		literal.p = NULL;
	return ctx_validate_refuse_edit(validator, CTX_RULE_BAD_ID, i, literal,
	    "id of tool call", wrong);
}

static bool
has_payload(const struct ctx_json *json, uint32_t value)
{
	if (value == 0 || json->nodes[value].kind == CTX_JSON_NULL)
		return false;
	return json->nodes[value].kind != CTX_JSON_ARRAY ||
	    ctx_json_count(json, value) > 0;
}

/* Returns true if the provider refuses a tool result because it has no content.
 * Anthropic: "content cannot be empty if `is_error` is true" (markform #153,
 * February 2026). */
static bool
is_refused_body(const struct ctx_validator *validator,
    const struct ctx_block *result, uint32_t body)
{
	const struct ctx_json *json = validator->message->json;
	bool failed = (validator->rules & CTX_ERRORS_TEXT) && result->is_error;

	if (!has_payload(json, body))
		return failed || (validator->rules & CTX_NEEDS_BODY);
	return failed && ctx_text_is_empty(json, body, false);
}

int
ctx_validate_body(struct ctx_validator *validator, size_t i)
{
	const struct ctx_message *message = validator->message;
	const struct ctx_block *block = &message->blocks[i];
	uint32_t body = block->payload;

	/* If a text cannot replace the content of the tool result, such as a
	 * screenshot, block->payload is 0.  Then the content is the payload of
	 * the next block. */
	if (body == 0 && i + 1 < message->n &&
	    message->blocks[i + 1].result_index == i + 1)
		body = message->blocks[i + 1].payload;
	if (!is_refused_body(validator, block, body))
		return 0;
	return ctx_validate_refuse_block(validator, CTX_RULE_EMPTY_RESULT, i,
	    "tool result", " has no content");
}

/* Returns true if the message has a text that is not blank, or a tool call that
 * the client answers. */
static bool
has_speech(const struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	const struct ctx_block *block;
	size_t i;

	for (i = 0; i < message->n; i++) {
		block = &message->blocks[i];
		if (block->result_index == 0 &&
		    ((block->kind == CTX_BLOCK_TOOL_CALL &&
			 !block->provider_runs) ||
			(block->kind == CTX_BLOCK_TEXT &&
			    !ctx_validate_says_nothing(validator, block))))
			return true;
	}
	return false;
}

/* Returns true if providers refuse a text block because its text is empty or
 * only white space.  Providers accept white space if the message has another
 * text (LibreChat-AI/agents #124, April 2026; Bedrock: pydantic-ai,
 * test_bedrock_cache_write_and_read, 2026) or a tool call that the client
 * answers (llm-anthropic, test_tools, 2026). speaks: true if the message has
 * one of these. */
static bool
is_refused_text(const struct ctx_validator *validator,
    const struct ctx_block *block, bool speaks)
{
	return block->removable != 0 &&
	    ctx_validate_says_nothing(validator, block) &&
	    (!speaks ||
		ctx_text_is_empty(validator->message->json, block->payload,
		    false));
}

/* Checks that a block has a member besides the mark that it is a thought. */
static int
check_data(struct ctx_validator *validator, size_t i)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t block = validator->message->blocks[i].removable;

	if (!(validator->rules & CTX_NEEDS_DATA) ||
	    !ctx_json_is_object(json, block) ||
	    ctx_json_count(json, block) >
		(ctx_json_find(json, block, "thought") != 0))
		return 0;
	return ctx_validate_refuse_block(validator, CTX_RULE_EMPTY_PART, i,
	    "a part has no data", "");
}

/* Checks that the last block of an assistant message is not reasoning.  A
 * message that has only reasoning breaks another rule. */
static int
check_last_block(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	size_t i, n = message->n;

	if (!(validator->rules & CTX_SPEAKS_LAST) ||
	    message->role != CTX_ROLE_ASSISTANT ||
	    (message->flags & CTX_MESSAGE_IS_CONTINUED))
		return 0;
	for (i = 0; i < n; i++)
		if (message->blocks[i].kind != CTX_BLOCK_REASONING &&
		    !validator->removed_blocks[i] &&
		    !ctx_validate_says_nothing(validator, &message->blocks[i]))
			break;
	for (; n > i && i < message->n; n--)
		if (!validator->removed_blocks[n - 1]) {
			if (message->blocks[n - 1].kind != CTX_BLOCK_REASONING)
				break;
			if (ctx_validate_refuse_block(validator,
				CTX_RULE_LAST_REASONING, n - 1,
				"the last block is reasoning", "") < 0)
				return -1;
		}
	return 0;
}

/* Checks one block of the message. speaks: see is_refused_text. */
static int
check_block(struct ctx_validator *validator, size_t i, bool speaks)
{
	const struct ctx_block *block = &validator->message->blocks[i];
	uint64_t rules = validator->rules;

	switch (block->kind) {
	case CTX_BLOCK_TOOL_CALL:
		if (check_id(validator, i) < 0 ||
		    ctx_validate_arguments(validator, i) < 0)
			return -1;
		return ctx_validate_schema(validator, i);
	case CTX_BLOCK_REASONING:
		if (!(rules & CTX_SIGNED) || block->removable == 0 ||
		    has_reasoning_proof(validator->message->json,
			block->removable))
			return 0;
		return ctx_validate_refuse_block(validator,
		    CTX_RULE_CUT_REASONING, i, "reasoning has no signature",
		    "");
	case CTX_BLOCK_TEXT:
		/* A message with only an empty text is checked later, as a
		 * message without content. */
		if (!is_refused_text(validator, block, speaks))
			return 0;
		return ctx_validate_refuse_block(validator, CTX_RULE_EMPTY_TEXT,
		    i, "a text is empty", "");
	case CTX_BLOCK_TOOL_RESULT:
		return ctx_validate_result(validator, i);
	case CTX_BLOCK_MEDIA:
		return ctx_validate_assistant_media(validator, i);
	case CTX_BLOCK_OPAQUE:
		return check_data(validator, i);
	default:
		return 0;
	}
}

static int
check_tool_calls_member(struct ctx_validator *validator)
{
	const struct ctx_json *json = validator->message->json;
	struct ctx_finding finding = {.id = CTX_RULE_EMPTY_TOOL_CALLS,
	    .place = validator->place};
	static const char what[] = "tool_calls is an empty array";
	uint32_t list =
	    ctx_json_find(json, validator->message->node, "tool_calls");

	if (!ctx_json_is_array(json, list) ||
	    !(validator->rules & CTX_NO_EMPTY_CALLS) ||
	    ctx_json_count(json, list) > 0)
		return 0;
	finding.node = list - 1;
	return ctx_validate_report(validator, &finding, what);
}

int
ctx_validate_forms(struct ctx_validator *validator)
{
	bool speaks = has_speech(validator);
	size_t i;

	/* Strings are checked first, because a later rule may also edit the
	 * same string.  If two edits replace the same bytes, the edit that was
	 * added last is applied. */
	if (ctx_validate_texts(validator) < 0)
		return -1;
	for (i = 0; i < validator->message->n; i++)
		if (validator->message->blocks[i].result_index == 0 &&
		    check_block(validator, i, speaks) < 0)
			return -1;
	if (check_last_block(validator) < 0)
		return -1;
	return check_tool_calls_member(validator);
}

bool
ctx_validate_has(const struct ctx_validator *validator,
    enum ctx_block_kind kind)
{
	size_t i;

	for (i = 0; i < validator->message->n; i++)
		if (validator->message->blocks[i].result_index == 0 &&
		    !validator->removed_blocks[i] &&
		    validator->message->blocks[i].kind == kind)
			return true;
	return false;
}
