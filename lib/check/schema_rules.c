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
#include <string.h>

#include "check/validator.h"

#define DEEP 32 /* maximum depth of nested values that are checked */
/* maximum length of a name in the text of a finding (violation of a rule), in
 * bytes */
#define MAX_NAME_BYTES 40

/* A JSON value (an object or array) that is being compared with a schema. at:
 * JSON node of the child of the value that is compared next; properties, items:
 * JSON nodes in the schema, or 0; closed: true if the value may have no other
 * members than the properties. */
struct frame {
	uint32_t value, at, properties, items;
	bool closed;
};

struct fit {
	struct ctx_validator *validator;
	const struct ctx_json *schemas, *values;
	struct frame stack[DEEP];
	size_t n;
	/* why the value does not match the schema, or NULL */
	const char *wrong;
	/* Name of the object member whose value does not match the schema.  Its
	 * length n is 0 if no member is named. */
	struct ctx_str name;
};

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

/* Returns 1 if the schema's const or, without const, its enum allows the value,
 * 0 if not, or -1 with *err. */
static int
match_allowed_value(struct fit *fit, uint32_t schema, uint32_t value)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t list = ctx_json_find(json, schema, "enum");
	uint32_t only = ctx_json_find(json, schema, "const");

	if (only != 0)
		list = only;
	else if (!ctx_json_is_array(json, list))
		return 1;
	return ctx_schema_allows(fit->validator, list, only == 0, fit->values,
	    value);
}

static void
refuse_by_schema(struct fit *fit, const char *wrong, struct ctx_str name)
{
	fit->wrong = wrong;
	fit->name = name;
}

/* Checks that an object has the members that the schema requires. */
static int
check_required(struct fit *fit, uint32_t schema, uint32_t value)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t list = ctx_json_find(json, schema, "required"), missing;

	if (!ctx_json_is_array(json, list) ||
	    fit->values->nodes[value].kind != CTX_JSON_OBJECT)
		return 0;
	if (ctx_schema_find_missing(fit->validator, list, fit->values, value,
		&missing) < 0)
		return -1;
	if (missing != 0)
		refuse_by_schema(fit, "is missing",
		    ctx_json_str(json, missing));
	return 0;
}

/* Pushes an object or array on the stack, so that its children are checked
 * next. */
static void
push_frame(struct fit *fit, uint32_t schema, uint32_t value)
{
	const struct ctx_json *json = fit->schemas;
	uint32_t others = ctx_json_find(json, schema, "additionalProperties");

	fit->stack[fit->n++] = (struct frame){.value = value,
	    .at = value + 1,
	    .properties = ctx_json_find(json, schema, "properties"),
	    .items = ctx_json_find(json, schema, "items"),
	    .closed = others != 0 &&
		json->nodes[others].kind == CTX_JSON_FALSE &&
		ctx_json_find(json, schema, "patternProperties") == 0};
}

/* Checks a value.  If it is an object or array, pushes it on the stack. name:
 * name of the member that has this value. The length of the name is 0 if the
 * value is not the value of a member. */
static int
check_value(struct fit *fit, uint32_t schema, uint32_t value,
    struct ctx_str name)
{
	int rc;

	if (fit->schemas->nodes[schema].kind != CTX_JSON_OBJECT ||
	    fit->n == DEEP)
		return 0;
	if (!has_type(fit, schema, value)) {
		refuse_by_schema(fit, "has another type", name);
		return 0;
	}
	rc = match_allowed_value(fit, schema, value);
	if (rc <= 0) {
		refuse_by_schema(fit, "is not one of the allowed values", name);
		return rc;
	}
	if (check_required(fit, schema, value) < 0)
		return -1;
	if (fit->values->nodes[value].kind == CTX_JSON_OBJECT ||
	    fit->values->nodes[value].kind == CTX_JSON_ARRAY)
		push_frame(fit, schema, value);
	return 0;
}

static int
check_next_member(struct fit *fit, const struct frame *frame, uint32_t key)
{
	struct ctx_str name = ctx_json_str(fit->values, key);
	uint32_t schema = 0;

	if (frame->properties != 0 &&
	    ctx_schema_find_property(fit->validator, frame->properties,
		fit->values, key, &schema) < 0)
		return -1;
	if (schema != 0)
		return check_value(fit, schema, key + 1, name);
	if (frame->closed)
		refuse_by_schema(fit, "is not a member of the schema", name);
	return 0;
}

/* Checks the next child of the value on top of the stack.  If the value has no
 * more children, pops the value from the stack. */
static int
check_next_child(struct fit *fit)
{
	struct frame *frame = &fit->stack[fit->n - 1];
	const struct ctx_node *nodes = fit->values->nodes;
	uint32_t child = frame->at;

	if (child >= nodes[frame->value].next) {
		fit->n--;
		return 0;
	}
	if (nodes[frame->value].kind == CTX_JSON_OBJECT) {
		frame->at = nodes[child + 1].next;
		return check_next_member(fit, frame, child);
	}
	frame->at = nodes[child].next;
	return frame->items == 0
	    ? 0
	    : check_value(fit, frame->items, child, (struct ctx_str){NULL, 0});
}

static int
check_against_schema(struct fit *fit, uint32_t schema, uint32_t value)
{
	if (check_value(fit, schema, value, (struct ctx_str){NULL, 0}) < 0)
		return -1;
	while (fit->wrong == NULL && fit->n > 0)
		if (check_next_child(fit) < 0)
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
	struct fit fit = {.validator = validator,
	    .schemas = validator->request_json};
	struct ctx_coded_value *value = &validator->arguments;
	uint32_t schema;
	int rc;

	if (!(validator->rules & CTX_CALLS_FIT) ||
	    validator->request_json == NULL || block->payload == 0 ||
	    !ctx_json_is_string(json, block->name) || block->prefix != 0)
		return 0;
	if (ctx_schema_find(validator, block->name, &schema) < 0)
		return -1;
	if (schema == 0)
		return 0;
	rc = ctx_coded_value_read(value, json, block->payload, validator->err);
	if (rc <= 0)
		return rc;
	fit.values = value->json;
	if (fit.values->nodes[value->node].kind != CTX_JSON_OBJECT)
		return 0;
	if (check_against_schema(&fit, schema, value->node) < 0)
		return -1;
	return fit.wrong == NULL ? 0 : refuse_argument(validator, i, &fit);
}
