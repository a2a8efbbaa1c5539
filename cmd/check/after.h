/* after.h - compares a request with an earlier one */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output { AFTER_LINES, AFTER_JSON, AFTER_NONE };

/*
 * Compares the request in the file later with the one in earlier.  Prints the
 * first byte that changed, the first message whose signed reasoning the
 * provider refuses because of the change, and the tokens that a prompt cache
 * loses. Prints no lines if messages were only appended.  Sets CLI_NO if
 * reasoning is refused.
 */
void after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output);

#endif
