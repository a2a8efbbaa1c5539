/* held_message.h - messages in memory that wait until they can be written */
#ifndef CTX_STREAM_HELD_MESSAGE_H
#define CTX_STREAM_HELD_MESSAGE_H

#include "stream/stream.h"

struct ctx_rewrite;

/* A message that is in memory until it can be written.  A record that is not a
 * message, but comes after such a message, is stored in the same way. */
struct ctx_held_message {
	union {
		/* The bytes of the message's record, owned by this struct.
		 * NULL if the message is only a part of the record that is
		 * being read, or if ctx_rewrite_hold was not called yet. */
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
	/* Offset in ctx_rewrite.parses of the parsed form of the message
	 * (stored by ctx_rewrite_keep_parse), plus 1.  0 if no parsed form is
	 * stored. */
	uint32_t parse;
	uint16_t flags; /* CTX_MESSAGE_... flags of the message */
	/* True if the bytes of the record are not in memory, but only in a
	 * file.  If the command needs the bytes, it reads them from the file;
	 * the functions of held_message.h do not. */
	bool is_in_file;
};

/*
 * A queue of messages of a conversation that are in memory.
 *
 * The messages of a conversation are numbered from 0.  The queue contains the
 * messages from number "first" to number "end" - 1.  Each command defines its
 * own struct for the elements of its queue.  The first member of this struct is
 * a struct ctx_held_message.
 */
struct ctx_held_queue {
	size_t entry_size; /* size of an element in bytes */
	/* Frees the memory that an element of the queue owns, except its text.
	 * NULL if the elements own only their text. */
	void (*release)(void *entry);
	size_t first, end;
	/* sum of the lengths of the texts of all elements, in bytes */
	size_t bytes;
	/* Used only in held_queue.c. list: the array with the elements of the
	 * queue. base: number of the message in the first element of this
	 * array. */
	char *list;
	size_t base, cap;
};

/* ---- held_queue.c ---- */

/* Returns the element of the queue with this number.  The pointer is valid
 * until the next element is added, or this element is removed. */
void *ctx_held_queue_at(const struct ctx_held_queue *queue, size_t number);
/* Appends an element to the queue, for the event's message or, if the event has
 * no message, for its record.  Does not copy the text of the record yet.
 * Members that the command has added to struct ctx_held_message are zero.
 * Returns the element, or NULL with *err if there is no memory. */
void *ctx_held_queue_add(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Removes from the queue the element that was added last, and frees it. */
void ctx_held_queue_remove_last(struct ctx_held_queue *queue);
/* Removes the first element of the queue, and frees it. */
void ctx_held_queue_remove_first(struct ctx_held_queue *queue);
/* Calls keep for each element of the queue, and frees the elements for which
 * keep returns false.  The order of the other elements remains the same.  They
 * get consecutive numbers from queue->first on. */
void ctx_held_queue_filter(struct ctx_held_queue *queue,
    bool (*keep)(const void *entry));
/* Frees all elements of the queue.  The next element gets the number 0. */
void ctx_held_queue_clear(struct ctx_held_queue *queue);
/* Frees the queue with its elements. */
void ctx_held_queue_release(struct ctx_held_queue *queue);

/* ---- held_message.c ---- */

/* Appends bytes to the text of an element of the queue rewrite->lines. */
int ctx_rewrite_append_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_str text, struct ctx_err *err);
/* Gives a text of n bytes to an element of the queue rewrite->lines that has no
 * text.  Afterwards the element owns the bytes. */
void ctx_rewrite_set_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, char *text, size_t n);
/* Frees the text of an element of the queue rewrite->lines, so that nothing is
 * written for it.  Does nothing if the text is not in memory. */
void ctx_rewrite_free_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held);
/* Returns the JSON text of a message: the text of its own record, if this text
 * is in memory; otherwise its part of the record that is being read. */
struct ctx_str ctx_rewrite_text(const struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held);
/* Parses the text of an element of the queue rewrite->lines as JSON, into
 * rewrite->json.  Does nothing if this text was the last one parsed. */
int ctx_rewrite_scan(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Parses a message in memory again into rewrite->message, or copies the stored
 * result of the first parsing.  Returns the same values as
 * ctx_dialect_read_message. */
int ctx_rewrite_reread(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err);
/* Parses a JSON text that does not come from the stream, into
 * rewrite->text_json.  Returns what ctx_json_scan returns. */
int ctx_rewrite_scan_text(struct ctx_rewrite *rewrite, struct ctx_str text,
    struct ctx_err *err);
/* Reads the JSON in rewrite->text_json as a message, into
 * rewrite->text_message.  Arguments and result: see ctx_rewrite_read_text. */
int ctx_rewrite_read_scanned(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, unsigned flags, struct ctx_err *err);
/* Parses a JSON text that is not part of the stream as a message, into
 * rewrite->text_message.  The message is valid as long as the text. flags:
 * CTX_MESSAGE_... flags that the message gets in addition.  Returns the same
 * values as ctx_dialect_read_message. */
int ctx_rewrite_read_text(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, struct ctx_str text, unsigned flags,
    struct ctx_err *err);
/* Stores the parsed form of the event's message, so that ctx_rewrite_reread
 * need not parse it again. *held: the same message in memory.  All stored forms
 * together have at most 1 MiB; if there is no space, the message is parsed
 * again later. ctx_rewrite_release frees the stored forms. */
int ctx_rewrite_keep_parse(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, const struct ctx_event *event,
    struct ctx_err *err);

#endif
