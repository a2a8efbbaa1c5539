/* startup.c - prepares the process before a command does anything else */
#define _GNU_SOURCE /* for fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#ifdef __GLIBC__
static ssize_t
wait_and_write(void *descriptor, const char *p, size_t n)
{
	int fd = *(int *)descriptor;
	size_t done = 0;
	ssize_t wrote;

	while (done < n) {
		wrote = write(fd, p + done, n - done);
		if (wrote > 0) {
			done += (size_t)wrote;
		} else if (wrote == 0) {
			errno = ENOSPC;
			break;
		} else if (!ctx_wait_ready(fd, POLLOUT)) {
			break;
		}
	}
	return (ssize_t)done;
}

/* Makes stdout or stderr wait until the descriptor can be written.  Used for
 * non-blocking files that cannot be opened again, such as sockets. */
static void
replace_stream(int fd)
{
	static int descriptors[] = {0, STDOUT_FILENO, STDERR_FILENO};
	const cookie_io_functions_t calls = {.write = wait_and_write};
	FILE *stream = fopencookie(&descriptors[fd], "w", calls);

	if (stream == NULL)
		return;
	if (fd == STDOUT_FILENO) {
		stdout = stream;
		return;
	}
	(void)setvbuf(stream, NULL, _IOLBF, 0);
	stderr = stream;
}
#else
/* Does nothing: only glibc can replace stdout and stderr by a stream with a
 * write function of the program (fopencookie). */
static void
replace_stream(int fd)
{
	(void)fd;
}
#endif

/*
 * Opens a non-blocking pipe or terminal a second time without O_NONBLOCK,
 * because stdio would lose bytes that do not fit into a non-blocking pipe.
 * Returns true on success.  The flag O_NONBLOCK of the old descriptor must not
 * be cleared, because the flag also applies to other processes that use the
 * file.
 */
static bool
reopen_blocking(int fd, int flags)
{
	struct stat file;
	char self[40];
	int own = -1;

	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if (fstat(fd, &file) == 0 &&
	    (S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode)))
		own = open(self,
		    (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own < 0)
		return false;
	if (fcntl(own, F_SETFL, flags & O_APPEND) == 0)
		(void)dup2(own, fd);
	(void)close(own);
	return true;
}

static void
wait_for_output(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_NONBLOCK) != 0 &&
	    !reopen_blocking(fd, flags))
		replace_stream(fd);
}

/* If standard input, output or error is closed, opens a file in its place, so
 * that no other file gets its descriptor.  The file is /dev/null, opened in the
 * wrong mode, or a directory if there is no /dev/null.  So reading or writing
 * the descriptor still fails. */
static void
open_standard(void)
{
	static char line[BUFSIZ];
	int fd;

	for (fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) >= 0 ||
		    open("/", O_RDONLY | O_DIRECTORY) >= 0)
			continue;
		(void)fprintf(stderr, "ctx: cannot open /dev/null: %s\n",
		    strerror(errno));
		exit(CLI_TROUBLE);
	}
	wait_for_output(STDOUT_FILENO);
	wait_for_output(STDERR_FILENO);
	/* Gives stderr a line buffer.  Then each line is written with one
	 * system call, and output of other processes cannot come inside a line.
	 * If fileno fails, replace_stream has replaced stderr by a stream with
	 * a line buffer. */
	if (fileno(stderr) == STDERR_FILENO)
		(void)setvbuf(stderr, line, _IOLBF, sizeof line);
	/* The parent process may have set SIGCHLD to be ignored.  The exit
	 * status of child processes would then be lost, so the default is
	 * restored. */
	(void)signal(SIGCHLD, SIG_DFL);
	/* A write to a file that has reached its size limit (ulimit -f) must
	 * cause an error, not a signal that kills the process. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Gives stdout a full buffer if it is not a terminal, because musl
	 * would write the first line at once, and lose the errno of a failed
	 * write. */
	if (!isatty(STDOUT_FILENO))
		(void)setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
}

/* Allocates memory for jansson.  Exits if there is no memory: if this function
 * returned NULL, jansson would silently lose characters of a string. */
static void *
allocate_json_memory(size_t n)
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
	/* Gives jansson a random seed for its hash tables, because in the
	 * sandbox it cannot open its own source of random bytes. */
	ctx_hashkey_init(&random);
	json_object_seed((size_t)random.k[0] | 1);
	json_set_alloc_funcs(allocate_json_memory, free);
}
