/* repair.h - keeps records and messages in memory until they can be repaired
 * and written */
#ifndef CTX_CHECK_REPAIR_H
#define CTX_CHECK_REPAIR_H

#include "check/check.h"
#include "stream/rewrite.h"

/* An entry of the queue: a record that was not written yet, or a message
 * inside such a record. */
struct ctx_repair_entry {
	/* held.text is the entry's own copy of the bytes to write, with the
	 * length bytes.n.  It is NULL while the bytes are still in the reader's
	 * buffer, or in the queue of held events. */
	struct ctx_held_message held;
	/* Index of the message in its conversation; for a record that is not a
	 * message, that of the message before it. */
	uint64_t message;
	struct ctx_place place; /* place of the message in the input */
	bool blank, removed;
	/* true if the bytes of the record or message, as they were in the
	 * input, are in the archive */
	bool archived;
	bool holds_results; /* true if the message contains tool results */
	/* True if the message has no blocks; only the last message of a
	 * conversation may have none. */
	bool is_empty;
	/* true if a repair inserts a user message before this message */
	bool lead_before;
	/* True if a later tool call has the same id as a tool call of this
	 * message.  Results that a repair inserts for this message must then
	 * come before the next message. */
	bool results_before_next;
	uint64_t rules;
	enum ctx_role role;
	struct ctx_str bytes; /* the bytes to write */
	/* Offset in bytes of the first change in what is sent to the model;
	 * SIZE_MAX: none. */
	size_t changed_from;
	/* Offset in the record's bytes where a tool result can be inserted
	 * before the message's blocks; 0: nowhere. */
	size_t results_at;
	/* True if no blocks of the message are left after the offset
	 * results_at, so that no comma is written between a result and a
	 * block. */
	bool nothing_after;
	/* Tool results that were made for insertion.  The first n_handed_on of
	 * them are for tool calls of earlier messages, and are all inserted.
	 * Then there is one for each tool call of this message; it is inserted
	 * if its member due is true. */
	struct ctx_repair_result {
		/* Offset and length in bytes of the tool result in
		 * results_text. n 0: no tool result can be made for this tool
		 * call. */
		size_t at, n;
		bool due;
	} * results;
	size_t n_results, results_cap, n_handed_on;
	bool has_unnamed; /* true if a result in results_text has no id */
	/* JSON of the tool results in the array results, one after another.
	 * Before them, the first wrapper_length bytes are the beginning of a
	 * message that contains them all. */
	struct ctx_buf results_text;
	size_t wrapper_length;
};

struct ctx_repair_queue {
	/* the queue: each entry is a struct ctx_repair_entry */
	struct ctx_held_queue entries;
	/* true if the model's provider refuses signed reasoning after a change
	 */
	bool binds;
	/* True if a repair has changed something other than a cache breakpoint
	 * in the part of the conversation before the next message to be
	 * written. */
	bool changed;
};

struct ctx_repair {
	/* Has the writer, and reads messages of the queue again.  If its writer
	 * is NULL, nothing is written. */
	struct ctx_rewrite *rewrite;
	/* True during a trial: the repair writes and reports nothing, and only
	 * sets the members refused and refused_at. */
	bool trial;
	struct ctx_check_config *options;
	/* lines: the records that were not written yet. inner: the messages
	 * inside the record that is being read. */
	struct ctx_repair_queue lines, inner;
	/* edits of the record that is being read */
	struct ctx_edits edits;
	/* edits of a message that is a record */
	struct ctx_edits message_edits;
	struct ctx_edits entry_edits; /* edits of a message in the queue */
	/* scratch memory for the JSON that replaces an image or a message */
	struct ctx_buf added;
	/* copy of bytes that were removed from a message in the queue */
	struct ctx_buf removed;
	struct ctx_buf out, id, spare;
	/* JSON node of the key of a member that must be removed from the
	 * message being checked; 0: none. */
	uint32_t removed_member;
	bool after_removed; /* true if the last record was removed */
	bool renamed;       /* true if the id of some tool call was replaced */
	/* True if the trial has found signed reasoning that the provider would
	 * refuse, because it comes after a change. */
	bool refused;
	/* place of the first message because of which the conversation was
	 * refused */
	struct ctx_place refused_at;
	/* Result of find_last_before_results, valid until the next message is
	 * added.  Tool results for calls in the messages from run_from to
	 * run_to must be inserted after the message run_to. run_known: true if
	 * this was found. */
	bool run_known;
	bool run_has_next; /* true if a message follows: run_next */
	uint64_t run_from, run_to, run_next;
};

/* ---- repair_queue.c ---- */

/* Prepares a zeroed struct. */
void ctx_repair_init(struct ctx_repair *repair);
void ctx_repair_release(struct ctx_repair *repair);
/* Returns the queue of the messages inside a record or, if inside is false, the
 * queue of the records. */
struct ctx_repair_queue *ctx_repair_choose_queue(struct ctx_repair *repair,
    bool inside);
/* Appends an entry for the event's message or, if the event has none, for its
 * record.  Returns NULL with *err if there is no memory. */
struct ctx_repair_entry *ctx_repair_append_entry(struct ctx_repair_queue *queue,
    const struct ctx_event *event, struct ctx_err *err);
/* Returns the entry with this number in the queue.  The pointer is valid until
 * the next entry is added. */
struct ctx_repair_entry *ctx_repair_entry_at(
    const struct ctx_repair_queue *queue, size_t number);
/* Returns the entry of the message with this index; NULL if the message was
 * written already.  Finds it by bisection, because indices never decrease in
 * the queue; a record that is not a message has the index of the message before
 * it. */
struct ctx_repair_entry *ctx_repair_find_entry(
    const struct ctx_repair_queue *queue, uint64_t message);
/* Returns the first message after an entry in the queue that no repair has
 * removed and that is sent to the model; NULL if there is none. */
struct ctx_repair_entry *ctx_repair_find_shown(
    const struct ctx_repair_queue *queue, struct ctx_repair_entry *entry);
/* Sets the bytes of a queued message to a copy of the n bytes at p, which the
 * queue owns. */
int ctx_repair_own(struct ctx_repair_entry *entry, const char *p, size_t n,
    struct ctx_err *err);
/* Writes the original bytes of the message to the archive, unless that was
 * done before or this is a trial. */
int ctx_repair_archive(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_err *err);
/* Records that a repair has changed what is sent to the model, beginning at an
 * offset in the bytes of an entry.  Must not be called for other changes. */
void ctx_repair_note_change(struct ctx_repair_entry *entry, size_t at);

/* ---- repair_results.c: tool results that a repair inserts ---- */

/* Makes a tool result for each tool call of a message, to be inserted if the
 * call gets no other result. */
int ctx_repair_compose_results(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, const struct ctx_message *message,
    struct ctx_err *err);
/*
 * Decides whether a tool result is inserted for the tool call that fix->finding
 * is about. judging is true while a message is being checked.  Returns 2 if the
 * result will be directly before that message, or will be the last message;
 * otherwise 1.
 *
 * Returns 0 if no result can be inserted:
 *  - The result could be taken as the answer to another call.
 *  - No result can be made for this call.
 *  - The rules forbid a message with the result at this place.
 */
int ctx_repair_mark_result(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, bool judging, struct ctx_fix *fix);
/* Returns true if tool results will be inserted for tool calls of the
 * message. */
bool ctx_repair_has_due_results(const struct ctx_repair_entry *entry);
/* Tool results will be inserted for the tool calls of a message (entry).
 * Returns true if they become blocks of the message after it (next), and not a
 * message of their own.  This is so if next contains other tool results, or if
 * two user messages in a row are forbidden. */
bool ctx_repair_results_in_next(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next);
/* Tool results will be inserted for the tool calls of a message (entry).
 * Returns true if they must come after the next message (next), not before it:
 *  - if both messages count as one answer of the assistant; or
 *  - if a result without an id is inserted (nameless is true) and next has tool
 *    results.  The provider takes a result without an id to answer the oldest
 *    call, so it must come after the existing results.  But if next is an
 *    assistant message, and results must directly follow their calls, it comes
 *    before next. */
bool ctx_repair_results_after_next(const struct ctx_repair_entry *entry,
    bool nameless, const struct ctx_repair_entry *next);
/* Tool results will be inserted for the tool calls of a message (entry).  Moves
 * them to the message after it (next): there they come before the results for
 * the calls of next.  The array of results is handed over and extended, not
 * copied, so that many calls in a row take linear time. */
int ctx_repair_move_results(struct ctx_repair_entry *entry,
    struct ctx_repair_entry *next, struct ctx_err *err);
/* Appends to the buffer out the tool results that are inserted for an entry, as
 * blocks of a message. part: the text between two results; tail: the text after
 * the last one. */
int ctx_repair_append_results(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part, const char *tail,
    struct ctx_err *err);
/* Appends to the buffer "out" the tool results that a repair inserts after the
 * message of an entry.  The results are one message or, in formats in which
 * each result is a message of its own, several.  The separator (the argument
 * "part") is put between these messages. */
int ctx_repair_append_result_messages(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part,
    struct ctx_err *err);

/* ---- repair_message.c: work before and after the check of a message ---- */

/* Begins a conversation. inside: true if the conversation is inside a record,
 * false if its messages are records. */
void ctx_repair_begin(struct ctx_repair *repair, bool inside, bool binds);
/* Appends a message to the queue before it is checked. rules: those by which
 * it will be checked. */
int ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, const struct ctx_place *place, struct ctx_err *err);
/* Called after a message was checked.  Adds the edits that remove blocks and
 * members and replace ids, as the findings demand.  If the message is a record,
 * applies all its edits. */
int ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err);

/* ---- repair_finding.c: the fix of a finding ---- */

/* Makes the repair for a finding, and sets *fix.  Returns 1; 2 if it inserts a
 * tool result directly before the message that is being checked, or as the last
 * message; 0 if there is no repair; or -1 with *err. message: the message that
 * is being checked; NULL at the end of the conversation. */
int ctx_repair_finding(struct ctx_repair *repair,
    const struct ctx_finding *finding, const struct ctx_message *message,
    struct ctx_fix *fix, struct ctx_err *err);
/* Returns true if the message is a line of an agent's session file.  Such
 * lines refer to each other, so they are not repaired. */
bool ctx_repair_is_linked(const struct ctx_repair_entry *entry, bool inside);

/* ---- repair_earlier.c: repairs of a message that was checked before ---- */

/* Removes the first cache breakpoint of a message that is a record.  Returns 1
 * and sets *old to the removed bytes; 0 if there is none; or -1 with *err. */
int ctx_repair_breakpoint(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, struct ctx_str *old, struct ctx_err *err);
/* Replaces an image by a text, in a message that is a record. ordinal: the
 * index of the image among those of the message that a text can replace.
 * Returns 1 and sets *old to the replaced bytes; 0 if there is no such image;
 * or -1 with *err. */
int ctx_repair_image(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t ordinal, struct ctx_str *old, struct ctx_err *err);

/* ---- repair_reasoning.c: signed reasoning after a change ---- */

/* For the entry that is written next, returns an offset in its bytes: signed
 * reasoning after this offset must be removed.  Returns SIZE_MAX if none must
 * be removed. */
size_t ctx_repair_pass_change(struct ctx_repair_queue *queue,
    const struct ctx_repair_entry *entry);
/* In a message that is a record, removes the signed reasoning that ends after
 * the offset "from", and reports that.  SIZE_MAX: removes nothing. */
int ctx_repair_record_reasoning(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, size_t from, struct ctx_err *err);
/* Removes signed reasoning after a change from the messages of a conversation
 * inside a record, when all other edits were added.  The member changed_from
 * of each entry must be what ctx_repair_pass_change has returned. */
int ctx_repair_inner_reasoning(struct ctx_repair *repair, struct ctx_err *err);

/* ---- repair_conversation.c: a conversation inside a record ---- */

/* Adds the edits that repair a record, after the conversation inside it was
 * checked. */
int ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- write_repaired.c: writes messages whose repairs are final ---- */

/* Applies the edits in repair->edits, if there are any, to the record that is
 * being read, and sets *text to the new bytes.  These are in repair->out. */
int ctx_repair_take_record(struct ctx_repair *repair, struct ctx_str *text,
    struct ctx_err *err);
/* Called at the end of a record.  Writes the messages at the beginning of the
 * queue about which there can be no more findings. first_undecided: index of
 * the first message about which there still can be findings. */
int ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t first_undecided, struct ctx_err *err);
/* Writes all entries that are still in the queue. */
int ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err);

#endif
