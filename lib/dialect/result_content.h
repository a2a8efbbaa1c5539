/* result_content.h - the body of a tool result that is only a text */
#ifndef CTX_DIALECT_RESULT_CONTENT_H
#define CTX_DIALECT_RESULT_CONTENT_H

#include "dialect/dialect.h"

/*
 * Returns the form of a text body that may replace this body: the JSON before
 * and after the string.  The form for failures if this body is one.
 */
const char *const *ctx_result_content_form(const struct ctx_json *json,
    uint32_t body, const struct ctx_dialect *dialect);
/* Returns the string in a body that is only a text in that form, or 0. */
uint32_t ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Returns true if ctx_result_content_add, given the text of this body, writes
 * exactly the bytes of this body. */
bool ctx_result_content_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Appends a text of n bytes as a body of this form. */
int ctx_result_content_add(struct ctx_buf *out, const char *const *form,
    const char *p, size_t n, struct ctx_err *err);
/* Returns true if the body of result i is an array, or contains the array with
 * the blocks of the result. */
bool ctx_result_content_lists(const struct ctx_message *message, size_t i);
/* Returns what the model sees of the body of result i, if that is neither a
 * text nor such an array: the body, or the one value that it wraps. */
uint32_t ctx_result_content_value(const struct ctx_message *message, size_t i);
/*
 * Returns the node of media block i if a text block may replace it, else 0.
 * Not replaceable are: media that is not an element of an array (the
 * assistant's audio); an element that is a string (Ollama's images); a block
 * with only a type (a placeholder); reasoning files; and media in a result
 * that is never cleared.
 */
uint32_t ctx_media_block(const struct ctx_message *message, size_t i);

#endif
