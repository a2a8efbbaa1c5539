/* print_results.h - prints what ctx-eval has measured */
#ifndef CTX_CMD_EVAL_PRINT_RESULTS_H
#define CTX_CMD_EVAL_PRINT_RESULTS_H

#include "cli/cli.h"
#include "eval/eval.h"

/* What is printed, and how. */
struct eval_output {
	struct cli *cli;
	const struct ctx_eval_config *options;
	const struct ctx_eval_results *results;
	bool json, tsv;
	bool per_sample; /* a row for each run, not for each policy */
	bool needed;     /* the needed strings, a row for each */
};

void eval_print(const struct eval_output *output);

/* ---- shares.c ------------------------------------------------------------ */

/* Reads the argument of an option: percentages separated by commas, such as
 * 10%,25%.  The sign may be missing.  Sorts them.  Exits with an error if the
 * argument is malformed. */
void eval_read_shares(const struct cli *cli, const char *option,
    const char *text, struct ctx_eval_shares *shares);

#endif
