/* transcript.h - session files of agents, and which of their lines are sent to
 * the model */
#ifndef CTX_TRANSCRIPT_H
#define CTX_TRANSCRIPT_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "json/json.h"

/* ---- transcript/transcript.c: session files, and which lines are sent --- */

/* The records (lines) of an agent's session file.  A later line can remove or
 * replace earlier ones, so all lines are kept in memory until the end of the
 * file.  Then it is known which are active: those whose messages the agent
 * would send with its next request.  Lines are numbered from 1 over all
 * session files of a stream; 0 means no line.  Memory: the text of the file
 * until its records have been returned, and the ids of its lines. */
struct ctx_transcript {
	const struct ctx_dialect *dialect; /* of the file being read */
	struct ctx_transcript_line *lines;
	size_t n, cap;
	size_t from; /* index of the first line of the file, */
	size_t next; /* the next to be given out, */
	/* index of the first line whose text has not been freed yet */
	size_t forgotten;
	struct ctx_intern
	    names;              /* ids of lines and messages, as JSON strings */
	uint32_t *newest_of_id; /* the newest line of each id */
	size_t cap_ids;
	struct ctx_json json;  /* of the record given out last, */
	struct ctx_json model; /* and of the file's model: ["name"] */
	struct ctx_buf model_text;
	struct ctx_buf text, literal; /* scratch */
};

void ctx_transcript_init(struct ctx_transcript *transcript, enum ctx_simd simd);
void ctx_transcript_release(struct ctx_transcript *transcript);
/* Begins a session file in this dialect (format).  If only is true, the lines
 * of earlier files are freed; ctx_transcript_next must have returned all of
 * them. */
void ctx_transcript_begin(struct ctx_transcript *transcript,
    const struct ctx_dialect *dialect, bool only);
/* Adds the next record of the file.  Takes ownership of text, its bytes, which
 * are freed also if there is an error. */
int ctx_transcript_add(struct ctx_transcript *transcript,
    const struct ctx_record *record, char *text, struct ctx_err *err);
/* Decides which lines of the file are active (the agent would send them to the
 * model); called after the last line was added. */
int ctx_transcript_decide(struct ctx_transcript *transcript,
    struct ctx_err *err);
/* Returns the next record of the file, scanned again, and sets *line to its
 * number.  The return value is 1, 0 after the last record, or -1 with *err.
 * The bytes of the record are valid until ctx_transcript_forget, all else
 * until the next call. */
int ctx_transcript_next(struct ctx_transcript *transcript,
    struct ctx_record *record, uint32_t *line, struct ctx_err *err);
/* Frees the bytes of the records that ctx_transcript_next has returned so far.
 */
void ctx_transcript_forget(struct ctx_transcript *transcript);
/* Returns true if the line is active (the agent would send it), and sets
 * CTX_MESSAGE_IS_CONTINUED and CTX_MESSAGE_CONTINUES in *flags if they hold
 * for its message. */
bool ctx_transcript_is_active(const struct ctx_transcript *transcript,
    uint32_t line, unsigned *flags);
/* Returns the input tokens of the request whose response begins with this
 * line, if a later line reports them; else 0. */
uint64_t ctx_transcript_billed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Records that the line was removed. */
void ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line);
/* Returns true as long as any line of the message that this line belongs to is
 * not removed. */
bool ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true once for each message: at the first call for any of its lines.
 * So a message of several lines is reported once. */
bool ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line);
/* Returns the index, in the conversation, of the message that an active line
 * belongs to.  If the line is the first of its message, this call gives the
 * message its index. next: the index of a new message. */
uint64_t ctx_transcript_message_index(struct ctx_transcript *transcript,
    uint32_t line, uint64_t next);
/* Returns true if this line, or the line that replaced it, was removed. */
bool ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Adds the edits that a line needs because other lines were removed.  The
 * parent's id becomes that of the nearest ancestor that is kept, or null; the
 * id of another line that it refers to becomes that of the next active line
 * that is kept. json is the scanned record. */
int ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err);
/* Returns true if ctx_transcript_relink would add an edit. */
bool ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line);
/* Prepares the insertion of a new line before this one. id: the id of the new
 * line, as a JSON string.  All removals must have been recorded before.  Sets
 * *parent to the id that the new line must contain as the id of its parent.
 * ctx_transcript_relink then makes the new line the parent of this one.  It
 * also changes a summary that keeps the lines from this one on: the summary
 * then keeps them from the new line on.  Returns 1, 0 if lines of this format
 * have no ids, or -1 with *err. */
int ctx_transcript_insert_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str id, struct ctx_str *parent,
    struct ctx_err *err);

#endif
