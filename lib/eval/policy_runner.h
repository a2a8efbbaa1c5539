/* policy_runner.h - one run of a policy's command */
#ifndef CTX_EVAL_POLICY_RUNNER_H
#define CTX_EVAL_POLICY_RUNNER_H

#include "eval/eval.h"

struct policy_request {
	size_t policy; /* its number */
	uint64_t budget;
	const char *dialect; /* name of the dialect of the input */
	struct ctx_str input;
};

struct policy_answer {
	struct ctx_buf out; /* output of the command */
	struct ctx_buf
	    files; /* files in the run's directory, one after another */
	double seconds;
	int status; /* exit status of the command */
	/* Why the command has failed: it could not be started, was killed, took
	 * too long or wrote too much.  Empty if it has ended by itself. */
	char failure[360];
};

/* Asks the child process to run a policy.  Returns -1 with *err if the child
 * has ended. */
int ctx_policy_run(struct ctx_policy_runner *runner,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err);
void ctx_policy_answer_release(struct policy_answer *answer);

/* ---- policy_command.c: in the child process ------------------------------ */

/* Runs the command of a policy, with its placeholders replaced.  client: read
 * end of a pipe; when its other end is closed, the command is killed.  Returns
 * -1 with *err only if there is no memory. */
int ctx_policy_command_run(int client, const struct ctx_policy *policy,
    const struct ctx_policy_limits *limits,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err);

/* ---- run_directory.c: the directory of a run ----------------------------- */

/* Creates a directory with a random name.  Returns its path, which the caller
 * frees; NULL with *err. */
char *ctx_run_directory_make(const char *parent, struct ctx_err *err);
/* Appends the bytes of all files below the directory to files, each followed by
 * a line feed; then removes the directory with them. */
int ctx_run_directory_take(const char *path, struct ctx_buf *files,
    struct ctx_err *err);

#endif
