/* read_policy.c - reads policies (ways to prune) from the command line of
 * ctx-replay; a policy is a list of options of ctx-prune */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy_options.h"
#include "replay/read_policy.h"

/* Returns the first word of the text at *rest, as a shell would read it, and
 * moves *rest to the text after the word.  Words are separated by blanks,
 * except within quotes; the quotes are removed.  Returns NULL if no word is
 * left. */
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

/* Splits the options of a policy into words, as a shell would.  Returns an
 * array: the name of the running command, the words, and NULL.  If the first
 * word is "ctx-prune", it is left out.  The caller must free the array.  Its
 * elements point into the argument text. */
static char **
split_words(const struct cli *cli, char *text)
{
	char **words = cli_allocate(cli, strlen(text) / 2 + 3, sizeof *words);
	char *word;
	size_t n = 0;

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

/* Exits with an error if a policy (list of options of ctx-prune) makes changes
 * that ctx-replay cannot evaluate. */
static void
check_level(const struct cli *cli, const struct ctx_prune_settings *settings)
{
	if (settings->level == CTX_LEVEL_AGGRESSIVE &&
	    settings->strategy->truncates_texts)
		cli_die(cli,
		    "ctx-replay cannot evaluate -s %s -l aggressive, which "
		    "cuts texts; choose another level, or the strategy "
		    "pinned-fifo, fifo, middle-out or summarize",
		    settings->strategy->name);
}

/* Reads the options of a policy, which is a list of options of ctx-prune.  An
 * option that the policy does not contain has the default value of
 * ctx-prune. */
static void
read_options(const struct cli *cli, struct named_policy *policy)
{
	struct ctx_prune_config *config = &policy->config;
	struct cli words = {.name = cli->name,
	    .within = "--policy",
	    .operands = ""};
	struct strategy_options given = {.level = CTX_LEVEL_BALANCED};
	const struct cli_option options[] = {
	    PRUNE_BUDGET(config),
	    PRUNE_KEEP(config, &given),
	    CLI_PINS(config),
	    PRUNE_LEVEL(&given),
	    CLI_AMOUNTS(config, &given.reserve_given),
	    PRUNE_COMPACT(&given),
	    PRUNE_QUERY(config),
	    PRUNE_RARE(config, &given),
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
		cli_die(&words, "'%s' is not an option of ctx-prune",
		    words.files[0]);
	free(words.files);
	strategy_options_apply(&words, &given, config);
	check_level(&words, &config->settings);
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
