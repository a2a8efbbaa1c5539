/*
 * run.c - runs a command once, in an empty directory
 *
 * The current directory contains the inputs.  The command runs in "run".  "out"
 * and "err" are its standard output and standard error.
 */
#define _GNU_SOURCE /* for F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep.h"

/* maximum seconds of a run, which usually takes a hundredth of a second */
#define TOO_LATE 20

_Noreturn void
die(const char *what)
{
	perror(what);
	exit(2);
}

struct bytes
slurp(const char *path)
{
	struct bytes b = {NULL, 0};
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t cap = 0;
	ssize_t n;

	if (fd < 0)
		return b;
	do {
		if (cap - b.n < 1u << 14) {
			cap = cap * 2 + (1u << 15);
			b.p = realloc(b.p, cap);
			if (b.p == NULL)
				die("realloc");
		}
		n = read(fd, b.p + b.n, cap - b.n - 1);
		if (n > 0)
			b.n += (size_t)n;
	} while (n > 0);
	b.p[b.n] = '\0';
	close(fd);
	return b;
}

static void
put_on(int fd, const char *path, int flags)
{
	int file = open(path, flags, 0600);

	if (file < 0 || dup2(file, fd) < 0)
		die(path);
	close(file);
}

/* Splits the line of the trial into words.  The word after < is the name of the
 * input file. */
static void
split(const struct sweep *s, char line[2000], const char *argv[MOST_ARGS],
    const char **input)
{
	size_t n = 0;
	char *word, *rest;

	while (argv[n] != NULL)
		n++;
	(void)snprintf(line, 2000, "%s/%s", s->bin, s->trial->line);
	*input = "/dev/null";
	for (word = strtok_r(line, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		if (word[0] == '<')
			*input = word + 1;
		else
			argv[n++] = word;
		if (n == MOST_ARGS)
			die("too many words");
	}
	argv[n] = NULL;
}

/* Copies this number of bytes at a time, with a pause after each part. */
static _Noreturn void
copy(int from, int to, int bytes)
{
	const struct timespec rest = {0, 100000};
	char piece[8192];
	ssize_t n;

	while ((n = read(from, piece, (size_t)bytes)) > 0) {
		if (write(to, piece, (size_t)n) != n)
			break;
		(void)nanosleep(&rest, NULL);
	}
	_exit(0);
}

/* Puts non-blocking pipes, as those of a terminal or an event loop, between
 * this process and its input and output. */
static void
through_pipes(int bytes)
{
	int fd, ends[2], mine;

	for (fd = 0; fd <= 1; fd++) {
		/* The size can be set only as long as the pipe is empty. */
		if (pipe(ends) < 0 || fcntl(ends[0], F_SETPIPE_SZ, 4096) < 0)
			die("pipe");
		mine = fd == 0 ? 0 : 1;
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			close(ends[mine]);
			if (fd == 0)
				copy(0, ends[1], bytes);
			copy(ends[0], 1, bytes);
		}
		if (fcntl(ends[mine], F_SETFL, O_NONBLOCK) < 0 ||
		    dup2(ends[mine], fd) < 0)
			die("dup2");
		close(ends[0]);
		close(ends[1]);
	}
}

static void
become(const struct sweep *s, const struct how *how)
{
	const char *argv[MOST_ARGS + 1] = {NULL}, *input;
	char line[2000], home[4200], config[4200], preload[4200], here[4000];
	size_t n = 0;

	for (; how->before != NULL && how->before[n] != NULL; n++)
		argv[n] = how->before[n];
	split(s, line, argv, &input);
	if (getcwd(here, sizeof here) == NULL || setpgid(0, 0) < 0)
		die("getcwd");
	(void)snprintf(home, sizeof home, "%s/run", here);
	(void)snprintf(config, sizeof config, "%s/in/config", here);
	if (setenv("HOME", home, 1) < 0 || unsetenv("XDG_CACHE_HOME") < 0 ||
	    setenv("XDG_CONFIG_HOME", config, 1) < 0 ||
	    setenv("LC_ALL", "C", 1) < 0)
		die("setenv");
	put_on(1, "out", O_WRONLY | O_CREAT | O_TRUNC);
	put_on(2, "err", O_WRONLY | O_CREAT | O_TRUNC);
	if (chdir("run") < 0)
		die("run");
	put_on(0, input, O_RDONLY);
	if (how->feed > 0)
		through_pipes(how->feed);
	if (how->preload != NULL) {
		(void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s/%s",
		    s->tools, how->preload);
		if (putenv(preload) != 0)
			die("putenv");
	}
	for (n = 0; how->env != NULL && how->env[n] != NULL; n++)
		if (putenv((char *)(uintptr_t)how->env[n]) != 0)
			die("putenv");
	execvp(argv[0], (char **)(uintptr_t)argv);
	die(argv[0]);
}

static void
wait_for(pid_t pid, bool feeds, struct result *to)
{
	const struct timespec most = {TOO_LATE, 0};
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitpid(pid, &to->status, WNOHANG) == 0) {
		if (sigtimedwait(&child, NULL, &most) >= 0 || errno == EINTR)
			continue;
		to->late = true;
		kill(-pid, SIGKILL);
	}
	/* The processes at the other ends of the pipes see the end of the
	 * file. */
	while (feeds && waitpid(-pid, NULL, 0) > 0)
		continue;
	/* A command of the user may still be running. */
	kill(-pid, SIGKILL);
}

/* Writes an archive as it is after its last writer was killed. */
static void
leave_torn(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL ||
	    fputs("{\"role\":\"user\",\"content\":\"whole\"}\n"
		  "{\"role\":\"user\",\"content\":\"torn",
		file) == EOF ||
	    fclose(file) != 0)
		die(path);
}

static void
copy_input(void)
{
	struct bytes few = slurp("in/few");
	FILE *file = fopen("run/few", "w");

	if (file == NULL || fwrite(few.p, 1, few.n, file) != few.n ||
	    fclose(file) != 0)
		die("run/few");
	free(few.p);
}

void
run(struct sweep *s, const struct how *how, struct result *to)
{
	struct timespec nap = {(time_t)(how->wait / 1000000),
	    (long)(how->wait % 1000000) * 1000};
	sigset_t child;
	pid_t pid;

	memset(to, 0, sizeof *to);
	tree_clear("run");
	if (s->trial->may & TRIAL_TORN)
		leave_torn("run/archive");
	if (s->trial->may & TRIAL_COPY)
		copy_input();
	(void)unlink("out");
	(void)unlink("err");
	/* Children whose parent has ended become children of this process,
	 * which waits for them. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		die("prctl");
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		sigprocmask(SIG_UNBLOCK, &child, NULL);
		become(s, how);
	}
	if (how->killed) {
		(void)nanosleep(&nap, NULL);
		kill(pid, SIGKILL);
	}
	wait_for(pid, how->feed > 0, to);
	to->out = slurp("out");
	to->err = slurp("err");
	tree_read("run", &to->tree);
	s->runs++;
}

void
result_free(struct result *result)
{
	free(result->out.p);
	free(result->err.p);
	tree_free(&result->tree);
}
