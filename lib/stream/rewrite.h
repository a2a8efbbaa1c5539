/* rewrite.h - reads the records of a stream, lets a command change them, and
 * writes them in the order of the input */
#ifndef CTX_STREAM_REWRITE_H
#define CTX_STREAM_REWRITE_H

#include "stream/stream.h"

/* A message kept in memory until it can be written, or a record that is not a
 * message and follows one. */
struct ctx_held_message {
	/* Bytes of the message's record, owned.  NULL: the message is inside
	 * the record that is being read, or ctx_rewrite_hold was not called
	 * yet. */
	char *text;
	size_t n;       /* length of text in bytes */
	uint32_t node;  /* index of the message's JSON node in its record */
	unsigned flags; /* CTX_MESSAGE_... flags of the message */
	/* Format of the message; NULL: the record is not a message. */
	const struct ctx_dialect *dialect;
	const char *file; /* input file and line of the record */
	uint64_t line;
};

/*
 * The messages of one conversation that are in memory.  Each has a number,
 * which counts from 0 in the order of the input.  The members first and end say
 * which are in memory: from number first up to number end - 1.
 *
 * Each command defines a struct of its own for an entry of the queue.  Its
 * first member is a struct ctx_held_message.
 */
struct ctx_held_queue {
	size_t entry_size; /* bytes of an entry */
	/* Frees what an entry owns besides its text; NULL: nothing. */
	void (*release)(void *entry);
	size_t first, end;
	size_t bytes; /* sum of the lengths of the entries' texts */
	/* Internal: list is an array of entries; its first one has the number
	 * base. */
	char *list;
	size_t base, cap;
};

/* Returns the entry with this number, valid until the next entry is added or
 * this one is removed. */
void *ctx_held_queue_at(const struct ctx_held_queue *queue, size_t number);
/* Appends an entry for the event's message or, if the event has none, for its
 * record.  All members that are not in struct ctx_held_message are zero, and
 * the text is not copied yet.  Returns NULL with *err if there is no memory. */
void *ctx_held_queue_add(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Frees the entry that was added last. */
void ctx_held_queue_remove_last(struct ctx_held_queue *queue);
/* Frees the first entry. */
void ctx_held_queue_remove_first(struct ctx_held_queue *queue);
/* Frees the entries for which keep returns false.  The others are numbered
 * from queue->first on, in the same order. */
void ctx_held_queue_filter(struct ctx_held_queue *queue,
    bool (*keep)(const void *entry));
/* Frees all entries; the next one has the number 0. */
void ctx_held_queue_clear(struct ctx_held_queue *queue);
/* Frees the queue with its entries. */
void ctx_held_queue_release(struct ctx_held_queue *queue);

/* How the reading of a stream ended. */
enum ctx_stream_end {
	CTX_END_COMPLETE,
	CTX_END_INVALID, /* a record is invalid; all before it were read */
	/* A read failed, or there was no memory to read a record.  The
	 * conversation may be incomplete. */
	CTX_END_UNREADABLE,
	/* A function of the command returned an error about a record. */
	CTX_END_REFUSED,
	/* A function of the command returned CTX_ESYS, CTX_ENOMEM or
	 * CTX_EPIPE. */
	CTX_END_FAILED,
};

/* The functions of a command that changes a stream.  Each returns -1 and sets
 * *err if the command must end.  NULL: the command does nothing there. */
struct ctx_rewrite_command {
	/* An empty queue with entry_size and release set.  ctx_rewrite_run
	 * begins both queues of the stream as copies of it.  NULL: the command
	 * keeps no message in memory. */
	const struct ctx_held_queue *entries;
	/* A conversation begins: one inside a record or, with the first message
	 * of all files, that of the messages that are records. */
	int (*begin)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* A message was read.  The function adds the edits of the message to
	 * rewrite->edits, or keeps the message in memory. */
	int (*message)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* An element of a conversation that is not a message was read. */
	int (*unknown)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* The conversation inside a record ends. */
	int (*end)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* A record was read to its end.  Not called for a message that was kept
	 * in memory (ctx_rewrite_hold).
	 *
	 * Returns 0 if ctx_rewrite_run is to apply rewrite->edits to the record
	 * and to write it; while earlier records are in memory, it keeps the
	 * record after them instead.  Returns 1 if the function has taken care
	 * of the record: it wrote it, kept it or removed it. */
	int (*record)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* The stream has ended, completely or with an error.  The function
	 * writes the messages in memory that can still be written.  It finds
	 * rewrite->edits empty.  If the stream ended with an error, that error
	 * is reported and one of this function is ignored.  Bytes that are
	 * given to ctx_writer_put must stay valid until ctx_rewrite_run
	 * returns. */
	int (*finish)(void *user, enum ctx_stream_end how, struct ctx_err *err);
};

/* A message and the edits that will be made in it. */
struct ctx_edited_message {
	const struct ctx_message *message; /* without the edits */
	uint32_t node; /* index of its JSON node in its record */
	/* Its edits in rewrite->edits: n from number first on. */
	size_t first, n;
	struct ctx_counter *counter; /* NULL: tokens are not counted */
};

/* A stream that is read and written.  The caller zeroes it, sets the members up
 * to report, and calls ctx_rewrite_init if messages are read again. */
struct ctx_rewrite {
	struct ctx_stream *stream;
	struct ctx_writer *writer; /* NULL: nothing is written */
	/* Says whether this is a dry run, in which nothing is written, and
	 * which archive must be on disk before an edited record is written.
	 * NULL: no dry run, no archive. */
	const struct ctx_report *report;
	/* JSON edits of the record being read, or of the message that is
	 * written next */
	struct ctx_edits edits;
	/* lines: messages that are records.  elements: messages inside the
	 * record being read. */
	struct ctx_held_queue lines, elements;
	const struct ctx_record *record; /* the record being read */
	/* The message that was read again last.  json: the JSON of its record,
	 * unless the message is inside the record being read. */
	struct ctx_message message;
	struct ctx_json json;
	/* The message that ctx_rewrite_read_text has read last, and its JSON.
	 */
	struct ctx_message text_message;
	struct ctx_json text_json;
	/* Internal: */
	const char *scanned; /* text of the record in json; NULL: none */
	bool begun;          /* true if a message was read that is a record */
	bool is_held;        /* true if the record being read is in memory */
	struct ctx_buf out, edited;
};

/* Prepares the reading of messages. simd: the instructions to use. */
void ctx_rewrite_init(struct ctx_rewrite *rewrite, enum ctx_simd simd);
/* Reads the whole stream and calls the functions of the command, with user.  A
 * record that is not in memory is written when it ends; if messages before it
 * are in rewrite->lines, it is appended there instead.  After an error, too,
 * finish is called, and everything written so far is flushed. */
int ctx_rewrite_run(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user, struct ctx_err *err);
/* Keeps the event's record in memory, in the entry that was added to
 * rewrite->lines last; it is written when the command writes the entry.  The
 * event's record remains valid until the next event or until the entry is
 * removed.  If there is no memory, this function removes the entry and returns
 * -1. */
int ctx_rewrite_hold(struct ctx_rewrite *rewrite, struct ctx_held_message *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Appends the event's record, with rewrite->edits, to rewrite->lines, and
 * clears the edits.  Returns the entry; NULL with *err. */
void *ctx_rewrite_hold_record(struct ctx_rewrite *rewrite,
    const struct ctx_event *event, struct ctx_err *err);
/* Makes rewrite->edits in the text of an entry of rewrite->lines, and clears
 * the edits. */
int ctx_rewrite_edit_held(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_err *err);
/* Appends n bytes to the text of an entry of rewrite->lines. */
int ctx_rewrite_append_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_str text, struct ctx_err *err);
/* Frees the text of an entry of rewrite->lines, which is not written then. */
void ctx_rewrite_free_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held);
/* Returns the JSON text of a message: its record if it is in memory, else its
 * part of the record that is being read. */
struct ctx_str ctx_rewrite_text(const struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held);
/* Scans the text of an entry of rewrite->lines, unless it was the last one
 * scanned.  Its JSON is then rewrite->json. */
int ctx_rewrite_scan(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Reads a message in memory again, into rewrite->message.  Returns what
 * ctx_dialect_read_message returns. */
int ctx_rewrite_reread(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Reads a message that is not part of the stream from a JSON text, into
 * rewrite->text_message, which is valid as long as the text. flags:
 * CTX_MESSAGE_... flags to be added.  Returns what ctx_dialect_read_message
 * returns. */
int ctx_rewrite_read_text(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, struct ctx_str text, unsigned flags,
    struct ctx_err *err);
/* Archives the original bytes of an edited message and reports the edit, with
 * the message's tokens before and after.  Of *change, the caller has set the
 * place, tool, rule and bytes. */
int ctx_rewrite_report(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, struct ctx_change *change,
    struct ctx_err *err);
/* Sets *text to this text with rewrite->edits, valid until the next call of
 * this function or ctx_rewrite_write, and clears the edits.  The archive is
 * written to disk first. */
int ctx_rewrite_apply_edits(struct ctx_rewrite *rewrite, struct ctx_str *text,
    struct ctx_err *err);
/* Writes a record with rewrite->edits, and clears the edits.  In a dry run
 * writes nothing.  is_borrowed is true if text remains valid until the writer
 * is flushed, so that it need not be copied. */
int ctx_rewrite_write(struct ctx_rewrite *rewrite, struct ctx_str text,
    bool is_borrowed, struct ctx_err *err);
/* Writes the first entry of rewrite->lines with rewrite->edits, and frees it.
 */
int ctx_rewrite_write_first(struct ctx_rewrite *rewrite, struct ctx_err *err);
/* Frees the memory of the rewrite, with its queues. */
void ctx_rewrite_release(struct ctx_rewrite *rewrite);

#endif
