/* pair_results.h - finds the tool call that a tool result answers */
#ifndef CTX_GROUP_PAIR_RESULTS_H
#define CTX_GROUP_PAIR_RESULTS_H

#include "group/group.h"

/* Adds the tool calls of a message, whose segment is the newest, to the open
 * calls.  Merges segment results, which has the results of the message, with
 * the calls that they answer. */
int ctx_groups_pair_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err);
/* Closes the open calls without an id: no later result can answer them after a
 * new turn has begun or, where results must come next, after another message of
 * the assistant.  Calls with an id can still be answered by that id. */
void ctx_groups_expire_calls(struct ctx_groups *groups);

#endif
