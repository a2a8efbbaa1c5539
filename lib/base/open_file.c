/* open_file.c - opens a file that may be a FIFO, with a time limit; reads and
 * writes a number of bytes completely */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"

#define TRIES 100 /* number of attempts to open a FIFO, 10 ms apart */
/* Maximum number of bytes of a text that one system call writes.  Some systems
 * refuse more than INT_MAX bytes; others then write only a part of them. */
#define MOST ((size_t)512 << 20)

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

static struct ctx_str
skip_bytes(struct ctx_str text, size_t n)
{
	/* The pointer of an empty text may be NULL, so nothing is added to
	 * it. */
	return n == 0 ? text : (struct ctx_str){text.p + n, text.n - n};
}

/* Writes the first bytes of two texts with one system call.  Returns their
 * number, or -1 with errno. */
static ssize_t
write_some(int fd, struct ctx_str one, struct ctx_str two)
{
	struct iovec iov[2];

	iov[0].iov_base = (void *)(uintptr_t)one.p;
	iov[0].iov_len = one.n < MOST ? one.n : MOST;
	iov[1].iov_base = (void *)(uintptr_t)two.p;
	iov[1].iov_len = two.n < MOST ? two.n : MOST;
	return one.n == 0 ? write(fd, two.p, iov[1].iov_len)
			  : writev(fd, iov, one.n > MOST || two.n == 0 ? 1 : 2);
}

int
ctx_write_all(int fd, struct ctx_str one, struct ctx_str two)
{
	ssize_t wrote;
	size_t n;

	while (one.n + two.n > 0) {
		wrote = write_some(fd, one, two);
		if (wrote < 0 && ctx_wait_ready(fd, POLLOUT))
			continue;
		/* For a device, write(2) may return 0: no byte was written,
		 * although there is no error.  Repeating the call could be an
		 * endless loop. */
		if (wrote == 0)
			errno = ENOSPC;
		if (wrote <= 0)
			return -1;
		n = (size_t)wrote < one.n ? (size_t)wrote : one.n;
		one = skip_bytes(one, n);
		two = skip_bytes(two, (size_t)wrote - n);
	}
	return 0;
}

int
ctx_read_exactly(int fd, void *data, size_t n)
{
	char *p = data;
	ssize_t got;

	for (; n > 0; n -= (size_t)got, p += got) {
		got = read(fd, p, n);
		if (got == 0)
			errno = 0;
		if (got == 0 || (got < 0 && errno != EINTR))
			return -1;
		if (got < 0)
			got = 0;
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
