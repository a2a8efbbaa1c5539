/* truncation.h - state and functions that the files of ctx-truncate share */
#ifndef CTX_TRUNCATE_TRUNCATION_H
#define CTX_TRUNCATE_TRUNCATION_H

#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A message in the queue, which cannot be written yet because its change
 * depends on later messages, or a record that is not a message and follows one.
 */
struct truncate_entry {
	/* Bytes of the message's record, owned.  NULL if the message is inside
	 * a record with several messages. */
	char *text;
	size_t bytes;  /* length of text in bytes */
	uint32_t node; /* index of the message's JSON node in its record */
	/* Format of the message; NULL if the record is not a message. */
	const struct ctx_dialect *dialect;
	unsigned flags;   /* flags of the message */
	const char *file; /* input file and line of the record */
	uint64_t line;
	/* Number of the message's first media block in the conversation, and
	 * how many media blocks it has. */
	uint64_t first_media, n_media;
};

/* The messages of one conversation that cannot be written yet. */
struct truncate_queue {
	/* The record that contains the messages; NULL if each message is a
	 * record. */
	const struct ctx_json *json;
	struct truncate_entry *list;
	/* The entries list[first] to list[n - 1] are not written yet. */
	size_t first, n, cap;
	/* The entry before this index is the last assistant message. */
	size_t sent_end;
	uint64_t n_media; /* number of media blocks read so far */
};

/* State of ctx_truncate. */
struct truncation {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	/* lines: the conversation whose messages are separate records. record:
	 * the conversation inside the record being read. */
	struct conversation_tracker lines, record;
	struct shortener shortener;
	struct text_segments segments; /* texts of one tool result or message */
	/* JSON edits of the record that is written next */
	struct ctx_edits edits;
	struct edited edited;     /* used for reports */
	struct ctx_buf out, text; /* scratch buffers */
	/* Time left for matching names of tools with patterns, for the current
	 * message. */
	int64_t match_time;
	/* queue: messages that are separate records. elements: messages inside
	 * the record being read. */
	struct truncate_queue queue, elements;
	struct ctx_json json;       /* JSON of a record of the queue */
	struct ctx_message message; /* the message in that record */
	/* True while changes are only tried: nothing is reported, and only the
	 * member refused is set. */
	bool is_trial;
	/* True if bound reasoning (signed reasoning that its provider refuses
	 * after a change before it) follows a change. */
	bool refused;
};

/* Which media blocks of a message are removed.  The media blocks of a
 * conversation are numbered from 0. */
struct media_numbers {
	uint64_t first; /* number of the first media block in the message */
	uint64_t end;   /* media blocks with a lower number are removed */
};

/* ---- remove_media.c ---- */

/* Sets *is to true if block i is media, or a text that ctx has put in place of
 * media. */
int ctx_truncate_is_media(struct truncation *truncation,
    const struct ctx_message *message, size_t i, bool *is, struct ctx_err *err);
/* Adds the edits that replace media blocks of a message by texts: all media
 * blocks with a number below media.end.  Skips blocks that one of the edits
 * from number first on has already changed. */
int ctx_truncate_media(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct media_numbers media, struct ctx_err *err);
/* Returns the number of the oldest media block that is kept; media blocks of a
 * conversation are numbered from 0. */
uint64_t ctx_truncate_kept_media(const struct truncation *truncation,
    const struct truncate_queue *queue);

/* ---- truncate_message.c ---- */

/* Moves the tracker, which has the state of the conversation, to a message.  If
 * edit is true, adds the edits that shorten the message. */
int ctx_truncate_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    bool edit, struct media_numbers media, struct ctx_err *err);

/* ---- truncate_queue.c ---- */

/* Returns true if the conversation may have to remain unchanged, because a
 * later message may have bound reasoning (signed reasoning that the provider
 * refuses after a change). */
bool ctx_truncate_may_refuse(const struct truncation *truncation,
    const struct conversation_tracker *tracker);
/* Sets truncation->refused to true if shortening the messages in the queue
 * would leave bound reasoning (signed reasoning that the provider refuses after
 * a change before it). */
int ctx_truncate_check_refusal(struct truncation *truncation,
    const struct conversation_tracker *tracker,
    const struct truncate_queue *queue, struct ctx_err *err);
/* Writes all messages in the queue, shortened if edit is true. */
int ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err);
/* Handles a message that is a record of its own: adds it to the queue, or
 * writes it at once if no later message matters to it. */
int ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Adds a message inside a record to the record's queue. */
int ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Shortens the messages of a conversation inside the record json, after the
 * last one was read. */
int ctx_truncate_conversation(struct truncation *truncation,
    const struct ctx_json *json, struct ctx_err *err);
/* Handles the end of a record that is not a message.  Writes the record, or
 * adds it to the queue if messages before it are not written yet. */
int ctx_truncate_end_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Frees the queues and the buffers used for their messages. */
void ctx_truncate_release_queue(struct truncation *truncation);

#endif
