/* read_policy.c - reads policies from the command line of ctx-replay: each is a
 * list of options of ctx-prune */
#include <stdlib.h>
#include <string.h>

#include "cli/option_rows.h"
#include "replay/read_policy.h"

/* Cuts the next word off the text at *rest, as a shell does.  Words are
 * separated by blanks, except within quotes; the quotes are removed.  Returns
 * NULL if no word is left. */
static char *
take_word(char **rest)
{
	char *from = *rest + strspn(*rest, " \t\n"), *to = from;
	char *word = from, quote = '\0';

	if (*from == '\0')
		return NULL;
	for (; *from != '\0'; from++) {
		if (quote == '\0' && strchr(" \t\n", *from) != NULL)
			break;
		if (*from == quote)
			quote = '\0';
		else if (quote == '\0' && (*from == '\'' || *from == '"'))
			quote = *from;
		else
			*to++ = *from;
	}
	*rest = *from == '\0' ? from : from + 1;
	*to = '\0';
	return word;
}

/* Splits the options of a policy into words, as a shell does.  Returns an array
 * with the name of the command, the options, and NULL at the end.  The caller
 * frees the array; its elements point into text. */
static char **
split_words(const struct cli *cli, char *text)
{
	char **words = calloc(strlen(text) / 2 + 3, sizeof *words);
	char *word;
	size_t n = 0;

	if (words == NULL)
		cli_die(cli, "out of memory");
	words[n++] = (char *)cli->name;
	while ((word = take_word(&text)) != NULL)
		if (n > 1 || strcmp(word, "ctx-prune") != 0)
			words[n++] = word;
	return words;
}

/* Returns a pointer to the "=" between the name and the options of a policy, as
 * in "small=-b 50k".  Returns NULL if the policy has no name: if the part
 * before the "=" begins with a dash or contains a blank. */
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
	if (settings->level == CTX_LEVEL_AGGRESSIVE &&
	    settings->strategy->truncates_texts)
		cli_die(cli,
		    "--policy: with the strategy %s the level aggressive cuts "
		    "texts, which ctx-replay cannot evaluate; choose another "
		    "level, or the strategy pinned-fifo, fifo or middle-out",
		    settings->strategy->name);
	ctx_prune_config_complete(config);
}

/* Exits with an error if an option was given that has no effect with the
 * strategy. */
static void
check_needs(const struct cli *cli, const struct ctx_prune_config *config,
    bool keep_first)
{
	const struct ctx_strategy *strategy = config->settings.strategy;
	const struct cli_need needs[] = {
	    {keep_first, "keep-first", strategy->pins_first,
		"--strategy middle-out"},
	    {config->scorer.query != NULL, "query", strategy->embeds,
		"--strategy recall"},
	};

	cli_check_needs(cli, needs, sizeof needs / sizeof needs[0]);
}

/* Reads the options of a policy.  An option that is not given has the default
 * value of ctx-prune. */
static void
read_options(const struct cli *cli, struct named_policy *policy)
{
	struct ctx_prune_config *config = &policy->config;
	struct ctx_prune_settings *settings = &config->settings;
	struct cli words = {.name = cli->name, .operands = ""};
	unsigned level = CTX_LEVEL_BALANCED;
	bool keep_last = false, keep_turns = false, keep_first = false;
	const char *strategy = NULL;
	const struct cli_option options[] = {
	    {'b', "budget", "N|P%", "", CLI_AMOUNT, &config->budget, NULL,
		NULL},
	    {'s', "strategy", "NAME", "", CLI_STRING, &strategy, NULL, NULL},
	    {'k', "keep-last", "N", "", CLI_NUMBER, &settings->keep_last, NULL,
		&keep_last},
	    {'t', "keep-turns", "N", "", CLI_NUMBER, &settings->keep_turns,
		NULL, &keep_turns},
	    {'l', "level", "NAME", "", CLI_CHOICE, &level, cli_level_name,
		NULL},
	    CLI_AMOUNTS(config, NULL),
	    {0, "query", "TEXT", "", CLI_STRING, &config->scorer.query, NULL,
		NULL},
	    {0, "keep-first", "N", "", CLI_NUMBER, &settings->keep_first, NULL,
		&keep_first},
	    CLI_PINS(config),
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
	settings->shrinks_first = !keep_first;
	finish_config(cli, config, strategy);
	check_needs(cli, config, keep_first);
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
	ctx_pattern_release(&policy->config.pin_text);
	ctx_pattern_release(&policy->config.pin_tool);
	free(policy->words);
	free(policy->text);
}
