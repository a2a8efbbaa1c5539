/*
 * argument_rules.c - checks that the arguments of a tool call are a JSON object
 *
 * In Chat Completions and Responses the arguments are a string, and the text of
 * this string is JSON.  OpenAI does not parse the text.  But other servers with
 * the format of Chat Completions parse it in all tool calls of a request. vLLM
 * answers 400 for text that was truncated (vllm #48922, July 2026), for JSON
 * that is not an object (vllm #48006), and for arguments that are not a string
 * (deer-flow #4445).  Responses accepts any JSON in the string: ellmer sends
 * "[]" (chat-tools-dangling, recorded 2026).  In other formats the arguments
 * are an object: Anthropic answers "tool_use.input: Input should be a valid
 * dictionary" (claude-code #6696).
 *
 * If the arguments are not an object, a repair writes a new object, whose
 * member "arguments" has the old arguments as its value.
 */
#include "check/validator.h"

static bool
is_blank_buffer(const struct ctx_buf *text)
{
	size_t i;

	for (i = 0; i < text->n; i++)
		if (!ctx_utf8_is_space((unsigned char)text->p[i]))
			return false;
	return true;
}

/* Appends the arguments in validator->arguments as a JSON object.  Called for
 * arguments that are not written as the message format prescribes. */
static int
make_object(const struct ctx_validator *validator, struct ctx_buf *out,
    struct ctx_err *err)
{
	static const char before[] = "{\"arguments\":";
	const struct ctx_coded_value *value = &validator->arguments;
	unsigned kind = value->json->nodes[value->node].kind;

	if (kind == CTX_JSON_NULL ||
	    (kind == CTX_JSON_STRING && is_blank_buffer(&value->text)))
		return ctx_buf_add(out, "{}", 2, err);
	if (kind == CTX_JSON_OBJECT)
		return ctx_json_append_compact(value->json, value->node, out,
		    err);
	if (ctx_buf_add(out, before, sizeof before - 1, err) < 0 ||
	    ctx_json_append_compact(value->json, value->node, out, err) < 0)
		return -1;
	return ctx_buf_add(out, "}", 1, err);
}

/* Reports that the arguments of tool call i have a wrong form.  The repair
 * makes the arguments a JSON object.  If in_text is true, the repair writes
 * this object as JSON in a string. */
static int
refuse_arguments(struct ctx_validator *validator, size_t i, bool in_text,
    const char *tail)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t value = validator->message->blocks[i].payload;
	struct ctx_buf *body =
	    in_text ? &validator->spare : &validator->replacement;

	validator->spare.n = validator->replacement.n = 0;
	if (value == 0)
		return ctx_validate_refuse_block(validator,
		    CTX_RULE_BAD_ARGUMENTS, i, "arguments of tool call", tail);
	if (make_object(validator, body, validator->err) < 0 ||
	    (in_text &&
		ctx_json_string_encode(&validator->replacement, body->p,
		    body->n, validator->err) < 0))
		return -1;
	return ctx_validate_refuse_edit(validator, CTX_RULE_BAD_ARGUMENTS, i,
	    ctx_json_str(json, value), "arguments of tool call", tail);
}

/* Checks that the arguments of a tool call are a string.  If the server parses
 * it, the string must contain JSON, in Chat Completions the JSON of an object.
 * Called for formats that demand a string. */
static int
check_argument_string(struct ctx_validator *validator, size_t i)
{
	const struct ctx_json *json = validator->message->json;
	const struct ctx_block *block = &validator->message->blocks[i];
	const struct ctx_coded_value *value = &validator->arguments;
	bool string = json->nodes[block->payload].kind == CTX_JSON_STRING;
	int rc;

	/* In Responses, the arguments of some types of tool calls are an
	 * object, not a string. */
	if (string ? !(validator->rules & CTX_ARGUMENTS_PARSED)
		   : block->container == 0)
		return 0;
	rc = ctx_coded_value_read(&validator->arguments, json, block->payload,
	    validator->err);
	if (rc < 0 ||
	    (string && rc > 0 &&
		(block->container == 0 ||
		    value->json->nodes[value->node].kind == CTX_JSON_OBJECT)))
		return rc < 0 ? -1 : 0;
	return refuse_arguments(validator, i, true,
	    !string      ? " are not a string"
		: rc > 0 ? " are not the JSON of an object"
			 : " are not JSON");
}

int
ctx_validate_arguments(struct ctx_validator *validator, size_t i)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t value = validator->message->blocks[i].payload;
	bool needed = (validator->rules & CTX_NEEDS_IDS) != 0;

	if (value != 0 && (validator->rules & CTX_ARGUMENTS_TEXT) &&
	    ctx_json_is(json, value - 1, "arguments"))
		return check_argument_string(validator, i);
	/* Arguments that are missing or null are accepted, except in formats in
	 * which tool calls need ids (CTX_NEEDS_IDS). */
	if (!(validator->rules & CTX_ARGUMENTS_OBJECT) ||
	    (!needed &&
		(value == 0 || json->nodes[value].kind == CTX_JSON_NULL)) ||
	    ctx_json_is_object(json, value))
		return 0;
	if (value != 0 &&
	    ctx_coded_value_read(&validator->arguments, json, value,
		validator->err) < 0)
		return -1;
	return refuse_arguments(validator, i, false, " are not an object");
}
