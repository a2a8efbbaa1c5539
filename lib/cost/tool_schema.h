/* tool_schema.h - definitions of tools, for request_overhead.c and
 * tool_schema.c */
#ifndef CTX_COST_TOOL_SCHEMA_H
#define CTX_COST_TOOL_SCHEMA_H

#include "json/json.h"

/* A tool as a request defines it; nodes, 0 where there is none. */
struct ctx_definition {
	uint32_t name, description, schema;
};

/* Appends a definition as a type, and an empty line. */
int ctx_tool_schema_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);

#endif
