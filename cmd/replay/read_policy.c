/* read_policy.c - reads policies from the command line of ctx-replay: each is a
 * list of options of ctx-prune */
#include <stdlib.h>
#include <string.h>

#include "replay/read_policy.h"

static const char *
plain_level_name(unsigned i)
{
	static const char *const names[] = {"light", "balanced"};

	return i < 2 ? names[i] : NULL;
}

/* Splits the options of a policy at blanks, as a command line.  Returns an
 * array: the name of the command, then the options, NULL after the last.  The
 * caller frees the array; its elements point into the text. */
static char **
split_words(const struct cli *cli, char *text)
{
	char **words = calloc(strlen(text) / 2 + 3, sizeof *words);
	char *state, *word;
	size_t n = 0;

	if (words == NULL)
		cli_die(cli, "out of memory");
	words[n++] = (char *)cli->name;
	for (word = strtok_r(text, " \t\n", &state); word != NULL;
	     word = strtok_r(NULL, " \t\n", &state))
		if (n > 1 || strcmp(word, "ctx-prune") != 0)
			words[n++] = word;
	return words;
}

/* Returns the "=" that separates the name of a policy from its options, as in
 * "small=-b 50k".  The text before it must not begin with a dash or contain a
 * blank.  Returns NULL if the policy has no name. */
static char *
find_name_end(char *text)
{
	char *end = text + strcspn(text, "= \t");

	return *end == '=' && end > text && *text != '-' ? end : NULL;
}

static void
finish_config(const struct cli *cli, struct ctx_prune_config *config,
    const char *strategy)
{
	struct ctx_prune_settings *settings = &config->settings;

	if (strategy != NULL)
		settings->strategy = ctx_strategy_find(strategy);
	if (settings->strategy == NULL)
		cli_die(cli, "--policy: the strategy '%s' is unknown",
		    strategy);
	if (settings->strategy->summarizes)
		cli_die(cli,
		    "--policy: the strategy %s inserts a summary, which "
		    "ctx-replay cannot evaluate; choose another strategy",
		    strategy);
	ctx_prune_config_complete(config);
}

/* Reads the options of a policy.  Options that are not given have the defaults
 * of ctx-prune. */
static void
read_options(const struct cli *cli, struct named_policy *policy)
{
	struct ctx_prune_config *config = &policy->config;
	struct ctx_prune_settings *settings = &config->settings;
	struct cli words = {.name = cli->name, .operands = ""};
	unsigned level = CTX_LEVEL_BALANCED;
	bool keep_last = false, keep_turns = false;
	const char *strategy = NULL;
	const struct cli_option options[] = {
	    {'b', "budget", "N|P%", "", CLI_AMOUNT, &config->budget, NULL,
		NULL},
	    {'s', "strategy", "NAME", "", CLI_STRING, &strategy, NULL, NULL},
	    {'k', "keep-last", "N", "", CLI_NUMBER, &settings->keep_last, NULL,
		&keep_last},
	    {'t', "keep-turns", "N", "", CLI_NUMBER, &settings->keep_turns,
		NULL, &keep_turns},
	    {'l', "level", "NAME", "", CLI_CHOICE, &level, plain_level_name,
		NULL},
	    {0, "window", "N", "", CLI_NUMBER, &config->window, NULL, NULL},
	    {0, "reserve", "N", "", CLI_NUMBER, &config->reserve, NULL, NULL},
	    {0, "trigger", "N|P%", "", CLI_AMOUNT, &config->trigger, NULL,
		NULL},
	    {0, "target", "N|P%", "", CLI_AMOUNT, &config->target, NULL, NULL},
	    {0, "quantum", "N|P%", "", CLI_AMOUNT, &config->quantum, NULL,
		NULL},
	    {0, "feed-back", NULL, "", CLI_FLAG, &policy->policy.feeds_back,
		NULL, NULL},
	    {0},
	};
	int argc = 0;

	ctx_prune_config_init(config);
	while (policy->words[argc] != NULL)
		argc++;
	cli_parse(&words, options, argc, policy->words);
	if (words.n_files > 0)
		cli_die(cli, "--policy: '%s' is not an option of ctx-prune",
		    words.files[0]);
	free(words.files);
	settings->level = (enum ctx_level)level;
	settings->shrinks_last = !keep_last;
	settings->shrinks_turns = !keep_turns;
	finish_config(cli, config, strategy);
}

void
policy_read(const struct cli *cli, struct named_policy *policy,
    const char *text)
{
	char *end, *options;

	*policy = (struct named_policy){.name = text};
	policy->policy.config = &policy->config;
	policy->text = options = strdup(text);
	if (policy->text == NULL)
		cli_die(cli, "out of memory");
	end = find_name_end(policy->text);
	if (end != NULL) {
		*end = '\0';
		policy->name = policy->text;
		options = end + 1;
	}
	policy->words = split_words(cli, options);
	read_options(cli, policy);
}

void
policy_release(struct named_policy *policy)
{
	free(policy->words);
	free(policy->text);
}
