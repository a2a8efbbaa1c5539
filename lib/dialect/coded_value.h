/* coded_value.h - JSON values that may be written as JSON in a string */
#ifndef CTX_DIALECT_CODED_VALUE_H
#define CTX_DIALECT_CODED_VALUE_H

#include "json/json.h"

/* ---- dialect/coded_value.c: JSON in a string ---------------------------- */

/* A JSON value that a record contains either as it is, or as JSON in a string,
 * such as the arguments of a tool call.  A zeroed struct is valid and can be
 * used for many values, one after another. */
struct ctx_coded_value {
	/* the parsed JSON text that contains the value, and the value's JSON
	 * node in it */
	const struct ctx_json *json;
	uint32_t node;
	/* If the record contains the value in a string: the decoded text of
	 * this string, and the same text parsed as JSON. */
	struct ctx_buf text;
	struct ctx_json inner;
};
/* Reads the value at a JSON node, which may be a string that contains JSON.
 * Returns 1; 0 if the node is a string whose text is not JSON, so that the
 * value is this string; or -1 with *err. */
int ctx_coded_value_read(struct ctx_coded_value *value,
    const struct ctx_json *json, uint32_t node, struct ctx_err *err);
void ctx_coded_value_release(struct ctx_coded_value *value);

/* ---- dialect/coded_request.c: a request in a string --------------------- */

/* Finds the coded request of a record: a request that is written as JSON in a
 * string, the member "request_body" or "request", as in logs of HTTP requests.
 * The record must contain no other request or message.  Returns 1 and sets
 * *coded, and *string to the JSON node of the string; or 0 if there is none; or
 * -1 with *err. */
int ctx_read_coded_request(const struct ctx_json *json,
    struct ctx_coded_value *coded, uint32_t *string, struct ctx_err *err);

#endif
