/* after.h - compares a request with an earlier one (ctx-check --after): were
 * messages only appended, or was something changed? */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output { AFTER_LINES, AFTER_JSON, AFTER_NONE };

/*
 * Compares two requests, each in a file of its own, and prints what has
 * changed.  Prints nothing if the later request is the earlier one with
 * messages appended.  Otherwise prints:
 * - the place of the first byte that differs,
 * - the first message whose signed reasoning the provider refuses because of
 *   the change,
 * - how many tokens in the provider's prompt cache are lost.
 *
 * If signed reasoning is refused, the exit status of the command will be 1.
 */
void after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output);

#endif
