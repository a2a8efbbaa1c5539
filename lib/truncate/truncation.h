/* truncation.h - the state of ctx-truncate, and functions shared by its
 * files */
#ifndef CTX_TRUNCATE_TRUNCATION_H
#define CTX_TRUNCATE_TRUNCATION_H

#include "stream/conversation_tracker.h"
#include "stream/rewrite.h"
#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A message that is kept in memory, because later messages decide how it is
 * changed.  Records after such a message are kept in memory, too, so that the
 * order of records remains the same. */
struct truncate_entry {
	struct ctx_held_message held;
	/* first_media: number of the message's first media block in the
	 * conversation, from 0. n_media: number of media blocks in the
	 * message. */
	uint64_t first_media, n_media;
	/* number of the record's line in the transcript (see ctx_event.line) */
	uint32_t line;
};

/* A conversation that ctx-truncate is reading. */
struct truncate_conversation {
	struct conversation_tracker tracker;
	/* Number of the first element of the queue after the last assistant
	 * message. */
	size_t sent_end;
	uint64_t n_media; /* number of media blocks read so far */
};

/* State of ctx_truncate_stream while it reads a stream. */
struct truncation {
	/* The entries in the queues of rewrite have the type struct
	 * truncate_entry. */
	struct ctx_rewrite rewrite;
	struct ctx_truncate_config *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	/* lines: the conversation in which each record is a message. record:
	 * the conversation inside the current record. */
	struct truncate_conversation lines, record;
	struct shortener shortener;
	struct text_segments segments; /* texts of one tool result or message */
	struct ctx_buf out, text;      /* scratch buffers */
	/* Amount of work, in units of CTX_PATTERN_WORK, that may still be done
	 * to match patterns with the tool names of the current message.
	 * Limited so that no pattern can take for ever. */
	int64_t match_left;
	/* True during a trial: changes of a conversation are computed, but
	 * nothing is reported or written.  After the trial, the member
	 * "refused" says whether the changes are forbidden. */
	bool is_trial;
	/* Result of a trial (is_trial): true if bound reasoning comes after a
	 * change.  Bound reasoning is signed reasoning that its provider
	 * refuses if anything before it was changed. */
	bool refused;
};

/* Says which media blocks of a message are removed.  The media blocks of a
 * conversation are numbered from 0. */
struct media_numbers {
	uint64_t first; /* number of the message's first media block */
	/* number of the first media block of the conversation that is kept */
	uint64_t end;
};

/* ---- remove_media.c ---- */

/* Sets *is to true if block i is an image or other media, or a text that ctx
 * has written in place of media. */
int ctx_truncate_is_media(struct truncation *truncation,
    const struct ctx_message *message, size_t i, bool *is, struct ctx_err *err);
/* Adds the edits that replace media blocks of a message by short texts: the
 * blocks whose number in the conversation is below media.end.  Skips a block
 * that an edit of this message already removes or replaces. first: number of
 * the first edit of this message. */
int ctx_truncate_media(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct media_numbers media, struct ctx_err *err);
/* Returns the number of the first media block of a conversation that is kept.
 * All media blocks before this block are removed.  Media blocks are numbered
 * from 0. */
uint64_t ctx_truncate_kept_media(const struct truncation *truncation,
    const struct truncate_conversation *conversation);

/* ---- truncate_message.c ---- */

/* Makes a message the current message of the conversation tracker.  If edit is
 * true, also adds the edits that shorten the message. */
int ctx_truncate_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    bool edit, struct media_numbers media, struct ctx_err *err);

/* ---- truncate_queue.c ---- */

/* Returns true if a later message may forbid to change the conversation,
 * because the message has bound reasoning (signed reasoning that the provider
 * refuses if anything before it was changed). */
bool ctx_truncate_may_refuse(const struct truncation *truncation,
    const struct truncate_conversation *conversation);
/* Computes in a trial how the messages in memory would be shortened.  Writes
 * nothing.  Sets truncation->refused to true if bound reasoning (signed
 * reasoning that the provider refuses if anything before it was changed) would
 * come after a change. */
int ctx_truncate_check_refusal(struct truncation *truncation,
    const struct truncate_conversation *conversation, struct ctx_err *err);
/* Writes all records in memory.  If edit is true, first shortens the texts of
 * their messages. */
int ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err);
/* Handles a message that is a record: keeps it in memory if its change depends
 * on later messages, or if earlier records are in memory; otherwise adds the
 * edits that shorten it. */
int ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Adds a message of a conversation inside a record to the queue of that
 * conversation. */
int ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err);
/* Shortens the messages in the queue of a conversation inside a record.  The
 * caller must have read all messages of the conversation. */
int ctx_truncate_conversation(struct truncation *truncation,
    struct ctx_err *err);

#endif
