/*
 * python_definition.c - writes tool definitions and the arguments of tool calls
 * in the form that the prompt of Gemini 2.5 has
 *
 * A tool is a function of Python, with the descriptions in its doc string.
 * Each object in the arguments is a class.  The name of the class consists of
 * the name of the function and the names of the arguments that lead to the
 * object.  Google has not published this form.  Of 39 recorded requests to
 * Gemini 2.5 in the Gemini API with different definitions, 36 were billed
 * exactly the tokens of this form (November 2026).
 */
#include <string.h>

#include "cost/prompt_writer.h"

enum {
	/* Maximum number of classes of a function.  Needed because a schema
	 * that refers to itself would have infinitely many classes. */
	MOST_CLASSES = 64,
	/* maximum depth of objects inside objects */
	DEEPEST = 5,
	/* maximum depth of arrays inside arrays */
	MOST_ARRAYS = 16,
};

/* An object type in the arguments of a tool, for which a Python class must
 * still be written. */
struct python_class {
	uint32_t schema;
	unsigned depth;
	/* offset and length in bytes of the name in the buffer "names" of
	 * struct python */
	size_t name, length;
};

struct python {
	struct ctx_prompt_writer *to;
	struct ctx_schema_references references;
	struct ctx_buf names, text;
	struct python_class classes[MOST_CLASSES];
	size_t n;
};

/* Returns the JSON node of a member of a schema, or 0 if the schema is 0 or has
 * no such member. */
static uint32_t
find_member(const struct ctx_json *json, uint32_t schema, const char *key)
{
	return schema == 0 ? 0 : ctx_json_find(json, schema, key);
}

/* Returns the JSON node of the properties of a schema; 0 if it has none. */
static uint32_t
find_properties(const struct ctx_json *json, uint32_t schema)
{
	uint32_t all = find_member(json, schema, "properties");

	return ctx_json_is_object(json, all) && json->nodes[all].next > all + 1
	    ? all
	    : 0;
}

/* Writes a description, if there is one.  All lines but the first are indented,
 * unless they are empty. */
static void
put_description(struct python *p, uint32_t node)
{
	struct ctx_str text = {"", 0};
	size_t i, start = 0;

	if (!ctx_json_is_string(p->to->json, node) || p->to->failed)
		return;
	p->text.n = 0;
	p->to->failed =
	    ctx_json_text(p->to->json, node, &p->text, &text, p->to->err) < 0;
	for (i = 0; i < text.n && !p->to->failed; i++) {
		if (text.p[i] != '\n')
			continue;
		ctx_prompt_put_bytes(p->to, text.p + start, i + 1 - start);
		start = i + 1;
		if (start < text.n && text.p[start] != '\n')
			ctx_prompt_put(p->to, "  ");
	}
	ctx_prompt_put_bytes(p->to, text.p + start, text.n - start);
}

/* Appends a name to the buffer "names" of struct python: without quotes,
 * dashes, dots, spaces and underscores, and with a capital at the beginning of
 * each word. */
static void
add_camel_case(struct python *p, const char *name, size_t n)
{
	bool begins = true;
	size_t i;
	char c;

	for (i = 0; i < n && !p->to->failed; i++) {
		c = name[i];
		if (c == '_' || c == '-' || c == '.' || c == ' ' || c == '"') {
			begins = true;
			continue;
		}
		if (begins && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		begins = false;
		p->to->failed = ctx_buf_add(&p->names, &c, 1, p->to->err) < 0;
	}
}

/* Writes the name of the class of an object, and adds the class to those that
 * must be written.  If there would be too many or too deep classes, only writes
 * "Any". from: the class that has the object as a property. key: JSON node of
 * the property's name. */
static void
put_class_name(struct python *p, uint32_t schema,
    const struct python_class *from, uint32_t key)
{
	struct ctx_str literal = ctx_json_str(p->to->json, key);
	struct python_class *class = p->classes + p->n;

	if (p->n == MOST_CLASSES || from->depth == DEEPEST) {
		ctx_prompt_put(p->to, "Any");
		return;
	}
	*class = (struct python_class){.schema = schema,
	    .depth = from->depth + 1,
	    .name = p->names.n};
	if (ctx_buf_reserve(&p->names, from->length + literal.n, p->to->err) <
	    0) {
		p->to->failed = true;
		return;
	}
	memcpy(p->names.p + p->names.n, p->names.p + from->name, from->length);
	p->names.n += from->length;
	add_camel_case(p, literal.p, literal.n);
	class->length = p->names.n - class->name;
	p->n++;
	ctx_prompt_put_bytes(p->to, p->names.p + class->name, class->length);
}

/* Writes the list of the only values that an argument of a tool may have, as
 * the Python type Literal. */
static void
put_literals(struct python *p, uint32_t list)
{
	uint32_t one = 0;

	ctx_prompt_put(p->to, "Literal['");
	while (ctx_json_next_element(p->to->json, list, &one)) {
		if (one != list + 1)
			ctx_prompt_put(p->to, "', '");
		ctx_prompt_put_text(p->to, one);
	}
	ctx_prompt_put(p->to, "']");
}

/* Returns the JSON node with the name of a schema's type, or 0 if there is
 * none.  If the schema has several types, returns the first type that is not
 * "null". */
static uint32_t
find_type(const struct ctx_json *json, uint32_t schema)
{
	uint32_t type = find_member(json, schema, "type"), one = 0;

	if (!ctx_json_is_array(json, type))
		return type;
	while (ctx_json_next_element(json, type, &one))
		if (!ctx_json_is(json, one, "null"))
			return one;
	return 0;
}

/* Returns the Python name of a type of JSON Schema ("str" for "string"), or
 * NULL if there is none. */
static const char *
name_type(const struct ctx_json *json, uint32_t type)
{
	static const char *const names[][3] = {{"string", "STRING", "str"},
	    {"integer", "INTEGER", "int"}, {"number", "NUMBER", "float"},
	    {"boolean", "BOOLEAN", "bool"}, {"null", "NULL", "None"},
	    {"object", "OBJECT", "dict[str, Any]"}};
	size_t i;

	for (i = 0; i < CTX_LENGTH(names); i++)
		if (ctx_json_is(json, type, names[i][0]) ||
		    ctx_json_is(json, type, names[i][1]))
			return names[i][2];
	return NULL;
}

/* Writes the type of an argument that is not a union of types. */
static void
put_one_type(struct python *p, uint32_t schema, const struct python_class *from,
    uint32_t key)
{
	const struct ctx_json *json = p->to->json;
	const char *name;
	uint32_t type, list;
	uint32_t given = schema;
	unsigned arrays = 0;

	schema = ctx_schema_follow(p->to, &p->references, schema);
	type = find_type(json, schema);
	while (schema != 0 && arrays < MOST_ARRAYS &&
	    (ctx_json_is(json, type, "array") ||
		ctx_json_is(json, type, "ARRAY"))) {
		ctx_prompt_put(p->to, "list[");
		arrays++;
		given = find_member(json, schema, "items");
		schema = ctx_schema_follow(p->to, &p->references, given);
		type = find_type(json, schema);
	}
	list = find_member(json, schema, "enum");
	name = name_type(json, type);
	if (ctx_json_is_array(json, list) && schema != given &&
	    !ctx_schema_may_replace(p->to, list))
		ctx_prompt_put(p->to, "Any");
	else if (ctx_json_is_array(json, list))
		put_literals(p, list);
	else if (find_properties(json, schema) != 0)
		put_class_name(p, schema, from, key);
	else
		ctx_prompt_put(p->to, name != NULL ? name : "Any");
	while (arrays-- > 0)
		ctx_prompt_put(p->to, "]");
}

static bool
is_null_type(const struct ctx_json *json, uint32_t schema)
{
	uint32_t type = find_member(json, schema, "type");

	return ctx_json_is(json, type, "null") ||
	    ctx_json_is(json, type, "NULL");
}

/* Writes the type of an argument.  In a union of types, leaves out "null". */
static void
put_type(struct python *p, uint32_t schema, const struct python_class *from,
    uint32_t key)
{
	static const char *const unions[] = {"anyOf", "any_of", "oneOf"};
	const struct ctx_json *json = p->to->json;
	uint32_t list = 0, one = 0;
	bool any = false;
	size_t i;

	for (i = 0; i < CTX_LENGTH(unions) && list == 0; i++)
		list = find_member(json, schema, unions[i]);
	if (!ctx_json_is_array(json, list)) {
		put_one_type(p, schema, from, key);
		return;
	}
	while (ctx_json_next_element(json, list, &one)) {
		if (is_null_type(json, one))
			continue;
		if (any)
			ctx_prompt_put(p->to, " | ");
		any = true;
		put_one_type(p, one, from, key);
	}
}

/* Writes a line for each property of a schema: its name, its type, and whether
 * it may be omitted. */
static void
put_properties(struct python *p, const struct python_class *class,
    const char *before, const char *after)
{
	const struct ctx_json *json = p->to->json;
	uint32_t all = find_properties(json, class->schema), key = 0;
	struct ctx_intern required = {0};
	struct ctx_str name = {"", 0};

	if (all == 0)
		return;
	ctx_schema_read_required(p->to, class->schema, &p->text, &required);
	while (!p->to->failed && ctx_json_next_member(json, all, &key)) {
		ctx_prompt_put(p->to, before);
		ctx_prompt_put_text(p->to, key);
		ctx_prompt_put(p->to, ": ");
		put_type(p, key + 1, class, key);
		p->text.n = 0;
		p->to->failed = p->to->failed ||
		    ctx_json_text(json, key, &p->text, &name, p->to->err) < 0;
		if (!ctx_intern_has(&required, name.p, name.n))
			ctx_prompt_put(p->to, " | None = None");
		ctx_prompt_put(p->to, after);
	}
	ctx_intern_release(&required);
}

/* Writes the doc string of a function or class. heading: text before the
 * descriptions of the properties. */
static void
put_doc_string(struct python *p, uint32_t schema, uint32_t description,
    const char *heading)
{
	const struct ctx_json *json = p->to->json;
	uint32_t all = find_properties(json, schema), key = 0;

	ctx_prompt_put(p->to, "  \"\"\"");
	put_description(p, description);
	ctx_prompt_put(p->to, heading);
	while (all != 0 && ctx_json_next_member(json, all, &key)) {
		ctx_prompt_put(p->to, "    ");
		ctx_prompt_put_text(p->to, key);
		ctx_prompt_put(p->to, ": ");
		put_description(p, find_member(json, key + 1, "description"));
		ctx_prompt_put(p->to, "\n");
	}
	ctx_prompt_put(p->to, "  \"\"\"\n");
}

static void
put_class(struct python *p, const struct python_class *class)
{
	ctx_prompt_put(p->to, "@dataclasses.dataclass(kw_only=True)\nclass ");
	ctx_prompt_put_bytes(p->to, p->names.p + class->name, class->length);
	ctx_prompt_put(p->to, ":\n");
	put_doc_string(p, class->schema,
	    find_member(p->to->json, class->schema, "description"),
	    "\n\n  Attributes:\n");
	put_properties(p, class, "  ", "\n");
}

void
ctx_prompt_put_python(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool)
{
	struct ctx_str name = ctx_json_str(to->json, tool->name);
	struct python p = {.to = to, .references = {.root = tool->schema}};
	struct python_class class = {.schema = tool->schema};
	size_t i;

	add_camel_case(&p, name.p, name.n);
	class.length = p.names.n;
	ctx_prompt_put(to, "def ");
	ctx_prompt_put_text(to, tool->name);
	ctx_prompt_put(to, "(\n");
	put_properties(&p, &class, "    ", ",\n");
	ctx_prompt_put(to, ") -> dict:\n");
	put_doc_string(&p, tool->schema, tool->description, "\n\n  Args:\n");
	for (i = 0; i < p.n && !to->failed; i++) {
		class = p.classes[i];
		put_class(&p, &class);
	}
	ctx_schema_references_release(&p.references);
	ctx_buf_release(&p.names);
	ctx_buf_release(&p.text);
}

void
ctx_prompt_put_arguments(struct ctx_prompt_writer *to, uint32_t node)
{
	uint32_t key = 0;

	ctx_prompt_put(to, "(");
	while (ctx_json_next_member(to->json, node, &key)) {
		ctx_prompt_put(to, key != node + 1 ? ", " : "");
		ctx_prompt_put_text(to, key);
		ctx_prompt_put(to, " = ");
		ctx_prompt_put_spaced(to, key + 1);
	}
	ctx_prompt_put(to, ")");
}
