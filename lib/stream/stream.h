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
	CTX_EVENT_BEGIN,   /* a conversation inside a record begins */
	CTX_EVENT_MESSAGE, /* a message of it, or of the stream */
	CTX_EVENT_UNKNOWN, /* an element of it that is not a message */
	CTX_EVENT_END,     /* the conversation inside the record ends */
	CTX_EVENT_RECORD,  /* the record ends: it can be written */
};

/*
 * One step through a stream.  A record that is a message gives the events
 * MESSAGE and RECORD.  A record that contains conversations gives BEGIN, a
 * MESSAGE or UNKNOWN for each element, and END for each conversation, then
 * RECORD.  Any other record gives only RECORD.
 *
 * All records that are messages form one conversation, which ends with the
 * stream.  Pointers in an event are valid until the next event; those into the
 * record's bytes until the event after the record's RECORD.  A message that is
 * not sent to the model, such as an inactive line of a session file, gives
 * UNKNOWN or only RECORD.
 */
struct ctx_event {
	enum ctx_event_kind kind;
	const struct ctx_record *record;
	/* Where the messages of the conversation, or the message of the
	 * record, are in the record's JSON. */
	const struct ctx_record_layout *layout;
	const struct ctx_message *message; /* MESSAGE */
	/* For MESSAGE: the tokens of the message, if another thread has
	 * counted them; else NULL. */
	const struct ctx_cost *cost;
	/* for MESSAGE and UNKNOWN: JSON node of the message in the record */
	uint32_t node;
	/* number of the line in ctx_stream.transcript; 0 if the record is not
	 * from a session file */
	uint32_t line;
	/* true if the event's conversation is inside the record */
	bool inside;
};

/* How the format of a stream was detected, for messages to the user. */
struct ctx_found {
	const struct ctx_dialect *dialect; /* NULL: no message was found */
	const char *why; /* key or value that identified the dialect */
	/* The file and line of the key or value that identified the format.
	 * If no message was found: the place of the first record where
	 * messages seem to be at another path (see the next comment).  If
	 * there is no such record: the place of the first JSON record, or
	 * NULL. */
	const char *file;
	uint64_t line;
	/* Path in a record where messages seem to be but ctx does not read
	 * them (see ctx_suggest_path), or an empty string. */
	char stray[96];
	/* true if these messages, which ctx does not read, are JSON inside a
	 * JSON string */
	bool coded;
	/* true if some message is possible only in this dialect; false if
	 * every message is possible in any */
	bool decisive;
	bool likely; /* true if some message suggests this dialect */
	bool others; /* some records are of other dialects */
};

/* Reads records, detects their format, and returns events.  A message that
 * every dialect allows is read in the dialect of the stream's other messages.
 * From the first line of a session file on, the file is kept in memory until
 * its end.  To use a stream, zero it, then set reader and the options below. */
struct ctx_stream {
	struct ctx_reader *reader;
	const struct ctx_dialect *forced; /* chosen by the user, or NULL */
	/* True to return also the messages that are not sent to the model. */
	bool include_hidden;
	/* True to keep the links between lines of session files until the end:
	 * the caller removes lines after their file was read. */
	bool track_links;
	const struct ctx_dialect *dialect; /* detected so far, or NULL */
	/* The dialect that some message suggested, as long as dialect is NULL;
	 * or NULL. */
	const struct ctx_dialect *likely;
	struct ctx_found found;
	bool mixed; /* messages of several dialects were found */
	/* number of records that are not JSON, which are counted if the reader
	 * is lenient */
	uint64_t bad;
	struct ctx_err first_bad; /* error of the first bad record */
	/* Internal: */
	struct ctx_record record;
	struct ctx_record_layout layout, inner;
	struct ctx_message parsed;
	struct ctx_transcript *transcript; /* NULL: no transcript was found */
	uint32_t line;                     /* of the record, in transcript */
	/* The record that was read after the end of a session file; has_ahead
	 * is true until it is returned. */
	struct ctx_record look_ahead;
	bool has_ahead;
	/* bytes of session file records that were returned and are not freed
	 * yet */
	size_t bytes_given;
	/* Where to continue: the JSON nodes of the next conversation and
	 * message inside the record. */
	uint32_t conversation, message;
	/* JSON node of the first message that is sent to the model; earlier
	 * messages were replaced by a summary in the agent. */
	uint32_t first;
	/* key or value that identified the messages so far as Chat
	 * Completions, or NULL */
	const char *chat;
	bool begun;        /* true if a record that is a message was found */
	bool system_first; /* true if the first message is a system message */
	int state;
	struct ctx_count_ahead *prefetch; /* NULL: events are not read ahead */
};
int ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* Returns the dialect (format) of the messages read so far: the detected one,
 * else the one that they suggest, else generic. */
const struct ctx_dialect *ctx_stream_dialect(const struct ctx_stream *stream);
/* Finds the model and the token counter of the event's conversation, which
 * begins with this event. */
int ctx_stream_measure(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to true if the model of the event's conversation signs reasoning
 * together with all that is before it (see struct ctx_model). */
int ctx_stream_binds(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    bool *binds, struct ctx_err *err);
/* Sets *model to the entry for the conversation's model in the table of
 * models, or to NULL: see ctx_model_counters_model. */
int ctx_stream_model(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    const struct ctx_model **model, struct ctx_err *err);
/* Sets *cost to the tokens of the event's message. counter is the token
 * counter of its conversation. */
int ctx_stream_cost(const struct ctx_event *event, struct ctx_counter *counter,
    struct ctx_cost *cost, struct ctx_err *err);
/* Returns a copy of the bytes of the event's record, which the caller must
 * free (see ctx_reader_keep); NULL with *err. */
char *ctx_stream_keep(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_err *err);
/* Adds file and line of the last record to an error that has none; returns -1.
 */
int ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err);
/* Frees the memory of the stream, but not its reader. */
void ctx_stream_release(struct ctx_stream *stream);

/* ---- stream/count_ahead.c: counting in several threads ------------------- */

/* Makes this number of threads, the caller's included, count the tokens of
 * messages before their events are returned.  The events and their order do
 * not change.  Up to 2 * threads pieces of the stream, of 256 KiB or one
 * record each, are copied into memory; each thread has its own token counter.
 * Messages of session files are not counted ahead.  Must be called before the
 * first event; counters must be those used for all conversations, and must
 * stay valid until the last event.  With threads 0 or 1, does nothing. */
int ctx_stream_count_ahead(struct ctx_stream *stream,
    struct ctx_model_counters *counters, unsigned threads, struct ctx_err *err);

/* ---- stream/change_report.c: reports of changes ------------------------- */

/* One change that a command makes: a record is removed or edited (named by its
 * message), a member of a request is edited, or ctx inserts a message or
 * block. */
struct ctx_change {
	const char *file;
	uint64_t line;
	/* index of the changed message in its conversation, from 0 */
	uint64_t index;
	enum ctx_role role;
	/* The member of a request that was changed; index, role, tool and
	 * tokens are then not set.  If n is 0, a message was changed. */
	struct ctx_str member;
	/* True if the changed record is an inactive line of a session file;
	 * index, role, tool and tokens are then not set. */
	bool aside;
	/* true if the action "add" inserted a block, false if it inserted a
	 * message */
	bool part;
	/* True if this action was already reported for another record of this
	 * message.  So each message can be counted once. */
	bool continues;
	/* tool name of the changed tool call or result; n is 0 if there is
	 * none */
	struct ctx_str tool;
	const char *rule; /* why it was changed */
	/* What was done: "drop" (removed), "edit", "relink" (the parent of a
	 * session file's line was changed), "add", and for cache breakpoints
	 * "mark" (added) or "strip" (removed). */
	const char *action;
	bool ranked;
	double rank; /* rank of its group, if ranked is true */
	/* Tokens before and after the change; if a message has several
	 * records, the sums over them. */
	uint64_t before, after;
	/* The bytes before the change, or the bytes that "add" inserted; empty
	 * once they are archived. */
	struct ctx_str bytes;
	/* SHA-256 of the member bytes, in hex; an empty string unless
	 * ctx_report.hashes is set */
	char sha256[65];
};

/* Where changes are reported, and where removed bytes are archived. */
struct ctx_report {
	/* true if nothing may be written: no output, no archive, no files */
	bool dry_run;
	bool hashes;                 /* fill in ctx_change.sha256 */
	struct ctx_archive *archive; /* or NULL */
	void *user;
	/* Called once for each changed record, when the change is final; NULL:
	 * not called. */
	int (*on_change)(void *user, const struct ctx_change *change,
	    struct ctx_err *err);
};

/* Archives the bytes of a change.  Must be called before these bytes are
 * changed. */
int ctx_report_keep(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Reports a change that is final. */
int ctx_report_tell(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Archives and reports a change that is final. */
int ctx_report_change(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Returns when everything archived is on disk.  Must be called before the
 * output without the archived bytes is written. */
int ctx_report_sync(const struct ctx_report *report, struct ctx_err *err);

/* ---- stream/edit_message.c: the edits of one message -------------------- */

/* What a plan decides for a segment. */
enum {
	CTX_MARK_DROP = 1,  /* remove it */
	CTX_MARK_STRIP = 2, /* remove its reasoning */
	/* replace the text of its tool results by a short one */
	CTX_MARK_CLEAR = 4,
	CTX_MARK_HEAD_TAIL = 8, /* shorten its texts to head and tail */
	/* remove a summary or notice that an earlier run of ctx inserted */
	CTX_MARK_FOLD = 16,
	CTX_MARK_NOTICE = 32, /* insert a notice before it */
};

/* Whether bound reasoning that comes after a change is kept.  Bound
 * reasoning is signed reasoning that is sent to a model which checks what is
 * before it (ctx_model_binds): the provider refuses a request if anything
 * before the reasoning was changed. */
enum ctx_reasoning {
	CTX_REASONING_DROP, /* remove it */
	/* keep the reasoning: the request must ask the provider to drop
	 * invalid reasoning */
	CTX_REASONING_KEEP,
	CTX_REASONING_FAIL, /* leave the conversation unchanged */
};

/* The edits of the two segments of a message, which are its tool results and
 * the rest; bits are CTX_MARK_... */
struct ctx_message_edit {
	unsigned results, rest;
	/* for CTX_MARK_FOLD: number of the block with the summary or notice to
	 * be removed, from 1 */
	uint32_t own;
	/* for each tool result, true if it must not be edited; NULL: all may
	 * be */
	const bool *spared;
};
/* Adds the edits of one message.  Sets *empty to true if no block would be
 * left; then the caller must remove the message instead.  A tool result is
 * replaced by a short text only if that saves tokens.  A result that is part
 * of its call's JSON is removed with the call. */
int ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_counter *counter,
    bool *empty, struct ctx_err *err);
/* Adds edits that remove blocks of a message.  The array removed has an entry
 * for each JSON node of the message, in the order of the nodes.  If the entry
 * is true, the block whose member removable is this node is removed. */
int ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *removed,
    struct ctx_err *err);

#endif
