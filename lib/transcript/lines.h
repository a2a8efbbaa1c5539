/* lines.h - what is known of each line of an agent's session file, such as
 * whether the agent would still send it to the model */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

struct ctx_transcript_line {
	const struct ctx_dialect *dialect;
	/* Bytes of the line, owned by this struct.  NULL once they were freed
	 * or another owner has taken them. */
	char *text;
	size_t n, value, value_n;
	const char *file;
	uint64_t number; /* number of the line in that file, from 1 */
	/* Number of input tokens that this line reports.  After
	 * ctx_transcript_decide: number that another line reports for the
	 * request whose response begins with this line. */
	uint64_t billed;
	/* Ids that the line contains (see ctx_line_place), as numbers of the
	 * intern table: its own id, that of its parent, that of another line
	 * to which it refers (about), and that of its message (same). 0: the
	 * line has no such id. */
	uint32_t id, parent, about, same;
	/* Numbers of other lines: the one with the id parent, and the one with
	 * the id about; 0: none.  If this line was removed and successor_known
	 * is true, about_line is the line that takes its place: references to
	 * this line are changed to that one. */
	uint32_t parent_line, about_line;
	/* number of the last line that has replaced this one; 0: none */
	uint32_t newer;
	/* id of a line that ctx inserts before this one */
	uint32_t inserted_id;
	/* number of the first line of its message; 0: this one */
	uint32_t first_line;
	/* Only in the first line of a message that has several lines: how many
	 * of the other lines are kept, and the index of the message in the
	 * conversation. */
	uint32_t kept_lines;
	uint64_t index;
	uint32_t turns;
	uint8_t record, kind, flags;
	bool active, removed;
	/* is_continued: a later line continues the message of this one.
	 * continues: this line continues that of an earlier one. */
	bool is_continued, continues;
	/* True if the line is not on the path from leaf to root, and is sent
	 * to the model only because of its tool results. */
	bool results_only;
	/* True if this line was removed, and about_line is the line that takes
	 * its place. */
	bool successor_known;
	/* Only in the first line of a message: true once
	 * ctx_transcript_first_of_message was called for the message. */
	bool reported;
};

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* Returns the bytes of a line that ctx_transcript_next has returned.  The
 * caller must free them.  Returns NULL if they were taken before. */
char *ctx_transcript_take_text(struct ctx_transcript *transcript,
    uint32_t line);

/* Find out which lines of the file the agent would send: set active in these
 * lines, and newer in lines that a later one has replaced.  Return 0, or -1
 * with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    struct ctx_err *err);

#endif
