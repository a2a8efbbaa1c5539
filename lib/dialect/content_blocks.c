/* content_blocks.c - reads roles, content and tool results in the form that
 * most message formats have */
#include "dialect/read.h"

unsigned
ctx_look_up_word(const struct ctx_json *json, uint32_t node,
    const struct ctx_word *row)
{
	while (row->word != NULL && !ctx_json_is(json, node, row->word))
		row++;
	return row->meaning;
}

enum ctx_role
ctx_role_of(const struct ctx_json *json, uint32_t node)
{
	static const struct ctx_word roles[] = {
	    {"user", CTX_ROLE_USER},
	    {"assistant", CTX_ROLE_ASSISTANT},
	    {"tool", CTX_ROLE_TOOL},
	    {"system", CTX_ROLE_SYSTEM},
	    {"developer", CTX_ROLE_SYSTEM},
	    {"function", CTX_ROLE_TOOL},
	    {NULL, CTX_ROLE_OTHER},
	};

	return ctx_look_up_word(json, node, roles);
}

bool
ctx_read_role(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node, uint32_t role)
{
	if (!ctx_json_is_string(json, role))
		return false;
	ctx_message_reset(message, json, node);
	message->role = ctx_role_of(json, role);
	message->role_node = role;
	return true;
}

int
ctx_read_block(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t value, struct ctx_err *err)
{
	return ctx_message_add_block(message, kind, value, err) == NULL ? -1
									: 0;
}

/* Adds a block for each element of an array to the message.  Each block can be
 * removed alone, unless read_block has set its member removable. owner: index
 * plus 1 of the tool result that contains the blocks, or 0 if none does. */
static int
read_blocks(struct ctx_message *message, uint32_t array, uint32_t owner,
    ctx_block_reader *read_block, struct ctx_err *err)
{
	uint32_t block = 0;
	size_t first;

	while (ctx_json_next_element(message->json, array, &block)) {
		first = message->n;
		if ((read_block == NULL ? ctx_read_block(message,
					      CTX_BLOCK_OPAQUE, block, err)
					: read_block(message->json, block,
					      message, err)) < 0)
			return -1;
		for (; first < message->n; first++) {
			if (message->blocks[first].removable == 0) {
				message->blocks[first].container = array;
				message->blocks[first].removable = block;
			}
			if (message->blocks[first].result_index == 0)
				message->blocks[first].result_index = owner;
		}
	}
	return 0;
}

int
ctx_read_content(struct ctx_message *message, uint32_t content,
    ctx_block_reader *read_block, struct ctx_err *err)
{
	enum ctx_block_kind kind = CTX_BLOCK_OPAQUE;

	if (content == 0)
		return 0;
	switch (message->json->nodes[content].kind) {
	case CTX_JSON_NULL:
		return 0;
	case CTX_JSON_ARRAY:
		return read_blocks(message, content, 0, read_block, err);
	case CTX_JSON_STRING:
		kind = CTX_BLOCK_TEXT;
		break;
	default:
		break;
	}
	return ctx_read_block(message, kind, content, err);
}

int
ctx_read_message(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node, const char *key, ctx_block_reader *read_block,
    struct ctx_err *err)
{
	if (!ctx_read_role(message, json, node,
		ctx_json_find(json, node, "role")))
		return 0;
	return ctx_read_content(message, ctx_json_find(json, node, key),
		   read_block, err) < 0
	    ? -1
	    : 1;
}

int
ctx_read_result(struct ctx_message *message, uint32_t body, uint32_t id,
    uint32_t name, ctx_block_reader *read_block, struct ctx_err *err)
{
	struct ctx_block *result;

	result =
	    ctx_message_add_block(message, CTX_BLOCK_TOOL_RESULT, body, err);
	if (result == NULL)
		return -1;
	result->id = id;
	result->name = name;
	if (!ctx_json_is_array(message->json, body) || read_block == NULL)
		return 0;
	return read_blocks(message, body, (uint32_t)message->n, read_block,
	    err);
}

int
ctx_read_fixed_result(struct ctx_message *message, enum ctx_block_kind kind,
    uint32_t body, uint32_t id, struct ctx_err *err)
{
	struct ctx_block *block =
	    ctx_message_add_block(message, CTX_BLOCK_TOOL_RESULT, 0, err);
	uint32_t owner = (uint32_t)message->n;

	if (block == NULL)
		return -1;
	block->id = id;
	block = ctx_message_add_block(message, kind, body, err);
	if (block == NULL)
		return -1;
	block->result_index = owner;
	return 0;
}

void
ctx_read_failure(struct ctx_message *message, size_t first, uint32_t obj)
{
	const struct ctx_json *json = message->json;
	uint32_t sign = ctx_find_either(json, obj, "is_error", "isError");
	struct ctx_block *block;

	for (size_t i = message->n; i-- > first;) {
		block = &message->blocks[i];
		if (block->kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		block->is_error |=
		    (sign != 0 && json->nodes[sign].kind == CTX_JSON_TRUE) ||
		    ctx_json_is(json, ctx_json_find(json, obj, "status"),
			"error");
		block->is_success |=
		    sign != 0 && json->nodes[sign].kind == CTX_JSON_FALSE;
		return;
	}
}

int
ctx_read_member(struct ctx_message *message, uint32_t obj, const char *key,
    enum ctx_block_kind kind, struct ctx_err *err)
{
	uint32_t value = ctx_json_find(message->json, obj, key);
	struct ctx_block *block;

	if (value == 0 || message->json->nodes[value].kind == CTX_JSON_NULL)
		return 0;
	block = ctx_message_add_block(message, kind, value, err);
	if (block == NULL)
		return -1;
	/* In an object, the JSON node directly before a value is the node of
	 * its key. */
	block->container = obj;
	block->removable = value - 1;
	return 0;
}

uint32_t
ctx_find_model(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_find(json, node, "model");
}

uint32_t
ctx_find_either(const struct ctx_json *json, uint32_t obj, const char *key,
    const char *other)
{
	uint32_t value = ctx_json_find(json, obj, key);

	return value != 0 ? value : ctx_json_find(json, obj, other);
}

int
ctx_read_call(struct ctx_message *message, uint32_t value, uint32_t id,
    uint32_t name, struct ctx_err *err)
{
	struct ctx_block *block =
	    ctx_message_add_block(message, CTX_BLOCK_TOOL_CALL, value, err);

	if (block == NULL)
		return -1;
	block->id = id;
	block->name = name;
	return 0;
}

int
ctx_read_call_in(struct ctx_message *message, uint32_t obj,
    const char *arguments, const char *id, const char *name,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;

	return ctx_read_call(message, ctx_json_find(json, obj, arguments),
	    ctx_json_find(json, obj, id), ctx_json_find(json, obj, name), err);
}

void
ctx_read_caller(struct ctx_message *message, uint32_t caller)
{
	static const char *const keys[] = {"tool_id", "toolId", "caller_id",
	    NULL};
	uint32_t id;

	if (caller == 0)
		return;
	id = ctx_json_find_any(message->json, caller, keys);
	if (ctx_json_is_string(message->json, id))
		message->blocks[message->n - 1].caller = id;
}

int
ctx_read_typed(struct ctx_message *message, uint32_t block,
    const struct ctx_block_type *rows, size_t n, struct ctx_err *err)
{
	uint32_t type = ctx_json_find(message->json, block, "type"), value;
	const struct ctx_block_type *row;

	for (row = rows; row < rows + n; row++) {
		if (!ctx_json_is(message->json, type, row->type))
			continue;
		if (row->key == NULL && row->kind == CTX_BLOCK_OPAQUE)
			return ctx_read_block(message, row->kind, 0, err);
		value = row->key == NULL
		    ? 0
		    : ctx_json_find(message->json, block, row->key);
		if (value == 0 && row->kind != CTX_BLOCK_MEDIA &&
		    row->kind != CTX_BLOCK_REASONING)
			break;
		return ctx_read_block(message, row->kind,
		    value == 0 ? block : value, err);
	}
	return ctx_read_block(message, CTX_BLOCK_OPAQUE, block, err);
}

int
ctx_read_thinking(struct ctx_message *message, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint32_t value = ctx_json_find(json, block, "thinking"), sealed;
	uint32_t signature = ctx_json_find(json, block, "signature");
	struct ctx_block *part;

	sealed = ctx_json_find(json, block, "data");
	if (ctx_json_is(json, value, ""))
		sealed = signature;
	part = ctx_message_add_block(message, CTX_BLOCK_REASONING,
	    sealed != 0 ? sealed : value, err);
	if (part == NULL)
		return -1;
	part->is_encrypted = sealed != 0;
	part->signature = signature;
	return 0;
}

void
ctx_read_encryption(struct ctx_message *message, uint32_t block,
    const char *key)
{
	static const char *const keys[] = {"reasoningEncryptedContent",
	    "redactedData", NULL};
	const struct ctx_json *json = message->json;
	struct ctx_block *newest = &message->blocks[message->n - 1];
	uint32_t providers = ctx_json_find(json, block, key), one, sealed = 0;
	uint32_t signature;

	if (newest->kind != CTX_BLOCK_REASONING || providers == 0 ||
	    json->nodes[providers].kind != CTX_JSON_OBJECT)
		return;
	for (one = providers + 1;
	     sealed == 0 && one < json->nodes[providers].next;
	     one = json->nodes[one + 1].next) {
		sealed = ctx_json_find_any(json, one + 1, keys);
		signature = ctx_json_find(json, one + 1, "signature");
		if (signature != 0)
			newest->signature = signature;
		if (sealed == 0 && ctx_json_is(json, newest->payload, ""))
			sealed = signature;
	}
	if (!ctx_json_is_string(json, sealed))
		return;
	newest->payload = sealed;
	newest->is_encrypted = true;
}

bool
ctx_is_true(const struct ctx_json *json, uint32_t obj, const char *key)
{
	uint32_t value = ctx_json_find(json, obj, key);

	return value != 0 && json->nodes[value].kind == CTX_JSON_TRUE;
}

size_t
ctx_count_strings(const struct ctx_json *json, uint32_t node)
{
	uint32_t end = json->nodes[node].next, i = node + 1;

	if (json->nodes[node].kind != CTX_JSON_ARRAY)
		return 0;
	while (i < end && json->nodes[i].kind == CTX_JSON_STRING)
		i++;
	return i == end ? end - node - 1 : 0;
}

uint32_t
ctx_find_object(const struct ctx_json *json, uint32_t obj, const char *key)
{
	uint32_t value = ctx_json_find(json, obj, key);

	return ctx_json_is_object(json, value) ? value : 0;
}

uint32_t
ctx_find_list(const struct ctx_json *json, uint32_t obj, const char *key)
{
	uint32_t list = ctx_json_find(json, obj, key);

	return ctx_json_is_array(json, list) &&
		json->nodes[list].next > list + 1
	    ? list
	    : 0;
}

const char *
ctx_has_block(const struct ctx_json *json, uint32_t content,
    const char *const *types)
{
	const char *found = NULL;
	uint32_t block = 0;

	while (found == NULL && ctx_json_next_element(json, content, &block))
		found = ctx_json_is_any(json,
		    ctx_json_find(json, block, "type"), types);
	return found;
}

bool
ctx_begins(const struct ctx_json *json, uint32_t node,
    const char *const *starts)
{
	struct ctx_str literal = ctx_json_str(json, node);
	size_t at, next = 1;
	uint32_t cp;

	if (!ctx_json_is_string(json, node))
		return false;
	do {
		at = next;
		if (!ctx_json_string_next(literal, &next, &cp))
			return false;
	} while (cp == ' ' || cp == '\t' || cp == '\n' || cp == '\r');
	while (
	    *starts != NULL && !ctx_json_string_continues(literal, at, *starts))
		starts++;
	return *starts != NULL;
}

const char *
ctx_detect_chat(const struct ctx_json *json, uint32_t node, bool first)
{
	uint32_t role = ctx_json_find(json, node, "role");

	if (role == 0)
		return NULL;
	if (ctx_find_list(json, node, "tool_calls") != 0)
		return "tool_calls";
	switch (ctx_role_of(json, role)) {
	case CTX_ROLE_TOOL:
		return "role tool";
	case CTX_ROLE_SYSTEM:
		return first ? "system first" : NULL;
	default:
		return NULL;
	}
}
