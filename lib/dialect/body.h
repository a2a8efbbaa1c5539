/* body.h - the body of a result that holds just a text */
#ifndef DIALECT_BODY_H
#define DIALECT_BODY_H

#include "ctx.h"

/* The literal of a body that holds just a text as the dialect writes it,
 * or 0. */
uint32_t ctx_body_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Does ctx_body_add make the same bytes of a body's text? */
bool ctx_body_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Appends a text as a body that the dialect takes. */
int ctx_body_add(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);

#endif
