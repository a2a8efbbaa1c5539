/* pair_results.h - finds the tool call that a tool result answers */
#ifndef CTX_GROUP_PAIR_RESULTS_H
#define CTX_GROUP_PAIR_RESULTS_H

#include "group/group.h"

/* Adds the tool calls of the newest segment (message or part of one) to the
 * table of open calls.  Merges the segment of the message's tool results with
 * the segments of the calls that they answer. results: index of the segment of
 * the results. */
int ctx_groups_pair_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err);
/* Removes the tool calls without an id from the table of open calls, because no
 * later result can answer them: after a new turn has begun or, if the format
 * demands results directly after their call, after another assistant message.
 * Calls with an id can still be answered. */
void ctx_groups_expire_calls(struct ctx_groups *groups);

#endif
