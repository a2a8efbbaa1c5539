/* detect_chat.c - recognises messages that can only be Chat Completions
 * messages */
#include "dialect/read.h"

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
