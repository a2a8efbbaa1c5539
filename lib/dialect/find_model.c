/*
 * find_model.c - finds the name of the model of a request or conversation
 */
#include "dialect/read.h"

uint32_t
ctx_find_model_of_request(const struct ctx_json *json, uint32_t request)
{
	static const char *const keys[] = {"model", "modelId", "modelVersion",
	    "gen_ai.request.model", NULL};
	uint32_t model = ctx_json_find_any(json, request, keys);

	return model != 0
	    ? model
	    : ctx_json_find_path(json, request, "agent/model_name");
}

uint32_t
ctx_find_model_of_messages(const struct ctx_json *json,
    const struct ctx_record_layout *layout)
{
	const struct ctx_dialect *dialect = layout->dialect;
	uint32_t node = layout->messages + 1, model = 0, found;

	if (dialect->find_model == NULL)
		return 0;
	if (layout->kind == CTX_LAYOUT_MESSAGE)
		return dialect->find_model(json, 0);
	for (; node < json->nodes[layout->messages].next;
	     node = json->nodes[node].next) {
		found = dialect->find_model(json, node);
		if (ctx_json_is_string(json, found))
			model = found;
	}
	return model;
}
