/* tool_choice.h - reads whether a request forces the model to call a tool */
#ifndef CTX_TOOL_CHOICE_H
#define CTX_TOOL_CHOICE_H

#include "json/json.h"

/* Returns true if the request forces the model to call a tool: any tool, or a
 * certain one. */
bool ctx_tool_is_forced(const struct ctx_json *json, uint32_t request);
/* Returns true if the request names the tool that the model must call. */
bool ctx_tool_is_named(const struct ctx_json *json, uint32_t request);

#endif
