/* pair_results.h - finds the tool call that a tool result answers */
#ifndef CTX_GROUP_PAIR_RESULTS_H
#define CTX_GROUP_PAIR_RESULTS_H

#include "group/group.h"

/* Opens the tool calls of a message, whose segment is the newest, and matches
 * its results, which are in segment results, with open calls. */
int ctx_groups_pair_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err);
/* Closes open calls that no later result can answer, at a new turn or where
 * results must come next and the assistant has spoken again.  Calls with an id
 * stay open for a result with that id. */
void ctx_groups_expire_calls(struct ctx_groups *groups);

#endif
