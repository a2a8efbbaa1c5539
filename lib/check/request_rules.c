/* request_rules.c - checks the parts of a request outside its messages: tools
 * and system prompt */
#include <stdio.h>

#include "check/validator.h"

static int
check_request_size(struct ctx_validator *validator, const struct ctx_json *json,
    uint32_t request)
{
	const struct ctx_provider_limits *limits =
	    ctx_provider_limits_of(validator->provider, validator->dialect);
	char what[80];

	if (!(validator->rules & CTX_SMALL_REQUEST) || limits == NULL ||
	    ctx_json_str(json, request).n <= limits->request)
		return 0;
	(void)snprintf(what, sizeof what,
	    "the request has %zu bytes, more than %llu",
	    ctx_json_str(json, request).n, (unsigned long long)limits->request);
	return ctx_validate_refuse(validator, CTX_RULE_BIG_REQUEST, what);
}

/* Checks that a request defines tools if its messages contain tool calls.  Does
 * not check a record that has none of the keys in the array "members", because
 * such a record is not a whole request. */
static int
check_request_tools(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request)
{
	static const char *const members[] = {"modelId", "inferenceConfig",
	    "additionalModelRequestFields", NULL};

	if (!(validator->rules & CTX_NEEDS_TOOLS) ||
	    !validator->has_tool_calls ||
	    ctx_json_find(json, request, "toolConfig") != 0 ||
	    ctx_json_find_any(json, request, members) == 0)
		return 0;
	return ctx_validate_refuse(validator, CTX_RULE_NO_TOOLS,
	    "the request defines no tools, but its messages call some");
}

/* Checks the text blocks in the system prompt of a request. */
static int
check_system_prompt(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request)
{
	uint32_t list = ctx_json_find(json, request, "system"), block = 0, text;
	bool first = true, empty;

	if (!(validator->rules & CTX_NO_BLANK_TEXT))
		return 0;
	while (ctx_json_next_element(json, list, &block)) {
		text = ctx_json_find(json, block, "text");
		empty = text != 0 && ctx_text_is_empty(json, text, true);
		validator->replacement.n = 0;
		if (empty &&
		    ctx_validate_refuse_text(validator, CTX_RULE_EMPTY_TEXT,
			ctx_child_span(json, list, block, first),
			"a text of the system prompt is empty") < 0)
			return -1;
		first &= empty;
	}
	return 0;
}

int
ctx_validator_check_request(struct ctx_validator *validator, uint64_t rules,
    uint32_t messages, const struct ctx_place *place, struct ctx_err *err)
{
	const struct ctx_json *json = validator->request_json;
	uint32_t request = validator->request;
	int rc;

	validator->err = err;
	validator->rules = rules;
	validator->place = *place;
	validator->outside_messages = true;
	rc = ctx_validate_strings(validator, json, request, messages) < 0 ||
		ctx_validate_strings(validator, json,
		    json->nodes[messages].next,
		    json->nodes[request].next) < 0 ||
		check_system_prompt(validator, json, request) < 0 ||
		ctx_validate_all_markers(validator, json, request, messages) <
		    0 ||
		check_request_tools(validator, json, request) < 0 ||
		check_request_size(validator, json, request) < 0
	    ? -1
	    : 0;
	validator->outside_messages = false;
	return rc;
}
