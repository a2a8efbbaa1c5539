/* policy_runner.h - runs the command of a policy once, in a child process */
#ifndef CTX_EVAL_POLICY_RUNNER_H
#define CTX_EVAL_POLICY_RUNNER_H

#include "eval/eval.h"

struct policy_request {
	size_t policy; /* number of the policy */
	uint64_t budget;
	const char *dialect; /* name of the dialect of the input */
	struct ctx_str input;
};

struct policy_answer {
	struct ctx_buf out; /* output of the command */
	/* Contents of the files that the command has saved in its directory,
	 * one after another. */
	struct ctx_buf files;
	double seconds;
	int status; /* exit status of the command */
	/* The reason why the run failed, as a text: the command could not be
	 * started, was killed, took too long or wrote too much.  Empty if the
	 * command has ended by itself. */
	char failure[360];
};

/* Asks the child process to run the command of a policy, and waits for the
 * answer.  Returns 0, or -1 with *err if the child has ended. */
int ctx_policy_run(struct ctx_command_runner *runner,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err);
void ctx_policy_answer_release(struct policy_answer *answer);

/* ---- policy_command.c: in the child process ------------------------------ */

/* Runs the command of a policy, in which {budget}, {dialect} and {dir} are
 * replaced by their values. client: pipes from and to the main program.  If the
 * main program closes its end of the pipe of requests, the command is killed.
 * Failure of the command is no error of this function.  Returns 0, or -1 with
 * *err if there is no memory. */
int ctx_policy_command_run(const struct ctx_command_runner *client,
    const struct ctx_policy *policy, const struct ctx_policy_limits *limits,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err);

/* ---- run_directory.c: the directory of a run ----------------------------- */

/* Creates an empty directory with a random name inside the directory parent.
 * Returns its path, which the caller frees; or NULL with *err. */
char *ctx_run_directory_make(const char *parent, struct ctx_err *err);
/* Appends the contents of all files below a directory to files, each followed
 * by a line feed.  Removes the directory and everything in it. path: as
 * returned by ctx_run_directory_make; the function changes this text. */
int ctx_run_directory_take(char *path, struct ctx_buf *files,
    struct ctx_err *err);

#endif
