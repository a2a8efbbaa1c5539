/* age_queue.h - messages that wait until they may be aged */
#ifndef CTX_AGE_AGE_QUEUE_H
#define CTX_AGE_AGE_QUEUE_H

#include "age/age_result.h"
#include "age/reasoning_file.h"
#include "group/group.h"
#include "stream/change_report.h"

/* A message in the queue, or a record that follows one. */
struct age_entry {
	char *text; /* its record, owned; NULL: inside a record */
	size_t bytes;
	uint32_t node;                     /* the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	const char *file;
	uint64_t line;
	uint64_t message;      /* index of the message, from 0 */
	uint64_t first_result; /* number of its first result */
	int64_t time;          /* in ms, if timed */
	bool has_time;
	bool continues; /* an earlier record began the message */
	uint32_t results;
	uint32_t *tools; /* of each result; NULL: none is long enough to age */
	size_t first_edit, edits; /* its edits: edits[first_edit] and so on */
	size_t message_at, message_n; /* place of the message in text */
	unsigned flags;               /* of the message */
	struct message_place place;
	bool is_signed;        /* it has signed reasoning */
	bool has_aged_results; /* its results were aged, not only reasoning
				  removed */
};

struct age_queue {
	struct ctx_groups groups;
	struct ctx_model_counter model_counter;
	struct age_entry *list;
	size_t first, n, cap; /* waiting: [first, n) */
	size_t sent_end; /* list[0, sent): up to the last assistant message */
	size_t savings_end;         /* gathered includes [first, weighed) */
	uint64_t messages, results; /* so far */
	uint64_t reported_end; /* index of the last message reported, plus 1 */
	uint64_t savings;      /* tokens that can be saved */
	int64_t time, newest;  /* of the last message; the latest of all */
	bool has_time;         /* some message had a time */
	bool begun;
	bool ended;                 /* no more messages come */
	bool binds;                 /* the model binds signed reasoning */
	bool changed;               /* a message was changed */
	struct message_place place; /* of the last message */
};

struct aging {
	struct ctx_age_options *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	struct ctx_writer *writer;
	struct ctx_stream *stream;
	struct age_queue lines, record;
	struct ctx_spool spool;
	struct ctx_err refused; /* why there is no spool, if code is set */
	struct ctx_message message;
	struct ctx_json json;
	struct ctx_edits edits;
	struct aged_result aged;
	struct edited edited;
	struct ctx_buf out, text;
	/* A message with and without its bound reasoning (whole, bare). */
	struct ctx_json unstripped_json;
	struct ctx_message unstripped_message;
	struct ctx_edits strip_edits;
	struct ctx_buf unstripped, stripped, name;
	size_t committed_edits; /* edits whose files are on disk */
	uint64_t pending_results,
	    pending_tokens; /* results and tokens of other edits */
};

/* ---- age_queue.c ---- */

void ctx_age_queue_clear(struct age_queue *queue);
struct age_entry *ctx_age_queue_append(struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Removes written records from the list, but not at each call. */
void ctx_age_queue_compact(struct age_queue *queue);
int ctx_age_queue_describe(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_event *event,
    struct ctx_err *err);
int ctx_age_queue_begin(struct aging *aging, struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- age_message.c ---- */

int ctx_age_open_spool(struct aging *aging, struct ctx_err *err);
/* Reports that results could not be stored; they are not aged.  Returns -1 only
 * for errors that end the run, like lack of memory. */
int ctx_age_report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, struct ctx_err *err);
/* Returns the number of the first message or result that is kept. */
uint64_t ctx_age_find_boundary(const struct aging *aging,
    const struct age_queue *queue);
/* Returns true if a message is older than options->older demands. */
bool ctx_age_is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry);
/* Sets *is to true if block i counts as a result.  A media placeholder counts,
 * so that a second run finds the same boundary. */
int ctx_age_is_result(struct aging *aging, const struct ctx_message *message,
    size_t i, bool *is_counted, struct ctx_err *err);
/* Returns true if block i, a result, may be aged: it is long enough, or media
 * that a text can replace. */
bool ctx_age_may_age(const struct aging *aging,
    const struct ctx_message *message, size_t i);
/* Ages the results of a message that are before the boundary.  With weigh,
 * changes nothing and adds what would be saved to queue->gathered. */
int ctx_age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_json *json, bool count_only,
    struct ctx_err *err);
/* Scans a held record again. */
int ctx_age_rescan(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err);

/* ---- spool_reasoning.c ---- */

/* Removes bound reasoning from a message if the message or one before it was
 * changed. */
int ctx_age_remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_str value, struct ctx_err *err);

/* ---- write_aged.c ---- */

/* Puts the spool files of the edits on disk, before their references are
 * written.  If that fails, the edits are dropped. */
int ctx_age_commit_edits(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err);
/* Reports a message whose edits are committed. */
int ctx_age_report_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, const struct ctx_json *json,
    struct ctx_err *err);
/* Sets aging->out to a record with its edits, and clears the edits.  The
 * archive is on disk before. */
int ctx_age_apply_edits(struct aging *aging, struct ctx_str text,
    struct ctx_err *err);
/* Writes a record that is not in the queue. */
int ctx_age_write_record(struct aging *aging, struct ctx_str text,
    struct ctx_err *err);
/* Returns true if all results of a record are before the boundary.  A record
 * that is not a message counts with the message before it. */
bool ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry);
/* Returns true if later bound reasoning may forbid all changes. */
bool ctx_age_may_refuse(const struct aging *aging,
    const struct age_queue *queue);
/* Sets *refused to true if aging the queue would leave bound reasoning after a
 * change.  json is the record that the messages are in, or NULL if each is a
 * record. */
int ctx_age_check_refusal(struct aging *aging, struct age_queue *queue,
    const struct ctx_json *json, bool *refused, struct ctx_err *err);
int ctx_age_write_due(struct aging *aging, struct ctx_err *err);
/* Writes the queue at the end of the stream.  If the stream failed (broken), a
 * message may be missing, so with unsent, or if bound reasoning could forbid
 * changes, nothing is changed. */
int ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err);
/* Writes the queue unchanged; its last message, the assistant's, is the
 * event's. */
int ctx_age_write_unaged(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err);

#endif
