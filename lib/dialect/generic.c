/*
 * generic.c - {"role", "content"} without anything that identifies a dialect
 *
 * Many formats have such records, and all of them mean the same.  The reader
 * for Chat Completions reads them; a block that it does not know becomes opaque
 * and is never dropped.
 */
#include "dialect/read.h"

const char *
ctx_generic_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t role = ctx_json_find(json, node, "role");

	/* "parts" without content is an unknown format: its texts would not be
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
