/*
 * ctx.c - runs the commands by their short names: "ctx count" runs ctx-count
 *
 * A command is looked up first in the directory of this program and then in
 * PATH, so that the commands of a build tree find each other.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/similar.h"
#include "ctx.h"

/* The names of the manual pages, without "ctx-".  The pages in section 1
 * describe commands; the name "ctx" stands for ctx(7). */
static const struct {
	const char *name, *section, *purpose;
} pages[] = {
    {"count", "1", "count tokens, and show what fills the context window"},
    {"prune", "1", "remove messages until a conversation fits a budget"},
    {"truncate", "1", "shorten long tool results and texts"},
    {"age", "1", "move old tool results to files, and leave references"},
    {"restore", "1", "put aged tool results back"},
    {"cache", "1",
	"set prompt-cache breakpoints, and show what changed messages cost"},
    {"check", "1", "find and repair what a provider would refuse"},
    {"eval", "1",
	"measure on recorded sessions whether pruning keeps what is needed"},
    {"replay", "1", "compute what recorded sessions cost"},
    {"ctx", "7", NULL},
    {"agents", "7", NULL},
    {"encoding", "7", NULL},
    {"strategy", "7", NULL},
    {"stream", "5", NULL},
};

enum { N_PAGES = sizeof pages / sizeof pages[0], MAX_NAME = 16 };

/* Exits with status 0, or with status 2 if standard output could not be
 * written. */
static _Noreturn void
finish(void)
{
	/* If stdout was flushed after each line and one of these writes failed,
	 * the fflush below may succeed, because nothing is left to write.  So
	 * the error flag of stdout is checked, too. */
	bool failed = ferror(stdout) != 0;

	if (fflush(stdout) == 0 && !failed)
		exit(0);
	(void)fprintf(stderr, "ctx: cannot write standard output: %s\n",
	    strerror(errno));
	exit(2);
}

static _Noreturn void
print_commands(void)
{
	size_t i;

	printf("usage: ctx COMMAND [OPTION]... [FILE]...\n"
	       "See and shrink what is sent to a language model.\n\n");
	for (i = 0; i < N_PAGES; i++)
		if (pages[i].purpose != NULL)
			printf("  %-10s %s\n", pages[i].name, pages[i].purpose);
	printf("  %-10s %s\n\n"
	       "ctx COMMAND --help prints the options of a command.\n",
	    "help", "open the manual page of a command: ctx help prune");
	finish();
}

/* Returns the section of the manual that has a page of this name, or NULL. */
static const char *
find_section(const char *name)
{
	size_t i;

	for (i = 0; i < N_PAGES; i++)
		if (strcmp(pages[i].name, name) == 0)
			return pages[i].section;
	return NULL;
}

static bool
is_command(const char *name)
{
	const char *section = find_section(name);

	return section != NULL && section[0] == '1';
}

static _Noreturn void
refuse_name(const char *name)
{
	struct cli_similar similar = {
	    .word = strncmp(name, "ctx-", 4) == 0 ? name + 4 : name};
	size_t i;

	for (i = 0; i < N_PAGES; i++)
		if (pages[i].purpose != NULL)
			cli_similar_add(&similar, pages[i].name);
	(void)fprintf(stderr, "ctx: there is no command '%.40s'; ", name);
	if (similar.name != NULL)
		(void)fprintf(stderr, "did you mean '%s'?\n", similar.name);
	else
		(void)fputs("ctx without arguments lists the commands\n",
		    stderr);
	exit(2);
}

/* Replaces this program by another program in the same directory. self: path of
 * this program; name: file name of the other program.  Returns only if the
 * other program cannot be started. */
static void
run_beside(const char *self, const char *name, char **args)
{
	const char *slash = strrchr(self, '/');
	size_t dir;
	char *path;

	if (slash == NULL)
		return;
	dir = (size_t)(slash - self) + 1;
	path = malloc(dir + strlen(name) + 1);
	if (path == NULL)
		return;
	memcpy(path, self, dir);
	memcpy(path + dir, name, strlen(name) + 1);
	(void)execv(path, args);
	free(path);
}

static _Noreturn void
run(const char *self, const char *name, char **args)
{
	run_beside(self, name, args);
	(void)execvp(name, args);
	(void)fprintf(stderr, "ctx: cannot run %s: %s\n", name,
	    strerror(errno));
	exit(2);
}

/* Opens the manual page with this name (without "ctx-"), or ctx(1) if argument
 * is NULL. */
static _Noreturn void
open_manual(const char *argument)
{
	char man[] = "man", section[2] = "1", page[4 + MAX_NAME] = "ctx";
	char *args[] = {man, section, page, NULL};
	const char *found = argument != NULL ? find_section(argument) : "1";

	if (found == NULL)
		refuse_name(argument);
	section[0] = found[0];
	if (argument != NULL && strcmp(argument, "ctx") != 0)
		(void)snprintf(page, sizeof page, "ctx-%s", argument);
	(void)execvp(man, args);
	(void)fprintf(stderr,
	    "ctx: cannot run man: %s; ctx %s --help prints the options\n",
	    strerror(errno), argument != NULL ? argument : "COMMAND");
	exit(2);
}

static bool
is_option(const char *word, const char *letter, const char *name)
{
	return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

int
main(int argc, char **argv)
{
	char name[4 + MAX_NAME];

	if (argc < 2 || is_option(argv[1], "-h", "--help"))
		print_commands();
	if (is_option(argv[1], "-V", "--version")) {
		printf("ctx " CTX_VERSION "\n");
		finish();
	}
	if (strcmp(argv[1], "help") == 0)
		open_manual(argv[2]);
	if (!is_command(argv[1]))
		refuse_name(argv[1]);
	(void)snprintf(name, sizeof name, "ctx-%s", argv[1]);
	argv[1] = name;
	run(argv[0], name, argv + 1);
}
