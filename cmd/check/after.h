/* after.h - compares a request with an earlier one, for ctx-check --after */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output { AFTER_LINES, AFTER_JSON, AFTER_NONE };

/* Compares two requests, read from the files earlier and later, for changes
 * that the provider's prompt cache or signatures do not allow.  If the later
 * request is not the earlier one with messages appended, this function prints
 * the first byte that differs, the first message whose signed reasoning the
 * provider refuses because of the change, and how many cached tokens are lost.
 * If signed reasoning is refused, the command will exit with status 1
 * (CLI_NO). */
void after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output);

#endif
