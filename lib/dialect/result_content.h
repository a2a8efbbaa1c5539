/* result_content.h - writes and recognises the content of a tool result that
 * is only a text */
#ifndef CTX_DIALECT_RESULT_CONTENT_H
#define CTX_DIALECT_RESULT_CONTENT_H

#include "dialect/dialect.h"

/* Returns the JSON before and after a text that is the whole content of a tool
 * result.  For tool calls that have not failed; see ctx_result_content_form. */
const char *const *ctx_result_text_form(const struct ctx_dialect *dialect);
/* Returns the JSON around a text that is the whole content of a tool result:
 * [0] is the JSON before the JSON string of the text, [1] the JSON after the
 * string. body: JSON node of the present content.  If the present content says
 * that the tool call failed, the returned JSON says so, too. */
const char *const *ctx_result_content_form(const struct ctx_json *json,
    uint32_t body, const struct ctx_dialect *dialect);
/* Returns the JSON node of the text if the content of a tool result is only a
 * text: a string, or written as ctx_result_content_form says.  Otherwise
 * returns 0. */
uint32_t ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect);
/* Returns true if ctx_result_content_add, given the text of a tool result,
 * would write exactly the bytes of the result's content. */
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
/* Returns the JSON node of the value that the model gets from tool result i,
 * whose content is neither a text nor an array of blocks.  The value is the
 * content.  If the content is an object that contains one block, the value is
 * the payload of this block. */
uint32_t ctx_result_content_value(const struct ctx_message *message, size_t i);
/* Returns the index of the tool result that the agent's own copy in the message
 * (message->result_copy) repeats.  Returns message->n if there is no copy, or
 * if the message does not have exactly one tool result. */
size_t ctx_result_copied(const struct ctx_message *message);
/* Returns the JSON node of the next text in the agent's copy of a tool result,
 * or of the next array of two or more texts, such as the lines of a patch.
 * Returns 0 at the end. after: JSON node that was returned last; 0 in the first
 * call.  If the whole copy is a string that may be JSON, returns 0, because
 * Claude Code parses some of these strings when it resumes a session. */
uint32_t ctx_result_copy_next(const struct ctx_message *message,
    uint32_t after);
/* Returns the number of characters at a JSON node that ctx_result_copy_next has
 * returned: of the text or, for an array, of all its texts together. */
uint64_t ctx_result_copy_chars(const struct ctx_message *message,
    uint32_t node);
/* Returns the JSON node of media block i if a text block can replace it,
 * otherwise 0.  A text block cannot replace: media that is not an element of an
 * array (the assistant's audio); a string (Ollama's images); a block with only
 * a type (a placeholder); a file that the model wrote as part of its reasoning;
 * media in a tool result whose content must not be replaced. */
uint32_t ctx_media_block(const struct ctx_message *message, size_t i);

#endif
