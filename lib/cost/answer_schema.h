/* answer_schema.h - finds the JSON schema that the answer to a request must
 * follow, and writes it as it is in the model's prompt */
#ifndef CTX_ANSWER_SCHEMA_H
#define CTX_ANSWER_SCHEMA_H

#include "cost/surcharges.h"
#include "json/json.h"

/* Where a request contains the schema that the answer must follow.  The members
 * are JSON nodes; 0 if the request does not contain the value. */
struct ctx_answer_schema {
	uint32_t schema;
	/* name and description of the schema in the request */
	uint32_t name, description;
};

/* Finds the schema that the answer to a request must follow. */
void ctx_answer_schema_find(struct ctx_answer_schema *found,
    const struct ctx_json *json, uint32_t request);
/* Appends the schema to out, in the form CTX_ANSWER_COMPACT,
 * CTX_ANSWER_INDENTED or CTX_ANSWER_REDUCED.  In a request to Bedrock, the
 * schema is JSON in a string.  For Bedrock, nothing is appended unless the form
 * is CTX_ANSWER_INDENTED, because only Claude gets the schema there. */
int ctx_answer_schema_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_answer_schema *answer, enum ctx_answer_form form,
    struct ctx_err *err);

#endif
