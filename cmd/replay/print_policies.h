/* print_policies.h - prints what sessions would have cost if their prompts had
 * been pruned */
#ifndef CTX_CMD_REPLAY_PRINT_POLICIES_H
#define CTX_CMD_REPLAY_PRINT_POLICIES_H

#include "replay/print_bill.h"
#include "replay/read_policy.h"

/* Prints a table that compares policies: a row with the bill of all sessions if
 * nothing is pruned, and a row for each policy. */
void policies_print(struct bill_form *form, const struct named_policy *policies,
    size_t n);

#endif
