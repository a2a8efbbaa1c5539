/*
 * tool_schema.c - writes tool definitions as TypeScript types, the form in
 * which OpenAI's models get them
 *
 * The form is documented for gpt-oss ("OpenAI harmony response format", OpenAI
 * cookbook, 2025).  These rules are not documented, but agree with the billed
 * tokens of recorded requests to models since GPT-4o (tests/bench/billed.py):
 * a title is a comment, too.  Each line of a comment is written without the
 * white space around it, and empty lines are left out.  A default is written in
 * a comment after the type, a string without quotes.  An object is written on
 * one line if its members have neither comments nor defaults.  Members of
 * nested objects are not indented.  Title and description of the schema of all
 * arguments, and of a schema that is referred to, are comments before the type.
 *
 * The token counts of GPT-4 and GPT-3.5 agree with the older form, which has
 * none of these rules: members are always indented, each on its own line.
 */
#include <string.h>

#include "cost/prompt_writer.h"

/* Maximum depth of nested schemas.  A deeper schema is written as the type
 * "any". */
#define DEEPEST 32
/* Maximum number of bytes of JSON that are written in place of references to
 * schemas.  The schemas of further references are written as the type "any".
 * Otherwise schemas that refer to each other several times would be written
 * without end. */
#define MOST_REFERRED ((size_t)1 << 20)

/* Parts of a JSON schema that contain other schemas or values: the members of
 * an object, the elements of an array, literal values, the alternatives of a
 * union, and a list of type names. */
enum part { MEMBERS, ITEMS, LITERALS, UNION, NAMES };

struct level {
	enum part part;
	unsigned depth; /* number of indentation steps */
	/* If the part is MEMBERS: true if all members are on one line. */
	bool one_line;
	uint32_t schema;
	/* number of schemas that contain this schema, at most DEEPEST */
	unsigned nested;
	/* JSON nodes. at: element or key that is written next; end: node after
	 * the last element. */
	uint32_t at, end;
	bool any; /* true once an element has been written */
	/* If the part is MEMBERS (the members of an object): JSON node of the
	 * default value of the member that was written last; 0: no default
	 * value. */
	uint32_t initial;
	/* If the part is MEMBERS (the members of an object): names of the
	 * members that the schema requires.  If the part is NAMES (a list of
	 * types): names of the types that were already written. */
	struct ctx_intern names;
};

/* The tool definition that is being written. */
struct types {
	struct ctx_prompt_writer *to;
	bool older; /* true: the form of GPT-4 and GPT-3.5 */
	struct ctx_schema_references references;
	struct ctx_buf text; /* scratch memory */
	/* A stack of the parts of schemas that are being written: each part
	 * contains the next one. */
	struct level levels[2 * DEEPEST + 1];
	size_t n;
};

/* ---- JSON schemas ---- */

/* Adds the schemas in an object of the root schema. place: the key of this
 * object with what stands around it in a path, such as "#/$defs/". */
static void
add_defined(struct ctx_prompt_writer *to,
    struct ctx_schema_references *references, const char *place, uint32_t all)
{
	struct ctx_buf *path = &references->path;
	uint32_t key = 0;

	while (!to->failed && ctx_json_next_member(to->json, all, &key)) {
		path->n = 0;
		to->failed =
		    ctx_buf_add(path, place, strlen(place), to->err) < 0 ||
		    ctx_json_append_text(to->json, key, path, to->err) < 0 ||
		    ctx_node_index_add(&references->defined, ctx_buf_str(path),
			key + 1, to->err) < 0;
	}
}

uint32_t
ctx_schema_follow(struct ctx_prompt_writer *to,
    struct ctx_schema_references *references, uint32_t schema)
{
	const struct ctx_json *json = to->json;
	uint32_t root = references->root, found;
	uint32_t ref = schema == 0 ? 0 : ctx_json_find(json, schema, "$ref");
	struct ctx_str path;

	if (to->failed || !ctx_json_is_string(json, ref))
		return schema;
	if (!references->read) {
		references->read = true;
		add_defined(to, references, "#/$defs/",
		    ctx_json_find(json, root, "$defs"));
		add_defined(to, references, "#/definitions/",
		    ctx_json_find(json, root, "definitions"));
	}
	references->path.n = 0;
	to->failed = to->failed ||
	    ctx_json_text(json, ref, &references->path, &path, to->err) < 0;
	found =
	    to->failed ? 0 : ctx_node_index_find(&references->defined, path);
	return found != 0 ? found : schema;
}

bool
ctx_schema_may_replace(struct ctx_prompt_writer *to, uint32_t node)
{
	to->referred += ctx_json_str(to->json, node).n;
	return to->referred <= MOST_REFERRED;
}

void
ctx_schema_references_release(struct ctx_schema_references *references)
{
	ctx_node_index_release(&references->defined);
	ctx_buf_release(&references->path);
}

void
ctx_schema_read_required(struct ctx_prompt_writer *to, uint32_t schema,
    struct ctx_buf *scratch, struct ctx_intern *names)
{
	uint32_t list = ctx_json_find(to->json, schema, "required"), one = 0;
	struct ctx_str name = {"", 0};
	uint32_t id;

	while (!to->failed && ctx_json_next_element(to->json, list, &one)) {
		scratch->n = 0;
		to->failed =
		    ctx_json_text(to->json, one, scratch, &name, to->err) < 0 ||
		    ctx_intern(names, name.p, name.n, &id, to->err) < 0;
	}
}

/* ---- writing ---- */

/* Writes the decoded text of a JSON string without quotes.  Writes nothing for
 * other values. */
static void
put_decoded(struct types *t, uint32_t node)
{
	if (ctx_json_is_string(t->to->json, node))
		ctx_prompt_put_text(t->to, node);
}

/* Writes the indentation of a line.  Only the older form is indented. */
static void
put_indent(struct types *t, unsigned depth)
{
	for (; t->older && depth > 1; depth--)
		ctx_prompt_put(t->to, "  ");
}

/* Returns the text of a JSON string with escapes decoded.  The returned text is
 * valid until the next call. */
static struct ctx_str
decode_text(struct types *t, uint32_t node)
{
	struct ctx_str text = {"", 0};

	t->text.n = 0;
	if (!t->to->failed)
		t->to->failed = ctx_json_text(t->to->json, node, &t->text,
				    &text, t->to->err) < 0;
	return text;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Writes a comment for each line of a text that is not empty. */
static void
put_comment_lines(struct types *t, struct ctx_str text)
{
	const char *p = text.p, *last = text.p + text.n, *end, *next;

	for (; p < last; p = next) {
		end = memchr(p, '\n', (size_t)(last - p));
		end = end != NULL ? end : last;
		next = end < last ? end + 1 : last;
		while (p < end && is_blank(*p))
			p++;
		while (p < end && is_blank(end[-1]))
			end--;
		if (p == end)
			continue;
		ctx_prompt_put(t->to, "// ");
		ctx_prompt_put_bytes(t->to, p, (size_t)(end - p));
		ctx_prompt_put(t->to, "\n");
	}
}

static bool
is_comment(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_is_string(json, node) && ctx_json_str(json, node).n > 2;
}

/* Writes a title or description as a comment.  Writes nothing if the text is
 * missing or empty. */
static void
put_comment(struct types *t, uint32_t node, unsigned depth)
{
	if (!is_comment(t->to->json, node))
		return;
	if (!t->older) {
		put_comment_lines(t, decode_text(t, node));
		return;
	}
	put_indent(t, depth);
	ctx_prompt_put(t->to, "// ");
	put_decoded(t, node);
	ctx_prompt_put(t->to, "\n");
}

/* Writes the title and description of a schema that is not a member. */
static void
put_schema_comments(struct types *t, uint32_t schema)
{
	if (schema == 0 || t->older)
		return;
	put_comment(t, ctx_json_find(t->to->json, schema, "title"), 1);
	put_comment(t, ctx_json_find(t->to->json, schema, "description"), 1);
}

/* Returns true if no member of an object has a comment or a default value. */
static bool
fits_one_line(const struct ctx_json *json, uint32_t members)
{
	uint32_t key = 0;

	while (ctx_json_next_member(json, members, &key))
		if (is_comment(json, ctx_json_find(json, key + 1, "title")) ||
		    is_comment(json,
			ctx_json_find(json, key + 1, "description")) ||
		    ctx_json_find(json, key + 1, "default") != 0)
			return false;
	return true;
}

/* Begins to write a part of the schema, such as the members of an object:
 * pushes a level on the stack. For each element of the part, put_levels will
 * call the function for this kind of part once. */
static struct level *
push_level(struct types *t, enum part part, uint32_t schema, unsigned depth)
{
	struct level *level = t->levels + t->n++;

	*level = (struct level){.part = part, .schema = schema, .depth = depth};
	/* A schema with a list of type names has two levels, one for the list
	 * (NAMES) and one above it for the type that is being written.  These
	 * two levels count as one nesting level. */
	if (t->n > 1)
		level->nested = level[-1].nested + (level[-1].part != NAMES);
	return level;
}

static void
push_members(struct types *t, uint32_t schema, unsigned depth)
{
	struct level *level = push_level(t, MEMBERS, schema, depth);
	uint32_t all = ctx_json_find(t->to->json, schema, "properties");

	level->one_line = !t->older && ctx_json_is_object(t->to->json, all) &&
	    ctx_json_count(t->to->json, all) > 0 &&
	    fits_one_line(t->to->json, all);
	ctx_prompt_put(t->to, level->one_line ? "{ " : "{\n");
	if (!ctx_json_is_object(t->to->json, all))
		return;
	level->at = all + 1;
	level->end = t->to->json->nodes[all].next;
	ctx_schema_read_required(t->to, schema, &t->text, &level->names);
}

/* Sets *one to the JSON node of the next element or key of the part of a schema
 * that is being written.  Returns false if the part has no more elements. */
static bool
take_next_element(const struct types *t, struct level *level, uint32_t *one)
{
	const struct ctx_node *nodes = t->to->json->nodes;

	*one = level->at;
	if (level->at == level->end)
		return false;
	level->at = nodes[level->part == MEMBERS ? *one + 1 : *one].next;
	return true;
}

/* Writes the TypeScript type for a type name of JSON Schema, such as
 * "array". */
static void
put_named_type(struct types *t, uint32_t schema, uint32_t name, unsigned depth)
{
	static const char *const same[] = {"string", "boolean", "null"};
	const struct ctx_json *json = t->to->json;
	size_t i;

	for (i = 0; i < CTX_LENGTH(same); i++)
		if (ctx_json_is(json, name, same[i])) {
			ctx_prompt_put(t->to, same[i]);
			return;
		}
	if (ctx_json_is(json, name, "number") ||
	    ctx_json_is(json, name, "integer")) {
		ctx_prompt_put(t->to, "number");
	} else if (ctx_json_is(json, name, "array")) {
		(void)push_level(t, ITEMS, schema, depth);
	} else if (ctx_json_is(json, name, "object")) {
		push_members(t, schema, depth + 1);
	} else {
		ctx_prompt_put(t->to, "any");
	}
}

/* Returns true if the schema to which a reference leads is written in place of
 * the reference.  Returns false if the reference is inside this schema, or if
 * MOST_REFERRED is reached. */
static bool
replaces_reference(struct types *t, uint32_t schema)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->levels[i].schema == schema)
			return false;
	return ctx_schema_may_replace(t->to, schema);
}

static void
put_type(struct types *t, uint32_t schema, unsigned depth)
{
	static const char *const unions[] = {"enum", "anyOf", "oneOf"};
	const struct ctx_node *nodes = t->to->json->nodes;
	struct level *level;
	uint32_t type = 0, given = schema;
	size_t i, n = CTX_LENGTH(unions);

	schema = ctx_schema_follow(t->to, &t->references, given);
	if (schema != given && !replaces_reference(t, schema)) {
		ctx_prompt_put(t->to, "any");
		return;
	}
	if (schema != given)
		put_schema_comments(t, schema);
	for (i = 0; i < n; i++) {
		type = ctx_json_find(t->to->json, schema, unions[i]);
		if (type != 0 && nodes[type].kind == CTX_JSON_ARRAY)
			break;
	}
	if (i == n)
		type = ctx_json_find(t->to->json, schema, "type");
	if (type == 0 || t->levels[t->n - 1].nested == DEEPEST) {
		ctx_prompt_put(t->to, "any");
	} else if (nodes[type].kind == CTX_JSON_ARRAY) {
		level = push_level(t,
		    i == n       ? NAMES
			: i == 0 ? LITERALS
				 : UNION,
		    schema, i == n ? depth : depth + 1);
		level->at = type + 1;
		level->end = nodes[type].next;
	} else {
		put_named_type(t, schema, type, depth);
	}
}

/* Writes what follows a member of an object type: a comma, and the default
 * value. */
static void
put_member_end(struct types *t, const struct level *level)
{
	ctx_prompt_put(t->to, ",");
	if (level->initial == 0)
		return;
	ctx_prompt_put(t->to, " // default: ");
	if (!t->older && ctx_json_is_string(t->to->json, level->initial))
		put_decoded(t, level->initial);
	else
		ctx_prompt_put_json(t->to, level->initial);
}

/* Writes the next member of an object type of TypeScript.  After the last
 * member, writes the closing brace and returns false. */
static bool
put_member(struct types *t, struct level *level)
{
	uint32_t key;
	struct ctx_str name;
	bool more = take_next_element(t, level, &key);

	if (level->any && (more || !level->one_line))
		put_member_end(t, level);
	if (level->any)
		ctx_prompt_put(t->to, level->one_line ? " " : "\n");
	if (!more) {
		ctx_prompt_put(t->to, "}");
		return false;
	}
	put_comment(t, ctx_json_find(t->to->json, key + 1, "title"),
	    level->depth);
	put_comment(t, ctx_json_find(t->to->json, key + 1, "description"),
	    level->depth);
	level->initial = ctx_json_find(t->to->json, key + 1, "default");
	put_indent(t, level->depth);
	put_decoded(t, key);
	name = decode_text(t, key);
	ctx_prompt_put(t->to,
	    ctx_intern_has(&level->names, name.p, name.n) ? ": " : "?: ");
	put_type(t, key + 1, level->depth);
	return true;
}

static bool
put_items(struct types *t, struct level *level)
{
	uint32_t items;

	if (level->any) {
		ctx_prompt_put(t->to, "[]");
		return false;
	}
	items = ctx_json_find(t->to->json, level->schema, "items");
	if (items == 0)
		ctx_prompt_put(t->to, "any");
	else
		put_type(t, items, level->depth);
	return true;
}

/* Writes the next alternative of a union type: a literal value or a schema.
 * Alternatives are separated by " | ". */
static bool
put_alternative(struct types *t, struct level *level)
{
	uint32_t one;

	if (!take_next_element(t, level, &one))
		return false;
	if (level->any)
		ctx_prompt_put(t->to, " | ");
	if (level->part == LITERALS)
		ctx_prompt_put_json(t->to, one);
	else
		put_type(t, one, level->depth);
	return true;
}

/* Writes the next type of a member "type" that is a list of type names.  Skips
 * a name that was already written: otherwise the schema's members would be
 * written again for each repetition, at each nesting level. */
static bool
put_listed_type(struct types *t, struct level *level)
{
	struct ctx_str name;
	uint32_t one, id;

	do {
		if (!take_next_element(t, level, &one))
			return false;
		name = decode_text(t, one);
	} while (
	    !t->to->failed && ctx_intern_has(&level->names, name.p, name.n));
	t->to->failed = t->to->failed ||
	    ctx_intern(&level->names, name.p, name.n, &id, t->to->err) < 0;
	if (level->any)
		ctx_prompt_put(t->to, " | ");
	put_named_type(t, level->schema, one, level->depth);
	return true;
}

/* Writes the parts of schemas that are on the stack, beginning with the last
 * part, until the stack is empty.  If memory could not be allocated, only frees
 * the parts. */
static void
put_levels(struct types *t)
{
	static bool (*const parts[])(struct types *,
	    struct level *) = {[MEMBERS] = put_member,
	    [ITEMS] = put_items,
	    [LITERALS] = put_alternative,
	    [UNION] = put_alternative,
	    [NAMES] = put_listed_type};
	struct level *level;

	while (t->n > 0) {
		level = t->levels + t->n - 1;
		if (!t->to->failed && parts[level->part](t, level)) {
			level->any = true;
			continue;
		}
		ctx_intern_release(&level->names);
		t->n--;
	}
}

/* Writes a tool definition. older: true for the form of GPT-4 and GPT-3.5. */
static void
put_definition(struct ctx_prompt_writer *to, const struct ctx_definition *tool,
    bool older)
{
	struct types t = {.to = to,
	    .older = older,
	    .references = {.root = tool->schema}};
	uint32_t members = tool->schema == 0
	    ? 0
	    : ctx_json_find(to->json, tool->schema, "properties");

	put_comment(&t, tool->description, 1);
	ctx_prompt_put(to, "type ");
	put_decoded(&t, tool->name);
	if (members == 0 || ctx_json_count(to->json, members) == 0) {
		ctx_prompt_put(to, " = () => any;\n\n");
	} else {
		ctx_prompt_put(to, " = (_: ");
		put_schema_comments(&t, tool->schema);
		push_members(&t, tool->schema, 1);
		put_levels(&t);
		ctx_prompt_put(to, ") => any;\n\n");
	}
	ctx_schema_references_release(&t.references);
	ctx_buf_release(&t.text);
}

void
ctx_prompt_put_types(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool)
{
	put_definition(to, tool, false);
}

void
ctx_prompt_put_older_types(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool)
{
	put_definition(to, tool, true);
}
