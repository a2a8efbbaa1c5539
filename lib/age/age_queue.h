/* age_queue.h - queue of messages that ctx-age keeps in memory until it is
 * known whether they are old enough to be changed */
#ifndef CTX_AGE_AGE_QUEUE_H
#define CTX_AGE_AGE_QUEUE_H

#include "age/age_result.h"
#include "age/reasoning_file.h"
#include "group/group.h"
#include "stream/change_report.h"
#include "stream/rewrite.h"

/* A message in the queue, which is not written yet, or a record that is not a
 * message and follows one. */
struct age_entry {
	struct ctx_held_message held;
	uint64_t message; /* number of the message, from 0 */
	/* Number of the message's first tool result in the conversation, from
	 * 0. */
	uint64_t first_result;
	int64_t time; /* timestamp in milliseconds since 1970, if has_time */
	bool has_time;
	/* True if the message began in an earlier record. */
	bool continues;
	uint32_t results;
	/* For each tool result in the message, its tool's id in
	 * age_queue.groups.tools; owned.  NULL if no result is long enough to
	 * be replaced. */
	uint32_t *tools;
	/* The JSON edits of the message are in rewrite.edits: first_edit is the
	 * number of the first one, edits is how many there are. */
	size_t first_edit, edits;
	/* Offset and length of the message in text. */
	size_t message_at, message_n;
	struct message_place place;
	bool is_signed; /* true if the message has signed reasoning */
	/* True if a tool result was replaced; false if only reasoning was
	 * removed from the message. */
	bool has_aged_results;
};

/* The messages of one conversation that cannot be written yet. */
struct age_queue {
	struct ctx_groups groups; /* used to find the tools of results */
	struct ctx_model_counter model_counter;
	/* The messages in memory: each entry is a struct age_entry. */
	struct ctx_held_queue *entries;
	/* The entry before this number is the last assistant message. */
	size_t sent_end;
	/* The tokens in savings are those that can be saved in the entries
	 * before this number. */
	size_t savings_end;
	/* Tokens saved if the tool results of the entries before savings_end
	 * are replaced. */
	uint64_t savings;
	/* Number of messages and tool results read so far. */
	uint64_t messages, results;
	/* Number of the last message in the report, plus 1. */
	uint64_t reported_end;
	/* Timestamps of the last message and of the newest, in milliseconds
	 * since 1970, if has_time. */
	int64_t time, newest;
	bool has_time; /* true if any message had a timestamp */
	bool ended;    /* true if the conversation has ended */
	/* True if the provider refuses signed reasoning of this model when
	 * something before it has changed (bound reasoning). */
	bool binds;
	bool changed; /* true if a message of the conversation was changed */
	/* Place in the conversation of the last message read. */
	struct message_place place;
};

/* State of ctx_age. */
struct aging {
	struct ctx_age_options *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	struct ctx_rewrite rewrite;
	/* lines: the conversation whose messages are separate records. record:
	 * the conversation inside the record being read. */
	struct age_queue lines, record;
	/* Spool (directory for removed results); fd is -1 if it is not open. */
	struct ctx_spool spool;
	/* Why the spool cannot be opened; code CTX_OK if it can. */
	struct ctx_err refused;
	struct aged_result aged;
	struct ctx_buf text; /* scratch buffer */
	/* A message with all its edits but still with its bound reasoning
	 * (signed reasoning that the provider refuses after a change). */
	struct ctx_buf unstripped;
	struct ctx_edits strip_edits; /* edits that remove the reasoning */
	struct ctx_buf stripped;      /* the message without its reasoning */
	struct ctx_buf name;          /* name of a spool file */
	/* The removed results of the first committed_edits edits are on disk.
	 * The later edits replace pending_results results and save
	 * pending_tokens tokens. */
	size_t committed_edits;
	uint64_t pending_results, pending_tokens;
};

/* ---- age_queue.c ---- */

/* Returns the entry with this number. */
struct age_entry *ctx_age_queue_at(const struct age_queue *queue,
    size_t number);
/* Frees the messages that were not written, and resets the queue for the next
 * conversation. */
void ctx_age_queue_clear(struct age_queue *queue);
/* Appends an entry for a message to the queue.  Returns the entry, or NULL and
 * sets *err. */
struct age_entry *ctx_age_queue_append(struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Fills the queue entry that was appended last with the properties of the
 * event's message, and adds the message to the groups. */
int ctx_age_queue_describe(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_event *event,
    struct ctx_err *err);
/* Determines the model of a conversation and its token counter. */
int ctx_age_queue_begin(struct aging *aging, struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- age_message.c ---- */

/* Opens the spool (directory for removed results) if it is not open yet.
 * Returns -1 and sets *err if it cannot be opened; later calls return the same
 * error. */
int ctx_age_open_spool(struct aging *aging, struct ctx_err *err);
/* Counts results that could not be stored in a file and remain in the
 * conversation.  Calls options->failed with *err.  Returns -1 if *err must end
 * the run, such as lack of memory. */
int ctx_age_report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, struct ctx_err *err);
/* Returns the number of the first message that is not changed because it is
 * among the newest.  With the option by_results, returns the number of the
 * first such tool result instead. */
uint64_t ctx_age_find_boundary(const struct aging *aging,
    const struct age_queue *queue);
/* Returns true if a message is enough older than the newest message to be
 * changed (option older). */
bool ctx_age_is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry);
/* Sets *is_counted to true if block i is a tool result or, with options->media,
 * a media block.  A text that ctx_age put in place of media counts as well, so
 * that a second run finds the same boundary between old and new. */
int ctx_age_is_result(struct aging *aging, const struct ctx_message *message,
    size_t i, bool *is_counted, struct ctx_err *err);
/* Returns true if the tool result in block i may be replaced, because its JSON
 * has more bytes than options->over.  With options->media, returns true if a
 * text block can replace the media. */
bool ctx_age_may_age(const struct aging *aging,
    const struct ctx_message *message, size_t i);
/* Adds the edits that replace the old tool results of a message by references.
 * If count_only is true, adds no edit, but adds
 * the tokens that would be saved to queue->savings. */
int ctx_age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, bool count_only, struct ctx_err *err);

/* ---- spool_reasoning.c ---- */

/* Removes the bound reasoning of a message (signed reasoning that the provider
 * refuses after a change before it), if the message or one before it was
 * changed.  The original message is stored in the spool directory. */
int ctx_age_remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_err *err);

/* ---- write_aged.c ---- */

/* Writes to disk the files with the results that the edits remove.  If that
 * fails, takes back the edits made since the last success. */
int ctx_age_commit_edits(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err);
/* Archives and reports a changed message, if the files with its removed results
 * are on disk. */
int ctx_age_report_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, struct ctx_err *err);
/* Returns true if all tool results of an entry are old enough to be replaced.
 * For a record that is not a message returns true, so it is written with the
 * message before it. */
bool ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry);
/* Returns true if the conversation may have to remain unchanged, because a
 * later message may have bound reasoning (signed reasoning that the provider
 * refuses after a change). */
bool ctx_age_may_refuse(const struct aging *aging,
    const struct age_queue *queue);
/* Sets *refused to true if replacing the results in the queue would leave bound
 * reasoning (signed reasoning that the provider refuses after a change before
 * it). */
int ctx_age_check_refusal(struct aging *aging, struct age_queue *queue,
    bool *refused, struct ctx_err *err);
/* Writes the messages at the beginning of the queue that need not be kept any
 * longer: those old enough, with their tool results replaced, and those without
 * results. */
int ctx_age_write_due(struct aging *aging, struct ctx_err *err);
/* Writes the whole queue at the end of the stream. broken is true if the stream
 * ended with an error, so that a message may be missing.  Then nothing is
 * changed if the option unsent is set, or if bound reasoning (signed reasoning
 * that the provider refuses after a change) could forbid changes. */
int ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err);
/* Writes all messages in the queue but the last one, unchanged, and removes the
 * last one from the queue, so that its record is written when it ends. */
int ctx_age_write_unaged(struct aging *aging, struct ctx_err *err);

#endif
