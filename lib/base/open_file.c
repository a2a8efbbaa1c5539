/* open_file.c - opens a file that may be a FIFO, with a time limit; writes all
 * bytes of a text */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define TRIES 100 /* number of attempts to open a FIFO, 10 ms apart */

/* Returns true if a file could not be opened for writing because it is a FIFO
 * that no process reads. sys: the errno of open(2).  ENXIO alone is not enough:
 * the file could be a socket. */
static bool
has_no_reader(const char *path, int sys)
{
	struct stat file;

	return sys == ENXIO && stat(path, &file) == 0 && S_ISFIFO(file.st_mode);
}

/* Opens a file with O_NONBLOCK, so that open(2) does not block.  A FIFO without
 * a reader cannot be opened for writing.  So open(2) is repeated until the FIFO
 * has a reader, but at most TRIES times. */
static int
open_now(const char *path, int flags)
{
	int fd, sys, tries = 0;

	while ((fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
		    0600)) < 0 &&
	    tries++ < TRIES) {
		sys = errno;
		if (!has_no_reader(path, sys)) {
			errno = sys;
			return -1;
		}
		ctx_pause(10000);
	}
	return fd;
}

int
ctx_open_file(const char *path, int flags)
{
	int fd = open_now(path, flags), set;
	struct stat file;

	if (fd < 0)
		return -1;
	/* A FIFO that was opened with O_NONBLOCK seems to be at its end until a
	 * process opens it for writing.  So ctx_open_file waits until the FIFO
	 * has data, but at most a second. */
	if ((flags & O_ACCMODE) == O_RDONLY && fstat(fd, &file) == 0 &&
	    S_ISFIFO(file.st_mode))
		(void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1,
		    TRIES * 10);
	set = fcntl(fd, F_GETFL);
	if (set >= 0)
		(void)fcntl(fd, F_SETFL, set & ~O_NONBLOCK);
	return fd;
}

bool
ctx_wait_ready(int fd, short events)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		(void)poll(&(struct pollfd){.fd = fd, .events = events}, 1, -1);
	else if (errno != EINTR)
		return false;
	return true;
}

int
ctx_write_all(int fd, struct ctx_str text)
{
	while (text.n > 0) {
		ssize_t wrote = write(fd, text.p, text.n);

		if (wrote < 0 && ctx_wait_ready(fd, POLLOUT))
			continue;
		/* For a device, write(2) may return 0: no byte was written,
		 * although there is no error.  Repeating the call could be an
		 * endless loop. */
		if (wrote == 0)
			errno = ENOSPC;
		if (wrote <= 0)
			return -1;
		text.p += wrote;
		text.n -= (size_t)wrote;
	}
	return 0;
}

int
ctx_err_open(struct ctx_err *err, int sys, const char *what, const char *path)
{
	struct stat file;

	if (stat(path, &file) == 0 && S_ISSOCK(file.st_mode))
		return ctx_err_set(err, CTX_EFILE,
		    "cannot open %s%.140s: it "
		    "is a socket; name a regular file",
		    what, path);
	if (has_no_reader(path, sys))
		return ctx_err_set(err, CTX_EFILE,
		    "cannot open %s%.140s: no "
		    "process reads this FIFO; start its reader first",
		    what, path);
	return ctx_err_sys(err, sys, "cannot open %s%s", what, path);
}

void
ctx_temporary_name(char name[CTX_TEMPORARY_NAME])
{
	struct ctx_hashkey random;

	ctx_hashkey_init(&random);
	(void)snprintf(name, CTX_TEMPORARY_NAME, ".tmp-%016llx",
	    (unsigned long long)random.k[0]);
}

bool
ctx_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
