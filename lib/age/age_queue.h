/* age_queue.h - keeps messages in memory, for ctx-age, until it is known
 * whether they are old enough to be changed */
#ifndef CTX_AGE_AGE_QUEUE_H
#define CTX_AGE_AGE_QUEUE_H

#include "age/age_result.h"
#include "age/reasoning_file.h"
#include "group/group.h"
#include "stream/change_report.h"
#include "stream/rewrite.h"

/* An element of the queue: a message that is not written yet, or a record after
 * it that is not a message. */
struct age_entry {
	struct ctx_held_message held;
	uint64_t message; /* index of the message in the conversation, from 0 */
	/* The tool results of a conversation are numbered from 0.  This is the
	 * number of the message's first one. */
	uint64_t first_result;
	/* Time when the message was written, in ms since 1970.  Set if
	 * has_time is true. */
	int64_t time;
	bool has_time;
	/* True if this record continues the message of an earlier record. */
	bool continues;
	uint32_t results;
	/* For each tool result of the message, the id of its tool in
	 * age_queue.groups.tools.  The entry owns the array.  NULL if no
	 * result is long enough to be replaced. */
	uint32_t *tools;
	/* The JSON edits of the message are those with the numbers first_edit
	 * to first_edit + edits - 1 in rewrite.edits. */
	size_t first_edit, edits;
	struct message_place place;
	bool is_signed; /* true if the message has signed reasoning */
	/* True if a tool result of the message was replaced; false if only
	 * reasoning was removed. */
	bool has_aged_results;
};

/* The messages of a conversation that cannot be written yet. */
struct age_queue {
	struct ctx_groups groups; /* needed to find the tool of each result */
	struct ctx_model_counter model_counter;
	/* Only for a conversation inside a record, with the option unsent:
	 * number of the queue's entry after the last assistant message.
	 * Messages before that entry have been sent to the provider, so they
	 * are not changed. */
	size_t sent_end;
	/* Number of the first entry of the queue whose tokens are not yet
	 * included in the member "savings". */
	size_t savings_end;
	/* Number of tokens that are saved if, in all entries before the entry
	 * savings_end, the old tool results are replaced by references. */
	uint64_t savings;
	/* Number of messages and of tool results that were read so far. */
	uint64_t messages, results;
	/* 1 + the index of the last message for which a change was reported */
	uint64_t reported_end;
	/* Only if has_time: timestamps of the message read last (time) and of
	 * the newest one (newest), in milliseconds since 1970. */
	int64_t time, newest;
	bool has_time; /* true once a message had a timestamp */
	bool ended;    /* true if the conversation has ended */
	/* True if the provider refuses signed reasoning of the conversation's
	 * model when anything before the reasoning was changed (bound
	 * reasoning). */
	bool binds;
	bool changed; /* true once a message of the conversation was changed */
	/* The place, in the conversation, of the message that was read last. */
	struct message_place place;
};

/* State of ctx-age. */
struct aging {
	struct ctx_age_config *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	/* The entries in the queues of rewrite are of the type struct
	 * age_entry. */
	struct ctx_rewrite rewrite;
	/* lines: the conversation of the stream, in which each message is a
	 * record. record: the conversation that is inside the current
	 * record. */
	struct age_queue lines, record;
	/* The spool, the directory in which tool results are stored; fd is -1
	 * while it is not open. */
	struct ctx_spool spool;
	/* The error because of which the spool cannot be opened; its code is
	 * CTX_OK if the spool can be opened. */
	struct ctx_err refused;
	struct aged_result aged;
	struct ctx_buf text; /* scratch memory */
	/* The JSON of a message whose old tool results are already replaced,
	 * but whose bound reasoning (signed reasoning that the provider refuses
	 * if anything before it was changed) is not removed yet. */
	struct ctx_buf unstripped;
	struct ctx_edits strip_edits; /* edits that remove the reasoning */
	struct ctx_buf stripped;      /* the message without its reasoning */
	struct ctx_buf name;          /* name of a spool file */
	/* Edits of the current record whose tool results are on disk: the first
	 * committed_edits edits.  The edits after them replace pending_results
	 * tool results, which saves pending_tokens tokens. */
	size_t committed_edits;
	uint64_t pending_results, pending_tokens;
};

/* ---- age_queue.c ---- */

/* Returns the list of the entries of a queue: aging->rewrite.elements for the
 * queue aging->record, aging->rewrite.lines for the queue aging->lines. */
static inline struct ctx_held_queue *
ctx_age_entries(struct aging *aging, const struct age_queue *queue)
{
	return ctx_rewrite_queue(&aging->rewrite, queue == &aging->record);
}

/* Frees the messages that were not written, and makes the queue ready for the
 * next conversation. */
void ctx_age_queue_clear(struct aging *aging, struct age_queue *queue);
/* Appends an entry for the event's message to the queue, and adds the message
 * to queue->groups, where the tool of each tool result is looked up.  Returns
 * the entry, or NULL with *err. */
struct age_entry *ctx_age_queue_append(struct aging *aging,
    struct age_queue *queue, const struct ctx_event *event,
    struct ctx_err *err);
/* Finds the model of a conversation and its token counter. */
int ctx_age_queue_begin(struct aging *aging, struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- age_message.c ---- */

/* Opens the spool (directory for tool results) if it is not open yet.  Returns
 * -1 with *err if it cannot be opened; later calls then return this error
 * again. */
int ctx_age_open_spool(struct aging *aging, struct ctx_err *err);
/* Counts tool results that could not be stored in a file, so that they remain
 * in the conversation.  Calls options->failed with *err.  Returns -1 if *err
 * must end the run, such as lack of memory. */
int ctx_age_report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, struct ctx_err *err);
/* Returns the index of the first message that is too new to be changed.  With
 * the option by_results, returns the number of the first tool result that is
 * too new. */
uint64_t ctx_age_find_boundary(const struct aging *aging,
    const struct age_queue *queue);
/* Returns true if a message is so much older than the newest message that it
 * may be changed (option older). */
bool ctx_age_is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry);
/* Sets *is_counted to true if block i is a tool result or, with
 * options->media, media.  A text that ctx-age has written in place of media
 * counts as well, so that a second run finds the same boundary between old and
 * new. */
int ctx_age_is_result(struct aging *aging, const struct ctx_message *message,
    size_t i, bool *is_counted, struct ctx_err *err);
/* Returns true if the tool result in block i is long enough to be replaced:
 * its JSON has more bytes than options->over.  With options->media, returns
 * true if a text block can replace the media in block i. */
bool ctx_age_may_age(const struct aging *aging,
    const struct ctx_message *message, size_t i);
/* Adds the edits that replace the old tool results of a message by references.
 * If count_only is true, only adds the tokens that this would save to
 * queue->savings. */
int ctx_age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, bool count_only, struct ctx_err *err);

/* ---- spool_reasoning.c ---- */

/* If a message or one before it was changed, removes the bound reasoning of the
 * message (signed reasoning that the provider refuses if anything before it was
 * changed).  The original of the message is stored in the spool directory. */
int ctx_age_remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_err *err);

/* ---- write_aged.c ---- */

/* Brings the files with replaced tool results to disk.  If that fails, takes
 * back the edits that were added since the last success. */
int ctx_age_commit_edits(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err);
/* Archives and reports a changed message.  Does nothing if the files with its
 * replaced tool results could not be brought to disk. */
int ctx_age_report_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, struct ctx_err *err);
/* Returns true if all tool results of an entry are old enough to be replaced.
 * Also returns true for a record that is not a message, so that it is written
 * together with the message before it. */
bool ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry);
/* Returns true if all messages of the conversation must be read before any may
 * be changed.  This is so if options->reasoning is CTX_REASONING_FAIL, and the
 * provider refuses signed reasoning of this model if anything before it was
 * changed (bound reasoning). */
bool ctx_age_may_refuse(const struct aging *aging,
    const struct age_queue *queue);
/* Sets *refused to true if no tool result in the queue may be replaced.  The
 * reason is signed reasoning in the queue that the provider refuses if anything
 * before it was changed (bound reasoning). */
int ctx_age_check_refusal(struct aging *aging, struct age_queue *queue,
    bool *refused, struct ctx_err *err);
/* Writes those messages at the beginning of the queue that need not be kept in
 * memory any longer: messages in which no tool result is long enough to be
 * replaced; and messages that are old enough, after their tool results were
 * replaced by references.  Writes nothing until at least options->at_least
 * tokens can be saved. */
int ctx_age_write_due(struct aging *aging, struct ctx_err *err);
/* Writes all messages in the queue, at the end of the stream. broken is true if
 * the stream ended with an error, so that messages may be missing.  Then
 * nothing is changed if the option unsent is set, or if bound reasoning (signed
 * reasoning that the provider refuses if anything before it was changed) could
 * forbid changes. */
int ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err);
/* Writes all messages in the queue unchanged, except the last one.  That one
 * is removed from the queue, because its record is not complete: it is written
 * when the record ends. */
int ctx_age_write_unaged(struct aging *aging, struct ctx_err *err);

#endif
