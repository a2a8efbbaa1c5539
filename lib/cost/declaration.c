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
#include "cost/shown_form.h"

/* Maximum depth of nested objects and arrays.  A deeper object or array is
 * written as JSON without white space. */
#define DEEPEST 64

/* What an object or array contains: plain values, the keywords of a schema, the
 * schemas of named properties, or alternative schemas. */
enum content { VALUES, KEYWORDS, PROPERTIES, SCHEMAS };

struct nested_value {
	/* JSON nodes. at: element or key that is written next; end: node after
	 * the last element. */
	uint32_t at, end;
	bool object;
	enum content content;
	bool any; /* true once an element has been written */
};

/* The value that is being written. */
struct writer {
	struct ctx_prompt_writer to;
	/* A stack of the objects and arrays that are being written: each
	 * contains the next one. */
	struct nested_value open[DEEPEST];
	size_t n;
};

static void
put_mark(struct writer *w)
{
	static const char mark[] = {CTX_TOKEN_MARK, '\0'};

	ctx_prompt_put(&w->to, mark);
}

/* Writes a string between two quotes.  Each quote is a separate token.
 * capitals: true if the letters a to z are written as capitals. */
static void
put_quoted(struct writer *w, uint32_t node, bool capitals)
{
	size_t i;

	put_mark(w);
	i = w->to.out->n;
	ctx_prompt_put_text(&w->to, node);
	for (; capitals && i < w->to.out->n; i++)
		if (w->to.out->p[i] >= 'a' && w->to.out->p[i] <= 'z')
			w->to.out->p[i] = (char)(w->to.out->p[i] - 'a' + 'A');
	put_mark(w);
}

/* Writes a value.  For an object or array that is not empty, writes only the
 * opening bracket. */
static void
put_value(struct writer *w, uint32_t node, enum content content, bool capitals)
{
	const struct ctx_node *nodes = w->to.json->nodes;
	bool object = nodes[node].kind == CTX_JSON_OBJECT;

	if (nodes[node].kind == CTX_JSON_STRING) {
		put_quoted(w, node, capitals);
	} else if ((!object && nodes[node].kind != CTX_JSON_ARRAY) ||
	    nodes[node].next == node + 1 || w->n == DEEPEST) {
		ctx_prompt_put_text(&w->to, node);
	} else {
		w->open[w->n++] = (struct nested_value){.at = node + 1,
		    .end = nodes[node].next,
		    .object = object,
		    .content = content};
		ctx_prompt_put(&w->to, object ? "{" : "[");
	}
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

/* Returns what the value of this keyword of a schema contains. */
static enum content
find_content(const struct ctx_json *json, uint32_t key)
{
	static const struct {
		const char *key;
		enum content content;
	} known[] = {{"properties", PROPERTIES}, {"$defs", PROPERTIES},
	    {"definitions", PROPERTIES}, {"items", KEYWORDS},
	    {"anyOf", SCHEMAS}, {"any_of", SCHEMAS}, {"oneOf", SCHEMAS}};
	size_t i;

	for (i = 0; i < CTX_LENGTH(known); i++)
		if (ctx_json_is(json, key, known[i].key))
			return known[i].content;
	return VALUES;
}

/* Begins an element of an object or array: writes a comma if another element
 * comes before it. */
static void
begin_element(struct writer *w, struct nested_value *top)
{
	if (top->any)
		ctx_prompt_put(&w->to, ",");
	top->any = true;
}

/* Writes the next member of an object.  Writes nothing if the prompt does not
 * contain this member. */
static void
put_member(struct writer *w, struct nested_value *top, uint32_t key)
{
	enum content within = top->content == PROPERTIES ? KEYWORDS : VALUES;
	bool capitals = false;

	if (top->content == KEYWORDS) {
		if (is_left_out(w->to.json, key))
			return;
		within = find_content(w->to.json, key);
		capitals = ctx_json_is(w->to.json, key, "type");
	}
	begin_element(w, top);
	ctx_prompt_put_text(&w->to, key);
	ctx_prompt_put(&w->to, ":");
	put_value(w, key + 1, within, capitals);
}

/* Writes the next element of the innermost object or array that is being
 * written.  After the last element, writes the closing bracket. */
static void
put_next(struct writer *w)
{
	struct nested_value *top = w->open + w->n - 1;
	uint32_t at = top->at;

	if (at == top->end) {
		w->n--;
		ctx_prompt_put(&w->to, top->object ? "}" : "]");
		return;
	}
	top->at = w->to.json->nodes[top->object ? at + 1 : at].next;
	if (top->object) {
		put_member(w, top, at);
		return;
	}
	begin_element(w, top);
	put_value(w, at, top->content == SCHEMAS ? KEYWORDS : VALUES, false);
}

/* Writes a whole value, including all values inside it. */
static void
put_whole(struct writer *w, uint32_t node, enum content content)
{
	put_value(w, node, content, false);
	while (w->n > 0 && !w->to.failed)
		put_next(w);
}

int
ctx_declared_value_add(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	struct writer w = {.to = {.json = json, .out = out, .err = err}};

	put_whole(&w, node, VALUES);
	return w.to.failed ? -1 : 0;
}

int
ctx_declaration_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err)
{
	struct writer w = {.to = {.json = json, .out = out, .err = err}};
	bool described =
	    tool->description != 0 && !is_empty(json, tool->description);

	put_mark(&w);
	ctx_prompt_put(&w.to, "declaration:");
	ctx_prompt_put_text(&w.to, tool->name);
	ctx_prompt_put(&w.to, "{");
	if (described) {
		ctx_prompt_put(&w.to, "description:");
		put_quoted(&w, tool->description, false);
	}
	if (tool->schema != 0) {
		ctx_prompt_put(&w.to,
		    described ? ",parameters:" : "parameters:");
		put_whole(&w, tool->schema, KEYWORDS);
	}
	ctx_prompt_put(&w.to, "}");
	put_mark(&w);
	return w.to.failed ? -1 : 0;
}
