/*
 * command_runner.c - a child process that runs a shell command for a program in
 * a sandbox
 *
 * The child is forked before the program enters the sandbox, so the child can
 * still run programs.  The child reads requests from one pipe and writes
 * answers to another pipe.  Both pipes carry C structs as they are in memory,
 * because both processes run the same code.  A request contains no command: the
 * child runs only the command for which it was started.
 *
 * When the program ends, its end of the request pipe is closed.  The child
 * detects this, even while the command runs (ctx_command_run_for).  It then
 * kills the command and ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/run_command.h"

/* A request to run the command.  In the pipe, n bytes come after this struct:
 * the input of the command. */
struct request {
	size_t n, limit;
};

/* The answer to a request.  In the pipe, n bytes come after this struct: the
 * output of the command. */
struct answer {
	int rc;
	struct ctx_err err;
	size_t n;
};

/* ---- the runner ---- */

/* Runs the command for a request.  First reads the input of the command, which
 * is in the pipe after the request. */
static int
run_request(const struct ctx_command_runner *runner,
    const struct ctx_command *command, const struct request *request,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf input = {0};
	int rc = -1;

	if (ctx_buf_reserve(&input, request->n, err) < 0)
		return -1;
	if (ctx_read_exactly(runner->requests, input.p, request->n) == 0)
		rc = ctx_command_run_for(runner->requests, command,
		    (struct ctx_str){input.p, request->n}, request->limit, out,
		    err);
	ctx_buf_release(&input);
	return rc;
}

/* Runs the command for one request, and writes the answer.  Returns -1 if there
 * can be no further request.  This is so if the program that sends requests has
 * ended, or if there was no memory: the command's input may then still be in
 * the pipe. */
static int
serve_request(const struct ctx_command_runner *runner,
    const struct ctx_command *command, const struct request *request,
    struct ctx_buf *out)
{
	struct answer answer;

	memset(&answer, 0, sizeof answer);
	out->n = 0;
	answer.rc = run_request(runner, command, request, out, &answer.err);
	answer.n = out->n;
	if (ctx_write_all(runner->answers,
		(struct ctx_str){(const char *)&answer, sizeof answer},
		ctx_buf_str(out)) < 0)
		return -1;
	return answer.rc < 0 && answer.err.code == CTX_ENOMEM ? -1 : 0;
}

/* Resets the handling of signals in the child, because the program's signal
 * handlers must not run there.  Signals that end a process get their default
 * action, unless they are ignored. */
static void
reset_handlers(void)
{
	struct sigaction action;

	for (size_t i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (sigaction(ctx_termination_signals[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN) {
			action.sa_handler = SIG_DFL;
			action.sa_flags = 0;
			(void)sigaction(ctx_termination_signals[i], &action,
			    NULL);
		}
	(void)signal(SIGPIPE, SIG_DFL);
}

/* Runs the command for each request that arrives, until the main program has
 * ended. */
static void
handle_requests(const struct ctx_command_runner *runner,
    const struct ctx_command *command)
{
	struct ctx_buf out = {0};
	struct request request;

	reset_handlers();
	if (ctx_command_runner_close_output() < 0)
		return;
	while (
	    ctx_read_exactly(runner->requests, &request, sizeof request) == 0 &&
	    serve_request(runner, command, &request, &out) == 0)
		continue;
}

int
ctx_command_runner_close_output(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	return null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ? -1 : 0;
}

int
ctx_command_runner_fork(struct ctx_command_runner *runner, struct ctx_err *err)
{
	int requests[2], answers[2];
	bool child;

	*runner = (struct ctx_command_runner){.requests = -1, .answers = -1};
	if (ctx_command_make_pipes(requests, answers, err) < 0)
		return -1;
	runner->pid = fork();
	if (runner->pid < 0)
		ctx_err_sys(err, errno, "cannot start a process");
	child = runner->pid == 0;
	runner->requests = requests[!child];
	runner->answers = answers[child];
	ctx_command_close_end(&requests[child]);
	ctx_command_close_end(&answers[!child]);
	if (runner->pid >= 0)
		return child;
	ctx_command_runner_end(runner);
	return -1;
}

int
ctx_command_runner_start(struct ctx_command_runner *runner,
    struct ctx_command *command, struct ctx_err *err)
{
	struct ctx_command own = {.line = command->line,
	    .seconds = command->seconds,
	    .clock = command->clock};
	int rc = ctx_command_runner_fork(runner, err);

	if (rc > 0) {
		handle_requests(runner, &own);
		_exit(0);
	}
	if (rc < 0)
		return runner->pid == 0
		    ? -1
		    : ctx_err_sys(err, err->sys,
			  "cannot start a process for '%.80s'", command->line);
	command->runner = runner;
	return 0;
}

/* ---- the program ---- */

/* Waits for the answer of the child.  If a signal that would end this process
 * arrives, closes the request pipe; the child then kills the command and
 * ends. */
static void
await_answer(struct ctx_command_runner *runner, const sigset_t *ends)
{
	struct pollfd fd = {.fd = runner->answers, .events = POLLIN};

	while (poll(&fd, 1, CTX_COMMAND_SLICE) <= 0)
		if (ctx_command_ended_by_signal(ends) != 0)
			ctx_command_close_end(&runner->requests);
}

/* Appends n bytes of the command's output to out.  The child (the process that
 * runs the command) has written these bytes to the pipe after struct answer.
 * Returns 0, or 1 if the child has ended, or -1 with *err. */
static int
read_output(const struct ctx_command_runner *runner, size_t n,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (ctx_buf_reserve(out, n, err) < 0)
		return -1;
	if (ctx_read_exactly(runner->answers, out->p + out->n, n) < 0)
		return 1;
	out->n += n;
	return 0;
}

/* Sends a request to the child, and reads the answer.  Returns 0, or 1 if the
 * child has ended, or -1 with *err. */
static int
send_request(struct ctx_command_runner *runner, struct ctx_str input,
    size_t limit, const sigset_t *ends, struct ctx_buf *out,
    struct ctx_err *err)
{
	const struct request request = {input.n, limit};
	struct answer answer;
	int rc;

	/* Even if writing fails, the answer is read: the child may have
	 * answered before it has read the whole request. */
	if (ctx_write_all(runner->requests,
		(struct ctx_str){(const char *)&request, sizeof request},
		input) < 0)
		ctx_command_close_end(&runner->requests);
	await_answer(runner, ends);
	if (ctx_read_exactly(runner->answers, &answer, sizeof answer) < 0)
		return 1;
	rc = read_output(runner, answer.n, out, err);
	if (rc == 0 && answer.rc < 0) {
		*err = answer.err;
		rc = -1;
	}
	return rc;
}

/* Asks the child process to run the command.  Returns the result of
 * ctx_command_run_for in the child, or -1 with *err if the child has ended. */
static int
ask_runner(const struct ctx_command *command, struct ctx_str input,
    size_t limit, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_command_runner *runner = command->runner;
	sigset_t ends, before;
	int rc = 1, number;

	ctx_command_block_signals(&ends, &before);
	if (runner->requests >= 0)
		rc = send_request(runner, input, limit, &ends, out, err);
	number = ctx_command_ended_by_signal(&ends);
	if (rc > 0 || number != 0 || (rc < 0 && err->code == CTX_ENOMEM))
		ctx_command_runner_end(runner);
	ctx_command_restore_signals(&before);
	if (rc != 0 && number != 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%.80s' was ended, because ctx received signal %d",
		    command->line, number);
	if (rc <= 0)
		return rc;
	return ctx_err_set(err, CTX_EARG,
	    "the process that runs '%.80s' ended unexpectedly", command->line);
}

int
ctx_run_command(const struct ctx_command *command, struct ctx_str input,
    size_t limit, struct ctx_buf *out, struct ctx_err *err)
{
	return command->runner != NULL
	    ? ask_runner(command, input, limit, out, err)
	    : ctx_command_run_for(-1, command, input, limit, out, err);
}

void
ctx_command_runner_end(struct ctx_command_runner *runner)
{
	if (runner->pid == 0)
		return;
	ctx_command_close_end(&runner->requests);
	ctx_command_close_end(&runner->answers);
	if (runner->pid < 0)
		return;
	(void)ctx_command_await(runner->pid, NULL);
	runner->pid = 0;
}
