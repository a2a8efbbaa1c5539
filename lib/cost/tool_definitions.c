/*
 * tool_definitions.c - counts the tokens of tool definitions
 *
 * Tool definitions are in the model's prompt in one of these forms:
 *
 * types: as a namespace of TypeScript types after the system message (OpenAI;
 * see cost/tool_schema.c).
 *
 * tagged: as <function> and JSON with the description, name and schema of each
 * tool, as Python's json module writes it (Anthropic; measured, see
 * cost/surcharges.c).
 *
 * json: as JSON without white space, with the name, description and schema of
 * each tool (the chat templates of open models).
 *
 * texts: as names and descriptions, and these parts of each schema: keys,
 * types, formats, enumerations, required names, descriptions and examples
 * (Gemini 2.0, and Gemini on Vertex AI).
 *
 * python, declaration: see cost/python_definition.c and cost/declaration.c
 * (Gemini API since 2.5 and since 3).
 */
#include "cost/tool_definitions.h"

#include "cost/text_tokens.h"

/* Maximum depth of nested schemas that are counted. */
#define DEEPEST 16

uint32_t
ctx_tool_find_any(const struct ctx_json *json, uint32_t obj,
    const char *const *keys)
{
	uint32_t node = ctx_json_find_any(json, obj, keys);

	return node != 0 && json->nodes[node].kind == CTX_JSON_NULL ? 0 : node;
}

void
ctx_tool_count_begin(struct ctx_tool_count *b, struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_surcharges *extra,
    struct ctx_err *err)
{
	*b = (struct ctx_tool_count){.counter = counter,
	    .json = json,
	    .extra = extra,
	    .to = {.json = json, .out = &b->text, .err = err}};
}

void
ctx_tool_count_end(struct ctx_tool_count *b)
{
	ctx_buf_release(&b->text);
}

/* ---- one definition ---- */

static void
put_part(struct ctx_prompt_writer *to, const char *before, uint32_t node)
{
	if (node == 0)
		return;
	ctx_prompt_put(to, before);
	ctx_prompt_put_json(to, node);
}

/* Writes a tool definition in the form "json". */
static void
put_json_definition(struct ctx_prompt_writer *to,
    const struct ctx_definition *tool)
{
	put_part(to, "{\"name\":", tool->name);
	put_part(to, ",\"description\":", tool->description);
	put_part(to, ",\"parameters\":", tool->schema);
	ctx_prompt_put(to, "}\n");
}

static int
count_texts(struct ctx_tool_count *b, uint32_t node, struct ctx_err *err)
{
	uint32_t one;

	if (node == 0)
		return 0;
	for (one = node; one < b->json->nodes[node].next; one++)
		if (b->json->nodes[one].kind == CTX_JSON_STRING &&
		    ctx_count_value(b->counter, b->json, one, &b->cost, err) <
			0)
			return -1;
	return 0;
}

/* The schemas inside a JSON schema that are counted next: those in the member
 * "properties", or the one in the member "items". */
struct schema_level {
	/* JSON nodes. key: key of the next schema; end: first node after all
	 * these schemas. */
	uint32_t key, end;
	unsigned depth; /* nesting depth of the schema, from 1 */
	bool named;     /* true if the key is counted */
};

/* Counts the tokens of a JSON schema, without those of the schemas inside it.
 * Appends at most two elements to the array "found": for the schemas in "items"
 * and for those in "properties". */
static int
count_level(struct ctx_tool_count *b, uint32_t schema, unsigned depth,
    struct schema_level *found, size_t *n, struct ctx_err *err)
{
	static const char *const shown[] = {"type", "format", "description",
	    "enum", "required", "example"};
	const struct ctx_node *nodes = b->json->nodes;
	uint32_t items, all;
	size_t i;

	if (depth > DEEPEST)
		return 0;
	for (i = 0; i < CTX_LENGTH(shown); i++)
		if (count_texts(b, ctx_json_find(b->json, schema, shown[i]),
			err) < 0)
			return -1;
	items = ctx_json_find(b->json, schema, "items");
	if (items != 0)
		found[(*n)++] = (struct schema_level){items - 1,
		    nodes[items].next, depth + 1, false};
	all = ctx_json_find(b->json, schema, "properties");
	if (all != 0 && nodes[all].kind == CTX_JSON_OBJECT)
		found[(*n)++] = (struct schema_level){all + 1, nodes[all].next,
		    depth + 1, true};
	return 0;
}

int
ctx_tools_count_schema(struct ctx_tool_count *b, uint32_t schema,
    struct ctx_err *err)
{
	struct schema_level within[2 * (DEEPEST + 1)], *last;
	uint32_t key;
	size_t n = 0;

	if (schema == 0)
		return 0;
	if (count_level(b, schema, 0, within, &n, err) < 0)
		return -1;
	while (n > 0) {
		last = within + n - 1;
		if (last->key == last->end) {
			n--;
			continue;
		}
		key = last->key;
		last->key = b->json->nodes[key + 1].next;
		if ((last->named && count_texts(b, key, err) < 0) ||
		    count_level(b, key + 1, last->depth, within, &n, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the tokens of a tool that the client defines and runs, not the
 * provider. */
static int
add_definition(struct ctx_tool_count *b, const struct ctx_definition *tool,
    struct ctx_err *err)
{
	static void (*const forms[])(struct ctx_prompt_writer *,
	    const struct ctx_definition *) = {[CTX_FORM_TYPES] =
						  ctx_prompt_put_types,
	    [CTX_FORM_OLDER_TYPES] = ctx_prompt_put_older_types,
	    [CTX_FORM_JSON] = put_json_definition,
	    [CTX_FORM_TAGGED] = ctx_prompt_put_tagged,
	    [CTX_FORM_PYTHON] = ctx_prompt_put_python,
	    [CTX_FORM_DECLARATION] = ctx_prompt_put_declaration};

	b->fixed += b->extra->definition;
	if (b->counter->corrects)
		b->fixed += b->extra->estimated_definition;
	if (b->extra->form == CTX_FORM_TEXTS)
		return count_texts(b, tool->name, err) < 0 ||
			count_texts(b, tool->description, err) < 0
		    ? -1
		    : ctx_tools_count_schema(b, tool->schema, err);
	forms[b->extra->form](&b->to, tool);
	return b->to.failed ? -1 : 0;
}

/* Adds the tokens of a tool that the provider defines: the number in the table
 * for this type of tool, otherwise the tokens of the tool's JSON in the
 * request. */
static int
add_provided(struct ctx_tool_count *b, uint32_t tool, uint32_t type)
{
	/* Tools by their types, and the numbers of tokens of their definitions:
	 * according to Anthropic's pages on these tools (November 2026); tool
	 * searches as measured in recorded requests of 2026 (NOTES.md). */
	static const struct {
		const char *type;
		int64_t tokens;
	} known[] = {{"bash_", 245}, {"text_editor_", 700}, {"computer_", 735},
	    {"tool_search_tool_", 220}, {"tool_search", 360}};
	size_t i;

	for (i = 0; i < CTX_LENGTH(known); i++) {
		if (ctx_json_starts_with(b->json, type, known[i].type)) {
			b->fixed += known[i].tokens;
			return 0;
		}
	}
	ctx_prompt_put_json(&b->to, tool);
	return b->to.failed ? -1 : 0;
}

/* Returns the JSON node of the schema of a tool's arguments.  In requests of
 * Bedrock, and of jsonSchema() of the AI SDK, the schema is inside another
 * object. */
static uint32_t
find_schema(const struct ctx_tool_count *b, uint32_t tool)
{
	static const char *const schemas[] = {"parametersJsonSchema",
	    "parameters_json_schema", "parameters", "input_schema",
	    "inputSchema", NULL};
	static const char *const wrapped[] = {"json", "jsonSchema", NULL};
	const struct ctx_json *json = b->json;
	uint32_t schema = ctx_tool_find_any(json, tool,
	    b->extra->hides_json_schemas ? schemas + 2 : schemas);
	uint32_t inner =
	    schema == 0 ? 0 : ctx_tool_find_any(json, schema, wrapped);

	return inner != 0 ? inner : schema;
}

/* Returns the JSON node of the object that has name, description and schema of
 * a tool: the tool, or an object inside it. */
static uint32_t
find_inner(const struct ctx_json *json, uint32_t tool)
{
	static const char *const within[] = {"function", "toolSpec", "custom",
	    NULL};
	uint32_t inner = ctx_tool_find_any(json, tool, within);

	return inner != 0 ? inner : tool;
}

/* Returns true if the request contains a tool, or all tools of an MCP server,
 * only so that a tool search can find it. */
static bool
is_deferred(const struct ctx_json *json, uint32_t tool)
{
	static const char *const paths[] = {"defer_loading",
	    "function/defer_loading", "default_config/defer_loading"};
	uint32_t value;

	for (size_t i = 0; i < CTX_LENGTH(paths); i++) {
		value = ctx_json_find_path(json, tool, paths[i]);
		if (value != 0 && json->nodes[value].kind == CTX_JSON_TRUE)
			return true;
	}
	return false;
}

/* Adds the tokens of the name and the description of a deferred tool or of an
 * MCP server, or of a namespace. */
static int
add_name(struct ctx_tool_count *b, uint32_t at, struct ctx_err *err)
{
	static const char *const names[] = {"name", "server_label", NULL};
	static const char *const descriptions[] = {"description",
	    "server_description", NULL};
	const struct ctx_definition one = {.name = ctx_tool_find_any(b->json,
					       at, names),
	    .description = ctx_tool_find_any(b->json, at, descriptions)};

	b->any = true;
	return one.name == 0 ? 0 : add_definition(b, &one, err);
}

/* Adds the tokens of a tool definition, even if it is deferred. key: JSON node
 * of the tool's name if it is the key of the definition; 0 if the definition is
 * an element of an array. */
static int
add_whole_tool(struct ctx_tool_count *b, uint32_t tool, uint32_t key,
    struct ctx_err *err)
{
	const struct ctx_json *json = b->json;
	uint32_t at = find_inner(json, tool), type;
	struct ctx_definition one;

	type = ctx_json_find(json, tool, "type");
	one.name = key != 0 ? key : ctx_json_find(json, at, "name");
	one.description = ctx_json_find(json, at, "description");
	one.schema = find_schema(b, at);
	/* A tool search that the client runs has a schema, but no name. */
	if (one.name == 0 && one.schema != 0)
		one.name = type;
	if (one.name != 0 &&
	    (at != tool || one.schema != 0 || type == 0 ||
		ctx_json_is(json, type, "function") ||
		ctx_json_is(json, type, "custom"))) {
		b->any = true;
		return add_definition(b, &one, err);
	}
	if (!ctx_json_is_string(json, type))
		/* The element is not a tool, but a cache breakpoint, for
		 * example. */
		return 0;
	b->any = true;
	return add_provided(b, tool, type);
}

/* Adds the tokens of the functions in a namespace of OpenAI.  Only the name and
 * the description of the namespace tell the model of deferred functions. */
static int
add_namespace(struct ctx_tool_count *b, uint32_t tool, uint32_t list,
    struct ctx_err *err)
{
	uint32_t one = 0;

	if (add_name(b, tool, err) < 0)
		return -1;
	while (ctx_json_next_element(b->json, list, &one)) {
		if (is_deferred(b->json, one))
			b->has_deferred = true;
		else if (add_whole_tool(b, one, 0, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the tokens of a tool definition, as far as it is in the prompt before
 * any tool search.  key: see add_whole_tool. */
static int
add_listed_tool(struct ctx_tool_count *b, uint32_t tool, uint32_t key,
    struct ctx_err *err)
{
	const struct ctx_json *json = b->json;
	uint32_t list = ctx_json_find(json, tool, "tools");

	if (is_deferred(json, tool)) {
		b->has_deferred = true;
		return b->shows_deferred
		    ? add_name(b, find_inner(json, tool), err)
		    : 0;
	}
	if (ctx_json_is_array(json, list) &&
	    ctx_json_is(json, ctx_json_find(json, tool, "type"), "namespace"))
		return add_namespace(b, tool, list, err);
	return add_whole_tool(b, tool, key, err);
}

/* Adds the tokens of tool definitions that are members of an object, as in the
 * AI SDK.  The keys are the names of the tools. */
static int
add_by_name(struct ctx_tool_count *b, uint32_t all, struct ctx_err *err)
{
	uint32_t key = 0;

	while (ctx_json_next_member(b->json, all, &key))
		if (b->json->nodes[key + 1].kind == CTX_JSON_OBJECT &&
		    add_listed_tool(b, key + 1, key, err) < 0)
			return -1;
	return 0;
}

int
ctx_tools_add(struct ctx_tool_count *b, uint32_t list, struct ctx_err *err)
{
	static const char *const inner[] = {"functionDeclarations",
	    "function_declarations", NULL};
	const struct ctx_node *nodes = b->json->nodes;
	uint32_t one = 0, functions, f;

	if (list != 0 && nodes[list].kind == CTX_JSON_STRING)
		return ctx_count_value(b->counter, b->json, list, &b->cost,
		    err);
	if (list != 0 && nodes[list].kind == CTX_JSON_OBJECT)
		return add_by_name(b, list, err);
	while (ctx_json_next_element(b->json, list, &one)) {
		functions = ctx_tool_find_any(b->json, one, inner);
		if (!ctx_json_is_array(b->json, functions)) {
			if (add_listed_tool(b, one, 0, err) < 0)
				return -1;
			continue;
		}
		for (f = 0; ctx_json_next_element(b->json, functions, &f);)
			if (add_listed_tool(b, f, 0, err) < 0)
				return -1;
	}
	return 0;
}

/* ---- tools that a message loads ---- */

/* Adds the tokens of the deferred tool of this name, a JSON string.  Adds
 * nothing if there is no such tool, or if it is not deferred: then it is in the
 * prompt before the messages. */
static int
add_named_tool(struct ctx_tool_count *b, uint32_t list, struct ctx_str name,
    struct ctx_err *err)
{
	uint32_t one = 0, found;

	while (ctx_json_next_element(b->json, list, &one)) {
		found =
		    ctx_json_find(b->json, find_inner(b->json, one), "name");
		if (ctx_json_is_string(b->json, found) &&
		    is_deferred(b->json, one) &&
		    ctx_json_strings_equal(ctx_json_str(b->json, found), name))
			return add_whole_tool(b, one, 0, err);
	}
	return 0;
}

int
ctx_count_loaded_tools(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i,
    const struct ctx_message *place, struct ctx_cost *cost, struct ctx_err *err)
{
	/* "name" in blocks of the type tool_addition */
	static const char *const names[] = {"tool_name", "name", NULL};
	const struct ctx_json *json = message->json;
	uint32_t one = message->blocks[i].payload, name;
	uint32_t end = json->nodes[one].next;
	struct ctx_tool_count b;
	uint64_t before;
	int rc = 0;

	if (place->tools == 0)
		return 0;
	ctx_tool_count_begin(&b, counter, place->json,
	    ctx_find_surcharges(counter, message->dialect), err);
	for (; rc == 0 && one < end; one++) {
		if (!ctx_json_is(json, ctx_json_find(json, one, "type"),
			"tool_reference"))
			continue;
		name = ctx_json_find_any(json, one, names);
		if (ctx_json_is_string(json, name))
			rc = add_named_tool(&b, place->tools,
			    ctx_json_str(json, name), err);
	}
	before = cost->tokens;
	if (rc == 0)
		rc = ctx_count_marked_text(counter, b.text.p, b.text.n, cost,
		    err);
	cost->tokens += b.cost.tokens + (uint64_t)b.fixed;
	cost->estimated += cost->tokens - before;
	ctx_tool_count_end(&b);
	return rc;
}
