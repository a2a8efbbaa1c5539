/* input_buffer.h - the state of a reader, and the buffer that it reads into */
#ifndef CTX_IO_INPUT_BUFFER_H
#define CTX_IO_INPUT_BUFFER_H

#include "io/io.h"

#define READ_MOST ((size_t)256 << 10) /* most bytes per read */

enum framing {
	UNKNOWN, /* no value read yet */
	LINES,
	VALUES,
};

struct ctx_reader {
	char *const *files;
	size_t n, next; /* number of names; the next to open */
	const char *name;
	int fd; /* -1: no file is open */
	enum framing framing;
	bool lenient;
	bool torn;  /* true after a line that was not a whole value */
	bool fresh; /* true until the file is first read */
	bool eof;
	struct ctx_buf buf;
	size_t from;     /* offset in buf of the record that is being read */
	size_t last;     /* bytes of the record before it */
	uint64_t line;   /* of the byte at from, from 1 */
	uint64_t column; /* of the byte at from, from 0 */
	struct ctx_json json;
	struct ctx_writer *writer;
	void (*on_read)(void *user, size_t bytes); /* or NULL */
	void *user;
};

/* Returns true if another file follows the open one. */
static inline bool
has_next(const struct ctx_reader *r)
{
	return r->next < r->n;
}

/* Returns the bytes in the buffer from the start of the record on. */
static inline size_t
bytes_ahead(const struct ctx_reader *r)
{
	return r->buf.n - r->from;
}

/* Opens the next file; returns 0 if there is none. */
int ctx_reader_open_next(struct ctx_reader *r, struct ctx_err *err);
void ctx_reader_close_file(struct ctx_reader *r);
/*
 * Reads more bytes of the file.  Returns 1, or 0 at its end.  The buffer may
 * move, so a tied writer is flushed first.  That also means that no output
 * waits while the program waits for input.
 */
int ctx_reader_read_more(struct ctx_reader *r, struct ctx_err *err);
/* Advances line and column over n bytes; the column counts from 0. */
void ctx_reader_advance(const char *p, size_t n, uint64_t *line,
    uint64_t *column);
/* Sets file, line and column of an error at offset at of the record. */
void ctx_reader_locate_error(const struct ctx_reader *r, size_t at,
    struct ctx_err *err);

#endif
