/*
 * policy_command.c - runs the command of a policy once
 *
 * The command is a program, or a function that is called in a new process:
 * calling a function takes less time than starting a program.  The process is
 * in its own process group.  The group is killed when the command has ended or
 * has failed, so that no process is left which the command has started.  The
 * standard input and output of the command are pipes, which are polled
 * together, so that neither side waits for the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/policy_runner.h"
#include "io/run_command.h"

/* Maximum size in bytes of a command's output. */
static const size_t OUTPUT_MOST = (size_t)1 << 30;

/* One run of a command. */
struct command {
	const struct policy_request *request;
	struct policy_answer *answer;
	const struct ctx_policy *policy;
	/* Pipes from and to the main program.  The pipe of requests ends when
	 * the main program has ended. */
	const struct ctx_command_runner *client;
	const struct ctx_policy_limits *limits;
	/* time at which the command was started, in nanoseconds of the clock */
	int64_t start;
	char **words;
	pid_t pid;
	/* pipes to the command's standard input and from its standard output,
	 * or -1 if closed */
	int in, out;
};

/* ---- the words ---- */

/* Returns a copy of a word of the command in which {budget}, {dialect} and
 * {dir} are replaced by their values, or NULL if there is no memory.  The
 * caller frees it. */
static char *
fill_word(const char *word, const char *budget, const char *dialect,
    const char *directory)
{
	const char *const names[] = {"{budget}", "{dialect}", "{dir}"};
	const char *const values[] = {budget, dialect, directory};
	struct ctx_buf out = {0};
	struct ctx_err err;
	size_t i;
	int rc = 0;

	while (*word != '\0' && rc == 0) {
		for (i = 0; i < 3; i++)
			if (strncmp(word, names[i], strlen(names[i])) == 0)
				break;
		if (i < 3) {
			rc = ctx_buf_add(&out, values[i], strlen(values[i]),
			    &err);
			word += strlen(names[i]);
		} else {
			rc = ctx_buf_add(&out, word++, 1, &err);
		}
	}
	if (rc == 0 && ctx_buf_add(&out, "", 1, &err) == 0)
		return ctx_buf_take(&out);
	ctx_buf_release(&out);
	return NULL;
}

static void
free_words(char **words)
{
	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		free(words[i]);
	free(words);
}

static char **
fill_words(const struct ctx_policy *policy,
    const struct policy_request *request, const char *directory)
{
	char **words = calloc(policy->n_words + 1, sizeof *words);
	char budget[24];

	(void)snprintf(budget, sizeof budget, "%llu",
	    (unsigned long long)request->budget);
	for (size_t i = 0; words != NULL && i < policy->n_words; i++) {
		words[i] = fill_word(policy->words[i], budget, request->dialect,
		    directory);
		if (words[i] == NULL) {
			free_words(words);
			return NULL;
		}
	}
	return words;
}

/* ---- start and end ---- */

static void
fail_command(const struct command *command, const char *what, int sys)
{
	char *failure = command->answer->failure;
	size_t size = sizeof command->answer->failure;

	if (failure[0] != '\0')
		return;
	if (sys != 0)
		(void)snprintf(failure, size, "%s: %s", what, strerror(sys));
	else
		(void)snprintf(failure, size, "%s", what);
}

/* Gives all signals their default actions, and blocks none. */
static void
reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < 65; number++)
		(void)signal(number, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Makes the pipes of a new process its standard input and output, and closes
 * all descriptors that a new program would not inherit.  Returns -1 on
 * failure. */
static int
take_pipes(const struct command *command, const int in[2], const int out[2])
{
	const int closed[] = {in[0], in[1], out[0], out[1],
	    command->client->requests, command->client->answers};
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 ||
	    (!command->limits->shows_messages && dup2(null, 2) < 0))
		return -1;
	(void)close(null);
	for (size_t i = 0; i < CTX_LENGTH(closed); i++)
		(void)close(closed[i]);
	return 0;
}

/* Starts a process that calls the main function of the command, with pipes as
 * standard input and output.  Returns 0 or an errno value. */
static int
fork_command(struct command *command, const int in[2], const int out[2])
{
	int argc = 0;

	while (command->words[argc] != NULL)
		argc++;
	command->pid = fork();
	if (command->pid < 0)
		return errno;
	if (command->pid > 0) {
		/* The child also calls setpgid.  So the process group exists
		 * before the child or this process needs it. */
		(void)setpgid(command->pid, command->pid);
		return 0;
	}
	if (setpgid(0, 0) == 0 && take_pipes(command, in, out) == 0) {
		reset_signals();
		command->policy->main(argc, command->words);
	}
	_exit(2);
}

static int
start_policy(struct command *command)
{
	struct ctx_err err;
	int in[2], out[2], rc;

	if (ctx_command_make_pipes(in, out, &err) < 0) {
		fail_command(command, err.text, 0);
		return -1;
	}
	rc = command->policy->main != NULL
	    ? fork_command(command, in, out)
	    : ctx_command_spawn(&command->pid, command->words[0],
		  command->words, 0,
		  (const int[]){in[0], out[1],
		      command->limits->shows_messages ? STDERR_FILENO : -1});
	ctx_command_close_end(&in[0]);
	ctx_command_close_end(&out[1]);
	command->in = in[1];
	command->out = out[0];
	if (rc == 0 && fcntl(command->in, F_SETFL, O_NONBLOCK) == 0)
		return 0;
	if (rc != 0)
		fail_command(command, "cannot run the command", rc);
	ctx_command_close_end(&command->in);
	ctx_command_close_end(&command->out);
	return rc != 0 ? -1 : 0;
}

static double
get_seconds(const struct command *command)
{
	return (double)(command->limits->clock() - command->start) / 1e9;
}

/* Waits until the command has ended or has reached its time limit.  Then kills
 * its process group. */
static void
end_policy(struct command *command)
{
	long wait = 20; /* pause in microseconds */
	int status = 0;
	siginfo_t info;

	while (command->answer->failure[0] == '\0') {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)command->pid, &info,
			WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid != 0)
			break;
		if (get_seconds(command) > command->limits->seconds)
			fail_command(command, "did not end in time", 0);
		ctx_pause(wait);
		if (wait < 5000)
			wait *= 2;
	}
	command->answer->seconds = get_seconds(command);
	(void)kill(-command->pid, SIGKILL);
	(void)ctx_command_await(command->pid, &status);
	if (WIFSIGNALED(status))
		fail_command(command, "was killed by a signal", 0);
	command->answer->status = WEXITSTATUS(status);
}

/* ---- input and output ---- */

/* Reads a part of the command's output.  Returns 1 if there may be more output;
 * 0 if the output has ended or the command has failed; or -1 with *err if there
 * is no memory. */
static int
drain_policy(struct command *command, struct ctx_err *err)
{
	struct ctx_buf *out = &command->answer->out;
	ssize_t n;

	if (ctx_buf_reserve(out, 65536, err) < 0)
		return -1;
	n = read(command->out, out->p + out->n, 65536);
	if (n < 0)
		return errno == EINTR;
	out->n += (size_t)n;
	if (out->n > OUTPUT_MOST) {
		fail_command(command, "wrote more than a gigabyte", 0);
		return 0;
	}
	return n > 0;
}

/* Writes the input to the command and at the same time reads its output, until
 * the output ends. */
static int
exchange(struct command *command, struct ctx_err *err)
{
	struct ctx_str input = command->request->input;
	struct pollfd fds[3];
	int rc = 1;

	ctx_command_write_input(&command->in, &input);
	while (rc > 0) {
		fds[0] = (struct pollfd){.fd = command->out, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = command->in, .events = POLLOUT};
		fds[2] = (struct pollfd){.fd = command->client->requests};
		if (poll(fds, 3, CTX_COMMAND_SLICE) < 0 && errno != EINTR)
			break;
		if (get_seconds(command) > command->limits->seconds) {
			fail_command(command, "did not end in time", 0);
			break;
		}
		if (fds[2].revents != 0) {
			fail_command(command, "ctx-eval has ended", 0);
			break;
		}
		if (fds[1].revents != 0)
			ctx_command_write_input(&command->in, &input);
		if (fds[0].revents != 0)
			rc = drain_policy(command, err);
	}
	return rc < 0 ? -1 : 0;
}

static int
run_words(struct command *command, struct ctx_err *err)
{
	int rc;

	if (command->words == NULL)
		return ctx_err_nomem(err);
	command->start = command->limits->clock();
	if (start_policy(command) < 0)
		return 0;
	rc = exchange(command, err);
	if (rc < 0)
		fail_command(command, "out of memory", 0);
	ctx_command_close_end(&command->in);
	ctx_command_close_end(&command->out);
	end_policy(command);
	return rc;
}

int
ctx_policy_command_run(const struct ctx_command_runner *client,
    const struct ctx_policy *policy, const struct ctx_policy_limits *limits,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err)
{
	struct command command = {.request = request,
	    .answer = answer,
	    .policy = policy,
	    .client = client,
	    .limits = limits,
	    .in = -1,
	    .out = -1};
	char *directory = NULL;
	int rc;

	if (policy->has_directory) {
		directory = ctx_run_directory_make(limits->directory, err);
		if (directory == NULL) {
			fail_command(&command, err->text, 0);
			return 0;
		}
	}
	command.words =
	    fill_words(policy, request, directory == NULL ? "" : directory);
	rc = run_words(&command, err);
	free_words(command.words);
	if (directory != NULL &&
	    ctx_run_directory_take(directory, &answer->files, err) < 0)
		rc = -1;
	free(directory);
	return rc;
}
