/* prune_policy.c - reads the options of ctx-prune in policies of ctx-eval */
#include <stdlib.h>
#include <string.h>

#include "eval/prune_policy.h"
#include "prune/strategy_options.h"

/* Returns true if a word of the command line is in the table of options: as -x,
 * --name or --name=VALUE. */
static bool
is_in_table(const struct cli_option *option, const char *word)
{
	size_t n = strcspn(word, "=");

	for (; option->help != NULL; option++)
		if (word[1] == '-' ? strlen(option->name) == n - 2 &&
			    strncmp(option->name, word + 2, n - 2) == 0
				   : word[1] == option->letter && n == 2)
			return true;
	return false;
}

/* Returns true if the user has set one of the environment variables of
 * ctx-prune that stand for options of -s summarize or -s recall. */
static bool
has_environment(void)
{
	static const char *const names[] = {"CTX_SUMMARIZER", "CTX_EMBEDDER",
	    "SUMMARIZATION_KEEP_TOKENS", "SUMMARIZATION_TRIGGER_TOKENS",
	    "SUMMARIZATION_TRIGGER_FRACTION"};

	for (size_t i = 0; i < CTX_LENGTH(names); i++)
		if (cli_environment(names[i]) != NULL)
			return true;
	return false;
}

void
eval_read_prune_policy(const struct cli *cli, struct ctx_policy *policy,
    struct ctx_prune_config *config)
{
	struct cli words = {.name = cli->name,
	    .within = "--policy",
	    .operands = ""};
	struct strategy_options given = {.level = CTX_LEVEL_BALANCED};
	const struct cli_option options[] = {
	    PRUNE_KEEP(config, &given),
	    PRUNE_LEVEL(&given),
	    CLI_AMOUNTS(config, &given.reserve_given),
	    PRUNE_COMPACT(&given),
	    PRUNE_QUERY(config),
	    PRUNE_RARE(config, &given),
	    {0},
	};
	char **own = policy->words + policy->own;

	if (policy->main == NULL || cli->verbose || has_environment())
		return;
	for (char **word = own; *word != NULL; word++)
		if (strchr(*word, '{') != NULL ||
		    (**word == '-' && !is_in_table(options, *word)))
			return;
	ctx_prune_config_init(config);
	config->budget.set = true;
	/* cli_parse skips the first word, the name of the command. */
	cli_parse(&words, options, (int)(policy->n_words - policy->own) + 1,
	    own - 1);
	if (words.n_files > 0)
		cli_die(&words, "'%s' is not an option of ctx-prune",
		    words.files[0]);
	free(words.files);
	strategy_options_apply(&words, &given, config);
	policy->config = config;
}
