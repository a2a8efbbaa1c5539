/*
 * io.h - records in and out, the archive, commands that are run
 */
#ifndef CTX_IO_H
#define CTX_IO_H

#include "base/base.h"
#include "json/json.h"

/* ---- io/writer.c: coalesced writes, every error seen -------------------- */

/*
 * Writes to a descriptor.  Text is not copied but remembered, and what
 * follows in memory without a gap leaves in the same write; so the caller's
 * bytes must stay until the next flush, which a tied reader (below) calls
 * before it moves its buffer.  ctx_writer_copy takes bytes that will not stay.
 * Short writes are continued, EINTR is retried, EAGAIN waits in poll(2).
 * After a failed write every later call fails with the same error.
 */
struct ctx_writer {
	int fd;
	bool flush_each;         /* flush after every record (-u) */
	struct ctx_str borrowed; /* not yet written, the caller's */
	struct ctx_buf copied; /* not yet written, copied; stands before run */
	uint64_t written;      /* bytes that have left */
	struct ctx_err failed;
};

void ctx_writer_init(struct ctx_writer *writer, int fd);
int ctx_writer_put(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
int ctx_writer_copy(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
/* The end of a record: flushes if flush_each is set. */
int ctx_writer_end_record(struct ctx_writer *writer, struct ctx_err *err);
int ctx_writer_flush(struct ctx_writer *writer, struct ctx_err *err);
/* Flushes and closes the descriptor: some errors show only there.  A call
 * after the first failed one fails as above, but closes. */
int ctx_writer_close(struct ctx_writer *writer, struct ctx_err *err);
/* Frees memory; neither flushes nor closes the descriptor. */
void ctx_writer_release(struct ctx_writer *writer);

/* ---- io/reader.c: descriptors to records -------------------------------- */

enum ctx_record_kind {
	CTX_RECORD_JSON,  /* one JSON value */
	CTX_RECORD_BLANK, /* white space, or a BOM at the start of a file */
	CTX_RECORD_BAD,   /* no valid JSON; only with lenient */
};

/*
 * One record.  text is every byte it came with, line ending included, so
 * that the records of a stream, one behind another, are the stream.  json is
 * its scanned value (kind JSON only).  Both live until the next call.
 */
struct ctx_record {
	enum ctx_record_kind kind;
	struct ctx_str text;
	struct ctx_str value;        /* the JSON value, a piece of text */
	const struct ctx_json *json; /* scanned from value.p on */
	const char *file;            /* as named; "-" for standard input */
	uint64_t line;               /* of the value's first byte, from 1 */
};

/*
 * Reads files, one behind another, as one stream of records.  Framing is
 * found out per file: as long as each line that is not blank is a whole value,
 * every line is one record; from the first value on that goes on behind its
 * line, the file is a sequence of values, however they are laid out (one
 * document, or many pretty-printed ones), each with the blanks (space, tab,
 * carriage return) behind it up to and including a line feed.  So what stood
 * in such a file may be left out, or lines put before it.  A line on which
 * neither is found, as one that was cut short, is bad; once there was one,
 * every line is a record.
 * A line of blanks is a record by itself; blanks before a value on its line
 * belong to its record.  A record comes as soon as its line feed has been
 * read, or, in a sequence of values, any other byte that is no blank.
 * Kept as they are: CRLF, BOM, blank lines, a missing last line feed (a line
 * feed is added only where another file follows).  A NUL byte is an error as
 * any other stray byte.  Lines may have any length below 4 GiB.
 */
struct ctx_reader;

/* files: n names, "-" is standard input; they must outlive the reader.
 * n 0 stands for one "-". */
int ctx_reader_open(struct ctx_reader **reader, char *const *files, size_t n,
    struct ctx_err *err);
/* Bad records are then returned with kind BAD instead of ending the stream;
 * the error is in *err all the same. */
void ctx_reader_set_lenient(struct ctx_reader *reader, bool lenient);
/* Flushes writer before the memory of earlier records is reused, so that
 * untouched records may be put there without a copy. */
void ctx_reader_set_writer(struct ctx_reader *reader,
    struct ctx_writer *writer);
/* Does that now, for those who keep records longer. */
int ctx_reader_flush(struct ctx_reader *reader, struct ctx_err *err);
/* Calls read whenever so many bytes, at most 256 KiB, have come. */
void ctx_reader_set_progress(struct ctx_reader *reader,
    void (*read)(void *user, size_t bytes), void *user);
/*
 * Errors have file, line and column set.  A file is opened when its turn
 * comes; one that cannot be opened or read, or is bad, is closed, and a
 * further call goes on with the file behind it, as cat(1) does.
 */
int ctx_reader_next(struct ctx_reader *reader, struct ctx_record *record,
    struct ctx_err *err);
/*
 * The bytes of the record read last, to be freed by the caller: a copy, or the
 * memory itself if it is long.  Either way what points to the record stays
 * valid as before, but no longer than what is returned.  NULL with *err filled
 * if there is no memory.
 */
char *ctx_reader_keep(struct ctx_reader *reader,
    const struct ctx_record *record, struct ctx_err *err);
/* Flushes a tied writer, which keeps an error for its next call; NULL is
 * no reader and is left alone. */
void ctx_reader_close(struct ctx_reader *reader);

/* ---- io/archive.c: what went, in full ----------------------------------- */

/*
 * A log of what was taken out or changed: original bytes, one record a line.
 * It is appended to, mode 0600 when it is new.  What was cut short, by a full
 * disk or a writer's end, stays on a line of its own.
 */
struct ctx_archive {
	int fd;
	int directory;    /* that it is in, until that is synced; or -1 */
	const char *path; /* the caller's */
	bool dirty;       /* something was added since the last sync */
	uint64_t end;     /* bytes of the file when we had written to it */
	struct ctx_buf pending;
};
/* All that is needed is opened here, before rights are given up. */
int ctx_archive_open(struct ctx_archive *archive, const char *path,
    struct ctx_err *err);
/* Line breaks within the record (between its tokens) become spaces. */
int ctx_archive_add(struct ctx_archive *archive, const char *p, size_t n,
    struct ctx_err *err);
/* Returns when all that was added is on disk, with the name of the file, if
 * its directory may be read. */
int ctx_archive_sync(struct ctx_archive *archive, struct ctx_err *err);
int ctx_archive_close(struct ctx_archive *archive, struct ctx_err *err);

/* ---- io/run_command.c: run a command with a text in, a text out --------- */

struct ctx_command {
	const char *command;  /* for sh -c; the user's own, never the input's */
	struct ctx_str input; /* given on its standard input */
	size_t limit;         /* bytes of output accepted */
	unsigned seconds;     /* until it is killed, with all it started */
};
/*
 * Appends what the command writes to out.  The command may stop reading
 * early.  CTX_EARG: it ended with a status other than 0, was killed, took
 * too long, wrote too much or wrote invalid UTF-8; the text says which.
 *
 * The command is killed, with all it started, when this process ends, also
 * by SIGKILL.  HUP, INT, QUIT and TERM wait, unless they are ignored or
 * blocked in this thread: the command is killed, with all it started, then they
 * are delivered, and CTX_EARG is returned if there is a handler that returns.
 * With threads, the others must block them.
 */
int ctx_run_command(const struct ctx_command *exec, struct ctx_buf *out,
    struct ctx_err *err);

#endif
