/* result_content.h - writes and recognises the content of a tool result that
 * is only a text */
#ifndef CTX_DIALECT_RESULT_CONTENT_H
#define CTX_DIALECT_RESULT_CONTENT_H

#include "dialect/dialect.h"

/* Returns the JSON around a text that is the whole content of a tool result of
 * a call that has not failed; see ctx_result_content_form. */
const char *const *ctx_result_text_form(const struct ctx_dialect *dialect);
/* Returns the JSON around a text that is the whole content of a tool result:
 * [0] is written before the JSON string of the text, [1] after it. body: JSON
 * node of the present content.  If it says that the tool call failed, the
 * returned JSON says so, too. */
const char *const *ctx_result_content_form(const struct ctx_json *json,
    uint32_t body, const struct ctx_dialect *dialect);
/* If the content of a tool result is only a text, in the form that
 * ctx_result_content_form returns, returns the JSON node of the text, otherwise
 * 0. */
uint32_t ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Returns true if the content of a tool result can be restored byte for byte
 * from its text, because ctx_result_content_add would write exactly the same
 * bytes. */
bool ctx_result_content_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Appends the content of a tool result that is only a text, the n bytes at p.
 * form: the JSON before and after the text, as returned by
 * ctx_result_content_form. */
int ctx_result_content_add(struct ctx_buf *out, const char *const *form,
    const char *p, size_t n, struct ctx_err *err);
/* Writes the content of a tool result that is only the given text to a buffer,
 * which the caller passes empty, and parses it into *json.  Returns what
 * ctx_json_scan_text returns. */
int ctx_result_content_scan(const struct ctx_dialect *dialect,
    struct ctx_str text, struct ctx_buf *content, struct ctx_json *json,
    struct ctx_err *err);
/* Returns true if the content of tool result i is an array of blocks, or an
 * object that contains this array. */
bool ctx_result_content_lists(const struct ctx_message *message, size_t i);
/* If the content of tool result i is neither a text nor an array of blocks,
 * returns the JSON node of what the model gets of it; otherwise 0.  This is the
 * content itself or, if the content is an object with one block in it, the
 * payload of that block. */
uint32_t ctx_result_content_value(const struct ctx_message *message, size_t i);
/* Returns the index of the tool result that the agent's own copy in the message
 * (message->result_copy) repeats.  Returns message->n if there is no copy, or
 * if the message does not have exactly one tool result. */
size_t ctx_result_copied(const struct ctx_message *message);
/* Returns the JSON node of the next text in the agent's copy of a tool result,
 * or of the next array that consists of two texts or more, such as the lines of
 * a patch; or 0 if there is none. after: JSON node that was returned last, 0 in
 * the first call.  Skips a copy that is a single string if it may be JSON,
 * because Claude Code parses some of these strings when it resumes a
 * session. */
uint32_t ctx_result_copy_next(const struct ctx_message *message,
    uint32_t after);
/* Returns the number of characters of a text, or of all texts in an array
 * together, that ctx_result_copy_next has returned. */
uint64_t ctx_result_copy_chars(const struct ctx_message *message,
    uint32_t node);
/* Returns the JSON node of media block i if a text block can replace it,
 * otherwise 0.  These cannot be replaced: media that is not an element of an
 * array (the assistant's audio); an element that is a string (Ollama's images);
 * a block with only a type (a placeholder); a file that the model wrote as part
 * of its reasoning; and media in a result whose content must not be
 * replaced. */
uint32_t ctx_media_block(const struct ctx_message *message, size_t i);

#endif
