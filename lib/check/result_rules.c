/*
 * result_rules.c - checks that a tool result contains only what the provider
 * accepts
 *
 * The dialect lists the types of blocks that a tool result may contain.
 * Mistral accepts only texts ("content.list[TextChunk] ... Input should be
 * 'text'", LibreChat-AI/agents #344, July 2026).  OpenAI accepts images since
 * GPT-5.2 (openai-openapi #523, February 2026).  Anthropic: "all content must
 * be type `text` if `is_error` is true" (vellum-assistant #18387, March 2026).
 * Gemini: a response is an object (google.protobuf.Struct; AstrBot #7216, March
 * 2026).  Responses: "Invalid value: 'output_text'.  Supported values are:
 * 'input_text', 'input_image', 'input_file', 'scoped_content', and
 * 'encrypted_content'." (querymt #953, September 2026; nagobot #27); an output
 * is a string or a list of these blocks (function_call_output in
 * openai-python); "expected a computer call output, but got a string instead"
 * (stagehand-python #149, July 2025).
 *
 * A repair replaces a block that is not accepted by a text block.  If the old
 * block is a text of another type, the new block has its text.  If the old
 * block is an image, the new block has a text that describes the image.  For
 * any other block, the text of the new block is the JSON of the old block.
 */

#include "check/validator.h"

/* Checks that the content of a tool result is a JSON object.  If the content
 * has another type, the repair writes a new object, whose member "output" is
 * the content, as Gemini's own SDK does. */
static int
check_object_result(struct ctx_validator *validator, size_t i)
{
	const struct ctx_message *message = validator->message;
	uint32_t body = message->blocks[i].payload;
	struct ctx_str text;

	if (body == 0 && i + 1 < message->n &&
	    message->blocks[i + 1].result_index == i + 1)
		body = message->blocks[i + 1].payload;
	if (body == 0 || message->json->nodes[body].kind == CTX_JSON_OBJECT ||
	    message->json->nodes[body].kind == CTX_JSON_NULL)
		return 0;
	text = ctx_json_str(message->json, body);
	validator->replacement.n = 0;
	if (ctx_buf_add(&validator->replacement, "{\"output\":", 10,
		validator->err) < 0 ||
	    ctx_buf_add(&validator->replacement, text.p, text.n,
		validator->err) < 0 ||
	    ctx_buf_add(&validator->replacement, "}", 1, validator->err) < 0)
		return -1;
	return ctx_validate_refuse_edit(validator, CTX_RULE_BAD_RESULT, i, text,
	    "tool result", " is not an object");
}

/* Checks that the content of a tool result is a string or an array.  Otherwise
 * the repair replaces the content by a string that contains the JSON of the
 * content. */
static int
check_string_result(struct ctx_validator *validator, size_t i)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t body = validator->message->blocks[i].payload;
	struct ctx_str text;

	if (body == 0 || json->nodes[body].kind == CTX_JSON_STRING ||
	    json->nodes[body].kind == CTX_JSON_ARRAY ||
	    json->nodes[body].kind == CTX_JSON_NULL)
		return 0;
	validator->replacement.n = validator->spare.n = 0;
	if (ctx_json_compact(json, body, &validator->spare, &text,
		validator->err) < 0 ||
	    ctx_json_string_encode(&validator->replacement, text.p, text.n,
		validator->err) < 0)
		return -1;
	return ctx_validate_refuse_edit(validator, CTX_RULE_BAD_RESULT, i,
	    ctx_json_str(json, body), "tool result",
	    " is neither a string nor a list of blocks");
}

/* Checks that the content of a tool result with a screenshot is an object. */
static int
check_screenshot(struct ctx_validator *validator, size_t i)
{
	const struct ctx_message *message = validator->message;
	const struct ctx_block *shot = &message->blocks[i + 1];

	if (message->blocks[i].payload != 0 || i + 1 >= message->n ||
	    shot->result_index != i + 1 || shot->kind != CTX_BLOCK_MEDIA ||
	    shot->payload == 0 ||
	    message->json->nodes[shot->payload].kind == CTX_JSON_OBJECT)
		return 0;
	return ctx_validate_refuse_block(validator, CTX_RULE_BAD_RESULT, i,
	    "tool result", " is not a screenshot");
}

/* Returns true if a tool result may contain a block of this type in the
 * dialect. */
static bool
may_hold_block(const struct ctx_validator *validator,
    const struct ctx_block *block)
{
	const char *const *types = validator->dialect->result_types;
	const struct ctx_json *json = validator->message->json;
	uint32_t type;

	if (!(validator->rules & CTX_RESULT_TYPES) || types == NULL)
		return true;
	type = ctx_json_find(json, block->removable, "type");
	for (; *types != NULL; types++)
		if (type != 0
			? ctx_json_is(json, type, *types)
			: ctx_json_find(json, block->removable, *types) != 0)
			return true;
	return false;
}

/* Returns the text of a finding about a block in a tool result, or NULL if the
 * provider accepts the block. */
static const char *
find_block_problem(const struct ctx_validator *validator,
    const struct ctx_block *result, const struct ctx_block *block)
{
	bool text = block->kind == CTX_BLOCK_TEXT;

	if ((validator->rules & CTX_RESULTS_TEXT) && !text)
		return " has blocks other than texts";
	if ((validator->rules & CTX_ERRORS_TEXT) && result->is_error && !text)
		return " of a failed call has blocks other than texts";
	return may_hold_block(validator, block)
	    ? NULL
	    : " has a block of a type that no tool result can have";
}

/* Makes a text block in place of a block that the provider does not accept in a
 * tool result.  Sets validator->replacement to the JSON of the text block. */
static int
make_replacement_block(struct ctx_validator *validator,
    const struct ctx_block *block)
{
	const struct ctx_json *json = validator->message->json;
	struct ctx_str text;

	if (block->kind == CTX_BLOCK_MEDIA)
		return ctx_image_replace(&validator->replacement,
		    &validator->spare, validator->dialect, json,
		    block->removable, validator->err);
	validator->replacement.n = validator->spare.n = 0;
	if ((block->kind == CTX_BLOCK_TEXT
		    ? ctx_json_text(json, block->payload, &validator->spare,
			  &text, validator->err)
		    : ctx_json_compact(json, block->removable,
			  &validator->spare, &text, validator->err)) < 0)
		return -1;
	return ctx_text_block(&validator->replacement, validator->dialect,
	    text.p, text.n, validator->err);
}

static int
check_result_block(struct ctx_validator *validator, size_t i, size_t k)
{
	const struct ctx_block *block = &validator->message->blocks[k];
	const struct ctx_json *json = validator->message->json;
	struct ctx_str old = {NULL, 0};
	const char *what;

	/* An element that is a cache breakpoint is not a content block, so it
	 * is not checked. */
	if (block->removable == 0 || block->payload == 0 ||
	    json->nodes[block->removable].kind != CTX_JSON_OBJECT ||
	    (what = find_block_problem(validator,
		 &validator->message->blocks[i], block)) == NULL)
		return 0;
	/* A tool result may have content that is not a separate block, as in
	 * the format of OpenTelemetry.  A text block cannot replace such
	 * content, so there is no repair. */
	if (validator->dialect->text_block != NULL &&
	    block->removable != validator->message->blocks[i].removable) {
		if (make_replacement_block(validator, block) < 0)
			return -1;
		old = ctx_json_str(json, block->removable);
	}
	return ctx_validate_refuse_edit(validator, CTX_RULE_BAD_RESULT, i, old,
	    "tool result", what);
}

int
ctx_validate_result(struct ctx_validator *validator, size_t i)
{
	const struct ctx_message *message = validator->message;
	size_t k;

	if ((validator->rules & CTX_RESULT_OBJECT) &&
	    check_object_result(validator, i) < 0)
		return -1;
	if ((validator->rules & CTX_RESULT_STRING) &&
	    (check_string_result(validator, i) < 0 ||
		check_screenshot(validator, i) < 0))
		return -1;
	/* The payload of a tool result is 0 if ctx does not read its content,
	 * such as the result of a tool that the provider runs.  Such a result
	 * is sent back unchanged, so it is not checked. */
	if (validator->dialect == NULL || message->blocks[i].payload == 0)
		return 0;
	for (k = i + 1;
	     k < message->n && message->blocks[k].result_index == i + 1; k++)
		if (check_result_block(validator, i, k) < 0)
			return -1;
	return 0;
}
