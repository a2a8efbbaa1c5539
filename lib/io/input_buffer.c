/*
 * input_buffer.c - opens the input files one after another, and reads them into
 * one buffer
 *
 * Files are read with read(2), not mapped into memory.  Reading 100 MB and
 * writing them to a pipe took 35 ms of processor time with read(2), and 36 ms
 * with mmap(2).  Moreover, if another program truncates a mapped file, the
 * process that reads the mapping is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/input_buffer.h"

/* Minimum number of unused bytes in the buffer before a call of read(2). */
#define READ_LEAST ((size_t)64 << 10)
/* A record must have fewer bytes than this, because JSON nodes contain offsets
 * of 32 bits. */
#define RECORD_MAX ((uint64_t)UINT32_MAX)

int
ctx_reader_flush(struct ctx_reader *reader, struct ctx_err *err)
{
	return reader->writer == NULL ? 0
				      : ctx_writer_flush(reader->writer, err);
}

void
ctx_reader_close_file(struct ctx_reader *r)
{
	if (r->fd >= 0 && r->source.name == NULL && strcmp(r->name, "-") != 0)
		(void)close(r->fd);
	r->fd = -1;
	r->from = r->buf.n;
	ctx_second_pass_end(&r->second);
}

/* Opens the next input file.  If that fails, sets r->fd to -1, and errno. */
static void
open_named_file(struct ctx_reader *r)
{
	if (strcmp(r->name, "-") == 0) {
		r->fd = STDIN_FILENO;
		return;
	}
	do
		r->fd = open(r->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (r->fd < 0 && errno == EINTR);
}

/* Begins to read the source of the reader.  If the source is a callback, r->fd
 * is no descriptor; it only shows that the source is open. */
static void
open_source(struct ctx_reader *r)
{
	r->name = r->source.name;
	r->fd = r->source.read != NULL ? 0 : r->source.fd;
}

/* Returns the offset in the open file of the next byte that will be read.  The
 * offset is not 0 if another program has read the beginning of standard
 * input. */
static uint64_t
find_offset(const struct ctx_reader *r)
{
	struct stat file;
	off_t offset;

	if (r->source.read != NULL || fstat(r->fd, &file) < 0 ||
	    !S_ISREG(file.st_mode))
		return CTX_NO_OFFSET;
	offset = lseek(r->fd, 0, SEEK_CUR);
	return offset < 0 ? CTX_NO_OFFSET : (uint64_t)offset;
}

int
ctx_reader_open_next(struct ctx_reader *r, struct ctx_err *err)
{
	if (r->next > 0 && r->next >= r->n)
		return 0;
	if (r->source.name != NULL) {
		open_source(r);
	} else {
		r->name = r->n == 0 ? "-" : r->files[r->next];
		open_named_file(r);
	}
	r->next++;
	if (r->fd < 0) {
		ctx_err_sys(err, errno, "cannot open");
		err->file = r->name;
		return -1;
	}
#ifdef POSIX_FADV_SEQUENTIAL
	if (r->source.read == NULL)
		(void)posix_fadvise(r->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	r->framing = UNKNOWN;
	r->torn = false;
	r->fresh = true;
	r->offset = find_offset(r);
	r->eof = false;
	r->failed = 0;
	r->line = 1;
	r->column = 0;
	return 1;
}

void
ctx_reader_advance(const char *p, size_t n, uint64_t *line, uint64_t *column)
{
	const char *end = p + n;
	const char *lf;

	while (p < end && (lf = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		++*line;
		*column = 0;
		p = lf + 1;
	}
	*column += (size_t)(end - p);
}

void
ctx_reader_locate_error(const struct ctx_reader *r, size_t at,
    struct ctx_err *err)
{
	err->file = r->name;
	err->line = r->line;
	err->column = r->column;
	ctx_reader_advance(r->buf.p + r->from, at, &err->line, &err->column);
	err->column++;
}

void
ctx_reader_report_rest(const struct ctx_reader *r, size_t at,
    struct ctx_err *err)
{
	ctx_err_set(err, CTX_EINPUT, "%s",
	    r->buf.p[r->from + at] == ','
		? "a comma after the JSON value; remove it, or put all values "
		  "between [ and ]"
		: "more than one JSON value on the line; put each on a line of "
		  "its own");
	ctx_reader_locate_error(r, at, err);
}

void
ctx_reader_report_end(const struct ctx_reader *r, size_t n, struct ctx_err *err)
{
	ctx_err_set(err, CTX_EINPUT,
	    "unexpected end of input; get the rest of the JSON value that "
	    "begins in line %llu",
	    (unsigned long long)r->line);
	ctx_reader_locate_error(r, n, err);
}

/*
 * Makes space in the buffer for the next read, by moving the record that is
 * being read to the beginning of the buffer.  Each record is moved at most
 * once: afterwards it remains at the beginning until it is complete.
 */
static int
make_read_room(struct ctx_reader *r, struct ctx_err *err)
{
	size_t rest = bytes_ahead(r);
	struct ctx_buf fresh = {0};

	if (r->buf.cap > CTX_BUF_KEEP && r->last < CTX_BUF_KEEP / 4 &&
	    rest < READ_LEAST) {
		if (ctx_buf_reserve(&fresh, READ_MOST, err) < 0)
			return -1;
		memcpy(fresh.p, r->buf.p + r->from, rest);
		ctx_buf_release(&r->buf);
		r->buf = fresh;
	} else if (r->from > 0) {
		memmove(r->buf.p, r->buf.p + r->from, rest);
	}
	r->from = 0;
	r->buf.n = rest;
	/* The reserved space is for two things: the next read(2), and the line
	 * feed that take_record() may append to the last line of a file. */
	return ctx_buf_reserve(&r->buf, READ_LEAST + 1, err);
}

/* Reads at most n bytes of the input into p: from the open file, or with
 * source.read, a function of the calling program.  In the second pass, reads
 * bytes that were already read in the first pass.  Repeats read(2) if a signal
 * interrupts it.  If another program has made the file non-blocking, waits for
 * data with poll(2). */
static ssize_t
read_some(struct ctx_reader *r, char *p, size_t n)
{
	ssize_t got;

	if (r->failed != 0) {
		errno = r->failed;
		return -1;
	}
	if (r->second.pass == PASS_SECOND)
		return ctx_second_pass_read(r, p, n);
	if (r->source.read != NULL)
		return r->source.read(r->source.user, p, n);
	do
		got = read(r->fd, p, n);
	while (got < 0 && ctx_wait_ready(r->fd, POLLIN));
	return got;
}

int
ctx_reader_read_more(struct ctx_reader *r, struct ctx_err *err)
{
	size_t space;
	ssize_t got;

	if (r->eof)
		return 0;
	if (ctx_reader_flush(r, err) < 0)
		return -1;
	if (bytes_ahead(r) >= RECORD_MAX) {
		ctx_err_set(err, CTX_ELIMIT,
		    "the record has 4 GiB or more; the maximum is %llu bytes",
		    (unsigned long long)RECORD_MAX - 1);
		ctx_reader_locate_error(r, 0, err);
		return -1;
	}
	if (make_read_room(r, err) < 0) {
		ctx_reader_locate_error(r, 0, err);
		return -1;
	}
	space = r->buf.cap - r->buf.n - 1;
	got = read_some(r, r->buf.p + r->buf.n,
	    space < READ_MOST ? space : READ_MOST);
	if (got < 0) {
		r->failed = errno != 0 ? errno : EIO;
		if (r->source.read != NULL && r->second.pass != PASS_SECOND)
			ctx_err_set(err, CTX_EARG,
			    "the read function of the calling program has "
			    "failed");
		else
			ctx_err_read(err, errno);
		err->file = r->name;
		return -1;
	}
	if (ctx_second_pass_add(&r->second, r->buf.p + r->buf.n, (size_t)got,
		err) < 0) {
		ctx_reader_locate_error(r, 0, err);
		return -1;
	}
	r->buf.n += (size_t)got;
	if (r->offset != CTX_NO_OFFSET)
		r->offset += (uint64_t)got;
	if (got > 0 && r->on_read != NULL && r->second.pass != PASS_SECOND)
		r->on_read(r->user, (size_t)got);
	r->eof = got == 0;
	return !r->eof;
}

/*
 * Returns the bytes of the record that was read last, in memory that the caller
 * frees.  A long record that is at the beginning of the reader's buffer (see
 * make_read_room) is not copied: the caller gets this buffer.  The few bytes
 * after the record are copied to a new buffer.
 */
char *
ctx_reader_keep(struct ctx_reader *reader, const struct ctx_record *record,
    struct ctx_err *err)
{
	struct ctx_buf *buf = &reader->buf, fresh = {0};
	size_t n = record->text.n;
	char *kept;

	if (n < CTX_BUF_KEEP || record->text.p != buf->p) {
		kept = malloc(n + (n == 0));
		if (kept == NULL)
			ctx_err_nomem(err);
		else if (n > 0)
			memcpy(kept, record->text.p, n);
		return kept;
	}
	/* The new buffer needs an unused byte, because take_record() may append
	 * a line feed before make_read_room is called again. */
	if (ctx_buf_reserve(&fresh, bytes_ahead(reader) + READ_LEAST, err) <
		0 ||
	    ctx_buf_add(&fresh, buf->p + reader->from, bytes_ahead(reader),
		err) < 0) {
		ctx_buf_release(&fresh);
		return NULL;
	}
	kept = buf->p;
	*buf = fresh;
	reader->from = 0;
	return kept;
}
