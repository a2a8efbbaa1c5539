/*
 * calls.c - each system call of a command fails, one at a time
 *
 * strace lists the calls and makes the k-th of a name fail.  What the loader
 * does before main is left alone: the first call of ours is fcntl(0, F_GETFD).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

#define LOG "../log"
#define MOST_ERRORS 9
#define MANY 4 /* calls of one name, of which all are tried */

struct error {
	const char *name;
	int number;
};
#define E(name) {#name, name}

/* What a call may fail with; a call without a row with the last one's. */
static const struct {
	const char *calls; /* each in blanks */
	struct error errors[MOST_ERRORS];
} table[] = {
    {" read ", {E(EIO), E(EINTR), E(EAGAIN), E(EISDIR)}},
    {" write writev pwrite64 ", {E(EIO), E(ENOSPC), E(EINTR), E(EAGAIN),
	E(EDQUOT), E(EFBIG), E(EPIPE)}},
    {" open openat openat2 ", {E(EACCES), E(EMFILE), E(ENFILE), E(ENOMEM),
	E(EINTR), E(EIO), E(ENOSPC), E(EROFS), E(EOPNOTSUPP)}},
    {" fsync fdatasync ", {E(EIO), E(ENOSPC), E(EROFS), E(EINTR)}},
    {" link linkat ", {E(EACCES), E(ENOSPC), E(EIO), E(EPERM), E(EROFS),
	E(EEXIST), E(ENOENT)}},
    {" rename renameat renameat2 ", {E(EACCES), E(ENOSPC), E(EIO), E(EROFS)}},
    {" mkdir mkdirat ", {E(EACCES), E(ENOSPC), E(EROFS), E(EIO), E(EEXIST)}},
    {" unlink unlinkat ", {E(EACCES), E(EROFS), E(EIO)}},
    {" fstat newfstatat lstat stat statx fstatat64 ", {E(EIO), E(EACCES),
	E(ENOMEM)}},
    {" access faccessat faccessat2 readlink readlinkat ", {E(EACCES),
	E(EIO)}},
    {" mmap mmap2 mremap ", {E(ENOMEM), E(EACCES), E(EAGAIN)}},
    {" munmap mprotect madvise ", {E(ENOMEM), E(EINVAL)}},
    {" getdents64 getdents ", {E(EIO), E(EACCES)}},
    {" poll ppoll select pselect6 ", {E(EINTR), E(ENOMEM)}},
    {" pipe pipe2 dup dup2 dup3 ", {E(EMFILE), E(ENFILE)}},
    {" fcntl ", {E(EBADF), E(EINVAL)}},
    {" ioctl ", {E(ENOTTY), E(EIO)}},
    {" clone clone3 vfork fork ", {E(EAGAIN), E(ENOMEM)}},
    {" wait4 waitid ", {E(EINTR), E(ECHILD)}},
    {" clock_nanosleep nanosleep ", {E(EINTR)}},
    {" landlock_create_ruleset landlock_add_rule landlock_restrict_self ",
	{E(ENOSYS), E(EOPNOTSUPP), E(ENOMEM), E(EPERM)}},
    {" seccomp ", {E(ENOSYS), E(EINVAL), E(EPERM), E(ENOMEM)}},
    {" prctl prlimit64 setrlimit ", {E(EPERM), E(EINVAL)}},
    {" getrandom ", {E(ENOSYS), E(EINTR), E(EAGAIN)}},
    {" lseek ", {E(ESPIPE), E(EINVAL)}},
    {" ftruncate ", {E(EIO), E(ENOSPC)}},
    {" fadvise64 ", {E(EINVAL)}},
    /* A close that is not made leaves a pipe open: see pieces.c. */
    {" close brk exit exit_group execve rt_sigreturn set_tid_address futex ", {{0}}},
    {"", {E(EPERM), E(EINVAL)}},
};

static void
note(struct call calls[MOST_CALLS], const char *line, bool main_began)
{
	size_t n = strcspn(line, "("), i;

	if (!islower((unsigned char)line[0]) || line[n] != '(' ||
	    n >= sizeof calls[0].name)
		return;
	for (i = 0; calls[i].name[0] != '\0'; i++)
		if (strlen(calls[i].name) == n &&
		    memcmp(calls[i].name, line, n) == 0)
			break;
	if (i == MOST_CALLS - 1)
		die("too many calls");
	memcpy(calls[i].name, line, n);
	calls[i].all++;
	calls[i].before += !main_began;
}

void
list_calls(struct sweep *s, struct call calls[MOST_CALLS])
{
	const char *const strace[] = {"strace", "-qq", "-o", LOG, NULL};
	struct result result;
	struct bytes log;
	char *line, *rest;
	bool main_began = false;

	run(s, &(struct how){.before = strace}, &result);
	if (!is_right(s, &result))
		complain(s, "nothing", "it is another under strace", &result);
	result_free(&result);
	log = slurp("log");
	for (line = log.p == NULL ? NULL : strtok_r(log.p, "\n", &rest);
	     line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "fcntl(0, F_GETFD", 16) == 0)
			main_began = true;
		/* What follows is the counting of tests/coverage. */
		if (strstr(line, "\"fault:end\"") != NULL)
			break;
		note(calls, line, main_began);
	}
	free(log.p);
	if (!main_began)
		die("strace tells nothing");
}

/* The call that failed, as strace tells it; empty if none did. */
static void
injected(char text[200])
{
	struct bytes log = slurp("log");
	char *line, *rest;

	text[0] = '\0';
	for (line = log.p == NULL ? NULL : strtok_r(log.p, "\n", &rest);
	     line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (strstr(line, "(INJECTED)") != NULL) {
			char *value = strrchr(line, '=');

			(void)snprintf(text, 200, "%.90s... %.60s", line,
			    value == NULL ? "" : value);
			break;
		}
	free(log.p);
}

static void
fail_one(struct sweep *s, const char *call, size_t at,
    const struct error *error)
{
	char trace[60], inject[120], what[200];
	const char *const strace[] = {
	    "strace", "-qq", "-o", LOG, "-e", trace, "-e", inject, NULL};
	struct result got;
	const char *why;
	bool quiet;

	(void)snprintf(trace, sizeof trace, "trace=%.39s", call);
	(void)snprintf(inject, sizeof inject, "inject=%.39s:error=%.16s:when=%zu",
	    call, error->name, at);
	run(s, &(struct how){.before = strace}, &got);
	injected(what);
	s->faults += what[0] != '\0';
	/* Where there is nobody left to read, or no way to tell. */
	quiet = error->number == EPIPE || strstr(what, "(2, ") != NULL;
	/* What is there, and is not when it is looked for, has no name. */
	why = judge(s, &got,
	    error->number == EEXIST ? NULL : strerror(error->number), quiet);
	if (why != NULL)
		complain(s, what, why, &got);
	result_free(&got);
}

static void
fail_each(struct sweep *s, const struct call *call)
{
	char name[44];
	size_t row = 0, at, i;

	/* How often memory is asked for may differ; the choice of others not. */
	draw_anew(s, call->name);
	(void)snprintf(name, sizeof name, " %.39s ", call->name);
	while (table[row].calls[0] != '\0' &&
	    strstr(table[row].calls, name) == NULL)
		row++;
	for (at = call->before + 1; at <= call->all; at++)
		for (i = 0; i < MOST_ERRORS; i++) {
			if (table[row].errors[i].name == NULL)
				break;
			if (!is_tried(s, call->all - call->before, MANY))
				continue;
			fail_one(s, call->name, at, &table[row].errors[i]);
		}
}

void
sweep_calls(struct sweep *s)
{
	struct call calls[MOST_CALLS] = {{{0}, 0, 0}};
	size_t i;

	list_calls(s, calls);
	for (i = 0; calls[i].name[0] != '\0'; i++)
		fail_each(s, &calls[i]);
}
