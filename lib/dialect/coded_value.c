/* coded_value.c - reads a JSON value that may be written as JSON in a string */
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
