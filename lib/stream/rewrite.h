/* rewrite.h - reads the records of a stream, lets a command change them, and
 * writes them in the order of the input */
#ifndef CTX_STREAM_REWRITE_H
#define CTX_STREAM_REWRITE_H

#include "stream/stream.h"

/* A message in memory that waits until it can be written.  Records after such a
 * message wait, too, even if they are not messages. */
struct ctx_held_message {
	union {
		/* The bytes of the message's record, owned by this struct.
		 * NULL if the message is inside the record that is being read,
		 * or if ctx_rewrite_hold was not called yet. */
		char *text;
		/* If is_in_file is true: offset in bytes of the record in its
		 * file. */
		uint64_t offset;
	};
	size_t n; /* length of the record in bytes */
	/* Dialect (format) of the message, or NULL if the record is not a
	 * message. */
	const struct ctx_dialect *dialect;
	const char *file; /* input file and line of the record */
	uint64_t line;
	/* If is_in_file is true: checksum of the record (ctx_sum_text). */
	uint32_t checksum;
	uint32_t node; /* JSON node of the message in its record */
	/* Place of the stored parse of the message (ctx_rewrite_keep_parse):
	 * its offset in ctx_rewrite.parses, plus 1. 0 if no parse is stored. */
	uint32_t parse;
	uint16_t flags; /* CTX_MESSAGE_... flags of the message */
	/* True if the bytes of the record are not in memory.  The command reads
	 * them from the file again when it needs them; the functions in this
	 * header do not. */
	bool is_in_file;
};

/*
 * A queue with the messages of a conversation that are in memory.  The messages
 * of a conversation are numbered from 0; those in memory have the numbers from
 * first to end - 1.
 *
 * Each command defines its own struct for the entries of its queue.  The first
 * member of this struct is a struct ctx_held_message.
 */
struct ctx_held_queue {
	size_t entry_size; /* size of an entry in bytes */
	/* Frees the memory that an entry owns, except its text.  NULL if
	 * entries own only their text. */
	void (*release)(void *entry);
	size_t first, end;
	/* sum of the lengths of the texts of all entries, in bytes */
	size_t bytes;
	/* Used only in held_queue.c. list: the array of entries; base: number
	 * of the first entry in this array. */
	char *list;
	size_t base, cap;
};

/* Returns the entry with this number.  The pointer is valid until the next
 * entry is added, or this entry is removed. */
void *ctx_held_queue_at(const struct ctx_held_queue *queue, size_t number);
/* Appends an entry for the event's message, or for its record if the event has
 * no message.  The text of the record is not copied yet.  The members that the
 * command has added to struct ctx_held_message are zero.  Returns the entry, or
 * NULL with *err if there is no memory. */
void *ctx_held_queue_add(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Removes the entry that was added last, and frees it. */
void ctx_held_queue_remove_last(struct ctx_held_queue *queue);
/* Removes the first entry, and frees it. */
void ctx_held_queue_remove_first(struct ctx_held_queue *queue);
/* Calls keep for each entry, and frees the entries for which keep returns
 * false.  The other entries stay in order, and get consecutive numbers from
 * queue->first on. */
void ctx_held_queue_filter(struct ctx_held_queue *queue,
    bool (*keep)(const void *entry));
/* Frees all entries.  The next entry that is added gets the number 0. */
void ctx_held_queue_clear(struct ctx_held_queue *queue);
/* Frees the queue with its entries. */
void ctx_held_queue_release(struct ctx_held_queue *queue);

/* Reasons why the reading of a stream has ended. */
enum ctx_stream_end {
	CTX_END_COMPLETE,
	/* A record is invalid.  All records before it were read. */
	CTX_END_INVALID,
	/* A read failed, or there was no memory for a record.  The conversation
	 * may be incomplete. */
	CTX_END_UNREADABLE,
	/* A callback of the command has returned an error because of a
	 * record. */
	CTX_END_REFUSED,
	/* A callback of the command has failed with CTX_ESYS, CTX_ENOMEM or
	 * CTX_EPIPE. */
	CTX_END_FAILED,
};

/* Callbacks of a command, called while a stream is read.  A callback returns 0,
 * or -1 with *err if the command must end.  A callback may be NULL if the
 * command does nothing at that point. */
struct ctx_rewrite_command {
	/* A pattern for the queues of struct ctx_rewrite: an empty queue in
	 * which only entry_size and release are set.  NULL if the command keeps
	 * no messages in memory. */
	const struct ctx_held_queue *entries;
	/* Called at the beginning of each conversation.  For a conversation
	 * inside a record, *event is the event BEGIN.  For the conversation in
	 * which each message is a record, *event is that of its first
	 * message. */
	int (*begin)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called for each message.  Either adds the edits of the message to
	 * rewrite->edits, or keeps the message in memory. */
	int (*message)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called for an element of a conversation that is not a message. */
	int (*unknown)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called at the end of a conversation inside a record. */
	int (*end)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called at the end of each record, except for a message that was kept
	 * in memory (ctx_rewrite_hold).  If the callback returns 0,
	 * ctx_rewrite_run applies rewrite->edits to the record and writes it;
	 * if earlier records are still in memory, it keeps the record in
	 * memory, too.  If the callback returns 1, it has written, kept or
	 * removed the record itself. */
	int (*record)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called at the end of the stream, also after an error.  Writes the
	 * messages in memory that can still be written. rewrite->edits is
	 * empty.  If there was an error before, an error of this callback is
	 * ignored.  The callback may pass bytes to ctx_writer_put, which copies
	 * nothing; these bytes must be valid until ctx_rewrite_run returns. */
	int (*finish)(void *user, enum ctx_stream_end how, struct ctx_err *err);
};

/* A message, and the edits that will be made in it. */
struct ctx_edited_message {
	/* the message as it is before the edits */
	const struct ctx_message *message;
	uint32_t node; /* index of the message's JSON node in its record */
	/* The edits of the message are n elements of rewrite->edits, from the
	 * index "first" on. */
	size_t first, n;
	/* token counter, or NULL if tokens are not counted */
	struct ctx_counter *counter;
};

/* A stream that is read, changed and written.  The caller zeroes this struct,
 * and sets the members stream, writer and report.  A command that parses
 * messages in memory again must also call ctx_rewrite_init. */
struct ctx_rewrite {
	struct ctx_stream *stream;
	struct ctx_writer *writer; /* NULL if nothing is written */
	/* Has the archive for the original bytes, and says whether this is a
	 * dry run, in which nothing is written.  A changed record is written
	 * only after its original is in the archive on disk.  NULL if this is
	 * no dry run and there is no archive; ctx_rewrite_report must then not
	 * be called. */
	const struct ctx_report *report;
	/* Edits of the record that is being read, or of the message in memory
	 * that is written next. */
	struct ctx_edits edits;
	/* Messages in memory. lines: messages that are records of their own.
	 * elements: messages inside the record that is being read. */
	struct ctx_held_queue lines, elements;
	const struct ctx_record *record; /* the record that is being read */
	/* message: the message in memory that was parsed last. json: the JSON
	 * of its record, unless it is inside the record that is being read. */
	struct ctx_message message;
	struct ctx_json json;
	/* text_json: the JSON of the text that ctx_rewrite_scan_text or
	 * ctx_rewrite_read_text has scanned last. text_message: the message
	 * that ctx_rewrite_read_text has read from it. */
	struct ctx_message text_message;
	struct ctx_json text_json;
	/* Internal: */
	/* The text that was scanned into the member json, or NULL if there is
	 * none. */
	const char *scanned;
	/* stored parses of messages, see ctx_rewrite_keep_parse */
	struct ctx_buf parses;
	/* true once a message was read that is a record of its own */
	bool begun;
	/* true if the record that is being read is kept in memory */
	bool is_held;
	struct ctx_buf out, edited;
};

/* Returns the queue of one of two conversations. inside is true: the one inside
 * the record that is being read; false: the one in which each message is a
 * record. */
static inline struct ctx_held_queue *
ctx_rewrite_queue(struct ctx_rewrite *rewrite, bool inside)
{
	return inside ? &rewrite->elements : &rewrite->lines;
}

/* Prepares *rewrite for parsing messages in memory again. simd: the SIMD
 * instructions to use. */
void ctx_rewrite_init(struct ctx_rewrite *rewrite, enum ctx_simd simd);
/* Reads the whole stream, and calls the callbacks of the command with the
 * argument user.  A record is written at its end, unless it is kept in memory.
 * As long as messages are in rewrite->lines, later records are appended there,
 * to keep the order.  After an error, too, the callback finish is called, and
 * the output is flushed. */
int ctx_rewrite_run(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user, struct ctx_err *err);
/* Copies the event's record into an entry of rewrite->lines, which must be the
 * entry that was added last.  The record is written when the command writes
 * this entry.  The event remains valid until the next event, or until the entry
 * is removed.  If there is no memory, removes the entry and returns -1. */
int ctx_rewrite_hold(struct ctx_rewrite *rewrite, struct ctx_held_message *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Stores the parse of the event's message, which is in memory as the entry
 * held, so that ctx_rewrite_reread need not parse the message again.  All
 * stored parses together have at most 1 MiB; a message for which there is no
 * space is parsed again. ctx_rewrite_release frees them. */
int ctx_rewrite_keep_parse(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, const struct ctx_event *event,
    struct ctx_err *err);
/* Applies rewrite->edits to the event's record, appends the edited record to
 * rewrite->lines, and clears the edits.  Returns the new entry, or NULL with
 * *err. */
void *ctx_rewrite_hold_record(struct ctx_rewrite *rewrite,
    const struct ctx_event *event, struct ctx_err *err);
/* Applies edits to the text of an entry of rewrite->lines, and clears the
 * edits.  An entry without a text gets the edited text of the record that is
 * being read. */
int ctx_rewrite_edit_held(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_edits *edits,
    struct ctx_err *err);
/* Appends bytes to the text of an entry of rewrite->lines. */
int ctx_rewrite_append_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_str text, struct ctx_err *err);
/* Sets the text of an entry of rewrite->lines that has none: to n bytes, which
 * the entry owns from now on. */
void ctx_rewrite_set_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, char *text, size_t n);
/* Frees the text of an entry of rewrite->lines, so that nothing is written for
 * the entry.  Does nothing if the text is not in memory. */
void ctx_rewrite_free_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held);
/* Returns the JSON text of a message: its record, if the record is in memory;
 * otherwise its part of the record that is being read. */
struct ctx_str ctx_rewrite_text(const struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held);
/* Scans the text of an entry of rewrite->lines into rewrite->json.  Does
 * nothing if this text was the last one scanned. */
int ctx_rewrite_scan(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Parses a message in memory again, into rewrite->message, or copies its stored
 * parse.  Returns the same values as ctx_dialect_read_message. */
int ctx_rewrite_reread(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Scans a JSON text that the stream has not scanned, into rewrite->text_json.
 * Returns what ctx_json_scan returns. */
int ctx_rewrite_scan_text(struct ctx_rewrite *rewrite, struct ctx_str text,
    struct ctx_err *err);
/* Parses a JSON text that is not part of the stream as a message, into
 * rewrite->text_message.  The message is valid as long as the text. flags:
 * CTX_MESSAGE_... flags that the message gets in addition.  Returns the same
 * values as ctx_dialect_read_message. */
int ctx_rewrite_read_text(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, struct ctx_str text, unsigned flags,
    struct ctx_err *err);
/* Sets *tokens to the number of tokens of a message after its edits, which are
 * in *edits.  Returns 1; 0 if the dialect cannot read a message without the
 * record around it, as in session files; or -1 with *err. */
int ctx_rewrite_count_edited(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, const struct ctx_edits *edits,
    uint64_t *tokens, struct ctx_err *err);
/* Archives the original bytes of an edited message, and reports the edit with
 * the message's tokens before and after.  The caller must have set the place,
 * tool, rule and bytes in *change. */
int ctx_rewrite_report(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, struct ctx_change *change,
    struct ctx_err *err);
/* Applies rewrite->edits to a text, sets *text to the result, and clears the
 * edits.  The result is valid until the next call of this function or of
 * ctx_rewrite_write. */
int ctx_rewrite_apply_edits(struct ctx_rewrite *rewrite, struct ctx_str *text,
    struct ctx_err *err);
/* Applies rewrite->edits to a record, clears the edits, and writes the result,
 * unless this is a dry run.  First writes the archive to disk. is_borrowed:
 * true if text remains valid until the writer is flushed, so that it need not
 * be copied. */
int ctx_rewrite_write(struct ctx_rewrite *rewrite, struct ctx_str text,
    bool is_borrowed, struct ctx_err *err);
/* Applies rewrite->edits to the first entry of rewrite->lines, writes it, and
 * removes it from the queue. */
int ctx_rewrite_write_first(struct ctx_rewrite *rewrite, struct ctx_err *err);
/* Frees the memory of *rewrite, including its queues. */
void ctx_rewrite_release(struct ctx_rewrite *rewrite);

#endif
