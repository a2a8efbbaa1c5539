/* repair.h - keeps records and messages in memory until they are repaired and
 * written */
#ifndef CTX_CHECK_REPAIR_H
#define CTX_CHECK_REPAIR_H

#include "check/check.h"
#include "stream/rewrite.h"

/* An element of a queue of struct ctx_rewrite: a record that was not written
 * yet, or a message inside the record that is being read. */
struct ctx_repair_entry {
	/* The message or record.  held.text is NULL while the record is being
	 * read and no repair has changed the text (see ctx_repair_text). */
	struct ctx_held_message held;
	/* Index of the message in its conversation.  For a record that is not a
	 * message: index of the message before it. */
	uint64_t message;
	struct ctx_place place; /* place of the message in the input */
	bool blank, removed;
	/* true if the original bytes of the record or message are in the
	 * archive */
	bool archived;
	bool holds_results; /* true if the message contains tool results */
	/* True if the message has no content.  Only the last message of a
	 * conversation may have none. */
	bool is_empty;
	/* True if a repair inserts a user message before this message (see
	 * CTX_FIX_ADD_FIRST). */
	bool lead_before;
	/* True if a later tool call has the same id as a tool call of this
	 * message.  Then results that a repair inserts for the calls of this
	 * message must come before the next message. */
	bool results_before_next;
	uint64_t rules;
	enum ctx_role role;
	/* Offset in the message's bytes at which the first change begins,
	 * counting only changes of what is sent to the model; SIZE_MAX if there
	 * is no such change. */
	size_t changed_from;
	/* Offset in the bytes of the record at which a tool result can be
	 * inserted before the blocks of the message; 0 if there is no such
	 * offset. */
	size_t results_at;
	/* True if repairs have removed all blocks of the message after the
	 * offset results_at.  Then no comma is written after an inserted
	 * result. */
	bool nothing_after;
	/* Tool results that may be inserted after this message.  The first
	 * n_handed_on results are for tool calls of earlier messages, and are
	 * always inserted.  The other elements are one result for each tool
	 * call of this message; a result is inserted if its member "due" is
	 * true. */
	struct ctx_repair_result {
		/* Offset and length in bytes of the tool result in
		 * results_text.  The length n is 0 if no tool result can be
		 * made for the tool call. */
		size_t at, n;
		/* Length in bytes of the key of the tool call (see
		 * ctx_repair_make_key), which is in results_text directly
		 * before the tool result; 0 if the call has none. */
		size_t key_n;
		bool due;
	} * results;
	size_t n_results, results_cap, n_handed_on;
	/* true if a late result of a call of this message may still be put in
	 * place of an inserted one */
	bool waits_for_late;
	/* value of ctx_repair_changes.nameless at this message */
	uint64_t nameless;
	bool has_unnamed; /* true if a tool result in results_text has no id */
	/* The JSON of the tool results in the array "results", one after
	 * another.  The first wrapper_length bytes are the beginning of a
	 * message that contains all these results. */
	struct ctx_buf results_text;
	size_t wrapper_length;
};

/* Changes that repairs have made in a conversation so far. */
struct ctx_repair_changes {
	/* How the provider of the conversation's model treats reasoning when
	 * anything before it was changed. */
	enum ctx_binding binds;
	/* True if a repair has changed the part of the conversation before the
	 * next message that will be written.  Changes of cache breakpoints do
	 * not count. */
	bool changed;
	/* The keys of the tool calls for which a result is inserted (see
	 * ctx_repair_make_key).  The call whose key has the number i in
	 * "filled" is filled_calls[i]. */
	struct ctx_intern filled;
	struct ctx_filled_call {
		/* index of the message with the call; UINT64_MAX if several
		 * calls have this key */
		uint64_t message;
		/* index of the call among the calls of its message */
		uint32_t call;
		/* Value of the member "nameless" below at the message.  A late
		 * result without an id answers the call only if no call without
		 * an id was read since.  0 if the result was found. */
		uint64_t nameless;
	} * filled_calls;
	/* number of messages so far with a tool call that has no id */
	uint64_t nameless;
	size_t filled_cap;
};

struct ctx_repair {
	/* Contains the queues, whose elements have the type struct
	 * ctx_repair_entry, and the edits of the record or message that is
	 * being read. */
	struct ctx_rewrite *rewrite;
	/* True during a trial: a check before the repair that writes and
	 * reports nothing, and only sets the members refused and refused_at. */
	bool trial;
	struct ctx_check_config *options;
	/* lines: changes in the conversation in which each message is a record.
	 * inner: changes in the conversation inside the record that is being
	 * read. */
	struct ctx_repair_changes lines, inner;
	/* edits of a message that was checked before the message that is being
	 * read */
	struct ctx_edits entry_edits;
	/* Scratch memory for the JSON that replaces an image or a message. */
	struct ctx_buf added;
	/* Copy of the bytes that a repair has removed from a message in the
	 * queue. */
	struct ctx_buf removed;
	struct ctx_buf out, id, spare;
	/* JSON node of the key of a member that must be removed from the
	 * message that is being checked; 0 if there is none. */
	uint32_t removed_member;
	bool after_removed; /* true if a repair has removed the last record */
	/* Late results in the message that is being checked: the calls to which
	 * they are moved, and the indices of their blocks. */
	struct ctx_late_result {
		struct ctx_filled_call to;
		size_t block;
	} * late;
	size_t n_late, late_cap;
	/* index in rewrite->edits of the first edit of the message that is
	 * being checked */
	size_t first_edit;
	/* True if the last fix has removed a tool result whose call has an
	 * inserted one, because the result could not be moved. */
	bool lost_result;
	/* true if a repair has replaced the id of a tool call */
	bool renamed;
	/* True if the trial (a check that writes nothing) has found signed
	 * reasoning after a change, which the provider would refuse. */
	bool refused;
	/* place of the first message that is the reason why the conversation is
	 * not repaired */
	struct ctx_place refused_at;
	/* Stored result of find_last_before_results: results that are inserted
	 * for tool calls in the messages run_from to run_to must come after the
	 * message run_to. run_known: true if a result is stored.  The result is
	 * valid until the next message is added. */
	bool run_known;
	/* true if there is a message after run_to; run_next is its index */
	bool run_has_next;
	uint64_t run_from, run_to, run_next;
};

/* ---- repair_queue.c ---- */

/* An empty queue whose elements have the type struct ctx_repair_entry. */
extern const struct ctx_held_queue ctx_repair_entries;
void ctx_repair_release(struct ctx_repair *repair);
/* Appends an element to the queue: the event's message, or its record if the
 * event has no message.  Returns the element, or NULL with *err if there is no
 * memory. */
struct ctx_repair_entry *ctx_repair_append_entry(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Returns the element of the queue that contains the message with this index,
 * or NULL if the message was already written.  Finds the element by bisection.
 * Indices never decrease in the queue: a record that is not a message has the
 * index of the message before the record. */
struct ctx_repair_entry *ctx_repair_find_entry(
    const struct ctx_held_queue *queue, uint64_t message);
/* Returns the next message after *entry in the queue that is sent to the model
 * and was not removed by a repair, or NULL if there is none. */
struct ctx_repair_entry *ctx_repair_find_shown(
    const struct ctx_held_queue *queue, struct ctx_repair_entry *entry);
/* Returns the bytes of an element of the queue: the bytes of a record, or the
 * JSON of a message inside the record that is being read. */
struct ctx_str ctx_repair_text(const struct ctx_repair *repair,
    const struct ctx_repair_entry *entry);
/* Writes the original bytes of a message to the archive.  Does nothing if the
 * archive has these bytes already, or in a trial (repair->trial). */
int ctx_repair_archive(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_err *err);
/* Reports a repair, unless this is a trial.  The caller must have set
 * fix->finding, role, action and bytes. */
int ctx_repair_report(const struct ctx_repair *repair, struct ctx_change *fix,
    struct ctx_err *err);
/* Stores that a repair has changed the bytes of a message at the offset "at",
 * if this offset is lower than the stored offset.  Called only for changes of
 * what is sent to the model. */
void ctx_repair_note_change(struct ctx_repair_entry *entry, size_t at);

/* ---- repair_results.c: tool results that a repair inserts ---- */

/* Makes a tool result for each tool call of a message.  The result will be
 * inserted if the call gets no other result. */
int ctx_repair_compose_results(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, const struct ctx_message *message,
    struct ctx_err *err);
/*
 * Decides whether a tool result is inserted for the tool call of fix->finding.
 * judging: true while a message is being checked.  Returns 2 if the result will
 * be directly before the message that is being checked, or will be the last
 * message of the conversation; otherwise 1.
 *
 * Returns 0 if no result is inserted, for one of these reasons: the result
 * could be taken as the answer to a different call; no result can be made for
 * this call; or the rules forbid a message with the result at this place.
 */
int ctx_repair_mark_result(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, bool judging, struct ctx_change *fix);
/* Returns true if tool results will be inserted for tool calls of the
 * message. */
bool ctx_repair_has_due_results(const struct ctx_repair_entry *entry);
/* Returns true if the tool results that are inserted for a message ("entry")
 * become blocks of the next message ("next"), not a separate message.  This is
 * so if the next message contains other tool results, or if the rules forbid
 * two user messages in a row. */
bool ctx_repair_results_in_next(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next);
/*
 * Returns true if the tool results that are inserted for a message ("entry")
 * must come after the next message ("next").  Returns false if they must come
 * before "next".  The inserted results come after "next" in two cases.
 *
 * The first case: both messages count as one answer of the assistant.
 *
 * The second case: a result without an id is inserted (nameless is true), and
 * next has tool results.  The provider takes a result without an id to answer
 * the oldest call, so the inserted result must come after the existing results.
 * But if next is from the assistant, and results must directly follow their
 * calls, the inserted result comes before next.
 */
bool ctx_repair_results_after_next(const struct ctx_repair_entry *entry,
    bool nameless, const struct ctx_repair_entry *next);
/* Moves the tool results that will be inserted for a message ("entry") to the
 * next message ("next").  There they come before the results for the calls of
 * "next".  The array of results is extended, not copied, so that the time
 * remains linear for many messages with calls in a row. */
int ctx_repair_move_results(struct ctx_repair_entry *entry,
    struct ctx_repair_entry *next, struct ctx_err *err);
/* Appends to the buffer out the tool results that are inserted for a message
 * ("entry"), as blocks of a message. part: text between two results; tail: text
 * after the last result. */
int ctx_repair_append_results(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part, const char *tail,
    struct ctx_err *err);
/* Appends to the buffer out the tool results that are inserted after a message
 * ("entry"), as one message.  If each result is a separate message in the
 * format, appends several messages. part: text between two messages. */
int ctx_repair_append_result_messages(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part,
    struct ctx_err *err);

/* ---- repair_late.c: results that come too late, and are moved ---- */

/* Appends the key to out by which the late result of a tool call is found: the
 * letter i and the id or, if there is no id, the letter n and the name of the
 * tool.  Appends nothing if there is neither. block: the call or the result. */
int ctx_repair_make_key(struct ctx_repair *repair,
    const struct ctx_message *message, const struct ctx_block *block,
    struct ctx_buf *out, struct ctx_err *err);
/* Notes down that a result is inserted for the tool call of a finding, so that
 * a late result can replace it. entry: the message with the call. */
int ctx_repair_note_filled(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, const struct ctx_finding *finding,
    struct ctx_err *err);
/* Makes the repair for a tool result that comes too late: moves the result to
 * its call or, if that is no longer possible, removes it, and sets
 * repair->lost_result.  Sets fix->action and fix->bytes.  Returns 1, or 0 if no
 * result is inserted for the call, or -1 with *err. */
int ctx_repair_take_late(struct ctx_repair *repair,
    const struct ctx_message *message, struct ctx_change *fix,
    struct ctx_err *err);
/* Puts the late results of the message in place of the inserted ones.  Called
 * when all edits of the message but those that remove blocks were added. */
int ctx_repair_move_late(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- repair_message.c: work before and after the check of a message ---- */

/* Begins a conversation. inside: true if the conversation is inside a record;
 * false if its messages are records. binds: value for
 * ctx_repair_changes.binds. */
void ctx_repair_begin(struct ctx_repair *repair, bool inside,
    enum ctx_binding binds);
/* Appends a message to the queue before it is checked. rules: the rules by
 * which the message will be checked. */
int ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, const struct ctx_place *place, struct ctx_err *err);
/* Called after a message was checked.  Adds the edits that are needed because
 * of findings (violations of rules) about the message: edits that remove blocks
 * and members, and replace ids.  If the message is a record, applies all edits
 * of the record. */
int ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err);

/* ---- repair_finding.c: the fix of a finding ---- */

/* Makes the repair for a finding, and sets *fix.  Returns 1 if there is a
 * repair.  Returns 2 if the repair inserts a tool result directly before the
 * message that is being checked, or as the last message.  Returns 0 if there is
 * no repair, or -1 with *err. message: the message that is being checked; NULL
 * at the end of the conversation. */
int ctx_repair_finding(struct ctx_repair *repair,
    const struct ctx_finding *finding, const struct ctx_message *message,
    struct ctx_change *fix, struct ctx_err *err);
/* Returns true if the message is a line of an agent's session file.  The lines
 * of a session file refer to each other, so they are not repaired. */
bool ctx_repair_is_linked(const struct ctx_repair_entry *entry, bool inside);

/* ---- repair_reasoning.c: signed reasoning after a change ---- */

/* Called before a message ("entry") is written.  Returns an offset in the bytes
 * of the message: signed reasoning that ends after this offset must be removed.
 * Returns SIZE_MAX if no reasoning must be removed. */
size_t ctx_repair_pass_change(struct ctx_repair_changes *changes,
    const struct ctx_repair_entry *entry);
/* Adds the edits that remove the signed reasoning that ends after the offset
 * "from" in a message that is a record, and reports it.  Does neither if from
 * is SIZE_MAX, if options->reasoning keeps the reasoning, or in a trial. */
int ctx_repair_record_reasoning(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, size_t from, struct ctx_err *err);
/* For a conversation inside a record: adds the edits that remove the signed
 * reasoning that comes after a change, as ctx_repair_record_reasoning does.
 * Called after all other edits were added.  In each message, the member
 * changed_from must be the value that ctx_repair_pass_change has returned. */
int ctx_repair_inner_reasoning(struct ctx_repair *repair, struct ctx_err *err);

/* ---- repair_conversation.c: a conversation inside a record ---- */

/* Adds the edits that repair a record, after the conversation inside the record
 * was checked. */
int ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- write_repaired.c: writes messages whose repairs are final ---- */

/* Called at the end of a record.  Writes the messages at the beginning of the
 * queue for which no more findings are possible. first_undecided: index of the
 * first message for which findings are still possible. */
int ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t first_undecided, struct ctx_err *err);
/* Writes all messages that are still in the queue, at the end of the
 * conversation. */
int ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err);

#endif
