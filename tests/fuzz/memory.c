/*
 * memory.c - descriptors in memory for the fuzz targets
 *
 * The linker gives us the calls of the library (--wrap), so that no byte
 * goes through the kernel and an input can say how a read is cut.
 */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap___read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __real_writev(int fd, const struct iovec *list, int n);
ssize_t __wrap_writev(int fd, const struct iovec *list, int n);

struct ctx_buf fuzz_output;

static struct {
	bool on;
	const char *p;
	size_t n;
	const uint8_t *chunks;
	size_t n_chunks, next;
} in;

void
fuzz_input(const char *p, size_t n, const uint8_t *chunks, size_t n_chunks)
{
	in.on = true;
	in.p = p;
	in.n = n;
	in.chunks = chunks;
	in.n_chunks = n_chunks;
	in.next = 0;
	fuzz_output.n = 0;
}

void
fuzz_input_end(void)
{
	in.on = false;
}

/* How much of n bytes the next call transfers; 0: it is interrupted. */
static size_t
chunk(size_t n)
{
	size_t most;
	size_t i;

	if (in.n_chunks == 0)
		return n;
	/* Never interrupted for ever. */
	for (i = 0; i < in.n_chunks && in.chunks[i] == 255;)
		i++;
	if (i == in.n_chunks)
		return n;
	most = in.chunks[in.next++ % in.n_chunks];
	if (most == 255)
		return 0;
	return n < most + 1 ? n : most + 1;
}

ssize_t
__wrap_read(int fd, void *p, size_t n)
{
	if (fd != STDIN_FILENO || !in.on)
		return __real_read(fd, p, n);
	if (in.n == 0)
		return 0;
	n = chunk(n < in.n ? n : in.n);
	if (n == 0) {
		errno = EINTR;
		return -1;
	}
	memcpy(p, in.p, n);
	in.p += n;
	in.n -= n;
	return (ssize_t)n;
}

/* What read is called where the size of the buffer is known. */
ssize_t
__wrap___read_chk(int fd, void *p, size_t n, size_t room)
{
	must(n <= room);
	return __wrap_read(fd, p, n);
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
	struct ctx_err err;

	if (fd != FUZZ_OUT)
		return __real_write(fd, p, n);
	if (n > 0 && (n = chunk(n)) == 0) {
		errno = EINTR;
		return -1;
	}
	must(ctx_buf_add(&fuzz_output, p, n, &err) == 0);
	return (ssize_t)n;
}

ssize_t
__wrap_writev(int fd, const struct iovec *list, int n)
{
	if (fd != FUZZ_OUT)
		return __real_writev(fd, list, n);
	while (n > 1 && list->iov_len == 0) {
		list++;
		n--;
	}
	return __wrap_write(fd, list->iov_base, list->iov_len);
}
