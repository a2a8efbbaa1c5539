/* after.h - implements ctx-check --after: compares a request with an earlier
 * request, and prints the first change other than appended messages */
#ifndef CTX_CMD_CHECK_AFTER_H
#define CTX_CMD_CHECK_AFTER_H

#include "cli/cli.h"

enum after_output {
	/* lines for people; no output if messages were only appended */
	AFTER_LINES,
	/* always a JSON object, even if messages were only appended */
	AFTER_JSON,
	AFTER_NONE, /* no output; only the exit status tells the result */
};

/*
 * Compares a request with an earlier request; each is in a file of its own.
 * Messages that the later request appends to the earlier one are no difference.
 * If there is another difference, prints:
 * - the place of the first difference,
 * - the first message whose signed reasoning the provider would refuse because
 *   of the difference,
 * - how many tokens in the provider's prompt cache cannot be used any more.
 *
 * If signed reasoning would be refused, ctx-check will exit with status 1.
 */
void after_compare(struct cli *cli, struct ctx_model_counters *counters,
    const char *earlier, char *later, enum after_output output);

#endif
