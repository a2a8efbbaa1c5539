/*
 * transcript.h - which lines of a session file are in the active context
 */
#ifndef CTX_TRANSCRIPT_H
#define CTX_TRANSCRIPT_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "json/json.h"

/* ---- transcript/transcript.c: the active lines of a session file -------- */

/*
 * The records of a session file.  A later line may take earlier ones back, so
 * all are held until the end of the file; then the lines that the agent would
 * send (the active ones) are known.  Lines are numbered from 1 over all
 * transcripts of a stream; 0 means no line.  Memory: the text of the file until
 * its records have been given out, and the ids of its lines.
 */
struct ctx_transcript {
	const struct ctx_dialect *dialect; /* of the file being read */
	struct ctx_transcript_line *lines;
	size_t n, cap;
	size_t from;      /* index of the first line of the file, */
	size_t next;      /* the next to be given out, */
	size_t forgotten; /* and the first whose text is not freed yet */
	struct ctx_intern
	    names;              /* line ids and message ids, as JSON literals */
	uint32_t *newest_of_id; /* the newest line of each id */
	size_t cap_ids;
	struct ctx_json json;  /* of the record given out last, */
	struct ctx_json model; /* and of the file's model: ["name"] */
	struct ctx_buf model_text;
	struct ctx_buf text, literal; /* scratch */
};

void ctx_transcript_init(struct ctx_transcript *transcript, enum ctx_simd simd);
void ctx_transcript_release(struct ctx_transcript *transcript);
/* Begins a file of this dialect.  If only is true, earlier files are freed; all
 * of their records must have been given out. */
void ctx_transcript_begin(struct ctx_transcript *transcript,
    const struct ctx_dialect *dialect, bool only);
/* Adds the next record of the file and takes ownership of text, its bytes; text
 * is freed at an error, too. */
int ctx_transcript_add(struct ctx_transcript *transcript,
    const struct ctx_record *record, char *text, struct ctx_err *err);
/* Decides, after the last line of the file, which of its lines are active. */
int ctx_transcript_decide(struct ctx_transcript *transcript,
    struct ctx_err *err);
/*
 * Gives out the next record, scanned again, and sets *line to its number.
 * Returns 1, 0 after the last record, or -1 with *err.  The text of the record
 * is valid until ctx_transcript_forget, all else until the next call.
 */
int ctx_transcript_next(struct ctx_transcript *transcript,
    struct ctx_record *record, uint32_t *line, struct ctx_err *err);
/* Frees the texts of the records given out so far. */
void ctx_transcript_forget(struct ctx_transcript *transcript);
/* Returns true if the line is active, and sets its IS_CONTINUED and CONTINUES
 * in *flags. */
bool ctx_transcript_is_active(const struct ctx_transcript *transcript,
    uint32_t line, unsigned *flags);
/* Returns the input tokens that a later line reports for the request whose
 * response begins with this line, or 0. */
uint64_t ctx_transcript_billed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Records that the line was removed. */
void ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line);
/* Returns true until all lines of this line's message have been removed. */
bool ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true at the first call for any line of this line's message, so that a
 * message of several lines is reported once. */
bool ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line);
/* Returns the index of an active line's message.  next is the index to use if
 * the line begins a message. */
uint64_t ctx_transcript_message_index(struct ctx_transcript *transcript,
    uint32_t line, uint64_t next);
/* Returns true if the line, or the line that replaced it, was removed. */
bool ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line);
/*
 * Adds the edits that a line needs because other lines were removed: its parent
 * becomes the nearest ancestor that is left, or null; a line that it refers to
 * becomes the next active line that is left.  json is the scanned record.
 */
int ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err);
/* Returns true if ctx_transcript_relink would add an edit. */
bool ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line);
/*
 * Prepares the insertion of a line, whose id is the JSON literal id, before
 * this one; all removals must have been recorded.  Sets *parent to the id that
 * the new line must name as its parent.  This line then gets the new line as
 * its parent, and so do references to removed lines that would move to this
 * line. Returns 1, 0 if lines of this format have no ids, or -1 with *err.
 */
int ctx_transcript_insert_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str id, struct ctx_str *parent,
    struct ctx_err *err);

#endif
