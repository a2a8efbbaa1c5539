/* lines.h - what is known of each line of an agent's session file, such as
 * whether the agent would still send it to the model */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

/* A session file may have millions of lines, so this struct is small. */
struct ctx_transcript_line {
	/* Input tokens of a request.  Until ctx_transcript_decide runs: the
	 * tokens that this line reports for some request.  Afterwards: if a
	 * response begins with this line, the tokens of the request that was
	 * answered; 0 if no line reports the tokens. */
	uint32_t billed;
	uint32_t length;   /* length of the line in bytes */
	uint32_t checksum; /* checksum of the bytes of the line */
	/* Ids that the line contains (see ctx_line_place), as numbers of the
	 * intern table. id: of the line itself. parent: of its parent. about:
	 * of another line to which it refers. same: of the message that the
	 * line is a part of (all lines of the message have this id). 0: the
	 * line has no such id. */
	uint32_t id, parent, about, same;
	/* Numbers of other lines; 0: none. parent_line: the line whose id is in
	 * the member "parent". about_line: the line whose id is in the member
	 * "about".  But if this line was removed and successor_known is true,
	 * about_line is the line to which other lines must refer instead of
	 * this one. */
	uint32_t parent_line, about_line;
	/* number of the last line that has replaced this one; 0: none */
	uint32_t newer;
	/* id of a line that ctx inserts before this one */
	uint32_t inserted_id;
	union {
		/* If "continues" is true: number of the first line of this
		 * line's message. */
		uint32_t first_line;
		/* If "continues" is false: index of the line's message in the
		 * conversation. */
		uint32_t index;
	};
	union {
		/* Only for a line that removes turns (CTX_LINE_ROLLBACK): their
		 * number. */
		uint32_t turns;
		/* Only in the first line of a message that has several lines:
		 * how many of its other lines are kept. */
		uint32_t kept_lines;
	};
	uint8_t dialect; /* index of its format, see ctx_dialect_at */
	uint8_t flags;
	uint8_t kind : 4; /* enum ctx_line_kind */
	bool active : 1, removed : 1;
	/* is_continued: a later line has more of this line's message.
	 * continues: an earlier line has the beginning of this line's
	 * message. */
	bool is_continued : 1, continues : 1;
	/* True if the line is not on the path from leaf to root.  It is then
	 * sent to the model only because it contains tool results. */
	bool results_only : 1;
	/* True if this line was removed, and about_line is the number of the
	 * line that replaces it in references (see find_kept_successor). */
	bool successor_known : 1;
	/* Only in the first line of a message: true once
	 * ctx_transcript_first_of_message was called for the message, so that a
	 * change of the message is reported only once. */
	bool reported : 1;
	bool begins_file : 1; /* first line of a session file */
	/* True if the line is a message of the user that has something besides
	 * tool results. */
	bool from_user : 1;
	/* True if this line does not change which earlier lines are active: the
	 * line is not sent, or its message is sent after those of the active
	 * lines before it. */
	bool is_appended : 1;
};

_Static_assert(sizeof(struct ctx_transcript_line) == 56,
    "transcript.h says how much memory a line takes");

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* Decide which lines of the file the agent would send with its next request.
 * Set the member "active" of these lines.  If a later line has replaced a line,
 * set the member "newer" of the replaced line to the number of the later one.
 * Return 0, or -1 with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
/* Decides which lines are active in a session file whose lines form a tree.
 * before: the first line of a response (a copy, because the decision changes
 * the lines); the lines that were sent with the request for this response
 * become active.  NULL: the lines become active that the next request would
 * send. */
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    const struct ctx_transcript_line *before, struct ctx_err *err);

#endif
