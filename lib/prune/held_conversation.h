/* held_conversation.h - a conversation whose messages are in memory until it
 * is decided which are removed */
#ifndef CTX_PRUNE_HELD_CONVERSATION_H
#define CTX_PRUNE_HELD_CONVERSATION_H

#include "prune/prune.h"
#include "stream/rewrite.h"
#include "truncate/text_segments.h"

/* The change of a message in memory that must still be reported.  The
 * message's bytes are archived before the first edit; the change is reported
 * only when it is final, because a message that is edited now may be removed
 * later. */
struct pending_change {
	struct ctx_change change;
	unsigned marks; /* CTX_MARK bits of all changes so far */
	bool done;      /* true: it was reported */
};

/* A message that is kept in memory until it is decided whether it is removed.
 */
struct prune_entry {
	/* its text is also NULL after the message was removed */
	struct ctx_held_message held;
	uint32_t n_segments; /* its segments in groups */
	/* number of its line in a session file; 0: not from a session file */
	uint32_t transcript_line;
	uint32_t insertion_number; /* index in insertions, plus 1; 0: none */
	/* for each tool result, true if it must not be edited; owned; NULL:
	 * all may be */
	bool *excluded_results;
	bool is_removed; /* nothing is left to write */
	struct pending_change
	    *pending; /* owned; NULL: unchanged, or not reported */
	/* index of the message; for a record that is not a message, that of
	 * the next message */
	uint64_t message_index;
};

/* A summary or notice to be inserted.  Its JSON is in
 * held_conversation.inserted_json. */
struct insertion {
	bool summary; /* false: a notice */
	/* true if the summary or notice becomes a block of the message, false
	 * if it becomes a message before it */
	bool is_block;
	uint64_t tokens;
	size_t string_at, string_n; /* its text there, as a JSON string */
	/* where the JSON of the summary or notice is in inserted_json; json_n
	 * 0: not made yet */
	size_t json_at, json_n;
};

/* A conversation whose messages are in memory, in the order of their segments.
 */
struct held_conversation {
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_scorer *scorer; /* NULL: the strategy ranks by age */
	struct ctx_model_counter model_counter;
	/* the messages: rewrite.lines or rewrite.elements of struct prune */
	struct ctx_held_queue *entries;
	/* number of bytes in memory at which ctx looks for messages that can
	 * be removed before the end of the conversation */
	size_t compact_at;
	uint64_t n_removed;           /* messages removed so far */
	struct insertion *insertions; /* in the order of their messages */
	size_t n_insertions, insertions_cap;
	struct ctx_buf inserted_json; /* JSON of all insertions */
	const struct ctx_dialect
	    *notice_unsupported; /* had no place for a notice; NULL: none */
	const struct ctx_dialect
	    *notice_cost_dialect; /* a notice in this dialect has ... */
	uint64_t notice_cost;     /* ... this many tokens */
	const char *file;
	/* line of the record that contains the conversation; 0: the records of
	 * the stream are the messages */
	uint64_t line;
	bool open;
	const struct ctx_dialect
	    /* dialect (format) in which the messages were read */
	    *read_dialect;
	bool format_known; /* the messages need not be read again */
	bool is_response;  /* a provider response: nothing is removed */
};

extern const struct ctx_held_queue ctx_prune_entries;

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

/* What one call of ctx_prune works with. */
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

/* Adds a message to the groups of messages that must be kept or removed
 * together, and sets the members of *held that depend on the message. */
int ctx_prune_hold_message(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    const struct ctx_event *event, struct ctx_err *err);
/* Adds a record, or an element of one, that is not a message to the
 * conversation's groups (of messages that must be kept or removed together). */
int ctx_prune_hold_unknown(struct held_conversation *conversation,
    struct prune_entry *entry, struct ctx_err *err);

/* ---- reclassify.c ---- */

/* Reads all messages in memory again in conversation->read_dialect, the dialect
 * (format) that a later record has identified.  No message may have been
 * removed or edited before. */
int ctx_prune_reclassify(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- finish_conversation.c ---- */

/* Decides what is removed from a conversation that was read completely, makes
 * the changes in memory, and reports the outcome to the caller of ctx_prune. */
int ctx_prune_finish_conversation(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- apply_plan.c ---- */

/* Combines the marks of a message's segments, without CTX_MARK_NOTICE. first:
 * index of the message's first segment.  Sets *edit to the marks of the tool
 * results and of the other blocks, and *kept to the number of segments that
 * are kept.  Returns the marks of all the segments together. */
unsigned ctx_prune_marks(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept);
/* Makes the planned changes in the messages in memory: archives, removes and
 * edits them.  Edits of messages inside a record are added to
 * run->rewrite.edits.  If ended is true, no later changes will follow, and all
 * changes are reported. */
int ctx_prune_apply_plan(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);
/* ---- report_plan.c ---- */

/* Sets the file, line, message index and original bytes of a change. */
void ctx_prune_set_change_place(const struct prune *run,
    const struct prune_entry *entry, struct ctx_change *change);
/* Archives a message before its first change.  Adds the marks of this change,
 * and the tokens that the message has after it, to entry->pending;
 * ctx_prune_report_changes reports them later. first is the message's first
 * segment. */
int ctx_prune_record_change(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    size_t first, unsigned marks, struct ctx_err *err);
/* Reports all insertions and removed messages and, if ended is true, all
 * edited messages. */
int ctx_prune_report_changes(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);

/* ---- relink_lines.c ---- */

/* Corrects the links between the lines of a session file after messages were
 * removed.  Also removes lines that a removed message had replaced, because
 * without it they would become active again. */
int ctx_prune_relink(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err);

/* ---- head_tail.c ---- */

/* Maximum number of characters that are kept of a shortened text: its
 * beginning and end together. */
#define CTX_HEAD_TAIL_CHARS 1000

/* Which texts of a message are shortened to their beginning and end. */
struct head_tail {
	bool results; /* true to shorten its tool results */
	/* for each tool result, true if it must not be shortened; NULL: all
	 * may be */
	const bool *excluded_results;
	/* true to shorten the texts outside tool results, except a summary or
	 * notice of an earlier run */
	bool texts;
};
/* Adds the edits that shorten a message to beginning and end of its texts.  A
 * text block is removed only if a text before it is kept, so other edits may
 * remove other blocks at the same time. */
int ctx_head_tail_edit(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, const struct head_tail *which,
    struct ctx_err *err);
/* Sets *saved to the tokens that ctx_head_tail_edit would save, which are
 * counted by reading the edited message.  Sets it to 0 if the dialect cannot
 * read the message without the record around it. */
int ctx_head_tail_savings(struct prune *run, const struct ctx_message *message,
    struct ctx_counter *counter, const struct head_tail *which, uint64_t *saved,
    struct ctx_err *err);

/* ---- find_insertion.c: summaries and notices of an earlier run ---- */

/* A summary or notice of an earlier run that was found in a message.  It is
 * the whole message, a block of it, or the start of a string. */
struct found_insertion {
	/* true if it is a summary, or a notice; both false: nothing was found
	 */
	bool summary, notice;
	bool whole; /* the message is nothing else */
	size_t block;
	/* offset in the block's JSON string at which the user's text follows
	 * the summary or notice; 0: no text follows */
	size_t user_text_at;
};
void ctx_insertion_find(const struct ctx_prune_options *options,
    const struct ctx_message *message, struct found_insertion *found);
/* If a summary or notice would be put before the text of a string, returns the
 * string, without an earlier summary at its start.  If it would be a block or
 * a message instead, returns an empty string. */
struct ctx_str ctx_insertion_string(const struct prune *run,
    const struct ctx_message *message);
/* Returns the index of the first block that is not a tool result: a new block
 * is inserted before it.  Returns message->n if there is none. */
size_t ctx_insertion_skip_result_blocks(const struct ctx_message *message);
/* Returns true if block i is the whole content of a user message and is a
 * string, so that a summary or notice can be put before its text. */
bool ctx_insertion_is_string_content(const struct ctx_message *message,
    size_t i);

/* ---- insert_message.c: summaries and notices of this run ---- */

/* Returns true if the dialect (format) allows an insertion at this user
 * message: a message before it, a block, or text before its string. */
bool ctx_insertion_fits(const struct ctx_message *message);
/* Returns true if a summary or notice is inserted into this message. */
bool ctx_insertion_is_block(const struct held_conversation *conversation,
    const struct prune_entry *entry);
/* Returns true if a summary or notice is inserted as a message before this
 * message. */
bool ctx_insertion_is_before(const struct held_conversation *conversation,
    const struct prune_entry *entry);
/* The forms of an inserted summary or notice: a message, a block of a message,
 * or text before the string that is the message's content. */
enum insertion_form { INSERT_MESSAGE, INSERT_BLOCK, INSERT_STRING };
/* A text to insert. */
struct insertion_content {
	enum insertion_form form;
	bool summary;                      /* false: a notice */
	const struct ctx_dialect *dialect; /* of the message there */
	struct ctx_str text;
	struct ctx_str string; /* INSERT_STRING: see ctx_insertion_string */
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
/* Adds the edit that removes a summary or notice from the start of a string.
 * found: the result of ctx_insertion_find for the message. */
int ctx_insertion_remove(struct ctx_edits *edits,
    const struct ctx_message *message, const struct found_insertion *found,
    struct ctx_err *err);
/* Adds a summary or notice to those that will be inserted: as a message before
 * the message of this index in memory, or into it. */
int ctx_insertion_add(struct held_conversation *conversation,
    size_t message_index, const struct insertion_content *content,
    uint64_t tokens, struct ctx_err *err);
/* Adds a notice to those that will be inserted for every CTX_MARK_NOTICE in
 * the plan. */
int ctx_insertions_add_notices(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Makes the JSON of the messages to be inserted.  To be called after messages
 * were removed, so that the new ones name kept lines as parents. */
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
/* Writes a line with the message that is inserted before the message of this
 * index in memory. */
int ctx_insertion_write_message(struct prune *run,
    const struct held_conversation *conversation, size_t message_index,
    struct ctx_err *err);

/* ---- write_summary.c ---- */

/* Adds a summary of the messages that are removed.  If the summary would save
 * no tokens and the conversation is within the budget without removals,
 * nothing is removed. */
int ctx_prune_summarize(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

#endif
