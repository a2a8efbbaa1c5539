/* truncation.h - what the files of ctx-truncate share */
#ifndef CTX_TRUNCATE_TRUNCATION_H
#define CTX_TRUNCATE_TRUNCATION_H

#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A message that is held, or a record that follows one. */
struct truncate_entry {
	char *text; /* its record, owned; NULL: inside a record */
	size_t bytes;
	uint32_t node;                     /* the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	unsigned flags;                    /* of the message */
	const char *file;
	uint64_t line;
	uint64_t first_media, n_media; /* number of its first media block; its
				  number of media blocks */
};

struct truncate_queue {
	/* The record that holds the messages; NULL: each is a record. */
	const struct ctx_json *json;
	struct truncate_entry *list;
	size_t first, n, cap; /* held: [first, n) */
	size_t sent_end;  /* list[0, sent): up to the last assistant message */
	uint64_t n_media; /* media blocks so far */
};

struct truncation {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	struct conversation_tracker lines,
	    record; /* of the stream; inside a record */
	struct shortener shortener;
	struct text_segments segments;
	struct ctx_edits edits;
	struct edited edited;
	struct ctx_buf out, text;
	int64_t match_time; /* time left for patterns, per message */
	struct truncate_queue queue, elements;
	struct ctx_json json; /* a held record, scanned again */
	struct ctx_message message;
	bool is_trial; /* report nothing, only set refused */
	bool refused;  /* bound reasoning follows a change */
};

/* Media blocks of a message, numbered in the conversation from 0. */
struct media_numbers {
	uint64_t first; /* number of the message's first media block */
	uint64_t end;   /* blocks with a lower number are removed */
};

/* ---- remove_media.c ---- */

/* Sets *is to true if block i is media or a media placeholder. */
int ctx_truncate_is_media(struct truncation *truncation,
    const struct ctx_message *message, size_t i, bool *is, struct ctx_err *err);
/* Removes the media blocks of a message whose number is below media.end. */
int ctx_truncate_media(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct media_numbers media, struct ctx_err *err);
/* Returns the number of the oldest media block that is kept. */
uint64_t ctx_truncate_kept_media(const struct truncation *truncation,
    const struct truncate_queue *queue);

/* ---- truncate_message.c ---- */

/* Tracks a message, and shortens it if edit is true. */
int ctx_truncate_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    bool edit, struct media_numbers media, struct ctx_err *err);

/* ---- truncate_queue.c ---- */

/* Returns true if later bound reasoning may forbid all changes. */
bool ctx_truncate_may_refuse(const struct truncation *truncation,
    const struct conversation_tracker *tracker);
/* Sets truncation->refused to true if shortening all messages of the queue
 * would leave bound reasoning after a change. */
int ctx_truncate_check_refusal(struct truncation *truncation,
    const struct conversation_tracker *tracker,
    const struct truncate_queue *queue, struct ctx_err *err);
int ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err);
/* Handles a message that is a record: holds it, or writes it at once. */
int ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
int ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Shortens the messages of a record at the end of its conversation; json is the
 * record. */
int ctx_truncate_conversation(struct truncation *truncation,
    const struct ctx_json *json, struct ctx_err *err);
/* Writes a record that is not a message, or holds it if earlier records are
 * held. */
int ctx_truncate_end_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
void ctx_truncate_release_queue(struct truncation *truncation);

#endif
