/*
 * calls.c - makes each system call of a command fail, one at a time
 *
 * strace lists the calls, and makes call number k of a name fail.  The calls of
 * the loader before main do not fail: the first call of the program itself is
 * fcntl(0, F_GETFD). strace also lists calls of threads, and of children until
 * they run another program; others.c makes those calls fail.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

#define LOG         "../log"
#define MOST_ERRORS 9
/* Number of calls of one name up to which every call is tried. */
#define MANY 4

struct error {
	const char *name;
	int number;
};
#define E(name)             \
	{                   \
#name, name \
	}

/* The errors with which a call may fail.  A call without a row has the errors
 * of the last row. */
static const struct {
	/* names of calls, each with a blank before and after it */
	const char *calls;
	struct error errors[MOST_ERRORS];
} table[] = {
    {" read pread64 ", {E(EIO), E(EINTR), E(EAGAIN), E(EISDIR)}},
    {" write writev pwrite64 ",
	{E(EIO), E(ENOSPC), E(EINTR), E(EAGAIN), E(EDQUOT), E(EFBIG),
	    E(EPIPE)}},
    {" open openat openat2 ",
	{E(EACCES), E(EMFILE), E(ENFILE), E(ENOMEM), E(EINTR), E(EIO),
	    E(ENOSPC), E(EROFS), E(EOPNOTSUPP)}},
    {" fsync fdatasync ", {E(EIO), E(ENOSPC), E(EROFS), E(EINTR)}},
    {" link linkat ",
	{E(EACCES), E(ENOSPC), E(EIO), E(EPERM), E(EROFS), E(EEXIST),
	    E(ENOENT)}},
    {" rename renameat renameat2 ", {E(EACCES), E(ENOSPC), E(EIO), E(EROFS)}},
    {" mkdir mkdirat ", {E(EACCES), E(ENOSPC), E(EROFS), E(EIO), E(EEXIST)}},
    {" unlink unlinkat ", {E(EACCES), E(EROFS), E(EIO)}},
    {" fstat newfstatat lstat stat statx fstatat64 ",
	{E(EIO), E(EACCES), E(ENOMEM)}},
    {" access faccessat faccessat2 readlink readlinkat ", {E(EACCES), E(EIO)}},
    {" mmap mmap2 mremap ", {E(ENOMEM), E(EACCES), E(EAGAIN)}},
    {" munmap mprotect madvise ", {E(ENOMEM), E(EINVAL)}},
    {" fchmod fchmodat chmod fchown fchown32 fchownat ",
	{E(EPERM), E(EROFS), E(EIO)}},
    {" kill tgkill setpgid ", {E(ESRCH), E(EPERM)}},
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
    {" execve ", {E(EACCES), E(ENOENT), E(ENOMEM), E(E2BIG)}},
    /* If close is not called, a pipe remains open: see pieces.c. glibc ends a
     * thread for which rseq fails, unless it is the first thread. */
    {" close brk exit exit_group rt_sigreturn set_tid_address futex rseq ",
	{{0}}},
    {"", {E(EPERM), E(EINVAL)}},
};

/* Stores the call in one line of strace's log: PID [NUMBER] NAME(... */
static void
note(struct call calls[MOST_CALLS], const char *line, bool is_main,
    bool main_began)
{
	unsigned number;
	char name[sizeof calls[0].name];
	size_t i;

	if (sscanf(line, "%*u [%u] %39[a-z0-9_](", &number, name) != 2)
		return;
	for (i = 0; calls[i].name[0] != '\0'; i++)
		if (strcmp(calls[i].name, name) == 0)
			break;
	if (i == MOST_CALLS - 1)
		die("too many calls");
	memcpy(calls[i].name, name, sizeof name);
	calls[i].number = number;
	calls[i].others += !is_main;
	calls[i].all += is_main;
	calls[i].before += is_main && !main_began;
}

void
list_calls(struct sweep *s, struct call calls[MOST_CALLS])
{
	/* With "-b execve", strace does not follow a child that runs another
	 * program. */
	const char *const strace[] = {"strace", "-qq", "-n", "-f", "-b",
	    "execve", "-o", LOG, NULL};
	struct result result;
	struct bytes log;
	char *line, *rest;
	long first;
	bool is_main, main_began = false;

	run(s, &(struct how){.before = strace}, &result);
	if (!is_right(s, &result))
		complain(s, "nothing", "it is another under strace", &result);
	result_free(&result);
	log = slurp("log");
	first = log.p == NULL ? 0 : strtol(log.p, NULL, 10);
	for (line = log.p == NULL ? NULL : strtok_r(log.p, "\n", &rest);
	     line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		is_main = strtol(line, NULL, 10) == first;
		if (is_main && strstr(line, "] fcntl(0, F_GETFD") != NULL)
			main_began = true;
		/* The calls after this call belong to the counting of
		 * tests/coverage. */
		if (strstr(line, "\"fault:end\"") != NULL)
			break;
		note(calls, line, is_main, main_began);
	}
	free(log.p);
	if (!main_began)
		die("strace lists nothing");
}

/* Copies the line of strace's log about the call that failed.  Copies an empty
 * text if no call failed. */
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

/* Runs the trial, with these words before its command, which make a call
 * fail. */
static void
fail_by(struct sweep *s, const char *const before[], const struct error *error)
{
	struct result got;
	const char *why;
	char what[200];
	bool quiet;

	run(s, &(struct how){.before = before}, &got);
	injected(what);
	s->faults += what[0] != '\0';
	/* No message is expected if nobody reads it, or if standard error
	 * (2) cannot be written. */
	quiet = error->number == EPIPE || strstr(what, "(2, ") != NULL;
	/* If a call reports EEXIST for a file that does not exist, the message
	 * need not contain the text of this error. */
	why = judge(s, &got,
	    error->number == EEXIST ? NULL : strerror(error->number), quiet);
	if (why != NULL)
		complain(s, what, why, &got);
	result_free(&got);
}

static void
fail_one(struct sweep *s, const char *call, size_t at,
    const struct error *error)
{
	char trace[60], inject[120];
	const char *const strace[] = {"strace", "-qq", "-o", LOG, "-e", trace,
	    "-e", inject, NULL};

	(void)snprintf(trace, sizeof trace, "trace=%.39s", call);
	(void)snprintf(inject, sizeof inject,
	    "inject=%.39s:error=%.16s:when=%zu", call, error->name, at);
	fail_by(s, strace, error);
}

static void
fail_other(struct sweep *s, const struct call *call, size_t at,
    const struct error *error)
{
	char sweep[4200], number[20], code[20], when[30];
	const char *const others[] = {sweep, "others", number, call->name, code,
	    when, NULL};

	(void)snprintf(sweep, sizeof sweep, "%s/sweep", s->tools);
	(void)snprintf(number, sizeof number, "%u", call->number);
	(void)snprintf(code, sizeof code, "%d", error->number);
	(void)snprintf(when, sizeof when, "%zu", at);
	s->others -= s->faults;
	fail_by(s, others, error);
	s->others += s->faults;
}

static void
fail_each(struct sweep *s, const struct call *call)
{
	const size_t own = call->all - call->before;
	const struct error *error;
	char name[44];
	size_t row = 0, at, i;

	/* The number of allocations may vary.  The choice of other calls must
	 * not depend on it, so new random numbers begin for each name. */
	draw_anew(s, call->name);
	(void)snprintf(name, sizeof name, " %.39s ", call->name);
	while (table[row].calls[0] != '\0' &&
	    strstr(table[row].calls, name) == NULL)
		row++;
	for (at = 1; at <= own + call->others; at++)
		for (i = 0; i < MOST_ERRORS; i++) {
			error = &table[row].errors[i];
			if (error->name == NULL)
				break;
			if (!is_tried(s, at <= own ? own : call->others, MANY))
				continue;
			if (at <= own)
				fail_one(s, call->name, call->before + at,
				    error);
			else
				fail_other(s, call, at - own, error);
		}
}

void
sweep_calls(struct sweep *s)
{
	struct call calls[MOST_CALLS] = {{.all = 0}};
	size_t i;

	list_calls(s, calls);
	for (i = 0; calls[i].name[0] != '\0'; i++)
		fail_each(s, &calls[i]);
}
