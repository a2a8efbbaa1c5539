/*
 * transcript.h - which lines of a session file are in the active context
 */
#ifndef CTX_TRANSCRIPT_H
#define CTX_TRANSCRIPT_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "json/json.h"

/* ---- transcript/transcript.c: what is live in a transcript -------------- */

/*
 * The records of a transcript, held until the file has been read, because
 * what its agent would send is known only then.  Lines are numbered from 1,
 * over all transcripts of a stream; 0 is no line.  Memory: the file, until
 * its records have been given out again, and the ids of its lines.
 */
struct ctx_transcript {
	const struct ctx_dialect *dialect; /* of the file being read */
	struct ctx_transcript_line *lines;
	size_t n, cap;
	size_t from;  /* first line of the file, */
	size_t next;  /* the next to be given out, */
	size_t spent; /* and the first whose text has not been forgotten */
	struct ctx_intern names; /* ids, and what is the same, as literals */
	uint32_t *at;            /* the newest line of each name */
	size_t at_cap;
	struct ctx_json json;  /* of the record given out, */
	struct ctx_json model; /* and of the file's model: ["name"] */
	struct ctx_buf model_text;
	struct ctx_buf text, literal; /* scratch */
};

void ctx_transcript_init(struct ctx_transcript *transcript, enum ctx_simd simd);
void ctx_transcript_release(struct ctx_transcript *transcript);
/* A file of this dialect begins; if it is the only one that matters, those
 * before it, which have been given out, are forgotten. */
void ctx_transcript_begin(struct ctx_transcript *transcript,
    const struct ctx_dialect *dialect, bool only);
/* Takes the next record of the file and its bytes, which were kept; they are
 * freed at an error, too. */
int ctx_transcript_add(struct ctx_transcript *transcript,
    const struct ctx_record *record, char *text, struct ctx_err *err);
/* The file has ended: decides which of its lines are live. */
int ctx_transcript_decide(struct ctx_transcript *transcript,
    struct ctx_err *err);
/*
 * Gives the records out again, as ctx_reader_next does, scanned anew; *line
 * is its number.  Returns 0 when all have been given out.  The text of a
 * record lives until forget, all else until the next call.
 */
int ctx_transcript_next(struct ctx_transcript *transcript,
    struct ctx_record *record, uint32_t *line, struct ctx_err *err);
/* Frees the texts of the records given out so far. */
void ctx_transcript_forget(struct ctx_transcript *transcript);
/* Is the line shown to the model?  Then flags gets its MORE and CONTINUES. */
bool ctx_transcript_is_active(const struct ctx_transcript *transcript,
    uint32_t line, unsigned *flags);
/* The input tokens that a line further on says of the call whose answer begins
 * with this line, or 0. */
uint64_t ctx_transcript_billed(const struct ctx_transcript *transcript,
    uint32_t line);
/* The line has been dropped. */
void ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line);
/* True while a line of this line's message has not been dropped. */
bool ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line);
/* True the first time that a line of this line's message is asked for. */
bool ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line);
/* The number of a live line's message; next: that of a message that begins
 * with this line. */
uint64_t ctx_transcript_message_index(struct ctx_transcript *transcript,
    uint32_t line, uint64_t next);
/* Has it, or the line that replaced it? */
bool ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line);
/*
 * Notes the edits that a line needs because of dropped ones: its parent is
 * then the nearest ancestor that is left, or null; what it is about is the
 * next live line that is left.  json is the scanned record.
 */
int ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err);
/* Would it note any? */
bool ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line);
/*
 * A line of ours will stand before this one.  *parent is what it must name as
 * its parent, once all lines that go have been dropped; id (a literal) is
 * what the line then names instead, and what was about a dropped line for
 * which this one would stand.  Returns 1, or 0 where the lines have no ids
 * and follow one another, -1 with *err.
 */
int ctx_transcript_insert_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str id, struct ctx_str *parent,
    struct ctx_err *err);

#endif
