/* lines.h - lines of a transcript, and which of them are active */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

struct ctx_transcript_line {
	const struct ctx_dialect *dialect;
	char *text; /* owned; NULL once freed or taken by another owner */
	size_t n, value, value_n;
	const char *file;
	uint64_t number; /* in that file, from 1 */
	uint64_t billed; /* input tokens reported by the line; after
			    ctx_transcript_decide: for it */
	/* Ids of ctx_line_place, interned; 0: none. */
	uint32_t id, parent, about, same;
	/* Numbers of lines; 0: none.  The line of the id parent; that of the id
	 * about, or once successor_known the line to refer to instead. */
	uint32_t parent_line, about_line;
	uint32_t newer; /* the line that replaced it; of several the last */
	uint32_t inserted_id; /* id of a line that ctx inserts before it */
	uint32_t first_line;  /* first line of its message; 0: this one */
	/* In the first line of a message: how many of its other lines are kept,
	 * and the index of the message. */
	uint32_t kept_lines;
	uint64_t index;
	uint32_t turns;
	uint8_t record, kind, flags;
	bool active, removed;
	bool is_continued, continues; /* by, and a line of its message */
	bool results_only; /* active only for its tool results; not on the path
			      from tip to root */
	bool successor_known; /* removed, and about_line is its successor */
	/* In the first line: ctx_transcript_first_of_message was called. */
	bool reported;
};

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* Takes the bytes of a line that was given out; the caller must free them.
 * Returns NULL if they were taken before. */
char *ctx_transcript_take_text(struct ctx_transcript *transcript,
    uint32_t line);

/* Set active for the lines of the file that are active, and newer for those
 * that were replaced.  Return 0, or -1 with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    struct ctx_err *err);

#endif
