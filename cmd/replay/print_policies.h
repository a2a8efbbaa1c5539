/* print_policies.h - prints what recorded sessions would have cost if ctx-prune
 * had shortened their prompts */
#ifndef CTX_CMD_REPLAY_PRINT_POLICIES_H
#define CTX_CMD_REPLAY_PRINT_POLICIES_H

#include "replay/print_bill.h"
#include "replay/read_policy.h"

/* Prints a table that compares policies (ways to prune).  The first row is the
 * cost of all sessions without pruning.  Each further row is the cost with one
 * policy. */
void policies_print(struct bill_form *form, const struct named_policy *policies,
    size_t n);

#endif
