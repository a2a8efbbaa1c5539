/* rewrite.h - reads the records of a stream, lets a command change them, and
 * writes them in the order of the input */
#ifndef CTX_STREAM_REWRITE_H
#define CTX_STREAM_REWRITE_H

#include "stream/stream.h"

/* A message that is kept in memory until it can be written.  Records that are
 * not messages, but come after such a message, are kept, too. */
struct ctx_held_message {
	union {
		/* Bytes of the message's record, owned by this struct.  NULL:
		 * the message is inside the record that is being read, or
		 * ctx_rewrite_hold was not called yet. */
		char *text;
		/* If is_in_file is true: the record begins at this offset in
		 * its file. */
		uint64_t offset;
	};
	size_t n; /* length of the record in bytes */
	/* Dialect (format) of the message.  NULL: the record is not a
	 * message. */
	const struct ctx_dialect *dialect;
	const char *file; /* input file and line of the record */
	uint64_t line;
	/* If is_in_file is true: checksum of the record (ctx_sum_text). */
	uint32_t checksum;
	uint32_t node; /* JSON node of the message in its record */
	/* Place of the kept parse (ctx_rewrite_keep_parse): its offset in
	 * ctx_rewrite.parses, plus 1.  0: none is kept. */
	uint32_t parse;
	uint16_t flags; /* CTX_MESSAGE_... flags of the message */
	/* True if the bytes are not in memory.  The command reads them again
	 * from the file when it needs them; the functions in this header do
	 * not. */
	bool is_in_file;
};

/*
 * A queue of those messages of a conversation that are in memory.  The messages
 * of a conversation are numbered from 0 in their order; those in memory have
 * the numbers from first up to end - 1.
 *
 * Each command defines a struct of its own for the entries of its queue.  The
 * first member of this struct is a struct ctx_held_message.
 */
struct ctx_held_queue {
	size_t entry_size; /* size of an entry in bytes */
	/* Frees the memory that an entry owns, except its text.  NULL: it owns
	 * no other memory. */
	void (*release)(void *entry);
	size_t first, end;
	/* sum of the lengths of the texts of all entries, in bytes */
	size_t bytes;
	/* Internal. list: the array of entries. base: the number of the first
	 * entry in this array. */
	char *list;
	size_t base, cap;
};

/* Returns the entry with this number.  It is valid until the next entry is
 * added or this one is removed. */
void *ctx_held_queue_at(const struct ctx_held_queue *queue, size_t number);
/* Appends an entry for the event's message or, if it has none, for its record.
 * The members that are not in struct ctx_held_message are zero, and the text
 * is not copied yet.  Returns NULL with *err if there is no memory. */
void *ctx_held_queue_add(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Removes the entry that was added last, and frees it. */
void ctx_held_queue_remove_last(struct ctx_held_queue *queue);
/* Removes the first entry, and frees it. */
void ctx_held_queue_remove_first(struct ctx_held_queue *queue);
/* Calls keep for each entry and frees those for which it returns false.  The
 * remaining entries keep their order and get consecutive numbers, beginning
 * with queue->first. */
void ctx_held_queue_filter(struct ctx_held_queue *queue,
    bool (*keep)(const void *entry));
/* Frees all entries.  The next entry that is added gets the number 0. */
void ctx_held_queue_clear(struct ctx_held_queue *queue);
/* Frees the queue with its entries. */
void ctx_held_queue_release(struct ctx_held_queue *queue);

/* Ways in which the reading of a stream can end. */
enum ctx_stream_end {
	CTX_END_COMPLETE,
	/* A record is invalid, so reading has ended.  All records before it
	 * were read. */
	CTX_END_INVALID,
	/* A read failed, or there was no memory to read a record.  The
	 * conversation may be incomplete. */
	CTX_END_UNREADABLE,
	/* A function of the command has refused a record with an error. */
	CTX_END_REFUSED,
	/* A function of the command has failed with CTX_ESYS, CTX_ENOMEM or
	 * CTX_EPIPE. */
	CTX_END_FAILED,
};

/* Functions of a command, which are called while a stream is read.  A function
 * returns -1 with *err if the command must end.  NULL: the command does nothing
 * at this point. */
struct ctx_rewrite_command {
	/* An empty queue in which only entry_size and release are set.  The
	 * queues of struct ctx_rewrite begin as copies of it.  NULL: the
	 * command keeps no messages in memory. */
	const struct ctx_held_queue *entries;
	/* Called at the beginning of each conversation.  For a conversation
	 * inside a record, this is the event BEGIN.  For a conversation in
	 * which each message is a record, this is its first message. */
	int (*begin)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called for each message.  Adds the edits of the message to
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
	 * in memory (ctx_rewrite_hold).  If it returns 0, ctx_rewrite_run
	 * applies rewrite->edits to the record and writes it, or keeps it in
	 * memory as long as earlier records are in memory.  If it returns 1,
	 * the function has written, kept or removed the record itself. */
	int (*record)(void *user, const struct ctx_event *event,
	    struct ctx_err *err);
	/* Called at the end of the stream, also after an error.  Writes the
	 * messages in memory that can still be written. rewrite->edits is
	 * empty.  After an error, ctx_rewrite_run returns that error, not one
	 * that this function returns.  The function may pass bytes to
	 * ctx_writer_put, which copies nothing: they must stay valid until
	 * ctx_rewrite_run returns. */
	int (*finish)(void *user, enum ctx_stream_end how, struct ctx_err *err);
};

/* A message and the edits that will be made in it. */
struct ctx_edited_message {
	const struct ctx_message *message; /* without the edits */
	uint32_t node; /* index of its JSON node in its record */
	/* The message's edits: n elements of rewrite->edits, from the index
	 * "first" on. */
	size_t first, n;
	struct ctx_counter *counter; /* NULL: tokens are not counted */
};

/* A stream that is read and written.  The caller zeroes this struct and sets
 * the members stream, writer and report.  A command that reads messages in
 * memory again must also call ctx_rewrite_init. */
struct ctx_rewrite {
	struct ctx_stream *stream;
	struct ctx_writer *writer; /* NULL: nothing is written */
	/* Says whether this is a dry run, in which nothing is written, and has
	 * the archive of original bytes.  A changed record is written only
	 * after its original is in the archive on disk.  NULL: no dry run and
	 * no archive; ctx_rewrite_report must not be called then. */
	const struct ctx_report *report;
	/* Edits of the record that is being read, or of the message that is
	 * written next. */
	struct ctx_edits edits;
	/* The messages that are kept in memory. lines: messages that are
	 * records. elements: messages inside the record that is being read. */
	struct ctx_held_queue lines, elements;
	const struct ctx_record *record; /* the record that is being read */
	/* message: the message in memory that was parsed last. json: the JSON
	 * of its record, unless it is inside the record that is being read. */
	struct ctx_message message;
	struct ctx_json json;
	/* The message that ctx_rewrite_read_text has read last, and its JSON.
	 */
	struct ctx_message text_message;
	struct ctx_json text_json;
	/* Internal: */
	const char *scanned;   /* text of the record in json; NULL: none */
	struct ctx_buf parses; /* kept parses, see ctx_rewrite_keep_parse */
	bool begun; /* true once a message was read that is a record */
	/* true if the record that is being read is kept in memory */
	bool is_held;
	struct ctx_buf out, edited;
};

/* Returns the queue of the conversation that is inside the record being read,
 * or of the one whose messages are records. */
static inline struct ctx_held_queue *
ctx_rewrite_queue(struct ctx_rewrite *rewrite, bool inside)
{
	return inside ? &rewrite->elements : &rewrite->lines;
}

/* Prepares the reading of messages. simd: the instructions to use. */
void ctx_rewrite_init(struct ctx_rewrite *rewrite, enum ctx_simd simd);
/* Reads the whole stream and calls the functions of the command; each gets the
 * argument user.  A record is written when it ends, unless it is kept in
 * memory.  As long as messages are in rewrite->lines, later records are
 * appended there, to keep the order.  After an error, too, the function finish
 * is called, and everything that was written so far is flushed. */
int ctx_rewrite_run(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user, struct ctx_err *err);
/* Keeps the event's record in memory, in the entry of rewrite->lines that was
 * added last.  The record is written when the command writes this entry.  It
 * remains valid until the next event, or until the entry is removed.  If there
 * is no memory, removes the entry and returns -1. */
int ctx_rewrite_hold(struct ctx_rewrite *rewrite, struct ctx_held_message *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Keeps what was parsed of the event's message, which is a record and held, so
 * that ctx_rewrite_reread does not parse it again.  All kept parses together
 * have at most 1 MiB; a message that does not fit is parsed again.  They are
 * freed by ctx_rewrite_release. */
int ctx_rewrite_keep_parse(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, const struct ctx_event *event,
    struct ctx_err *err);
/* Applies rewrite->edits to the event's record, appends the edited record to
 * rewrite->lines, and clears the edits.  Returns the new entry; NULL with
 * *err. */
void *ctx_rewrite_hold_record(struct ctx_rewrite *rewrite,
    const struct ctx_event *event, struct ctx_err *err);
/* Applies rewrite->edits to the text of an entry of rewrite->lines, and clears
 * the edits. */
int ctx_rewrite_edit_held(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_err *err);
/* Appends bytes to the text of an entry of rewrite->lines. */
int ctx_rewrite_append_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_str text, struct ctx_err *err);
/* Gives an entry of rewrite->lines, which has no text, a text of n bytes.  The
 * entry owns it then. */
void ctx_rewrite_set_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, char *text, size_t n);
/* Frees the text of an entry of rewrite->lines, so that nothing is written for
 * this entry.  Does nothing if the text is not in memory. */
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
/* Reads a message in memory again, into rewrite->message: from its kept parse,
 * or by parsing its record.  Returns what ctx_dialect_read_message returns. */
int ctx_rewrite_reread(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Reads from a JSON text, which is not part of the stream, a message into
 * rewrite->text_message.  The message is valid as long as the text. flags:
 * CTX_MESSAGE_... flags to be added.  Returns what ctx_dialect_read_message
 * returns. */
int ctx_rewrite_read_text(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, struct ctx_str text, unsigned flags,
    struct ctx_err *err);
/* Sets *tokens to the tokens that a message has with its edits. edits: the list
 * that contains them.  Returns 1; 0 if the dialect cannot read a message
 * without the record around it, as in session files; or -1 with *err. */
int ctx_rewrite_count_edited(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, const struct ctx_edits *edits,
    uint64_t *tokens, struct ctx_err *err);
/* Archives the original bytes of an edited message and reports the edit, with
 * the message's tokens before and after.  Before the call, the caller sets the
 * place, tool, rule and bytes in *change. */
int ctx_rewrite_report(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, struct ctx_change *change,
    struct ctx_err *err);
/* Prepares edits of the record that is being read to be applied to its text. If
 * it has a coded request, edits of the request become edits of the string. Does
 * nothing if text is not the text of this record. */
int ctx_rewrite_encode_edits(const struct ctx_rewrite *rewrite,
    struct ctx_edits *edits, struct ctx_str text, struct ctx_err *err);
/* Sets *text to this text with rewrite->edits, valid until the next call of
 * this function or ctx_rewrite_write, and clears the edits.  The archive is
 * written to disk first. */
int ctx_rewrite_apply_edits(struct ctx_rewrite *rewrite, struct ctx_str *text,
    struct ctx_err *err);
/* Applies rewrite->edits to a record, clears them, and writes the result, but
 * not in a dry run. is_borrowed is true if text remains valid until the writer
 * is flushed, so that it need not be copied. */
int ctx_rewrite_write(struct ctx_rewrite *rewrite, struct ctx_str text,
    bool is_borrowed, struct ctx_err *err);
/* Applies rewrite->edits to the first entry of rewrite->lines, writes it, and
 * removes it from the queue. */
int ctx_rewrite_write_first(struct ctx_rewrite *rewrite, struct ctx_err *err);
/* Frees the memory of *rewrite, including its queues. */
void ctx_rewrite_release(struct ctx_rewrite *rewrite);

#endif
