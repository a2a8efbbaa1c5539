/* pair_results.h - finds the tool call that a tool result answers */
#ifndef CTX_GROUP_PAIR_RESULTS_H
#define CTX_GROUP_PAIR_RESULTS_H

#include "group/group.h"

/* Adds the tool calls of the newest segment (message or part of one) to the
 * table of open calls.  Merges the group of the message's tool results with the
 * groups of the calls that these results answer or may answer. results: index
 * of the segment that contains the tool results. */
int ctx_groups_pair_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err);
/* Removes the tool calls without an id from the table of open calls (calls
 * without a result), because no later result can answer them.  Calls with an id
 * remain in the table.  The caller must call this when a new turn begins.  If
 * the format demands results directly after their calls, the caller must also
 * call this when another assistant message is added. */
void ctx_groups_expire_calls(struct ctx_groups *groups);

#endif
