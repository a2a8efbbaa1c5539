/* tool_schema.h - tool definitions, for request_overhead.c and tool_schema.c */
#ifndef CTX_COST_TOOL_SCHEMA_H
#define CTX_COST_TOOL_SCHEMA_H

#include "json/json.h"

/* A tool definition of a request.  Members are nodes, 0 if missing. */
struct ctx_definition {
	uint32_t name, description, schema;
};

/* Appends a tool definition as a TypeScript type, and an empty line. */
int ctx_tool_schema_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);

#endif
