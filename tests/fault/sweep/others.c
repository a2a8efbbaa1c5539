/*
 * others.c - makes a call of a thread fail, or a call of a child that has not
 * become another program yet
 *
 *     sweep others NUMBER NAME ERRNO AT COMMAND...
 *
 * strace counts the calls of each thread for itself (strace(1), "per syscall
 * and per tracee"), so the second call of a thread cannot fail alone: the
 * second call of the main thread, made by the loader, would fail, too.  Here
 * the kernel asks this program at each call with the given number
 * (seccomp_unotify(2)).  Call number AT of the calls that the main thread has
 * not made fails, and is written to "../log".  After execve(2), a child is
 * another program with another name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep.h"

/* number of characters of a program's name that the kernel stores */
#define COMM 15

struct fault {
	const char *name;
	int number;
	uint64_t at, seen;
	const char *program;
	pid_t main;
	int kernel; /* descriptor at which the kernel asks this program */
};

/* Returns true if a process id is that of a thread of the command, or of a
 * forked child that has not become another program. */
static bool
is_other(const struct fault *f, pid_t pid)
{
	char path[40];
	struct bytes comm;
	bool is;

	if (pid == f->main)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	comm = slurp(path);
	is = comm.n > 1 && comm.n - 1 <= COMM &&
	    strncmp(comm.p, f->program, comm.n - 1) == 0 &&
	    (comm.n - 1 == COMM || f->program[comm.n - 1] == '\0');
	free(comm.p);
	return is;
}

static void
tell(const struct fault *f)
{
	FILE *log = fopen("../log", "w");

	if (log == NULL ||
	    fprintf(log,
		"%s %" PRIu64 " of a thread or child "
		"= %s (INJECTED)\n",
		f->name, f->at, strerror(f->number)) < 0 ||
	    fclose(log) != 0)
		die("../log");
}

static void
answer(struct fault *f)
{
	struct seccomp_notif asked = {0};
	struct seccomp_notif_resp says = {0};

	/* The calling process may have ended before the question, or before the
	 * answer. */
	if (ioctl(f->kernel, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return;
	says.id = asked.id;
	says.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (is_other(f, (pid_t)asked.pid) && ++f->seen == f->at) {
		says.flags = 0;
		says.error = -f->number;
		tell(f);
	}
	(void)ioctl(f->kernel, SECCOMP_IOCTL_NOTIF_SEND, &says);
}

static _Noreturn void
become(unsigned number, char **argv)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {4, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter) >= 0)
		execv(argv[0], argv);
	_exit(127);
}

/* Starts the command.  The child shares the descriptors of this program until
 * it becomes the command.  So this program can use the descriptor of the
 * child's filter, too. */
static int
start(struct fault *f, unsigned number, char **argv)
{
	const struct timespec nap = {0, 50000};
	int next = dup(2);

	if (next < 0 || close(next) < 0)
		die("dup");
	f->main = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL,
	    NULL, 0);
	if (f->main < 0)
		die("clone");
	if (f->main == 0)
		become(number, argv);
	while (fcntl(next, F_GETFD) < 0) {
		if (waitpid(f->main, NULL, WNOHANG) != 0) {
			errno = ENOSYS;
			die("seccomp");
		}
		(void)nanosleep(&nap, NULL);
	}
	f->kernel = next;
	return (int)syscall(SYS_pidfd_open, f->main, 0);
}

int
fail_others(char **argv)
{
	struct fault f = {.name = argv[1],
	    .number = atoi(argv[2]),
	    .at = strtoull(argv[3], NULL, 10)};
	struct pollfd on[2] = {{.events = POLLIN}, {.events = POLLIN}};
	const char *slash = strrchr(argv[4], '/');
	int status;

	(void)unlink("../log");
	f.program = slash == NULL ? argv[4] : slash + 1;
	on[1].fd = start(&f, (unsigned)strtoul(argv[0], NULL, 10), argv + 4);
	on[0].fd = f.kernel;
	if (on[1].fd < 0)
		die("pidfd_open");
	while (poll(on, 2, -1) > 0 && on[1].revents == 0)
		if (on[0].revents & POLLIN)
			answer(&f);
	if (waitpid(f.main, &status, 0) < 0)
		die("waitpid");
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	(void)signal(WTERMSIG(status), SIG_DFL);
	(void)raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
