/* suggest_path.h - finds messages in a record of an unknown format */
#ifndef CTX_DIALECT_SUGGEST_PATH_H
#define CTX_DIALECT_SUGGEST_PATH_H

#include "json/json.h"

/* Where a record of an unknown format seems to contain messages. */
struct ctx_suggested_path {
	/* The path in the syntax of jq, such as ".run.turns", ".[].log" or
	 * ".a[\"b.c\"]".  Empty if nothing was found, if the path is too long,
	 * or if a key in it has characters other than letters, digits, _ . and
	 * -. */
	char path[96];
	/* True if the value at the path is a request, which ctx can read as a
	 * record; false if the value is an array of messages. */
	bool request;
	/* True if the value at the path is a string that contains the request,
	 * or the array of messages, as JSON. */
	bool coded;
};

/* Finds where a JSON value seems to contain messages, for an error message
 * after ctx_detect has found none.  Suggests the first array whose first
 * element has a role, or the request that contains this array.  If there is no
 * such array, suggests the first string that contains a request or such an
 * array as JSON. */
int ctx_suggest_path(const struct ctx_json *json,
    struct ctx_suggested_path *stray, struct ctx_err *err);

#endif
