/* input_buffer.h - the state of a reader of records, and the buffer into which
 * it reads files */
#ifndef CTX_IO_INPUT_BUFFER_H
#define CTX_IO_INPUT_BUFFER_H

#include "io/io.h"

#define READ_MOST ((size_t)256 << 10) /* maximum bytes per call of read(2) */

enum framing {
	UNKNOWN, /* no value of the file was read yet */
	LINES,
	VALUES,
};

struct ctx_reader {
	char *const *files;
	size_t n, next; /* number of files; index of the file to open next */
	const char *name;
	int fd; /* -1: no file is open */
	enum framing framing;
	bool lenient;
	/* true if a line of this file was an incomplete JSON value that the
	 * lines after it did not complete */
	bool torn;
	bool fresh; /* true if no byte of the open file was read yet */
	bool eof;
	struct ctx_buf buf;
	size_t from; /* offset in buf of the record that is being read */
	size_t last; /* bytes of the record that was returned last */
	/* line number of the first byte of the record that is being read,
	 * counted from 1 */
	uint64_t line;
	/* column of the first byte of the record that is being read, counted
	 * from 0 */
	uint64_t column;
	struct ctx_json json;
	struct ctx_writer *writer;
	/* called after each read with its number of bytes; may be NULL */
	void (*on_read)(void *user, size_t bytes);
	void *user;
};

/* Returns true if there is another input file after the open one. */
static inline bool
has_next(const struct ctx_reader *r)
{
	return r->next < r->n;
}

/* Returns the number of bytes in the buffer from the start of the record that
 * is being read. */
static inline size_t
bytes_ahead(const struct ctx_reader *r)
{
	return r->buf.n - r->from;
}

/* Opens the next input file.  Returns 1, 0 if there are no more files, or -1
 * with *err. */
int ctx_reader_open_next(struct ctx_reader *r, struct ctx_err *err);
void ctx_reader_close_file(struct ctx_reader *r);
/* Reads more bytes of the open file into the buffer.  Returns 1, 0 at the end
 * of the file, or -1 with *err.  Before the read it flushes the writer,
 * because the writer may refer to bytes in the buffer, which may move.  The
 * flush also ensures that no output is delayed while the program waits for
 * input. */
int ctx_reader_read_more(struct ctx_reader *r, struct ctx_err *err);
/* Updates a line number and a column for the n bytes at p, which were read.
 * The column is counted from 0 and starts again after each line feed. */
void ctx_reader_advance(const char *p, size_t n, uint64_t *line,
    uint64_t *column);
/* Sets file, line and column of *err to the position of a byte of the record
 * that is being read. at: the offset of the byte in the record. */
void ctx_reader_locate_error(const struct ctx_reader *r, size_t at,
    struct ctx_err *err);

#endif
