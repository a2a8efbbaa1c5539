/* result_content.h - the body of a result that holds just a text */
#ifndef CTX_DIALECT_RESULT_CONTENT_H
#define CTX_DIALECT_RESULT_CONTENT_H

#include "dialect/dialect.h"

/*
 * What stands before and behind the literal of a body that holds just a text,
 * in the place of this one: what failed has failed.
 */
const char *const *ctx_result_content_form(const struct ctx_json *json,
    uint32_t body, const struct ctx_dialect *dialect);
/* The literal of a body that holds just a text in that form, or 0. */
uint32_t ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Does ctx_result_content_add make the same bytes of a body's text? */
bool ctx_result_content_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Appends a text as a body of a form. */
int ctx_result_content_add(struct ctx_buf *out, const char *const *form,
    const char *p, size_t n, struct ctx_err *err);
/* Are the parts of result i of a view elements of a list, which the body is or
 * holds? */
bool ctx_result_content_lists(const struct ctx_message *message, size_t i);
/* What the model is shown of the body of result i that is neither a text nor
 * such a list: the body, or the one value that it wraps. */
uint32_t ctx_result_content_value(const struct ctx_message *message, size_t i);
/* The block of part i, of media, if a text block may take its place in the
 * message, else 0.  Ids and the reasoning of a model may not be replaced, nor
 * may what a list of images holds. */
uint32_t ctx_media_block(const struct ctx_message *message,
    const struct ctx_dialect *dialect, size_t i);

#endif
