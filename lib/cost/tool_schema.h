/* tool_schema.h - writes tool definitions as they are in the models' prompts,
 * so that their tokens can be counted */
#ifndef CTX_COST_TOOL_SCHEMA_H
#define CTX_COST_TOOL_SCHEMA_H

#include "json/json.h"

/* Where a request contains the parts of a tool definition.  The members are
 * JSON nodes, or 0 if the definition does not have the part. */
struct ctx_definition {
	uint32_t name, description, schema;
};

/* Appends a tool definition, written as a TypeScript type, and an empty line
 * to out. */
int ctx_tool_schema_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);
/* Appends a tool definition as Claude's prompt contains it: JSON in a tag. */
int ctx_tagged_definition_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);
/* Follows the member "$ref" of a schema, such as "#/$defs/Address", to a schema
 * inside root (the schema of all arguments).  Returns the JSON node of the
 * schema that was found.  If there is no "$ref", or if its target does not
 * exist, returns the schema that was passed, which may be 0. */
uint32_t ctx_schema_follow(const struct ctx_json *json, uint32_t root,
    uint32_t schema);
/* Adds the names of the properties that a schema requires to the table "names",
 * with escapes decoded. scratch: scratch memory. */
int ctx_schema_read_required(const struct ctx_json *json, uint32_t schema,
    struct ctx_buf *scratch, struct ctx_intern *names, struct ctx_err *err);
/* Appends the JSON of a node to out, with a space after each comma and colon.
 */
int ctx_spaced_json_add(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err);

#endif
