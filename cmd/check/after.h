/* after.h - compares a request with an earlier one */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output { AFTER_LINES, AFTER_JSON, AFTER_NONE };

/*
 * Compares two requests, read from the files named earlier and later.  If the
 * later one is not the earlier one with messages appended, it prints the first
 * byte that changed, the first message whose signed reasoning the provider
 * refuses for that, and the tokens that a prompt cache loses.  The command's
 * exit status becomes 1 (CLI_NO) if reasoning is refused.
 */
void after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output);

#endif
