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
	uint32_t id, parent, about, same; /* ids; 0: none */
	uint32_t up;                      /* its parent (a line) */
	uint32_t to;                      /* the line that about names */
	uint32_t newer; /* the line that replaced it; of several the last */
	uint32_t ours;  /* id of a line that ctx inserts before it */
	uint32_t head;  /* first line of its message; 0: this one */
	uint32_t lines; /* first line: its message's other kept lines */
	uint64_t index; /* first line: index of its message */
	uint32_t turns;
	uint8_t record, kind, flags;
	bool live, gone, more, continues;
	bool beside; /* active only for its tool results; not on the path from
			tip to root */
	bool sought; /* removed, and to is the line to refer to instead */
	bool named; /* first line: ctx_transcript_first_of_message was called */
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

/* Set live for the lines of the file that are active, and newer for those that
 * were replaced.  Return 0, or -1 with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    struct ctx_err *err);

#endif
