/* summary_commit.c - recognizes commands that made a commit, for the built-in
 * summary */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary_outcome.h"

/* minimum length of the hash of a commit that git prints, in hex digits */
enum { LEAST_HASH = 7 };

bool
ctx_summary_is_commit(struct ctx_str line)
{
	size_t n = ctx_str_begins(line, "[") ? line.n : 0;
	const char *end = n > 0 ? memchr(line.p, ']', n) : NULL, *at = end;

	while (at != NULL && memchr("0123456789abcdef", at[-1], 16) != NULL)
		at--;
	return at != NULL && end - at >= LEAST_HASH && at[-1] == ' ';
}

bool
ctx_summary_makes_commit(struct ctx_str command, struct ctx_str outcome)
{
	static const char cut[] = " ...";
	const size_t n = sizeof cut - 1;

	return ctx_summary_is_commit(outcome) &&
	    ((command.n > n &&
		 memcmp(command.p + command.n - n, cut, n) == 0) ||
		memmem(command.p, command.n, "git", 3) != NULL);
}
