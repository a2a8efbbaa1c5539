/* shown_form.h - writes tool definitions, tool calls and tool results as
 * Gemini's prompt contains them, so that their tokens can be counted */
#ifndef CTX_SHOWN_FORM_H
#define CTX_SHOWN_FORM_H

#include "cost/tool_schema.h"

/* Byte that stands for one token between two texts, such as a quote.  The texts
 * before and after this byte are counted separately.  The byte never occurs in
 * UTF-8. */
#define CTX_TOKEN_MARK '\xff'

/* ---- declaration.c: Gemini 3 and later ---- */

/* Appends a tool definition to out. */
int ctx_declaration_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);
/* Appends a JSON value to out: a value in the arguments of a tool call, or in a
 * tool result. */
int ctx_declared_value_add(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err);

/* ---- python_definition.c: Gemini 2.5 ---- */

/* Appends a tool definition to out, as a function of Python and a class for
 * each object in its arguments. */
int ctx_python_definition_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_definition *tool, struct ctx_err *err);
/* Appends the arguments of a tool call, a JSON object, to out, in the form of
 * the arguments of a Python function call. */
int ctx_python_arguments_add(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err);

#endif
