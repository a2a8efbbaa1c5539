/* input_buffer.h - the state of a reader of records, and the buffer into which
 * it reads files */
#ifndef CTX_IO_INPUT_BUFFER_H
#define CTX_IO_INPUT_BUFFER_H

#include "io/second_pass.h"

/* maximum number of bytes that one call of read(2) reads */
#define READ_MOST ((size_t)256 << 10)

enum framing {
	UNKNOWN, /* no JSON value of the file was read yet */
	LINES,
	VALUES,
};

/* A copied part of the input.  Input that cannot be read twice (a pipe) is
 * copied when it is first read, and the copy is read again. */
struct input_copy {
	struct input_copy *next; /* the next part of the input */
	/* n: number of bytes. used: number of these bytes that were already
	 * read again. */
	size_t n, used;
	char bytes[READ_MOST];
};

/* State of reading a part of the open file twice.  The part begins with a
 * record that the caller has marked, and ends with the file (see
 * second_pass.c). */
struct second_pass {
	enum {
		PASS_ONLY,  /* no part is read a second time */
		PASS_FIRST, /* the part is read for the first time */
		PASS_SECOND
	} pass;
	/* True if the file itself is read again.  False if the file cannot be
	 * read twice (a pipe): its bytes are copied, and the copy is read. */
	bool rereads_file;
	/* If rereads_file is true: offsets in the file, in bytes, of the
	 * beginning and the end of the part that is read twice. */
	uint64_t begin, end;
	struct input_copy *first, *last;
	/* The members line, framing and torn are the state of the reader when
	 * the record was marked.  The second pass begins in this state. line:
	 * number of the line in which the marked record begins. */
	uint64_t line;
	enum framing framing;
	bool torn;
	/* An input file that is kept open after it was read, because its
	 * records may have to be read again when they are written to the
	 * output. kept: descriptor of this file. kept_file: name of this file,
	 * equal to the member "file" of its records; NULL if no file is kept
	 * open. */
	int kept;
	const char *kept_file;
	/* again: the bytes that were last read from the file that is kept open.
	 * again_at: offset of these bytes in the file. */
	struct ctx_buf again;
	uint64_t again_at;
};

struct ctx_reader {
	char *const *files;
	/* The source that is read instead of files.  Its member "name" is NULL
	 * if files are read. */
	struct ctx_source source;
	/* n: number of files; next: index of the file that is opened next. */
	size_t n, next;
	const char *name;
	/* For a text in memory: the part of the text that was not read yet. */
	struct ctx_str unread;
	int fd; /* descriptor of the open file, or -1 if no file is open */
	enum framing framing;
	bool lenient;
	/* The output may consist of the files of several readers. before: true
	 * if other files are written before the files of this reader. after:
	 * true if other files are written after the files of this reader. */
	bool before, after;
	/* True if a line of this file was an incomplete JSON value, and the
	 * next lines did not complete the value. */
	bool torn;
	bool fresh; /* true if no byte of the open file was read so far */
	/* Offset in bytes, in the open file, of the next byte that is read;
	 * CTX_NO_OFFSET if the open file is not a regular file. */
	uint64_t offset;
	bool eof;
	/* Error number of a read of the open file that has failed, or 0.  Every
	 * later read of this file fails with it. */
	int failed;
	struct ctx_buf buf;
	/* offset in buf at which the record that is being read begins */
	size_t from;
	size_t last; /* length of the record that was returned last, in bytes */
	/* Number of the line, from 1, in which the record that is being read
	 * begins. */
	uint64_t line;
	/* Column in which the record that is being read begins, from 0. */
	uint64_t column;
	struct second_pass second;
	struct ctx_json json;
	struct ctx_writer *writer;
	/* See ctx_reader_set_progress.  May be NULL. */
	void (*on_read)(void *user, size_t bytes);
	void *user;
};

/* Returns true if other files come after the open file: files of this reader,
 * or files that are written after those of this reader. */
static inline bool
has_next(const struct ctx_reader *r)
{
	return r->next < r->n || r->after;
}

/* Returns the number of bytes that are in the buffer from the beginning of the
 * current record on. */
static inline size_t
bytes_ahead(const struct ctx_reader *r)
{
	return r->buf.n - r->from;
}

/* Opens the next input file.  Returns 1, or 0 if there is no further file, or
 * -1 with *err. */
int ctx_reader_open_next(struct ctx_reader *r, struct ctx_err *err);
/*
 * Reads more bytes of the open file into the buffer, which may move.  Returns
 * 1, or 0 at the end of the file, or -1 with *err.
 *
 * First flushes the writer set by ctx_reader_set_writer, because this writer
 * may still refer to bytes in the buffer.  This also means that no output waits
 * while the program waits for input.
 */
int ctx_reader_read_more(struct ctx_reader *r, struct ctx_err *err);
/* Changes *line and *column from the place of the byte at p to the place of the
 * byte after the n bytes at p.  Columns are counted from 0. */
void ctx_reader_advance(const char *p, size_t n, uint64_t *line,
    uint64_t *column);
/* Sets file, line and column of *err to the place of a byte in the current
 * record. at: offset of the byte in the record. */
void ctx_reader_locate_error(const struct ctx_reader *r, size_t at,
    struct ctx_err *err);
/* Sets *err to the error that a line continues after its JSON value. at: offset
 * in the current record of the first byte after the value and blanks. */
void ctx_reader_report_rest(const struct ctx_reader *r, size_t at,
    struct ctx_err *err);
/* Sets *err to the error that the input ends inside the first value, or inside
 * a value of several lines.  Reading such an input with --lenient, as lines,
 * would find no message. n: number of bytes from the beginning of the current
 * record to the end of the input. */
void ctx_reader_report_end(const struct ctx_reader *r, size_t n,
    struct ctx_err *err);

/* ---- guess_format.c ---- */

/* If a file begins with bytes that are typical of a format other than JSON,
 * such as UTF-16 or gzip, returns a text for the error message: the format, and
 * what the user can do, usually a command that decodes the file.  Otherwise
 * returns NULL. */
const char *ctx_name_encoding(const char *p, size_t n);
/* If the first line of a file looks like a format other than JSON, such as
 * YAML, returns a text for the error message: the format, and what the user can
 * do.  Otherwise returns NULL. */
const char *ctx_guess_format(const char *p, size_t n);

/* ---- second_pass.c ---- */

/* The caller must call this after it has read the n bytes at p from the input.
 * In the first pass, copies the bytes, unless the file itself is read again.
 * Does nothing in the second pass, or if no record was marked. */
int ctx_second_pass_add(struct second_pass *second, const char *p, size_t n,
    struct ctx_err *err);
/* Reads bytes of the open file for the second time.  Returns their number.
 * Returns 0 after the last byte of the first pass, or -1 with errno. */
ssize_t ctx_second_pass_read(struct ctx_reader *r, char *p, size_t n);
/* Ends the second pass: frees the copied bytes of the file. */
void ctx_second_pass_end(struct second_pass *second);
/* Closes the file that was kept open, and frees the bytes that were read from
 * this file. */
void ctx_second_pass_release(struct second_pass *second);

#endif
