/* repair.h - records and messages that wait to be fixed and written */
#ifndef CTX_CHECK_REPAIR_H
#define CTX_CHECK_REPAIR_H

#include "check/check.h"

/* A record, or a message inside one, that has not been written yet. */
struct ctx_repair_entry {
	uint64_t message; /* index of the message; for other records, of the
			     message before */
	struct ctx_place place; /* of a message */
	bool is_message, blank, drop;
	bool archived; /* true if its original bytes are in the archive */
	bool users;    /* true if it holds tool results */
	bool mute; /* true if the message has no blocks; only the last may have
		      none */
	bool hidden; /* true if the model does not see the message */
	bool led;    /* true if a user message is inserted before it */
	bool close;  /* true if its results come before a later call with an
			equal id */
	const struct ctx_dialect *dialect;
	uint64_t rules;
	enum ctx_role role;
	char *text;           /* owns bytes; NULL: bytes belong to the reader */
	struct ctx_str bytes; /* the bytes to write */
	size_t changed_from;  /* offset in bytes of the first change that the
				 model sees; SIZE_MAX: none */
	uint32_t node;        /* of a message inside a record, else 0 */
	size_t front; /* offset in the bytes of the record at which a result can
			 be inserted before the blocks; 0: nowhere */
	bool alone;   /* true if no block remains after that offset */
	struct ctx_repair_answer {
		size_t at, n; /* bytes of answer_text; n 0: the dialect has no
				 result */
		bool due;
	} * answers; /* first handed_on results of earlier entries, all due;
			then one per call */
	size_t n_answers, answers_cap, handed_on;
	bool nameless;              /* true if a result has no id */
	struct ctx_buf answer_text; /* of the results; its beginning ... */
	size_t opening;             /* ... opens their message: length */
};

struct ctx_repair_queue {
	struct ctx_repair_entry *list;
	size_t from, n, cap; /* list[from] is the first entry not yet written */
	bool binds;          /* true if the model binds signed reasoning */
	bool changed; /* true if the model sees a change before the next entry
			 to be written */
};

struct ctx_repair {
	/* NULL: this is a trial, which only sets refused. */
	struct ctx_writer *writer;
	struct ctx_check_options *options;
	struct ctx_repair_queue lines, inner; /* records; one's messages */
	struct ctx_edits edits;               /* for the record being read */
	struct ctx_edits one;       /* for a message that is a record */
	struct ctx_edits late;      /* for an entry that waits ... */
	struct ctx_json json;       /* ... its record, scanned again ... */
	struct ctx_message message; /* ... its message ... */
	struct ctx_buf with;        /* ... the bytes added ... */
	struct ctx_buf gone;        /* ... and the bytes removed */
	struct ctx_buf out, id, spare;
	uint32_t member; /* key of the member to remove from the message being
			    checked; 0: none */
	bool after_dropped; /* true if the record before was removed */
	bool renamed;       /* true if the id of a call was replaced */
	bool refused;       /* true if a trial found bound reasoning ... */
	struct ctx_place refused_at; /* ... first in this message */
	/* Cached by find_last_before_results, until the next message: results
	 * of the calls in messages row_from to row_to must be put after row_to.
	 */
	bool row;
	bool row_ends; /* true if message row_behind comes next */
	uint64_t row_from, row_to, row_behind;
};

void ctx_repair_release(struct ctx_repair *repair);

/* Begins a conversation inside a record, or that of the stream's messages. */
void ctx_repair_begin(struct ctx_repair *repair, bool inside, bool binds);
/* Appends an entry for a message that is about to be checked by these rules. */
int ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, const struct ctx_place *place, struct ctx_err *err);
/* Applies the fix of a finding. Returns 1 or 2, as ctx_validator.found does,
 * and sets *fix; 0 if there is no fix; -1 with *err. message is the message
 * being checked, NULL at the end of the conversation. */
int ctx_repair_finding(struct ctx_repair *repair,
    const struct ctx_finding *finding, const struct ctx_message *message,
    struct ctx_fix *fix, struct ctx_err *err);
/* Removes the first breakpoint of an entry that is a record. Returns 1 and sets
 * *old to the removed bytes; 0 if there is no breakpoint; -1 with *err. */
int ctx_repair_breakpoint(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_str *old, struct ctx_err *err);
/* Replaces image number ordinal of an entry that is a record by a text. Returns
 * 1 and sets *old to the replaced bytes; 0 if there is no such image; -1 with
 * *err. */
int ctx_repair_image(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t ordinal, struct ctx_str *old, struct ctx_err *err);
/* Notes that the model sees a change of the entry's bytes at offset at. */
void ctx_repair_note_change(struct ctx_repair_entry *entry, size_t at);
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
/* Archives the original bytes of the message, only once, and not in a trial. */
int ctx_repair_archive(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_err *err);
/* Sets the entry's bytes to an owned copy of n bytes at p. */
int ctx_repair_own(struct ctx_repair_entry *entry, const char *p, size_t n,
    struct ctx_err *err);
/* Applies the fixes of a message after it has been checked. */
int ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err);
/* Prepares the edits of a record after its conversation has been checked. */
int ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err);
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
