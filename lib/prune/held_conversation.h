/* held_conversation.h - a conversation that waits for its plan */
#ifndef CTX_PRUNE_HELD_CONVERSATION_H
#define CTX_PRUNE_HELD_CONVERSATION_H

#include "prune/prune.h"
#include "truncate/text_segments.h"

/* The reported change of a held message.  Its bytes are archived before the
 * first edit.  It is reported only when it is final, because a message that is
 * edited now may be removed later. */
struct pending_change {
	struct ctx_change change;
	unsigned marks; /* CTX_MARK bits of all changes so far */
	bool done;      /* true: it was reported */
};

/* A message that is held until its conversation is decided. */
struct held_message {
	char *text; /* its record, owned; NULL: an element of a record */
	size_t n;
	uint32_t node;            /* node of the message in its record */
	uint32_t n_segments;      /* its segments in groups */
	uint32_t transcript_line; /* line of its transcript; 0: no transcript */
	uint32_t insertion_number; /* index in insertions, plus 1; 0: none */
	bool *excluded_results;    /* true: result i must not be edited; owned;
				      NULL: none */
	bool is_removed;           /* nothing is left to write */
	bool continues;            /* continues an earlier message */
	struct pending_change
	    *pending; /* owned; NULL: unchanged, or not reported */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	const char *file;
	uint64_t record_line;   /* line of its record in the file */
	uint64_t message_index; /* its index; if it is no message, that of the
				   next one */
};

/* A summary or notice to insert.  Its JSON is in
 * held_conversation.inserted_json. */
struct insertion {
	bool summary;  /* false: a notice */
	bool is_block; /* a block of the message; false: a message before it */
	uint64_t tokens;
	size_t string_at, string_n; /* its text there, as a JSON string */
	size_t json_at, json_n; /* the composed message or block there; json_n
				   0: not yet composed */
};

/* A held conversation.  messages are in the order of their segments. */
struct held_conversation {
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_scorer *scorer; /* NULL: the strategy ranks by age */
	struct ctx_model_counter model_counter;
	struct held_message *messages;
	size_t n, cap;
	size_t bytes;       /* bytes of all held texts */
	size_t compact_at;  /* bytes at which removable messages are sought */
	uint64_t n_removed; /* messages removed so far */
	struct insertion *insertions; /* in the order of their messages */
	size_t n_insertions, insertions_cap;
	struct ctx_buf inserted_json; /* JSON of all insertions */
	const struct ctx_dialect
	    *notice_unsupported; /* had no place for a notice; NULL: none */
	const struct ctx_dialect
	    *notice_cost_dialect; /* a notice in this dialect has ... */
	uint64_t notice_cost;     /* ... this many tokens */
	const char *file;
	uint64_t line; /* of its record; 0: the conversation of the stream */
	bool open;
	const struct ctx_dialect
	    *read_dialect; /* the dialect that its messages were read by */
	bool format_known; /* the messages need not be read again */
	bool is_response;  /* a provider response: nothing is removed */
};

/* Adds a zeroed message and returns it, valid until the next call; NULL with
 * *err. */
struct held_message *ctx_held_conversation_add(
    struct held_conversation *conversation, struct ctx_err *err);
/* Frees all held messages and begins the next conversation. */
void ctx_held_conversation_clear(struct held_conversation *conversation);
void ctx_held_conversation_release(struct held_conversation *conversation);

/* What one call of ctx_prune works with. */
struct prune {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_model_counters *counters;
	struct ctx_prune_options *options;
	struct held_conversation stream_conversation,
	    record_conversation; /* of the stream, and in a record */
	const struct ctx_json
	    *source; /* JSON of the record that record_conversation is in */
	struct ctx_message message;
	struct ctx_json json;   /* a held or composed message, scanned again */
	struct ctx_edits edits; /* edits of a record */
	struct ctx_edits message_edits; /* edits of one message */
	struct text_segments text_segments;
	struct shortener shortener;
	struct ctx_buf composed, text, literal, edited_message; /* scratch */
	int64_t match_left; /* nanoseconds left for the patterns of --pin,
			       --tool, ... in this message */
};

/* Returns the JSON text of a held message, or of a held record that is not a
 * message; run->source must be the JSON of its record if it is an element. */
struct ctx_str ctx_held_message_bytes(const struct prune *run,
    const struct held_message *held);
/* Returns true if nothing of the message is left.  A message that spans several
 * lines of a transcript is removed when all of them are. */
bool ctx_held_message_is_removed(const struct prune *run,
    const struct held_message *held);
/* Returns true if a change of the same message was reported with an earlier
 * line of the transcript. */
bool ctx_held_message_is_reported(const struct prune *run,
    const struct held_message *held);
/* Reads a held message into run->message; returns as ctx_dialect_read_message.
 */
int ctx_prune_reread(struct prune *run, const struct held_message *held,
    struct ctx_err *err);
/* Applies run->edits to text and empties them.  Returns the result, *n bytes
 * owned by the caller, or NULL with *err. */
char *ctx_prune_apply_edits(struct prune *run, struct ctx_str text, size_t *n,
    struct ctx_err *err);
/* Applies run->edits to the text of a held record and empties them. */
int ctx_held_message_apply_edits(struct prune *run,
    struct held_conversation *conversation, struct held_message *held,
    struct ctx_err *err);

/* ---- hold_message.c ---- */

/* Adds a message to the groups and sets the properties of held from it. */
int ctx_prune_hold_message(struct prune *run,
    struct held_conversation *conversation, struct held_message *held,
    const struct ctx_event *event, struct ctx_err *err);
/* Adds a record or element that is not a message to the groups. */
int ctx_prune_hold_unknown(struct held_conversation *conversation,
    struct held_message *held, struct ctx_err *err);

/* ---- reclassify.c ---- */

/* Reads all held messages again by the dialect that a later record identified.
 * No message may have been removed or edited before. */
int ctx_prune_reclassify(struct prune *run,
    struct held_conversation *conversation, const struct ctx_dialect *dialect,
    struct ctx_err *err);

/* ---- finish_conversation.c ---- */

/* Decides a conversation whose messages have all been read, applies the plan to
 * the held messages, and reports the outcome to the caller of ctx_prune. */
int ctx_prune_finish_conversation(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

/* ---- apply_plan.c ---- */

/* Sums up the marks of a held message, whose first segment is first.  Sets edit
 * to the marks of its tool results and of its other blocks, and *kept to the
 * number of segments that are kept.  Returns all marks, without
 * CTX_MARK_NOTICE. */
unsigned ctx_prune_marks(const struct held_conversation *conversation,
    const struct held_message *held, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept);
/* Applies the plan to the held messages: archives, removes and edits them.
 * Edits of elements are added to run->edits.  With ended, no later plan
 * follows: all changes are reported. */
int ctx_prune_apply_plan(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);
/* ---- report_plan.c ---- */

/* Sets file, line, message index and original bytes of a change. */
void ctx_prune_set_change_place(const struct prune *run,
    const struct held_message *held, struct ctx_change *change);
/*
 * Archives a held message before its first change.  Adds the marks of this
 * change, and the tokens that it leaves, to held->pending; it is reported by
 * ctx_prune_report_changes.  first is the message's first segment.
 */
int ctx_prune_record_change(struct prune *run,
    struct held_conversation *conversation, struct held_message *held,
    size_t first, unsigned marks, struct ctx_err *err);
/* Reports all insertions and removed messages, and, with ended, all edited
 * messages. */
int ctx_prune_report_changes(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err);

/* ---- relink_lines.c ---- */

/* Corrects the links in the lines of a transcript after removals.  Also removes
 * lines that a removed message had replaced, because without it they would
 * become active again. */
int ctx_prune_relink(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err);

/* ---- head_tail.c ---- */

/* Maximum characters that head and tail of a text or result have together. */
#define CTX_HEAD_TAIL_CHARS 1000

/* Which texts of a message are shortened to head and tail. */
struct head_tail {
	bool results; /* its tool results, except those for which ... */
	/* ... this array, one entry per result, is true; NULL: all of them */
	const bool *excluded_results;
	bool texts; /* its other texts, except a summary or notice */
};
/* Adds the edits that shorten a message.  A text block is removed only if a
 * text before it is kept, so other edits may remove other blocks at the same
 * time. */
int ctx_head_tail_edit(struct prune *run, struct ctx_edits *edits,
    const struct ctx_message *message, const struct head_tail *which,
    struct ctx_err *err);
/* Sets *saved to the tokens that ctx_head_tail_edit would save, counted by
 * reading the edited message again.  0 if the dialect cannot read the message
 * without the record around it. */
int ctx_head_tail_savings(struct prune *run, const struct ctx_message *message,
    struct ctx_counter *counter, const struct head_tail *which, uint64_t *saved,
    struct ctx_err *err);

/* ---- find_insertion.c: summaries and notices of an earlier run ---- */

/* A summary or notice found in a message.  It is the whole message, a block of
 * it, or the start of a string. */
struct found_insertion {
	bool summary, notice; /* which of the two; neither: none was found */
	bool whole;           /* the message is nothing else */
	size_t block;
	size_t user_text_at; /* offset of the user's text after it in the JSON
				string of the block; 0: none follows */
};
void ctx_insertion_find(const struct ctx_prune_options *options,
    const struct ctx_message *message, struct found_insertion *found);
/* Returns the text of the string that an insertion would be put into, without
 * an earlier summary at its start.  It is empty if the insertion would be a
 * block or a message. */
struct ctx_str ctx_insertion_string(const struct prune *run,
    const struct ctx_message *message);
/* Returns the index of the first block that is not a tool result, before which
 * a block is inserted; message->n if there is none. */
size_t ctx_insertion_skip_result_blocks(const struct ctx_message *message);
/* Returns true if block i is the whole content of a user message: a string
 * before whose text an insertion can be put. */
bool ctx_insertion_is_string_content(const struct ctx_message *message,
    size_t i);

/* ---- insert_message.c: summaries and notices of this run ---- */

/* Returns true if the dialect can insert something at this user message: a
 * message before it, a block, or text before its string. */
bool ctx_insertion_fits(const struct ctx_message *message);
/* Returns true if the insertion of a held message goes into that message. */
bool ctx_insertion_is_block(const struct held_conversation *conversation,
    const struct held_message *held);
/* Returns true if a message is inserted before the held message. */
bool ctx_insertion_is_before(const struct held_conversation *conversation,
    const struct held_message *held);
/* The forms of an insertion: a message, a block of a message, or text before
 * the string that is its content. */
enum insertion_form { INSERT_MESSAGE, INSERT_BLOCK, INSERT_STRING };
/* A text to insert. */
struct insertion_content {
	enum insertion_form form;
	bool summary; /* false: a notice */
	struct ctx_str text;
	struct ctx_str string; /* INSERT_STRING: see ctx_insertion_string */
};
/* Sets *tokens to the tokens that an insertion adds; 0 if the dialect has no
 * such form. */
int ctx_insertion_count(struct prune *run, struct ctx_counter *counter,
    const struct ctx_dialect *dialect, const struct insertion_content *content,
    uint64_t *tokens, struct ctx_err *err);
/* Sets *tokens to the tokens of an insertion that was found in a message. */
int ctx_insertion_count_found(struct prune *run, struct ctx_counter *counter,
    const struct ctx_message *message, const struct found_insertion *found,
    uint64_t *tokens, struct ctx_err *err);
/* Adds the edit that removes a found insertion from the start of its string. */
int ctx_insertion_remove(struct ctx_edits *edits,
    const struct ctx_message *message, const struct found_insertion *found,
    struct ctx_err *err);
/* Adds an insertion to those of the conversation: as a message before the held
 * message of this index, or into it. */
int ctx_insertion_add(struct held_conversation *conversation,
    size_t message_index, const struct insertion_content *content,
    uint64_t tokens, struct ctx_err *err);
/* Adds an insertion for every CTX_MARK_NOTICE of the plan. */
int ctx_insertions_add_notices(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Composes the JSON of the messages to insert.  To be called after the
 * removals, so that they link to lines that are kept. */
int ctx_insertions_compose(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);
/* Adds the edit that inserts a summary or notice into run->message: as a block
 * before its blocks, or before the text of its string.  With replace, it
 * replaces the insertion that is there. */
int ctx_insertion_insert_block(struct prune *run,
    struct held_conversation *conversation, const struct held_message *held,
    bool replace, struct ctx_err *err);
/* Adds the edit that inserts a message before an element, laid out like that
 * element. */
int ctx_insertion_insert_message(struct prune *run,
    struct held_conversation *conversation, const struct held_message *held,
    struct ctx_err *err);
/* Writes the message that is inserted before the held message of this index, as
 * a line. */
int ctx_insertion_write_message(struct prune *run,
    const struct held_conversation *conversation, size_t message_index,
    struct ctx_err *err);

/* ---- write_summary.c ---- */

/*
 * Adds a summary of the messages that the plan removes.  If the summary would
 * not save tokens and the budget is met without removals, nothing is removed.
 */
int ctx_prune_summarize(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err);

#endif
