/* stream.h - reads conversations and messages from a stream of JSON records */
#ifndef CTX_STREAM_H
#define CTX_STREAM_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "json/json.h"
#include "message/message.h"
#include "transcript/transcript.h"

/* ---- stream/stream.c: records, conversations, messages ------------------ */

enum ctx_event_kind {
	CTX_EVENT_BEGIN, /* a conversation inside a record begins */
	/* a message: inside a record, or a record of its own */
	CTX_EVENT_MESSAGE,
	/* an element of a conversation inside a record for which no
	 * CTX_EVENT_MESSAGE is returned */
	CTX_EVENT_UNKNOWN,
	CTX_EVENT_END,    /* the conversation inside the record ends */
	CTX_EVENT_RECORD, /* the record has ended, so it can be written */
};

/*
 * A step in reading a stream.  A record that is a message gives the events
 * MESSAGE and RECORD.  In a record that contains conversations, each
 * conversation gives BEGIN, then a MESSAGE or UNKNOWN for each element, then
 * END.  RECORD comes after the last conversation.  Any other record gives only
 * RECORD.
 *
 * All records that are messages form one conversation, which ends with the
 * stream.  Pointers in an event are valid until the next event.  Pointers into
 * the bytes of a record are valid until the event after the record's event
 * RECORD.  A message that is not sent to the model, such as an inactive line of
 * a session file, gives UNKNOWN or only RECORD, unless include_hidden is true.
 */
struct ctx_event {
	enum ctx_event_kind kind;
	const struct ctx_record *record;
	/* Says whether the record is a message.  If the record contains a
	 * conversation, says at which JSON nodes the messages are. */
	const struct ctx_record_layout *layout;
	const struct ctx_message *message; /* used only for MESSAGE */
	/* For MESSAGE: the token counts of the message, if a thread of
	 * ctx_stream_count_ahead has already counted them; otherwise NULL.
	 * counted_by: the token counter with which they were counted. */
	const struct ctx_cost *cost;
	const struct ctx_counter *counted_by;
	/* For the events MESSAGE and UNKNOWN: JSON node of the message in the
	 * record. */
	uint32_t node;
	/* Number of the record's line in ctx_stream.transcript, the list of the
	 * lines of session files; 0 if the record is not from a session
	 * file. */
	uint32_t line;
	/* True if the conversation is inside the record.  False if each message
	 * of the conversation is a record of its own. */
	bool inside;
};

/* The detected dialect (format) of a stream, and how the dialect was detected.
 * Shown to users. */
struct ctx_found {
	/* the dialect, or NULL if no message was found */
	const struct ctx_dialect *dialect;
	/* the key or value by which the dialect was detected; "choice" if the
	 * user has chosen the dialect */
	const char *why;
	/* File and line of the key or value by which the dialect was detected.
	 * file is NULL if the stream has no record.  If no message was found:
	 * file and line of the first record that has messages at a path which
	 * ctx does not read (suggested_path).  If there is no such record: file
	 * and line of the first JSON record. */
	const char *file;
	uint64_t line;
	/* Where a record seems to have messages that ctx does not read. */
	struct ctx_suggested_path suggested_path;
	/* True if a message was found that is possible only in this dialect
	 * (format).  False if all messages are also possible in other
	 * dialects. */
	bool decisive;
	/* true if a message makes this dialect likely, but is also possible in
	 * other dialects */
	bool likely;
	bool others; /* true if the stream has records in several dialects */
	/* True once a message or a response was found, even a message that is
	 * not sent to the model.  False if there were only requests with empty
	 * lists of messages. */
	bool has_message;
};

/* A stream: reads records, detects their format, and returns events.  A message
 * that is possible in every dialect (format) is read in the dialect of the
 * stream's other messages.  A session file is read twice, from its first line
 * to its end.  If it is not a regular file, it is kept in memory until the
 * second reading.  To use a stream, zero the struct, then set reader and the
 * options below. */
struct ctx_stream {
	struct ctx_reader *reader;
	/* dialect chosen by the user, or NULL */
	const struct ctx_dialect *forced;
	/* True if ctx_stream_next also returns messages that are not sent to
	 * the model. */
	bool include_hidden;
	/* True if the caller uses line numbers (ctx_event.line) of a session
	 * file after the file was read, for example to remove lines.  The lines
	 * and the links between them (from a line to its parent line) are then
	 * kept in memory until the end of the stream. */
	bool track_links;
	/* True if the caller needs whole conversations, so that it may read the
	 * beginning of the stream before the first event is returned, to learn
	 * the model and the dialect by which tokens are counted. */
	bool looks_ahead;
	/* True if each message must be processed as soon as it was read: then
	 * nothing is read ahead. */
	bool at_once;
	/* The dialect that was learned in this way, or NULL before that.
	 * foresees_certainly: true if a message is possible only in this
	 * dialect, false if the dialect is only likely. */
	const struct ctx_dialect *foreseen;
	bool foresees_certainly;
	/* The JSON string with the first model that a message names which is a
	 * record of its own, learned in the same way; empty if none does. */
	struct ctx_buf foreseen_model;
	/* The reader that has read ahead, or NULL.  Nothing more is read with
	 * it.  It is closed only with the stream, because closing it frees a
	 * large block: after that, glibc maps new large blocks no longer
	 * (mmap), but takes them from the heap, where a growing buffer is
	 * copied. */
	struct ctx_reader *ahead_reader;
	/* dialect detected so far, or NULL */
	const struct ctx_dialect *dialect;
	/* A dialect (format) that a message makes likely, but that is not
	 * certain, or NULL.  Used only as long as the member "dialect" is
	 * NULL. */
	const struct ctx_dialect *likely;
	struct ctx_found found;
	/* The first message in another dialect than the messages before: where
	 * it is, and its dialect, which is NULL if there is no such message. */
	struct {
		const char *file;
		uint64_t line;
		const struct ctx_dialect *dialect;
	} mixed;
	/* If the user has chosen a dialect (member "forced"): the first message
	 * that is in another dialect.  file, line: where it is.  why: the key
	 * or value that shows its dialect.  dialect: its dialect, or NULL if
	 * there is no such message. */
	struct {
		const char *file, *why;
		uint64_t line;
		const struct ctx_dialect *dialect;
	} overruled;
	/* The newest line with which the conversation of a session begins
	 * although its parent is not in the file, so that earlier messages are
	 * not known.  Only file and line are valid; file is NULL if there is no
	 * such line. */
	struct ctx_record orphan;
	/* Number of records that are not JSON.  Counted only if the reader is
	 * lenient; otherwise such a record is an error. */
	uint64_t bad;
	/* error of the first record that is not JSON */
	struct ctx_err first_bad;
	/* The members from here on are the state of reading.  Only the
	 * functions of lib/stream change them. */
	struct ctx_record record;
	struct ctx_record_layout layout, inner;
	/* the request in the record, if the record contains it as a JSON
	 * string */
	struct ctx_coded_value coded;
	struct ctx_message parsed;
	/* the session file, or NULL if none was found */
	struct ctx_transcript *transcript;
	/* line: number of the record's line in the transcript. last_line:
	 * number of the last line of the record's file.  Both are 0 if the
	 * record is not from a session file. */
	uint32_t line, last_line;
	/* Where ctx_stream_next continues inside the record: JSON node of the
	 * next conversation, and JSON node of the next message. */
	uint32_t conversation, message;
	/* JSON node of a message.  Earlier messages of the conversation are not
	 * sent to the model, because the agent has replaced them by a
	 * summary. */
	uint32_t first;
	/* JSON node of the last message of the user in the conversation inside
	 * the record. 0 if there is none, or if it was not searched yet
	 * (user_searched is false). */
	uint32_t last_user;
	bool user_searched;
	/* scratch memory for searching the last message of the user */
	struct ctx_message ahead;
	/* A key or value which shows that the messages read so far have the
	 * format of Chat Completions, or NULL. */
	const char *chat;
	/* true once a message was read that is a record of its own */
	bool begun;
	/* true if the first message of the stream is a system message */
	bool system_first;
	int state;
	/* the event that ctx_stream_peek has read, if has_peeked is true */
	struct ctx_event peeked;
	bool has_peeked;
	/* true once a part of the stream cannot be returned any more, because
	 * ctx_stream_next was called, or reading has failed */
	bool started;
	/* The threads that count the tokens of messages before ctx_stream_next
	 * returns them, or NULL if there are none. */
	struct ctx_count_ahead *prefetch;
};
int ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* Sets *event to the first event, which the first call of ctx_stream_next will
 * return.  Returns 1, or 0 if the stream has no events, or -1 with *err. */
int ctx_stream_peek(struct ctx_stream *stream, const struct ctx_event **event,
    struct ctx_err *err);
/* Returns the dialect (format) of the messages read so far: the detected
 * dialect.  If none was detected, the dialect that messages make likely, or
 * generic. */
const struct ctx_dialect *ctx_stream_dialect(const struct ctx_stream *stream);
/* Finds the model of a conversation, and sets *model_counter to the model's
 * token counter.  If no model is named, the dialect decides how tokens are
 * counted. event: the event at which the conversation begins. */
int ctx_stream_measure(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Called for each later message of a conversation in which each message is a
 * record.  If no model is named, and this message shows the dialect that
 * decides how tokens are counted, replaces *model_counter.  So does the first
 * message that is possible in only one dialect, if *model_counter was chosen
 * by a message that made another dialect likely. */
int ctx_stream_update_counter(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to how the provider of the conversation's model treats reasoning
 * when anything before it was changed (ctx_model_binds). */
int ctx_stream_binds(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    enum ctx_binding *binds, struct ctx_err *err);
/* Sets *model to the conversation's model in the table of models, or to NULL if
 * the table does not contain it. */
int ctx_stream_model(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    const struct ctx_model **model, struct ctx_err *err);
/* Sets *cost to the token counts of the event's message. counter: the token
 * counter of the message's conversation. */
int ctx_stream_cost(const struct ctx_event *event, struct ctx_counter *counter,
    struct ctx_cost *cost, struct ctx_err *err);
/* Returns the bytes of the event's record in memory that the caller must free
 * (see ctx_reader_keep), or NULL with *err. */
char *ctx_stream_keep(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_err *err);
/* Sets file and line of *err to those of the record that was read last, unless
 * *err already has a file and line.  Returns -1. */
int ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err);
/* Frees the memory of the stream, but not its reader. */
void ctx_stream_release(struct ctx_stream *stream);

/* ---- stream/count_ahead.c: counting in several threads ------------------- */

/* maximum number of threads that count messages */
#define CTX_MOST_THREADS 1024
/*
 * Lets several threads count the tokens of messages before their events are
 * returned. threads: number of threads, with that of the caller.  If threads is
 * 0 or 1, does nothing.  The events and their order do not change.  Up to 2 *
 * threads parts of the stream, of 256 KiB or one record each, are copied into
 * memory.  Each thread has its own token counter.  Messages of session files
 * are not counted ahead.
 *
 * The caller must call this before the first event. counters must be those used
 * for all conversations, and must stay valid until the last event.
 */
int ctx_stream_count_ahead(struct ctx_stream *stream,
    struct ctx_model_counters *counters, unsigned threads, struct ctx_err *err);

/* ---- stream/change_report.c: reports of changes ------------------------- */

struct ctx_finding;

/* A change that is reported: the command has removed or edited a record
 * (identified by its message), edited a member of a request, or inserted a
 * message or block. */
struct ctx_change {
	const char *file;
	uint64_t line;
	/* index of the message in its conversation, from 0 */
	uint64_t index;
	enum ctx_role role;
	/* Empty if a message was changed.  If a member of a request was
	 * changed: the key of this member; index, role, tool and tokens are
	 * then not set. */
	struct ctx_str member;
	/* True if the change is in a line of a session file that is not sent to
	 * the model; index, role, tool and tokens are then not set. */
	bool aside;
	/* For the action "add": true if a block was inserted; false if a
	 * message was inserted. */
	bool is_block;
	/* True if the message is split over several records, and the action was
	 * already reported for an earlier record of the message.  The caller
	 * can thus count each message once. */
	bool continues;
	/* Tool name of the message's first tool call or tool result; its length
	 * n is 0 if there is none. */
	struct ctx_str tool;
	const char *rule; /* reason for the change */
	/* the violation of a rule that the change repairs (ctx-check), or
	 * NULL */
	const struct ctx_finding *finding;
	/* The action: "drop" (the record was removed), "edit", "relink" (the
	 * parent of a line of a session file was changed), or "add" (a message
	 * or block was inserted; ctx-check: "insert").  For cache breakpoints:
	 * "mark" (a breakpoint was added) or "strip" (breakpoints were
	 * removed). */
	const char *action;
	bool ranked;
	/* Set if ranked is true: the rank of the message's group (tool call
	 * with its results, or another message).  Groups with low ranks are
	 * removed first. */
	double rank;
	/* Number of tokens before and after the change.  For a message with
	 * several records: sum over its records reported so far. */
	uint64_t before, after;
	/* The bytes before the change or, for the action "add", the bytes that
	 * were inserted.  Empty after ctx_report_keep. */
	struct ctx_str bytes;
	/* SHA-256 of the bytes in the member "bytes", as hex digits.  Empty
	 * unless ctx_report.hashes is true. */
	char sha256[65];
};

/* Where and how changes are reported, and the archive to which the bytes before
 * a change are written. */
struct ctx_report {
	/* True in a dry run: no output, archive or other file is written. */
	bool dry_run;
	/* true if ctx_change.sha256 must be set */
	bool hashes;
	struct ctx_archive *archive; /* the archive, or NULL */
	void *user;
	/* Called once for each changed record, when the change is final.  May
	 * be NULL. */
	int (*on_change)(void *user, const struct ctx_change *change,
	    struct ctx_err *err);
};

/* If there is an archive and this is no dry run, archives the bytes that a
 * change removes or replaces.  Also sets change->sha256 (if report->hashes is
 * true), and empties change->bytes.  The caller must call this before it
 * changes these bytes. */
int ctx_report_keep(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Calls on_change for a change that is final. */
int ctx_report_notify(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Archives the bytes before a change, and calls on_change.  The caller must
 * make no later change of the message. */
int ctx_report_change(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Syncs the archive to disk.  The caller must call this before it writes output
 * that lacks archived bytes. */
int ctx_report_sync(const struct ctx_report *report, struct ctx_err *err);
/* Returns true if a change of the message was already reported: the event's
 * record is not the first record of its message.  Always false outside of
 * session files, because only there can a message have several records. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Returns true if changes must be reported or archived. */
bool ctx_report_wanted(const struct ctx_report *report);

/* ---- stream/edit_message.c: the edits of one message -------------------- */

/* Changes that pruning a conversation makes in a segment (message or part of
 * one), as bits.  A message has up to two segments: its tool results, and all
 * other blocks. */
enum {
	CTX_MARK_DROP = 1, /* remove the segment */
	/* remove the reasoning of the segment */
	CTX_MARK_STRIP = 2,
	/* replace the content of the segment's tool results by a short text */
	CTX_MARK_CLEAR = 4,
	/* keep only the beginning and the end of each text of the segment */
	CTX_MARK_HEAD_TAIL = 8,
	/* remove a summary or notice (text about removed messages) that an
	 * earlier run of ctx has inserted into the segment */
	CTX_MARK_DROP_INSERTION = 16,
	/* insert a notice before the segment */
	CTX_MARK_NOTICE = 32,
	/* remove passages (a few sentences or lines each) of the segment's
	 * text: those that the strategy has chosen */
	CTX_MARK_PASSAGES = 64,
	/* remove the id of the item, because the reasoning before the item is
	 * removed (CTX_LINK_BY_ID) */
	CTX_MARK_UNLINK = 128,
};

/* How bound reasoning is treated when something before it was changed.  Bound
 * reasoning is reasoning that the provider does not take if anything before it
 * was changed (ctx_model_binds). */
enum ctx_reasoning {
	/* Remove the bound reasoning. */
	CTX_REASONING_DROP,
	/* Keep the bound reasoning.  The provider then drops it, or refuses the
	 * request unless the request asks it to ignore such reasoning. */
	CTX_REASONING_KEEP,
	/* Leave a conversation unchanged if it would otherwise lose its bound
	 * reasoning. */
	CTX_REASONING_FAIL,
};

/* The changes, as bits CTX_MARK_..., in the two segments of a message: its tool
 * results, and all other blocks. */
struct ctx_message_edit {
	unsigned results, rest;
	/* For CTX_MARK_DROP_INSERTION: index of the block with the summary or
	 * notice that is removed, plus 1. */
	uint32_t insertion_index;
	/* An element for each tool result of the message: true if the tool
	 * result must not be edited.  NULL if all tool results may be
	 * edited. */
	const bool *spared;
	size_t segment; /* index of the message's first segment (part) */
};
/* Adds the edits for the bits DROP, STRIP, CLEAR and DROP_INSERTION of the
 * argument edit; lib/prune makes those for the other bits.  Sets *empty to true
 * if no block would be left; the caller must then remove the whole message.
 * Replaces a tool result by a short text only if this saves tokens.  If a tool
 * result is inside the JSON of its tool call, removes both together. */
int ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_counter *counter,
    bool *empty, struct ctx_err *err);
/* Adds the edits that remove content blocks of a message. removed: an array
 * with one element for each block.  Blocks without a node "removable" are not
 * removed. */
int ctx_edits_remove_blocks(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *removed,
    struct ctx_err *err);
/* Adds the edits that remove content blocks of a message. removed: an array
 * with one element for each JSON node of the message.  A block is removed if
 * the element for its node "removable" is true.  Sets these elements to
 * false. */
int ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, bool *removed, struct ctx_err *err);

#endif
