/* lines.h - what is known of each line of a session file, and whether the
 * agent would still send it to the model */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

struct ctx_transcript_line {
	const struct ctx_dialect *dialect;
	/* bytes of the line, owned by this struct; NULL once they were freed
	 * or another owner took them */
	char *text;
	size_t n, value, value_n;
	const char *file;
	uint64_t number; /* in that file, from 1 */
	/* Number of input tokens that this line reports.  After
	 * ctx_transcript_decide: number that another line reports for the
	 * response that begins with this line. */
	uint64_t billed;
	/* Interned ids that the line contains (see ctx_line_place): its own,
	 * its parent's, that of a line it is about, and that of its message;
	 * 0: none. */
	uint32_t id, parent, about, same;
	/* Numbers of the lines whose ids are parent and about; 0: none.  Once
	 * successor_known is true, about_line is the line to which references
	 * to this removed line are moved. */
	uint32_t parent_line, about_line;
	/* number of the last line that replaced this line; 0: none */
	uint32_t newer;
	uint32_t inserted_id; /* id of a line that ctx inserts before it */
	uint32_t first_line;  /* first line of its message; 0: this one */
	/* Set in the first line of a message that has several lines: how many
	 * of the other lines are kept, and the index of the message in the
	 * conversation. */
	uint32_t kept_lines;
	uint64_t index;
	uint32_t turns;
	uint8_t record, kind, flags;
	bool active, removed;
	bool is_continued, continues; /* by, and a line of its message */
	/* true if the line is not on the path from leaf to root, and is sent
	 * to the model only because of its tool results */
	bool results_only;
	/* true if this line was removed and about_line is the line that
	 * references are moved to */
	bool successor_known;
	/* Set in the first line of a message: true once
	 * ctx_transcript_first_of_message was called for the message. */
	bool reported;
};

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* Returns the bytes of a line that ctx_transcript_next has returned; the
 * caller must free them.  Returns NULL if they were taken before. */
char *ctx_transcript_take_text(struct ctx_transcript *transcript,
    uint32_t line);

/* Set active in those lines of the file that the agent would send, and newer
 * in those that a later line replaced.  Return 0, or -1 with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    struct ctx_err *err);

#endif
