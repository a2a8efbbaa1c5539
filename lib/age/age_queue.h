/* age_queue.h - messages that wait until they may be aged */
#ifndef CTX_AGE_AGE_QUEUE_H
#define CTX_AGE_AGE_QUEUE_H

#include "age/age_result.h"
#include "age/reasoning_file.h"
#include "group/group.h"
#include "stream/change_report.h"

/* A message that waits to be written, or a record that is not a message and
 * that follows such a message. */
struct age_entry {
	char *text;    /* its record, owned; NULL: the message is in a record */
	size_t bytes;  /* length of text */
	uint32_t node; /* node of the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	const char *file; /* input file and line of its record */
	uint64_t line;
	uint64_t message;      /* index of the message, from 0 */
	uint64_t first_result; /* number of its first result, from 0 */
	int64_t time;          /* milliseconds since 1970, if has_time */
	bool has_time;
	bool continues; /* true if an earlier record began the message */
	uint32_t results;
	/* Tool of each result, as an id in age_queue.groups.tools; owned. NULL:
	 * no result is long enough to be aged. */
	uint32_t *tools;
	size_t first_edit, edits; /* its edits: aging.edits[first_edit], ... */
	size_t message_at, message_n; /* bytes of the message in text */
	unsigned flags;               /* of the message, CTX_MESSAGE_... */
	struct message_place place;
	bool is_signed;        /* true if it has signed reasoning */
	bool has_aged_results; /* false: only its reasoning was removed */
};

/* The messages of one conversation that wait. */
struct age_queue {
	struct ctx_groups groups; /* for the tools of results */
	struct ctx_model_counter model_counter;
	struct age_entry *list;
	size_t first, n, cap; /* list[first] to list[n - 1] wait */
	/* Entries before this index end with the last assistant message. */
	size_t sent_end;
	size_t savings_end; /* savings includes the entries before this index */
	uint64_t savings;   /* tokens that aging these entries saves */
	uint64_t messages, results; /* read so far */
	uint64_t reported_end; /* index of the last reported message, plus 1 */
	/* Milliseconds since 1970 of the last message and of the newest, if
	 * has_time. */
	int64_t time, newest;
	bool has_time; /* true if a message had a time */
	bool begun;    /* true if the model of the conversation is known */
	bool ended;    /* true if no more messages follow */
	bool binds;    /* true if the model has bound reasoning */
	bool changed;  /* true if a message was changed */
	struct message_place place; /* of the last message */
};

/* State of ctx_age. */
struct aging {
	struct ctx_age_options *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	struct ctx_writer *writer;
	struct ctx_stream *stream;
	/* The conversation of the stream; that of the current record. */
	struct age_queue lines, record;
	struct ctx_spool spool; /* fd -1: not open */
	struct ctx_err refused; /* code set: why the spool cannot be opened */
	struct ctx_message message; /* a waiting message, read again */
	struct ctx_json json;       /* its record, scanned again */
	struct ctx_edits edits;     /* of the record to be written next */
	struct aged_result aged;
	struct edited edited;     /* for reports */
	struct ctx_buf out, text; /* scratch */
	/* A message with its edits, but before its bound reasoning is removed:
	 * bytes, scanned, parsed. */
	struct ctx_buf unstripped;
	struct ctx_json unstripped_json;
	struct ctx_message unstripped_message;
	struct ctx_edits strip_edits; /* remove the reasoning */
	struct ctx_buf stripped;      /* the message without it */
	struct ctx_buf name;          /* of a spool file */
	/* Number of edits whose spool files are known to be on disk, and the
	 * results and tokens of the edits after these. */
	size_t committed_edits;
	uint64_t pending_results, pending_tokens;
};

/* ---- age_queue.c ---- */

/* Frees the waiting entries, and resets the queue for the next conversation. */
void ctx_age_queue_clear(struct age_queue *queue);
/* Appends an entry for a record or a message in it.  Returns NULL with *err. */
struct age_entry *ctx_age_queue_append(struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Removes written entries from the list if they are at least 64 and half of it,
 * so that each entry is moved at most once on average. */
void ctx_age_queue_compact(struct age_queue *queue);
/* Fills an entry that was just appended for the message of an event.  Adds the
 * message to the groups. */
int ctx_age_queue_describe(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_event *event,
    struct ctx_err *err);
/* Finds the model of a conversation and its token counter. */
int ctx_age_queue_begin(struct aging *aging, struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- age_message.c ---- */

/* Opens the spool if it is not open yet.  Returns -1 with *err, each time with
 * the first error. */
int ctx_age_open_spool(struct aging *aging, struct ctx_err *err);
/* Counts results that could not be stored, and calls options->failed with *err.
 * These results are kept.  Returns -1 if *err must end the run, as lack of
 * memory must. */
int ctx_age_report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, struct ctx_err *err);
/* Returns the number of the first message (with by_results: result) that is
 * kept because it is among the newest. */
uint64_t ctx_age_find_boundary(const struct aging *aging,
    const struct age_queue *queue);
/* Returns true if a message is old enough for options->older. */
bool ctx_age_is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry);
/* Sets *is_counted to true if block i is a result or, with options->media,
 * media.  A placeholder for media counts, so that a second run finds the same
 * boundary. */
int ctx_age_is_result(struct aging *aging, const struct ctx_message *message,
    size_t i, bool *is_counted, struct ctx_err *err);
/* Returns true if a result may be aged: its JSON has more bytes than
 * options->over. Returns true for media that a text block can replace. */
bool ctx_age_may_age(const struct aging *aging,
    const struct ctx_message *message, size_t i);
/* Adds the edits that age the results of a message before the boundary; json is
 * its record.  With count_only no edit is added: the tokens that would be saved
 * are added to queue->savings. */
int ctx_age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_json *json, bool count_only,
    struct ctx_err *err);
/* Scans the record of a waiting entry again, into aging->json. */
int ctx_age_rescan(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err);

/* ---- spool_reasoning.c ---- */

/* Removes the bound reasoning of a message, whose JSON is value, if the message
 * or one before it was changed.  The original message is stored in the spool.
 */
int ctx_age_remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_str value, struct ctx_err *err);

/* ---- write_aged.c ---- */

/* Makes sure that the spool files of the edits are on disk.  If that fails, the
 * edits that are not committed are removed. */
int ctx_age_commit_edits(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err);
/* Archives and reports a message, if it has edits and they are committed. */
int ctx_age_report_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, const struct ctx_json *json,
    struct ctx_err *err);
/* Sets aging->out to a record with its edits, and clears the edits.  Before
 * that the archive is brought to disk. */
int ctx_age_apply_edits(struct aging *aging, struct ctx_str text,
    struct ctx_err *err);
/* Writes a record that is not in the queue, with its edits. */
int ctx_age_write_record(struct aging *aging, struct ctx_str text,
    struct ctx_err *err);
/* Returns true if all results of an entry are before the boundary.  A record
 * that is not a message is written with the message before it, so it is, too.
 */
bool ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry);
/* Returns true if nothing may be changed in case that a later message has bound
 * reasoning. */
bool ctx_age_may_refuse(const struct aging *aging,
    const struct age_queue *queue);
/* Sets *refused to true if aging the queue would leave bound reasoning after a
 * change.  json is the record that holds the messages; NULL: each is a record.
 */
int ctx_age_check_refusal(struct aging *aging, struct age_queue *queue,
    const struct ctx_json *json, bool *refused, struct ctx_err *err);
/* Writes the messages of the stream that need not wait any longer. */
int ctx_age_write_due(struct aging *aging, struct ctx_err *err);
/* Writes the whole queue at the end of the stream.  broken is true if the
 * stream ended with an error: a message may be missing.  Nothing is changed
 * then with options->unsent, or if bound reasoning could forbid changes. */
int ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err);
/* Writes the queue unchanged.  Its last entry is the assistant message of the
 * event. */
int ctx_age_write_unaged(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err);

#endif
