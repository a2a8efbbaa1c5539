/*
 * generic.c - {"role", "content"} and nothing that tells more
 *
 * Such a record is legal in many formats at once and means the same in all
 * of them, so it is read as Chat Completions would read it; what that reader
 * does not know it calls opaque and never drops.
 */
#include "dialect/read.h"

const char *
ctx_generic_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t role = ctx_json_find(json, node, "role");

	/* Parts of no known type are another's, whose texts would not be
	 * counted. */
	if (role == 0 || json->nodes[role].kind != CTX_JSON_STRING ||
	    (ctx_json_find(json, node, "content") == 0 &&
		ctx_find_list(json, node, "parts") != 0))
		return NULL;
	return "role and content";
}

int
ctx_generic_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	return ctx_openai_chat_read(json, node, message, err);
}
