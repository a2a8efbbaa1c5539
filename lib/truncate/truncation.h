/* truncation.h - state and functions that the files of ctx-truncate share */
#ifndef CTX_TRUNCATE_TRUNCATION_H
#define CTX_TRUNCATE_TRUNCATION_H

#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "stream/rewrite.h"
#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A message that cannot be written yet because its change depends on later
 * messages, or a record that is not a message and follows one. */
struct truncate_entry {
	struct ctx_held_message held;
	/* Number of the message's first media block in the conversation, and
	 * how many media blocks it has. */
	uint64_t first_media, n_media;
};

/* A conversation that is being read. */
struct truncate_conversation {
	struct conversation_tracker tracker;
	/* Its messages in memory: each entry is a struct truncate_entry. */
	struct ctx_held_queue *queue;
	/* The entry before this number is the last assistant message. */
	size_t sent_end;
	uint64_t n_media; /* number of media blocks read so far */
};

/* State of ctx_truncate. */
struct truncation {
	struct ctx_rewrite rewrite;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	/* lines: the conversation whose messages are separate records. record:
	 * the conversation inside the record being read. */
	struct truncate_conversation lines, record;
	struct shortener shortener;
	struct text_segments segments; /* texts of one tool result or message */
	struct ctx_buf out, text;      /* scratch buffers */
	/* Time left for matching names of tools with patterns, for the current
	 * message. */
	int64_t match_time;
	/* True while changes are only tried: nothing is reported, and the only
	 * result is the member refused. */
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
    const struct truncate_conversation *conversation);

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
    const struct truncate_conversation *conversation);
/* Sets truncation->refused to true if shortening the messages in memory would
 * leave bound reasoning (signed reasoning that the provider refuses after a
 * change before it). */
int ctx_truncate_check_refusal(struct truncation *truncation,
    const struct truncate_conversation *conversation, struct ctx_err *err);
/* Writes all records in memory, with their messages shortened if edit is true.
 */
int ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err);
/* Handles a message that is a record of its own: keeps it in memory, or
 * shortens it at once if no later message matters to it. */
int ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Adds a message inside a record to the record's queue. */
int ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Shortens the messages of a conversation inside a record, after the last one
 * was read. */
int ctx_truncate_conversation(struct truncation *truncation,
    struct ctx_err *err);

#endif
