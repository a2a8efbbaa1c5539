/* print_policies.h - prints what pruning by policies would have cost */
#ifndef CTX_CMD_REPLAY_PRINT_POLICIES_H
#define CTX_CMD_REPLAY_PRINT_POLICIES_H

#include "replay/print_bill.h"
#include "replay/read_policy.h"

/* Prints a row for the sessions without pruning, and one for each policy. */
void policies_print(struct bill_form *form, const struct named_policy *policies,
    size_t n);

#endif
