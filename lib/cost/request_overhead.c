/*
 * request_overhead.c - counts the tokens of a request outside its messages
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
 *
 * The model's prompt also contains a text around the tool definitions.  The
 * number of tokens of this text is in struct ctx_tools, if it is known.
 *
 * Sources: "tool use system prompt token count" in Anthropic's tool use
 * overview (2026), and the chat templates of open models.
 */
#include <string.h>

#include "cost/cost.h"
#include "cost/prompt_writer.h"
#include "cost/text_tokens.h"
#include "cost/tool_choice.h"

/* Maximum depth of nested schemas that are counted. */
#define DEEPEST 16

/* the keys under which a request may contain the system prompt */
static const char *const prompts[] = {"system", "instructions",
    "systemInstruction", "system_instruction", "gen_ai.system_instructions",
    NULL};

struct overhead_count {
	struct ctx_counter *counter;
	const struct ctx_json *json;
	const struct ctx_tools *rule;
	/* surcharges of the model's rule for tools: tokens that are billed in
	 * addition to those of texts */
	const struct ctx_surcharges *extra;
	struct ctx_cost cost; /* tokens and characters counted so far */
	/* Tool definitions of the request, in the form in which the model gets
	 * them, and what writes them to this buffer. */
	struct ctx_buf text;
	struct ctx_prompt_writer to;
	/* Numbers of tokens that are published or were measured: those of the
	 * provider's own tools, and those of the text around the tool
	 * definitions. */
	int64_t fixed;
	/* see ctx_request_overhead.tools_alone */
	unsigned tools_alone;
	bool any;
};

/* Looks up several keys in an object.  Returns the JSON node of the value of
 * the first key that the object has.  Returns 0 if this value is null, or if
 * the object has none of the keys. */
static uint32_t
find_first_of(const struct ctx_json *json, uint32_t obj,
    const char *const *keys)
{
	uint32_t node = ctx_json_find_any(json, obj, keys);

	return node != 0 && json->nodes[node].kind == CTX_JSON_NULL ? 0 : node;
}

/* ---- the system prompt ---- */

/* Counts the tokens of a system prompt, which is a string, an array of text
 * blocks, or {"parts": [...]}.  Gemini also accepts a single part in place of
 * the array. */
static int
count_prompt(struct overhead_count *b, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = b->json;
	uint32_t parts = ctx_json_find(json, node, "parts"), one = 0, text;

	if (parts != 0)
		node = parts;
	text = ctx_json_find(json, node, "text");
	if (text != 0)
		node = text;
	if (!ctx_json_is_array(json, node))
		return ctx_count_value(b->counter, json, node, &b->cost, err);
	while (ctx_json_next_element(json, node, &one)) {
		text = one;
		if (json->nodes[one].kind == CTX_JSON_OBJECT)
			text = ctx_json_find(json, one, "text");
		/* in OpenTelemetry's format, the key is "content" */
		if (text == 0)
			text = ctx_json_find(json, one, "content");
		if (text != 0 &&
		    ctx_count_value(b->counter, json, text, &b->cost, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- tool definitions ---- */

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
count_texts(struct overhead_count *b, uint32_t node, struct ctx_err *err)
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
count_level(struct overhead_count *b, uint32_t schema, unsigned depth,
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

static int
count_schema(struct overhead_count *b, uint32_t schema, struct ctx_err *err)
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
add_definition(struct overhead_count *b, const struct ctx_definition *tool,
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
		    : count_schema(b, tool->schema, err);
	forms[b->extra->form](&b->to, tool);
	return b->to.failed ? -1 : 0;
}

/* Adds the tokens of a tool that the provider defines: the published number for
 * this type of tool, otherwise the tokens of the tool's JSON in the request. */
static int
add_provided(struct overhead_count *b, uint32_t tool, uint32_t type)
{
	/* Tools that Anthropic defines, by their types, and the numbers of
	 * tokens of their definitions according to its pages on these tools
	 * (November 2026). */
	static const struct {
		const char *type;
		int64_t tokens;
	} known[] = {{"bash_", 245}, {"text_editor_", 700}, {"computer_", 735}};
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
find_schema(const struct overhead_count *b, uint32_t tool)
{
	static const char *const schemas[] = {"parametersJsonSchema",
	    "parameters_json_schema", "parameters", "input_schema",
	    "inputSchema", NULL};
	static const char *const wrapped[] = {"json", "jsonSchema", NULL};
	const struct ctx_json *json = b->json;
	uint32_t schema = find_first_of(json, tool,
	    b->extra->hides_json_schemas ? schemas + 2 : schemas);
	uint32_t inner = schema == 0 ? 0 : find_first_of(json, schema, wrapped);

	return inner != 0 ? inner : schema;
}

/* Adds the tokens of a tool definition. key: JSON node of the tool's name if it
 * is the key of the definition; 0 if the definition is an element of an
 * array. */
static int
add_listed_tool(struct overhead_count *b, uint32_t tool, uint32_t key,
    struct ctx_err *err)
{
	static const char *const within[] = {"function", "toolSpec", "custom",
	    NULL};
	const struct ctx_json *json = b->json;
	uint32_t inner = find_first_of(json, tool, within), type;
	uint32_t at = inner != 0 ? inner : tool;
	struct ctx_definition one;

	type = ctx_json_find(json, tool, "type");
	one.name = key != 0 ? key : ctx_json_find(json, at, "name");
	one.description = ctx_json_find(json, at, "description");
	one.schema = find_schema(b, at);
	if (one.name != 0 &&
	    (inner != 0 || one.schema != 0 || type == 0 ||
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

/* Adds the tokens of tool definitions that are members of an object, as in the
 * AI SDK.  The keys are the names of the tools. */
static int
add_by_name(struct overhead_count *b, uint32_t all, struct ctx_err *err)
{
	uint32_t key = 0;

	while (ctx_json_next_member(b->json, all, &key))
		if (b->json->nodes[key + 1].kind == CTX_JSON_OBJECT &&
		    add_listed_tool(b, key + 1, key, err) < 0)
			return -1;
	return 0;
}

/* Adds the tokens of all tool definitions.  The definitions are an array or, in
 * the AI SDK, an object.  In Gemini's format, each element of the array
 * contains an array of functions.  In ShareGPT's format, the definitions are a
 * string with the JSON of an array, which the model gets unchanged. */
static int
add_tools(struct overhead_count *b, uint32_t list, struct ctx_err *err)
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
		functions = find_first_of(b->json, one, inner);
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

static bool
is_responses(const struct ctx_record_layout *layout)
{
	return strcmp(layout->dialect->name, "openai-responses") == 0;
}

/* Returns true if a message of the request has the role of a system message. */
static bool
has_system_message(const struct ctx_json *json,
    const struct ctx_record_layout *layout)
{
	static const char *const roles[] = {"system", "developer", NULL};
	uint32_t one = 0;

	while (ctx_json_next_element(json, layout->messages, &one))
		if (ctx_json_is_any(json, ctx_json_find(json, one, "role"),
			roles))
			return true;
	return false;
}

/* Adds the tokens that tool definitions cost more without a system message.
 * They are then a message of their own. */
static void
add_tools_alone(struct overhead_count *b,
    const struct ctx_record_layout *layout)
{
	if (is_responses(layout) || b->extra->tools_alone == 0)
		return;
	if (has_system_message(b->json, layout))
		b->tools_alone = b->extra->tools_alone;
	else
		b->fixed += b->extra->tools_alone;
}

/* Adds the tokens that were measured for a request with tools, in addition to
 * those of the texts of the definitions. */
static void
add_surcharges(struct overhead_count *b, const struct ctx_record_layout *layout)
{
	const struct ctx_surcharges *extra = b->extra;

	b->fixed += extra->tools;
	if (is_responses(layout))
		b->fixed += extra->responses;
	add_tools_alone(b, layout);
	if (ctx_tool_is_named(b->json, layout->request))
		b->fixed += extra->named;
}

/* Adds the tokens of the text that the model's prompt has around tool
 * definitions, if the request defines tools. */
static int
add_framing(struct overhead_count *b, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	/* The text before the tool definitions begins with "# Tools".  The # is
	 * not counted, because published token counts are one token lower than
	 * a count with the #. */
	static const char head[] = " Tools\n\n## functions\n\n"
				   "namespace functions {\n\n",
			  foot[] = "} // namespace functions";

	if (!b->any)
		return 0;
	b->fixed += ctx_tool_is_forced(b->json, layout->request)
	    ? b->rule->forced
	    : b->rule->once;
	add_surcharges(b, layout);
	if (b->extra->form != CTX_FORM_TYPES &&
	    b->extra->form != CTX_FORM_OLDER_TYPES)
		return 0;
	if (ctx_buf_add(&b->text, foot, sizeof foot - 1, err) < 0 ||
	    ctx_buf_reserve(&b->text, sizeof head, err) < 0)
		return -1;
	memmove(b->text.p + sizeof head - 1, b->text.p, b->text.n);
	memcpy(b->text.p, head, sizeof head - 1);
	b->text.n += sizeof head - 1;
	return 0;
}

/* Adds the tokens of the schema that the answer must follow, and of the text
 * around the schema. */
static int
count_answer(struct overhead_count *b, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	const struct ctx_surcharges *extra = b->extra;
	struct ctx_answer_schema answer;

	ctx_answer_schema_find(&answer, b->json, layout->request);
	if (answer.schema == 0 || extra->answer_form == CTX_ANSWER_HIDDEN)
		return 0;
	if (extra->answer_form == CTX_ANSWER_TEXTS)
		return count_schema(b, answer.schema, err);
	b->text.n = 0;
	ctx_prompt_put_answer(&b->to, &answer, extra->answer_form);
	if (b->to.failed || b->text.n == 0)
		return b->to.failed ? -1 : 0;
	b->cost.tokens +=
	    is_responses(layout) ? extra->answer_responses : extra->answer;
	return ctx_count_marked_text(b->counter, b->text.p, b->text.n, &b->cost,
	    err);
}

static int
count_tools(struct overhead_count *b, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	static const char *const keys[] = {"tools", "functions",
	    "gen_ai.tool.definitions", NULL};
	const struct ctx_json *json = b->json;
	uint32_t list = find_first_of(json, layout->request, keys);

	if (list == 0)
		list = ctx_json_find_path(json, layout->request,
		    "toolConfig/tools");
	if (add_tools(b, list, err) < 0 || add_framing(b, layout, err) < 0)
		return -1;
	if (ctx_count_marked_text(b->counter, b->text.p, b->text.n, &b->cost,
		err) < 0)
		return -1;
	/* The sum is not negative. b->fixed (the tokens that are not in texts)
	 * is negative only if the request has tools.  Then the tool definitions
	 * have more tokens than the absolute value of b->fixed. */
	b->cost.tokens += (uint64_t)b->fixed;
	return count_answer(b, layout, err);
}

/* Returns true if the request turns thinking on with the type "enabled"
 * (thinking with a budget of tokens). */
static bool
is_thinking(const struct ctx_json *json, uint32_t request)
{
	/* In Bedrock's format, "thinking" is inside another object. */
	static const char *const paths[] = {"thinking/type",
	    "additionalModelRequestFields/thinking/type"};
	size_t i;

	for (i = 0; i < CTX_LENGTH(paths); i++)
		if (ctx_json_is(json,
			ctx_json_find_path(json, request, paths[i]), "enabled"))
			return true;
	return false;
}

/* Returns the number of tokens of a request that belong neither to its messages
 * nor to the system prompt, tools or schemas. */
static uint64_t
count_priming(const struct overhead_count *b,
    const struct ctx_record_layout *layout)
{
	int64_t tokens = layout->dialect->priming;

	if (layout->is_response || tokens == 0)
		return 0;
	if (b->counter->frame_message > 0)
		return b->counter->frame_request;
	if (b->extra->framed)
		tokens = 0;
	return (uint64_t)(tokens + b->extra->request);
}

int
ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err)
{
	struct overhead_count b = {.counter = counter, .json = json};
	uint64_t thinking = 0, priming;
	uint32_t prompt;
	int rc = 0;

	memset(overhead, 0, sizeof *overhead);
	b.to = (struct ctx_prompt_writer){.json = json,
	    .out = &b.text,
	    .err = err};
	b.rule = counter->tools.rule != CTX_TOOLS_NONE
	    ? &counter->tools
	    : &layout->dialect->tools;
	b.extra = ctx_surcharges_of(b.rule->rule);
	priming = count_priming(&b, layout);
	if (layout->in_request) {
		prompt = find_first_of(json, layout->request, prompts);
		if (prompt != 0) {
			rc = count_prompt(&b, prompt, err);
			if (b.cost.tokens > 0)
				b.cost.tokens += b.extra->system;
		}
		overhead->system = b.cost.tokens;
		overhead->system_chars = b.cost.chars;
		if (rc == 0)
			rc = count_tools(&b, layout, err);
		overhead->tools = b.cost.tokens - overhead->system;
		if (is_thinking(json, layout->request))
			thinking = b.extra->thinking;
	}
	ctx_buf_release(&b.text);
	overhead->tokens =
	    priming + overhead->system + overhead->tools + thinking;
	overhead->tools_alone = b.tools_alone;
	overhead->chars = b.cost.chars;
	overhead->estimated = counter->basis == CTX_BASIS_ESTIMATED
	    ? overhead->tokens
	    : overhead->tools + thinking;
	/* The number of tokens of the system prompt that the provider or host
	 * adds is an estimate: it was measured, but the text of that prompt is
	 * not known.  GPT-4 was billed a token less in Responses (one request;
	 * others were not recorded). */
	if ((b.extra->request > 0 ||
		(b.extra->form == CTX_FORM_OLDER_TYPES &&
		    is_responses(layout))) &&
	    counter->basis != CTX_BASIS_ESTIMATED)
		overhead->estimated += priming;
	return rc;
}
