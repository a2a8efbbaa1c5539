/* print_plan.h - prints what ctx-prune would remove from a conversation (option
 * --dry-run), and lists what must be kept, for an error message */
#ifndef CTX_CMD_PRUNE_PRINT_PLAN_H
#define CTX_CMD_PRUNE_PRINT_PLAN_H

#include "prune/prune.h"
#include "cli/cli.h"

/* Prints what ctx-prune would remove from a conversation: as a table or, with
 * --json, as one line of JSON.  Called after the last message of the
 * conversation was read.  Returns 0, or -1 with *err. */
int plan_print(const struct cli *cli, struct cli_report *report,
    const struct ctx_prune_outcome *outcome, struct ctx_err *err);

/* Lists the kinds of messages that must be kept, with the number of tokens of
 * each kind; for example "system 518, last messages 1,898, framing 3".  The sum
 * of the numbers is outcome->after.  Writes the list to out, a buffer of size
 * bytes. */
void plan_list_floor(const struct ctx_prune_outcome *outcome, char *out,
    size_t size);

#endif
