/* policy.c - reads a policy of ctx-eval, [NAME=]COMMAND, from the command
 * line */
#include <stdlib.h>
#include <string.h>

#include "eval/eval.h"

static const struct {
	const char *command;
	enum ctx_policy_kind kind;
} compared[] = {
    {"oracle", CTX_POLICY_ORACLE},
    {"recency", CTX_POLICY_RECENCY},
    {"random", CTX_POLICY_RANDOM},
};

#define NAME_CHARS                                                       \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" \
	"_.,+%-"

/* Returns the length in bytes of the name before "=" at the beginning of a
 * policy's text, or 0 if the text has no name. */
static size_t
find_name(const char *text)
{
	size_t n = strspn(text, NAME_CHARS);

	return text[0] != '-' && text[n] == '=' ? n : 0;
}

/* Returns true if a policy's text seems to begin with a name that has blanks,
 * as in "two words=-s fifo".  An argument of a command may contain "=", too: so
 * returns true only if options of ctx-prune follow, and none comes before. */
static bool
has_blank_name(const char *text)
{
	size_t n = strspn(text, NAME_CHARS " ");
	const char *dash = strstr(text, " -");

	return text[0] != '-' && text[n] == '=' && text[n + 1] == '-' &&
	    (dash == NULL || dash > text + n);
}

static int
add_word(struct ctx_policy *policy, const char *p, size_t n,
    struct ctx_err *err)
{
	char **words =
	    realloc(policy->words, (policy->n_words + 2) * sizeof *words);

	if (words == NULL)
		return ctx_err_nomem(err);
	policy->words = words;
	words[policy->n_words] = strndup(p, n);
	if (words[policy->n_words] == NULL)
		return ctx_err_nomem(err);
	if (strstr(words[policy->n_words], "{dir}") != NULL)
		policy->has_directory = true;
	if (strstr(words[policy->n_words], "{budget}") != NULL)
		policy->has_budget = true;
	words[++policy->n_words] = NULL;
	return 0;
}

static int
add_text(struct ctx_policy *policy, const char *text, struct ctx_err *err)
{
	return add_word(policy, text, strlen(text), err);
}

/* Splits a command at its blanks, and adds the words to the policy. */
static int
add_words(struct ctx_policy *policy, const char *command, struct ctx_err *err)
{
	size_t n;

	for (; *(command += strspn(command, " \t\n")) != '\0'; command += n) {
		n = strcspn(command, " \t\n");
		if (add_word(policy, command, n, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns true if only a shell can run a command: the command has a character
 * that is special for a shell, or its first word assigns a variable.  The
 * braces of {budget}, {dialect} and {dir} are ignored. */
static bool
needs_shell(const char *command)
{
	size_t first = strcspn(command, " \t\n");

	if (strpbrk(command, "|&;<>()$`\\\"'*?[]#~!") != NULL ||
	    memchr(command, '=', first) != NULL)
		return true;
	for (const char *p = command; (p = strpbrk(p, "{}")) != NULL; p++) {
		if (strncmp(p, "{budget}", 8) == 0)
			p += 7;
		else if (strncmp(p, "{dialect}", 9) == 0)
			p += 8;
		else if (strncmp(p, "{dir}", 5) == 0)
			p += 4;
		else
			return true;
	}
	return false;
}

static int
add_command(struct ctx_policy *policy, const char *command, struct ctx_err *err)
{
	if (!needs_shell(command))
		return add_words(policy, command, err);
	return add_text(policy, "/bin/sh", err) < 0 ||
		add_text(policy, "-c", err) < 0 ||
		add_text(policy, command, err) < 0
	    ? -1
	    : 0;
}

static int
add_option(struct ctx_policy *policy, const char *name, const char *value,
    struct ctx_err *err)
{
	if (value == NULL)
		return 0;
	return add_text(policy, name, err) < 0 ? -1
					       : add_text(policy, value, err);
}

/* Makes the command of a policy that consists only of options of ctx-prune:
 * ctx-prune with common options (-b, -d, -e, -m, --lenient) and the options of
 * the policy. If a shell must read the options of the policy, the command is
 * "/bin/sh -c 'exec "$@" OPTIONS' sh", followed by ctx-prune and the common
 * options. */
static int
add_prune(struct ctx_policy *policy, const char *options,
    const struct ctx_policy_prune *prune, struct ctx_err *err)
{
	bool shell = needs_shell(options);
	struct ctx_buf script = {0};
	int rc = 0;

	if (shell) {
		rc = ctx_buf_printf(&script, err, "exec \"$@\" %s", options);
		if (rc == 0)
			rc = add_option(policy, "/bin/sh", "-c", err);
		if (rc == 0)
			rc = add_word(policy, script.p, script.n, err);
		if (rc == 0)
			rc = add_text(policy, "sh", err);
		ctx_buf_release(&script);
	}
	if (rc < 0 || add_text(policy, prune->path, err) < 0 ||
	    add_option(policy, "-b", "{budget}", err) < 0 ||
	    add_option(policy, "-d", prune->dialect, err) < 0 ||
	    add_option(policy, "-e", prune->encoding, err) < 0 ||
	    add_option(policy, "-m", prune->model, err) < 0 ||
	    (prune->lenient && add_text(policy, "--lenient", err) < 0))
		return -1;
	if (shell)
		return 0;
	policy->main = prune->main;
	policy->own = policy->n_words;
	return add_words(policy, options, err);
}

int
ctx_policy_parse(struct ctx_policy *policy, const char *text,
    const struct ctx_policy_prune *prune, struct ctx_err *err)
{
	size_t n = find_name(text), i;
	const char *command = text + (n > 0 ? n + 1 : 0);

	memset(policy, 0, sizeof *policy);
	command += strspn(command, " \t\n");
	if (*command == '\0')
		return ctx_err_set(err, CTX_EARG,
		    "the policy '%.80s' has no command and no options of "
		    "ctx-prune, such as -s recall",
		    text);
	if (n == 0 && has_blank_name(text))
		return ctx_err_set(err, CTX_EARG,
		    "the name of the policy '%.80s' has a blank; write the "
		    "name without blanks",
		    text);
	policy->name = n > 0 ? strndup(text, n) : strdup(command);
	if (policy->name == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < CTX_LENGTH(compared); i++)
		if (strcmp(command, compared[i].command) == 0) {
			policy->kind = compared[i].kind;
			return 0;
		}
	return command[0] == '-' ? add_prune(policy, command, prune, err)
				 : add_command(policy, command, err);
}

void
ctx_policy_release(struct ctx_policy *policy)
{
	for (size_t i = 0; i < policy->n_words; i++)
		free(policy->words[i]);
	free(policy->words);
	free(policy->name);
	memset(policy, 0, sizeof *policy);
}
