/* lines.h - lines of a transcript, and which of them are live */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

struct ctx_transcript_line {
	const struct ctx_dialect *dialect;
	char *text; /* owned; NULL once it is forgotten or somebody else's */
	size_t n, value, value_n;
	const char *file;
	uint64_t number; /* in that file */
	uint64_t billed; /* what the line says, later what is said of it */
	uint32_t id, parent, about, same; /* names, 0: none */
	uint32_t up;                      /* line: its parent */
	uint32_t to;                      /* line: what it is about */
	uint32_t newer; /* line: what replaced it, the last if several did */
	uint32_t ours;  /* name of a line of ours that stands before it */
	uint32_t head;  /* line: the first of its message, 0: it is the first */
	uint32_t lines; /* of a first line's message: others that are left */
	uint64_t index; /* of a first line: number of its message */
	uint32_t turns;
	uint8_t record, kind, flags;
	bool live, gone, more, continues;
	bool beside; /* live for the calls that it answers, off the path */
	bool sought; /* gone, and to is the line to name instead */
	bool named; /* of a first line: ctx_transcript_first_of_message has been
		       asked */
};

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* The bytes of a line that was given out, to be freed; NULL if somebody has
 * them already. */
char *ctx_transcript_set_active(struct ctx_transcript *transcript,
    uint32_t line);

/* Mark what is live of the lines from live->from on, and what was replaced.
 * 0, or -1 with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    struct ctx_err *err);

#endif
