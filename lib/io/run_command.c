/*
 * run_command.c - runs a shell command with a time limit
 *
 * The command's input and output are pipes.  Both are polled, so that this
 * process and the command cannot wait for each other for ever.  The command has
 * its own process group, which is killed when the time limit is over or the
 * output is too long.
 *
 * The first process of this group is a guard: a shell that is started before
 * the command.  The guard reads from a pipe that only this process can write
 * to.  When this process ends, the guard sees the end of the pipe and kills the
 * group.  This also works for SIGKILL, which can be neither blocked nor
 * handled.
 *
 * Signals from a terminal do not reach the process group of the command.  So
 * the signals that would end this process are blocked while the command runs,
 * looked for ten times a second, and delivered after the group was killed.
 * Other signals are not blocked.
 */
#define _GNU_SOURCE /* pipe2, in POSIX since 2024 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/run_command.h"

extern char **environ;

struct child {
	/* The command runs in a process group with a guard: a process that
	 * kills the group when this process ends. guard, pid: process ids of
	 * the guard and of the command.  The process id of the guard is also
	 * the id of the group. */
	pid_t guard, pid;
	/* Write end of a pipe that the guard reads.  The guard sees the end of
	 * the pipe when this process ends. */
	int life;
	/* pipes to the command's input and from its output, or -1 if closed */
	int in, out;
};

/* One run of a command. */
struct command_run {
	const char *line; /* command line, for error messages */
	unsigned seconds;
	ctx_clock *clock;
	/* bytes of the command's input that were not written yet */
	struct ctx_str input;
	/* maximum length of the command's output in bytes */
	size_t limit;
	/* If this process is a runner (runs the command for another process):
	 * read end of a pipe whose write end the other process has open.  The
	 * end of the pipe shows that the other process has ended. -1 if this
	 * process is not a runner. */
	int client;
	/* time at which the command is killed, in nanoseconds of the clock */
	int64_t deadline;
	/* The signals that would end this process.  They are blocked while the
	 * command runs. */
	sigset_t ends;
};

void
ctx_command_close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* Makes a pipe whose descriptors are closed on exec.  If a program that is
 * started later had a copy of the write end, the reader would never see the end
 * of the data. */
static int
make_pipe(int fd[2], struct ctx_err *err)
{
	if (pipe2(fd, O_CLOEXEC) < 0)
		return ctx_err_sys(err, errno, "cannot create a pipe");
	return 0;
}

int
ctx_command_make_pipes(int one[2], int other[2], struct ctx_err *err)
{
	if (make_pipe(one, err) < 0)
		return -1;
	if (make_pipe(other, err) == 0)
		return 0;
	ctx_command_close_end(&one[0]);
	ctx_command_close_end(&one[1]);
	return -1;
}

/* Sets attributes of a process that will be started: default signal handlers,
 * no blocked signals, and the process group that it joins (0: a new group). */
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

/* Sets the standard files of a process that will be started.  Returns 0, or an
 * errno value. */
static int
set_files(posix_spawn_file_actions_t *actions, const int files[3])
{
	int rc = 0;

	for (int fd = 0; fd < 3 && rc == 0; fd++)
		if (files[fd] < 0)
			rc = posix_spawn_file_actions_addopen(actions, fd,
			    "/dev/null", O_WRONLY, 0);
		else if (files[fd] != fd)
			rc = posix_spawn_file_actions_adddup2(actions,
			    files[fd], fd);
	return rc;
}

int
ctx_command_spawn(pid_t *pid, const char *program, char *const *words,
    pid_t group, const int files[3])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (rc == 0) {
		rc = set_files(&actions, files);
		if (rc == 0)
			rc = set_attributes(&attr, group);
		if (rc == 0)
			rc = posix_spawnp(pid, program, &actions, &attr, words,
			    environ);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return rc;
}

int
ctx_command_await(pid_t pid, int *status)
{
	pid_t done;

	do
		done = waitpid(pid, status, 0);
	while (done < 0 && errno == EINTR);
	return done < 0 ? -1 : 0;
}

void
ctx_command_write_input(int *fd, struct ctx_str *input)
{
	ssize_t n = input->n == 0 ? 0 : write(*fd, input->p, input->n);

	if (n > 0) {
		input->p += n;
		input->n -= (size_t)n;
	}
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || input->n == 0)
		ctx_command_close_end(fd);
}

/* Starts a shell command with the descriptors in and out as its standard input
 * and output.  If out is -1, its output is /dev/null.  Returns 0, or an errno
 * value. */
static int
spawn_shell(pid_t *pid, const char *command, pid_t group, int in, int out)
{
	char sh[] = "sh", dash_c[] = "-c";
	char *words[] = {sh, dash_c, (char *)(uintptr_t)command, NULL};

	return ctx_command_spawn(pid, "/bin/sh", words, group,
	    (const int[]){in, out, STDERR_FILENO});
}

/* Kills all processes in the process group of the command.  No other group can
 * have the same id: it is the process id of the guard, which is not used again
 * before this process has waited for the guard. */
static void
end_group(struct child *child)
{
	(void)kill(-child->guard, SIGKILL);
	ctx_command_close_end(&child->life);
	(void)ctx_command_await(child->guard, NULL);
}

static int
start_guard(struct child *child, struct ctx_err *err)
{
	int life[2], rc;

	if (make_pipe(life, err) < 0)
		return -1;
	rc = spawn_shell(&child->guard, "read -r end; kill -KILL 0", 0, life[0],
	    -1);
	ctx_command_close_end(&life[0]);
	child->life = life[1];
	if (rc == 0)
		return 0;
	ctx_command_close_end(&child->life);
	return ctx_err_sys(err, rc, "cannot run a shell");
}

static int
start_command(struct child *child, const char *command, struct ctx_err *err)
{
	int in[2], out[2], rc;

	if (ctx_command_make_pipes(in, out, err) < 0)
		return -1;
	rc = spawn_shell(&child->pid, command, child->guard, in[0], out[1]);
	ctx_command_close_end(&in[0]);
	ctx_command_close_end(&out[1]);
	child->in = in[1];
	child->out = out[0];
	if (rc == 0)
		return 0;
	ctx_command_close_end(&child->in);
	ctx_command_close_end(&child->out);
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

void
ctx_command_block_signals(sigset_t *ends, sigset_t *before)
{
	struct sigaction action;
	sigset_t held;

	(void)pthread_sigmask(SIG_BLOCK, NULL, before);
	(void)sigemptyset(ends);
	for (size_t i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (!sigismember(before, ctx_termination_signals[i]) &&
		    sigaction(ctx_termination_signals[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			(void)sigaddset(ends, ctx_termination_signals[i]);
	held = *ends;
	(void)sigaddset(&held, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &held, NULL);
}

void
ctx_command_restore_signals(const sigset_t *before)
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

int
ctx_command_ended_by_signal(const sigset_t *ends)
{
	sigset_t pending;

	(void)sigpending(&pending);
	for (size_t i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (sigismember(ends, ctx_termination_signals[i]) &&
		    sigismember(&pending, ctx_termination_signals[i]))
			return ctx_termination_signals[i];
	return 0;
}

/* Returns true if the process for which the command runs has ended. client:
 * read end of a pipe from that process, or -1 if the command runs for this
 * process. */
static bool
is_client_gone(int client)
{
	struct pollfd fd = {.fd = client};

	return client >= 0 && poll(&fd, 1, 0) == 1 &&
	    (fd.revents & (POLLHUP | POLLERR)) != 0;
}

/* Returns the number of milliseconds until the time limit of the command, but
 * at most CTX_COMMAND_SLICE. */
static int
get_ms_until_deadline(const struct command_run *run)
{
	int64_t ms = run->clock == NULL
	    ? CTX_COMMAND_SLICE
	    : (run->deadline - run->clock()) / 1000000;

	return ms < 0                ? 0
	    : ms > CTX_COMMAND_SLICE ? CTX_COMMAND_SLICE
				     : (int)ms;
}

/* Returns for how many milliseconds poll(2) may wait for the command, or -1
 * with *err if the command must be killed now. */
static int
check_wait_time(const struct command_run *run, struct ctx_err *err)
{
	int left = get_ms_until_deadline(run);
	int number = ctx_command_ended_by_signal(&run->ends);

	if (number != 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' was ended, because ctx received signal %d",
		    run->line, number);
	if (is_client_gone(run->client))
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' was ended, because ctx has ended", run->line);
	if (left == 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' did not end within %u seconds; raise --timeout",
		    run->line, run->seconds);
	return left;
}

/* Reads more of the command's output.  Returns 1, or 0 at the end of the
 * output, or -1 with *err. */
static int
read_output(const struct child *child, const char *line, struct ctx_buf *out,
    struct ctx_err *err)
{
	ssize_t n;

	if (ctx_buf_reserve(out, 4096, err) < 0)
		return -1;
	n = read(child->out, out->p + out->n, 4096);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN
		    ? 1
		    : ctx_err_sys(err, errno,
			  "cannot read the output of '%.80s'", line);
	out->n += (size_t)n;
	return n > 0;
}

static int
exchange_data(struct child *child, struct command_run *run, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct pollfd fds[2];
	size_t from = out->n;
	int rc, left;

	/* Writing to the pipe must not block: while this process waited in a
	 * write, it could not read the command's output or check its time
	 * limit. */
	if (fcntl(child->in, F_SETFL, O_NONBLOCK) < 0)
		return ctx_err_sys(err, errno, "cannot run '%.80s'", run->line);
	if (run->input.n == 0)
		ctx_command_close_end(&child->in);
	for (;;) {
		left = check_wait_time(run, err);
		if (left < 0)
			return -1;
		fds[0] = (struct pollfd){.fd = child->out, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = child->in, .events = POLLOUT};
		if (poll(fds, 2, left) < 0 && errno != EINTR)
			return ctx_err_sys(err, errno,
			    "cannot wait for the output of '%.80s'", run->line);
		if (fds[1].revents != 0)
			ctx_command_write_input(&child->in, &run->input);
		if (fds[0].revents == 0)
			continue;
		rc = read_output(child, run->line, out, err);
		if (rc <= 0)
			return rc;
		if (out->n - from > run->limit)
			return ctx_err_set(err, CTX_EARG,
			    "'%.80s' wrote more than %zu bytes, the maximum",
			    run->line, run->limit);
	}
}

/* Waits until the command has ended, which may be later than the end of its
 * output.  The command remains a zombie process, so that no other process gets
 * its id. */
static int
await_exit(const struct child *child, const struct command_run *run,
    struct ctx_err *err)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)child->pid, &info,
			WEXITED | WNOHANG | WNOWAIT) < 0 &&
		    errno != EINTR)
			return 0;
		if (info.si_pid != 0)
			return 0;
		if (check_wait_time(run, err) < 0)
			return -1;
		ctx_pause(2000);
	}
}

/* Kills the process group of the command, waits for the command, and sets *err
 * if the command has failed.  If kill_it is false, first lets the command end
 * by itself, until its time limit. */
static int
finish_child(struct child *child, const struct command_run *run, bool kill_it,
    struct ctx_err *err)
{
	int status = 0, rc;

	ctx_command_close_end(&child->in);
	ctx_command_close_end(&child->out);
	rc = kill_it ? -1 : await_exit(child, run, err);
	end_group(child);
	if (ctx_command_await(child->pid, &status) < 0)
		return ctx_err_sys(err, errno,
		    "cannot wait for the end of '%.80s'", run->line);
	if (rc < 0)
		return -1;
	if (WIFSIGNALED(status))
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' was killed by signal %d", run->line,
		    WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' ended with status %d", run->line,
		    WEXITSTATUS(status));
	return 0;
}

/* Starts the command, writes its input, reads its output, and waits until it
 * has ended.  The caller must have blocked signals. */
static int
run_child(struct command_run *run, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_err at_end;
	struct child child;
	int rc;

	if (start_child(&child, run->line, err) < 0)
		return -1;
	rc = exchange_data(&child, run, out, err);
	if (finish_child(&child, run, rc < 0, &at_end) < 0 && rc == 0) {
		*err = at_end;
		rc = -1;
	}
	return rc;
}

int
ctx_command_run_for(int client, const struct ctx_command *command,
    struct ctx_str input, size_t limit, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct command_run run = {.line = command->line,
	    .seconds = command->seconds,
	    .clock = command->clock,
	    .input = input,
	    .limit = limit,
	    .client = client};
	sigset_t before;
	size_t from = out->n;
	int rc;

	ctx_command_block_signals(&run.ends, &before);
	if (run.clock != NULL)
		run.deadline = run.clock() + (int64_t)run.seconds * 1000000000;
	rc = run_child(&run, out, err);
	ctx_command_restore_signals(&before);
	if (rc < 0)
		return -1;
	if (ctx_utf8_valid(out->p + from, out->n - from, CTX_SIMD_BEST) !=
	    out->n - from)
		return ctx_err_set(err, CTX_EARG, "'%.80s' wrote invalid UTF-8",
		    command->line);
	return 0;
}
