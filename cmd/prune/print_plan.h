/* print_plan.h - prints what ctx-prune would remove from a conversation (option
 * --dry-run) */
#ifndef CTX_CMD_PRUNE_PRINT_PLAN_H
#define CTX_CMD_PRUNE_PRINT_PLAN_H

#include "prune/prune.h"
#include "cli/cli.h"

/* Prints what would be removed from a conversation, after its last message was
 * read: as a table or, with --json, as one line.  Returns 0, or -1 with
 * *err. */
int plan_print(const struct cli *cli, struct cli_report *report,
    const struct ctx_prune_outcome *outcome, struct ctx_err *err);

#endif
