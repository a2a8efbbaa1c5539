/* print_results.h - prints the results of ctx-eval */
#ifndef CTX_CMD_EVAL_PRINT_RESULTS_H
#define CTX_CMD_EVAL_PRINT_RESULTS_H

#include "cli/cli.h"
#include "eval/eval.h"

/* Which results of ctx-eval are printed, and in which format. */
struct eval_output {
	struct cli *cli;
	const struct ctx_eval_config *options;
	const struct ctx_eval_results *results;
	bool json, tsv;
	/* True if each row of the output is about one run of a policy (way to
	 * prune), with one budget, at one split (place at which a session was
	 * divided for evaluation).  False if each row is about all runs of one
	 * policy with one budget. */
	bool per_sample;
	/* True if only the needed strings are printed, one in each row.  A
	 * needed string is a path, identifier, id or number that messages
	 * before a split (place at which a session is divided) contain and tool
	 * calls after the split use. */
	bool needed;
};

void eval_print(const struct eval_output *output);

/* ---- shares.c ------------------------------------------------------------ */

/* Reads the argument of an option: a list of percentages separated by commas,
 * such as "10%,25%".  The percent signs may be missing.  Stores the percentages
 * in ascending order.  Exits with an error if the argument is malformed. */
void eval_read_shares(const struct cli *cli, const char *option,
    const char *text, struct ctx_eval_shares *shares);

#endif
