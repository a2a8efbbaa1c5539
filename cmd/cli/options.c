/* options.c - reads the options of a command from the command line, according
 * to its table of options */
#include <string.h>

#include "prune/prune.h"
#include "cli/in_place.h"
#include "cli/similar.h"

/* ---- names for choices ---- */

const char *
cli_when_name(size_t i)
{
	static const char *const names[] = {"auto", "always", "never"};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
}

const char *
cli_level_name(size_t i)
{
	static const char *const names[] = {
	    [CTX_LEVEL_LIGHT] = "light",
	    [CTX_LEVEL_BALANCED] = "balanced",
	    [CTX_LEVEL_AGGRESSIVE] = "aggressive",
	};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
}

const char *
cli_reasoning_name(size_t i)
{
	static const char *const names[] = {
	    [CTX_REASONING_DROP] = "drop",
	    [CTX_REASONING_KEEP] = "keep",
	    [CTX_REASONING_FAIL] = "fail",
	};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
}

void
cli_note_reasoning(struct cli *cli, uint64_t kept, uint64_t refused)
{
	if (kept > 0)
		cli_say(cli,
		    "kept the signed reasoning of %llu messages that follow "
		    "a changed message; the provider refuses it unless the "
		    "request sets prefix_mismatch_behavior to "
		    "drop_block",
		    (unsigned long long)kept);
	if (refused == 0)
		return;
	cli_status(cli, CLI_NO);
	cli_say(cli,
	    "%llu conversations are unchanged: the provider would refuse or "
	    "drop reasoning after the first changed message; --reasoning drop "
	    "changes them",
	    (unsigned long long)refused);
}

void
cli_note_removed_reasoning(const struct cli *cli, uint64_t removed,
    uint64_t dropped)
{
	if (cli->verbose && dropped > 0)
		cli_say(cli,
		    "the provider will drop %llu reasoning items, which follow "
		    "the first changed message",
		    (unsigned long long)dropped);
	if (cli->verbose && removed > 0)
		cli_say(cli,
		    "removed signed reasoning from %llu messages after the "
		    "first changed message",
		    (unsigned long long)removed);
}

/* ---- --help and similar options ---- */

enum arity { TAKES_NONE, TAKES_OPTIONAL, TAKES_ONE };

/* maximum number of characters in a line of --help */
enum { MAX_COLUMNS = 80 };

/* Returns whether an option takes an argument.  In the table of options,
 * brackets around the name of an argument say that the argument is optional, as
 * in "[=SUFFIX]".  The user must join an optional argument to the option, as in
 * -i.bak. */
static enum arity
find_arity(const struct cli_option *option)
{
	if (option->arg == NULL)
		return TAKES_NONE;
	return option->arg[0] == '[' ? TAKES_OPTIONAL : TAKES_ONE;
}

/* A paragraph of --help that is being printed. indent: number of blanks before
 * each line. column: number of columns that the current line has so far. */
struct paragraph {
	int indent;
	size_t column;
};

/* Prints a word of a paragraph, on a new line if the word does not fit into the
 * current line. */
static void
print_word(struct paragraph *paragraph, const char *word)
{
	if (paragraph->column > 0 &&
	    paragraph->column + 1 + strlen(word) <= MAX_COLUMNS) {
		paragraph->column += (size_t)printf(" %s", word);
		return;
	}
	if (paragraph->column > 0)
		printf("\n");
	paragraph->column =
	    (size_t)printf("%*s%s", paragraph->indent, "", word);
}

/* Prints the line of an option in --help.  If the description of the option
 * ends with a colon, also prints the names that the option accepts as
 * arguments. */
static void
print_option(const struct cli_option *option)
{
	struct paragraph names = {.indent = 6};
	char text[64];
	unsigned i;

	(void)snprintf(text, sizeof text, "%c%c%c --%s%s%s",
	    option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
	    option->letter ? ',' : ' ', option->name,
	    find_arity(option) == TAKES_ONE ? " " : "",
	    option->arg != NULL ? option->arg : "");
	printf("  %-28s %s\n", text, option->help);
	if (option->help[strlen(option->help) - 1] != ':')
		return;
	for (i = 0; option->choice(i) != NULL; i++) {
		(void)snprintf(text, sizeof text, "%s%s", option->choice(i),
		    option->choice(i + 1) != NULL ? "," : "");
		print_word(&names, text);
	}
	printf("\n");
}

/* Prints the names of the options that are listed in --help without a
 * description. */
static void
print_names(const struct cli_option *option)
{
	struct paragraph names = {.indent = 2};
	char text[64];

	for (; option->help != NULL; option++) {
		(void)snprintf(text, sizeof text, "--%s%s%s,", option->name,
		    find_arity(option) == TAKES_ONE ? " " : "",
		    option->arg != NULL ? option->arg : "");
		print_word(&names, text);
	}
	print_word(&names, "--help,");
	print_word(&names, "--version");
	printf("\n");
}

static _Noreturn void
print_help(const struct cli *cli)
{
	const struct cli_option *option;

	printf("usage: %s [OPTION...] %s  (defaults in parentheses)\n%s\n",
	    cli->name, cli->operands, cli->about);
	for (option = cli->options; option->type != CLI_BRIEF; option++)
		if (option->type == CLI_HEADING)
			printf("%s:\n", option->help);
		else
			print_option(option);
	printf("%s:\n", option->help);
	print_names(option + 1);
	printf("Examples:\n%sExit status: 0 success", cli->examples);
	if (cli->no_means != NULL)
		printf(", %d %s", CLI_NO, cli->no_means);
	printf(", %d error.\n", CLI_TROUBLE);
	cli_exit_ok(cli);
}

/* Prints one line per option, with fields separated by tabs, for the shell
 * completions (--list-options). */
static _Noreturn void
print_options(const struct cli *cli)
{
	const struct cli_option *option;
	unsigned i;

	for (option = cli->options; option->help != NULL; option++) {
		if (option->name == NULL)
			continue;
		printf("%.1s\t%s\t%s\t%s\t",
		    option->letter ? &option->letter : "", option->name,
		    option->arg != NULL ? option->arg : "", option->help);
		for (i = 0; option->choice != NULL && option->choice(i) != NULL;
		     i++)
			printf("%s%s", i > 0 ? " " : "", option->choice(i));
		printf("\n");
	}
	printf("h\thelp\t\tthis text\t\nV\tversion\t\tversion\t\n");
	cli_exit_ok(cli);
}

/* ---- the command line ---- */

static _Noreturn void
refuse_unknown_option(const struct cli *cli, const char *name)
{
	struct cli_similar similar = {.word = name};
	const struct cli_option *option;
	const char *begun = NULL;

	if (cli->within == NULL)
		cli_similar_add(&similar, "help");
	for (option = cli->options; option->help != NULL; option++) {
		if (option->name == NULL)
			continue;
		/* If the user wrote only the beginning of an option's name,
		 * this option is suggested. */
		if (begun == NULL &&
		    strncmp(option->name, name, strlen(name)) == 0)
			begun = option->name;
		cli_similar_add(&similar, option->name);
	}
	if (begun == NULL)
		begun = similar.name;
	if (begun != NULL && *name != '\0')
		cli_die(cli, "there is no option --%s; did you mean --%s?",
		    name, begun);
	cli_die(cli, "there is no option --%s; see %s --help", name, cli->name);
}

static void
print_version(const struct cli *cli)
{
	printf("%s %s\nmodels of %s\n", cli->name, CTX_VERSION,
	    ctx_models_date());
	cli_exit_ok(cli);
}

/* Handles --help, --version and --list-options of a command: prints what the
 * option asks for, and exits.  Does nothing for other options, or if the
 * options are within the argument of another option. */
static void
tell_about(const struct cli *cli, const char *word, const char *value)
{
	static const struct {
		const char *name;
		void (*print)(const struct cli *cli);
	} about[] = {
	    {"help", print_help},
	    {"version", print_version},
	    {"list-options", print_options},
	};
	size_t i;

	if (cli->within != NULL)
		return;
	for (i = 0; i < CTX_LENGTH(about); i++) {
		if (strcmp(word, about[i].name) != 0)
			continue;
		if (value != NULL)
			cli_die(cli, "--%s takes no argument", word);
		about[i].print(cli);
	}
}

/* Returns the option with this long name.  If there is none, returns an option
 * whose member help is NULL. */
static const struct cli_option *
find_long_option(const struct cli *cli, const char *name)
{
	const struct cli_option *option;

	for (option = cli->options; option->help != NULL; option++)
		if (option->name != NULL && strcmp(option->name, name) == 0)
			break;
	return option;
}

/* Returns true if the argument of an option that takes a file name is itself an
 * option of the command: the user has forgotten the file name. */
static bool
is_forgotten_file(const struct cli *cli, const struct cli_option *option,
    const char *word)
{
	return strcmp(option->arg, "FILE") == 0 &&
	    strncmp(word, "--", 2) == 0 &&
	    find_long_option(cli, word + 2)->help != NULL;
}

static void
read_long_option(struct cli *cli, char *word, char ***next)
{
	const struct cli_option *option;
	char *value = strchr(word, '=');

	if (value != NULL)
		*value++ = '\0';
	tell_about(cli, word, value);
	option = find_long_option(cli, word);
	if (option->help == NULL)
		refuse_unknown_option(cli, word);
	if (value != NULL && find_arity(option) == TAKES_NONE)
		cli_die(cli, "--%s takes no argument", word);
	if (value == NULL && find_arity(option) == TAKES_ONE) {
		value = **next;
		if (value == NULL || is_forgotten_file(cli, option, value))
			cli_die(cli, "--%s needs an argument, %s%s", word,
			    option->arg, cli_argument_example(option));
		++*next;
	}
	cli_store(cli, option, value);
}

/* Exits with an error if the word after a single "-" is the name of a long
 * option, perhaps with an argument after "=". */
static void
refuse_single_dash(const struct cli *cli, const char *word)
{
	const struct cli_option *option;
	size_t n = strcspn(word, "=");

	for (option = cli->options; option->help != NULL; option++)
		if (option->name != NULL && strlen(option->name) == n &&
		    strncmp(option->name, word, n) == 0)
			cli_die(cli,
			    "there is no option -%s; did you mean --%s?",
			    option->name, option->name);
}

static void
read_short_options(struct cli *cli, char *word, char ***next)
{
	const struct cli_option *option;
	char h[] = "help", v[] = "version";

	refuse_single_dash(cli, word);
	for (; *word != '\0'; word++) {
		if (*word == 'h')
			read_long_option(cli, h, next);
		if (*word == 'V')
			read_long_option(cli, v, next);
		for (option = cli->options; option->help != NULL; option++)
			if (option->letter == *word)
				break;
		if (option->help == NULL)
			cli_die(cli, "there is no option -%c; see %s --help",
			    *word, cli->name);
		if (word[1] != '\0' && find_arity(option) != TAKES_NONE) {
			cli_store(cli, option, word + 1);
			return;
		}
		if (find_arity(option) != TAKES_ONE) {
			cli_store(cli, option, NULL);
			continue;
		}
		if (**next == NULL)
			cli_die(cli, "-%c needs an argument, %s%s", *word,
			    option->arg, cli_argument_example(option));
		cli_store(cli, option, *(*next)++);
		return;
	}
}

void
cli_parse(struct cli *cli, const struct cli_option *options, int argc,
    char **argv)
{
	char **next = argv + (argc > 0), **end = argv + argc, *word;
	bool only_files = false;

	cli_begin();
	cli->options = options;
	cli->files = cli_allocate(cli, (size_t)argc + 1, sizeof *cli->files);
	while (next < end) {
		word = *next++;
		/* An empty name of an input file is an error, because it
		 * probably comes from a variable that a script has not set. */
		if (word[0] == '\0')
			cli_die(cli,
			    "a file name is empty; is a shell variable not "
			    "set?");
		if (only_files || word[0] != '-' || word[1] == '\0')
			cli->files[cli->n_files++] = word;
		else if (strcmp(word, "--") == 0)
			only_files = true;
		else if (word[1] == '-')
			read_long_option(cli, word + 2, &next);
		else
			read_short_options(cli, word + 1, &next);
	}
	cli->options = NULL;
	/* With --in-place each input file is a separate stream, also with
	 * --dry-run, which then prints a plan for each input file. */
	cli->each |= cli->in_place;
	if (cli->in_place)
		cli_check_in_place(cli);
	if (cli->dialect_name != NULL) {
		cli->dialect = ctx_dialect_find(cli->dialect_name);
		if (cli->dialect == NULL) {
			struct cli_option row = {.name = "dialect",
			    .choice = ctx_dialect_name};

			cli_bad_argument(cli, &row, cli->dialect_name);
		}
	}
}
