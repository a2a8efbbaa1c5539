/*
 * declaration.c - writes tool definitions, arguments and results in the form in
 * which the prompt of Gemini 3 and later contains them
 *
 * declaration:NAME{description:"TEXT",parameters:SCHEMA}
 *
 * A schema and a value are written as JSON without white space, but keys have
 * no quotes, and each quote is a separate token.  Types are in capitals.
 * Google has not published this form for Gemini, but a similar one for
 * FunctionGemma (ai.google.dev, "FunctionGemma formatting and best practices",
 * November 2026).  Of 32 recorded requests to Gemini 3 to 3.6 with tool
 * definitions and without signatures, 29 were billed exactly the tokens of this
 * form.
 */
#include "cost/prompt_writer.h"

static void
put_mark(struct ctx_prompt_writer *to)
{
	static const char mark = CTX_TOKEN_MARK;

	ctx_prompt_put_bytes(to, &mark, 1);
}

/* Writes a key or a value.  A string is written between two quotes, each of
 * which is a separate token; the name of a type in capitals. */
static void
put_declared(struct ctx_prompt_writer *to, uint32_t node,
    enum ctx_content content)
{
	bool quoted = content != CTX_CONTENT_KEY &&
	    to->json->nodes[node].kind == CTX_JSON_STRING;
	size_t i;

	if (quoted)
		put_mark(to);
	i = to->out->n;
	ctx_prompt_put_text(to, node);
	for (; quoted && content == CTX_CONTENT_TYPE && i < to->out->n; i++)
		if (to->out->p[i] >= 'a' && to->out->p[i] <= 'z')
			to->out->p[i] = (char)(to->out->p[i] - 'a' + 'A');
	if (quoted)
		put_mark(to);
}

/* Returns true if a value is empty: "", {}, [] or null. */
static bool
is_empty(const struct ctx_json *json, uint32_t node)
{
	switch (json->nodes[node].kind) {
	case CTX_JSON_STRING:
		return ctx_json_str(json, node).n == 2;
	case CTX_JSON_OBJECT:
	case CTX_JSON_ARRAY:
		return json->nodes[node].next == node + 1;
	default:
		return json->nodes[node].kind == CTX_JSON_NULL;
	}
}

/* Returns true if the provider leaves this keyword of a schema, and its value,
 * out of the prompt. */
static bool
is_left_out(const struct ctx_json *json, uint32_t key)
{
	static const char *const left_out[] = {"additionalProperties",
	    "$schema", "propertyOrdering", "property_ordering", NULL};

	return is_empty(json, key + 1) || ctx_json_is_any(json, key, left_out);
}

static enum ctx_content
find_declared_content(const struct ctx_json *json, enum ctx_content outer,
    uint32_t key)
{
	static const struct {
		const char *key;
		enum ctx_content content;
	} known[] = {{"properties", CTX_CONTENT_PROPERTIES},
	    {"$defs", CTX_CONTENT_PROPERTIES},
	    {"definitions", CTX_CONTENT_PROPERTIES},
	    {"items", CTX_CONTENT_KEYWORDS}, {"anyOf", CTX_CONTENT_SCHEMAS},
	    {"any_of", CTX_CONTENT_SCHEMAS}, {"oneOf", CTX_CONTENT_SCHEMAS},
	    {"type", CTX_CONTENT_TYPE}};
	size_t i;

	if (outer == (key != 0 ? CTX_CONTENT_PROPERTIES : CTX_CONTENT_SCHEMAS))
		return CTX_CONTENT_KEYWORDS;
	if (outer != CTX_CONTENT_KEYWORDS || key == 0)
		return CTX_CONTENT_VALUES;
	if (is_left_out(json, key))
		return CTX_CONTENT_LEFT_OUT;
	for (i = 0; i < CTX_LENGTH(known); i++)
		if (ctx_json_is(json, key, known[i].key))
			return known[i].content;
	return CTX_CONTENT_VALUES;
}

static const struct ctx_nested_form form = {.put = put_declared,
    .find_content = find_declared_content};

void
ctx_prompt_put_declared(struct ctx_prompt_writer *to, uint32_t node)
{
	ctx_prompt_put_nested(to, &form, node, CTX_CONTENT_VALUES);
}

void
ctx_prompt_put_declaration(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool)
{
	bool described =
	    tool->description != 0 && !is_empty(to->json, tool->description);

	put_mark(to);
	ctx_prompt_put(to, "declaration:");
	ctx_prompt_put_text(to, tool->name);
	ctx_prompt_put(to, "{");
	if (described) {
		ctx_prompt_put(to, "description:");
		put_mark(to);
		ctx_prompt_put_text(to, tool->description);
		put_mark(to);
	}
	if (tool->schema != 0) {
		ctx_prompt_put(to, described ? ",parameters:" : "parameters:");
		ctx_prompt_put_nested(to, &form, tool->schema,
		    CTX_CONTENT_KEYWORDS);
	}
	ctx_prompt_put(to, "}");
	put_mark(to);
}
