/*
 * stream.h - records, conversations and messages of a stream
 */
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
 * One step through a stream.  A record that is a message gives MESSAGE, RECORD.
 * A record with conversations in it gives BEGIN, its MESSAGEs and UNKNOWNs, and
 * END for each conversation, then RECORD.  Any other record gives RECORD.
 *
 * The messages that are records form one conversation, which ends with the
 * stream.  Pointers are valid until the next event; those to the record, and
 * into it, until the event after its RECORD.  A message that the model is not
 * shown, such as an inactive line of a transcript, gives UNKNOWN or only
 * RECORD.
 */
struct ctx_event {
	enum ctx_event_kind kind;
	const struct ctx_record *record;
	/* Layout of the conversation, or of the record. */
	const struct ctx_record_layout *layout;
	const struct ctx_message *message; /* MESSAGE */
	/* MESSAGE: its cost, if it was counted ahead, or NULL. */
	const struct ctx_cost *cost;
	uint32_t node; /* MESSAGE, UNKNOWN: its node in the record's JSON */
	uint32_t line; /* its line in ctx_stream.transcript; 0: none */
	bool inside;   /* true if its conversation is inside the record */
};

/* How the format of a stream was detected, for messages to people. */
struct ctx_found {
	const struct ctx_dialect *dialect; /* NULL: no message was found */
	const char *why; /* the key or value that identified it ... */
	/* ... and its place.  If no message was found: the place of the first
	 * JSON record (file is NULL if there is none), or of the first record
	 * with a stray path. */
	const char *file;
	uint64_t line;
	/* Path of messages that ctx does not look for there
	 * (ctx_suggest_path), or "". */
	char stray[96];
	bool coded;    /* the messages at the stray path are JSON in a string */
	bool decisive; /* false: every message could be of any dialect, ... */
	bool likely;   /* ... but some of them suggest this one */
	bool others;   /* some records are of other dialects */
};

/*
 * Reads records, detects what they are and gives events.  A message that fits
 * every dialect is read as the dialect of the stream's other messages.  From
 * the first line of a transcript on, its file is held until its end. Before the
 * first event: zero it, then set reader and the options below.
 */
struct ctx_stream {
	struct ctx_reader *reader;
	const struct ctx_dialect *forced; /* chosen by the user, or NULL */
	/* Give messages that the model is not shown, too. */
	bool include_hidden;
	/* True to keep the links of transcript lines: the caller removes lines
	 * after their file has ended. */
	bool track_links;
	const struct ctx_dialect *dialect; /* detected so far, or NULL */
	/* While dialect is NULL: the dialect that a message suggested, or
	 * NULL. */
	const struct ctx_dialect *likely;
	struct ctx_found found;
	bool mixed;               /* messages of several dialects were found */
	uint64_t bad;             /* records that are not JSON (lenient), ... */
	struct ctx_err first_bad; /* ... and the error of the first */
	/* Internal: */
	struct ctx_record record;
	struct ctx_record_layout layout, inner;
	struct ctx_message parsed;
	struct ctx_transcript *transcript; /* NULL: no transcript was found */
	uint32_t line;                     /* of the record, in transcript */
	/* The record after the transcript, and whether it is still to be given
	 * out. */
	struct ctx_record look_ahead;
	bool has_ahead;
	size_t bytes_given; /* bytes of transcript given out and not freed */
	/* The next conversation and message inside the record. */
	uint32_t conversation, message;
	/* The first message that the model is shown; earlier ones were
	 * compacted. */
	uint32_t first;
	const char *chat;  /* why the messages so far are Chat, or NULL */
	bool begun;        /* a message that is a record was found, ... */
	bool system_first; /* ... and the first was a system message */
	int state;
	struct ctx_count_ahead *prefetch; /* NULL: events are not read ahead */
};
int ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* Returns the dialect of the messages so far: the detected one, else the likely
 * one, else generic. */
const struct ctx_dialect *ctx_stream_dialect(const struct ctx_stream *stream);
/* Finds the model and the token counter of the conversation that event begins.
 */
int ctx_stream_measure(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Sets *binds to whether the model of that conversation binds signed reasoning
 * to everything before it (struct ctx_model). */
int ctx_stream_binds(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    bool *binds, struct ctx_err *err);
/* Sets *model to the row of that model, or to NULL: see
 * ctx_model_counters_model. */
int ctx_stream_model(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    const struct ctx_model **model, struct ctx_err *err);
/* Sets *cost to the tokens of the event's message, by the counter of its
 * conversation. */
int ctx_stream_cost(const struct ctx_event *event, struct ctx_counter *counter,
    struct ctx_cost *cost, struct ctx_err *err);
/* Returns a copy of the bytes of the event's record, owned by the caller (as
 * ctx_reader_keep), or NULL with *err. */
char *ctx_stream_keep(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_err *err);
/* Adds the place of the last record to an error that has no place; returns -1.
 */
int ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err);
/* Frees the memory of the stream, not the reader. */
void ctx_stream_release(struct ctx_stream *stream);

/* ---- stream/count_ahead.c: several threads count ahead ----------------- */

/*
 * Lets threads threads, the caller's included, count messages before their
 * events are given.  Events and their order do not change.  Up to 2 * threads
 * pieces of the stream, of 256 KiB or one record each, are copied; each thread
 * has its own token counter.  Messages of transcripts are not counted ahead.
 * Call it before the first event, with the counters used for all conversations;
 * they must stay valid until the last event.  With 0 or 1 threads it does
 * nothing.
 */
int ctx_stream_count_ahead(struct ctx_stream *stream,
    struct ctx_model_counters *counters, unsigned threads, struct ctx_err *err);

/* ---- stream/change_report.c: reports of changes ------------------------- */

/*
 * One change: a record that is removed or edited, named by its message; a
 * member of a request that is edited; or a message or block that ctx inserts.
 */
struct ctx_change {
	const char *file;
	uint64_t line;
	uint64_t index; /* number of the message in its conversation, from 0 */
	enum ctx_role role;
	/* The member of a request that changed; index, role, tool and tokens
	 * are then not set.  n 0: the change is of a message. */
	struct ctx_str member;
	/* True if the record is an inactive line of a transcript; index, role,
	 * tool and tokens are then not set. */
	bool aside;
	bool part; /* true if "add" inserts a block instead of a message */
	/* True if another record of this message was reported before with this
	 * action: a message is counted once. */
	bool continues;
	struct ctx_str tool; /* name in its tool call or result; n 0: none */
	const char *rule;    /* why it was changed */
	/* "drop", "edit", "relink" (the parent of a line), "add", and for cache
	 * breakpoints "mark" or "strip". */
	const char *action;
	bool ranked;
	double rank; /* rank of its group, if ranked is true */
	/* Tokens before and after; of a message, the sums of its records. */
	uint64_t before, after;
	/* The bytes before the change, or those inserted by "add"; empty once
	 * they are archived. */
	struct ctx_str bytes;
	char sha256[65]; /* of these bytes; "" unless ctx_report.hashes */
};

/* Where changes are reported and removed bytes archived. */
struct ctx_report {
	bool dry_run; /* nothing is written: no stream, no archive, no file */
	bool hashes;  /* fill in ctx_change.sha256 */
	struct ctx_archive *archive; /* or NULL */
	void *user;
	/* Called once per changed record when its outcome is final; or NULL. */
	int (*on_change)(void *user, const struct ctx_change *change,
	    struct ctx_err *err);
};

/* Archives the bytes of a change; to be called before they change. */
int ctx_report_keep(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Reports a change that is final. */
int ctx_report_tell(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Archives and reports a change that is final. */
int ctx_report_change(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Waits until everything archived is on disk.  To be called before output that
 * no longer has it is written. */
int ctx_report_sync(const struct ctx_report *report, struct ctx_err *err);

/* ---- stream/edit_message.c: the edits of one message -------------------- */

/* What a plan decides for a segment. */
enum {
	CTX_MARK_DROP = 1,      /* remove it */
	CTX_MARK_STRIP = 2,     /* remove its reasoning */
	CTX_MARK_CLEAR = 4,     /* replace the contents of its tool results */
	CTX_MARK_HEAD_TAIL = 8, /* shorten its texts to head and tail */
	CTX_MARK_FOLD = 16,   /* remove an earlier summary or notice from it */
	CTX_MARK_NOTICE = 32, /* insert a notice before it */
};

/*
 * What is done with bound reasoning that stands after a change.  Bound
 * reasoning is signed reasoning sent to a model that binds it
 * (ctx_model_binds): the provider refuses a request if anything before the
 * reasoning was changed.
 */
enum ctx_reasoning {
	CTX_REASONING_DROP, /* remove it */
	CTX_REASONING_KEEP, /* keep it: the request asks the provider to drop
			     * invalid reasoning */
	CTX_REASONING_FAIL, /* leave the conversation unchanged */
};

/* What is done to the two segments of a message, as CTX_MARK bits. */
struct ctx_message_edit {
	unsigned results, rest;
	uint32_t own; /* CTX_MARK_FOLD: the block to remove, counted from 1 */
	const bool *spared; /* per result: true if it is not edited; or NULL */
};
/*
 * Adds the edits of one message.  Sets *empty to true if nothing would be left,
 * so that the caller must remove the message instead.  A result is cleared only
 * if that saves tokens; a result inside its call is removed with the call.
 */
int ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_message_edit *edit, struct ctx_counter *counter,
    bool *empty, struct ctx_err *err);
/* Adds the removal of blocks from their containers: those whose removable node
 * i has removed[i - message->node] set. */
int ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *removed,
    struct ctx_err *err);

#endif
