/* tool_schema.h - writes tool definitions as TypeScript types, to count their
 * tokens */
#ifndef CTX_COST_TOOL_SCHEMA_H
#define CTX_COST_TOOL_SCHEMA_H

#include "json/json.h"

/* A tool definition in a request.  Members are JSON nodes; 0: missing. */
struct ctx_definition {
	uint32_t name, description, schema;
};

/* Appends a tool definition as a TypeScript type, followed by an empty line. */
int ctx_tool_schema_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);

#endif
