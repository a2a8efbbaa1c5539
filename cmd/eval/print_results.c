/* print_results.c - prints what ctx-eval has measured about policies (ways to
 * prune, such as ctx-prune with a strategy): as tables, TSV or JSON lines */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eval/print_results.h"

enum { INTERVAL_BYTES = 32 };

/* A row of the table of results, with the figures of one policy (way to prune)
 * at one budget. */
struct policy_row {
	size_t policy;
	struct ctx_eval_figures figures;
};

/* Rounds a number to one digit after the decimal point.  The number must not be
 * negative. */
static double
round_tenth(double n)
{
	return (double)(int64_t)(n * 10 + 0.5) / 10;
}

static double
get_percent(double share)
{
	return round_tenth(100 * share);
}

static void
get_figures(const struct eval_output *output, size_t policy, size_t budget,
    struct ctx_eval_figures *figures)
{
	struct ctx_err err;

	if (ctx_eval_figures(output->results, policy, budget, figures, &err) <
	    0)
		cli_fail(output->cli, &err);
}

/* Writes the confidence interval of the column "kept" as two percentages to
 * text, a buffer of INTERVAL_BYTES bytes.  Returns text. width: minimum width
 * of each percentage in characters; between: the character between them.  If
 * there is no interval, writes only the character "between". */
static const char *
format_interval(const struct ctx_eval_figures *figures, int width, char between,
    char *text)
{
	if (figures->has_interval)
		(void)snprintf(text, INTERVAL_BYTES, "%*.1f%c%-*.1f", width,
		    100 * figures->low, between, width, 100 * figures->high);
	else
		(void)snprintf(text, INTERVAL_BYTES, "%c", between);
	return text;
}

static double
get_share(const struct ctx_eval_shares *shares, size_t i)
{
	return (double)shares->list[i] / 1000;
}

static void
print_line(const struct eval_output *output, json_t *line)
{
	struct ctx_err err;

	if (cli_json_line(stdout, CLI_STDOUT, line, JSON_REAL_PRECISION(15),
		&err) < 0)
		cli_fail(output->cli, &err);
}

/* ---- rows for each policy ---- */

static void
print_policy_json(const struct eval_output *output, size_t policy,
    size_t budget, const struct ctx_eval_figures *f)
{
	const char *name = output->options->policies[policy].name;
	json_t *o = json_pack("{s:o, s:f, s:I, s:I}", "policy",
	    cli_json_text(name, strlen(name)), "budget",
	    get_share(&output->options->budgets, budget), "runs",
	    (json_int_t)f->runs + (json_int_t)f->failed, "failed",
	    (json_int_t)f->failed);

	if (f->failed > 0)
		o = cli_json_with(o, "failure",
		    cli_json_text(f->failure, strlen(f->failure)));
	if (f->runs > 0 && o != NULL) {
		o = cli_json_with(o, "kept", json_real(get_percent(f->kept)));
		if (f->has_interval) {
			o = cli_json_with(o, "low",
			    json_real(get_percent(f->low)));
			o = cli_json_with(o, "high",
			    json_real(get_percent(f->high)));
		}
		o = cli_json_with(o, "saved",
		    json_real(get_percent(f->recoverable)));
		o = cli_json_with(o, "lost", json_real(get_percent(f->lost)));
		o = cli_json_number(o, "tokens", (uint64_t)(f->tokens + 0.5));
		o = cli_json_with(o, "unused",
		    json_real(get_percent(f->unused)));
		o = cli_json_with(o, "over", json_real(get_percent(f->over)));
		o = cli_json_with(o, "invalid",
		    json_real(get_percent(f->invalid)));
		o = cli_json_with(o, "ms",
		    json_real(round_tenth(1000 * f->seconds)));
	}
	print_line(output, o);
}

static void
print_policy_tsv(const struct eval_output *output, size_t policy, size_t budget,
    const struct ctx_eval_figures *f)
{
	const char *name = output->options->policies[policy].name;
	char interval[INTERVAL_BYTES];

	cli_print_masked(stdout, name, strlen(name));
	printf("\t%g\t%zu\t%zu", get_share(&output->options->budgets, budget),
	    f->runs + f->failed, f->failed);
	if (f->runs > 0)
		printf("\t%.1f\t%s\t%.1f\t%.1f\t%.0f\t%.1f\t%.1f\t%.1f"
		       "\t%.1f\n",
		    100 * f->kept, format_interval(f, 0, '\t', interval),
		    100 * f->recoverable, 100 * f->lost, f->tokens,
		    100 * f->unused, 100 * f->over, 100 * f->invalid,
		    1000 * f->seconds);
	else
		printf("\t\t\t\t\t\t\t\t\t\t\n");
	cli_check_stdout(output->cli);
}

static void
print_policies(const struct eval_output *output)
{
	struct ctx_eval_figures figures;
	size_t policy, budget;

	if (output->tsv)
		printf("policy\tbudget\truns\tfailed\tkept\tlow\thigh\tsaved\t"
		       "lost\ttokens\tunused\tover\tinvalid\tms\n");
	for (budget = 0; budget < output->options->budgets.n; budget++)
		for (policy = 0; policy < output->options->n_policies;
		     policy++) {
			get_figures(output, policy, budget, &figures);
			if (output->json)
				print_policy_json(output, policy, budget,
				    &figures);
			else
				print_policy_tsv(output, policy, budget,
				    &figures);
		}
}

/* ---- the table ---- */

/* Compares two rows for qsort, each about one policy.  Order: first the
 * policies that stay within the budget in most runs, beginning with the policy
 * that keeps the largest share of the strings that later tool calls use.  Then
 * policies that exceed the budget in most runs.  Then policies of which all
 * runs have failed. */
static int
compare_rows(const void *a, const void *b)
{
	const struct policy_row *x = a, *y = b;
	double kept_x = x->figures.runs > 0 ? x->figures.kept : -1;
	double kept_y = y->figures.runs > 0 ? y->figures.kept : -1;
	bool over_x = x->figures.runs == 0 || x->figures.over > 0.5;
	bool over_y = y->figures.runs == 0 || y->figures.over > 0.5;

	if (over_x != over_y)
		return over_x ? 1 : -1;
	if (kept_x != kept_y)
		return kept_x > kept_y ? -1 : 1;
	return (x->policy > y->policy) - (x->policy < y->policy);
}

static void
print_table_row(const struct eval_output *output, const struct policy_row *row,
    size_t width)
{
	const char *name = output->options->policies[row->policy].name;
	const struct ctx_eval_figures *f = &row->figures;
	struct ctx_str head =
	    cli_text_head((struct ctx_str){name, strlen(name)}, width);
	size_t columns = cli_text_width(head);
	char interval[INTERVAL_BYTES];

	cli_print_masked(stdout, head.p, head.n);
	printf("%*s", (int)(width - columns), "");
	if (f->runs > 0)
		printf(" %5.1f %11s %5.1f %5.1f %7.0f %6.1f %5.1f %7.1f"
		       " %6zu %6.1f\n",
		    100 * f->kept, format_interval(f, 5, '-', interval),
		    100 * f->recoverable, 100 * f->lost, f->tokens,
		    100 * f->unused, 100 * f->over, 100 * f->invalid, f->failed,
		    1000 * f->seconds);
	else
		printf(" %5s %11s %5s %5s %7s %6s %5s %7s %6zu %6s\n", "-", "-",
		    "-", "-", "-", "-", "-", "-", f->failed, "-");
	cli_check_stdout(output->cli);
}

static size_t
find_name_width(const struct eval_output *output)
{
	const struct ctx_policy *policies = output->options->policies;
	size_t i, width = strlen("policy"), n;

	for (i = 0; i < output->options->n_policies; i++) {
		n = cli_text_width((struct ctx_str){policies[i].name,
		    strlen(policies[i].name)});
		if (n > width)
			width = n;
	}
	return width < 30 ? width : 30;
}

static void
print_budget_table(const struct eval_output *output, size_t budget,
    struct policy_row *rows)
{
	size_t n = output->options->n_policies, i;
	size_t width = find_name_width(output);

	for (i = 0; i < n; i++) {
		rows[i].policy = i;
		get_figures(output, i, budget, &rows[i].figures);
	}
	qsort(rows, n, sizeof *rows, compare_rows);
	printf("\nbudget: %g %% of the tokens that are not pinned\n"
	       "%-*s %5s %11s %5s %5s %7s %6s %5s %7s %6s %6s\n",
	    get_share(&output->options->budgets, budget), (int)width, "policy",
	    "kept", "95 %", "saved", "lost", "tokens", "unused", "over",
	    "invalid", "failed", "ms");
	for (i = 0; i < n; i++)
		print_table_row(output, &rows[i], width);
}

static void
print_tables(const struct eval_output *output)
{
	const struct ctx_eval_results *results = output->results;
	struct policy_row *rows;
	size_t i, needed = 0;

	rows = cli_allocate(output->cli, output->options->n_policies + 1,
	    sizeof *rows);
	for (i = 0; i < results->n_samples; i++)
		needed += results->samples[i].needed;
	printf("sessions: %zu, split points: %zu, strings that later tool "
	       "calls use: %zu\n",
	    results->sessions, results->n_samples, needed);
	for (i = 0; i < output->options->budgets.n; i++)
		print_budget_table(output, i, rows);
	free(rows);
}

/* ---- rows for each sample ---- */

/* Returns a JSON object that says where a session was divided (split).  Its
 * members are: the file; the line if the session is one line of the file; the
 * position of the split as a percentage of the session's messages. */
static json_t *
make_sample_json(const struct ctx_eval_sample *sample)
{
	json_t *o = json_pack("{s:o, s:f}", "file",
	    cli_json_text(sample->file, strlen(sample->file)), "split",
	    (double)sample->split / 1000);

	return sample->line == 0 ? o : cli_json_number(o, "line", sample->line);
}

/* Prints where a session was divided (split), as two columns of a TSV row.  The
 * first column is "FILE", or "FILE:LINE" if the session is one line of the
 * file.  The second column is the position of the split as a percentage of the
 * session's messages. */
static void
print_sample(const struct ctx_eval_sample *sample)
{
	cli_print_place(stdout, sample->file, sample->line);
	printf("\t%g", (double)sample->split / 1000);
}

static void
print_run_json(const struct eval_output *output, const struct ctx_eval_run *run)
{
	const struct ctx_eval_sample *sample =
	    &output->results->samples[run->sample];
	const char *name = output->options->policies[run->policy].name;
	json_t *o = make_sample_json(sample);

	o = cli_json_number(o, "before", sample->tokens);
	o = cli_json_with(o, "policy", cli_json_text(name, strlen(name)));
	o = cli_json_with(o, "budget",
	    json_real(get_share(&output->options->budgets, run->budget)));
	o = cli_json_number(o, "limit", run->limit);
	o = cli_json_number(o, "needed", sample->needed);
	if (run->failure != NULL) {
		o = cli_json_with(o, "failure",
		    cli_json_text(run->failure, strlen(run->failure)));
	} else {
		o = cli_json_with(o, "kept", json_real(run->kept));
		o = cli_json_number(o, "saved", run->recoverable);
		o = cli_json_number(o, "tokens", run->tokens);
		o = cli_json_with(o, "invalid", json_boolean(run->invalid));
		o = cli_json_with(o, "ms",
		    json_real(round_tenth(1000 * run->seconds)));
	}
	print_line(output, o);
}

static void
print_run_tsv(const struct eval_output *output, const struct ctx_eval_run *run)
{
	const struct ctx_eval_sample *sample =
	    &output->results->samples[run->sample];
	const char *name = output->options->policies[run->policy].name;

	print_sample(sample);
	printf("\t%" PRIu64 "\t", sample->tokens);
	cli_print_masked(stdout, name, strlen(name));
	printf("\t%g\t%" PRIu64 "\t%zu\t",
	    get_share(&output->options->budgets, run->budget), run->limit,
	    sample->needed);
	if (run->failure != NULL)
		printf("\t\t\t\t\n");
	else
		printf("%g\t%zu\t%" PRIu64 "\t%d\t%.1f\n", run->kept,
		    run->recoverable, run->tokens, run->invalid,
		    1000 * run->seconds);
	cli_check_stdout(output->cli);
}

static void
print_runs(const struct eval_output *output)
{
	size_t i;

	if (!output->json)
		printf(
		    "name\tsplit\tbefore\tpolicy\tbudget\tlimit\tneeded\tkept\t"
		    "saved\ttokens\tinvalid\tms\n");
	for (i = 0; i < output->results->n_runs; i++)
		if (output->json)
			print_run_json(output, &output->results->runs[i]);
		else
			print_run_tsv(output, &output->results->runs[i]);
}

/* ---- needed strings ---- */

static void
print_needed(const struct eval_output *output)
{
	const struct ctx_eval_sample *sample;
	const char *text;
	size_t i, k;

	for (i = 0; i < output->results->n_samples; i++) {
		sample = &output->results->samples[i];
		for (k = 0; k < sample->needed; k++) {
			text = sample->strings[k];
			if (output->json) {
				print_line(output,
				    cli_json_with(make_sample_json(sample),
					"needed",
					cli_json_text(text, strlen(text))));
				continue;
			}
			print_sample(sample);
			(void)putchar('\t');
			cli_print_masked(stdout, text, strlen(text));
			(void)putchar('\n');
			cli_check_stdout(output->cli);
		}
	}
}

void
eval_print(const struct eval_output *output)
{
	if (output->needed)
		print_needed(output);
	else if (output->per_sample)
		print_runs(output);
	else if (output->json || output->tsv)
		print_policies(output);
	else
		print_tables(output);
}
