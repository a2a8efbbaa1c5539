/*
 * generic.c - reads messages with only role and content, which are possible in
 * many formats
 *
 * Such a message means the same in all these formats.  It is read by the
 * functions for Chat Completions.  A content block that these functions do not
 * know becomes opaque, and is only removed with its whole message.
 */
#include "dialect/read.h"

const char *
ctx_generic_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t role = ctx_json_find(json, node, "role");

	/* A message that has "parts" and no "content" is of a format that ctx
	 * does not know.  Such a message is not read as "generic", because the
	 * tokens of its parts would not be counted. */
	if (!ctx_json_is_string(json, role) ||
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
