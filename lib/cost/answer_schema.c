/*
 * answer_schema.c - writes the JSON schema of an answer as the provider writes
 * it into the model's prompt
 *
 * There are two forms, which the providers do not publish.  They were inferred
 * from billed tokens of recorded requests (November 2026,
 * tests/bench/billed.py):
 *
 * indented: JSON on several lines, indented by 2 spaces, as Python's json
 * module writes it (Claude, 40 requests).
 *
 * reduced: a heading with the name of the schema, the description of the schema
 * as a comment, and JSON without white space.  Keys such as required and
 * maxLength are left out (OpenAI, 230 requests).
 */
#include <string.h>

#include "cost/answer_schema.h"
#include "cost/prompt_writer.h"

/* Maximum depth of nested objects and arrays.  A deeper object or array is
 * written as JSON without white space. */
#define DEEPEST 64

/* An object or array of the schema that is being written, element by
 * element. */
struct open_value {
	/* JSON nodes. at: element or key that is written next; end: node after
	 * the last element. */
	uint32_t at, end;
	bool object;
	/* true if the keys of the object are names that the schema defines,
	 * such as names of properties; false if they are keywords of JSON
	 * Schema */
	bool names;
	bool any; /* true once an element has been written */
};

/* The schema that is being written. */
struct schema_writer {
	struct ctx_prompt_writer to;
	/* true: the form "indented"; false: the form "reduced", without white
	 * space */
	bool indented;
	/* A stack of the objects and arrays that are being written: each
	 * contains the next one. */
	struct open_value open[DEEPEST];
	size_t n;
};

void
ctx_answer_schema_find(struct ctx_answer_schema *found,
    const struct ctx_json *json, uint32_t request)
{
	/* Where a request contains the schema that the answer must follow: the
	 * path to an object, and the key of the schema in this object. */
	static const char *const paths[][2] = {{"response_format/json_schema",
						   "schema"},
	    {"text/format", "schema"}, {"output_config/format", "schema"},
	    {"output_format", "schema"},
	    {"outputConfig/textFormat/structure/jsonSchema", "schema"},
	    {"generationConfig", "responseSchema"}};
	uint32_t node;
	size_t i;

	memset(found, 0, sizeof *found);
	for (i = 0; i < CTX_LENGTH(paths); i++) {
		node = ctx_json_find_path(json, request, paths[i][0]);
		if (node != 0)
			found->schema = ctx_json_find(json, node, paths[i][1]);
		if (found->schema == 0)
			continue;
		found->name = ctx_json_find(json, node, "name");
		found->description = ctx_json_find(json, node, "description");
		return;
	}
}

/* Begins a new line, with indentation for the innermost open object or
 * array. */
static void
put_line_start(struct schema_writer *w)
{
	size_t depth = w->n;

	if (!w->indented)
		return;
	ctx_prompt_put(&w->to, "\n");
	while (depth-- > 0)
		ctx_prompt_put(&w->to, "  ");
}

/* Returns true if the provider leaves this key of a schema, and its value, out
 * of the prompt. */
static bool
is_left_out(const struct schema_writer *w, uint32_t key)
{
	static const char *const left_out[] = {"additionalProperties",
	    "required", "minLength", "maxLength", "pattern", "format",
	    "minimum", "maximum", "multipleOf", "minItems", "maxItems",
	    "exclusiveMinimum", "exclusiveMaximum", "default", NULL};

	return !w->indented && ctx_json_is_any(w->to.json, key, left_out);
}

/* Writes a value.  For an object or array that is not empty, writes only the
 * opening bracket. names: true if the keys of the object are names that the
 * schema defines, not keywords of JSON Schema. */
static void
put_value(struct schema_writer *w, uint32_t node, bool names)
{
	const struct ctx_node *nodes = w->to.json->nodes;
	bool object = nodes[node].kind == CTX_JSON_OBJECT;

	if ((!object && nodes[node].kind != CTX_JSON_ARRAY) ||
	    nodes[node].next == node + 1 || w->n == DEEPEST) {
		ctx_prompt_put_json(&w->to, node);
		return;
	}
	w->open[w->n++] = (struct open_value){.at = node + 1,
	    .end = nodes[node].next,
	    .object = object,
	    .names = names};
	ctx_prompt_put(&w->to, object ? "{" : "[");
}

/* Writes the next element of the innermost object or array that is being
 * written.  After the last element, writes the closing bracket. */
static void
put_next(struct schema_writer *w)
{
	static const char *const maps[] = {"properties", "$defs", "definitions",
	    "patternProperties", NULL};
	struct open_value *top = w->open + w->n - 1;
	uint32_t key = 0, value = top->at;

	if (value == top->end) {
		w->n--;
		if (top->any)
			put_line_start(w);
		ctx_prompt_put(&w->to, top->object ? "}" : "]");
		return;
	}
	if (top->object)
		key = value++;
	top->at = w->to.json->nodes[value].next;
	if (key != 0 && !top->names && is_left_out(w, key))
		return;
	if (top->any)
		ctx_prompt_put(&w->to, ",");
	put_line_start(w);
	top->any = true;
	if (key != 0) {
		ctx_prompt_put_json(&w->to, key);
		ctx_prompt_put(&w->to, w->indented ? ": " : ":");
	}
	put_value(w, value,
	    key != 0 && !top->names && ctx_json_is_any(w->to.json, key, maps));
}

/* Appends the JSON of a schema to out. */
static int
put_schema(struct ctx_buf *out, const struct ctx_json *json, uint32_t schema,
    bool indented, struct ctx_err *err)
{
	struct schema_writer w = {.to = {.json = json, .out = out, .err = err},
	    .indented = indented};

	put_value(&w, schema, false);
	while (w.n > 0 && !w.to.failed)
		put_next(&w);
	return w.to.failed ? -1 : 0;
}

/* Appends the text "before", the text of a JSON string, and the text "after".
 * Appends nothing if the node is not a string. */
static int
add_heading(struct ctx_buf *out, const struct ctx_json *json,
    const char *before, uint32_t node, const char *after, struct ctx_err *err)
{
	if (!ctx_json_is_string(json, node))
		return 0;
	if (ctx_buf_add(out, before, strlen(before), err) < 0 ||
	    ctx_json_string_decode(out, ctx_json_str(json, node), err) < 0)
		return -1;
	return ctx_buf_add(out, after, strlen(after), err);
}

static int
add_reduced(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_answer_schema *answer, struct ctx_err *err)
{
	static const char title[] = "# Response Formats\n\n";

	if (ctx_buf_add(out, title, sizeof title - 1, err) < 0 ||
	    add_heading(out, json, "## ", answer->name, "\n\n", err) < 0 ||
	    add_heading(out, json, "// ", answer->description, "\n", err) < 0)
		return -1;
	return put_schema(out, json, answer->schema, false, err);
}

/* Appends a schema as the provider writes it into Claude's prompt.  In the
 * request, the schema may be JSON in a string. */
static int
add_indented(struct ctx_buf *out, const struct ctx_json *json, uint32_t schema,
    struct ctx_err *err)
{
	struct ctx_coded_value value = {0};
	int rc = ctx_coded_value_read(&value, json, schema, err);

	if (rc > 0)
		rc = put_schema(out, value.json, value.node, true, err);
	ctx_coded_value_release(&value);
	return rc;
}

int
ctx_answer_schema_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_answer_schema *answer, enum ctx_answer_form form,
    struct ctx_err *err)
{
	if (form == CTX_ANSWER_INDENTED)
		return add_indented(out, json, answer->schema, err);
	if (json->nodes[answer->schema].kind == CTX_JSON_STRING)
		return 0;
	if (form == CTX_ANSWER_REDUCED)
		return add_reduced(out, json, answer, err);
	return ctx_json_append_compact(json, answer->schema, out, err);
}
