/* held_conversation.h - a conversation in memory, for which ctx-prune has not
 * decided yet which messages are removed */
#ifndef CTX_PRUNE_HELD_CONVERSATION_H
#define CTX_PRUNE_HELD_CONVERSATION_H

#include "prune/prune.h"
#include "stream/rewrite.h"
#include "truncate/text_segments.h"

/* A change of a message in memory that was not reported yet.  A change is
 * reported only when no further change is possible, because an edited message
 * may be removed later.  But the bytes of the message are archived before its
 * first change. */
struct pending_change {
	struct ctx_change change;
	/* the kinds of all changes of the message so far, as CTX_MARK_...
	 * bits */
	unsigned marks;
	/* true if all that is cut in the message is arguments of tool calls */
	bool cuts_arguments;
	bool done; /* true once the change was reported */
};

/* A message in memory, until ctx-prune has decided whether it is removed.  A
 * record that is not a message is stored in the same way. */
struct prune_entry {
	/* The message.  Its text (held.text) becomes NULL when the message is
	 * removed. */
	struct ctx_held_message held;
	/* Index of the message in its conversation.  For a record that is not a
	 * message: index of the next message. */
	uint64_t message_index;
	/* For each tool result of the message: true if the result must not be
	 * edited.  This struct owns the array.  NULL if all results may be
	 * edited. */
	bool *excluded_results;
	/* The change of the message that was not reported yet, owned by this
	 * struct.  NULL if the message is unchanged, or if changes are not
	 * reported. */
	struct pending_change *pending;
	/* number of the message's line in a session file, from 1; 0 if the
	 * message is not from a session file */
	uint32_t transcript_line;
	/* Used if this struct stands for several neighbouring lines of a
	 * session file that are not messages: number of the last of these
	 * lines; "held" is the first of them.  Otherwise 0.  Removed lines
	 * among them are not written. */
	uint32_t last_line;
	/* If a summary or notice (a text that says that messages were removed)
	 * is inserted into this message or before it: its index in the array
	 * "insertions", plus 1.  Otherwise 0. */
	uint32_t insertion_number;
	/* Number of the message's segments (the message, or its two parts) in
	 * held_conversation.groups: 1, or 2 if the tool results are a separate
	 * part.  Can be 0 for lines of a session file that are not messages,
	 * because such lines may share the segment of the lines before them. */
	uint8_t n_segments;
	/* true if nothing is left of the message that could be written */
	bool is_removed;
};

/* A summary or notice that will be inserted.  Its JSON is in
 * held_conversation.inserted_json. */
struct insertion {
	bool summary; /* true for a summary, false for a notice */
	/* True if the summary or notice becomes a block of a message; false if
	 * it becomes a separate message before that message. */
	bool is_block;
	uint64_t tokens;
	/* The text of the summary or notice as a JSON string: offset and length
	 * in inserted_json, in bytes. */
	size_t string_at, string_n;
	/* The JSON of the inserted message or block: offset and length in
	 * inserted_json, in bytes.  The length is 0 until this JSON is made. */
	size_t json_at, json_n;
};

/* A conversation whose messages are in memory.  The messages are in the same
 * order as their segments (messages or parts of messages) in the member
 * "groups". */
struct held_conversation {
	struct ctx_groups groups;
	struct ctx_plan plan;
	/* ranks the messages by their text; NULL if the strategy removes the
	 * oldest messages, whatever their text is */
	struct ctx_scorer *scorer;
	/* The number with which the scorer gets the next message
	 * (ctx_scored_message.number).  0 unless messages are shared. */
	uint32_t shared_number;
	struct ctx_model_counter model_counter;
	/* The token counter with which the messages in memory were counted.
	 * Not model_counter.counter if a new message has just replaced that
	 * one. */
	const struct ctx_counter *counted_by;
	/* The queue of the messages in memory: rewrite.lines or
	 * rewrite.elements of the struct prune, which owns it. */
	struct ctx_held_queue *entries;
	/* When the messages in memory have this many bytes, ctx searches for
	 * messages that it can remove without waiting for the end of the
	 * conversation. */
	size_t compact_at;
	uint64_t n_removed; /* number of messages removed so far */
	/* The summaries and notices that will be inserted, in the order of the
	 * messages. */
	struct insertion *insertions;
	size_t n_insertions, insertions_cap;
	/* JSON of all summaries and notices that are inserted */
	struct ctx_buf inserted_json;
	/* A dialect (format) of messages in this conversation in which no
	 * notice can be inserted, to be reported to the user; NULL if there is
	 * none. */
	const struct ctx_dialect *notice_unsupported;
	/* Number of tokens that a notice has in the dialect (format)
	 * notice_cost_dialect.  The number is stored because it is the same
	 * before every message of this dialect. */
	const struct ctx_dialect *notice_cost_dialect;
	uint64_t notice_cost;
	const char *file;
	/* Number of the line that contains the whole conversation, or 0 for a
	 * conversation in which each message is a line of its own. */
	uint64_t line;
	bool open;
	/* Dialect (format) in which the messages were parsed. */
	const struct ctx_dialect *read_dialect;
	/* True once the dialect cannot change any more: a message has
	 * identified the dialect, or messages were removed. */
	bool format_known;
	/* True if the record is a provider's response, from which nothing is
	 * removed. */
	bool is_response;
};

/* Returns the message with index i of those in memory.  The pointer is valid
 * until the next message is added. */
static inline struct prune_entry *
ctx_prune_entry_at(const struct held_conversation *conversation, size_t i)
{
	return ctx_held_queue_at(conversation->entries, i);
}

/* Returns the summary or notice that will be inserted before or into a message
 * in memory.  The caller may call this only if entry->insertion_number is not
 * 0. */
static inline struct insertion *
ctx_prune_insertion(const struct held_conversation *conversation,
    const struct prune_entry *entry)
{
	return &conversation->insertions[entry->insertion_number - 1];
}

/* Frees all messages in memory, and prepares *conversation for the next
 * conversation. */
void ctx_held_conversation_clear(struct held_conversation *conversation);
void ctx_held_conversation_release(struct held_conversation *conversation);

/* State of ctx_prune_stream while it reads a stream. */
struct prune {
	struct ctx_rewrite rewrite;
	struct ctx_model_counters *counters;
	struct ctx_prune_config *options;
	/* number of messages that scorers got in this run; not counted if
	 * options->scorer.shared is NULL */
	uint32_t n_shared;
	/* stream_conversation: the conversation in which each message is a
	 * record; record_conversation: the conversation inside the current
	 * record. */
	struct held_conversation stream_conversation, record_conversation;
	/* JSON edits of the message that is being changed */
	struct ctx_edits message_edits;
	struct text_segments text_segments;
	struct shortener shortener;
	/* Amount of work, in units of CTX_PATTERN_WORK, that may still be done
	 * to match the regular expressions of options such as --pin with the
	 * current message.  The limit protects against slow expressions. */
	int64_t match_left;
	/* scratch memory: a text of the current message; a JSON string; an
	 * inserted message or string */
	struct ctx_buf text, literal, composed;
};

/* Returns true if a message was removed as a whole.  If the message has several
 * lines in a session file, all of them must have been removed. */
bool ctx_prune_entry_is_removed(const struct prune *run,
    const struct prune_entry *entry);
/* Returns true if the message was already reported as changed, when an earlier
 * line of the same message in a session file was reported. */
bool ctx_prune_entry_is_reported(const struct prune *run,
    const struct prune_entry *entry);
/* Adds a record that is not a message to the groups of the conversation
 * (messages that must be kept or removed together).  Also used for such an
 * element of a conversation inside a record. i: index of the record or element
 * in memory. */
int ctx_prune_hold_unknown(const struct prune *run,
    struct held_conversation *conversation, size_t i, struct ctx_err *err);

/* ---- hold_message.c ---- */

/* Adds a message to the groups of its conversation (messages that must be kept
 * or removed together), and sets the members of *entry that depend on the
 * message. */
int ctx_prune_hold_message(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    const struct ctx_event *event, struct ctx_err *err);
/* Counts the tokens of a message in memory again, without the parts that were
 * removed from it. first: index of the message's first segment (the
 * message or a part of it). */
int ctx_prune_recount_message(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    size_t first, struct ctx_err *err);

/* ---- file_lines.c ---- */

/* Stores a line of a session file that is not a message, without keeping its
 * bytes in memory.  Returns 1 if the line was stored, 0 if the caller must keep
 * the bytes of the line in memory, or -1 with *err. */
int ctx_prune_hold_file_line(struct prune *run, const struct ctx_event *event,
    struct ctx_err *err);
/* If the strategy decides only at the end and the file can be read again,
 * stores in *entry where a message is in its file, and returns true.  The
 * caller then need not keep the bytes of the message.  Otherwise returns
 * false. */
bool ctx_prune_hold_file_message(struct prune *run, struct prune_entry *entry,
    const struct ctx_event *event);
/* Joins two entries that stand for lines of a session file that are not
 * messages.  The caller must have removed all messages between the entries.
 * Afterwards "entry" stands for all these lines, and "before" has no segment.
 */
void ctx_prune_join_file_lines(struct prune_entry *before,
    struct prune_entry *entry);
/* Sets *text to the bytes of the last line for which *entry stands.  The bytes
 * are valid until another line is read from the file again. */
int ctx_prune_last_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err);
/* Sets *text to the JSON of a message, or of a record that is not a message.
 * If the record had to be read from the file again, *text is valid only until
 * another record is read again. */
int ctx_prune_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err);
/* If the bytes of a message are not in memory, reads the bytes from the file
 * again and keeps them in memory, so that they can be edited. */
int ctx_prune_load(struct prune *run, struct prune_entry *entry,
    struct ctx_err *err);
/* Parses a message in memory again, into run->rewrite.message.  Returns the
 * same values as ctx_dialect_read_message. */
int ctx_prune_reread(struct prune *run, const struct prune_entry *entry,
    struct ctx_err *err);
/* Calls function with the bytes of each line for which *entry stands and for
 * which select returns true.  If *entry is not from a session file, calls
 * function for its record, with 0 as the number of the line. */
int ctx_prune_each_line(struct prune *run, struct prune_entry *entry,
    bool (*select)(const struct ctx_transcript *transcript, uint32_t line),
    int (*function)(struct prune *run, struct prune_entry *entry, uint32_t line,
	struct ctx_str text, struct ctx_err *err),
    struct ctx_err *err);

/* ---- reclassify.c ---- */

/* Parses all messages in memory again in conversation->read_dialect, the
 * dialect (format) that a later record has identified.  No message may have
 * been removed or edited before. */
int ctx_prune_reclassify(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Counts the tokens of all messages in memory again, with another token
 * counter.  Messages may have been removed or edited before. */
int ctx_prune_recount(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err);

/* ---- finish_conversation.c ---- */

/* Called when all messages of a conversation were read.  Decides which messages
 * are removed, makes the changes in memory, and reports the result. */
int ctx_prune_finish_conversation(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* If the strategy summarizes, inserts a summary of the messages that the plan
 * removes.  After an error the plan is the same as before. */
int ctx_prune_plan_summary(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- apply_plan.c ---- */

/* Returns the changes that are planned for a message, as CTX_MARK_... bits,
 * without CTX_MARK_NOTICE. first: index of the message's first segment.  Sets
 * edit->results to the bits for its tool results, and edit->rest to those for
 * its other blocks.  Sets *kept to the number of the message's segments that
 * are not removed. */
unsigned ctx_prune_marks(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept);
/* Makes the planned changes of the messages in memory: archives, removes and
 * edits them.  Adds edits of messages inside a record to run->rewrite.edits.
 * If ended is true, no changes will be made later, and all changes are
 * reported. */
int ctx_prune_apply_plan(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);
/* ---- report_plan.c ---- */

/* Sets the file, line and message index of a change. */
void ctx_prune_set_change_place(const struct prune_entry *entry,
    struct ctx_change *change);
/* Stores a change of a message in entry->pending.  In the first call for a
 * message, also archives its original bytes. ctx_prune_report_changes reports
 * the change when the message can have no further changes. first: index of the
 * message's first segment. marks: the kinds of changes. */
int ctx_prune_record_change(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    size_t first, unsigned marks, struct ctx_err *err);
/* Reports everything that is inserted, and all messages that are removed.  If
 * ended is true, also reports all messages that were edited. */
int ctx_prune_report_changes(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);

/* ---- relink_lines.c ---- */

/* Archives and reports the lines of a session file that change because other
 * lines were removed.  Ids of removed lines are replaced in these lines.  If a
 * message that replaces lines of the session is removed, the replaced lines are
 * removed, too, because the agent would otherwise send them to the model
 * again. */
int ctx_prune_report_lines(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Writes a message that was in memory.  If the message is a line of a session
 * file that contains ids of removed lines, first replaces these ids by the ids
 * of lines that are kept. */
int ctx_prune_write_entry(struct prune *run, struct prune_entry *entry,
    struct ctx_err *err);

/* ---- head_tail.c ---- */

/* Maximum number of characters that are kept of a text that is shortened to its
 * beginning and end. */
#define CTX_HEAD_TAIL_CHARS 1000

/* Adds the edits for the bit HEAD_TAIL of the argument edit: they shorten the
 * texts of a message to their beginning and end.  A summary or notice that an
 * earlier run has inserted is not shortened.  The message keeps some text, even
 * if other edits remove its other blocks. */
int ctx_head_tail_edit(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, const struct ctx_message_edit *edit,
    struct ctx_err *err);
/* Some agents store a second copy of a tool result in the line.  If one of the
 * edits from number "first" on changes the tool result, adds edits that change
 * the copy.  In the copy, texts of more than CTX_HEAD_TAIL_CHARS characters are
 * replaced by CTX_CLEARED if clear is true, otherwise shortened to their
 * beginning and end. */
int ctx_head_tail_edit_copy(struct prune *run, struct ctx_edits *edits,
    size_t first, const struct ctx_message *message, bool clear,
    struct ctx_err *err);
/* Sets *saved to the number of tokens that ctx_head_tail_edit would save in a
 * message.  Makes the edits in a copy of the message, and counts the tokens of
 * the copy.  The members "first" and "n" of *edited are not used.  Sets *saved
 * to 0 if the dialect (format) cannot read a message without the record around
 * it. */
int ctx_head_tail_savings(struct prune *run,
    const struct ctx_edited_message *edited,
    const struct ctx_message_edit *edit, uint32_t *saved, struct ctx_err *err);

/* Sets *saved to the number of tokens that the edits in run->message_edits
 * save.  Makes the edits in a copy of the message, and counts the tokens of the
 * copy.  The members "first" and "n" of "edited" are not used.  Sets *saved to
 * 0 if the dialect (format) cannot read a message without the record around
 * it. */
int ctx_prune_edit_savings(struct prune *run, struct ctx_edited_message edited,
    uint32_t *saved, struct ctx_err *err);

/* ---- strategy/scorer.c ---- */

/* Sets *removed to the passages (a few sentences or lines each) that are
 * removed from the texts of a kept segment, in the order of the texts.  The
 * caller must first call ctx_scorer_rank.  The list is valid until the next
 * call. */
int ctx_scorer_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err);

/* ---- strategy/text_pieces.c ---- */

/* The names (paths, identifiers, ids and numbers) in the messages of a session.
 * If several scorers with the same ctx_counter read these messages, each
 * message is searched for names only once. */
struct ctx_shared_texts;
/* Returns an empty struct ctx_shared_texts, or NULL with *err. */
struct ctx_shared_texts *ctx_shared_texts_open(struct ctx_err *err);
/* Frees *shared.  All scorers that use it must have been closed.  Does nothing
 * if shared is NULL. */
void ctx_shared_texts_close(struct ctx_shared_texts *shared);

/* ---- keep_passages.c ---- */

/* Adds the edits that remove passages (a few lines each) from the texts of a
 * segment: the passages that the strategy does not keep. */
int ctx_prune_remove_passages(struct prune *run,
    struct held_conversation *conversation, struct ctx_edits *edits,
    const struct ctx_message *message, size_t segment, struct ctx_err *err);
/* Counts the tokens of the removable passages of segment i, and stores them in
 * the member passage_savings of the segment.  The caller must pass the only
 * segment of a message. */
int ctx_prune_count_passage_savings(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    size_t i, struct ctx_err *err);
/* Sets the member passage_savings of all segments (the tokens of their
 * removable passages).  Called after ctx_scorer_rank. */
int ctx_prune_count_passages(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- find_insertion.c: summaries and notices of an earlier run ---- */

/* A summary or notice of an earlier run that was found in a message.  It is the
 * whole message, a block of the message, or the beginning of a string. */
struct found_insertion {
	/* summary: true if the text is a summary; notice: true if it is a
	 * notice; both false if it is neither. */
	bool summary, notice;
	bool whole; /* true if the summary or notice is the whole message */
	size_t block;
	/* If the user's text comes after the summary or notice in the same JSON
	 * string: offset of the user's text in this string.  Otherwise 0. */
	size_t user_text_at;
};
void ctx_insertion_find(const struct ctx_prune_config *options,
    const struct ctx_message *message, struct found_insertion *found);
/* Returns the index of the block before which a summary or notice is inserted
 * into a message: the first block that is not a tool result, or message->n if
 * all blocks are tool results. */
size_t ctx_insertion_skip_result_blocks(const struct ctx_message *message);
/* Returns true if block i is a string that is the whole content of a user
 * message.  A summary or notice can be put at the beginning of such a
 * string. */
bool ctx_insertion_is_string_content(const struct ctx_message *message,
    size_t i);

/* ---- insert_message.c: summaries and notices of this run ---- */

/* Returns true if the dialect (format) allows to insert a summary or notice at
 * this user message: as a message before it, as one of its blocks, or at the
 * beginning of its string. */
bool ctx_insertion_fits(const struct ctx_message *message);
/* Returns true if a summary or notice will be inserted into a message in
 * memory, as a block of it or in its string. */
bool ctx_insertion_is_block(const struct held_conversation *conversation,
    const struct prune_entry *entry);
/* Returns true if a summary or notice will be inserted as a separate message
 * before this message. */
bool ctx_insertion_is_before(const struct held_conversation *conversation,
    const struct prune_entry *entry);
/* Ways to insert a summary or notice: as a message of its own, as a block of a
 * message, or at the beginning of the string that is the content of a
 * message. */
enum insertion_form { INSERT_MESSAGE, INSERT_BLOCK, INSERT_STRING };
/* A summary or notice that is inserted: its text, and how it is inserted. */
struct insertion_content {
	enum insertion_form form;
	/* true for a summary, false for a notice */
	bool summary;
	/* dialect of the message at which the text is inserted */
	const struct ctx_dialect *dialect;
	struct ctx_str text;
	/* For INSERT_STRING: the user's text, before which the summary or
	 * notice is inserted in the same string.  A summary of an earlier run
	 * at the beginning of the text is left out. */
	struct ctx_str string;
	/* For INSERT_BLOCK: the message into which the block is inserted, and
	 * the index of the block before which it is inserted. */
	const struct ctx_message *message;
	size_t next;
};
/* Chooses whether a summary or notice is inserted into a user message as a
 * block, or in the message's string.  Sets the members form, string, message
 * and next of *content. */
void ctx_insertion_choose_place(const struct prune *run,
    const struct ctx_message *message, struct insertion_content *content);
/* Sets *tokens to the number of tokens that an inserted summary or notice adds
 * to the conversation.  Sets *tokens to 0 if messages of the dialect (format)
 * cannot contain a summary or notice in this form. */
int ctx_insertion_count(struct prune *run, struct ctx_counter *counter,
    const struct insertion_content *content, uint64_t *tokens,
    struct ctx_err *err);
/* Sets *tokens to the number of tokens of a summary or notice that was found in
 * a message. */
int ctx_insertion_count_found(struct prune *run, struct ctx_counter *counter,
    const struct ctx_message *message, const struct found_insertion *found,
    uint64_t *tokens, struct ctx_err *err);
/* Adds the edit that removes a summary or notice from the beginning of a
 * string, so that only the user's text is left. found: result of
 * ctx_insertion_find for this message. */
int ctx_insertion_remove(struct ctx_edits *edits,
    const struct ctx_message *message, const struct found_insertion *found,
    struct ctx_err *err);
/* Adds a summary or notice to the list of insertions. message_index: index of
 * the message in memory before or into which the text is inserted. */
int ctx_insertion_add(struct held_conversation *conversation,
    size_t message_index, const struct insertion_content *content,
    uint64_t tokens, struct ctx_err *err);
/* Adds a notice to the list of insertions for each segment that has
 * CTX_MARK_NOTICE in the plan. */
int ctx_insertions_add_notices(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Makes the JSON of all summaries and notices that become separate messages.
 * Called after messages were removed: in a session file, an inserted message
 * contains the id of the line before it, which must be a line that is kept. */
int ctx_insertions_compose(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Adds the edit that inserts a summary or notice into a message to
 * run->message_edits: as a block before the other blocks of the message, or at
 * the beginning of the string that is the message's content.  If replace is
 * true, the new text replaces the summary or notice of an earlier run. */
int ctx_insertion_insert_block(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    const struct ctx_message *message, bool replace, struct ctx_err *err);
/* Adds the edit that inserts a summary or notice as a separate message before
 * the message of "entry", in the same JSON array and with the same white
 * space. */
int ctx_insertion_insert_message(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    struct ctx_err *err);
/* Writes a line with a summary or notice that is inserted as a separate
 * message. message_index: index, among the messages in memory, of the message
 * before which it is inserted. */
int ctx_insertion_write_message(struct prune *run,
    const struct held_conversation *conversation, size_t message_index,
    struct ctx_err *err);

/* ---- write_summary.c ---- */

/* Inserts a summary of the messages that the plan removes.  Inserts none if the
 * summary would have at least as many tokens as these messages.  The messages
 * are then kept if the conversation fits into the budget with them. */
int ctx_prune_summarize(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

#endif
