/* run_command.c - tests running of the user's commands, including commands that
 * fail */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/io.h"
#include "tap.h"

/* true: a ctx_command_runner runs the commands; false: this process runs
 * them */
static bool with_runner;

static int64_t
read_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A clock that is an hour later at each call. */
static int64_t
read_fast_clock(void)
{
	static int64_t hours;

	return ++hours * 3600 * 1000000000;
}

static int
run(const char *line, const char *input, size_t n, unsigned seconds,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_command command = {line, seconds, read_clock, NULL};
	struct ctx_command_runner runner = {0};
	int rc;

	out->n = 0;
	memset(err, 0, sizeof *err);
	if (with_runner)
		NEED(ctx_command_runner_start(&runner, &command, err) == 0);
	rc = ctx_run_command(&command, (struct ctx_str){input, n}, 1 << 20, out,
	    err);
	ctx_command_runner_end(&runner);
	return rc;
}

/* What a process does when it gets a signal, and the result of its
 * ctx_run_command. */
enum manner { BY_DEFAULT, IGNORED, CAUGHT, BLOCKED };
enum { DONE = 40, GIVEN_UP, OTHERWISE };

static volatile sig_atomic_t caught;

static void
note(int number)
{
	caught = number;
}

/* Runs a command in a process that handles the signal in this manner.  Returns
 * what happened to the command. */
static int
meet(int number, enum manner manner, const char *command)
{
	void (*const handlers[])(int) = {[BY_DEFAULT] = SIG_DFL,
	    [IGNORED] = SIG_IGN,
	    [CAUGHT] = note,
	    [BLOCKED] = SIG_DFL};
	struct ctx_buf out = {0};
	struct ctx_err err;
	sigset_t set;
	int rc;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(manner == BLOCKED ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
	signal(number, handlers[manner]);
	rc = run(command, "", 0, 60, &out, &err);
	ctx_buf_release(&out);
	if (rc == 0)
		return DONE;
	return caught == number &&
		strstr(err.text, "ended, because ctx received signal") != NULL
	    ? GIVEN_UP
	    : OTHERWISE;
}

/*
 * Sends a signal to such a process after its command has written a byte to
 * standard error.  Returns how the process ended, or -1 if a process that it
 * started still has this standard error open 20 seconds later.
 */
static int
status_after(int number, enum manner manner, const char *command)
{
	struct pollfd end;
	int fd[2], status = -1;
	ssize_t n = -1;
	char byte;
	pid_t pid;

	NEED(pipe(fd) == 0);
	fflush(stdout);
	pid = fork();
	NEED(pid >= 0);
	if (pid == 0) {
		dup2(fd[1], 2);
		close(fd[0]);
		close(fd[1]);
		_exit(meet(number, manner, command));
	}
	close(fd[1]);
	NEED(read(fd[0], &byte, 1) == 1);
	kill(pid, number);
	end = (struct pollfd){.fd = fd[0], .events = POLLIN};
	/* An emulator also writes to standard error which signal has ended a
	 * program. */
	while (poll(&end, 1, 20000) == 1 && (n = read(fd[0], &byte, 1)) > 0)
		continue;
	if (n == 0)
		waitpid(pid, &status, 0);
	close(fd[0]);
	return status;
}

/* Tests that a signal that ends this program also ends the command, and all
 * processes that the command started. */
static void
check_signals(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	static const char reads[] = "printf x >&2; sleep 61 & sleep 61",
			  closes[] =
			      "exec >&-; printf x >&2; sleep 61 & sleep 61",
			  soon[] = "printf x >&2; sleep 1";
	size_t i;
	int status;

	for (i = 0; i < 4; i++) {
		status = status_after(ends[i], BY_DEFAULT,
		    i % 2 == 0 ? reads : closes);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == ends[i]);
		status =
		    status_after(ends[i], CAUGHT, i % 2 == 0 ? closes : reads);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == GIVEN_UP);
	}
	tap_case(
	    "a signal that ctx ignores or blocks does not end its command");
	status = status_after(SIGINT, IGNORED, soon);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == DONE);
	status = status_after(SIGTERM, BLOCKED, soon);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == DONE);
}

static void
check_commands(void)
{
	struct ctx_buf out = {0}, big = {0};
	struct ctx_err err;
	time_t before;
	size_t i;

	tap_case("a command gets its input, and its output is returned");
	CHECK(run("tr a-z A-Z", "hello", 5, 10, &out, &err) == 0);
	CHECK(out.n == 5 && memcmp(out.p, "HELLO", 5) == 0);
	tap_case("input and output larger than a pipe do not deadlock");
	for (i = 0; i < 80000; i++)
		NEED(ctx_buf_add(&big, "0123456789", 10, &err) == 0);
	CHECK(run("cat", big.p, big.n, 20, &out, &err) == 0);
	CHECK(out.n == big.n && memcmp(out.p, big.p, big.n) == 0);
	tap_case("a command may stop reading early, or never read");
	CHECK(run("head -c 3", big.p, big.n, 10, &out, &err) == 0);
	CHECK(out.n == 3);
	CHECK(run("exec <&-; echo ok", big.p, big.n, 10, &out, &err) == 0);
	CHECK(out.n == 3);
	tap_case("a failing command has an error that says how it ended");
	CHECK(run("exit 3", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "status 3") != NULL);
	CHECK(run("no-such-command-here 2>/dev/null", "", 0, 10, &out, &err) ==
	    -1);
	CHECK(strstr(err.text, "status 127") != NULL);
	CHECK(run("kill -9 $$", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "signal 9") != NULL);
	CHECK(run("printf '\\377'", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "UTF-8") != NULL);
	CHECK(run("yes", "", 0, 10, &out, &err) == -1);
	CHECK(strstr(err.text, "more than 1048576 bytes") != NULL);
	CHECK(run("head -c 1048576 /dev/zero", "", 0, 20, &out, &err) == 0);
	CHECK(out.n == 1 << 20);
	tap_case(
	    "a command over its time limit is killed with all its processes");
	before = time(NULL);
	CHECK(run("sleep 60 & sleep 60", "", 0, 1, &out, &err) == -1);
	CHECK(strstr(err.text, "within 1 seconds") != NULL);
	CHECK(run("exec >&-; sleep 60", "", 0, 1, &out, &err) == -1);
	CHECK(time(NULL) - before < 20);
	tap_case(
	    "a signal that ends ctx ends the command with all its processes");
	check_signals();
	tap_case("after a command the signal handlers are as before");
	CHECK(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
	ctx_buf_release(&out);
	ctx_buf_release(&big);
}

static void
check_runner(void)
{
	struct ctx_command command = {"read -r n; [ $n != bad ] && echo $n", 10,
	    read_clock, NULL};
	struct ctx_command_runner runner;
	struct ctx_buf out = {0};
	struct ctx_err err;

	tap_case("a runner answers again, also after a command that failed");
	NEED(ctx_command_runner_start(&runner, &command, &err) == 0);
	CHECK(ctx_run_command(&command, (struct ctx_str){"a\n", 2}, 9, &out,
		  &err) == 0);
	CHECK(ctx_run_command(&command, (struct ctx_str){"bad\n", 4}, 9, &out,
		  &err) == -1);
	CHECK(strstr(err.text, "status 1") != NULL);
	CHECK(ctx_run_command(&command, (struct ctx_str){"b\n", 2}, 9, &out,
		  &err) == 0);
	CHECK(out.n == 4 && memcmp(out.p, "a\nb\n", 4) == 0);
	tap_case("a runner that was killed is an error each time it is asked");
	CHECK(kill(runner.pid, SIGKILL) == 0);
	CHECK(ctx_run_command(&command, (struct ctx_str){"a\n", 2}, 9, &out,
		  &err) == -1);
	CHECK(err.code == CTX_EARG && strstr(err.text, "ended") != NULL);
	CHECK(ctx_run_command(&command, (struct ctx_str){"a\n", 2}, 9, &out,
		  &err) == -1);
	CHECK(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
	ctx_command_runner_end(&runner);
	ctx_buf_release(&out);
}

/* Tests that the library itself reads no clock. */
static void
check_clock(void)
{
	struct ctx_command fast = {"sleep 60", 3600, read_fast_clock, NULL};
	struct ctx_command none = {"echo a", 0, NULL, NULL};
	struct ctx_buf out = {0};
	struct ctx_err err;

	tap_case("the clock of the caller decides when the time limit is over");
	CHECK(ctx_run_command(&fast, (struct ctx_str){"", 0}, 9, &out, &err) ==
	    -1);
	CHECK(strstr(err.text, "within 3600 seconds") != NULL);
	tap_case("without a clock there is no time limit");
	CHECK(ctx_run_command(&none, (struct ctx_str){"", 0}, 9, &out, &err) ==
	    0);
	CHECK(out.n == 2);
	ctx_buf_release(&out);
}

int
main(void)
{
	check_commands();
	with_runner = true;
	check_commands();
	check_runner();
	check_clock();
	return tap_done();
}
