/* print_results.h - prints what ctx-eval has measured */
#ifndef CTX_CMD_EVAL_PRINT_RESULTS_H
#define CTX_CMD_EVAL_PRINT_RESULTS_H

#include "cli/cli.h"
#include "eval/eval.h"

/* Results that are printed, and the format in which they are printed. */
struct eval_output {
	struct cli *cli;
	const struct ctx_eval_config *options;
	const struct ctx_eval_results *results;
	bool json, tsv;
	/* one row for each place at which a session was cut for evaluation,
	 * instead of one row for each policy */
	bool per_sample;
	bool needed; /* only the needed strings, one row for each */
};

void eval_print(const struct eval_output *output);

/* ---- shares.c ------------------------------------------------------------ */

/* Reads the argument of an option as percentages separated by commas, such as
 * 10%,25%.  The percent signs may be missing.  Sorts the percentages.  Exits
 * with an error if the argument is malformed. */
void eval_read_shares(const struct cli *cli, const char *option,
    const char *text, struct ctx_eval_shares *shares);

#endif
