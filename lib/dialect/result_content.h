/* result_content.h - writes and recognises the content of a tool result that
 * is only a text */
#ifndef CTX_DIALECT_RESULT_CONTENT_H
#define CTX_DIALECT_RESULT_CONTENT_H

#include "dialect/dialect.h"

/* Returns two pieces of JSON.  A text, written as a JSON string between them,
 * can replace this content of a tool result.  If the content says that the
 * call failed, the pieces say so too. */
const char *const *ctx_result_content_form(const struct ctx_json *json,
    uint32_t body, const struct ctx_dialect *dialect);
/* Returns the JSON node of the string if the content of a tool result is only
 * a string between the two pieces of JSON that ctx_result_content_form
 * returns.  Returns 0 for any other content. */
uint32_t ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Returns true if ctx_result_content_add writes exactly the bytes of this
 * content when it is given the content's text. */
bool ctx_result_content_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Appends a text of n bytes as the content of a tool result, in this form. */
int ctx_result_content_add(struct ctx_buf *out, const char *const *form,
    const char *p, size_t n, struct ctx_err *err);
/* Returns true if the content of tool result i is an array, or contains the
 * array with the blocks of the result. */
bool ctx_result_content_lists(const struct ctx_message *message, size_t i);
/* Returns the part of tool result i that is sent to the model, if its content
 * is neither a text nor an array of blocks: the content, or the one value
 * inside it. */
uint32_t ctx_result_content_value(const struct ctx_message *message, size_t i);
/* Returns the JSON node of media block i if a text block can replace it, else
 * 0.  These cannot be replaced: media that is not an element of an array (the
 * assistant's audio); an element that is a string (Ollama's images); a block
 * with only a type (a placeholder); reasoning files; and media in a result
 * whose content is never replaced. */
uint32_t ctx_media_block(const struct ctx_message *message, size_t i);

#endif
