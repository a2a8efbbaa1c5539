/*
 * schema_rules.c - checks the arguments of tool calls against the JSON schema
 * of their tool
 *
 * Providers do not check the tool calls in earlier messages against the tools
 * of the request.  They check only new calls ("tool call validation failed" of
 * Groq, "strict" of OpenAI).  So CTX_CALLS_FIT is set only on demand, for
 * people who make training data from conversations.
 *
 * Checked: type, enum, const, required, properties, items, and
 * additionalProperties false.  Not checked: anyOf, $ref and other keywords, and
 * values nested deeper than DEEP.
 */
#include <jansson.h>
#include <string.h>

#include "check/validator.h"

#define DEEP 32 /* maximum depth of nested values that are checked */
/* maximum length of a name in the text of a finding (violation of a rule), in
 * bytes */
#define MAX_NAME_BYTES 40

/* A JSON value (an object or array) that is being compared with a schema. at:
 * JSON node of the child of the value that is compared next. */
struct frame {
	uint32_t schema, value, at;
};

struct fit {
	const struct ctx_json *schemas, *values;
	struct frame stack[DEEP];
	size_t n;
	struct ctx_buf *one, *other; /* scratch memory */
	/* why the value does not match the schema, or NULL */
	const char *wrong;
	/* Name of the object member whose value does not match the schema.  Its
	 * length n is 0 if no member is named. */
	struct ctx_str name;
};

/* ---- the schema of a tool ---- */

/* Returns the JSON node of the schema of a tool definition if the tool has this
 * name, otherwise 0. */
static uint32_t
get_definition_schema(const struct ctx_json *json, uint32_t tool,
    const struct ctx_json *names, uint32_t name)
{
	static const char *const within[] = {"function", "toolSpec"};
	static const char *const keys[] = {"input_schema", "parameters",
	    "parametersJsonSchema", "parameters_json_schema", "inputSchema",
	    NULL};
	uint32_t inner, value;
	size_t i;

	for (i = 0; i < CTX_LENGTH(within); i++)
		if ((inner = ctx_json_find(json, tool, within[i])) != 0)
			tool = inner;
	inner = ctx_json_find(json, tool, "name");
	if (!ctx_json_is_string(json, inner) ||
	    !ctx_json_strings_equal(ctx_json_str(json, inner),
		ctx_json_str(names, name)))
		return 0;
	value = ctx_json_find_any(json, tool, keys);
	inner = value == 0 ? 0 : ctx_json_find(json, value, "json");
	return inner != 0 ? inner : value;
}

/* Searches an array of tool definitions for the tool with this name.  Returns
 * the JSON node of its schema, or 0 if there is none. */
static uint32_t
find_schema_in_list(const struct ctx_json *json, uint32_t list,
    const struct ctx_json *names, uint32_t name)
{
	static const char *const lists[] = {"functionDeclarations",
	    "function_declarations", NULL};
	uint32_t tool = 0, one, inner, found;

	while (ctx_json_next_element(json, list, &tool)) {
		if ((found = get_definition_schema(json, tool, names, name)) !=
		    0)
			return found;
		inner = ctx_json_find_any(json, tool, lists);
		for (one = 0; ctx_json_next_element(json, inner, &one);)
			if ((found = get_definition_schema(json, one, names,
				 name)) != 0)
				return found;
	}
	return 0;
}

static uint32_t
find_tool_schema(const struct ctx_validator *validator, uint32_t name)
{
	const struct ctx_json *json = validator->request_json;
	uint32_t request = validator->request, config, found;

	found = find_schema_in_list(json, ctx_json_find(json, request, "tools"),
	    validator->message->json, name);
	if (found != 0)
		return found;
	config = ctx_json_find(json, request, "toolConfig");
	return config == 0
	    ? 0
	    : find_schema_in_list(json, ctx_json_find(json, config, "tools"),
		  validator->message->json, name);
}

/* ---- does a value fit ---- */

/* Returns true if a JSON string is the given name of a type.  Case is ignored,
 * because Gemini writes types in capitals. */
static bool
is_type_word(const struct ctx_json *json, uint32_t node, const char *word)
{
	struct ctx_str literal = ctx_json_str(json, node);
	size_t n = strlen(word), i;

	if (json->nodes[node].kind != CTX_JSON_STRING || literal.n != n + 2)
		return false;
	for (i = 0; i < n; i++)
		if ((literal.p[i + 1] | 32) != word[i])
			return false;
	return true;
}

static bool
is_whole_number(struct ctx_str number)
{
	const char *dot = memchr(number.p, '.', number.n);
	size_t i;

	if (memchr(number.p, 'e', number.n) != NULL ||
	    memchr(number.p, 'E', number.n) != NULL || dot == NULL)
		return true;
	for (i = (size_t)(dot - number.p) + 1; i < number.n; i++)
		if (number.p[i] != '0')
			return false;
	return true;
}

/* Returns true if a value has the type that the schema demands, or if ctx does
 * not know this type. */
static bool
is_of_type(const struct fit *fit, uint32_t type, uint32_t value)
{
	static const struct {
		const char *word;
		enum ctx_json_kind kind, or ;
	} types[] = {
	    {"string", CTX_JSON_STRING, CTX_JSON_STRING},
	    {"number", CTX_JSON_NUMBER, CTX_JSON_NUMBER},
	    {"integer", CTX_JSON_NUMBER, CTX_JSON_NUMBER},
	    {"boolean", CTX_JSON_TRUE, CTX_JSON_FALSE},
	    {"object", CTX_JSON_OBJECT, CTX_JSON_OBJECT},
	    {"array", CTX_JSON_ARRAY, CTX_JSON_ARRAY},
	    {"null", CTX_JSON_NULL, CTX_JSON_NULL},
	};
	uint8_t kind = fit->values->nodes[value].kind;
	size_t i;

	for (i = 0; i < CTX_LENGTH(types); i++) {
		if (!is_type_word(fit->schemas, type, types[i].word))
			continue;
		if (kind != types[i].kind && kind != types[i].or)
			return false;
		return strcmp(types[i].word, "integer") != 0 ||
		    is_whole_number(ctx_json_str(fit->values, value));
	}
	return true;
}

static bool
has_type(const struct fit *fit, uint32_t schema, uint32_t value)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t type = ctx_json_find(json, schema, "type"), one = 0;
	uint32_t nullable = ctx_json_find(json, schema, "nullable");

	if (nullable != 0 && json->nodes[nullable].kind == CTX_JSON_TRUE &&
	    fit->values->nodes[value].kind == CTX_JSON_NULL)
		return true;
	if (!ctx_json_is_array(json, type))
		return type == 0 || is_of_type(fit, type, value);
	while (ctx_json_next_element(json, type, &one))
		if (is_of_type(fit, one, value))
			return true;
	return false;
}

/* Returns true if two JSON texts are the same number, as 1 and 1.0 are. */
static bool
is_same_number(struct ctx_str a, struct ctx_str b)
{
	json_t *x = json_loadb(a.p, a.n, JSON_DECODE_ANY, NULL);
	json_t *y = json_loadb(b.p, b.n, JSON_DECODE_ANY, NULL);
	bool same = json_is_number(x) && json_is_number(y) &&
	    !(json_number_value(x) < json_number_value(y)) &&
	    !(json_number_value(x) > json_number_value(y));

	json_decref(x);
	json_decref(y);
	return same;
}

/* Returns 1 if two JSON values are the same number or have the same compact
 * JSON, 0 if not, or -1 with *err. */
static int
compare_values(struct fit *fit, uint32_t schema, uint32_t value,
    struct ctx_err *err)
{
	struct ctx_str a, b;

	fit->one->n = fit->other->n = 0;
	if (ctx_json_compact(fit->schemas, schema, fit->one, &a, err) < 0 ||
	    ctx_json_compact(fit->values, value, fit->other, &b, err) < 0)
		return -1;
	return (a.n == b.n && memcmp(a.p, b.p, a.n) == 0) ||
	    is_same_number(a, b);
}

/* Returns 1 if the schema's const or, without const, its enum allows the value,
 * 0 if not, or -1 with *err. */
static int
match_allowed_value(struct fit *fit, uint32_t schema, uint32_t value,
    struct ctx_err *err)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t list = ctx_json_find(json, schema, "enum"), one = 0;
	uint32_t only = ctx_json_find(json, schema, "const");
	int rc = 0;

	if (only != 0)
		return compare_values(fit, only, value, err);
	if (!ctx_json_is_array(json, list))
		return 1;
	while (rc == 0 && ctx_json_next_element(json, list, &one))
		rc = compare_values(fit, one, value, err);
	return rc;
}

/* Returns the JSON node of the member of the object whose name is equal to a
 * string in another JSON text, or 0 if there is none. */
static uint32_t
find_same_member(const struct ctx_json *json, uint32_t object,
    const struct ctx_json *names, uint32_t name)
{
	uint32_t key = 0;

	if (names->nodes[name].kind != CTX_JSON_STRING)
		return 0;
	while (ctx_json_next_member(json, object, &key))
		if (ctx_json_strings_equal(ctx_json_str(json, key),
			ctx_json_str(names, name)))
			return key + 1;
	return 0;
}

static void
refuse_by_schema(struct fit *fit, const char *wrong, struct ctx_str name)
{
	fit->wrong = wrong;
	fit->name = name;
}

static void
check_required(struct fit *fit, uint32_t schema, uint32_t value)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t list = ctx_json_find(json, schema, "required"), one = 0;

	if (fit->values->nodes[value].kind != CTX_JSON_OBJECT)
		return;
	while (ctx_json_next_element(json, list, &one))
		if (json->nodes[one].kind == CTX_JSON_STRING &&
		    find_same_member(fit->values, value, json, one) == 0) {
			refuse_by_schema(fit, "is missing",
			    ctx_json_str(json, one));
			return;
		}
}

/* Checks a value.  If it is an object or array, pushes it on the stack; then
 * its children are checked next. name: name of the member that has this value.
 * The length of the name is 0 if the value is not the value of a member. */
static int
check_value(struct fit *fit, uint32_t schema, uint32_t value,
    struct ctx_str name, struct ctx_err *err)
{
	int rc;

	if (fit->schemas->nodes[schema].kind != CTX_JSON_OBJECT ||
	    fit->n == DEEP)
		return 0;
	if (!has_type(fit, schema, value)) {
		refuse_by_schema(fit, "has another type", name);
		return 0;
	}
	rc = match_allowed_value(fit, schema, value, err);
	if (rc <= 0) {
		refuse_by_schema(fit, "is not one of the allowed values", name);
		return rc;
	}
	check_required(fit, schema, value);
	if (fit->values->nodes[value].kind == CTX_JSON_OBJECT ||
	    fit->values->nodes[value].kind == CTX_JSON_ARRAY)
		fit->stack[fit->n++] = (struct frame){schema, value, value + 1};
	return 0;
}

static int
check_next_member(struct fit *fit, struct frame *frame, uint32_t key,
    struct ctx_err *err)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t properties = ctx_json_find(json, frame->schema, "properties"),
		 schema = 0;
	uint32_t others =
	    ctx_json_find(json, frame->schema, "additionalProperties");
	uint32_t patterns =
	    ctx_json_find(json, frame->schema, "patternProperties");
	struct ctx_str name = ctx_json_str(fit->values, key);

	if (properties != 0)
		schema = find_same_member(json, properties, fit->values, key);
	if (schema != 0)
		return check_value(fit, schema, key + 1, name, err);
	if (others != 0 && patterns == 0 &&
	    json->nodes[others].kind == CTX_JSON_FALSE)
		refuse_by_schema(fit, "is not a member of the schema", name);
	return 0;
}

/* Checks the next child of the value on top of the stack.  If the value has no
 * more children, pops the value from the stack. */
static int
check_next_child(struct fit *fit, struct ctx_err *err)
{
	struct frame *frame = &fit->stack[fit->n - 1];
	const struct ctx_node *nodes = fit->values->nodes;
	uint32_t child = frame->at, items;

	if (child >= nodes[frame->value].next) {
		fit->n--;
		return 0;
	}
	if (nodes[frame->value].kind == CTX_JSON_OBJECT) {
		frame->at = nodes[child + 1].next;
		return check_next_member(fit, frame, child, err);
	}
	frame->at = nodes[child].next;
	items = ctx_json_find(fit->schemas, frame->schema, "items");
	return items == 0
	    ? 0
	    : check_value(fit, items, child, (struct ctx_str){NULL, 0}, err);
}

static int
check_against_schema(struct fit *fit, uint32_t schema, uint32_t value,
    struct ctx_err *err)
{
	if (check_value(fit, schema, value, (struct ctx_str){NULL, 0}, err) < 0)
		return -1;
	while (fit->wrong == NULL && fit->n > 0)
		if (check_next_child(fit, err) < 0)
			return -1;
	return 0;
}

static int
refuse_argument(struct ctx_validator *validator, size_t i,
    const struct fit *fit)
{
	struct ctx_buf *tail = &validator->replacement;
	size_t n = fit->name.n;

	if (n > MAX_NAME_BYTES)
		n = ctx_utf8_valid(fit->name.p, MAX_NAME_BYTES,
		    CTX_SIMD_PORTABLE);
	tail->n = 0;
	if (ctx_buf_printf(tail, validator->err,
		" do not fit the schema of the tool: "
		"%.*s%s %s",
		(int)n, n > 0 ? fit->name.p : "",
		n < fit->name.n ? "...\""
		    : n == 0    ? "a value"
				: "",
		fit->wrong) < 0 ||
	    ctx_buf_add(tail, "", 1, validator->err) < 0)
		return -1;
	return ctx_validate_refuse_block(validator, CTX_RULE_CALL_SCHEMA, i,
	    "arguments of tool call", tail->p);
}

int
ctx_validate_schema(struct ctx_validator *validator, size_t i)
{
	const struct ctx_block *block = &validator->message->blocks[i];
	const struct ctx_json *json = validator->message->json;
	struct fit fit = {.schemas = validator->request_json,
	    .one = &validator->replacement,
	    .other = &validator->spare};
	struct ctx_coded_value *value = &validator->arguments;
	uint32_t schema;
	int rc;

	if (!(validator->rules & CTX_CALLS_FIT) ||
	    validator->request_json == NULL || block->payload == 0 ||
	    !ctx_json_is_string(json, block->name) || block->prefix != 0 ||
	    (schema = find_tool_schema(validator, block->name)) == 0)
		return 0;
	rc = ctx_coded_value_read(value, json, block->payload, validator->err);
	if (rc <= 0)
		return rc;
	fit.values = value->json;
	if (fit.values->nodes[value->node].kind != CTX_JSON_OBJECT)
		return 0;
	if (check_against_schema(&fit, schema, value->node, validator->err) < 0)
		return -1;
	return fit.wrong == NULL ? 0 : refuse_argument(validator, i, &fit);
}
