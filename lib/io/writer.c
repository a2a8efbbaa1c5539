/*
 * writer.c - collects output, and writes it to a file descriptor or passes it
 * to a callback
 *
 * The output that was not written yet has two parts.  The first part is the
 * member "copied": bytes in the writer's memory.  The second part is the member
 * "borrowed": bytes in the caller's memory.
 *
 * If the caller adds bytes that do not directly follow the borrowed bytes in
 * memory, the borrowed part is emptied first.  If it is short, it is appended
 * to the copied part.  If it is long, both parts are written.  So bytes are
 * written in the order in which they were added.
 *
 * vmsplice(2) would save copying bytes into a pipe, 11 ms per 100 MB.  But the
 * kernel does not report when the pages may be used again.  So a page could
 * change while another process still has it in its pipe, for example after
 * tee(2).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/io.h"

/* Minimum number of borrowed bytes that are written directly.  Fewer bytes are
 * copied first, because copying them takes less time than a system call. */
#define LONG_RUN ((size_t)32 << 10)
/* If at least this number of bytes was collected, the bytes are written at
 * once, without waiting for the next flush. */
#define FULL ((size_t)256 << 10)

void
ctx_writer_init(struct ctx_writer *writer, int fd)
{
	memset(writer, 0, sizeof *writer);
	writer->fd = fd;
}

void
ctx_writer_init_callback(struct ctx_writer *writer,
    int (*write)(void *user, const char *p, size_t n), void *user)
{
	ctx_writer_init(writer, -1);
	writer->write = write;
	writer->user = user;
}

void
ctx_writer_release(struct ctx_writer *writer)
{
	ctx_buf_release(&writer->copied);
	ctx_writer_init(writer, -1);
}

/* Stores the error, and returns -1.  All later calls return the same error.
 * Drops the output that was not written yet, because it must not be written
 * after a gap. */
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
		ctx_err_set(err, CTX_EPIPE,
		    "the program that reads the output has closed it");
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

/* Passes the copied and the borrowed bytes of output to the callback of the
 * writer. */
static int
flush_to_callback(struct ctx_writer *writer, struct ctx_err *err)
{
	const struct ctx_str pieces[2] = {{writer->copied.p, writer->copied.n},
	    writer->borrowed};

	for (size_t i = 0; i < 2; i++) {
		if (pieces[i].n == 0)
			continue;
		if (writer->write(writer->user, pieces[i].p, pieces[i].n) < 0) {
			ctx_err_set(err, CTX_EARG,
			    "the write function of the calling program has "
			    "failed");
			return record_failure(writer, err);
		}
		writer->written += pieces[i].n;
	}
	writer->copied.n = 0;
	writer->borrowed.n = 0;
	return 0;
}

int
ctx_writer_flush(struct ctx_writer *writer, struct ctx_err *err)
{
	if (has_failed(writer, err))
		return -1;
	if (writer->write != NULL)
		return flush_to_callback(writer, err);
	if (ctx_write_all(writer->fd, ctx_buf_str(&writer->copied),
		writer->borrowed) < 0)
		return record_sys_failure(writer, errno, err);
	writer->written += writer->copied.n + writer->borrowed.n;
	writer->copied.n = 0;
	writer->borrowed.n = 0;
	return 0;
}

/* Empties writer->borrowed, the caller's bytes that were not written yet.
 * Writes these bytes or, if they are few, copies them.  Then the writer can
 * refer to other bytes of the caller. */
static int
flush_borrowed(struct ctx_writer *writer, struct ctx_err *err)
{
	if (writer->borrowed.n >= LONG_RUN)
		return ctx_writer_flush(writer, err);
	if (ctx_buf_add_str(&writer->copied, writer->borrowed, err) < 0)
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
	if (run->n > 0 && flush_borrowed(writer, err) < 0)
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
		/* LONG_RUN or more bytes are written before this function
		 * returns, because copying so many would take longer. */
		if (ctx_writer_put(writer, p, n, err) < 0)
			return -1;
		return ctx_writer_flush(writer, err);
	}
	if (writer->borrowed.n > 0 && flush_borrowed(writer, err) < 0)
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
