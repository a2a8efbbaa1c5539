/* coded_value.h - JSON values that may be written as JSON in a string */
#ifndef CTX_DIALECT_CODED_VALUE_H
#define CTX_DIALECT_CODED_VALUE_H

#include "json/json.h"

/* A JSON value that a record contains either as it is, or as JSON in a string,
 * such as the arguments of a tool call.  The caller must set the struct to zero
 * before the first value.  The struct can be used for several values, one after
 * another. */
struct ctx_coded_value {
	/* The parsed JSON text that contains the value, and the JSON node of
	 * the value. */
	const struct ctx_json *json;
	uint32_t node;
	/* Used if the record contains the value as JSON in a string. text: the
	 * text of the string, decoded. inner: this text, parsed. */
	struct ctx_buf text;
	struct ctx_json inner;
};
/* Reads the value at a JSON node.  If the node is a string that contains JSON,
 * the value is the value of that JSON.  Returns 1.  Returns 0 if the node is a
 * string whose text is not JSON; then the value is the string.  Returns -1 with
 * *err on error. */
int ctx_coded_value_read(struct ctx_coded_value *value,
    const struct ctx_json *json, uint32_t node, struct ctx_err *err);
void ctx_coded_value_release(struct ctx_coded_value *value);

/* Finds the coded request of a record: a request that is written as JSON in a
 * string, the member "request_body" or "request", as in logs of HTTP requests.
 * The record must contain no other request or message.  Returns 1 if there is a
 * coded request: sets *coded to the request, and *string to the JSON node of
 * the string.  Returns 0 if there is none, or -1 with *err. */
int ctx_read_coded_request(const struct ctx_json *json,
    struct ctx_coded_value *coded, uint32_t *string, struct ctx_err *err);

#endif
