/* lines.h - what ctx knows about each line of an agent's session file, such as
 * whether the agent would still send the line to the model */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

/* Describes one line of a session file.  A file may have millions of lines, so
 * this struct must be small.  Numbers that only some lines have are stored
 * elsewhere (enum ctx_line_value). */
struct ctx_transcript_line {
	uint32_t length;   /* length of the line in bytes */
	uint32_t checksum; /* checksum of the bytes of the line */
	uint8_t dialect;   /* index of the line's format, see ctx_dialect_at */
	uint8_t flags;
	uint8_t kind : 4; /* enum ctx_line_kind */
	bool active : 1, removed : 1;
	/* A message may be split over several lines. is_continued: a later line
	 * has the next part of this line's message. continues: an earlier line
	 * has the part before this line's part. */
	bool is_continued : 1, continues : 1;
	/* True if the line is active (sent to the model) only because it
	 * contains tool results, although it is not on the path from the newest
	 * leaf of the tree of lines to the root. */
	bool results_only : 1;
	/* Used for a line that ctx has removed.  True if CTX_VALUE_ABOUT_LINE
	 * is now the number of the line to which other lines must refer in
	 * place of this line (see find_kept_successor). */
	bool successor_known : 1;
	/* Used for the first line of a message.  True once
	 * ctx_transcript_first_of_message was called for the message, so that a
	 * change of the message is reported only once. */
	bool reported : 1;
	bool begins_file : 1; /* first line of a session file */
	/* true if the line is a message of the user with content other than
	 * tool results */
	bool from_user : 1;
	/* True if this line does not change which earlier lines are active
	 * (sent to the model).  The line itself is not sent, or it is sent
	 * after all active lines before it. */
	bool is_appended : 1;
};

_Static_assert(sizeof(struct ctx_transcript_line) == 12,
    "transcript.h says how much memory a line takes");

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* Returns the number of a given kind (enum ctx_line_value) that is stored for a
 * line, or 0 if none is stored. */
static inline uint32_t
ctx_line_value(const struct ctx_transcript *transcript,
    enum ctx_line_value value, uint32_t line)
{
	return ctx_values_at(&transcript->values[value], line);
}

static inline uint32_t
ctx_line_parent(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_line_value(transcript, CTX_VALUE_PARENT_LINE, line);
}

/* Stores a number of a given kind (enum ctx_line_value) for a line.  Returns 0,
 * or -1 with *err if there is no memory. */
static inline int
ctx_line_set(struct ctx_transcript *transcript, enum ctx_line_value value,
    uint32_t line, uint32_t number, struct ctx_err *err)
{
	return ctx_values_set(&transcript->values[value], line, number, err);
}

/* Changes a number of a line.  The caller must have stored a number of this
 * kind before, for the same line or for a later line, so that the array is long
 * enough. */
static inline void
ctx_line_change(struct ctx_transcript *transcript, enum ctx_line_value value,
    uint32_t line, uint32_t number)
{
	transcript->values[value].list[line] = number;
}

/* Finds the active lines of a session file that is a log (each line may add a
 * message, or replace or remove earlier messages).  A line is active if the
 * agent would send it with its next request.  Sets the member "active" of these
 * lines.  If a later line has replaced an earlier line, sets CTX_VALUE_NEWER of
 * the earlier line to the number of the later line.  Returns 0, or -1 with
 * *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
/* Finds the active lines of a session file whose lines form a tree. before:
 * number of the first line of a response; the lines that were sent with the
 * request for this response become active.  If before is 0, the lines that the
 * agent would send with its next request become active. */
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    uint32_t before, struct ctx_err *err);

#endif
