/* print_plan.h - prints the plan for a conversation, for ctx-prune --dry-run */
#ifndef CTX_CMD_PRUNE_PRINT_PLAN_H
#define CTX_CMD_PRUNE_PRINT_PLAN_H

#include "cli/cli.h"

/* Prints the plan for a conversation that has ended, as a table or, with
 * --json, as one line.  Returns 0, or -1 with *err. */
int plan_print(const struct cli *cli, struct cli_report *report,
    const struct ctx_prune_outcome *outcome, struct ctx_err *err);

#endif
