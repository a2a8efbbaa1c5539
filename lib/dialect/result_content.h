/* result_content.h - writes and recognises the content of a tool result that
 * is only a text */
#ifndef CTX_DIALECT_RESULT_CONTENT_H
#define CTX_DIALECT_RESULT_CONTENT_H

#include "dialect/dialect.h"

/* Returns the JSON before and after the text with which ctx can replace the
 * content of a tool result; the text is written as a JSON string between them.
 * If the present content says that the tool call failed, this JSON says so,
 * too. */
const char *const *ctx_result_content_form(const struct ctx_json *json,
    uint32_t body, const struct ctx_dialect *dialect);
/* If the content of a tool result is only a text, returns the JSON node of
 * that text, else 0.  The JSON around the text must be what
 * ctx_result_content_form returns. */
uint32_t ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Returns true if ctx_result_content_add, given the text of this content,
 * would write the content byte for byte as it is. */
bool ctx_result_content_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Appends the content of a tool result that is only a text, the n bytes at p.
 * form: what ctx_result_content_form returned. */
int ctx_result_content_add(struct ctx_buf *out, const char *const *form,
    const char *p, size_t n, struct ctx_err *err);
/* Returns true if the content of tool result i is an array of blocks, or an
 * object that contains this array. */
bool ctx_result_content_lists(const struct ctx_message *message, size_t i);
/* If the content of tool result i is neither a text nor an array of blocks,
 * returns the JSON node of what is sent to the model: the content, or the one
 * value inside it.  Otherwise returns 0. */
uint32_t ctx_result_content_value(const struct ctx_message *message, size_t i);
/* Returns the JSON node of media block i if a text block can replace it, else
 * 0.  Not replaced are: media that is not an element of an array (the
 * assistant's audio); an element that is a string (Ollama's images); a block
 * with only a type (a placeholder); reasoning files; and media in a result
 * whose content is never replaced. */
uint32_t ctx_media_block(const struct ctx_message *message, size_t i);

#endif
