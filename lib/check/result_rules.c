/*
 * result_rules.c - what a result may hold
 *
 * Which types of blocks stand in a result is a column of the dialect.  Mistral
 * takes texts only ("content.list[TextChunk] ... Input should be 'text'",
 * LibreChat-AI/agents #344, July 2026); OpenAI took no images either until
 * GPT-5.2, and answers 200 since (openai-openapi #523, February 2026).
 * Anthropic: "all content must be type `text` if `is_error` is true"
 * (vellum-assistant #18387, March 2026).  Gemini: a response is an object
 * (google.protobuf.Struct; AstrBot #7216, March 2026).  Responses: "Invalid
 * value: 'output_text'. Supported values are: 'input_text', 'input_image',
 * 'input_file', 'scoped_content', and 'encrypted_content'." (querymt #953,
 * September 2026; nagobot #27); an output is a string or a list of these
 * (function_call_output in openai-python); "expected a computer call output,
 * but got a string instead" (stagehand-python #149, July 2025).
 *
 * In a repair a block becomes a text block: a text of another type its text,
 * an image its placeholder, any other block its JSON, so that nothing else is
 * lost.
 */
#include <string.h>

#include "check/image_rules.h"
#include "check/validator.h"

/* A response that is no object becomes the member of one that Gemini's own
 * SDK would make it. */
static int
judge_object(struct ctx_validator *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_message *view = judge->view;
	uint32_t body = view->parts[i].value;
	struct ctx_str text;

	if (body == 0 && i + 1 < view->n && view->parts[i + 1].owner == i + 1)
		body = view->parts[i + 1].value;
	if (body == 0 || view->json->nodes[body].kind == CTX_JSON_OBJECT ||
	    view->json->nodes[body].kind == CTX_JSON_NULL)
		return 0;
	text = ctx_json_str(view->json, body);
	judge->with.n = 0;
	if (ctx_buf_add(&judge->with, "{\"output\":", 10, err) < 0 ||
	    ctx_buf_add(&judge->with, text.p, text.n, err) < 0 ||
	    ctx_buf_add(&judge->with, "}", 1, err) < 0)
		return -1;
	return ctx_validate_refuse_edit(judge, CTX_RULE_BAD_RESULT, i, "result",
		   " is no object", text, &judge->with, err) < 0
	    ? -1
	    : 0;
}

/* An output that is neither a string nor a list becomes its JSON as text. */
static int
judge_string(struct ctx_validator *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_json *json = judge->view->json;
	uint32_t body = judge->view->parts[i].value;
	struct ctx_str text;

	if (body == 0 || json->nodes[body].kind == CTX_JSON_STRING ||
	    json->nodes[body].kind == CTX_JSON_ARRAY ||
	    json->nodes[body].kind == CTX_JSON_NULL)
		return 0;
	judge->with.n = judge->spare.n = 0;
	if (ctx_json_compact(json, body, &judge->spare, &text, err) < 0 ||
	    ctx_json_string_encode(&judge->with, text.p, text.n, err) < 0)
		return -1;
	return ctx_validate_refuse_edit(judge, CTX_RULE_BAD_RESULT, i, "result",
		   " is neither a string nor a list of blocks",
		   ctx_json_str(json, body), &judge->with, err) < 0
	    ? -1
	    : 0;
}

/* A screenshot is an object, whatever else came of the call. */
static int
judge_screenshot(struct ctx_validator *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_message *view = judge->view;
	const struct ctx_block *shot = &view->parts[i + 1];

	if (view->parts[i].value != 0 || i + 1 >= view->n ||
	    shot->owner != i + 1 || shot->kind != CTX_BLOCK_MEDIA ||
	    shot->value == 0 ||
	    view->json->nodes[shot->value].kind == CTX_JSON_OBJECT)
		return 0;
	return ctx_validate_refuse_part(judge, CTX_RULE_BAD_RESULT, i, "result",
		   " is no screenshot", err) < 0
	    ? -1
	    : 0;
}

/* Is the block of a type that a result may hold? */
static bool
may_hold(const struct ctx_validator *judge, const struct ctx_block *part)
{
	const char *const *types = judge->dialect->result_types;
	const struct ctx_json *json = judge->view->json;
	uint32_t type;

	if (!(judge->rules & CTX_RESULT_TYPES) || types == NULL)
		return true;
	type = ctx_json_find(json, part->child, "type");
	for (; *types != NULL; types++)
		if (type != 0 ? ctx_json_is(json, type, *types)
			      : ctx_json_find(json, part->child, *types) != 0)
			return true;
	return false;
}

/* What is wrong with a block of a result, or NULL. */
static const char *
wrong(const struct ctx_validator *judge, const struct ctx_block *result,
    const struct ctx_block *part)
{
	bool text = part->kind == CTX_BLOCK_TEXT;

	if ((judge->rules & CTX_RESULTS_TEXT) && !text)
		return " holds more than texts";
	if ((judge->rules & CTX_ERRORS_TEXT) && result->failed && !text)
		return " of a failure holds more than texts";
	return may_hold(judge, part)
	    ? NULL
	    : " holds a block of a type that none may hold";
}

/* Sets judge->with to the text block that replaces a block. */
static int
replace(struct ctx_validator *judge, const struct ctx_block *part,
    struct ctx_err *err)
{
	const struct ctx_json *json = judge->view->json;
	struct ctx_str text;

	if (part->kind == CTX_BLOCK_MEDIA)
		return ctx_image_replace(&judge->with, &judge->spare,
		    judge->dialect, json, part->child, err);
	judge->with.n = judge->spare.n = 0;
	if ((part->kind == CTX_BLOCK_TEXT ? ctx_json_text(json, part->value,
						&judge->spare, &text, err)
					  : ctx_json_compact(json, part->child,
						&judge->spare, &text, err)) < 0)
		return -1;
	return ctx_text_block(&judge->with, judge->dialect, text.p, text.n,
	    err);
}

static int
judge_block(struct ctx_validator *judge, size_t i, size_t k,
    struct ctx_err *err)
{
	const struct ctx_block *part = &judge->view->parts[k];
	const struct ctx_json *json = judge->view->json;
	const char *what;
	bool known;

	/* Hints are no blocks. */
	if (part->child == 0 || part->value == 0 ||
	    json->nodes[part->child].kind != CTX_JSON_OBJECT ||
	    (what = wrong(judge, &judge->view->parts[i], part)) == NULL)
		return 0;
	known = judge->dialect->text_block != NULL;
	if (known && replace(judge, part, err) < 0)
		return -1;
	return ctx_validate_refuse_edit(judge, CTX_RULE_BAD_RESULT, i, "result",
		   what, ctx_json_str(json, part->child),
		   known ? &judge->with : NULL, err) < 0
	    ? -1
	    : 0;
}

int
ctx_validate_result(struct ctx_validator *judge, size_t i, struct ctx_err *err)
{
	const struct ctx_message *view = judge->view;
	size_t k;

	if ((judge->rules & CTX_RESULT_OBJECT) &&
	    judge_object(judge, i, err) < 0)
		return -1;
	if ((judge->rules & CTX_RESULT_STRING) &&
	    (judge_string(judge, i, err) < 0 ||
		judge_screenshot(judge, i, err) < 0))
		return -1;
	/* What the provider's own tools gave is as it was. */
	if (judge->dialect == NULL || view->parts[i].value == 0)
		return 0;
	for (k = i + 1; k < view->n && view->parts[k].owner == i + 1; k++)
		if (judge_block(judge, i, k, err) < 0)
			return -1;
	return 0;
}
