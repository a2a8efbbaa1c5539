/* held_conversation.h - a conversation whose messages are in memory until it
 * is decided which are removed */
#ifndef CTX_PRUNE_HELD_CONVERSATION_H
#define CTX_PRUNE_HELD_CONVERSATION_H

#include "prune/prune.h"
#include "stream/rewrite.h"
#include "truncate/text_segments.h"

/* What must still be reported of a message in memory that is changed.  The
 * message's bytes are archived before the first edit; the change is reported
 * only when it is final, because a message that is edited now may be removed
 * later. */
struct pending_change {
	struct ctx_change change;
	unsigned marks; /* CTX_MARK_... bits of all changes so far */
	bool done;      /* true if the change was reported */
};

/* A message that is kept in memory until it is decided whether it is removed.
 */
struct prune_entry {
	/* its text is also NULL after the message was removed */
	struct ctx_held_message held;
	uint32_t n_segments; /* its segments in groups */
	/* number of its line in a session file; 0: not from a session file */
	uint32_t transcript_line;
	/* If the entry is not a message but lines of a session file that are
	 * read again when they are written, and held.text is NULL: the number
	 * of the last line.  Lines before it that were removed do not belong
	 * to the entry.  Otherwise 0. */
	uint32_t last_line;
	/* offset of the first of these lines in the file, in bytes */
	uint64_t file_offset;
	/* If a summary or notice is inserted here: its index in insertions,
	 * plus 1; otherwise 0. */
	uint32_t insertion_number;
	/* For each tool result of the message: true if it must not be edited.
	 * The struct owns the array.  NULL: all may be edited. */
	bool *excluded_results;
	bool is_removed; /* nothing is left to write */
	struct pending_change
	    *pending; /* owned; NULL: unchanged, or not reported */
	/* index of the message; for a record that is not a message, that of
	 * the next message */
	uint64_t message_index;
};

/* A summary or notice that will be inserted.  Its JSON is in
 * held_conversation.inserted_json. */
struct insertion {
	bool summary; /* true for a summary, false for a notice */
	/* True if the summary or notice becomes a block of a message, false if
	 * it becomes a message before that one. */
	bool is_block;
	uint64_t tokens;
	/* Place in inserted_json of the text of the summary or notice, a JSON
	 * string. */
	size_t string_at, string_n;
	/* Place of its JSON in inserted_json. json_n 0: the JSON is not made
	 * yet. */
	size_t json_at, json_n;
};

/* A conversation whose messages are in memory, in the order of their segments.
 */
struct held_conversation {
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_scorer *scorer; /* NULL: the strategy removes by age */
	struct ctx_model_counter model_counter;
	/* the messages: rewrite.lines or rewrite.elements of struct prune */
	struct ctx_held_queue *entries;
	/* number of bytes in memory at which ctx looks for messages that can
	 * be removed before the end of the conversation */
	size_t compact_at;
	uint64_t n_removed; /* number of messages removed so far */
	/* what is inserted, in the order of the messages */
	struct insertion *insertions;
	size_t n_insertions, insertions_cap;
	struct ctx_buf inserted_json; /* JSON of everything that is inserted */
	/* A dialect in which a notice could not be inserted; NULL: none. */
	const struct ctx_dialect *notice_unsupported;
	/* A notice in this dialect has this many tokens. */
	const struct ctx_dialect *notice_cost_dialect;
	uint64_t notice_cost;
	const char *file;
	/* Number of the line with the conversation. 0 for the conversation of
	 * the stream, in which each message is a record. */
	uint64_t line;
	bool open;
	/* Dialect (format) in which the messages were parsed. */
	const struct ctx_dialect *read_dialect;
	bool format_known; /* true if the messages need not be parsed again */
	/* true for a provider's response: nothing is removed */
	bool is_response;
};

/* Returns the message with this index in the conversation, valid until the
 * next one is added. */
static inline struct prune_entry *
ctx_prune_entry_at(const struct held_conversation *conversation, size_t i)
{
	return ctx_held_queue_at(conversation->entries, i);
}

/* Returns the summary or notice that is inserted into the entry's message or
 * before it; NULL if there is none. */
static inline struct insertion *
ctx_prune_insertion(const struct held_conversation *conversation,
    const struct prune_entry *entry)
{
	return entry->insertion_number == 0
	    ? NULL
	    : &conversation->insertions[entry->insertion_number - 1];
}

/* Frees all messages in memory and begins the next conversation. */
void ctx_held_conversation_clear(struct held_conversation *conversation);
void ctx_held_conversation_release(struct held_conversation *conversation);

/* State of a call of ctx_prune. */
struct prune {
	struct ctx_rewrite rewrite;
	struct ctx_model_counters *counters;
	struct ctx_prune_options *options;
	struct held_conversation stream_conversation,
	    record_conversation;        /* of the stream, and in a record */
	struct ctx_edits message_edits; /* edits of one message */
	struct text_segments text_segments;
	struct shortener shortener;
	struct ctx_buf text; /* scratch buffer of one function */
	/* nanoseconds that the patterns of --pin, --tool and others may still
	 * take in this message */
	int64_t match_left;
};

/* Returns true if no part of the message is left.  A message with several
 * lines in a session file is removed when all of its lines are. */
bool ctx_prune_entry_is_removed(const struct prune *run,
    const struct prune_entry *entry);
/* Returns true if a change of this message was already reported with an
 * earlier one of its lines in the session file. */
bool ctx_prune_entry_is_reported(const struct prune *run,
    const struct prune_entry *entry);

/* ---- hold_message.c ---- */

/* Adds a message to the groups of its conversation (messages that must be kept
 * or removed together), and sets the members of *entry that depend on the
 * message. */
int ctx_prune_hold_message(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    const struct ctx_event *event, struct ctx_err *err);
/* ---- hold_unknown.c ---- */

/* Adds a record that is not a message to the groups of the conversation
 * (messages that must be kept or removed together).  Also used for an element
 * of a conversation inside a record that is not a message. */
int ctx_prune_hold_unknown(struct held_conversation *conversation,
    struct prune_entry *entry, struct ctx_err *err);

/* Holds a line of a session file that is not a message, without its bytes.
 * Returns 1, 0 if it must be held with its bytes, or -1 with *err. */
int ctx_prune_hold_file_line(struct prune *run, const struct ctx_event *event,
    struct ctx_err *err);
/* Moves the lines of an entry to the next one, if all messages between them
 * were removed.  The entry then has no segment. */
void ctx_prune_join_file_lines(struct prune_entry *before,
    struct prune_entry *entry);
/* Sets *text to the bytes of the entry's last line, valid until the next line
 * is read again. */
int ctx_prune_last_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err);
/* Calls a function for each line of an entry for which select returns true,
 * with the bytes of the line; if the entry is not from a session file, calls it
 * for its record, with the line 0. */
int ctx_prune_each_line(struct prune *run, struct prune_entry *entry,
    bool (*select)(const struct ctx_transcript *transcript, uint32_t line),
    int (*function)(struct prune *run, struct prune_entry *entry, uint32_t line,
	struct ctx_str text, struct ctx_err *err),
    struct ctx_err *err);

/* ---- reclassify.c ---- */

/* Reads all messages in memory again in conversation->read_dialect, the dialect
 * (format) that a later record has identified.  No message may have been
 * removed or edited before. */
int ctx_prune_reclassify(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- finish_conversation.c ---- */

/* Decides what is removed from a conversation, after all its messages were
 * read, makes the changes in memory, and reports the outcome to the caller of
 * ctx_prune. */
int ctx_prune_finish_conversation(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- apply_plan.c ---- */

/* Combines the marks of a message's segments, without CTX_MARK_NOTICE. first:
 * index of the first segment.  Sets *edit to the marks of the tool results and
 * of the other blocks, and *kept to the number of segments that are kept.
 * Returns the marks of all segments together. */
unsigned ctx_prune_marks(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept);
/* Makes the planned changes in the messages in memory: archives, removes and
 * edits them.  Edits of messages inside a record are added to
 * run->rewrite.edits.  If ended is true, there will be no later changes, and
 * all changes are reported. */
int ctx_prune_apply_plan(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);
/* ---- report_plan.c ---- */

/* Sets the file, line and message index of a change. */
void ctx_prune_set_change_place(const struct prune_entry *entry,
    struct ctx_change *change);
/* Archives a message before its first change.  Adds the marks of this change,
 * and the tokens that the message has after it, to entry->pending;
 * ctx_prune_report_changes reports them later. first is the message's first
 * segment. */
int ctx_prune_record_change(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    size_t first, unsigned marks, struct ctx_err *err);
/* Reports all that is inserted, and all messages that are removed.  If ended
 * is true, also reports all messages that were edited. */
int ctx_prune_report_changes(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);

/* ---- relink_lines.c ---- */

/* Archives and reports the lines of a session file that change because others
 * were removed: in which links to other lines are corrected, or that a removed
 * message had replaced.  The latter are removed, because without that message
 * they would be sent to the model again. */
int ctx_prune_report_lines(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Writes an entry, with its links corrected. */
int ctx_prune_write_entry(struct prune *run, struct prune_entry *entry,
    struct ctx_err *err);

/* ---- head_tail.c ---- */

/* Maximum number of characters that are kept of a text that is shortened to
 * its beginning and end. */
#define CTX_HEAD_TAIL_CHARS 1000

/* Which texts of a message are shortened: only their beginning and end are
 * kept. */
struct head_tail {
	bool results; /* true if the message's tool results are shortened */
	/* For each tool result: true if it must not be shortened.  NULL: all
	 * may be. */
	const bool *excluded_results;
	/* True if the texts outside tool results are shortened, except a
	 * summary or notice of an earlier run. */
	bool texts;
};
/* Adds the edits that shorten the texts of a message to their beginning and
 * end.  Other edits may remove blocks of the message at the same time: some
 * text is always kept, so the message does not become empty. */
int ctx_head_tail_edit(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, const struct head_tail *which,
    struct ctx_err *err);
/* Sets *saved to the tokens that ctx_head_tail_edit would save; for this, the
 * edited message is parsed and counted.  Sets it to 0 if the dialect cannot
 * read a message without the record around it. */
int ctx_head_tail_savings(struct prune *run, const struct ctx_message *message,
    struct ctx_counter *counter, const struct head_tail *which, uint64_t *saved,
    struct ctx_err *err);

/* ---- find_insertion.c: summaries and notices of an earlier run ---- */

/* A summary or notice of an earlier run, found in a message.  It is the whole
 * message, a block of it, or the beginning of a string. */
struct found_insertion {
	/* True for what was found: a summary, or a notice.  Both are false if
	 * nothing was found. */
	bool summary, notice;
	bool whole; /* true if the summary or notice is the whole message */
	size_t block;
	/* If the user's text follows it in the block's JSON string: offset of
	 * this text in the string; otherwise 0. */
	size_t user_text_at;
};
void ctx_insertion_find(const struct ctx_prune_options *options,
    const struct ctx_message *message, struct found_insertion *found);
/* A summary or notice may be put before the text of a string which is the
 * content of a message.  In that case returns the string, without a summary of
 * an earlier run at its start.  Returns an empty string if a summary or notice
 * would be a block or a message here. */
struct ctx_str ctx_insertion_string(const struct prune *run,
    const struct ctx_message *message);
/* Returns the index of the block of a message before which a new block is
 * inserted: the first one that is not a tool result.  Returns message->n if
 * there is none. */
size_t ctx_insertion_skip_result_blocks(const struct ctx_message *message);
/* Returns true if block i is a string and the whole content of a user message.
 * A summary or notice can then be put before its text. */
bool ctx_insertion_is_string_content(const struct ctx_message *message,
    size_t i);

/* ---- insert_message.c: summaries and notices of this run ---- */

/* Returns true if the dialect (format) allows to insert a summary or notice at
 * this user message: as a message before it, as a block, or before the text of
 * its string. */
bool ctx_insertion_fits(const struct ctx_message *message);
/* Returns true if a summary or notice is inserted into a message in memory. */
bool ctx_insertion_is_block(const struct held_conversation *conversation,
    const struct prune_entry *entry);
/* Returns true if a summary or notice is inserted as a message before this
 * message. */
bool ctx_insertion_is_before(const struct held_conversation *conversation,
    const struct prune_entry *entry);
/* The forms of an inserted summary or notice: a message, a block of a message,
 * or text before the string that is the message's content. */
enum insertion_form { INSERT_MESSAGE, INSERT_BLOCK, INSERT_STRING };
/* The text of a summary or notice that is inserted, and how. */
struct insertion_content {
	enum insertion_form form;
	bool summary;                      /* false: a notice */
	const struct ctx_dialect *dialect; /* of the message there */
	struct ctx_str text;
	/* JSON string, for the form INSERT_STRING, made by
	 * ctx_insertion_string */
	struct ctx_str string;
};
/* Sets *tokens to the tokens that a summary or notice adds; 0 if the dialect
 * does not have its form. */
int ctx_insertion_count(struct prune *run, struct ctx_counter *counter,
    const struct insertion_content *content, uint64_t *tokens,
    struct ctx_err *err);
/* Sets *tokens to the tokens of a summary or notice that was found in a
 * message. */
int ctx_insertion_count_found(struct prune *run, struct ctx_counter *counter,
    const struct ctx_message *message, const struct found_insertion *found,
    uint64_t *tokens, struct ctx_err *err);
/* Adds the edit that removes a summary or notice from the beginning of a
 * string. found: what ctx_insertion_find has found in the message. */
int ctx_insertion_remove(struct ctx_edits *edits,
    const struct ctx_message *message, const struct found_insertion *found,
    struct ctx_err *err);
/* Plans to insert a summary or notice: as a message before a message in
 * memory, or into it. message_index: the index of that message. */
int ctx_insertion_add(struct held_conversation *conversation,
    size_t message_index, const struct insertion_content *content,
    uint64_t tokens, struct ctx_err *err);
/* Plans to insert a notice at each segment that has CTX_MARK_NOTICE in the
 * plan. */
int ctx_insertions_add_notices(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Makes the JSON of all summaries and notices that are inserted.  Called after
 * messages were removed, so that the new messages name lines that are kept as
 * their parents. */
int ctx_insertions_compose(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Adds the edit that inserts a summary or notice into the entry's message, to
 * run->message_edits: as a block before its blocks, or before the text of its
 * string.  If replace is true, it replaces the one that an earlier run inserted
 * there. */
int ctx_insertion_insert_block(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    const struct ctx_message *message, bool replace, struct ctx_err *err);
/* Adds the edit that inserts a message before another one in the same JSON
 * array, with the same layout of white space. */
int ctx_insertion_insert_message(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    struct ctx_err *err);
/* Writes the line with a message that is inserted before a message in memory.
 * message_index: the index of the latter. */
int ctx_insertion_write_message(struct prune *run,
    const struct held_conversation *conversation, size_t message_index,
    struct ctx_err *err);

/* ---- write_summary.c ---- */

/* Inserts a summary of the messages that are removed.  If the summary would
 * save no tokens, and the conversation is within the budget without removals,
 * nothing is removed. */
int ctx_prune_summarize(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

#endif
