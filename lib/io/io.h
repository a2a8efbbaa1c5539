/*
 * io.h - reads records, writes output, archives removed records, runs commands
 */
#ifndef CTX_IO_H
#define CTX_IO_H

#include <sys/types.h>

#include "base/base.h"
#include "json/json.h"

/* ---- io/writer.c: buffered output --------------------------------------- */

/*
 * Collects output for a file descriptor, or for a callback. ctx_writer_put
 * copies no bytes at first: the writer refers to the caller's bytes, which must
 * remain valid until the next flush.  Bytes that are adjacent in memory are
 * written by one system call. ctx_reader_set_writer makes a reader flush the
 * writer before the reader moves its buffer, to which the writer may refer.
 * ctx_writer_copy copies the bytes.
 *
 * Short writes are continued, EINTR is retried, and EAGAIN waits in poll(2).
 * After a failed write every later call fails with the error of that write.
 */
struct ctx_writer {
	int fd;
	/* Called with n bytes of output, instead of writing them to the file
	 * descriptor.  Returns 0, or -1 if it has failed.  NULL: the output is
	 * written to fd. */
	int (*write)(void *user, const char *p, size_t n);
	void *user;
	/* true if output is flushed after every record (option -u) */
	bool flush_each;
	/* bytes in the caller's memory that were not written yet */
	struct ctx_str borrowed;
	/* Bytes in the writer's own buffer that were not written yet.  They are
	 * written before the borrowed bytes. */
	struct ctx_buf copied;
	/* number of bytes written so far by flushes that have succeeded */
	uint64_t written;
	struct ctx_err failed;
};

void ctx_writer_init(struct ctx_writer *writer, int fd);
/* Makes a writer that passes all output to a callback.  If the callback fails,
 * the functions of the writer fail with CTX_EARG. */
void ctx_writer_init_callback(struct ctx_writer *writer,
    int (*write)(void *user, const char *p, size_t n), void *user);
int ctx_writer_put(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
int ctx_writer_copy(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
/* Called at the end of an output record.  Flushes the writer if flush_each is
 * true. */
int ctx_writer_end_record(struct ctx_writer *writer, struct ctx_err *err);
int ctx_writer_flush(struct ctx_writer *writer, struct ctx_err *err);
/* Frees the writer's memory.  Neither flushes the writer nor closes its
 * descriptor. */
void ctx_writer_release(struct ctx_writer *writer);

/* ---- io/reader.c: split input into records ------------------------------ */

enum ctx_record_kind {
	CTX_RECORD_JSON, /* one JSON value */
	/* The record consists only of white space, or is the byte order mark
	 * (BOM) at the beginning of the first file. */
	CTX_RECORD_BLANK,
	/* The record is not valid JSON.  Only a lenient reader returns such a
	 * record. */
	CTX_RECORD_BAD,
};

/*
 * A record of the input. text: all bytes of the record, with the line ending;
 * the texts of all records together are the whole input. json: the scanned JSON
 * value, set only if kind is CTX_RECORD_JSON. text and json are valid until the
 * next record is read.
 */
struct ctx_record {
	enum ctx_record_kind kind;
	struct ctx_str text;
	/* the bytes of the JSON value, a part of the member "text" */
	struct ctx_str value;
	/* For a record that contains its request as JSON in a string (a coded
	 * request): this string in the record's text, with its quotes.  The
	 * member "value" is then the decoded string, in other memory.  For
	 * other records coded.n is 0. */
	struct ctx_str coded;
	/* the scanned value; its offsets are counted from value.p */
	const struct ctx_json *json;
	/* name of the file as the caller has given it; "-" for standard
	 * input */
	const char *file;
	/* number of the line where the text begins, from 1, and number of bytes
	 * in this line before the text */
	uint64_t line, column;
	/* Offset of text in the file, in bytes.  CTX_NO_OFFSET if the input is
	 * not a regular file, or if a line feed that is not in the file was
	 * added to text. */
	uint64_t offset;
};
#define CTX_NO_OFFSET UINT64_MAX

/*
 * A reader: reads several files as one stream of JSON records.
 *
 * How records are separated is detected for each file:
 * - Lines: each line is a record, as long as each line that is not blank is one
 *   complete JSON value.
 * - Sequence of values: begins with the first value that continues on the next
 *   line.  Each value is then a record, whether the file is one document or
 *   many pretty-printed ones.  The record includes the blanks (spaces, tabs,
 *   carriage returns) after the value, up to and including a line feed.  So a
 *   record can be removed from the file, or a line can be inserted before it.
 *
 * A line that is not one complete value, and that the next lines do not
 * complete, is a bad record.  After the first line of a file that begins a
 * value which the next lines do not complete, every line is a record.  In a
 * sequence of values, the rest of the file after an invalid value is one bad
 * record.  A line of blanks is a record of its own.  Blanks before a value on
 * its line belong to the value's record.
 *
 * A record is returned as soon as its line feed was read.  In a sequence of
 * values, a record without a line feed ends before the first byte after its
 * blanks.
 *
 * CRLF, blank lines, the byte order mark of the first file and a missing last
 * line feed are preserved.  A line feed is added only between files.  A NUL
 * byte is an error, like any other invalid byte.  Lines may have any length
 * below 4 GiB.
 */
struct ctx_reader;

/* Opens a reader of n files.  The array of file names must remain valid until
 * the reader is closed.  The name "-" means standard input.  If n is 0,
 * standard input is read. */
int ctx_reader_open(struct ctx_reader **reader, char *const *files, size_t n,
    struct ctx_err *err);
/* Opens a reader for bytes in memory, which it reads as one file. name: name of
 * the file in records and errors.  The name and the bytes must remain valid
 * until the reader is closed. */
int ctx_reader_open_text(struct ctx_reader **reader, const char *name,
    struct ctx_str text, struct ctx_err *err);
/* The source of a reader that does not open files itself: the descriptor of an
 * open file, or a callback. */
struct ctx_source {
	/* name of the source in errors, in place of a file name */
	const char *name;
	/* descriptor of an open file, which is read but not closed */
	int fd;
	/* Callback that reads at most n bytes into p.  Returns the number of
	 * bytes, or 0 at the end of the input, or -1 after an error.  NULL: the
	 * descriptor fd is read. */
	ssize_t (*read)(void *user, char *p, size_t n);
	void *user;
};
/* Opens a reader for one source.  Copies the struct, but not the name, which
 * must remain valid until the reader is closed.  If a later call fails with
 * CTX_EARG, the callback "read" of the source has failed. */
int ctx_reader_open_source(struct ctx_reader **reader,
    const struct ctx_source *source, struct ctx_err *err);
/* Makes a reader lenient or strict.  A new reader is strict.  A strict reader
 * returns an error for an invalid record.  A lenient reader returns the record
 * with the kind CTX_RECORD_BAD, sets *err to the reason, and continues with the
 * next record. */
void ctx_reader_set_lenient(struct ctx_reader *reader, bool lenient);
/* Tells the reader that its files are only a part of the output. before: true
 * if other files are written before the files of this reader; a byte order mark
 * is then dropped. after: true if other files are written after the files of
 * this reader; a line feed is then added if it is missing at the end of the
 * last file. */
void ctx_reader_set_neighbors(struct ctx_reader *reader, bool before,
    bool after);
/* Tells the reader which writer refers to the bytes of its records
 * (ctx_writer_put).  The reader flushes this writer before it reuses the memory
 * of earlier records.  So records that are not changed can be written without a
 * copy. */
void ctx_reader_set_writer(struct ctx_reader *reader,
    struct ctx_writer *writer);
/* Flushes the writer set by ctx_reader_set_writer, if there is one.  Callers
 * that keep a record while the next record is read need this. */
int ctx_reader_flush(struct ctx_reader *reader, struct ctx_err *err);
/* Sets a callback that the reader calls each time it has read bytes of the
 * input, with their number, at most 256 KiB.  Bytes that are read twice are
 * reported only once. */
void ctx_reader_set_progress(struct ctx_reader *reader,
    void (*read)(void *user, size_t bytes), void *user);
/*
 * Reads the next record.  Returns 1, or 0 at the end of the last file, or -1
 * with *err.  Errors in the input have file, line and column set.  A file is
 * opened when the file before it has ended.  If a file cannot be read or has an
 * invalid record, it is closed, and the next call continues with the next file,
 * as cat(1) does.
 */
int ctx_reader_next(struct ctx_reader *reader, struct ctx_record *record,
    struct ctx_err *err);
/*
 * Returns the bytes of the record that was read last, in memory that the caller
 * frees.  The memory is a copy or, for a long record, the buffer of the reader.
 * Pointers into the record remain valid until the next call of ctx_reader_next,
 * or until the caller frees the memory.  Returns NULL with *err if there is no
 * memory.
 */
char *ctx_reader_keep(struct ctx_reader *reader,
    const struct ctx_record *record, struct ctx_err *err);
/* The beginning of a reader's input, which another reader reads ahead. */
struct ctx_read_ahead {
	/* the reader whose input is read ahead; no record of it was read yet */
	struct ctx_reader *reader;
	/* maximum number of bytes that are read ahead, all of the first file */
	size_t most;
	size_t at; /* number of bytes read ahead so far */
	/* true if the input cannot be opened, or there is no memory */
	bool failed;
	struct ctx_err err; /* set if failed is true */
};
/* Opens a lenient reader of the bytes that source->reader will read first.
 * These bytes remain in the buffer of source->reader.  The file that cannot be
 * opened is skipped by source->reader.  Until *ahead is closed, source must be
 * valid, and source->reader must not be used. */
int ctx_reader_open_ahead(struct ctx_reader **ahead,
    struct ctx_read_ahead *source, struct ctx_err *err);
/* Sets *line and *column to the place in the file of a byte of the record's
 * value.  Both numbers are counted from 1; the column is in bytes. */
void ctx_record_find_place(const struct ctx_record *record, const char *byte,
    uint64_t *line, size_t *column);
/* Flushes the writer set by ctx_reader_set_writer, then frees the reader.  If
 * the flush fails, the next call of a writer function returns the error. reader
 * may be NULL. */
void ctx_reader_close(struct ctx_reader *reader);

/* ---- io/archive.c: log of removed and changed records ------------------- */

/*
 * An archive: a file to which the original bytes of removed or changed records
 * are appended, one record per line.  If ctx creates the file, it gets the mode
 * 0600.  If the file ends with an incomplete record, because a disk was full or
 * a process was killed, the next record begins on a new line.
 */
struct ctx_archive {
	int fd;
	/* Descriptor of the directory that contains the archive. -1 if this
	 * directory was synced, or cannot be. */
	int directory;
	const char *path; /* path of the archive, owned by the caller */
	bool dirty;       /* true if a record was added since the last sync */
	/* Length of the archive in bytes after the record that was written
	 * last. */
	uint64_t end;
	struct ctx_buf pending;
};
/* Opens the archive file, and the directory that contains it.  The directory is
 * synced later, but must be opened now, because a program in the sandbox cannot
 * open directories. */
int ctx_archive_open(struct ctx_archive *archive, const char *path,
    struct ctx_err *err);
/* Adds a record, the n bytes at p, to the archive as one line.  Converts line
 * breaks between the tokens of its JSON to spaces. */
int ctx_archive_add(struct ctx_archive *archive, const char *p, size_t n,
    struct ctx_err *err);
/* Writes all added records, and syncs the file to disk.  Also syncs the
 * directory that contains the file, if the user may read this directory.
 * Returns 0, or -1 with *err. */
int ctx_archive_sync(struct ctx_archive *archive, struct ctx_err *err);
int ctx_archive_close(struct ctx_archive *archive, struct ctx_err *err);

/* ---- io/command_runner.c: run a command, also from a sandbox ------------ */

struct ctx_command_runner;

/* A shell command that the user has given as an option.  Commands in the input
 * are never run. */
struct ctx_command {
	/* Command line for sh -c, terminated by a NUL byte; NULL if there is no
	 * command. */
	const char *line;
	/* time limit in seconds, after which the command is killed */
	unsigned seconds;
	/* clock that measures the time limit; NULL if there is no limit */
	ctx_clock *clock;
	/* The child process that runs the command line, or NULL if this process
	 * runs it. */
	struct ctx_command_runner *runner;
};
/*
 * Runs a shell command with the given text as its standard input, and appends
 * its output, at most limit bytes, to out.  The command need not read all of
 * its input.
 *
 * CTX_EARG: the command ended with a status other than 0, was killed, took too
 * long, wrote too much, or wrote invalid UTF-8.  The error text says which.
 *
 * The command and its child processes (its process group) are killed when this
 * process ends, even by SIGKILL.  HUP, INT, QUIT and TERM are deferred, unless
 * they are ignored or blocked in this thread: first the process group is
 * killed, then the signals are delivered.  If a signal handler returns, this
 * function fails with CTX_EARG.  In a program with threads, all other threads
 * must block these signals.
 */
int ctx_run_command(const struct ctx_command *command, struct ctx_str input,
    size_t limit, struct ctx_buf *out, struct ctx_err *err);

/*
 * A runner: a child process that runs one command on request.  A program can
 * start the runner and then give up the right to run commands.  The command
 * still has all rights that the program had when it started the runner.  The
 * runner ends when the program ends, or when ctx_command_runner_end is
 * called.
 */
struct ctx_command_runner {
	pid_t pid;
	int requests; /* write end of the pipe to the child, or -1 if closed */
	int answers;  /* read end of the pipe from the child, or -1 if closed */
};
/* Starts the child process that will run this command, and sets
 * command->runner.  The command must remain valid.  The child has copies of all
 * open descriptors except standard input and output.  The caller must not have
 * started other threads.  If the child ends early, every later run of the
 * command fails with CTX_EARG. */
int ctx_command_runner_start(struct ctx_command_runner *runner,
    struct ctx_command *command, struct ctx_err *err);
/* Ends the child process, and waits until it has ended.  Does nothing if
 * *runner is all zeros. */
void ctx_command_runner_end(struct ctx_command_runner *runner);

#endif
