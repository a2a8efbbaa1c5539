/* begin.c - before anything else */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/*
 * stdio loses what does not fit a pipe that is not waited for.  Others share
 * the flag that says so, which is therefore left alone: the same pipe or
 * terminal is opened once more, without it.
 */
static void
wait_for_output(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat file;
	char self[40];
	int own;

	if (flags < 0 || !(flags & O_NONBLOCK) || fstat(fd, &file) < 0 ||
	    !(S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode)))
		return;
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	own = open(self, (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	if (own < 0)
		return;
	if (fcntl(own, F_SETFL, flags & O_APPEND) == 0)
		(void)dup2(own, fd);
	(void)close(own);
}

/* Standard descriptors that are closed must not be given to a file that is
 * opened later; the wrong mode makes their use fail as it should. */
static void
open_standard(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	wait_for_output(STDOUT_FILENO);
	wait_for_output(STDERR_FILENO);
	/* What a command of the user's comes to is waited for. */
	(void)signal(SIGCHLD, SIG_DFL);
	/* A file that may not grow (ulimit -f) is the error of a write. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Said, because musl writes the first line at once otherwise, and
	 * forgets the errno. */
	if (!isatty(STDOUT_FILENO))
		(void)setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
}

/* Without memory jansson may lose a character of a string and say nothing, so
 * it is not asked to go on. */
static void *
memory_for_json(size_t n)
{
	void *p = malloc(n);

	if (p == NULL && n > 0) {
		(void)fputs("ctx: out of memory\n", stderr);
		exit(CLI_TROUBLE);
	}
	return p;
}

void
cli_begin(void)
{
	struct ctx_hashkey random;

	open_standard();
	cli_no_core();
	/* In the sandbox jansson could not open what it would ask. */
	ctx_hashkey_init(&random);
	json_object_seed((size_t)random.k[0] | 1);
	json_set_alloc_funcs(memory_for_json, free);
}
