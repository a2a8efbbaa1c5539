/* beside.h - definitions of tools, for beside.c and types.c */
#ifndef COUNT_BESIDE_H
#define COUNT_BESIDE_H

#include "ctx.h"

/* A tool as a request defines it; nodes, 0 where there is none. */
struct ctx_definition {
	uint32_t name, description, schema;
};

/* Appends a definition as a type, and an empty line. */
int ctx_types_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);

#endif
