/* ctx-eval.c - command that divides each recorded session into two parts,
 * applies policies (ways to prune, such as ctx-prune with a strategy) to the
 * first part, and measures how much of the text that the second part needs is
 * kept */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_rows.h"
#include "eval/print_results.h"
#include "eval/prune_policy.h"
#include "prune/prune.h"

/* The main function of ctx-prune: main of cmd/ctx-prune.c. */
int main_ctx_prune(int argc, char **argv);

struct eval_command {
	struct cli cli;
	struct ctx_eval_config options;
	struct ctx_eval_results results;
	struct eval_output output;
	struct ctx_policy_limits limits;
	struct cli_list policy_texts;
	struct ctx_policy *policies;
	/* for each policy: the memory to which its member config points */
	struct ctx_prune_config *configs;
	const char *splits, *budgets;
	unsigned per;
	uint64_t timeout;
	char *prune; /* path of ctx-prune */
};

/* Returns the i-th argument that the option --per accepts (i counts from 0), or
 * NULL if there is none.  The argument says whether a row of the output is
 * about a policy or a sample. */
static const char *
per_kind_name(size_t i)
{
	static const char *const names[] = {"policy", "sample"};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
}

/* ---- policies ---- */

/* Sets eval->prune to the path of ctx-prune.  If the directory of this program
 * contains ctx-prune, the path is that of this file, so that a build tree uses
 * its own ctx-prune.  Otherwise the path is the name "ctx-prune", which is
 * looked up in PATH. */
static void
find_prune(struct eval_command *eval, const char *self)
{
	static const char name[] = "ctx-prune";
	const char *slash = self == NULL ? NULL : strrchr(self, '/');
	size_t n = slash == NULL ? 0 : (size_t)(slash - self) + 1;

	eval->prune = cli_allocate(&eval->cli, n + sizeof name, 1);
	if (n > 0)
		memcpy(eval->prune, self, n);
	memcpy(eval->prune + n, name, sizeof name);
	if (n > 0 && access(eval->prune, X_OK) != 0)
		memmove(eval->prune, name, sizeof name);
}

/* Adds the policies (ways to prune) that ctx-eval compares if the user gives no
 * --policy: "oracle", "random", and ctx-prune with each of its strategies.  The
 * names of the policies are stored in texts, an array of "most" elements, which
 * must exist as long as the policies are used. */
static void
add_default_policies(struct eval_command *eval, char texts[][40], size_t most)
{
	const struct cli_option row = {.type = CLI_LIST,
	    .to = &eval->policy_texts};
	const struct ctx_strategy *strategy;
	size_t i;

	cli_store(&eval->cli, &row, "oracle");
	cli_store(&eval->cli, &row, "random");
	for (i = 0; i < most && (strategy = ctx_strategy_at(i)) != NULL; i++) {
		(void)snprintf(texts[i], sizeof texts[i], "%s=-s %s",
		    strategy->name, strategy->name);
		cli_store(&eval->cli, &row, texts[i]);
	}
}

/* Runs ctx-prune in this process, which then ends. */
static void
call_prune(int argc, char **argv)
{
	exit(main_ctx_prune(argc, argv));
}

static void
read_policies(struct eval_command *eval)
{
	const struct ctx_policy_prune prune = {.path = eval->prune,
	    .main = call_prune,
	    .dialect = eval->cli.dialect_name,
	    .encoding = eval->cli.encoding,
	    .model = eval->cli.model,
	    .lenient = eval->cli.lenient};
	size_t n = eval->policy_texts.n, i;
	struct ctx_err err;

	eval->policies =
	    cli_allocate(&eval->cli, n + 1, sizeof *eval->policies);
	eval->configs = cli_allocate(&eval->cli, n + 1, sizeof *eval->configs);
	for (i = 0; i < n; i++) {
		if (ctx_policy_parse(&eval->policies[i],
			eval->policy_texts.list[i], &prune, &err) < 0)
			cli_fail(&eval->cli, &err);
		eval_read_prune_policy(&eval->cli, &eval->policies[i],
		    &eval->configs[i]);
	}
	eval->options.policies = eval->policies;
	eval->options.n_policies = eval->output.needed ? 0 : n;
}

/* ---- the run ---- */

/* Sets the number of threads to the argument of --jobs, but at most to the
 * number of input files, because each thread evaluates a whole file. */
static void
set_jobs(struct eval_command *eval)
{
	uint64_t jobs = eval->cli.jobs;
	long cores;

	if (jobs > 1024)
		cli_die(&eval->cli,
		    "--jobs: %" PRIu64 " is more than 1024, the maximum", jobs);
	if (jobs == 0) {
		cores = sysconf(_SC_NPROCESSORS_ONLN);
		jobs = cores < 1 ? 1 : (uint64_t)cores;
	}
	if (jobs > eval->cli.n_files)
		jobs = eval->cli.n_files;
	eval->options.jobs = jobs;
}

/* Starts the child processes that run the commands given as policies (ways to
 * shorten a conversation).  Must be called before the program enters the
 * sandbox, in which the program cannot start other programs. */
static void
start_runners(struct eval_command *eval)
{
	struct ctx_eval_config *options = &eval->options;
	struct ctx_err err;

	options->runners =
	    cli_allocate(&eval->cli, options->jobs, sizeof *options->runners);
	if (ctx_policy_runners_start(options->runners, options->jobs,
		eval->policies, &eval->limits, &err) < 0)
		cli_fail(&eval->cli, &err);
}

static void
note_file(void *user, size_t bytes)
{
	struct eval_command *eval = user;

	cli_progress_add(&eval->cli, bytes);
}

/* Prints how many sessions and splits were left out, and why.  A split is a
 * place at which a session can be divided for evaluation.  Prints nothing if at
 * least one split was evaluated, unless the option --verbose is given.  If no
 * split was evaluated, sets the exit status CLI_NO. */
static void
note_left_out(struct eval_command *eval)
{
	const struct ctx_eval_results *r = &eval->results;
	struct cli *cli = &eval->cli;

	if (r->n_samples > 0 && !cli->verbose)
		return;
	if (r->without_split > 0)
		cli_say(cli,
		    "%zu records are left out, because they have several "
		    "conversations or no array of messages",
		    r->without_split);
	if (r->too_short > 0)
		cli_say(cli,
		    "%zu split points (see --split) are left out, because "
		    "fewer than "
		    "%" PRIu64 " tokens are before them; lower --least",
		    r->too_short, eval->options.least);
	if (r->not_needed > 0)
		cli_say(cli,
		    "%zu split points (see --split) are left out, because no "
		    "tool call after the split point uses a string from the "
		    "messages before the split point",
		    r->not_needed);
	if (r->unlike > 0)
		cli_say(cli,
		    "%zu split points (see --split) are left out, because the "
		    "lines before the split point belong to another branch of "
		    "the session",
		    r->unlike);
	if (r->n_samples > 0)
		return;
	cli_say(cli,
	    "no session was evaluated; give sessions in which tool calls "
	    "use strings, such as paths, from earlier messages");
	cli_status(cli, CLI_NO);
}

/* For each policy whose command has failed, prints how often and why it failed
 * the first time, and sets the exit status CLI_NO. */
static void
note_failures(struct eval_command *eval)
{
	const struct ctx_eval_results *r = &eval->results;
	const struct ctx_eval_run *run, *first;
	size_t policy, i, failed, all;

	for (policy = 0; policy < eval->options.n_policies; policy++) {
		failed = all = 0;
		first = NULL;
		for (i = 0; i < r->n_runs; i++) {
			run = &r->runs[i];
			all += run->policy == policy;
			if (run->policy != policy || run->failure == NULL)
				continue;
			if (failed++ == 0)
				first = run;
		}
		if (first == NULL)
			continue;
		cli_status(&eval->cli, CLI_NO);
		cli_say(&eval->cli,
		    "policy %.60s: the command failed in %zu of %zu runs, "
		    "first for the session %s, divided after %g %% of its "
		    "messages: %s; -v shows what the command wrote to standard "
		    "error",
		    eval->policies[policy].name, failed, all,
		    r->samples[first->sample].file,
		    (double)r->samples[first->sample].split / 1000,
		    first->failure);
	}
}

static void
release(struct eval_command *eval)
{
	struct ctx_eval_config *options = &eval->options;
	size_t i;

	for (i = 0; i < options->jobs; i++)
		ctx_model_counters_release(&options->counters[i]);
	free(options->counters);
	free(options->runners);
	for (i = 0; i < eval->policy_texts.n; i++)
		ctx_policy_release(&eval->policies[i]);
	free(eval->policies);
	free(eval->configs);
	free(eval->policy_texts.list);
	free(eval->prune);
	ctx_eval_results_release(&eval->results);
}

/* ---- options ---- */

static void
parse(struct eval_command *eval, int argc, char **argv)
{
	const struct cli_option options[] = {
	    {'p', "policy", "COMMAND",
		"ctx-prune options, or a command (all strategies)", CLI_LIST,
		&eval->policy_texts, NULL, NULL},
	    {'b', "budget", "P%,...",
		"budgets, in percent of tokens (10%,25%,50%)", CLI_FILE,
		&eval->budgets, NULL, NULL},
	    {0, "split", "P%,...",
		"where to divide each session (30%,50%,70%,85%)", CLI_FILE,
		&eval->splits, NULL, NULL},
	    {0, "least", "N", "skip split points before token number N (5000)",
		CLI_NUMBER, &eval->options.least, NULL, NULL},
	    {0, "timeout", "S", "seconds until a command is killed (60)",
		CLI_NUMBER, &eval->timeout, NULL, NULL},
	    {'j', "jobs", "N", "sessions at once; 0: one per core (0)",
		CLI_NUMBER, &eval->cli.jobs, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Output"},
	    {0, "needed", NULL, "print the strings that later tool calls use",
		CLI_FLAG, &eval->output.needed, NULL, NULL},
	    {0, "per", "WHAT", "a row per policy (default), or per sample",
		CLI_CHOICE, &eval->per, per_kind_name, NULL},
	    {0, "json", NULL, "print a JSON object for each row", CLI_FLAG,
		&eval->output.json, NULL, NULL},
	    {0, "tsv", NULL, "print columns separated by tabs, with a header",
		CLI_FLAG, &eval->output.tsv, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Common options"},
	    CLI_DIALECT(&eval->cli),
	    CLI_MODEL(&eval->cli),
	    CLI_ENCODING(&eval->cli),
	    CLI_REST(&eval->cli),
	    {0},
	};

	cli_parse(&eval->cli, options, argc, argv);
	eval_read_shares(&eval->cli, "budget", eval->budgets,
	    &eval->options.budgets);
	eval_read_shares(&eval->cli, "split", eval->splits,
	    &eval->options.splits);
	eval->output.per_sample = eval->per == 1;
	cli_check_conflicts(&eval->cli,
	    &(struct cli_conflict){eval->policy_texts.n > 0, "policy",
		eval->output.needed, "--needed"},
	    1);
	if (eval->output.json && eval->output.tsv)
		cli_die(&eval->cli,
		    "--json and --tsv exclude each other; give one of them");
	if (eval->timeout == 0 || eval->timeout > 86400)
		cli_die(&eval->cli,
		    "--timeout: must be between 1 and 86400 seconds");
	eval->limits.seconds = (unsigned)eval->timeout;
	eval->limits.clock = eval->options.clock = cli_read_clock;
	eval->limits.shows_messages = eval->cli.verbose;
	eval->limits.directory = cli_environment("TMPDIR");
	if (eval->limits.directory == NULL)
		eval->limits.directory = "/tmp";
	eval->options.dialect = eval->cli.dialect;
	eval->options.lenient = eval->cli.lenient;
	eval->options.lists_needed = eval->output.needed;
}

/* Opens token counters for each thread, because threads must not share them. */
static void
open_counters(struct eval_command *eval)
{
	struct ctx_eval_config *options = &eval->options;
	size_t i;

	options->counters =
	    cli_allocate(&eval->cli, options->jobs, sizeof *options->counters);
	cli_model_counters(&eval->cli, &options->counters[0]);
	/* Each policy is applied to the same texts. */
	options->counters[0].stores_texts = true;
	for (i = 1; i < options->jobs; i++)
		options->counters[i] = options->counters[0];
}

int
main(int argc, char **argv)
{
	char stdin_name[] = "-", texts[16][40];
	struct eval_command eval = {
	    .cli = {.name = "ctx-eval",
		.about = "Measure whether pruning keeps the strings that later "
			 "tool calls use.",
		.operands = "[FILE...]",
		.no_means = "a run failed, or nothing to evaluate",
		.examples = "  ctx-eval ~/.claude/projects/*/*.jsonl\n"
			    "  ctx-eval -p '-s recall' -p '-s fifo' *.jsonl\n"},
	    .splits = "30%,50%,70%,85%",
	    .budgets = "10%,25%,50%",
	    .timeout = 60,
	    .options = {.least = 5000}};
	struct ctx_err err;

	parse(&eval, argc, argv);
	if (eval.cli.n_files == 0)
		eval.cli.files[eval.cli.n_files++] = stdin_name;
	find_prune(&eval, argv[0]);
	if (eval.policy_texts.n == 0)
		add_default_policies(&eval, texts, 16);
	set_jobs(&eval);
	read_policies(&eval);
	open_counters(&eval);
	start_runners(&eval);
	cli_sandbox(&eval.cli,
	    &(struct cli_sandbox_grants){
		.counters = &eval.options.counters[0]});
	cli_begin_operands(&eval.cli);
	eval.options.on_file = note_file;
	eval.options.user = &eval;
	if (ctx_eval_files(eval.cli.files, eval.cli.n_files, &eval.options,
		&eval.results, &err) < 0)
		cli_fail(&eval.cli, &err);
	cli_progress_close(&eval.cli);
	ctx_policy_runners_end(eval.options.runners, eval.options.jobs);
	eval.output.cli = &eval.cli;
	eval.output.options = &eval.options;
	eval.output.results = &eval.results;
	if (eval.results.n_samples > 0)
		eval_print(&eval.output);
	note_left_out(&eval);
	note_failures(&eval);
	cli_note_models(&eval.cli, &eval.options.counters[0]);
	release(&eval);
	return cli_end(&eval.cli);
}
