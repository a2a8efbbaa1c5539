/* repair.h - records and messages that wait to be fixed and written */
#ifndef CTX_CHECK_REPAIR_H
#define CTX_CHECK_REPAIR_H

#include "check/check.h"

/* A record, or a message inside one, that has not been written yet. */
struct ctx_repair_entry {
	/* Index of the message; for other records, of the message before. */
	uint64_t message;
	struct ctx_place place; /* of a message */
	bool is_message, blank, removed;
	bool archived;      /* true if its original bytes are in the archive */
	bool holds_results; /* true if it holds tool results */
	/* True if the message has no blocks; only the last may have none. */
	bool is_empty;
	bool hidden;      /* true if the model does not see the message */
	bool lead_before; /* true if a user message is inserted before it */
	/* True if its results come before a later call with an equal id. */
	bool results_before_next;
	const struct ctx_dialect *dialect;
	uint64_t rules;
	enum ctx_role role;
	char *text;           /* owns bytes; NULL: bytes belong to the reader */
	struct ctx_str bytes; /* the bytes to write */
	/* Offset in bytes of the first change that the model sees; SIZE_MAX:
	 * none. */
	size_t changed_from;
	uint32_t node; /* of a message inside a record, else 0 */
	/* Offset in the bytes of the record at which a result can be inserted
	 * before the blocks; 0: nowhere. */
	size_t results_at;
	bool nothing_after; /* true if no block remains after that offset */
	/* The results to insert: the first n_handed_on are of earlier entries
	 * and all due; then one per call. */
	struct ctx_repair_result {
		/* Bytes of results_text; n 0: the dialect has no result. */
		size_t at, n;
		bool due;
	} * results;
	size_t n_results, results_cap, n_handed_on;
	bool has_unnamed; /* true if a result has no id */
	/* The text of the results. Its first wrapper_length bytes open the
	 * message that holds them. */
	struct ctx_buf results_text;
	size_t wrapper_length;
};

struct ctx_repair_queue {
	struct ctx_repair_entry *list;
	size_t from, n, cap; /* list[from] is the first entry not yet written */
	bool binds;          /* true if the model binds signed reasoning */
	/* True if the model sees a change before the next entry to be written.
	 */
	bool changed;
};

struct ctx_repair {
	/* NULL: this is a trial, which only sets refused. */
	struct ctx_writer *writer;
	struct ctx_check_options *options;
	struct ctx_repair_queue lines, inner; /* records; one's messages */
	struct ctx_edits edits;               /* for the record being read */
	struct ctx_edits message_edits; /* for a message that is a record */
	struct ctx_edits entry_edits;   /* for an entry that waits ... */
	struct ctx_json json;           /* ... its record, scanned again ... */
	struct ctx_message message;     /* ... its message ... */
	struct ctx_buf added;           /* ... the bytes added ... */
	struct ctx_buf removed;         /* ... and the bytes removed */
	struct ctx_buf out, id, spare;
	/* Key of the member to remove from the message being checked; 0: none.
	 */
	uint32_t removed_member;
	bool after_removed; /* true if the record before was removed */
	bool renamed;       /* true if the id of a call was replaced */
	bool refused;       /* true if a trial found bound reasoning ... */
	struct ctx_place refused_at; /* ... first in this message */
	/* Cached by find_last_before_results, until the next message: results
	 * of the calls in messages run_from to run_to must be put after run_to.
	 */
	bool run_known;
	bool run_has_next; /* true if message run_next comes next */
	uint64_t run_from, run_to, run_next;
};

/* ---- repair_queue.c ---- */

void ctx_repair_release(struct ctx_repair *repair);
/* Returns the queue of the record's messages, or of the stream's records. */
struct ctx_repair_queue *ctx_repair_choose_queue(struct ctx_repair *repair,
    bool inside);
struct ctx_repair_entry *ctx_repair_append_entry(struct ctx_repair_queue *queue,
    struct ctx_err *err);
/* Returns the entry of a message, or NULL if it has been written. Indices rise;
 * records that are not messages have the index of the message before. */
struct ctx_repair_entry *ctx_repair_find_entry(
    const struct ctx_repair_queue *queue, uint64_t message);
/* Returns the next message after entry i that is kept and that the model sees,
 * or NULL. */
struct ctx_repair_entry *ctx_repair_find_shown(
    const struct ctx_repair_queue *queue, size_t i);
void ctx_repair_release_entry(struct ctx_repair_entry *entry);
/* Releases all entries. */
void ctx_repair_clear_queue(struct ctx_repair_queue *queue);
/* Sets the entry's bytes to an owned copy of n bytes at p. */
int ctx_repair_own(struct ctx_repair_entry *entry, const char *p, size_t n,
    struct ctx_err *err);
/* Archives the original bytes of the message, only once, and not in a trial. */
int ctx_repair_archive(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_err *err);
/* Notes that the model sees a change of the entry's bytes at offset at. */
void ctx_repair_note_change(struct ctx_repair_entry *entry, size_t at);

/* ---- repair_results.c: results that a repair inserts ---- */

/* Composes the results that the calls of a message get if they have none. */
int ctx_repair_compose_results(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, const struct ctx_message *message,
    struct ctx_err *err);
/*
 * Marks the result that fix->finding misses as due.  judging: a message is
 * being checked.  Returns 2 if the result will be the message directly before
 * the one being checked, or the last message; else 1. Returns 0 if no result
 * can be inserted: there is none, or it would be a user message next to another
 * where the rules forbid that.
 */
int ctx_repair_mark_result(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, bool judging, struct ctx_fix *fix);
/* Returns true if results of the entry are due. */
bool ctx_repair_has_due_results(const struct ctx_repair_entry *entry);
/*
 * Returns true if the results of entry are inserted into next, the message
 * after it.  That is so if next holds the other results of the turn, or if two
 * user messages must not be neighbours.
 */
bool ctx_repair_results_in_next(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next);
/* Returns true if the due results of entry must come after next. Results
 * without ids are paired with the oldest call, so they come after the existing
 * results. But if results must directly follow their calls, they come before
 * the next assistant message. */
bool ctx_repair_results_after_next(const struct ctx_repair_entry *entry,
    bool nameless, const struct ctx_repair_entry *next);
/* Moves the due results of entry before those of next. The array is moved and
 * extended, not copied, so that a long row of calls takes linear time. */
int ctx_repair_move_results(struct ctx_repair_entry *entry,
    struct ctx_repair_entry *next, struct ctx_err *err);
/* Appends the due results of entry, separated by part, and then behind. */
int ctx_repair_append_results(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part, const char *behind,
    struct ctx_err *err);
/* Appends the due results of entry as messages, separated by part. */
int ctx_repair_append_result_messages(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part,
    struct ctx_err *err);

/* ---- repair_message.c: a message before and after it is checked ---- */

/* Begins a conversation inside a record, or that of the stream's messages. */
void ctx_repair_begin(struct ctx_repair *repair, bool inside, bool binds);
/* Appends an entry for a message that is about to be checked by these rules. */
int ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, const struct ctx_place *place, struct ctx_err *err);
/* Applies the fixes of a message after it has been checked. */
int ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err);

/* ---- repair_finding.c: the fix of a finding ---- */

/* Applies the fix of a finding. Returns 1 or 2, as on_finding of ctx_validator
 * does, and sets *fix; 0 if there is no fix; -1 with *err. message is the
 * message being checked, NULL at the end of the conversation. */
int ctx_repair_finding(struct ctx_repair *repair,
    const struct ctx_finding *finding, const struct ctx_message *message,
    struct ctx_fix *fix, struct ctx_err *err);
/* Returns true if the entry is a line of a transcript. Its lines refer to each
 * other, so they are not changed. */
bool ctx_repair_is_linked(const struct ctx_repair_entry *entry, bool inside);

/* ---- repair_earlier.c: fixes of a message that was checked before ---- */

/* Removes the first breakpoint of an entry that is a record. Returns 1 and sets
 * *old to the removed bytes; 0 if there is no breakpoint; -1 with *err. */
int ctx_repair_breakpoint(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_str *old, struct ctx_err *err);
/* Replaces image number ordinal of an entry that is a record by a text. Returns
 * 1 and sets *old to the replaced bytes; 0 if there is no such image; -1 with
 * *err. */
int ctx_repair_image(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t ordinal, struct ctx_str *old, struct ctx_err *err);

/* ---- repair_reasoning.c: bound reasoning after a change ---- */

/* Returns the offset in the bytes of the next entry of the queue after which
 * bound reasoning must be removed; SIZE_MAX: nowhere. */
size_t ctx_repair_pass_change(struct ctx_repair_queue *queue,
    const struct ctx_repair_entry *entry);
/* Removes the bound reasoning of an entry that is a record, if it ends after
 * byte from, and reports that. */
int ctx_repair_record_reasoning(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, size_t from, struct ctx_err *err);
/* Does so for the entries of a conversation inside a record, after all other
 * edits were added.  Each changed_from is as ctx_repair_pass_change returned
 * it. */
int ctx_repair_inner_reasoning(struct ctx_repair *repair, struct ctx_err *err);

/* ---- repair_conversation.c: a conversation inside a record ---- */

/* Prepares the edits of a record after its conversation has been checked. */
int ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- write_repaired.c: records leave the queue ---- */

/* Applies the edits of the record being read to its text, which may then be the
 * bytes of repair->out. */
int ctx_repair_take_record(struct ctx_repair *repair, struct ctx_str *text,
    struct ctx_err *err);
/* Ends a record and writes the entries before message number settled. */
int ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t settled, struct ctx_err *err);
/* Writes all remaining entries. */
int ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err);

#endif
