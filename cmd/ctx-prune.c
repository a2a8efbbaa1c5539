/* ctx-prune.c - command that removes messages until a conversation fits into a
 * token budget */
#include <inttypes.h>
#include <string.h>

#include "cli/in_place.h"
#include "prune/print_plan.h"
#include "prune/strategy_options.h"

/* maximum number of conversations that ctx-prune reports one by one on standard
 * error for the same reason */
#define MOST_LINES 10

struct prune_command {
	struct cli cli;
	struct ctx_prune_config options;
	struct cli_report report;
	struct ctx_command_runner runner;
	struct strategy_options given;
	bool join, timeout_given;
	uint64_t timeout;
	unsigned on_failure;
	/* sums of the conversations of an input file: messages and tokens, as
	 * read and as written */
	uint64_t messages, messages_kept, before, after;
	uint64_t over; /* number of conversations above the budget */
	/* number of conversations from which nothing could be removed */
	uint64_t failed;
	/* number of conversations left unchanged because of "--reasoning
	 * fail" */
	uint64_t refused;
	/* number of conversations with little room for a summary */
	uint64_t cramped;
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
failure_name(size_t i)
{
	static const char *const names[] = {"keep", "builtin"};

	return i < 2 ? names[i] : NULL;
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

/* Writes advice for a conversation that exceeds its budget.  If options of the
 * command line keep messages, names these options.  Otherwise advises to
 * shorten the newest message.  Writes nothing if neither can help, because
 * tools and system messages alone exceed the budget. */
static void
advise(const struct prune_command *prune,
    const struct ctx_prune_outcome *outcome, char *out, size_t size)
{
	const struct ctx_prune_settings *settings = outcome->settings;
	const struct strategy_options *given = &prune->given;
	const struct ctx_prune_config *config = &prune->options;
	const uint64_t *floor = outcome->plan->floor;
	const bool pinned = floor[CTX_FLOOR_PINNED] > 0;
	const uint64_t removable = floor[CTX_FLOOR_PINNED] +
	    floor[CTX_FLOOR_LAST] + floor[CTX_FLOOR_TURN] +
	    floor[CTX_FLOOR_KEPT];
	const struct {
		const char *option;
		bool keeps;
	} rows[] = {
	    {"-k",
		settings->keep_messages > 0 ||
		    (given->keep_last_given && settings->keep_last > 0)},
	    {"-t", given->keep_turns_given && settings->keep_turns > 0},
	    {"--keep-first",
		given->keep_first_given && settings->keep_first > 0},
	    {"--window-turns", !settings->strategy->has_budget},
	    {"--pin", pinned && config->pin_text.n > 0},
	    {"--pin-tool", pinned && config->pin_tool.n > 0},
	    {"--pin-role", pinned && config->pin_roles != 0},
	};
	size_t n = 0;

	out[0] = '\0';
	if (outcome->after > settings->budget + removable)
		return;
	for (size_t i = 0; i < CTX_LENGTH(rows); i++)
		if (rows[i].keeps)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
			    n > 0 ? ", " : ", or keep less (", rows[i].option);
	(void)snprintf(out + n, size - n, "%s",
	    n > 0 ? ")"
		: floor[CTX_FLOOR_LAST] > 0
		? ", or shorten messages with ctx-truncate"
		: "");
}

static void
say_over(struct prune_command *prune, const struct ctx_prune_outcome *outcome)
{
	char owners[300], advice[120], after[24], budget[24], place[40];

	cli_status(&prune->cli, CLI_NO);
	if (prune->over++ >= MOST_LINES)
		return;
	plan_list_floor(outcome, owners, sizeof owners);
	advise(prune, outcome, advice, sizeof advice);
	cli_say(&prune->cli,
	    "%s%s: cannot fit %s tokens: %s must be kept (%s); raise -b%s",
	    outcome->file, format_place(outcome, place),
	    cli_group_digits(budget, "", outcome->settings->budget),
	    cli_group_digits(after, "", outcome->after), owners, advice);
}

/* Returns true if the provider drops reasoning after a changed message, and
 * does not refuse it. */
static bool
is_dropped(const struct ctx_prune_outcome *outcome)
{
	return outcome->settings->binds == CTX_BINDS_DROPPED;
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
		    "%s reasoning after the first changed "
		    "message; --reasoning drop removes that reasoning",
		    outcome->file, format_place(outcome, place),
		    is_dropped(outcome) ? "drop the" : "refuse the signed");
}

/* Warns once if the argument of --quantum is greater than the target of pruning
 * (both are numbers of tokens). ctx-prune removes messages in steps of
 * --quantum tokens, so that a single step may remove far more than is
 * needed. */
static void
say_coarse(struct prune_command *prune, const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = outcome->settings;
	char quantum[16], target[16];

	if (prune->quantum_reported || outcome->plan->cut.tokens == 0 ||
	    settings->quantum <= settings->target)
		return;
	prune->quantum_reported = true;
	cli_say(&prune->cli,
	    "%s: --quantum %s is above the target of %s tokens, so one step "
	    "may remove nearly all messages; lower --quantum",
	    outcome->file, cli_short_number(quantum, settings->quantum),
	    cli_short_number(target, settings->target));
}

/* Warns if the messages that must be kept, such as a long system prompt, leave
 * a summary fewer than CTX_LEAST_SUMMARY tokens of the budget. */
static void
say_little_room(struct prune_command *prune,
    const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = outcome->settings;
	char floor[24], budget[24], place[40];
	uint64_t kept = 0;

	if (!settings->strategy->summarizes || outcome->over ||
	    outcome->messages_removed == 0)
		return;
	for (size_t i = 0; i < CTX_FLOOR_KINDS; i++)
		kept += outcome->plan->floor[i];
	if (kept + CTX_LEAST_SUMMARY <= settings->budget ||
	    prune->cramped++ >= MOST_LINES)
		return;
	cli_say(&prune->cli,
	    "%s%s: little room for a summary: messages that must be kept use "
	    "%s of the %s tokens of the budget; raise -b",
	    outcome->file, format_place(outcome, place),
	    cli_group_digits(floor, "", kept),
	    cli_group_digits(budget, "", settings->budget));
}

/* If --compact has summarized nothing, prints this once, and why. */
static void
say_kept_all(struct prune_command *prune,
    const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = &prune->options.settings;
	const bool by_tokens = settings->keep_tokens > 0;

	if (!prune->given.compact || prune->compact_reported ||
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

/* Stores why a file is unchanged if it has one conversation, which fits the
 * budget. */
static void
explain_unchanged(const struct prune_command *prune,
    const struct ctx_prune_outcome *outcome)
{
	const uint64_t budget = outcome->settings->budget;
	char tokens[16], most[16];

	if (outcome->before > budget || budget == UINT64_MAX ||
	    prune->messages != outcome->messages)
		cli_explain_unchanged("%s", "");
	else
		cli_explain_unchanged("the %" PRIu64
				      " messages have %s tokens, and the "
				      "budget is %s",
		    outcome->messages,
		    cli_short_number(tokens, outcome->before),
		    cli_short_number(most, budget));
}

/* Adds the figures of a conversation to the sums of its file, and stores a text
 * with the sums, which --in-place prints. */
static void
describe(struct prune_command *prune, const struct ctx_prune_outcome *outcome)
{
	char before[16], after[16];

	prune->messages += outcome->messages;
	prune->messages_kept += outcome->messages_kept;
	prune->before += outcome->before;
	prune->after += outcome->after;
	cli_describe_change("%" PRIu64 " messages, %s tokens -> %" PRIu64
			    " messages, %s tokens",
	    prune->messages, cli_short_number(before, prune->before),
	    prune->messages_kept, cli_short_number(after, prune->after));
	explain_unchanged(prune, outcome);
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
		cli_say(&prune->cli, "%s: kept %s", outcome->file,
		    is_dropped(outcome)
			? "reasoning after a change; the provider drops it"
			: "signed reasoning after a change; the provider "
			  "refuses it unless the request sets "
			  "prefix_mismatch_behavior to drop_block");
	prune->reasoning_reported |= outcome->breaks_signed_reasoning;
	say_kept_all(prune, outcome);
	say_little_room(prune, outcome);
	describe(prune, outcome);
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

/* Copies the values of the options to the configuration of ctx-prune.  Exits
 * with an error if options contradict each other. */
static void
apply_options(struct prune_command *prune)
{
	struct ctx_prune_config *o = &prune->options;

	prune->cli.each |= !prune->join;
	if (prune->join && prune->cli.in_place)
		cli_die(&prune->cli,
		    "--join makes one conversation of all files, so --in-place "
		    "cannot replace each file; give one of these two options");
	o->settings.reasoning = (enum ctx_reasoning)prune->reasoning;
	strategy_options_apply(&prune->cli, &prune->given, o);
	if (o->notice != NULL &&
	    (o->notice[0] == '\0' ||
		ctx_utf8_valid(o->notice, strlen(o->notice), CTX_SIMD_BEST) !=
		    strlen(o->notice)))
		cli_die(&prune->cli, "--notice: must be UTF-8 and not empty");
	if (prune->timeout == 0 || prune->timeout > 86400)
		cli_die(&prune->cli,
		    "--timeout: must be between 1 and 86400 seconds");
	o->summarizer.seconds = o->scorer.embedder.seconds =
	    (unsigned)prune->timeout;
	o->summarizer.clock = o->scorer.embedder.clock = cli_read_clock;
	o->or_builtin = prune->on_failure == 1;
}

/* Reads the environment variables that stand for options that are not on the
 * command line, and SUMMARIZATION_KEEP_TOKENS.  Clears commands that the
 * strategy does not use. */
static void
read_environment(struct prune_command *prune)
{
	struct ctx_prune_config *o = &prune->options;
	struct ctx_amount share = {0};

	if (o->summarizer.line == NULL)
		o->summarizer.line = cli_environment("CTX_SUMMARIZER");
	if (o->scorer.embedder.line == NULL)
		o->scorer.embedder.line = cli_environment("CTX_EMBEDDER");
	/* A strategy without embeddings does not use the embedder.  The command
	 * of the embedder is cleared, so that no process is started for it. */
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
	    {prune->given.prompt_given, "prompt", sums, "--summarizer"},
	    {prune->given.on_failure_given, "on-failure", sums, "--summarizer"},
	    {prune->timeout_given, "timeout",
		sums || o->scorer.embedder.line != NULL,
		"--summarizer or --embedder"},
	};

	cli_check_needs(&prune->cli, needs, CTX_LENGTH(needs));
}

static void
set_defaults(struct prune_command *prune)
{
	struct ctx_prune_config *o = &prune->options;

	ctx_prune_config_init(o);
	prune->given.level = CTX_LEVEL_BALANCED;
	prune->timeout = 60;
	o->user = prune;
	o->ended = report_conversation;
}

static void
parse_options(struct prune_command *prune, int argc, char **argv)
{
	struct ctx_prune_config *o = &prune->options;
	const struct cli_option options[] = {
	    PRUNE_BUDGET(o),
	    CLI_MODEL(&prune->cli),
	    PRUNE_KEEP(o, &prune->given),
	    CLI_CHANGES(&prune->cli, &prune->report),
	    {.type = CLI_HEADING, .help = "Kept messages"},
	    CLI_PINS(o),
	    PRUNE_LEVEL(&prune->given),
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
	    CLI_AMOUNTS(o, &prune->given.reserve_given),
	    {.type = CLI_HEADING, .help = "Summarize and recall"},
	    PRUNE_COMPACT(&prune->given),
	    {0, "summarizer", "CMD",
		"command that writes the summary (built in)", CLI_FILE,
		&o->summarizer.line, NULL, NULL},
	    PRUNE_QUERY(o),
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&prune->cli),
	    CLI_ENCODING(&prune->cli),
	    CLI_REPORT(&prune->report),
	    CLI_REST(&prune->cli),
	    CLI_JOBS(&prune->cli),
	    {0, "join", NULL, "read all files as one conversation", CLI_FLAG,
		&prune->join, NULL, NULL},
	    PRUNE_RARE(o, &prune->given),
	    {0, "embedder", "CMD", "command that writes embeddings, for recall",
		CLI_FILE, &o->scorer.embedder.line, NULL, NULL},
	    {0, "prompt", "TEXT", "instruction for the summarizer", CLI_STRING,
		&o->prompt, NULL, &prune->given.prompt_given},
	    {0, "timeout", "S", "seconds until the command is killed (60)",
		CLI_NUMBER, &prune->timeout, NULL, &prune->timeout_given},
	    {0, "on-failure", "WHAT",
		"if a command fails: keep (default), builtin", CLI_CHOICE,
		&prune->on_failure, failure_name,
		&prune->given.on_failure_given},
	    {0},
	};

	cli_parse(&prune->cli, options, argc, argv);
	apply_options(prune);
}

/* Exits with an error if the budget depends on the context window of the model
 * that --model names, and this window is not known. */
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

/* If the user has given a command, and unless --no-sandbox is given, starts a
 * child process that will run the user's command, a summarizer or an embedder.
 * This is done before the sandbox is entered, because the command may need
 * rights that ctx-prune gives up.  A strategy uses at most one such command. */
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
	if (prune->cramped > MOST_LINES)
		cli_say(&prune->cli,
		    "%" PRIu64
		    " more conversations have little room for a summary",
		    prune->cramped - MOST_LINES);
	cli_report_close(&prune->cli, &prune->report, &prune->options.report);
	cli_end_pattern(&prune->cli, "pin", &prune->options.pin_text);
	cli_end_pattern(&prune->cli, "pin-tool", &prune->options.pin_tool);
	cli_end_pattern(&prune->cli, "tool", &prune->options.tool);
	cli_end_pattern(&prune->cli, "not-tool", &prune->options.not_tool);
}

int
main(int argc, char **argv)
{
	struct prune_command prune = {
	    .cli = {
		.name = "ctx-prune",
		.about = "Remove messages and lines of tool results to fit a "
			 "token budget.",
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
		prune.messages = prune.messages_kept = 0;
		prune.before = prune.after = 0;
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
