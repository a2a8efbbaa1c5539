/* transcript.h - session files of agents, and which of their lines are sent to
 * the model */
#ifndef CTX_TRANSCRIPT_H
#define CTX_TRANSCRIPT_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "io/second_pass.h"
#include "json/json.h"

/* ---- transcript/transcript.c: session files, and which lines are sent --- */

/* What is known of the records (lines) of an agent's session file.  A later
 * line can remove or replace earlier ones.  So the file is read twice: at its
 * end it is known which lines are active, those whose messages the agent would
 * send with its next request.  The second time the records are returned to the
 * caller.  Lines are numbered from 1 over all session files of a stream; 0
 * means no line.  A zeroed struct is valid.  Memory: 56 bytes for each line,
 * and the ids of the lines. */
struct ctx_transcript {
	/* dialect of the file that is being read, and its index in the table of
	 * dialects */
	const struct ctx_dialect *dialect;
	uint8_t dialect_index;
	struct ctx_transcript_line *lines;
	size_t n, cap;
	size_t from; /* index of the first line of the file */
	/* id of the newest of those lines of the file that are in the tree; 0:
	 * none */
	uint32_t newest_id;
	struct ctx_intern
	    names; /* ids of lines and messages, as JSON strings */
	/* For each id: the newest line that has this id.  While the file is
	 * read: the newest line that has this id as its own id or as the id of
	 * its parent. */
	uint32_t *newest_of_id;
	size_t cap_ids;
	/* number of the last active line with a message of the user; 0: none */
	uint32_t last_user;
	struct ctx_message message; /* scratch memory */
	struct ctx_buf model; /* name of the file's model, as a JSON string */
	struct ctx_buf text, literal; /* scratch memory */
};

void ctx_transcript_release(struct ctx_transcript *transcript);
/* Begins a session file in this dialect (format).  If only is true, the caller
 * needs no lines of earlier files any more: they are freed. */
void ctx_transcript_begin(struct ctx_transcript *transcript,
    const struct ctx_dialect *dialect, bool only);
/* Adds the next record of the file. */
int ctx_transcript_add(struct ctx_transcript *transcript,
    const struct ctx_record *record, struct ctx_err *err);
/* Must be called after the last line was added.  Decides which lines of the
 * file are active, which means that the agent would send them to the model. */
int ctx_transcript_decide(struct ctx_transcript *transcript,
    struct ctx_err *err);
/* After ctx_transcript_decide, decides anew which lines are active: those that
 * the agent has sent with an earlier request. line: the line with which the
 * response to this request begins.  All lines sent with the request are before
 * this line in the same file.  Each decision replaces the one before.  Takes
 * time in proportion to the number of lines before this one. */
int ctx_transcript_decide_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_err *err);
/* Returns true if a line only adds to what the agent sends to the model: all
 * messages that were sent before it are still sent, and its own message, if it
 * has one, is sent, too.  Returns false if that is not certain. */
bool ctx_transcript_is_appended(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true if a line is a message or a summary, whether it is active or
 * not. */
bool ctx_transcript_is_message(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns the number of the message id of a line.  All lines of a message have
 * the same id.  Returns 0 if the line has none. */
uint32_t ctx_transcript_message_id(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true if a text, which was read again, has the bytes that the line had
 * when it was added. */
bool ctx_transcript_is_same(const struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str text);
/* Returns the place of a line that begins at this offset in its file. */
struct ctx_record_place ctx_transcript_place(
    const struct ctx_transcript *transcript, uint32_t line, uint64_t offset);
/* Returns true if a line is active (the agent would send it).  Adds to *flags:
 * CTX_MESSAGE_IS_CONTINUED and CTX_MESSAGE_CONTINUES, if the message of the
 * line is split over several lines; CTX_MESSAGE_RESULTS_ONLY, if the line is
 * sent only because of its tool results; CTX_MESSAGE_EARLIER, if a later active
 * line is a message of the user. */
bool ctx_transcript_is_active(const struct ctx_transcript *transcript,
    uint32_t line, unsigned *flags);
/* If the response to a request begins with this line, and some line reports the
 * input tokens of the request, returns their number, else 0. */
uint64_t ctx_transcript_billed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Records that a line was removed. */
void ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line);
/* Returns true if ctx_transcript_remove was called for a line. */
bool ctx_transcript_was_removed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true if at least one line of the message that this line belongs to
 * was not removed. */
bool ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true at the first call for any line of a message, and false at later
 * ones.  So a message that has several lines is reported once. */
bool ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line);
/* Returns the index, in the conversation, of the message that an active line
 * belongs to.  If the message is new, because this is its first line, its index
 * is the argument "next". */
uint64_t ctx_transcript_message_index(struct ctx_transcript *transcript,
    uint32_t line, uint64_t next);
/* Returns true if ctx has removed this line.  If the agent has replaced this
 * line by a newer one, returns true if ctx has removed the newer one. */
bool ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Adds the edits that a line needs because other lines were removed.  If its
 * parent was removed, the parent's id is replaced by that of the nearest
 * ancestor that is kept, or by null.  If the line refers to another removed
 * line, that id is replaced by the id of the first later line that is active
 * and is kept.
 * json: the scanned record of the line. */
int ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err);
/* Returns true if ctx_transcript_relink would add an edit. */
bool ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line);
/* Prepares to insert a new line before an existing line.  All removals must
 * have been recorded before.  id: the id of the new line, as a JSON string.
 * Sets *parent to the id of the parent that the caller must write into the new
 * line.  Later, ctx_transcript_relink makes the new line the parent of the
 * existing line, and changes a summary that says that lines from the existing
 * line on are kept: they are then kept from the new line on.  Returns 1, 0 if
 * lines of this format have no ids, or -1 with *err. */
int ctx_transcript_insert_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str id, struct ctx_str *parent,
    struct ctx_err *err);

#endif
