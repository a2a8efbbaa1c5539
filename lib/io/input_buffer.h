/* input_buffer.h - the state of a reader of records, and the buffer into which
 * it reads files */
#ifndef CTX_IO_INPUT_BUFFER_H
#define CTX_IO_INPUT_BUFFER_H

#include "io/second_pass.h"

#define READ_MOST ((size_t)256 << 10) /* maximum bytes per call of read(2) */

enum framing {
	UNKNOWN, /* no JSON value of the file was read yet */
	LINES,
	VALUES,
};

/* Bytes of the input that were copied because they will be read again. */
struct input_copy {
	struct input_copy *next; /* the bytes after these */
	/* n: number of bytes; used: how many of them were read again */
	size_t n, used;
	char bytes[READ_MOST];
};

/* The part of the open file that is read twice.  It begins with a record that
 * the caller has marked, and ends at the end of the file (second_pass.c). */
struct second_pass {
	enum {
		PASS_ONLY,  /* no part is read twice */
		PASS_FIRST, /* the part is read for the first time */
		PASS_SECOND
	} pass;
	/* True if the file itself is read again.  False if it cannot be read
	 * again (a pipe): then its bytes are copied, and the copy is read. */
	bool rereads_file;
	/* Only if rereads_file is true: offsets in the file, in bytes, of the
	 * part that is read twice. */
	uint64_t begin, end;
	struct input_copy *first, *last;
	/* State of the reader after it has read the marked record, to be set
	 * again for the second pass. line: the line of the marked record. */
	uint64_t line;
	enum framing framing;
	bool torn;
	/* One file is kept open, so that its records can be read again when
	 * they are written: its descriptor, and its name, which is the member
	 * "file" of its records.  NULL: no file is kept open. */
	int kept;
	const char *kept_file;
	/* the bytes of this file that were read last, and the offset in the
	 * file of the first of them, in bytes */
	struct ctx_buf again;
	uint64_t again_at;
};

struct ctx_reader {
	char *const *files;
	/* What is read instead of files; its name is NULL if files are read. */
	struct ctx_source source;
	size_t n, next; /* number of files; index of the file to open next */
	const char *name;
	/* Only for a text in memory: its bytes that were not read yet. */
	struct ctx_str unread;
	int fd; /* -1: no file is open */
	enum framing framing;
	bool lenient;
	/* The files of this reader may be a part of a longer output.  True if
	 * bytes of other files are written before them (before) or after them
	 * (after). */
	bool before, after;
	/* true if a line of this file was an incomplete JSON value that the
	 * lines after it did not complete */
	bool torn;
	bool fresh; /* true if no byte of the open file was read so far */
	/* offset, in the open file, of the next byte to be read; CTX_NO_OFFSET
	 * if it is not a regular file */
	uint64_t offset;
	bool eof;
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
	/* Called after each read(2), with the number of bytes that were read;
	 * may be NULL. */
	void (*on_read)(void *user, size_t bytes);
	void *user;
};

/* Returns true if there are input files that were not opened yet. */
static inline bool
has_next(const struct ctx_reader *r)
{
	return r->next < r->n || r->after;
}

/* Returns how many bytes the buffer has from the start of the current record
 * on. */
static inline size_t
bytes_ahead(const struct ctx_reader *r)
{
	return r->buf.n - r->from;
}

/* Opens the next input file.  Returns 1, 0 if there are no more files, or -1
 * with *err. */
int ctx_reader_open_next(struct ctx_reader *r, struct ctx_err *err);
/*
 * Reads more bytes of the open file into the buffer, which may move.  Returns
 * 1, 0 at the end of the file, or -1 with *err.
 *
 * Before the read it flushes the writer set by ctx_reader_set_writer, because
 * bytes in the buffer may wait there to be written.  The flush also ensures
 * that no output is delayed while the program waits for input.
 */
int ctx_reader_read_more(struct ctx_reader *r, struct ctx_err *err);
/* Moves a position in the input past the n bytes at p: updates its line number
 * and its column.  The column is counted from 0 in each line. */
void ctx_reader_advance(const char *p, size_t n, uint64_t *line,
    uint64_t *column);
/* Sets file, line and column of *err to the place of a byte in the current
 * record. at: the offset of the byte in the record. */
void ctx_reader_locate_error(const struct ctx_reader *r, size_t at,
    struct ctx_err *err);

/* ---- guess_format.c ---- */

/* Returns a text for users if a file begins with bytes that are typical of a
 * format other than JSON, such as UTF-16 or gzip.  The text names the format
 * and a command that decodes the file.  Otherwise returns NULL. */
const char *ctx_name_encoding(const char *p, size_t n);
/* Returns a text for users if the first line of a file looks like a format
 * other than JSON, such as YAML.  The text names the format and a command that
 * converts the file.  Returns NULL if the line could be JSON with an error. */
const char *ctx_guess_format(const char *p, size_t n);

/* ---- second_pass.c ---- */

/* Must be called after each read, with the n bytes that were read.  In the
 * first pass they are recorded as a part of the file that will be read again.
 * Does nothing in the second pass, or if no record was marked. */
int ctx_second_pass_add(struct second_pass *second, const char *p, size_t n,
    struct ctx_err *err);
/* Reads bytes of the open file for the second time.  Returns their number, 0 at
 * the end of what was read in the first pass, or -1 with errno. */
ssize_t ctx_second_pass_read(struct ctx_reader *r, char *p, size_t n);
/* Ends the second pass: frees the copied bytes of the file. */
void ctx_second_pass_end(struct second_pass *second);
/* Frees the rest of the memory, and closes the file that was kept open. */
void ctx_second_pass_release(struct second_pass *second);

#endif
