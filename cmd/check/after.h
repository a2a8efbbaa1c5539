/* after.h - implements ctx-check --after: compares a request with an earlier
 * request, and prints whether messages were only appended, or what else was
 * changed */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output { AFTER_LINES, AFTER_JSON, AFTER_NONE };

/*
 * Compares two requests, each in a file of its own, and prints what has
 * changed.  Prints nothing if the later request consists of the earlier one and
 * messages appended to it.  Otherwise prints:
 * - the place of the first byte that differs,
 * - the first message whose signed reasoning the provider would refuse because
 *   of the change,
 * - how many tokens in the provider's prompt cache cannot be used any more.
 *
 * If signed reasoning would be refused, ctx-check will exit with status 1.
 */
void after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output);

#endif
