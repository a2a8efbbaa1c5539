/* read_ahead.c - reads the beginning of an input before its records are read */
#include <string.h>

#include "io/input_buffer.h"

/* Opens the first file, and reads until its buffer has a byte at source->at.
 * Returns 1, or 0 at the end of the file or after an error in reading, which
 * the reader reports when a record needs these bytes; or -1 with source->err.
 */
static int
fill_buffer(struct ctx_read_ahead *source)
{
	struct ctx_reader *reader = source->reader;
	int rc = 1;

	if (reader->fd < 0 &&
	    (rc = ctx_reader_open_next(reader, &source->err)) <= 0)
		return rc;
	while (rc > 0 && bytes_ahead(reader) <= source->at)
		rc = ctx_reader_read_more(reader, &source->err);
	return rc < 0 && source->err.code != CTX_ENOMEM ? 0 : rc;
}

static ssize_t
read_ahead(void *user, char *p, size_t n)
{
	struct ctx_read_ahead *source = user;
	size_t rest;
	int rc = source->at < source->most ? fill_buffer(source) : 0;

	source->failed = rc < 0;
	if (rc <= 0)
		return rc;
	rest = bytes_ahead(source->reader) - source->at;
	if (rest > source->most - source->at)
		rest = source->most - source->at;
	if (n > rest)
		n = rest;
	memcpy(p, source->reader->buf.p + source->reader->from + source->at, n);
	source->at += n;
	return (ssize_t)n;
}

int
ctx_reader_open_ahead(struct ctx_reader **ahead, struct ctx_read_ahead *source,
    struct ctx_err *err)
{
	const struct ctx_source callback = {.name = "",
	    .read = read_ahead,
	    .user = source};

	if (ctx_reader_open_source(ahead, &callback, err) < 0)
		return -1;
	ctx_reader_set_lenient(*ahead, true);
	return 0;
}
