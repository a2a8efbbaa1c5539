/*
 * declaration.c - writes tool definitions, arguments and results in the form
 * that the prompt of Gemini 3 and later has
 *
 * declaration:NAME{description:"TEXT",parameters:SCHEMA}
 *
 * A schema and a value are written as JSON without white space, but keys have
 * no quotes, and a quote is a token of its own.  Types are in capitals.  Google
 * has not published this form for Gemini, but a similar one for FunctionGemma
 * (ai.google.dev, "FunctionGemma formatting and best practices", November
 * 2026).  Of 32 recorded requests to Gemini 3 to 3.6 with definitions and
 * without signatures, 29 were billed exactly these tokens.
 */
#include <string.h>

#include "cost/shown_form.h"

/* Maximum depth of nested objects and arrays.  A deeper one is written as JSON
 * without white space. */
#define DEEPEST 64

/* What an object or array contains: plain values, the keywords of a schema, the
 * schemas of named properties, or alternative schemas. */
enum content { VALUES, KEYWORDS, PROPERTIES, SCHEMAS };

struct nested_value {
	/* JSON nodes. at: element or key that is written next; end: node after
	 * the last one. */
	uint32_t at, end;
	bool object;
	enum content content;
	bool any; /* true once an element has been written */
};

/* The value that is being written. */
struct writer {
	const struct ctx_json *json;
	struct ctx_buf *out;
	struct ctx_err *err;
	/* A stack of the open objects and arrays: each contains the one after
	 * it. */
	struct nested_value open[DEEPEST];
	size_t n;
};

static int
put_text(struct writer *w, const char *text)
{
	return ctx_buf_add(w->out, text, strlen(text), w->err);
}

static int
put_mark(struct writer *w)
{
	static const char mark = CTX_TOKEN_MARK;

	return ctx_buf_add(w->out, &mark, 1, w->err);
}

/* Writes a string between two quotes, each of which is a token of its own. */
static int
put_quoted(struct writer *w, uint32_t node, bool capitals)
{
	size_t i, start;

	if (put_mark(w) < 0)
		return -1;
	start = w->out->n;
	if (ctx_json_append_text(w->json, node, w->out, w->err) < 0)
		return -1;
	for (i = start; capitals && i < w->out->n; i++)
		if (w->out->p[i] >= 'a' && w->out->p[i] <= 'z')
			w->out->p[i] = (char)(w->out->p[i] - 'a' + 'A');
	return put_mark(w);
}

/* Writes a value.  Of an object or array with elements, writes only the
 * beginning. */
static int
put_value(struct writer *w, uint32_t node, enum content content, bool capitals)
{
	const struct ctx_node *nodes = w->json->nodes;
	bool object = nodes[node].kind == CTX_JSON_OBJECT;

	if (nodes[node].kind == CTX_JSON_STRING)
		return put_quoted(w, node, capitals);
	if ((!object && nodes[node].kind != CTX_JSON_ARRAY) ||
	    nodes[node].next == node + 1 || w->n == DEEPEST)
		return ctx_json_append_text(w->json, node, w->out, w->err);
	w->open[w->n++] = (struct nested_value){.at = node + 1,
	    .end = nodes[node].next,
	    .object = object,
	    .content = content};
	return put_text(w, object ? "{" : "[");
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

/* Returns true if this keyword of a schema, with its value, is not in the
 * prompt. */
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

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (ctx_json_is(json, key, known[i].key))
			return known[i].content;
	return VALUES;
}

/* Writes the next member of an object.  Returns 0, or 1 if it was not written
 * because it is not in the prompt. */
static int
put_member(struct writer *w, struct nested_value *top, uint32_t key)
{
	enum content within = VALUES;
	bool capitals = false;

	if (top->content == KEYWORDS) {
		if (is_left_out(w->json, key))
			return 1;
		within = find_content(w->json, key);
		capitals = ctx_json_is(w->json, key, "type");
	} else if (top->content == PROPERTIES) {
		within = KEYWORDS;
	}
	if ((top->any && put_text(w, ",") < 0) ||
	    ctx_json_append_text(w->json, key, w->out, w->err) < 0 ||
	    put_text(w, ":") < 0)
		return -1;
	return put_value(w, key + 1, within, capitals);
}

/* Writes the next element of the innermost open object or array, or its end. */
static int
put_next(struct writer *w)
{
	struct nested_value *top = w->open + w->n - 1;
	uint32_t at = top->at;
	int rc;

	if (at == top->end) {
		w->n--;
		return put_text(w, top->object ? "}" : "]");
	}
	top->at = w->json->nodes[top->object ? at + 1 : at].next;
	if (top->object) {
		rc = put_member(w, top, at);
	} else {
		rc = top->any ? put_text(w, ",") : 0;
		if (rc == 0)
			rc = put_value(w, at,
			    top->content == SCHEMAS ? KEYWORDS : VALUES, false);
	}
	if (rc == 0)
		top->any = true;
	return rc < 0 ? -1 : 0;
}

static int
write_value(struct ctx_buf *out, const struct ctx_json *json, uint32_t node,
    enum content content, struct ctx_err *err)
{
	struct writer w = {.json = json, .out = out, .err = err};
	int rc = put_value(&w, node, content, false);

	while (rc == 0 && w.n > 0)
		rc = put_next(&w);
	return rc;
}

int
ctx_declared_value_add(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	return write_value(out, json, node, VALUES, err);
}

int
ctx_declaration_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err)
{
	struct writer w = {.json = json, .out = out, .err = err};
	bool described =
	    tool->description != 0 && !is_empty(json, tool->description);

	if (put_mark(&w) < 0 || put_text(&w, "declaration:") < 0 ||
	    ctx_json_append_text(json, tool->name, out, err) < 0 ||
	    put_text(&w, "{") < 0)
		return -1;
	if (described &&
	    (put_text(&w, "description:") < 0 ||
		put_quoted(&w, tool->description, false) < 0))
		return -1;
	if (tool->schema != 0 &&
	    (put_text(&w, described ? ",parameters:" : "parameters:") < 0 ||
		write_value(out, json, tool->schema, KEYWORDS, err) < 0))
		return -1;
	return put_text(&w, "}") < 0 ? -1 : put_mark(&w);
}
