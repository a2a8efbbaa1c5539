/* tool_failure.h - finds out from the text of a tool result whether the tool
 * call has failed */
#ifndef CTX_PRUNE_STRATEGY_TOOL_FAILURE_H
#define CTX_PRUNE_STRATEGY_TOOL_FAILURE_H

#include "base/base.h"

/* Returns the first line at the beginning of a tool result that looks like an
 * error message, or an empty text if there is none. */
struct ctx_str ctx_find_error_line(struct ctx_str text);

#endif
