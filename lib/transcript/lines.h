/* lines.h - changes what ctx knows about each line of an agent's session file,
 * such as whether the agent would still send the line to the model */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

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
