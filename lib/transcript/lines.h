/* lines.h - what ctx knows about each line of an agent's session file, such as
 * whether the agent would still send the line to the model */
#ifndef CTX_TRANSCRIPT_LINES_H
#define CTX_TRANSCRIPT_LINES_H

#include "transcript/transcript.h"

/* Describes one line of a session file.  A file may have millions of lines, so
 * this struct must be small. */
struct ctx_transcript_line {
	/* Number of input tokens of a request, or 0.  Before
	 * ctx_transcript_decide: the number that this line reports, for any
	 * request.  After ctx_transcript_decide: if a response begins with this
	 * line, the number for the request that it answers, which any line may
	 * have reported. */
	uint32_t billed;
	uint32_t length;   /* length of the line in bytes */
	uint32_t checksum; /* checksum of the bytes of the line */
	/* Ids that the line contains (see ctx_line_place), as numbers of the
	 * intern table; 0: the line does not have this id. id: id of the line.
	 * parent: id of its parent. about: id of another line to which it
	 * refers. same: id of its message, which all lines of the message
	 * have. */
	uint32_t id, parent, about, same;
	/* Numbers of other lines; 0: none. parent_line: the line whose id is
	 * "parent". about_line: the line whose id is "about".  But if this line
	 * was removed and successor_known is true, about_line is the line that
	 * other lines must refer to instead of this one. */
	uint32_t parent_line, about_line;
	/* number of the last line that has replaced this line; 0: none */
	uint32_t newer;
	/* id of the new line that ctx inserts before this line; 0: none */
	uint32_t inserted_id;
	union {
		/* If "continues" is true: number of the first line of this
		 * line's message. */
		uint32_t first_line;
		/* If "continues" is false: index of this line's message in the
		 * conversation. */
		uint32_t index;
	};
	union {
		/* Used for a line that removes turns (CTX_LINE_ROLLBACK):
		 * number of turns that it removes. */
		uint32_t turns;
		/* Used for the first line of a message of several lines: how
		 * many of the other lines are kept. */
		uint32_t kept_lines;
	};
	uint8_t dialect; /* index of the line's format, see ctx_dialect_at */
	uint8_t flags;
	uint8_t kind : 4; /* enum ctx_line_kind */
	bool active : 1, removed : 1;
	/* A message may be split over several lines. is_continued: a later line
	 * has the next part of this line's message. continues: an earlier line
	 * has the beginning of this line's message. */
	bool is_continued : 1, continues : 1;
	/* True if the line is active only because it contains tool results: it
	 * is not on the path from the newest leaf to the root. */
	bool results_only : 1;
	/* True if ctx has removed this line, and about_line is the number of
	 * the line that replaces it in references (see find_kept_successor). */
	bool successor_known : 1;
	/* Used for the first line of a message: true once
	 * ctx_transcript_first_of_message was called for the message, so that a
	 * change of the message is reported only once. */
	bool reported : 1;
	bool begins_file : 1; /* first line of a session file */
	/* True if the line is a message of the user with content other than
	 * tool results. */
	bool from_user : 1;
	/* True if this line does not change which earlier lines are active: it
	 * is not sent, or it is sent after all active lines before it. */
	bool is_appended : 1;
};

_Static_assert(sizeof(struct ctx_transcript_line) == 56,
    "transcript.h says how much memory a line takes");

static inline struct ctx_transcript_line *
ctx_transcript_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return &transcript->lines[line - 1];
}

/* Decide which lines of a session file are active: the agent would send them
 * with its next request.  Set the member "active" of these lines.  If a later
 * line has replaced a line, set the member "newer" of the replaced line to the
 * number of the later one.  Return 0, or -1 with *err. */
int ctx_transcript_replay_log(struct ctx_transcript *transcript,
    struct ctx_err *err);
/* Decides which lines are active in a session file whose lines form a tree.
 * before: the first line of a response (as a copy, because the decision changes
 * the lines); the lines that were sent with the request for this response
 * become active.  If before is NULL, the lines that the next request would send
 * become active. */
int ctx_transcript_active_branch(struct ctx_transcript *transcript,
    const struct ctx_transcript_line *before, struct ctx_err *err);

#endif
