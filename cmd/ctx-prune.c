/* ctx-prune.c - command that removes messages until a conversation fits into a
 * token budget */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_rows.h"
#include "prune/print_plan.h"

/* maximum number of conversations that ctx-prune reports one by one on standard
 * error */
#define MOST_LINES 10

struct prune_command {
	struct cli cli;
	struct ctx_prune_config options;
	struct cli_report report;
	struct ctx_command_runner runner;
	const char *strategy;
	bool keep_last_given, keep_turns_given, no_pin_system, compact, join;
	bool keep_first_given, window_turns_given, prompt_given;
	bool summary_tokens_given, on_failure_given, trigger_messages_given;
	bool reserve_given, timeout_given;
	uint64_t timeout;
	unsigned on_failure;
	uint64_t over; /* number of conversations above the budget */
	/* number of conversations from which nothing could be removed */
	uint64_t failed;
	/* number of conversations left unchanged because of "--reasoning
	 * fail" */
	uint64_t refused;
	/* true once it was reported that no notice can be inserted */
	bool notice_reported;
	/* true once it was reported that bound reasoning (signed reasoning that
	 * its provider refuses if anything before it was changed) is kept */
	bool reasoning_reported;
	/* true once it was reported that --quantum is above the target */
	bool quantum_reported;
	/* true once it was reported that --compact changed nothing */
	bool compact_reported;
	/* argument of --reasoning, an enum ctx_reasoning */
	unsigned reasoning;
};

static const char *
failure_name(unsigned i)
{
	static const char *const names[] = {"keep", "builtin"};

	return i < 2 ? names[i] : NULL;
}

static const char *
role_name(unsigned i)
{
	return i <= CTX_ROLE_TOOL ? ctx_role_name((enum ctx_role)i) : NULL;
}

/* ---- the end of a conversation ---- */

/* Returns text to be printed after the name of a conversation's file: ":LINE"
 * if the conversation is on one line of the file, or an empty string if it is
 * the whole file. */
static const char *
format_place(const struct ctx_prune_outcome *outcome, char place[40])
{
	place[0] = '\0';
	if (outcome->line > 0)
		(void)snprintf(place, 40, ":%" PRIu64, outcome->line);
	return place;
}

static void
say_failed(struct prune_command *prune, const struct ctx_prune_outcome *outcome)
{
	char place[40];

	cli_status(&prune->cli, CLI_TROUBLE);
	if (prune->failed++ < MOST_LINES)
		cli_say(&prune->cli, "%s%s: nothing was removed: %s",
		    outcome->file, format_place(outcome, place),
		    outcome->error->text);
}

static void
say_over(struct prune_command *prune, const struct ctx_prune_outcome *outcome)
{
	char owners[300], after[16], budget[16], place[40];

	cli_status(&prune->cli, CLI_NO);
	if (prune->over++ >= MOST_LINES)
		return;
	plan_list_floor(outcome->plan, owners, sizeof owners);
	cli_say(&prune->cli,
	    "%s%s: cannot fit %s tokens: %s must be kept (%s); raise -b, or "
	    "keep less (-k, -t, --pin)",
	    outcome->file, format_place(outcome, place),
	    cli_short_number(budget, outcome->settings->budget),
	    cli_short_number(after, outcome->after), owners);
}

static void
say_refused(struct prune_command *prune,
    const struct ctx_prune_outcome *outcome)
{
	char place[40];

	cli_status(&prune->cli, CLI_NO);
	if (prune->refused++ < MOST_LINES)
		cli_say(&prune->cli,
		    "%s%s: nothing was removed, because the provider would "
		    "refuse the signed reasoning after the first changed "
		    "message; --reasoning drop removes that reasoning",
		    outcome->file, format_place(outcome, place));
}

/* Warns once if the argument of --quantum is greater than the target of pruning
 * (both in tokens). ctx-prune removes messages in steps of --quantum tokens, so
 * a single step may remove far more than is needed. */
static void
say_coarse(struct prune_command *prune, const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = outcome->settings;
	char quantum[16], target[16];

	if (prune->quantum_reported || outcome->plan->cut_tokens == 0 ||
	    settings->quantum <= settings->target)
		return;
	prune->quantum_reported = true;
	cli_say(&prune->cli,
	    "%s: --quantum %s is above the target of %s tokens, so one step "
	    "may remove nearly all messages; lower --quantum",
	    outcome->file, cli_short_number(quantum, settings->quantum),
	    cli_short_number(target, settings->target));
}

/* Prints that --compact has changed nothing, and why. */
static void
say_kept_all(struct prune_command *prune,
    const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = &prune->options.settings;
	const bool by_tokens = settings->keep_tokens > 0;

	if (!prune->compact || prune->compact_reported ||
	    outcome->error != NULL || outcome->refused || outcome->over ||
	    outcome->messages == 0 || outcome->messages_removed > 0)
		return;
	prune->compact_reported = true;
	cli_say(&prune->cli,
	    "%s: --compact summarized nothing, because all %" PRIu64
	    " messages are kept: the newest %" PRIu64
	    "%s, and those that other options keep",
	    outcome->file, outcome->messages,
	    by_tokens ? settings->keep_tokens : settings->keep_messages,
	    by_tokens ? " tokens" : "");
}

static int
report_conversation(void *user, const struct ctx_prune_outcome *outcome,
    struct ctx_err *err)
{
	struct prune_command *prune = user;
	int rc = 0;

	if (outcome->error != NULL)
		say_failed(prune, outcome);
	else if (outcome->refused)
		say_refused(prune, outcome);
	else if (outcome->over)
		say_over(prune, outcome);
	say_coarse(prune, outcome);
	if (outcome->notice_unsupported != NULL && !prune->notice_reported)
		cli_say(&prune->cli,
		    "%s: no notice was inserted, because dialect %s has no "
		    "place for it between turns",
		    outcome->file, outcome->notice_unsupported->name);
	prune->notice_reported |= outcome->notice_unsupported != NULL;
	if (outcome->breaks_signed_reasoning && !prune->reasoning_reported)
		cli_say(&prune->cli,
		    "%s: kept signed reasoning after a change; "
		    "the provider refuses it unless the "
		    "request sets prefix_mismatch_behavior "
		    "to drop_block",
		    outcome->file);
	prune->reasoning_reported |= outcome->breaks_signed_reasoning;
	say_kept_all(prune, outcome);
	if (cli_report_plans(&prune->report))
		rc = plan_print(&prune->cli, &prune->report, outcome, err);
	if (prune->cli.verbose)
		cli_say(&prune->cli,
		    "%s: removed %" PRIu64 " of %" PRIu64 " messages, %" PRIu64
		    " of %" PRIu64 " tokens",
		    outcome->file, outcome->messages_removed, outcome->messages,
		    outcome->before - outcome->after, outcome->before);
	cli_report_forget(&prune->report);
	return rc;
}

/* ---- options ---- */

/* Returns true if tool results may be emptied or shortened. */
static bool
shortens_results(const struct ctx_prune_settings *settings)
{
	const struct ctx_strategy *strategy = settings->strategy;

	return strategy->has_budget &&
	    (settings->level == CTX_LEVEL_AGGRESSIVE ||
		(settings->level == CTX_LEVEL_LIGHT &&
		    strategy->clears_results));
}

/* Exits with an error if an option was given that has no effect with the
 * strategy. */
static void
check_strategy_options(const struct prune_command *prune)
{
	static const char summarize[] = "--strategy summarize";
	const struct ctx_prune_config *o = &prune->options;
	const struct ctx_strategy *strategy = o->settings.strategy;
	const bool sums = strategy->summarizes;
	const bool shortens = shortens_results(&o->settings);
	const char *shortening = strategy->has_budget
	    ? "--level aggressive"
	    : "--strategy other than window";
	const struct cli_need needs[] = {
	    {prune->keep_first_given, "keep-first", strategy->pins_first,
		"--strategy middle-out"},
	    {prune->window_turns_given, "window-turns", !strategy->has_budget,
		"--strategy window"},
	    {o->scorer.query != NULL, "query", strategy->embeds,
		"--strategy recall"},
	    {o->scorer.embedder.line != NULL, "embedder", strategy->embeds,
		"--strategy recall"},
	    {o->summarizer.line != NULL, "summarizer", sums, summarize},
	    {prune->prompt_given, "prompt", sums, summarize},
	    {prune->summary_tokens_given, "summary-tokens", sums, summarize},
	    {prune->on_failure_given, "on-failure", sums, summarize},
	    {prune->trigger_messages_given, "trigger-messages", sums,
		summarize},
	    {o->quantum.set, "quantum", strategy->has_steps,
		"--strategy salient, heuristic, middle-out, fifo or "
		"pinned-fifo"},
	    {prune->no_pin_system, "no-pin-system", strategy->pins_system,
		"--strategy other than fifo"},
	    {o->tool.n > 0, "tool", shortens, shortening},
	    {o->not_tool.n > 0, "not-tool", shortens, shortening},
	    {o->window > 0, "window", !o->budget.set || o->budget.percent,
		"--budget in percent, or no --budget"},
	    {o->window > 0, "window", o->budget.set || strategy->has_budget,
		"--budget in percent"},
	};

	cli_check_needs(&prune->cli, needs, sizeof needs / sizeof needs[0]);
}

static void
check_conflicts(const struct prune_command *prune)
{
	const struct cli_conflict conflicts[] = {
	    {prune->reserve_given, "reserve", prune->options.budget.set,
		"--budget"},
	    {prune->trigger_messages_given, "trigger-messages", prune->compact,
		"--compact"},
	};

	cli_check_conflicts(&prune->cli, conflicts,
	    sizeof conflicts / sizeof conflicts[0]);
}

/* Sets the options that other options imply, such as the strategy "summarize"
 * for --compact, unless the user has set them.  Exits with an error if options
 * contradict each other. */
static void
apply_implied_options(struct prune_command *prune, enum ctx_level level)
{
	struct ctx_prune_config *o = &prune->options;
	struct ctx_prune_settings *settings = &o->settings;

	prune->cli.each |= !prune->join;
	if (prune->join && prune->cli.in_place)
		cli_die(&prune->cli,
		    "--join makes one conversation of all files, so --in-place "
		    "cannot replace each file; give one of these two options");
	if (prune->compact && prune->strategy != NULL &&
	    strcmp(prune->strategy, "summarize") != 0)
		cli_die(&prune->cli,
		    "--compact implies --strategy summarize, not %s; give one "
		    "of them",
		    prune->strategy);
	if (prune->compact)
		prune->strategy = "summarize";
	settings->always = prune->compact;
	settings->level = level;
	settings->reasoning = (enum ctx_reasoning)prune->reasoning;
	settings->shrinks_last = !prune->keep_last_given;
	settings->shrinks_turns = !prune->keep_turns_given;
	settings->shrinks_first = !prune->keep_first_given;
	if (prune->strategy != NULL)
		settings->strategy = ctx_strategy_find(prune->strategy);
	if (settings->strategy == NULL)
		cli_die(&prune->cli,
		    "--strategy: '%s' is unknown; --help lists the strategies",
		    prune->strategy);
	check_strategy_options(prune);
	check_conflicts(prune);
	settings->pin_system = !prune->no_pin_system;
	ctx_prune_config_complete(o);
	/* --compact and --trigger-messages leave the last 20 messages, or as
	 * many as -k says. */
	if (prune->keep_last_given && settings->keep_messages > 0)
		settings->keep_messages =
		    settings->keep_last > 0 ? settings->keep_last : 1;
	if (o->notice != NULL &&
	    (o->notice[0] == '\0' ||
		ctx_utf8_valid(o->notice, strlen(o->notice), CTX_SIMD_BEST) !=
		    strlen(o->notice)))
		cli_die(&prune->cli, "--notice: must be UTF-8 and not empty");
	if (prune->summary_tokens_given && o->summary_tokens == 0)
		cli_die(&prune->cli, "--summary-tokens: must be at least 1");
	if (prune->timeout == 0 || prune->timeout > 86400)
		cli_die(&prune->cli,
		    "--timeout: must be between 1 and 86400 seconds");
	o->summarizer.seconds = o->scorer.embedder.seconds =
	    (unsigned)prune->timeout;
	o->summarizer.clock = o->scorer.embedder.clock = cli_read_clock;
	o->or_builtin = prune->on_failure == 1;
}

/* For options that the command line does not set, reads the environment
 * variables that set them. */
static void
read_environment(struct prune_command *prune)
{
	struct ctx_prune_config *o = &prune->options;
	struct ctx_amount share = {0};

	if (o->summarizer.line == NULL)
		o->summarizer.line = cli_environment("CTX_SUMMARIZER");
	if (o->scorer.embedder.line == NULL)
		o->scorer.embedder.line = cli_environment("CTX_EMBEDDER");
	/* If the strategy uses no embeddings, its embedder is not used, so no
	 * process is started for the embedder. */
	if (!o->settings.strategy->embeds)
		o->scorer.embedder.line = NULL;
	if (!o->settings.strategy->summarizes) {
		o->summarizer.line = NULL;
		return;
	}
	cli_env_number(&prune->cli, "SUMMARIZATION_KEEP_TOKENS",
	    &o->settings.keep_tokens);
	if (o->trigger.set)
		return;
	cli_env_number(&prune->cli, "SUMMARIZATION_TRIGGER_TOKENS",
	    &o->trigger_tokens);
	share.set = cli_tunable_share(&prune->cli,
	    "SUMMARIZATION_TRIGGER_FRACTION", &share.n);
	share.percent = true;
	if (share.set)
		o->trigger = share;
}

/* Exits with an error if an option has no effect because no command for it was
 * given: --prompt without --summarizer, for example. */
static void
check_command_options(const struct prune_command *prune)
{
	const struct ctx_prune_config *o = &prune->options;
	const bool sums = o->summarizer.line != NULL;
	const struct cli_need needs[] = {
	    {prune->prompt_given, "prompt", sums, "--summarizer"},
	    {prune->on_failure_given, "on-failure", sums, "--summarizer"},
	    {prune->timeout_given, "timeout",
		sums || o->scorer.embedder.line != NULL,
		"--summarizer or --embedder"},
	};

	cli_check_needs(&prune->cli, needs, sizeof needs / sizeof needs[0]);
}

static void
set_defaults(struct prune_command *prune)
{
	struct ctx_prune_config *o = &prune->options;

	ctx_prune_config_init(o);
	prune->timeout = 60;
	o->user = prune;
	o->ended = report_conversation;
}

static void
parse_options(struct prune_command *prune, int argc, char **argv)
{
	struct ctx_prune_config *o = &prune->options;
	struct ctx_prune_settings *settings = &o->settings;
	unsigned level = CTX_LEVEL_BALANCED;
	const struct cli_option options[] = {
	    {'b', "budget", "N|P%", "maximum tokens in the output (the window)",
		CLI_AMOUNT, &o->budget, NULL, NULL},
	    CLI_MODEL(&prune->cli),
	    {'s', "strategy", "NAME",
		"what to remove; see man 7 ctx-strategy (salient):", CLI_STRING,
		&prune->strategy, cli_strategy_name, NULL},
	    {'k', "keep-last", "N",
		"keep the newest N messages (4; see --level)", CLI_NUMBER,
		&settings->keep_last, NULL, &prune->keep_last_given},
	    {'t', "keep-turns", "N",
		"keep question and answer of newest N turns (3)", CLI_NUMBER,
		&settings->keep_turns, NULL, &prune->keep_turns_given},
	    CLI_CHANGES(&prune->cli, &prune->report),
	    {.type = CLI_HEADING, .help = "Kept messages"},
	    CLI_PINS(o),
	    {0, "no-pin-system", NULL, "let system messages be removed",
		CLI_FLAG, &prune->no_pin_system, NULL, NULL},
	    {'l', "level", "NAME",
		"what is removed before whole messages (balanced):", CLI_CHOICE,
		&level, cli_level_name, NULL},
	    {0, "tool", "REGEX",
		"of results, shorten only those of matching tools", CLI_PATTERN,
		&o->tool, NULL, NULL},
	    {0, "not-tool", "REGEX",
		"of results, shorten none of matching tools", CLI_PATTERN,
		&o->not_tool, NULL, NULL},
	    CLI_REASONING(&prune->reasoning, NULL),
	    {0, "notice", "TEXT",
		"insert TEXT where messages are removed (nothing)", CLI_STRING,
		&o->notice, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Budget"},
	    CLI_AMOUNTS(o, &prune->reserve_given),
	    {.type = CLI_HEADING, .help = "Summarize and recall"},
	    {0, "compact", NULL, "summarize all but the newest 20 messages",
		CLI_FLAG, &prune->compact, NULL, NULL},
	    {0, "summarizer", "CMD",
		"command that writes the summary (built in)", CLI_STRING,
		&o->summarizer.line, NULL, NULL},
	    {0, "query", "TEXT",
		"what -s recall looks for (the last user message)", CLI_STRING,
		&o->scorer.query, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&prune->cli),
	    CLI_ENCODING(&prune->cli),
	    CLI_REPORT(&prune->report),
	    CLI_REST(&prune->cli),
	    CLI_JOBS(&prune->cli),
	    {0, "join", NULL, "read all files as one conversation", CLI_FLAG,
		&prune->join, NULL, NULL},
	    {0, "keep-first", "N",
		"keep the first N messages, for middle-out (2)", CLI_NUMBER,
		&settings->keep_first, NULL, &prune->keep_first_given},
	    {0, "pin-role", "ROLE", "keep messages of a role", CLI_BITS,
		&o->pin_roles, role_name, NULL},
	    {0, "summary-tokens", "N",
		"maximum tokens of a summary (target / 20)", CLI_NUMBER,
		&o->summary_tokens, NULL, &prune->summary_tokens_given},
	    {0, "embedder", "CMD", "command that writes embeddings, for recall",
		CLI_STRING, &o->scorer.embedder.line, NULL, NULL},
	    {0, "window-turns", "N", "newest N turns that -s window keeps (10)",
		CLI_NUMBER, &settings->window_turns, NULL,
		&prune->window_turns_given},
	    {0, "prompt", "TEXT", "instruction for the summarizer", CLI_STRING,
		&o->prompt, NULL, &prune->prompt_given},
	    {0, "timeout", "S", "seconds until the command is killed (60)",
		CLI_NUMBER, &prune->timeout, NULL, &prune->timeout_given},
	    {0, "on-failure", "WHAT",
		"if a command fails: keep (default), builtin", CLI_CHOICE,
		&prune->on_failure, failure_name, &prune->on_failure_given},
	    {0, "trigger-messages", "N",
		"summarize above N messages, as --compact does", CLI_NUMBER,
		&settings->trigger_messages, NULL,
		&prune->trigger_messages_given},
	    {0},
	};

	cli_parse(&prune->cli, options, argc, argv);
	apply_implied_options(prune, (enum ctx_level)level);
}

/* Exits with an error if the budget depends on a context window that is not
 * known. */
static void
check_budget(const struct prune_command *prune,
    const struct ctx_model_counters *counters)
{
	const struct ctx_prune_config *o = &prune->options;

	if (o->window > 0)
		return;
	if (o->budget.set && o->budget.percent)
		cli_check_window(&prune->cli, counters, "a budget in percent");
	else if (!o->budget.set && o->settings.strategy->has_budget)
		cli_check_window(&prune->cli, counters,
		    "a run without --budget");
}

/* Starts a child process that will run the command of the summarizer or of the
 * embedder.  It is started before the sandbox, because these commands may need
 * rights that ctx-prune gives up.  A strategy uses at most one of them. */
static void
start_runner(struct prune_command *prune)
{
	struct ctx_prune_config *o = &prune->options;
	struct ctx_command *command =
	    o->summarizer.line != NULL ? &o->summarizer : &o->scorer.embedder;
	struct ctx_err err;

	if (command->line != NULL && !prune->cli.no_sandbox &&
	    ctx_command_runner_start(&prune->runner, command, &err) < 0)
		cli_fail(&prune->cli, &err);
}

static void
report_end(struct prune_command *prune)
{
	if (prune->failed > MOST_LINES)
		cli_say(&prune->cli,
		    "nothing was removed from %" PRIu64
		    " more conversations, for similar reasons",
		    prune->failed - MOST_LINES);
	if (prune->refused > MOST_LINES)
		cli_say(&prune->cli,
		    "nothing was removed from %" PRIu64
		    " more conversations with signed reasoning",
		    prune->refused - MOST_LINES);
	if (prune->over > MOST_LINES)
		cli_say(&prune->cli,
		    "%" PRIu64 " more conversations do not fit their budget",
		    prune->over - MOST_LINES);
	cli_report_close(&prune->cli, &prune->report, &prune->options.report);
	cli_note_pattern(&prune->cli, "pin", &prune->options.pin_text);
	cli_note_pattern(&prune->cli, "pin-tool", &prune->options.pin_tool);
	cli_note_pattern(&prune->cli, "tool", &prune->options.tool);
	cli_note_pattern(&prune->cli, "not-tool", &prune->options.not_tool);
	ctx_pattern_release(&prune->options.pin_text);
	ctx_pattern_release(&prune->options.pin_tool);
	ctx_pattern_release(&prune->options.tool);
	ctx_pattern_release(&prune->options.not_tool);
}

int
main(int argc, char **argv)
{
	struct prune_command prune = {
	    .cli = {
		.name = "ctx-prune",
		.about = "Fit conversations into a token budget by removing "
			 "whole groups of messages.",
		.operands = "[FILE...]",
		.jobs = 1,
		.no_means = "a conversation does not fit",
		.examples = "  ctx-prune -b 8000 < chat.jsonl > short.jsonl\n",
	    }};
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_model_counters counters;
	struct ctx_err err;

	set_defaults(&prune);
	parse_options(&prune, argc, argv);
	read_environment(&prune);
	check_command_options(&prune);
	start_runner(&prune);
	cli_model_counters(&prune.cli, &counters);
	check_budget(&prune, &counters);
	cli_report_open(&prune.cli, &prune.report, &prune.options.report);
	cli_sandbox(&prune.cli,
	    &(struct cli_sandbox_grants){.counters = &counters});
	while (cli_next_stream(&prune.cli, &stream, &writer)) {
		cli_prefetch(&prune.cli, &stream, &counters);
		if (ctx_prune_stream(&stream, &writer, &counters,
			&prune.options, &err) < 0)
			cli_fail(&prune.cli, &err);
		if (prune.options.budget.set)
			cli_require_messages(&prune.cli, &stream);
		cli_note_stream(&prune.cli, &stream);
		cli_end_stream(&prune.cli, &stream, &writer);
	}
	cli_note_models(&prune.cli, &counters);
	report_end(&prune);
	ctx_model_counters_release(&counters);
	ctx_command_runner_end(&prune.runner);
	return cli_end(&prune.cli);
}
