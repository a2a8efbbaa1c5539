/*
 * summary_command.c - writes the command of a tool call in one line, for the
 * built-in summary
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Cuts the next line from *command, and returns it without white space at its
 * beginning and end.  Skips blank lines and comments; sets *comment to the
 * first comment. */
static struct ctx_str
cut_command_line(struct ctx_str *command, struct ctx_str *comment)
{
	struct ctx_str line;

	do {
		*command = ctx_str_trim(*command);
		line = ctx_str_trim(ctx_str_cut(command, '\n'));
		if (comment->n == 0 && line.n > 0 && line.p[0] == '#')
			*comment = line;
	} while (command->n > 0 && (line.n == 0 || line.p[0] == '#'));
	return line;
}

/* Returns true if a line of a command changes the directory and does nothing
 * else. */
static bool
is_lone_cd(struct ctx_str line)
{
	return line.n > 3 && memcmp(line.p, "cd ", 3) == 0 &&
	    memchr(line.p, '&', line.n) == NULL &&
	    memchr(line.p, ';', line.n) == NULL;
}

int
ctx_summary_join_command(struct ctx_str command, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_str comment = {NULL, 0}, one;
	bool goes_on, moves;

	out->n = 0;
	do {
		one = cut_command_line(&command, &comment);
		goes_on = one.n > 0 && one.p[one.n - 1] == '\\';
		moves = command.n > 0 && is_lone_cd(one);
		if (ctx_buf_add(out, one.p, one.n - goes_on, err) < 0 ||
		    (moves && ctx_buf_add(out, " && ", 4, err) < 0))
			return -1;
	} while (goes_on || moves);
	if (comment.n > 0 && comment.p != one.p &&
	    (ctx_buf_add(out, " ", 1, err) < 0 ||
		ctx_buf_add_str(out, comment, err) < 0))
		return -1;
	return 0;
}

bool
ctx_summary_only_reads(struct ctx_str command)
{
	static const char *const readers[] = {"awk", "cat", "find", "git blame",
	    "git diff", "git grep", "git log", "git show", "git status", "grep",
	    "head", "jq", "less", "ls", "nl", "pwd", "rg", "sed -n", "tail",
	    "tree", "wc", "which", NULL};
	const char *at;
	size_t n;

	if (command.n > 3 && memcmp(command.p, "cd ", 3) == 0 &&
	    (at = memmem(command.p, command.n, "&& ", 3)) != NULL) {
		command.n -= (size_t)(at + 3 - command.p);
		command.p = at + 3;
	}
	for (size_t i = 0; readers[i] != NULL; i++) {
		n = strlen(readers[i]);
		if (command.n >= n && memcmp(command.p, readers[i], n) == 0 &&
		    (command.n == n || command.p[n] == ' '))
			return memchr(command.p, '>', command.n) == NULL;
	}
	return false;
}
