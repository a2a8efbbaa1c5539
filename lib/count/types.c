/*
 * types.c - definitions of tools as TypeScript
 *
 * So OpenAI's models are shown them: the harmony format of gpt-oss is
 * documented ("OpenAI harmony response format", OpenAI cookbook, 2025), and
 * the token counts of earlier models agree with it.
 */
#include <string.h>

#include "count/beside.h"

/* Schemas nested deeper are shown as any. */
#define DEEPEST 32

/* What is being written, and whether memory has run out. */
struct types {
	const struct ctx_json *json;
	struct ctx_buf *out;
	struct ctx_err *err;
	bool failed;
	struct ctx_buf text; /* scratch */
	unsigned nested; /* schemas that the one being written stands in */
};

static void
put(struct types *t, const char *text)
{
	if (!t->failed)
		t->failed = ctx_buf_add(t->out, text, strlen(text), t->err) < 0;
}

/* The JSON of a value: the literal of a string. */
static void
put_literal(struct types *t, uint32_t node)
{
	struct ctx_str text = {"", 0};

	t->text.n = 0;
	if (!t->failed)
		t->failed = ctx_json_compact(t->json, node, &t->text, &text,
				t->err) < 0 ||
		    ctx_buf_add(t->out, text.p, text.n, t->err) < 0;
}

/* What a string means; nothing for another value. */
static void
put_text(struct types *t, uint32_t node)
{
	if (!t->failed && node != 0 &&
	    t->json->nodes[node].kind == CTX_JSON_STRING)
		t->failed = ctx_text_decode(t->out, ctx_json_str(t->json, node),
				t->err) < 0;
}

static void
put_comment(struct types *t, uint32_t description, unsigned depth)
{
	if (description == 0)
		return;
	for (; depth > 1; depth--)
		put(t, "  ");
	put(t, "// ");
	put_text(t, description);
	put(t, "\n");
}

/* A name, however it is escaped; until the next. */
static struct ctx_str
name_at(struct types *t, uint32_t node)
{
	struct ctx_str name = {"", 0};

	t->text.n = 0;
	if (!t->failed)
		t->failed = ctx_json_text(t->json, node, &t->text, &name,
				t->err) < 0;
	return name;
}

/* The names of what an object must have. */
static void
read_required(struct types *t, uint32_t schema, struct ctx_names *required)
{
	const struct ctx_node *nodes = t->json->nodes;
	uint32_t list = ctx_json_find(t->json, schema, "required"), one, id;
	struct ctx_str name;

	if (list == 0 || nodes[list].kind != CTX_JSON_ARRAY)
		return;
	for (one = list + 1; one < nodes[list].next && !t->failed;
	     one = nodes[one].next) {
		name = name_at(t, one);
		t->failed = t->failed ||
		    ctx_names_id(required, name.p, name.n, &id, t->err) < 0;
	}
}

static void put_type(struct types *t, uint32_t schema, unsigned depth);

/* The members of an object, a line each. */
static void
put_members(struct types *t, uint32_t schema, unsigned depth)
{
	const struct ctx_node *nodes = t->json->nodes;
	uint32_t all = ctx_json_find(t->json, schema, "properties"), key, one;
	struct ctx_names required = {0};
	struct ctx_str name;
	unsigned i;

	if (all == 0 || nodes[all].kind != CTX_JSON_OBJECT)
		return;
	read_required(t, schema, &required);
	for (key = all + 1; key < nodes[all].next; key = nodes[one].next) {
		one = key + 1;
		put_comment(
		    t, ctx_json_find(t->json, one, "description"), depth);
		for (i = 1; i < depth; i++)
			put(t, "  ");
		put_text(t, key);
		name = name_at(t, key);
		put(t, ctx_names_has(&required, name.p, name.n) ? ": " : "?: ");
		put_type(t, one, depth);
		put(t, ",\n");
	}
	ctx_names_release(&required);
}

/* The elements of a list, parted by bars: literals, or schemas. */
static void
put_union(struct types *t, uint32_t list, bool literals, unsigned depth)
{
	const struct ctx_node *nodes = t->json->nodes;
	uint32_t one;

	for (one = list + 1; one < nodes[list].next; one = nodes[one].next) {
		if (one > list + 1)
			put(t, " | ");
		if (literals)
			put_literal(t, one);
		else
			put_type(t, one, depth);
	}
}

/* A type by its name in JSON Schema. */
static void
put_named(struct types *t, uint32_t schema, uint32_t name, unsigned depth)
{
	static const char *const same[] = {"string", "boolean", "null"};
	const struct ctx_json *json = t->json;
	uint32_t items;
	size_t i;

	for (i = 0; i < sizeof same / sizeof same[0]; i++)
		if (ctx_json_is(json, name, same[i])) {
			put(t, same[i]);
			return;
		}
	if (ctx_json_is(json, name, "number") ||
	    ctx_json_is(json, name, "integer")) {
		put(t, "number");
	} else if (ctx_json_is(json, name, "array")) {
		items = ctx_json_find(json, schema, "items");
		if (items == 0)
			put(t, "any");
		else
			put_type(t, items, depth);
		put(t, "[]");
	} else if (ctx_json_is(json, name, "object")) {
		put(t, "{\n");
		put_members(t, schema, depth + 1);
		put(t, "}");
	} else {
		put(t, "any");
	}
}

/* A list of types by name, each said once however often it is named: what it
 * has inside would be doubled at each level. */
static void
put_names(struct types *t, uint32_t schema, uint32_t list, unsigned depth)
{
	const struct ctx_node *nodes = t->json->nodes;
	struct ctx_names said = {0};
	uint32_t one, id = 0;
	struct ctx_str name;

	for (one = list + 1; one < nodes[list].next; one = nodes[one].next) {
		name = name_at(t, one);
		if (t->failed || ctx_names_has(&said, name.p, name.n))
			continue;
		t->failed =
		    ctx_names_id(&said, name.p, name.n, &id, t->err) < 0;
		if (id > 1)
			put(t, " | ");
		put_named(t, schema, one, depth);
	}
	ctx_names_release(&said);
}

static void
put_type(struct types *t, uint32_t schema, unsigned depth)
{
	static const char *const unions[] = {"enum", "anyOf", "oneOf"};
	const struct ctx_node *nodes = t->json->nodes;
	uint32_t type = 0;
	size_t i, n = sizeof unions / sizeof unions[0];

	for (i = 0; i < n; i++) {
		type = ctx_json_find(t->json, schema, unions[i]);
		if (type != 0 && nodes[type].kind == CTX_JSON_ARRAY)
			break;
	}
	if (i == n)
		type = ctx_json_find(t->json, schema, "type");
	if (type == 0 || t->nested == DEEPEST) {
		put(t, "any");
		return;
	}
	t->nested++;
	if (i < n)
		put_union(t, type, i == 0, depth + 1);
	else if (nodes[type].kind == CTX_JSON_ARRAY)
		put_names(t, schema, type, depth);
	else
		put_named(t, schema, type, depth);
	t->nested--;
}

int
ctx_types_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err)
{
	struct types t = {.json = json, .out = out, .err = err};
	uint32_t members = ctx_json_find(json, tool->schema, "properties");

	put_comment(&t, tool->description, 1);
	put(&t, "type ");
	put_text(&t, tool->name);
	if (members == 0 || ctx_json_count(json, members) == 0) {
		put(&t, " = () => any;\n\n");
	} else {
		put(&t, " = (_: {\n");
		put_members(&t, tool->schema, 1);
		put(&t, "}) => any;\n\n");
	}
	ctx_buf_release(&t.text);
	return t.failed ? -1 : 0;
}
