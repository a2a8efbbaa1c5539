/* coded_value.c - reads a JSON value that may be written as JSON in a string,
 * and finds a request that is written in this way */
#include "dialect/dialect.h"

int
ctx_coded_value_read(struct ctx_coded_value *value, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	int rc;

	value->json = json;
	value->node = node;
	if (json->nodes[node].kind != CTX_JSON_STRING)
		return 1;
	value->inner.simd = json->simd;
	rc = ctx_json_scan_string(json, node, &value->text, &value->inner, err);
	if (rc > 0) {
		value->json = &value->inner;
		value->node = 0;
	}
	return rc;
}

void
ctx_coded_value_release(struct ctx_coded_value *value)
{
	ctx_buf_release(&value->text);
	ctx_json_release(&value->inner);
}

/* Returns true if a JSON value is a message or a list of requests, or if it
 * contains a request. */
static bool
has_messages(const struct ctx_json *json)
{
	struct ctx_record_layout layout;

	ctx_detect(json, 0, NULL, &layout);
	return layout.kind != CTX_LAYOUT_OTHER && !layout.is_response;
}

int
ctx_read_coded_request(const struct ctx_json *json,
    struct ctx_coded_value *coded, uint32_t *string, struct ctx_err *err)
{
	static const char *const keys[] = {"request_body", "request"};
	struct ctx_record_layout layout;
	size_t i;
	int rc;

	for (i = 0; i < CTX_LENGTH(keys); i++) {
		*string = ctx_json_find(json, 0, keys[i]);
		if (*string == 0 || !ctx_json_starts_with(json, *string, "{") ||
		    has_messages(json))
			continue;
		rc = ctx_coded_value_read(coded, json, *string, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		ctx_detect(coded->json, 0, NULL, &layout);
		if (layout.kind == CTX_LAYOUT_CONVERSATION &&
		    !layout.is_response)
			return 1;
	}
	return 0;
}
