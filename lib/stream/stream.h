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
	CTX_EVENT_MESSAGE, /* a message, inside a record or as a record */
	/* The next element of a conversation inside a record is not a
	 * message */
	CTX_EVENT_UNKNOWN,
	CTX_EVENT_END,    /* the conversation inside the record ends */
	CTX_EVENT_RECORD, /* the record has ended, so it can be written */
};

/*
 * A step in reading a stream.  A record that is a message gives the events
 * MESSAGE and RECORD.  A record that contains conversations gives BEGIN, a
 * MESSAGE or UNKNOWN for each element, and END for each conversation, then
 * RECORD.  Any other record gives only RECORD.
 *
 * All records that are messages form one conversation, which ends with the
 * stream.  Pointers in an event are valid until the next event.  Pointers into
 * the bytes of a record are valid until the event after the record's event
 * RECORD.  A message that is not sent to the model, such as a line of a session
 * file that is not active, gives UNKNOWN or only RECORD.
 */
struct ctx_event {
	enum ctx_event_kind kind;
	const struct ctx_record *record;
	/* Places of the conversation's messages in the JSON of the record.  If
	 * the record is itself a message, the layout is that of a single
	 * message. */
	const struct ctx_record_layout *layout;
	const struct ctx_message *message; /* only for MESSAGE */
	/* For MESSAGE: the tokens of the message, if another thread has
	 * counted them already; otherwise NULL. */
	const struct ctx_cost *cost;
	/* For MESSAGE and UNKNOWN: JSON node of the message in the record. */
	uint32_t node;
	/* Number of the line in ctx_stream.transcript; 0 if the record is not
	 * from a session file. */
	uint32_t line;
	/* True if the conversation is inside the record; false if its messages
	 * are records. */
	bool inside;
};

/* Detected format of a stream, with the evidence for it, to be shown to
 * users. */
struct ctx_found {
	const struct ctx_dialect *dialect; /* NULL: no message was found */
	/* key or value because of which the dialect was recognized */
	const char *why;
	/* File and line of the key or value that identified the dialect; NULL
	 * if the stream has no record.  If no message was found, the place of a
	 * record that the user should look at.  This is the first one that has
	 * messages at a path that ctx does not read (suggested_path) or, if
	 * there is none, the first JSON record. */
	const char *file;
	uint64_t line;
	/* Where a record seems to have messages, although ctx does not look for
	 * messages there. */
	struct ctx_suggested_path suggested_path;
	/* True if some message is possible only in this dialect.  False if all
	 * messages are possible in other dialects, too. */
	bool decisive;
	/* true if a message suggests this dialect, without proving it */
	bool likely;
	bool others; /* true if the stream has records of several dialects */
	/* True once a message was found, even one that is not sent to the
	 * model, or a response.  False if all requests have empty lists of
	 * messages. */
	bool has_message;
};

/* A stream: reads records, detects their format, and returns events.  A
 * message that every dialect allows is read in the dialect of the stream's
 * other messages.  A session file is read twice, from its first line to its
 * end; if it is not a regular file, it is kept in memory for that.  To use a
 * stream, zero it, then set reader and the options below. */
struct ctx_stream {
	struct ctx_reader *reader;
	/* dialect chosen by the user, or NULL */
	const struct ctx_dialect *forced;
	/* True if messages that are not sent to the model are returned, too. */
	bool include_hidden;
	/* True if the caller removes lines of a session file after the file
	 * was read.  The links between its lines are then kept in memory until
	 * the end. */
	bool track_links;
	/* dialect detected so far, or NULL */
	const struct ctx_dialect *dialect;
	/* The dialect that some message has suggested but not proved, or NULL.
	 * Used only as long as the member dialect is NULL. */
	const struct ctx_dialect *likely;
	struct ctx_found found;
	bool mixed; /* true if messages are of several dialects */
	/* Number of records that are not JSON.  They are counted only if the
	 * reader is lenient. */
	uint64_t bad;
	/* error of the first record that is not JSON */
	struct ctx_err first_bad;
	/* The remaining members are internal. */
	struct ctx_record record;
	struct ctx_record_layout layout, inner;
	struct ctx_coded_request coded; /* of the record, if it has one */
	struct ctx_message parsed;
	/* session file; NULL: none was found */
	struct ctx_transcript *transcript;
	/* Number of the record's line in the transcript, and of the last line
	 * of its file; both 0 if the record is not from a session file. */
	uint32_t line, last_line;
	/* Place where the next call continues: JSON nodes of the next
	 * conversation and the next message inside the record. */
	uint32_t conversation, message;
	/* JSON node of the first message of the conversation that is still sent
	 * to the model: the agent has replaced the messages before it by a
	 * summary. */
	uint32_t first;
	/* JSON node of the last message of the user in the conversation inside
	 * the record; 0: there is none, or it was not searched
	 * (user_searched). */
	uint32_t last_user;
	bool user_searched;
	struct ctx_message ahead; /* scratch memory for that search */
	/* Key or value that shows that the messages so far are Chat
	 * Completions; or NULL. */
	const char *chat;
	bool begun;        /* true once a message that is a record was found */
	bool system_first; /* true if the first message is a system message */
	int state;
	/* Threads that count messages before the caller asks.  NULL: only the
	 * caller counts. */
	struct ctx_count_ahead *prefetch;
};
int ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* Returns the dialect (format) of the messages read so far: the one that was
 * detected, or the one that messages suggest, or generic. */
const struct ctx_dialect *ctx_stream_dialect(const struct ctx_stream *stream);
/* Finds the model of a conversation and its token counter. event: the event
 * with which the conversation begins. */
int ctx_stream_measure(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to true if the provider refuses signed reasoning of the
 * conversation's model if anything before it was changed (see struct
 * ctx_model). */
int ctx_stream_binds(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    bool *binds, struct ctx_err *err);
/* Sets *model to the entry of the table of models for the conversation's model;
 * to NULL if the table has no entry for it. */
int ctx_stream_model(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    const struct ctx_model **model, struct ctx_err *err);
/* Sets *cost to the token counts of the event's message. counter: the token
 * counter of its conversation. */
int ctx_stream_cost(const struct ctx_event *event, struct ctx_counter *counter,
    struct ctx_cost *cost, struct ctx_err *err);
/* Returns a copy of the bytes of the event's record, which the caller must
 * free (see ctx_reader_keep); NULL with *err. */
char *ctx_stream_keep(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_err *err);
/* Completes an error that has no file and line: sets them to those of the last
 * record.  Returns -1. */
int ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err);
/* Frees the memory of the stream, but not its reader. */
void ctx_stream_release(struct ctx_stream *stream);

/* ---- stream/count_ahead.c: counting in several threads ------------------- */

#define CTX_MOST_THREADS 1024 /* maximum number of threads that count */
/*
 * Lets several threads count the tokens of messages before their events are
 * returned. threads: how many, including the caller's.  The events and their
 * order do not change.  Up to 2 * threads pieces of the stream, of 256 KiB or
 * one record each, are copied into memory; each thread has its own token
 * counter.  Messages of session files are not counted ahead.
 *
 * Must be called before the first event; counters must be those used for all
 * conversations, and must stay valid until the last event.  With threads 0 or
 * 1, does nothing.
 */
int ctx_stream_count_ahead(struct ctx_stream *stream,
    struct ctx_model_counters *counters, unsigned threads, struct ctx_err *err);

/* ---- stream/change_report.c: reports of changes ------------------------- */

/* A change that a command makes, to be reported.  The command removes or edits
 * a record (which is named by its message), edits a member of a request, or
 * inserts a message or block. */
struct ctx_change {
	const char *file;
	uint64_t line;
	/* index of the message in its conversation, from 0 */
	uint64_t index;
	enum ctx_role role;
	/* If a member of a request was changed, not a message: the member's
	 * key.  Then index, role, tool and tokens are not set.  Otherwise this
	 * string is empty. */
	struct ctx_str member;
	/* True if a line of a session file was changed that is not sent to the
	 * model; index, role, tool and tokens are then not set. */
	bool aside;
	/* For the action "add": true if a block was inserted, false if a
	 * message was. */
	bool is_block;
	/* True if the message is split over several records, and this action
	 * was reported already for an earlier one.  So each message can be
	 * counted once. */
	bool continues;
	/* Tool name of the message's first tool call or tool result; n is 0 if
	 * there is none. */
	struct ctx_str tool;
	const char *rule; /* reason for the change */
	/* Action: "drop" (the record was removed), "edit", "relink" (the parent
	 * of a session file's line was changed), or "add" (something was
	 * inserted).  For cache breakpoints: "mark" (one was added) or "strip"
	 * (some were removed). */
	const char *action;
	bool ranked;
	/* the rank of the message's group, by which groups are chosen for
	 * removal; set if ranked is true */
	double rank;
	/* Tokens before and after the change.  If a message has several
	 * records, the sums over those reported so far. */
	uint64_t before, after;
	/* The bytes before the change; for "add" the bytes that were inserted.
	 * Empty once they are archived. */
	struct ctx_str bytes;
	/* SHA-256, as hex digits, of the bytes in the member "bytes".  An empty
	 * string unless ctx_report.hashes is set. */
	char sha256[65];
};

/* Settings for reporting changes and for archiving original bytes. */
struct ctx_report {
	/* True in a dry run: neither output nor archive nor any other file is
	 * written. */
	bool dry_run;
	/* true if ctx_change.sha256 is to be set */
	bool hashes;
	struct ctx_archive *archive; /* the archive, or NULL */
	void *user;
	/* Called once for each changed record, when the change is final; or
	 * NULL. */
	int (*on_change)(void *user, const struct ctx_change *change,
	    struct ctx_err *err);
};

/* Archives the bytes before a change.  Must be called before these bytes are
 * changed. */
int ctx_report_keep(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Calls on_change for a change that is final. */
int ctx_report_notify(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Archives the bytes before a change that is final, and calls on_change for
 * it. */
int ctx_report_change(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Brings everything that was archived to disk.  Must be called before output
 * without the archived bytes is written. */
int ctx_report_sync(const struct ctx_report *report, struct ctx_err *err);

/* ---- stream/edit_message.c: the edits of one message -------------------- */

/* Actions of a plan on a segment, as bits.  A segment is the tool results of a
 * message, or the rest of the message. */
enum {
	CTX_MARK_DROP = 1,  /* remove the segment */
	CTX_MARK_STRIP = 2, /* remove the segment's reasoning */
	/* replace the text of the segment's tool results by a short text */
	CTX_MARK_CLEAR = 4,
	/* keep only the beginning and the end of the segment's texts */
	CTX_MARK_HEAD_TAIL = 8,
	/* remove a summary or notice in the segment that an earlier run of ctx
	 * has inserted */
	CTX_MARK_DROP_INSERTION = 16,
	CTX_MARK_NOTICE = 32, /* insert a notice before the segment */
	/* remove passages of the segment's text that the strategy has chosen */
	CTX_MARK_PASSAGES = 64,
};

/* Actions on bound reasoning that comes after a change.  Bound reasoning is
 * signed reasoning that is sent to a model which checks what is before it
 * (ctx_model_binds).  The provider refuses a request if anything before the
 * reasoning was changed. */
enum ctx_reasoning {
	/* signed reasoning that the provider would refuse is removed */
	CTX_REASONING_DROP,
	/* Signed reasoning that the provider would refuse is kept.  The request
	 * must ask the provider to drop reasoning that is not valid. */
	CTX_REASONING_KEEP,
	/* a conversation whose signed reasoning the provider would refuse is
	 * not changed */
	CTX_REASONING_FAIL,
};

/* Actions on the two segments of a message, its tool results and the rest, as
 * bits CTX_MARK_... */
struct ctx_message_edit {
	unsigned results, rest;
	/* For CTX_MARK_DROP_INSERTION: 1 + the index of the block with the
	 * summary or notice that is removed. */
	uint32_t insertion_index;
	/* For each tool result: true if it must not be edited.  NULL: all may
	 * be edited. */
	const bool *spared;
	size_t segment; /* index of the message's first segment */
};
/* Adds the edits that *edit demands for a message.  Sets *empty to true if no
 * block would be left; then the caller must remove the whole message instead.
 * A tool result is replaced by a short text only if this saves tokens.  If the
 * JSON of a tool call contains its result, both are removed together. */
int ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_counter *counter,
    bool *empty, struct ctx_err *err);
/* Adds the edits that remove blocks of a message. removed: an array with an
 * element for each JSON node of the message.  If the element of a node is true,
 * the block with this node as its member "removable" is removed. */
int ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *removed,
    struct ctx_err *err);

#endif
