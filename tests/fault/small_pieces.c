/*
 * small_pieces.c - a preloaded library: a read or write transfers at most
 * PIECES bytes
 *
 * With PIECES_EINTR, every other read or write is interrupted first.  Call
 * number CLOSE_AT of close fails with the error CLOSE_ERRNO, but closes the
 * file, as Linux always does.  The file "../tried" gets the number of calls of
 * close.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct shared {
	uint64_t count, failed;
} * shared;
static size_t most;
static bool interrupts;
static uint64_t close_at;
static int close_errno;

static uint64_t
number(const char *name)
{
	const char *value = getenv(name);

	return value == NULL ? 0 : strtoull(value, NULL, 10);
}

__attribute__((constructor)) static void
begin(void)
{
	int fd = open("../tried", O_RDWR);
	void *p;

	most = number("PIECES");
	interrupts = number("PIECES_EINTR") > 0;
	close_at = number("CLOSE_AT");
	close_errno = (int)number("CLOSE_ERRNO");
	if (fd < 0)
		return;
	p = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	syscall(SYS_close, fd);
	shared = p == MAP_FAILED ? NULL : p;
}

/* Called at the end of a program: what follows is not a part of the program
 * (see tests/coverage). */
void fault_stop(void);
void
fault_stop(void)
{
	most = 0;
	interrupts = false;
	shared = NULL;
}

/* Returns true if this call must be interrupted.  Otherwise reduces *n to the
 * number of bytes that may be transferred. */
static bool
is_interrupted(size_t *n)
{
	static unsigned calls;

	if (most > 0 && *n > most)
		*n = most;
	if (!interrupts ||
	    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 2 == 0)
		return false;
	errno = EINTR;
	return true;
}

ssize_t
read(int fd, void *p, size_t n)
{
	return is_interrupted(&n) ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t
pread(int fd, void *p, size_t n, off_t at)
{
	return is_interrupted(&n) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	return is_interrupted(&n) ? -1 : syscall(SYS_write, fd, p, n);
}

/* Transfers only the first part that is not empty. */
ssize_t
writev(int fd, const struct iovec *iov, int count)
{
	while (count > 1 && iov->iov_len == 0) {
		iov++;
		count--;
	}
	if (most == 0 && !interrupts)
		return syscall(SYS_writev, fd, iov, count);
	return write(fd, iov->iov_base, iov->iov_len);
}

int
close(int fd)
{
	int rc = (int)syscall(SYS_close, fd);

	if (shared == NULL || rc < 0 ||
	    __atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED) != close_at)
		return rc;
	shared->failed++;
	errno = close_errno;
	return -1;
}
