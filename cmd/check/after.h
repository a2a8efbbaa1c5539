/* after.h - implements ctx-check --after: compares a request with an earlier
 * request, and prints the first change other than appended messages */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output {
	AFTER_LINES, /* lines for people; none if messages were only appended */
	AFTER_JSON,  /* a JSON object, also if messages were only appended */
	AFTER_NONE,  /* nothing: the exit status says it */
};

/*
 * Compares two requests, each in a file of its own, and prints (see enum
 * after_output) in what the later request differs from the earlier one with
 * messages appended:
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
