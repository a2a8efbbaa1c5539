/*
 * writer.c - coalesced writes, every error seen
 *
 * What waits to be written is own, bytes copied here, and behind them run,
 * bytes of the caller's that lie side by side.  A piece that does not touch
 * the run settles it first: a short run is copied behind own, a long one is
 * written at once.  So the order of the bytes is always own, run, new piece.
 *
 * vmsplice(2) from a ring of buffers would save the copy into a pipe, 11 ms of
 * 100 MB, but nobody says when the pages may be written again: a reader that
 * hands them on, as tee(2) does, would see them change.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/io.h"

/* Runs shorter than this are cheaper to copy than to write by themselves. */
#define LONG_RUN ((size_t)32 << 10)
/* So much is not held back any longer. */
#define FULL ((size_t)256 << 10)
/* No call is asked to write more: systems refuse or cut more than INT_MAX. */
#define MOST ((size_t)512 << 20)

void
ctx_writer_init(struct ctx_writer *writer, int fd)
{
	memset(writer, 0, sizeof *writer);
	writer->fd = fd;
}

void
ctx_writer_release(struct ctx_writer *writer)
{
	ctx_buf_release(&writer->copied);
	ctx_writer_init(writer, -1);
}

/* Keeps the first error; what was waiting can never be written in order. */
static int
record_failure(struct ctx_writer *writer, const struct ctx_err *err)
{
	writer->failed = *err;
	writer->copied.n = 0;
	writer->borrowed.n = 0;
	return -1;
}

static int
record_sys_failure(struct ctx_writer *writer, int sys, struct ctx_err *err)
{
	if (sys == EPIPE)
		ctx_err_set(err, CTX_EPIPE, "the reader of the output is gone");
	else
		ctx_err_sys(err, sys,
		    writer->fd == STDOUT_FILENO ? "cannot write standard output"
						: "cannot write");
	return record_failure(writer, err);
}

static bool
has_failed(const struct ctx_writer *writer, struct ctx_err *err)
{
	if (writer->failed.code == CTX_OK)
		return false;
	*err = writer->failed;
	return true;
}

/*
 * Writes some of two pieces, at least a byte unless both are empty.  A
 * descriptor shared with a program that made it non-blocking is waited for.
 */
static ssize_t
write_some(int fd, struct ctx_str one, struct ctx_str two)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	struct iovec iov[2];
	ssize_t n;

	iov[0].iov_base = (void *)one.p;
	iov[0].iov_len = one.n < MOST ? one.n : MOST;
	iov[1].iov_base = (void *)two.p;
	iov[1].iov_len = two.n < MOST ? two.n : MOST;
	for (;;) {
		if (one.n == 0)
			n = write(fd, two.p, iov[1].iov_len);
		else
			n = writev(fd, iov, one.n > MOST || two.n == 0 ? 1 : 2);
		if (n >= 0)
			return n;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			(void)poll(&ready, 1, -1);
		else if (errno != EINTR)
			return -1;
	}
}

int
ctx_writer_flush(struct ctx_writer *writer, struct ctx_err *err)
{
	struct ctx_str own = {writer->copied.p, writer->copied.n};
	struct ctx_str run = writer->borrowed;
	size_t n, head;
	ssize_t rc;

	if (has_failed(writer, err))
		return -1;
	while (own.n + run.n > 0) {
		rc = write_some(writer->fd, own, run);
		/* A device that takes nothing would keep us here for ever. */
		if (rc <= 0)
			return record_sys_failure(writer,
			    rc < 0 ? errno : ENOSPC, err);
		n = (size_t)rc;
		writer->written += n;
		head = n < own.n ? n : own.n;
		/* An empty piece may be no pointer at all. */
		if (head > 0)
			own.p += head;
		own.n -= head;
		if (n > head)
			run.p += n - head;
		run.n -= n - head;
	}
	writer->copied.n = 0;
	writer->borrowed.n = 0;
	return 0;
}

/* Makes the run empty, so that a piece from elsewhere may follow. */
static int
empty_run(struct ctx_writer *writer, struct ctx_err *err)
{
	if (writer->borrowed.n >= LONG_RUN)
		return ctx_writer_flush(writer, err);
	if (ctx_buf_add(&writer->copied, writer->borrowed.p, writer->borrowed.n,
		err) < 0)
		return record_failure(writer, err);
	writer->borrowed.n = 0;
	return 0;
}

static int
flush_if_full(struct ctx_writer *writer, struct ctx_err *err)
{
	if (writer->copied.n >= FULL ||
	    writer->borrowed.n >= FULL - writer->copied.n)
		return ctx_writer_flush(writer, err);
	return 0;
}

int
ctx_writer_put(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err)
{
	struct ctx_str *run = &writer->borrowed;

	if (has_failed(writer, err))
		return -1;
	if (n == 0)
		return 0;
	if (run->n > 0 && run->p + run->n == p) {
		run->n += n;
		return flush_if_full(writer, err);
	}
	if (run->n > 0 && empty_run(writer, err) < 0)
		return -1;
	run->p = p;
	run->n = n;
	return flush_if_full(writer, err);
}

int
ctx_writer_copy(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err)
{
	if (has_failed(writer, err))
		return -1;
	if (n >= LONG_RUN) {
		/* Written before we return, it need not stay. */
		if (ctx_writer_put(writer, p, n, err) < 0)
			return -1;
		return ctx_writer_flush(writer, err);
	}
	if (writer->borrowed.n > 0 && empty_run(writer, err) < 0)
		return -1;
	if (ctx_buf_add(&writer->copied, p, n, err) < 0)
		return record_failure(writer, err);
	return flush_if_full(writer, err);
}

int
ctx_writer_end_record(struct ctx_writer *writer, struct ctx_err *err)
{
	if (writer->flush_each || writer->failed.code != CTX_OK)
		return ctx_writer_flush(writer, err);
	return 0;
}

int
ctx_writer_close(struct ctx_writer *writer, struct ctx_err *err)
{
	int rc = ctx_writer_flush(writer, err);
	int fd = writer->fd;

	writer->fd = -1;
	if (fd < 0 || close(fd) == 0 || rc < 0)
		return rc;
	/*
	 * After EINTR the descriptor is gone all the same.  A descriptor that
	 * was never open harms nobody who had nothing to say.
	 */
	if (errno == EINTR || (errno == EBADF && writer->written == 0))
		return 0;
	return record_sys_failure(writer, errno, err);
}
