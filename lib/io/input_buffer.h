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

/* Bytes of the input, copied to be read again. */
struct input_copy {
	struct input_copy *next; /* the bytes after these */
	size_t n, used;          /* number of bytes; how many were read again */
	char bytes[READ_MOST];
};

/* The part of the open file that is read twice (second_pass.c). */
struct second_pass {
	enum {
		PASS_ONLY,  /* no part is read twice */
		PASS_FIRST, /* the part is read for the first time */
		PASS_SECOND
	} pass;
	/* true if the file is read again, false if a copy of its bytes is */
	bool rereads_file;
	/* Offsets in the file, in bytes, if it is read again: of the next byte
	 * to be read, and where the part begins and ends. */
	uint64_t at, begin, end;
	struct input_copy *first, *last;
	/* line of the first record of the part; framing and torn as they were
	 * after it was read */
	uint64_t line;
	enum framing framing;
	bool torn;
	/* A descriptor of the file whose lines are read again later, and the
	 * number of this file among the reader's; 0: there is none. */
	int kept;
	size_t kept_file;
	/* bytes of that file, and the offset of the first of them */
	struct ctx_buf again;
	uint64_t again_at;
};

struct ctx_reader {
	char *const *files;
	size_t n, next; /* number of files; index of the file to open next */
	const char *name;
	int fd; /* -1: no file is open */
	enum framing framing;
	bool lenient;
	/* true if other files of the stream come before or after these, which
	 * another reader reads */
	bool before, after;
	/* true if a line of this file was an incomplete JSON value that the
	 * lines after it did not complete */
	bool torn;
	bool fresh; /* true if no byte of the open file was read so far */
	bool eof;
	struct ctx_buf buf;
	size_t from; /* offset in buf of the record that is being read */
	size_t last; /* length of the record that was returned last, in bytes */
	/* Number of the line, from 1, in which the record that is being read
	 * begins. */
	uint64_t line;
	/* Column, from 0, in which the record that is being read begins. */
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

/* Returns what a file is that begins with these bytes and is not JSON, and the
 * command that makes of it what can be read; NULL if that is not known. */
const char *ctx_name_encoding(const char *p, size_t n);
/* Returns what the first line of a file, which is not JSON, looks like, and the
 * command that reads it; NULL if it could be JSON with an error. */
const char *ctx_guess_format(const char *p, size_t n);

/* ---- second_pass.c ---- */

/* Adds the n bytes that were read last to the part, if it is read for the first
 * time. */
int ctx_second_pass_add(struct second_pass *second, const char *p, size_t n,
    struct ctx_err *err);
/* Reads bytes of the part again.  Returns their number, 0 at the end of the
 * part, or -1 with errno. */
ssize_t ctx_second_pass_read(struct ctx_reader *r, char *p, size_t n);
/* Frees the copies of bytes.  No part is read twice any more. */
void ctx_second_pass_end(struct second_pass *second);
/* Frees the rest of the memory, and closes the file that was kept open. */
void ctx_second_pass_release(struct second_pass *second);

#endif
