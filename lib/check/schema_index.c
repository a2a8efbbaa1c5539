/*
 * schema_index.c - finds the schemas of tools, the properties of a schema and
 * the values that it allows
 *
 * All are in one index.  The key of an entry is a JSON node of the request, the
 * owner, followed by a compact JSON value: the name of a tool (owner: the
 * request), the name of a property (owner: the object with all properties) or
 * an allowed value (owner: the value of enum or const).  A key that is only an
 * owner tells that the entries of this owner were added.
 */
#include <jansson.h>

#include "check/validator.h"

/* Appends a JSON value to the key.  Numbers that are equal, as 1 and 1.0 are,
 * have the same bytes. */
static int
append_value(struct ctx_buf *key, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	struct ctx_str text = ctx_json_str(json, node);
	json_t *number = json->nodes[node].kind != CTX_JSON_NUMBER
	    ? NULL
	    : json_loadb(text.p, text.n, JSON_DECODE_ANY, NULL);
	/* Adding 0 turns -0 into 0. */
	double value = json_number_value(number) + 0.0;
	bool parsed = json_is_number(number);

	json_decref(number);
	/* No JSON value begins with #. */
	return parsed ? ctx_buf_printf(key, err, "#%a", value)
		      : ctx_json_append_compact(json, node, key, err);
}

/* Sets *key to a key of the index. node: JSON node of the value; NULL as json:
 * no value. */
static int
make_key(struct ctx_validator *validator, uint32_t owner,
    const struct ctx_json *json, uint32_t node, struct ctx_str *key)
{
	struct ctx_buf *out = &validator->spare;

	out->n = 0;
	if (ctx_buf_add(out, (const char *)&owner, sizeof owner,
		validator->err) < 0 ||
	    (json != NULL && append_value(out, json, node, validator->err) < 0))
		return -1;
	*key = ctx_buf_str(out);
	return 0;
}

/* Adds an entry for a value of the request. found: JSON node that is found with
 * this key. */
static int
add_entry(struct ctx_validator *validator, uint32_t owner, uint32_t value,
    uint32_t found)
{
	struct ctx_str key;

	return make_key(validator, owner, validator->request_json, value,
		   &key) < 0
	    ? -1
	    : ctx_node_index_add(&validator->schemas, key, found,
		  validator->err);
}

/* Returns 1 if the entries of this owner must still be added, 0 if they were
 * added, or -1 with *validator->err. */
static int
begin_owner(struct ctx_validator *validator, uint32_t owner)
{
	struct ctx_str key;

	if (make_key(validator, owner, NULL, 0, &key) < 0)
		return -1;
	if (ctx_node_index_find(&validator->schemas, key) != 0)
		return 0;
	return ctx_node_index_add(&validator->schemas, key, 1, validator->err) <
		0
	    ? -1
	    : 1;
}

static int
find_entry(struct ctx_validator *validator, uint32_t owner,
    const struct ctx_json *values, uint32_t value, uint32_t *found)
{
	struct ctx_str key;

	if (make_key(validator, owner, values, value, &key) < 0)
		return -1;
	*found = ctx_node_index_find(&validator->schemas, key);
	return 0;
}

/* ---- the schema of a tool ---- */

/* Adds a tool definition that has a name and a schema. */
static int
add_definition(struct ctx_validator *validator, uint32_t tool)
{
	static const char *const within[] = {"function", "toolSpec"};
	static const char *const keys[] = {"input_schema", "parameters",
	    "parametersJsonSchema", "parameters_json_schema", "inputSchema",
	    NULL};
	const struct ctx_json *json = validator->request_json;
	uint32_t inner, name, schema;
	size_t i;

	for (i = 0; i < CTX_LENGTH(within); i++)
		if ((inner = ctx_json_find(json, tool, within[i])) != 0)
			tool = inner;
	name = ctx_json_find(json, tool, "name");
	schema = ctx_json_find_any(json, tool, keys);
	inner = schema == 0 ? 0 : ctx_json_find(json, schema, "json");
	schema = inner != 0 ? inner : schema;
	return schema == 0 || !ctx_json_is_string(json, name)
	    ? 0
	    : add_entry(validator, validator->request, name, schema);
}

/* Adds an array of tool definitions. */
static int
add_definitions(struct ctx_validator *validator, uint32_t list)
{
	static const char *const lists[] = {"functionDeclarations",
	    "function_declarations", NULL};
	const struct ctx_json *json = validator->request_json;
	uint32_t tool = 0, one, inner;

	while (ctx_json_next_element(json, list, &tool)) {
		if (add_definition(validator, tool) < 0)
			return -1;
		inner = ctx_json_find_any(json, tool, lists);
		for (one = 0; ctx_json_next_element(json, inner, &one);)
			if (add_definition(validator, one) < 0)
				return -1;
	}
	return 0;
}

int
ctx_schema_find(struct ctx_validator *validator, uint32_t name,
    uint32_t *schema)
{
	const struct ctx_json *json = validator->request_json;
	uint32_t request = validator->request;
	int rc = begin_owner(validator, request);

	if (rc < 0 ||
	    (rc > 0 &&
		(add_definitions(validator,
		     ctx_json_find(json, request, "tools")) < 0 ||
		    add_definitions(validator,
			ctx_json_find_path(json, request, "toolConfig/tools")) <
			0)))
		return -1;
	return find_entry(validator, request, validator->message->json, name,
	    schema);
}

/* ---- members and values ---- */

int
ctx_schema_find_property(struct ctx_validator *validator, uint32_t properties,
    const struct ctx_json *values, uint32_t name, uint32_t *schema)
{
	uint32_t key = 0;
	int rc = begin_owner(validator, properties);

	while (rc > 0 &&
	    ctx_json_next_member(validator->request_json, properties, &key))
		if (add_entry(validator, properties, key, key + 1) < 0)
			return -1;
	return rc < 0 ? -1
		      : find_entry(validator, properties, values, name, schema);
}

int
ctx_schema_allows(struct ctx_validator *validator, uint32_t allowed,
    bool is_list, const struct ctx_json *values, uint32_t value)
{
	uint32_t one = 0, found;
	int rc = begin_owner(validator, allowed);

	if (rc > 0 && !is_list &&
	    add_entry(validator, allowed, allowed, allowed) < 0)
		return -1;
	while (rc > 0 && is_list &&
	    ctx_json_next_element(validator->request_json, allowed, &one))
		if (add_entry(validator, allowed, one, one) < 0)
			return -1;
	if (rc < 0 || find_entry(validator, allowed, values, value, &found) < 0)
		return -1;
	return found != 0;
}

/* Sets *n to the number of different names in the array "required". */
static int
count_required(struct ctx_validator *validator, uint32_t required, uint32_t *n)
{
	const struct ctx_json *json = validator->request_json;
	struct ctx_node_index *index = &validator->schemas;
	struct ctx_str key;
	uint32_t one = 0;
	size_t before = index->names.n;

	if (make_key(validator, required, NULL, 0, &key) < 0)
		return -1;
	*n = ctx_node_index_find(index, key);
	if (*n > 0) {
		--*n;
		return 0;
	}
	while (ctx_json_next_element(json, required, &one))
		if (json->nodes[one].kind == CTX_JSON_STRING &&
		    add_entry(validator, required, one, one) < 0)
			return -1;
	*n = (uint32_t)(index->names.n - before);
	/* 0 would mean that the index does not have the array. */
	return make_key(validator, required, NULL, 0, &key) < 0
	    ? -1
	    : ctx_node_index_add(index, key, *n + 1, validator->err);
}

/* Sets validator->members to the names of those members of an object that the
 * array "required" has. */
static int
find_required(struct ctx_validator *validator, uint32_t required,
    const struct ctx_json *values, uint32_t object)
{
	struct ctx_intern *members = &validator->members;
	struct ctx_str key;
	uint32_t at = 0, id;

	ctx_intern_reset(members);
	while (ctx_json_next_member(values, object, &at)) {
		if (make_key(validator, required, values, at, &key) < 0)
			return -1;
		if (ctx_node_index_find(&validator->schemas, key) != 0 &&
		    ctx_intern(members, key.p, key.n, &id, validator->err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_schema_find_missing(struct ctx_validator *validator, uint32_t required,
    const struct ctx_json *values, uint32_t object, uint32_t *missing)
{
	const struct ctx_json *json = validator->request_json;
	struct ctx_intern *members = &validator->members;
	struct ctx_str key;
	uint32_t n, one = 0;

	*missing = 0;
	if (count_required(validator, required, &n) < 0 ||
	    find_required(validator, required, values, object) < 0)
		return -1;
	while (members->n < n && *missing == 0 &&
	    ctx_json_next_element(json, required, &one)) {
		if (json->nodes[one].kind != CTX_JSON_STRING)
			continue;
		if (make_key(validator, required, json, one, &key) < 0)
			return -1;
		if (!ctx_intern_has(members, key.p, key.n))
			*missing = one;
	}
	return 0;
}
