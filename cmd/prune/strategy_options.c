/* strategy_options.c - applies the options of ctx-prune that decide which
 * messages are removed */
#include <string.h>

#include "prune/strategy_options.h"

const char *
prune_role_name(size_t i)
{
	return i <= CTX_ROLE_TOOL ? ctx_role_name((enum ctx_role)i) : NULL;
}

/* Returns true if ctx-prune may empty or shorten tool results with these
 * settings. */
static bool
shortens_results(const struct ctx_prune_settings *settings)
{
	const struct ctx_strategy *strategy = settings->strategy;

	return strategy->has_budget &&
	    (settings->level == CTX_LEVEL_AGGRESSIVE ||
		(settings->level == CTX_LEVEL_LIGHT ? strategy->clears_results
						    : strategy->cuts_results));
}

/* Exits with an error if the user has given an option that has no effect with
 * the strategy, the level or the budget. */
static void
check_needs(const struct cli *cli, const struct strategy_options *given,
    const struct ctx_prune_config *o)
{
	static const char summarize[] = "--strategy summarize";
	const struct ctx_strategy *strategy = o->settings.strategy;
	const bool sums = strategy->summarizes;
	const bool shortens = shortens_results(&o->settings);
	const char *shortening = !strategy->has_budget
	    ? "--strategy other than window"
	    : strategy->cuts_results ? "--level balanced or aggressive"
				     : "--level aggressive";
	const struct cli_need needs[] = {
	    {given->keep_first_given, "keep-first", strategy->pins_first,
		"--strategy middle-out"},
	    {given->window_turns_given, "window-turns", !strategy->has_budget,
		"--strategy window"},
	    {o->scorer.query != NULL, "query", strategy->embeds,
		"--strategy recall"},
	    {o->scorer.embedder.line != NULL, "embedder", strategy->embeds,
		"--strategy recall"},
	    {o->summarizer.line != NULL, "summarizer", sums, summarize},
	    {given->prompt_given, "prompt", sums, summarize},
	    {given->summary_tokens_given, "summary-tokens", sums, summarize},
	    {given->on_failure_given, "on-failure", sums, summarize},
	    {given->trigger_messages_given, "trigger-messages", sums,
		summarize},
	    {o->quantum.set, "quantum", strategy->has_steps,
		"--strategy salient, heuristic, middle-out, fifo or "
		"pinned-fifo"},
	    {given->no_pin_system, "no-pin-system", strategy->pins_system,
		"--strategy other than fifo"},
	    {o->tool.n > 0, "tool", shortens, shortening},
	    {o->not_tool.n > 0, "not-tool", shortens, shortening},
	    {o->window > 0, "window", !o->budget.set || o->budget.percent,
		"--budget in percent, or no --budget"},
	    {o->window > 0, "window", o->budget.set || strategy->has_budget,
		"--budget in percent"},
	};

	cli_check_needs(cli, needs, CTX_LENGTH(needs));
}

static void
check_conflicts(const struct cli *cli, const struct strategy_options *given,
    const struct ctx_prune_config *config)
{
	const struct cli_conflict conflicts[] = {
	    {given->reserve_given, "reserve", config->budget.set, "--budget"},
	    {given->trigger_messages_given, "trigger-messages", given->compact,
		"--compact"},
	};

	cli_check_conflicts(cli, conflicts, CTX_LENGTH(conflicts));
	if (given->summary_tokens_given && config->summary_tokens == 0)
		cli_die(cli, "--summary-tokens: must be at least 1");
}

static void
set_strategy(const struct cli *cli, const struct strategy_options *given,
    struct ctx_prune_settings *settings)
{
	const struct cli_option row = {.name = "strategy",
	    .type = CLI_STRING,
	    .choice = ctx_strategy_name};
	const char *name = given->strategy;

	if (given->compact && name != NULL && strcmp(name, "summarize") != 0)
		cli_die(cli,
		    "--compact implies --strategy summarize, not %s; give one "
		    "of them",
		    name);
	if (given->compact)
		name = "summarize";
	if (name != NULL)
		settings->strategy = ctx_strategy_find(name);
	if (settings->strategy == NULL)
		cli_bad_argument(cli, &row, name);
}

void
strategy_options_apply(const struct cli *cli, struct strategy_options *given,
    struct ctx_prune_config *config)
{
	struct ctx_prune_settings *settings = &config->settings;

	set_strategy(cli, given, settings);
	settings->always = given->compact;
	settings->level = (enum ctx_level)given->level;
	settings->shrinks_last = !given->keep_last_given;
	settings->shrinks_turns = !given->keep_turns_given;
	settings->shrinks_first = !given->keep_first_given;
	settings->pin_system = !given->no_pin_system;
	check_needs(cli, given, config);
	check_conflicts(cli, given, config);
	ctx_prune_config_complete(config);
	/* With --compact and --trigger-messages, the option -k says how many of
	 * the newest messages are kept; without -k it is 20. */
	if (given->keep_last_given && settings->keep_messages > 0)
		settings->keep_messages =
		    settings->keep_last > 0 ? settings->keep_last : 1;
}
