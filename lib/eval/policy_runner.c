/*
 * policy_runner.c - a child process that runs the commands of policies; the
 * main program cannot start commands, because it is in a sandbox
 *
 * The child is forked before the main program enters the sandbox.  The child
 * reads requests from one pipe and writes answers to another pipe.  Both pipes
 * carry C structs as they are in memory.  A request names a policy by its
 * number, so the child runs no other commands than those of the policies.  When
 * the main program ends, its end of the request pipe is closed.  The child then
 * kills the running command and ends.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "eval/policy_runner.h"
#include "io/run_command.h"

/* A request to the child process.  In the pipe, the name of the dialect and the
 * input of the command come after this struct. */
struct request_head {
	size_t policy, dialect, input;
	uint64_t budget;
};

/* An answer of the child process.  In the pipe, the command's output and the
 * files that the command has saved come after this struct. */
struct answer_head {
	/* The pointers in this member are valid only in the process that wrote
	 * the answer. */
	struct policy_answer answer;
	size_t out, files;
};

static int
read_bytes(int fd, struct ctx_buf *out, size_t n, struct ctx_err *err)
{
	out->n = 0;
	if (ctx_buf_reserve(out, n + 1, err) < 0 ||
	    ctx_read_exactly(fd, out->p, n) < 0)
		return -1;
	out->n = n;
	out->p[n] = '\0';
	return 0;
}

static int
write_bytes(int fd, const void *p, size_t n)
{
	return ctx_write_all(fd, (struct ctx_str){p, n}, (struct ctx_str){0});
}

/* ---- the child ---- */

struct child_state {
	const struct ctx_policy *policies;
	const struct ctx_policy_limits *limits;
	struct ctx_command_runner client; /* the child's ends of the pipes */
	struct ctx_buf dialect, input;
};

static int
write_answer(const struct child_state *state,
    const struct policy_answer *answer)
{
	struct answer_head head;

	memset(&head, 0, sizeof head);
	head.answer = *answer;
	head.out = answer->out.n;
	head.files = answer->files.n;
	return write_bytes(state->client.answers, &head, sizeof head) < 0 ||
		write_bytes(state->client.answers, answer->out.p, head.out) <
		    0 ||
		write_bytes(state->client.answers, answer->files.p,
		    head.files) < 0
	    ? -1
	    : 0;
}

/* Runs the command of a request, and writes the answer.  Returns -1 if the
 * child must end because the pipes cannot be used any more. */
static int
serve_policy(struct child_state *state, const struct request_head *head)
{
	struct policy_request request = {.policy = head->policy,
	    .budget = head->budget};
	struct policy_answer answer;
	struct ctx_err err;
	int rc;

	if (read_bytes(state->client.requests, &state->dialect, head->dialect,
		&err) < 0 ||
	    read_bytes(state->client.requests, &state->input, head->input,
		&err) < 0)
		return -1;
	memset(&answer, 0, sizeof answer);
	request.dialect = state->dialect.p;
	request.input = (struct ctx_str){state->input.p, head->input};
	rc = ctx_policy_command_run(&state->client,
	    &state->policies[head->policy], state->limits, &request, &answer,
	    &err);
	if (rc == 0)
		rc = write_answer(state, &answer);
	ctx_policy_answer_release(&answer);
	return rc;
}

/* Blocks the signals that end a program, such as SIGINT: the child must not end
 * before it has killed the running command.  The child ends after the main
 * program has ended. */
static void
block_signals(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		(void)sigaddset(&set, ctx_termination_signals[i]);
	(void)sigaddset(&set, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Handles requests until the main program has ended. */
static void
serve_policies(struct child_state *state)
{
	struct request_head head;

	block_signals();
	if (ctx_command_runner_close_output() < 0)
		return;
	while (
	    ctx_read_exactly(state->client.requests, &head, sizeof head) == 0 &&
	    serve_policy(state, &head) == 0)
		continue;
}

/* ---- the program ---- */

/* Starts child process number n. */
static int
start_runner(struct ctx_command_runner *runners, size_t n,
    const struct ctx_policy *policies, const struct ctx_policy_limits *limits,
    struct ctx_err *err)
{
	struct child_state state = {.policies = policies, .limits = limits};
	int rc = ctx_command_runner_fork(&runners[n], err);

	if (rc <= 0)
		return rc;
	/* Closes the copies of the pipes to the other children.  Otherwise
	 * another child would not notice the end of the program while this
	 * child runs. */
	for (size_t i = 0; i < n; i++) {
		ctx_command_close_end(&runners[i].requests);
		ctx_command_close_end(&runners[i].answers);
	}
	state.client = runners[n];
	serve_policies(&state);
	_exit(0);
}

int
ctx_policy_runners_start(struct ctx_command_runner *runners, size_t n,
    const struct ctx_policy *policies, const struct ctx_policy_limits *limits,
    struct ctx_err *err)
{
	memset(runners, 0, n * sizeof *runners);
	for (size_t i = 0; i < n; i++)
		if (start_runner(runners, i, policies, limits, err) < 0) {
			ctx_policy_runners_end(runners, n);
			return -1;
		}
	return 0;
}

void
ctx_policy_runners_end(struct ctx_command_runner *runners, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ctx_command_runner_end(&runners[i]);
}

static int
exchange_run(struct ctx_command_runner *runner,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err)
{
	const struct request_head head = {.policy = request->policy,
	    .dialect = strlen(request->dialect),
	    .input = request->input.n,
	    .budget = request->budget};
	struct ctx_buf out = answer->out, files = answer->files;
	struct answer_head reply;

	if (write_bytes(runner->requests, &head, sizeof head) < 0 ||
	    write_bytes(runner->requests, request->dialect, head.dialect) < 0 ||
	    write_bytes(runner->requests, request->input.p, head.input) < 0 ||
	    ctx_read_exactly(runner->answers, &reply, sizeof reply) < 0)
		return -1;
	*answer = reply.answer;
	answer->out = out;
	answer->files = files;
	return read_bytes(runner->answers, &answer->out, reply.out, err) < 0 ||
		read_bytes(runner->answers, &answer->files, reply.files, err) <
		    0
	    ? -1
	    : 0;
}

int
ctx_policy_run(struct ctx_command_runner *runner,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err)
{
	err->code = CTX_OK;
	if (exchange_run(runner, request, answer, err) == 0)
		return 0;
	if (err->code == CTX_ENOMEM)
		return -1;
	return ctx_err_set(err, CTX_EARG,
	    "the process of ctx that runs the policies ended unexpectedly");
}

void
ctx_policy_answer_release(struct policy_answer *answer)
{
	ctx_buf_release(&answer->out);
	ctx_buf_release(&answer->files);
}
