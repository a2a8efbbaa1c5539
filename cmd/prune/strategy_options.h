/* strategy_options.h - options of ctx-prune that decide which messages are
 * removed; the policies (ways to prune) of ctx-replay also have these
 * options */
#ifndef CTX_CMD_PRUNE_STRATEGY_OPTIONS_H
#define CTX_CMD_PRUNE_STRATEGY_OPTIONS_H

#include "cli/option_rows.h"
#include "prune/prune.h"

/* Values of options that have no member in struct ctx_prune_config. ..._given:
 * true if the user has given this option. */
struct strategy_options {
	const char *strategy; /* NULL: the default */
	unsigned level;       /* enum ctx_level */
	bool compact, no_pin_system;
	bool keep_last_given, keep_turns_given, keep_first_given;
	bool window_turns_given, reserve_given;
	bool prompt_given, on_failure_given;
	bool summary_tokens_given, trigger_messages_given;
};

/* Macros for rows of a table of command-line options.  Each macro is one
 * option.  The values of the options are stored in config, a struct
 * ctx_prune_config, and in given, a struct strategy_options. */
#define PRUNE_BUDGET(config)                                                 \
	{                                                                    \
		'b', "budget", "N|P%",                                       \
		    "maximum tokens in the output (the window)", CLI_AMOUNT, \
		    &(config)->budget, NULL, NULL                            \
	}
#define PRUNE_KEEP(config, given)                                            \
	{'s', "strategy", "NAME",                                            \
	    "what to remove; see man 7 ctx-strategy (salient):", CLI_STRING, \
	    &(given)->strategy, ctx_strategy_name, NULL},                    \
	    {'k', "keep-last", "N",                                          \
		"keep the newest N messages (4; see --level)", CLI_NUMBER,   \
		&(config)->settings.keep_last, NULL,                         \
		&(given)->keep_last_given},                                  \
	{                                                                    \
		't', "keep-turns", "N",                                      \
		    "keep question and answer of newest N turns (3)",        \
		    CLI_NUMBER, &(config)->settings.keep_turns, NULL,        \
		    &(given)->keep_turns_given                               \
	}
#define PRUNE_LEVEL(given)                                                     \
	{0, "no-pin-system", NULL, "let system messages be removed", CLI_FLAG, \
	    &(given)->no_pin_system, NULL, NULL},                              \
	{                                                                      \
		'l', "level", "NAME",                                          \
		    "what is removed before whole messages (balanced):",       \
		    CLI_CHOICE, &(given)->level, cli_level_name, NULL          \
	}
#define PRUNE_COMPACT(given)                                                  \
	{                                                                     \
		0, "compact", NULL,                                           \
		    "summarize all but the kept messages (-k: 20)", CLI_FLAG, \
		    &(given)->compact, NULL, NULL                             \
	}
#define PRUNE_QUERY(config)                                             \
	{                                                               \
		0, "query", "TEXT",                                     \
		    "what -s recall looks for (the last user message)", \
		    CLI_FILE, &(config)->scorer.query, NULL, NULL       \
	}
#define PRUNE_RARE(config, given)                                              \
	{0, "keep-first", "N",                                                 \
	    "keep the first N messages, for middle-out (2)", CLI_NUMBER,       \
	    &(config)->settings.keep_first, NULL, &(given)->keep_first_given}, \
	    {0, "pin-role", "ROLE", "keep messages of a role", CLI_BITS,       \
		&(config)->pin_roles, prune_role_name, NULL},                  \
	    {0, "window-turns", "N",                                           \
		"newest N turns that -s window keeps (10)", CLI_NUMBER,        \
		&(config)->settings.window_turns, NULL,                        \
		&(given)->window_turns_given},                                 \
	    {0, "summary-tokens", "N",                                         \
		"maximum tokens of a summary (target / 20)", CLI_NUMBER,       \
		&(config)->summary_tokens, NULL,                               \
		&(given)->summary_tokens_given},                               \
	{                                                                      \
		0, "trigger-messages", "N",                                    \
		    "summarize above N messages, as --compact does",           \
		    CLI_NUMBER, &(config)->settings.trigger_messages, NULL,    \
		    &(given)->trigger_messages_given                           \
	}

/* Returns the name of the i-th role (from 0), such as "user", or NULL after the
 * last role. */
const char *prune_role_name(size_t i);
/* Stores the values of the options in the configuration, and sets what follows
 * from them: --compact, for example, sets the strategy "summarize".  Exits with
 * an error if options contradict each other, or if an option has no effect. */
void strategy_options_apply(const struct cli *cli,
    struct strategy_options *given, struct ctx_prune_config *config);

#endif
