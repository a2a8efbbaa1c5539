/* truncation.h - what the files of ctx-truncate share */
#ifndef CTX_TRUNCATE_TRUNCATION_H
#define CTX_TRUNCATE_TRUNCATION_H

#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A message that waits for later messages, or a record that is not a message
 * and that follows such a message. */
struct truncate_entry {
	char *text;    /* its record, owned; NULL: the message is in a record */
	size_t bytes;  /* length of text */
	uint32_t node; /* node of the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	unsigned flags;                    /* of the message */
	const char *file; /* input file and line of its record */
	uint64_t line;
	uint64_t first_media, n_media; /* number of its first media block; its
				  number of media blocks */
};

/* The messages of one conversation that wait. */
struct truncate_queue {
	/* The record that holds the messages; NULL: each is a record. */
	const struct ctx_json *json;
	struct truncate_entry *list;
	size_t first, n, cap; /* list[first] to list[n - 1] wait */
	/* Entries before this index end with the last assistant message. */
	size_t sent_end;
	uint64_t n_media; /* media blocks so far */
};

/* State of ctx_truncate. */
struct truncation {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	struct conversation_tracker lines,
	    record; /* of the stream; of the current record */
	struct shortener shortener;
	struct text_segments segments; /* of one result or message */
	struct ctx_edits edits;        /* of the record to be written next */
	struct edited edited;          /* for reports */
	struct ctx_buf out, text;      /* scratch */
	int64_t match_time; /* time left for patterns in this message */
	/* Messages of the stream; messages inside the current record. */
	struct truncate_queue queue, elements;
	struct ctx_json json;       /* a waiting record, scanned again */
	struct ctx_message message; /* the message in it */
	bool is_trial; /* true: nothing is reported, only refused is set */
	bool refused;  /* true if bound reasoning follows a change */
};

/* Media blocks of a message, numbered in the conversation from 0. */
struct media_numbers {
	uint64_t first; /* number of the message's first media block */
	uint64_t end;   /* blocks with a lower number are removed */
};

/* ---- remove_media.c ---- */

/* Sets *is to true if block i is media or a placeholder for media. */
int ctx_truncate_is_media(struct truncation *truncation,
    const struct ctx_message *message, size_t i, bool *is, struct ctx_err *err);
/* Adds the edits that replace media blocks of a message by placeholders: those
 * whose number is below media.end.  Blocks that an edit from number first on
 * replaces are removed already. */
int ctx_truncate_media(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct media_numbers media, struct ctx_err *err);
/* Returns the number of the oldest media block that is kept. */
uint64_t ctx_truncate_kept_media(const struct truncation *truncation,
    const struct truncate_queue *queue);

/* ---- truncate_message.c ---- */

/* Moves the tracker to a message, and shortens the message if edit is true. */
int ctx_truncate_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    bool edit, struct media_numbers media, struct ctx_err *err);

/* ---- truncate_queue.c ---- */

/* Returns true if nothing may be changed in case that a later message has bound
 * reasoning. */
bool ctx_truncate_may_refuse(const struct truncation *truncation,
    const struct conversation_tracker *tracker);
/* Sets truncation->refused to true if shortening the queue would leave bound
 * reasoning after a change. */
int ctx_truncate_check_refusal(struct truncation *truncation,
    const struct conversation_tracker *tracker,
    const struct truncate_queue *queue, struct ctx_err *err);
/* Writes the whole queue; its messages are shortened if edit is true. */
int ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err);
/* Handles a message that is a record: queues it, or writes it at once. */
int ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Queues a message that is inside a record. */
int ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Shortens the messages of a record at the end of its conversation.  json is
 * the record. */
int ctx_truncate_conversation(struct truncation *truncation,
    const struct ctx_json *json, struct ctx_err *err);
/* Handles the end of a record that is not a message.  Writes the record, or
 * queues it if messages wait. */
int ctx_truncate_end_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Frees the queues and what their messages are read into. */
void ctx_truncate_release_queue(struct truncation *truncation);

#endif
