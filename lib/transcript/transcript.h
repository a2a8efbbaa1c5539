/* transcript.h - reads session files of agents, and finds which of their lines
 * are sent to the model */
#ifndef CTX_TRANSCRIPT_H
#define CTX_TRANSCRIPT_H

#include "base/base.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "io/second_pass.h"
#include "json/json.h"
#include "transcript/line_ids.h"

/* ---- transcript/transcript.c: session files, and which lines are sent --- */

/* Kinds of numbers that are stored for lines of session files.  A line need not
 * have a number of each kind.  Lines are identified by their line numbers: the
 * lines of all session files of a stream are counted together, from 1; 0 means
 * no line.  A kind that no line has takes no memory.  Most formats need only a
 * few kinds. */
enum ctx_line_value {
	/* Ids in the line (see ctx_line_place), as numbers in the table
	 * ctx_transcript.ids.  ID: id of the line itself.  PARENT: id of its
	 * parent.  ABOUT: id of another line, not the parent, to which the line
	 * refers. */
	CTX_VALUE_ID,
	CTX_VALUE_PARENT,
	CTX_VALUE_ABOUT,
	/* Id of the message to which the line belongs, as a number in the table
	 * ctx_transcript.messages.  All lines of a message have the same
	 * number. */
	CTX_VALUE_SAME,
	/* Line numbers of other lines.  PARENT_LINE: the line whose id is
	 * CTX_VALUE_PARENT.  ABOUT_LINE: the line whose id is CTX_VALUE_ABOUT.
	 * Exception: for a removed line whose member successor_known is true,
	 * ABOUT_LINE is the line to which other lines must refer in place of
	 * the removed line. */
	CTX_VALUE_PARENT_LINE,
	CTX_VALUE_ABOUT_LINE,
	/* Number of the line that has replaced this line.  If several lines
	 * have replaced it one after another: number of the last of these
	 * lines. */
	CTX_VALUE_NEWER,
	/* Used for a message that is split over several lines.  In its first
	 * line: index of the message in the conversation.  In each other line:
	 * number of the first line. */
	CTX_VALUE_FIRST_LINE,
	/* Used for the first line of a message that is split over several
	 * lines: how many of its other lines ctx has not removed. */
	CTX_VALUE_KEPT_LINES,
	/* Used for a line that removes turns (CTX_LINE_ROLLBACK): how many
	 * turns the line removes. */
	CTX_VALUE_TURNS,
	/* Number of billed input tokens of a request.  At first stored for the
	 * line that reports this number. ctx_transcript_decide moves the number
	 * to the first line of the response to the request. */
	CTX_VALUE_BILLED,
	/* Id of the new line that ctx inserts before this line, as a number in
	 * the table ctx_transcript.ids; 0 if ctx inserts no line. */
	CTX_VALUE_INSERTED_ID,
	CTX_LINE_VALUES
};

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
	bool only_reasoning : 1; /* see ctx_line_place */
};

_Static_assert(sizeof(struct ctx_transcript_line) == 12,
    "transcript.h says how much memory a line takes");

/* The lines of an agent's session file.  Each line is a JSON record.  A line is
 * active if the agent would send its message with the next request.  A later
 * line can remove or replace earlier lines, so the active lines are known only
 * at the end of the file.  So the file is read twice, and its records are
 * returned to the caller at the second time.  A struct of zeros is valid.
 * Memory: 12 bytes for each line, 4 for each number of a line (enum
 * ctx_line_value), and about 30 for each id. */
struct ctx_transcript {
	/* Dialect (format) of the file that is being read, and its index in the
	 * table of dialects. */
	const struct ctx_dialect *dialect;
	uint8_t dialect_index;
	struct ctx_transcript_line *lines;
	size_t n, cap;
	/* number of the last line before the file that is being read; 0 if this
	 * is the first file */
	size_t from;
	/* For each kind of number (enum ctx_line_value): an array with the
	 * number of each line.  The index is the line number, so the element
	 * with index 0 is not used. */
	struct ctx_values values[CTX_LINE_VALUES];
	/* Id of the newest line of the file that is in the tree of lines (in
	 * which each line contains the id of its parent), as a number in the
	 * table ids.  0 if there is none. */
	uint32_t newest_id;
	struct ctx_line_ids ids;      /* ids of lines */
	struct ctx_line_ids messages; /* ids of messages */
	/* For each id of a message: 1 if a line of the message contains more
	 * than reasoning, else 0.  The element 0 is 1, because a response
	 * without id is sent. */
	struct ctx_values more_than_reasoning;
	/* For each id: number of the newest line that has this id.  While the
	 * file is read for the first time: number of the newest line that has
	 * this id, or whose parent has this id. */
	struct ctx_values newest_of_id;
	/* Number of the last active line (sent to the model) with a message of
	 * the user; 0 if there is none. */
	uint32_t last_user;
	/* Number of the active line whose parent is not in the file, so that
	 * the messages before it are not known; 0 if there is no such line. */
	uint32_t orphan;
	struct ctx_message message; /* scratch memory */
	/* JSON string with the last model that the file names, without the
	 * models of subagents; in a file that has only lines of subagents: with
	 * the first one */
	struct ctx_buf model;
	struct ctx_buf text, literal; /* scratch memory */
	char id[CTX_UUID_LITERAL];    /* scratch memory for the text of an id */
};

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

void ctx_transcript_release(struct ctx_transcript *transcript);
/* Begins to read a session file in this dialect (format).  If the argument
 * "only" is true, frees the lines of all earlier files. */
void ctx_transcript_begin(struct ctx_transcript *transcript,
    const struct ctx_dialect *dialect, bool only);
/* Adds the next line of the session file. */
int ctx_transcript_add(struct ctx_transcript *transcript,
    const struct ctx_record *record, struct ctx_err *err);
/* Reads how a line of a session file is connected with other lines (such as its
 * id and the id of its parent) into *place.  Returns the dialect (format) of
 * the line. json: parsed JSON of the line. */
const struct ctx_dialect *ctx_transcript_read_line(
    const struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_line_place *place);
/* Decides which lines of the file are active (the agent would send them to the
 * model).  The caller must have added the last line. */
int ctx_transcript_decide(struct ctx_transcript *transcript,
    struct ctx_err *err);
/* Finds the lines that were active (sent to the model) when the agent made an
 * earlier request.  Changes which lines are active, so the result of
 * ctx_transcript_decide, or of an earlier call, is lost.  The caller must have
 * called ctx_transcript_decide. line: the first line of the response to the
 * earlier request.  All lines that were sent with this request come before the
 * response, in the same file.  Takes time in proportion to the number of lines
 * of the file. */
int ctx_transcript_decide_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_err *err);
/* Returns true if a line is a message or a summary, even if the line is not
 * sent to the model. */
bool ctx_transcript_is_message(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true if a line that was read for the second time has the same bytes
 * as the first time. */
bool ctx_transcript_is_same(const struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str text);
/* Returns where a line is in its file, so that it can be read again, with its
 * length and checksum. offset: offset of the line in bytes. */
struct ctx_record_place ctx_transcript_place(
    const struct ctx_transcript *transcript, uint32_t line, uint64_t offset);
/* Returns true if a line is active: the agent would send it.  Adds flags to
 * *flags:
 * - CTX_MESSAGE_IS_CONTINUED, CTX_MESSAGE_CONTINUES: the message of the line is
 *   split over several lines, and this line is not the last, or not the first,
 *   of them;
 * - CTX_MESSAGE_RESULTS_ONLY: the line is sent only because of its tool
 *   results;
 * - CTX_MESSAGE_EARLIER: a later active line is a message of the user;
 * - CTX_MESSAGE_HIDDEN, also if the line is not active: the agent never sends
 *   the message of the line, because it is only reasoning. */
bool ctx_transcript_is_active(const struct ctx_transcript *transcript,
    uint32_t line, unsigned *flags);
/* Stores that ctx has removed a line. */
void ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line);
/* Returns true if at least one line of the message to which this line belongs
 * was not removed. */
bool ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line);
/* Returns true in the first call for any line of the message to which the line
 * belongs, and false in later calls.  So a message with several lines is
 * reported once. */
bool ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line);
/* Returns the index in the conversation of the message to which an active line
 * (sent to the model) belongs.  If this is the first line of the message,
 * returns the argument "next". */
uint64_t ctx_transcript_message_index(struct ctx_transcript *transcript,
    uint32_t line, uint64_t next);
/* Returns true if ctx has removed this line.  If the agent has replaced this
 * line by a newer line, returns true if ctx has removed the newer line. */
bool ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line);
/* Adds the edits that a line needs because other lines were removed or inserted
 * (see ctx_transcript_insert_before):
 * - If the parent of the line was removed, the parent's id is replaced by the
 *   id of the nearest ancestor that is kept, or by null.
 * - If the line refers to another line that was removed, the id of that line is
 *   replaced by the id of the next line after the removed line that is active
 *   (sent to the model) and kept.
 * json: the parsed line. */
int ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err);
/* Returns true if ctx_transcript_relink may add an edit to a line, false if it
 * certainly adds none. */
bool ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line);
/* Prepares the insertion of a new line before an existing line.  The caller
 * must first call ctx_transcript_remove for all removed lines. id: id of the
 * new line, as a JSON string.  Sets *parent to the id of the parent, which the
 * caller must write into the new line. *parent is valid until the next call of
 * this function or of ctx_transcript_relink.  Returns 1, or 0 if the existing
 * line has no id, or -1 with *err.
 *
 * Later, ctx_transcript_relink makes the new line the parent of the existing
 * line.  If a summary says that lines are kept from the existing line on,
 * ctx_transcript_relink changes the summary: it then says that lines are kept
 * from the new line on. */
int ctx_transcript_insert_before(struct ctx_transcript *transcript,
    uint32_t line, struct ctx_str id, struct ctx_str *parent,
    struct ctx_err *err);

#endif
