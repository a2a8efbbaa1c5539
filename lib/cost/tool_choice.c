/* tool_choice.c - reads whether a request forces the model to call a tool */
#include "cost/tool_choice.h"

/* Returns the JSON node of the member that says whether the model must call a
 * tool; 0 if the request has none. */
static uint32_t
find_choice(const struct ctx_json *json, uint32_t request)
{
	static const char *const keys[] = {"tool_choice", "toolChoice", NULL};
	uint32_t choice = ctx_json_find_any(json, request, keys);

	/* in Bedrock's format */
	if (choice == 0)
		choice =
		    ctx_json_find_path(json, request, "toolConfig/toolChoice");
	return choice;
}

bool
ctx_tool_is_forced(const struct ctx_json *json, uint32_t request)
{
	static const char *const words[] = {"any", "tool", "required",
	    "function", NULL};
	uint32_t choice = find_choice(json, request);
	uint32_t type = ctx_json_find(json, choice, "type");

	if (type == 0)
		type = choice;
	return choice != 0 &&
	    (ctx_json_is_any(json, type, words) ||
		ctx_json_find_any(json, choice, words) != 0);
}

bool
ctx_tool_is_named(const struct ctx_json *json, uint32_t request)
{
	static const char *const named[] = {"name", "function", "tool", NULL};
	uint32_t choice = find_choice(json, request);

	return ctx_json_is_object(json, choice) &&
	    ctx_json_find_any(json, choice, named) != 0;
}
