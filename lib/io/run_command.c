/*
 * run_command.c - run a command with a text in, a text out, and an end
 *
 * Both pipes are polled, so that neither side can wait for the other for
 * ever; the command has a process group of its own, which is killed when the
 * time is over or more comes out than was asked for.
 *
 * The group is led by a guard, which is there before the command.  It waits at
 * a pipe that only this process can write to, and kills the group when this
 * process has ended: SIGKILL can be neither held back nor handled.
 *
 * What ends us from a terminal does not reach that group, so such signals are
 * held back while we wait, looked for many times a second, and let through
 * when the group is gone.  They are left alone where they would not end us.
 */
#define _GNU_SOURCE /* pipe2, which POSIX has since 2024 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/io.h"

extern char **environ;

struct child {
	pid_t guard, pid; /* the guard's is that of the group, too */
	int life;         /* our end of the guard's pipe */
	int in, out;      /* our ends; -1: closed */
};

/* What ends the wait before the command does. */
struct until {
	struct timespec deadline;
	sigset_t ends; /* held back: signals that would end us */
};

enum { SLICE = 100 }; /* milliseconds until we look for such a signal */

static void
close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* A pipe whose ends no other child inherits: one that had them too would
 * keep the other from ever seeing an end. */
static int
make_pipe(int fd[2], struct ctx_err *err)
{
	if (pipe2(fd, O_CLOEXEC) < 0)
		return ctx_err_sys(err, errno, "cannot make a pipe");
	return 0;
}

/* Signals as a fresh program expects them, and a group; 0: a new one. */
static int
set_attributes(posix_spawnattr_t *attr, pid_t group)
{
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	rc = posix_spawnattr_setflags(attr,
	    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
		POSIX_SPAWN_SETSIGMASK);
	if (rc == 0)
		rc = posix_spawnattr_setpgroup(attr, group);
	if (rc == 0)
		rc = posix_spawnattr_setsigmask(attr, &none);
	if (rc == 0)
		rc = posix_spawnattr_setsigdefault(attr, &all);
	return rc;
}

/* Runs a command with these files, out -1: none; 0, or an error number. */
static int
spawn(pid_t *pid, const char *command, pid_t group, int in, int out)
{
	char sh[] = "sh", dash_c[] = "-c";
	char *argv[] = {sh, dash_c, (char *)(uintptr_t)command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int rc;

	rc = posix_spawn_file_actions_init(&actions);
	if (rc == 0)
		rc = posix_spawnattr_init(&attr);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, in, 0);
	if (rc == 0)
		rc = out >= 0
		    ? posix_spawn_file_actions_adddup2(&actions, out, 1)
		    : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null",
			  O_WRONLY, 0);
	if (rc == 0)
		rc = set_attributes(&attr, group);
	if (rc == 0)
		rc =
		    posix_spawn(pid, "/bin/sh", &actions, &attr, argv, environ);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&actions);
	return rc;
}

/* Kills what is left of the group; the guard keeps its number from being
 * another's until it has been waited for. */
static void
end_group(struct child *child)
{
	pid_t done;

	(void)kill(-child->guard, SIGKILL);
	close_end(&child->life);
	do
		done = waitpid(child->guard, NULL, 0);
	while (done < 0 && errno == EINTR);
}

static int
start_guard(struct child *child, struct ctx_err *err)
{
	int life[2], rc;

	if (make_pipe(life, err) < 0)
		return -1;
	rc = spawn(&child->guard, "read -r end; kill -KILL 0", 0, life[0], -1);
	close_end(&life[0]);
	child->life = life[1];
	if (rc == 0)
		return 0;
	close_end(&child->life);
	return ctx_err_sys(err, rc, "cannot run a shell");
}

static int
start_command(struct child *child, const char *command, struct ctx_err *err)
{
	int in[2], out[2], rc;

	if (make_pipe(in, err) < 0)
		return -1;
	if (make_pipe(out, err) < 0) {
		close_end(&in[0]);
		close_end(&in[1]);
		return -1;
	}
	rc = spawn(&child->pid, command, child->guard, in[0], out[1]);
	close_end(&in[0]);
	close_end(&out[1]);
	child->in = in[1];
	child->out = out[0];
	if (rc == 0)
		return 0;
	close_end(&child->in);
	close_end(&child->out);
	return ctx_err_sys(err, rc, "cannot run '%.80s'", command);
}

static int
start_child(struct child *child, const char *command, struct ctx_err *err)
{
	if (start_guard(child, err) < 0)
		return -1;
	if (start_command(child, command, err) == 0)
		return 0;
	end_group(child);
	return -1;
}

/* Holds back what must not end us now: SIGPIPE, of a command that stops
 * reading, and what would leave the command alone. */
static void
block_signals(struct until *until, sigset_t *before)
{
	struct sigaction action;
	sigset_t held;
	size_t i;

	(void)pthread_sigmask(SIG_BLOCK, NULL, before);
	(void)sigemptyset(&until->ends);
	for (i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (!sigismember(before, ctx_termination_signals[i]) &&
		    sigaction(ctx_termination_signals[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			(void)sigaddset(&until->ends,
			    ctx_termination_signals[i]);
	held = until->ends;
	(void)sigaddset(&held, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &held, NULL);
}

/* Lets through what was held back, but a SIGPIPE of ours. */
static void
restore_signals(const sigset_t *before)
{
	struct timespec now = {0, 0};
	sigset_t pipe_signal, pending;

	(void)sigemptyset(&pipe_signal);
	(void)sigaddset(&pipe_signal, SIGPIPE);
	(void)sigpending(&pending);
	if (sigismember(&pending, SIGPIPE) && !sigismember(before, SIGPIPE))
		(void)sigtimedwait(&pipe_signal, NULL, &now);
	(void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Milliseconds until the deadline, at least 0. */
static int
ms_until_deadline(const struct timespec *deadline)
{
	struct timespec now;
	int64_t ms;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(deadline->tv_sec - now.tv_sec) * 1000 +
	    (deadline->tv_nsec - now.tv_nsec) / 1000000;
	return ms < 0 ? 0 : ms > SLICE ? SLICE : (int)ms;
}

/* Milliseconds that may be waited, or -1: no more. */
static int
check_wait_time(const struct until *until, const struct ctx_command *exec,
    struct ctx_err *err)
{
	int left = ms_until_deadline(&until->deadline);
	sigset_t pending;
	size_t i;

	(void)sigpending(&pending);
	for (i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (sigismember(&until->ends, ctx_termination_signals[i]) &&
		    sigismember(&pending, ctx_termination_signals[i]))
			return ctx_err_set(err, CTX_EARG,
			    "'%.80s' was given up for signal %d", exec->command,
			    ctx_termination_signals[i]);
	if (left == 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' did not end within %u seconds", exec->command,
		    exec->seconds);
	return left;
}

/* Writes some more of the input; a command may stop reading before its end. */
static void
write_input(struct child *child, struct ctx_str *input)
{
	ssize_t n = write(child->in, input->p, input->n);

	if (n >= 0) {
		input->p += n;
		input->n -= (size_t)n;
	}
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || input->n == 0)
		close_end(&child->in);
}

/* Reads some more of the output: 1, or 0 at its end. */
static int
read_output(struct child *child, struct ctx_buf *out, struct ctx_err *err)
{
	ssize_t n;

	if (ctx_buf_reserve(out, 4096, err) < 0)
		return -1;
	n = read(child->out, out->p + out->n, 4096);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN
		    ? 1
		    : ctx_err_sys(err, errno, "cannot read from a command");
	out->n += (size_t)n;
	return n > 0;
}

static int
exchange_data(struct child *child, const struct ctx_command *exec,
    const struct until *until, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str input = exec->input;
	struct pollfd fds[2];
	size_t from = out->n;
	int rc, left;

	/* A write that waits would keep us from reading, and from the end. */
	if (fcntl(child->in, F_SETFL, O_NONBLOCK) < 0)
		return ctx_err_sys(err, errno, "cannot run '%.80s'",
		    exec->command);
	if (input.n == 0)
		close_end(&child->in);
	for (;;) {
		left = check_wait_time(until, exec, err);
		if (left < 0)
			return -1;
		fds[0] = (struct pollfd){.fd = child->out, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = child->in, .events = POLLOUT};
		if (poll(fds, 2, left) < 0 && errno != EINTR)
			return ctx_err_sys(err, errno, "cannot poll");
		if (fds[1].revents != 0)
			write_input(child, &input);
		if (fds[0].revents == 0)
			continue;
		rc = read_output(child, out, err);
		if (rc <= 0)
			return rc;
		if (out->n - from > exec->limit)
			return ctx_err_set(err, CTX_EARG,
			    "'%.80s' wrote more than %zu bytes", exec->command,
			    exec->limit);
	}
}

/* Waits until the command has ended, which it may do after its output, but
 * leaves it to be waited for. */
static int
await_exit(const struct child *child, const struct ctx_command *exec,
    const struct until *until, struct ctx_err *err)
{
	struct timespec nap = {0, 2000000};
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)child->pid, &info,
			WEXITED | WNOHANG | WNOWAIT) < 0 &&
		    errno != EINTR)
			return 0;
		if (info.si_pid != 0)
			return 0;
		if (check_wait_time(until, exec, err) < 0)
			return -1;
		(void)nanosleep(&nap, NULL);
	}
}

/* Sees to it that nothing of the command's group is left, and how it ended. */
static int
finish_child(struct child *child, const struct ctx_command *exec,
    const struct until *until, bool kill_it, struct ctx_err *err)
{
	int status = 0, rc;
	pid_t done;

	close_end(&child->in);
	close_end(&child->out);
	rc = kill_it ? -1 : await_exit(child, exec, until, err);
	end_group(child);
	do
		done = waitpid(child->pid, &status, 0);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return ctx_err_sys(err, errno, "cannot wait for '%.80s'",
		    exec->command);
	if (rc < 0)
		return -1;
	if (WIFSIGNALED(status))
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' was killed by signal %d", exec->command,
		    WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' ended with status %d", exec->command,
		    WEXITSTATUS(status));
	return 0;
}

int
ctx_run_command(const struct ctx_command *exec, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct until until;
	struct ctx_err at_end;
	struct child child;
	sigset_t before;
	size_t from = out->n;
	int rc;

	block_signals(&until, &before);
	(void)clock_gettime(CLOCK_MONOTONIC, &until.deadline);
	until.deadline.tv_sec += (time_t)exec->seconds;
	rc = start_child(&child, exec->command, err);
	if (rc == 0) {
		rc = exchange_data(&child, exec, &until, out, err);
		if (finish_child(&child, exec, &until, rc < 0, &at_end) < 0 &&
		    rc == 0) {
			*err = at_end;
			rc = -1;
		}
	}
	restore_signals(&before);
	if (rc < 0)
		return -1;
	if (ctx_utf8_valid(out->p + from, out->n - from, CTX_SIMD_BEST) !=
	    out->n - from)
		return ctx_err_set(err, CTX_EARG, "'%.80s' wrote invalid UTF-8",
		    exec->command);
	return 0;
}
