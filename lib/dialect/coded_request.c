/* coded_request.c - finds a request that is written as JSON inside a string of
 * a record */
#include "dialect/dialect.h"

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
