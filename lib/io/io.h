/*
 * io.h - read records, write output, archive removed records, run commands
 */
#ifndef CTX_IO_H
#define CTX_IO_H

#include <sys/types.h>

#include "base/base.h"
#include "json/json.h"

/* ---- io/writer.c: buffered output --------------------------------------- */

/*
 * Buffered output to a file descriptor.  ctx_writer_put does not copy bytes but
 * refers to those of the caller; adjacent ones are written by one call.  So
 * they must remain valid until the next flush.  A tied reader
 * (ctx_reader_set_writer) flushes before it moves its buffer.  ctx_writer_copy
 * takes a copy.
 *
 * Short writes are continued, EINTR is retried, EAGAIN waits in poll(2).  After
 * a failed write every later call fails with the same error.
 */
struct ctx_writer {
	int fd;
	bool flush_each;         /* true: flush after every record (-u) */
	struct ctx_str borrowed; /* not yet written; the caller's bytes */
	struct ctx_buf copied;   /* not yet written; before borrowed */
	uint64_t written;        /* bytes written so far */
	struct ctx_err failed;
};

void ctx_writer_init(struct ctx_writer *writer, int fd);
int ctx_writer_put(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
int ctx_writer_copy(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
/* Ends a record: flushes if flush_each is set. */
int ctx_writer_end_record(struct ctx_writer *writer, struct ctx_err *err);
int ctx_writer_flush(struct ctx_writer *writer, struct ctx_err *err);
/* Flushes and closes the descriptor; some errors appear only when it is closed.
 * After a failed call it returns that error, but still closes. */
int ctx_writer_close(struct ctx_writer *writer, struct ctx_err *err);
/* Frees memory; neither flushes nor closes the descriptor. */
void ctx_writer_release(struct ctx_writer *writer);

/* ---- io/reader.c: split input into records ------------------------------ */

enum ctx_record_kind {
	CTX_RECORD_JSON,  /* one JSON value */
	CTX_RECORD_BLANK, /* white space, or a BOM at the start of the first
			     file */
	CTX_RECORD_BAD,   /* invalid JSON; only from a lenient reader */
};

/*
 * One record.  text is all its bytes, line ending included: the texts of the
 * records, one after another, are the stream.  json is the scanned value, for
 * kind JSON only.  Both are valid until the next call.
 */
struct ctx_record {
	enum ctx_record_kind kind;
	struct ctx_str text;
	struct ctx_str value;        /* the JSON value, within text */
	const struct ctx_json *json; /* offsets in it count from value.p */
	const char *file; /* as named by the caller; "-" for standard input */
	uint64_t line;    /* line of the value's first byte, from 1 */
};

/*
 * Reads files, one after another, as one stream of records.  The framing is
 * detected for each file:
 *  - Lines: as long as each line that is not blank is one complete value, each
 *    line is a record.
 *  - Sequence of values: this begins with the first value that continues on the
 *    next line.  Each value is then a record, however it is laid out: one
 *    document, or many pretty-printed ones.  The record includes the blanks
 *    (space, tab, carriage return) after the value, up to and including a line
 *    feed.  So a record can be removed from such a file, or a line inserted
 *    before it.
 *
 * A line that is neither, such as a truncated one, is a bad record.  After the
 * first bad line of a file every line is a record.
 *
 * A line of blanks is a record by itself.  Blanks before a value on its line
 * belong to its record.  A record is returned as soon as its line feed has been
 * read, or, in a sequence of values, any other byte that is not a blank.
 *
 * CRLF, blank lines, the BOM of the first file and a missing last line feed are
 * kept; a line feed is added only where another file follows.  A NUL byte is an
 * error, as any other invalid byte.  Lines may have any length below 4 GiB.
 */
struct ctx_reader;

/* Opens a reader of n files, whose names must outlive it; "-" is standard
 * input.  n 0 stands for one "-". */
int ctx_reader_open(struct ctx_reader **reader, char *const *files, size_t n,
    struct ctx_err *err);
/* If lenient is true, a bad record is returned with kind BAD and does not end
 * the stream; *err then has the error, too. */
void ctx_reader_set_lenient(struct ctx_reader *reader, bool lenient);
/* Ties a writer to the reader.  The reader flushes it before it reuses the
 * memory of earlier records.  So records that are not changed may be given to
 * ctx_writer_put. */
void ctx_reader_set_writer(struct ctx_reader *reader,
    struct ctx_writer *writer);
/* Flushes the tied writer, if there is one; for callers that keep records
 * longer. */
int ctx_reader_flush(struct ctx_reader *reader, struct ctx_err *err);
/* Makes the reader call read after each read of input, with the number of
 * bytes, at most 256 KiB. */
void ctx_reader_set_progress(struct ctx_reader *reader,
    void (*read)(void *user, size_t bytes), void *user);
/*
 * Reads the next record.  Returns 1, 0 at the end of the last file, or -1.
 * Errors in the input have file, line and column set.  A file is opened when
 * the one before it has ended.  A file that cannot be opened or read, or has a
 * bad record, is closed; a further call continues with the next file, as cat(1)
 * does.
 */
int ctx_reader_next(struct ctx_reader *reader, struct ctx_record *record,
    struct ctx_err *err);
/*
 * Returns the bytes of the record read last, in memory that the caller frees: a
 * copy, or for a long record the buffer of the reader.  Pointers into the
 * record remain valid until the next call of ctx_reader_next, or until the
 * caller frees the memory.  NULL with *err if there is no memory.
 */
char *ctx_reader_keep(struct ctx_reader *reader,
    const struct ctx_record *record, struct ctx_err *err);
/* Flushes the tied writer, which returns an error from its next call, and frees
 * the reader.  NULL is ignored. */
void ctx_reader_close(struct ctx_reader *reader);

/* ---- io/archive.c: log of removed and changed records ------------------- */

/*
 * A log of removed or changed records: their original bytes, one record per
 * line.  Records are appended; a new file gets mode 0600.  A record that was
 * written only in part, because of a full disk or a killed process, is kept on
 * a line of its own.
 */
struct ctx_archive {
	int fd;
	int directory; /* the file's directory, until that is synced; or -1 */
	const char *path; /* the caller's */
	bool dirty;       /* true if a record was added since the last sync */
	uint64_t end;     /* bytes of the file after the last write */
	struct ctx_buf pending;
};
/* Opens the file and all that later calls need, since a sandboxed program
 * cannot open files later. */
int ctx_archive_open(struct ctx_archive *archive, const char *path,
    struct ctx_err *err);
/* Adds a record.  Line breaks between its tokens become spaces. */
int ctx_archive_add(struct ctx_archive *archive, const char *p, size_t n,
    struct ctx_err *err);
/* Returns 0 when all added records are on disk.  The name of the file is on
 * disk, too, if its directory may be read. */
int ctx_archive_sync(struct ctx_archive *archive, struct ctx_err *err);
int ctx_archive_close(struct ctx_archive *archive, struct ctx_err *err);

/* ---- io/command_runner.c: run a command, also from a sandbox ------------ */

struct ctx_command_runner;

/* A shell command, given by the user and not by the input. */
struct ctx_command {
	const char *line; /* for sh -c, NUL-terminated; NULL: no command */
	unsigned seconds; /* after which its process group is killed */
	struct ctx_command_runner *runner; /* NULL: this process runs it */
};
/*
 * Runs the command with this input on its standard input, and appends its
 * output, at most limit bytes, to out.  The command may stop reading before the
 * end of the input.  CTX_EARG: the command ended with a status other than 0,
 * was killed, took too long, wrote too much or wrote invalid UTF-8; the error
 * text says which.
 *
 * The process group of the command is killed when this process ends, even by
 * SIGKILL.  HUP, INT, QUIT and TERM are deferred, unless they are ignored or
 * blocked in this thread: the process group is killed, then the signals are
 * delivered.  If a handler returns, so does this function, with CTX_EARG.  In a
 * program with threads all other threads must block these signals.
 */
int ctx_run_command(const struct ctx_command *command, struct ctx_str input,
    size_t limit, struct ctx_buf *out, struct ctx_err *err);

/*
 * A child process that runs one command each time it is asked.  A program that
 * starts it first can then give up the right to run commands; the command still
 * has all rights that the program had at the start.  The child ends when the
 * program ends or ctx_command_runner_end is called.
 */
struct ctx_command_runner {
	pid_t pid;
	int requests; /* write end of the pipe to the child; -1: closed */
	int answers;  /* read end of the pipe from the child; -1: closed */
};
/* Starts the child for this command, which must remain valid, and sets
 * command->runner.  The child has copies of all open descriptors but standard
 * input and output.  No other thread may have been started.  If the child ends
 * early, every later run of the command is an error (CTX_EARG). */
int ctx_command_runner_start(struct ctx_command_runner *runner,
    struct ctx_command *command, struct ctx_err *err);
/* Waits for the end of the child.  A zeroed runner is ignored. */
void ctx_command_runner_end(struct ctx_command_runner *runner);

#endif
