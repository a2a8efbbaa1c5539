/* rewrite.h - reads the records of a stream, lets a command change them, and
 * writes them in the order of the input */
#ifndef CTX_STREAM_REWRITE_H
#define CTX_STREAM_REWRITE_H

#include "stream/held_message.h"

/* Reasons why the reading of a stream has ended. */
enum ctx_stream_end {
	CTX_END_COMPLETE,
	/* A record is invalid.  All records before it were read. */
	CTX_END_INVALID,
	/* A read failed, or there was no memory for a record.  The conversation
	 * may be incomplete. */
	CTX_END_UNREADABLE,
	/* A callback of the command has returned an error because it cannot
	 * process a record. */
	CTX_END_REFUSED,
	/* A callback of the command has failed with CTX_ESYS, CTX_ENOMEM or
	 * CTX_EPIPE. */
	CTX_END_FAILED,
};

/* Callbacks of a command, called while a stream is read.  A callback returns 0,
 * or -1 with *err if the command must end.  A callback may be NULL if the
 * command does nothing at that point. */
typedef int ctx_rewrite_callback(void *user, const struct ctx_event *event,
    struct ctx_err *err);
struct ctx_rewrite_command {
	/* An empty queue: the pattern for the two queues of struct ctx_rewrite.
	 * Only its members entry_size and release are set.  NULL if the command
	 * keeps no messages in memory. */
	const struct ctx_held_queue *entries;
	/* Called at the beginning of each conversation.  For a conversation
	 * inside a record, *event is the event BEGIN.  For the conversation in
	 * which each message is a record, *event is the event of the first
	 * message. */
	ctx_rewrite_callback *begin;
	/* Called for each message.  The callback either adds its edits of the
	 * message to rewrite->edits, or keeps the message in memory. */
	ctx_rewrite_callback *message;
	/* Called for each element of a conversation inside a record, if the
	 * stream returns no message for the element. */
	ctx_rewrite_callback *unknown;
	/* Called at the end of a conversation inside a record. */
	ctx_rewrite_callback *end;
	/* Called at the end of each record, unless the record is a message that
	 * was kept in memory (ctx_rewrite_hold).  The callback returns 1 if it
	 * has written, kept or removed the record.  It returns 0 if
	 * ctx_rewrite_run must apply rewrite->edits to the record and write it;
	 * as long as earlier records are in memory, ctx_rewrite_run keeps the
	 * record in memory, too. */
	ctx_rewrite_callback *record;
	/* Called at the end of the stream, also after an error.  Writes the
	 * messages in memory that can still be written. rewrite->edits is
	 * empty.  After an earlier error, an error of this callback is ignored.
	 * The callback may pass bytes to ctx_writer_put, which does not copy
	 * them; these bytes must be valid until ctx_rewrite_run returns. */
	int (*finish)(void *user, enum ctx_stream_end how, struct ctx_err *err);
};

/* A message, and the edits that will be made in it. */
struct ctx_edited_message {
	/* the message as it is before the edits */
	const struct ctx_message *message;
	uint32_t node; /* index of the message's JSON node in its record */
	/* The edits of the message: n elements of the array rewrite->edits,
	 * from the index "first" on. */
	size_t first, n;
	/* token counter, or NULL if tokens are not counted */
	struct ctx_counter *counter;
};

/* The state of a command that reads a stream of records, changes messages, and
 * writes the stream.  The caller zeroes this struct, and sets the members
 * stream, writer and report.  A command that parses messages in memory again
 * must also call ctx_rewrite_init. */
struct ctx_rewrite {
	struct ctx_stream *stream;
	struct ctx_writer *writer; /* output; NULL to write nothing */
	/* The archive for original bytes, and whether this is a dry run (in
	 * which nothing is written).  A changed record is written only after
	 * its original bytes are in the archive on disk.  NULL if there is no
	 * archive and no dry run; ctx_rewrite_report must then not be
	 * called. */
	const struct ctx_report *report;
	/* counters: the token counters of the command. line_counter: the one of
	 * the conversation in which each message is a record; ctx_rewrite_run
	 * replaces it when a later message shows how tokens are counted
	 * (ctx_stream_update_counter).  NULL if tokens are not counted. */
	struct ctx_model_counters *counters;
	struct ctx_model_counter *line_counter;
	/* Edits of the record that is being read, or of the message in memory
	 * that is written next. */
	struct ctx_edits edits;
	/* Queues of messages in memory. lines: messages that are records of
	 * their own; elements: messages inside the record that is being
	 * read. */
	struct ctx_held_queue lines, elements;
	const struct ctx_record *record; /* the record that is being read */
	/* JSON node, in this record, of the tool definitions of the request
	 * whose messages are being read; 0 if there are none */
	uint32_t tools;
	/* message: the message in memory that was parsed last. json: the JSON
	 * of its record, unless the message is inside the record that is being
	 * read. */
	struct ctx_message message;
	struct ctx_json json;
	/* text_json: the JSON of the text that ctx_rewrite_scan_text or
	 * ctx_rewrite_read_text has scanned last. text_message: the message
	 * that ctx_rewrite_read_text has read from text_json. */
	struct ctx_message text_message;
	struct ctx_json text_json;
	/* Internal: */
	/* The text whose JSON is in the member "json" now, or NULL if there is
	 * none. */
	const char *scanned;
	/* the parsed messages that ctx_rewrite_keep_parse has stored */
	struct ctx_buf parses;
	/* true once a message that is a record of its own was read */
	bool begun;
	/* true if the record that is being read is kept in memory */
	bool is_held;
	struct ctx_buf out, edited;
};

/* Returns one of the two queues of messages. inside is true: the queue of the
 * conversation inside the record that is being read. inside is false: the queue
 * of the conversation in which each message is a record. */
static inline struct ctx_held_queue *
ctx_rewrite_queue(struct ctx_rewrite *rewrite, bool inside)
{
	return inside ? &rewrite->elements : &rewrite->lines;
}

/* Prepares *rewrite for parsing messages in memory again. simd: the kind of
 * SIMD instructions that is used. */
void ctx_rewrite_init(struct ctx_rewrite *rewrite, enum ctx_simd simd);
/* Reads the whole stream, and calls the callbacks of the command with the
 * argument user.  A record is written at its end, unless it is kept in memory.
 * As long as the queue rewrite->lines is not empty, later records are appended
 * to it, so that the order remains the same.  The callback finish is called and
 * the output is flushed even after an error. */
int ctx_rewrite_run(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user, struct ctx_err *err);
/* Copies the event's record into an element of the queue rewrite->lines.  The
 * caller must pass the element that was added last.  The record is written when
 * the command writes this element.  The event remains valid until the next
 * event, or until the element is removed.  If there is no memory, removes the
 * element and returns -1. */
int ctx_rewrite_hold(struct ctx_rewrite *rewrite, struct ctx_held_message *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Applies rewrite->edits to the event's record, appends the edited record to
 * the queue rewrite->lines, and clears the edits.  Returns the new element, or
 * NULL with *err. */
void *ctx_rewrite_hold_record(struct ctx_rewrite *rewrite,
    const struct ctx_event *event, struct ctx_err *err);
/* Applies edits to the text of an element of the queue rewrite->lines, and
 * clears the edits.  An element without a text gets the edited text of the
 * record that is being read. */
int ctx_rewrite_edit_held(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_edits *edits,
    struct ctx_err *err);
/* Sets *tokens to the number of tokens that a message has after the edits in
 * the argument edits.  Returns 1.  Returns 0 if the dialect (format) cannot
 * read a message without the record around it, as in session files.  Returns -1
 * with *err after an error. */
int ctx_rewrite_count_edited(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, const struct ctx_edits *edits,
    uint64_t *tokens, struct ctx_err *err);
/* Archives the original bytes of an edited message, and reports the edit.  Sets
 * the members role and action of *change and, if the report has a callback and
 * change->aside is false, before and after.  The caller must have set tool,
 * rule, bytes, and the members that say where the change is. */
int ctx_rewrite_report(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, struct ctx_change *change,
    struct ctx_err *err);
/* Applies rewrite->edits to a text, sets *text to the result, and clears the
 * edits.  The result is valid until the next call of this function or of
 * ctx_rewrite_write. */
int ctx_rewrite_apply_edits(struct ctx_rewrite *rewrite, struct ctx_str *text,
    struct ctx_err *err);
/* Applies rewrite->edits to a record, clears the edits, and writes the result,
 * unless this is a dry run.  Before that, writes the archive to disk.
 * is_borrowed: true if text remains valid until the writer is flushed, so that
 * it need not be copied. */
int ctx_rewrite_write(struct ctx_rewrite *rewrite, struct ctx_str text,
    bool is_borrowed, struct ctx_err *err);
/* Applies rewrite->edits to the first element of the queue rewrite->lines,
 * writes it, and removes it from the queue. */
int ctx_rewrite_write_first(struct ctx_rewrite *rewrite, struct ctx_err *err);
/* Frees the memory that the members of *rewrite own, such as its queues, but
 * not the struct itself. */
void ctx_rewrite_release(struct ctx_rewrite *rewrite);

#endif
