/* age_queue.h - keeps messages in memory until it is known whether they are old
 * enough to be changed by ctx-age, and replaces their results by references */
#ifndef CTX_AGE_AGE_QUEUE_H
#define CTX_AGE_AGE_QUEUE_H

#include "age/age.h"
#include "age/reasoning_file.h"
#include "group/group.h"
#include "stream/rewrite.h"

/* A tool result or media block, and the reference to a file that replaces it.
 * A struct of zeros is valid, and can be used for many results, one after
 * another. */
struct aged_result {
	/* content of the spool file: the text of the tool result, or the
	 * decoded media */
	struct ctx_buf text;
	/* JSON that is written in place of the tool result or media block */
	struct ctx_buf replacement;
	/* Name of the spool file, terminated by a NUL byte.  Empty if nothing
	 * is stored. */
	struct ctx_buf file_name;
	/* The JSON of the result or media block, if it is stored in a file; the
	 * pointer json.p points into the message's JSON.  Otherwise the length
	 * json.n is 0. */
	struct ctx_str json;
	/* True if only the member json is stored, not the member text: the
	 * media block is only a link to the media. */
	bool json_only;
	/* The JSON that is replaced, a part of the message's JSON. */
	struct ctx_str replaced;
	uint64_t saved_tokens;
	struct ctx_buf scratch;
};

/* A tool result or media block that may be replaced by a reference to a file.
 */
struct age_candidate {
	const struct ctx_message *message;
	size_t i; /* index of the block in the message */
	/* Name of the tool.  Its length n is 0 if the name is not known, or if
	 * the block belongs to no tool. */
	struct ctx_str tool;
	struct ctx_counter *counter; /* token counter of the model */
};

/* An element of the queue of ctx-age: a message that was not written yet.  A
 * record that is not a message and comes after such a message is also an
 * element. */
struct age_entry {
	struct ctx_held_message held;
	/* index of the element's message in the conversation, from 0 */
	uint64_t message;
	/* Number of the first tool result of this message.  The tool results of
	 * a conversation are numbered from 0. */
	uint64_t first_result;
	/* Time at which the message was written, in milliseconds since 1970.
	 * Valid if has_time is true. */
	int64_t time;
	bool has_time;
	/* True if the message began in an earlier record, and this record has a
	 * further part of the message. */
	bool continues;
	uint32_t results;
	/* For each tool result of the message: its tool, as an id in the string
	 * table age_queue.groups.tools.  This struct owns the array.  NULL if
	 * no result is long enough to be replaced. */
	uint32_t *tools;
	/* The JSON edits of this message: "edits" elements of the array
	 * rewrite.edits, from the index first_edit on. */
	size_t first_edit, edits;
	struct message_place place;
	bool is_bound; /* see ctx_message_is_bound */
	/* True if a tool result of the message was replaced; false if only
	 * reasoning was removed. */
	bool has_aged_results;
};

/* A queue of messages of one conversation.  A message waits in the queue until
 * it is known whether the message is old enough to be changed. */
struct age_queue {
	/* used for finding the tool of each tool result */
	struct ctx_groups groups;
	struct ctx_model_counter model_counter;
	/* For a conversation inside a record, with the option unsent: number of
	 * the first element of the queue after the last assistant message.
	 * Messages before this element were already sent to the provider, and
	 * are not changed. */
	size_t sent_end;
	/* Number of the first element of the queue whose tokens are not yet
	 * included in the member "savings". */
	size_t savings_end;
	/* Number of tokens that would be saved by replacing the old tool
	 * results in all elements of the queue before number savings_end. */
	uint64_t savings;
	/* How many messages, and how many tool results, were read so far. */
	uint64_t messages, results;
	/* index of the newest message for which a change was reported, plus
	 * 1 */
	uint64_t reported_end;
	uint64_t bound_end; /* see ctx_bound_count */
	/* Timestamps in milliseconds since 1970, valid if has_time is true.
	 * time: timestamp of the message that was read last; newest: the
	 * highest timestamp. */
	int64_t time, newest;
	bool has_time; /* true once a message had a timestamp */
	bool ended;    /* true if the conversation has ended */
	/* How the provider of the conversation's model treats reasoning if
	 * anything before it was changed. */
	enum ctx_binding binds;
	bool changed; /* true once a message of the conversation was changed */
	/* Place of the message that was read last in its conversation.  Before
	 * ctx-age removes the reasoning of a message, it stores the message in
	 * a file.  The name of the file is computed from this place. */
	struct message_place place;
};

/* State of ctx_age_stream while it reads a stream. */
struct aging {
	struct ctx_age_config *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	/* The elements of the queues in "rewrite" have the type struct
	 * age_entry. */
	struct ctx_rewrite rewrite;
	/* lines: the conversation in which each message is a record of its own.
	 * record: the conversation that is inside the current record. */
	struct age_queue lines, record;
	/* The spool, the directory in which tool results are stored.  Its
	 * member fd is -1 if it is not open. */
	struct ctx_spool spool;
	/* The error because of which the spool (directory of stored results)
	 * cannot be opened, or an error with the code CTX_OK if it can be
	 * opened. */
	struct ctx_err refused;
	struct aged_result aged;
	struct ctx_buf text; /* scratch memory */
	/* The JSON of a message after its old tool results were replaced, but
	 * with its bound reasoning.  Bound reasoning is signed reasoning that
	 * the provider refuses if anything before it was changed. */
	struct ctx_buf unstripped;
	/* edits that remove the bound reasoning from the JSON in
	 * "unstripped" */
	struct ctx_edits strip_edits;
	/* JSON of the message without its bound reasoning */
	struct ctx_buf stripped;
	struct ctx_buf name; /* name of a spool file */
	/* Edits of the current record are committed in their order: the files
	 * with the texts that they replace are synced to disk. committed_edits:
	 * number of committed edits. pending_results: number of tool results
	 * that the other edits replace. pending_tokens: number of tokens that
	 * the other edits save. pending_reasoning: number of messages from
	 * which they remove reasoning. */
	size_t committed_edits;
	uint64_t pending_results, pending_tokens, pending_reasoning;
};

/* ---- age_result.c ---- */

/* Writes the reference that replaces a tool result, and the content of the file
 * with the result, to *aged.  Returns 1.  Returns 0 if the result must not be
 * replaced, because it is too short, was replaced before, or no token would be
 * saved.  Returns -1 with *err after an error. */
int ctx_age_result(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    struct ctx_err *err);
/* Some agents keep a copy of a tool result beside the message.  Writes the
 * reference that replaces a text in this copy, and the content of the file with
 * the text, to *aged. node: JSON string of the text, or an array of texts; an
 * array is replaced by an array with the reference as its only element.
 * Returns 1.  Returns 0 if the text must not be replaced, because it is too
 * short, was replaced before, or is not longer than its replacement.  Returns
 * -1 with *err after an error. */
int ctx_age_copied_text(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    uint32_t node, struct ctx_err *err);
/* Writes the reference that replaces a media block, and the content of the file
 * with the media, to *aged.  Returns 1, or 0 if the block must not be replaced,
 * or -1 with *err. */
int ctx_age_media(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *candidate,
    struct ctx_err *err);
/* Stores the files of a replaced tool result or media block in the spool
 * directory.  The JSON of the message must still be in memory, because
 * aged->json points into it. */
int ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err);
/* Frees the buffers in *aged that a long tool result has made large. */
void ctx_aged_result_trim(struct aged_result *aged);
void ctx_aged_result_release(struct aged_result *aged);

/* ---- age_queue.c ---- */

/* Returns the list with the elements of a queue.  For the queue aging->record,
 * returns aging->rewrite.elements; for aging->lines, returns
 * aging->rewrite.lines. */
static inline struct ctx_held_queue *
ctx_age_entries(struct aging *aging, const struct age_queue *queue)
{
	return ctx_rewrite_queue(&aging->rewrite, queue == &aging->record);
}

/* Frees the messages that were not written, and prepares the queue for the next
 * conversation. */
void ctx_age_queue_clear(struct aging *aging, struct age_queue *queue);
/* Appends the event's message to the queue, and to queue->groups, in which the
 * tool of each tool result is found.  Returns the new element of the queue, or
 * NULL with *err. */
struct age_entry *ctx_age_queue_append(struct aging *aging,
    struct age_queue *queue, const struct ctx_event *event,
    struct ctx_err *err);

/* ---- age_message.c ---- */

/* Opens the spool (directory for tool results) if it is not open yet.  Returns
 * 0, or -1 with *err if the spool cannot be opened; later calls then return the
 * same error. */
int ctx_age_open_spool(struct aging *aging, struct ctx_err *err);
/* Counts what could not be stored in files, so that it remains in the
 * conversation. results: number of tool results or media blocks. reasoning:
 * number of messages with signed reasoning.  Calls options->failed with *err.
 * Returns -1 if *err must end the run, such as lack of memory; otherwise 0. */
int ctx_age_report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, uint64_t reasoning, struct ctx_err *err);
/* Returns the index of the first message that is too new to be changed.  With
 * the option by_results, returns the number of the first tool result that is
 * too new. */
uint64_t ctx_age_find_boundary(const struct aging *aging,
    const struct age_queue *queue);
/* Returns true if a message is old enough to be changed: it is more than
 * options->older milliseconds older than the newest message.  Always true if
 * this option is 0. */
bool ctx_age_is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry);
/* Sets *is_counted to true if block i is a tool result (with options->media:
 * media).  A text that ctx-age has written in place of media counts as media,
 * so that a second run finds the same boundary between old and new media. */
int ctx_age_is_result(struct aging *aging, const struct ctx_message *message,
    size_t i, bool *is_counted, struct ctx_err *err);
/* Returns true if the tool result in block i is long enough to be replaced: its
 * JSON has more bytes than options->over.  With options->media, returns true if
 * a text block can replace the media in block i. */
bool ctx_age_may_age(const struct aging *aging,
    const struct ctx_message *message, size_t i);
/* Adds the edits that replace the old tool results of a message by references.
 * If count_only is true, adds no edits, but adds the number of tokens that the
 * replacements would save to queue->savings. */
int ctx_age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, bool count_only, struct ctx_err *err);

/* ---- spool_reasoning.c ---- */

/* Handles the bound reasoning of a message, if this message or an earlier one
 * was changed.  Bound reasoning is signed reasoning that the provider refuses
 * if anything before it was changed.  With CTX_REASONING_DROP, removes it and
 * stores the original of the message in the spool directory; otherwise only
 * counts the message. */
int ctx_age_remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_err *err);

/* ---- write_aged.c ---- */

/* Syncs to disk the files in which the replaced tool results are stored.  If
 * syncing fails, removes all edits that were added after the last successful
 * call. queue, entry: the conversation of these edits, and the message that is
 * named in the error. */
int ctx_age_commit_edits(struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry, struct ctx_err *err);
/* Archives and reports a changed message.  Does nothing if the files with its
 * replaced tool results could not be synced to disk. */
int ctx_age_report_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, struct ctx_err *err);
/* Returns true if a message in the queue is before the boundary of
 * ctx_age_find_boundary; with the option by_results, if all its tool results
 * are.  But returns false if the message is not older than options->older yet,
 * and the stream has not ended.  Returns true for a record that is not a
 * message, so that it is written together with the message before it. */
bool ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry);
/* Returns true if all messages of the conversation must be read before any
 * message may be changed.  Two conditions must be met: options->reasoning is
 * CTX_REASONING_FAIL, and the provider refuses signed reasoning of this model
 * if anything before it was changed. */
bool ctx_age_may_refuse(const struct aging *aging,
    const struct age_queue *queue);
/* Sets *refused to true if no tool result in the queue may be replaced, because
 * the queue has bound reasoning (signed reasoning that the provider refuses if
 * anything before it was changed). */
int ctx_age_check_refusal(struct aging *aging, struct age_queue *queue,
    bool *refused, struct ctx_err *err);
/* Writes the messages at the beginning of the queue, up to the first message
 * that must wait.  A message need not wait if none of its tool results is long
 * enough to be replaced, or if it is old enough; its old tool results are then
 * replaced by references.  Writes nothing until at least options->at_least
 * tokens can be saved. */
int ctx_age_write_due(struct aging *aging, struct ctx_err *err);
/* Writes all messages in the queue, at the end of the stream. broken: true if
 * the stream ended with an error, so that messages may be missing.  Then
 * changes nothing if the option unsent is set, or if bound reasoning (signed
 * reasoning that the provider refuses if anything before it was changed) could
 * forbid changes. */
int ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err);
/* Writes all messages in the queue except the newest one, without changing
 * them.  The record of the newest message is still being read, and will be
 * written at its end.  So the newest message is only removed from the queue. */
int ctx_age_write_unaged(struct aging *aging, struct ctx_err *err);

#endif
