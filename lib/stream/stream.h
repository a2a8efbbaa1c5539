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
	CTX_EVENT_BEGIN,   /* a record's conversation begins */
	CTX_EVENT_MESSAGE, /* a message of it, or of the stream */
	CTX_EVENT_UNKNOWN, /* an element of a conversation, but no message */
	CTX_EVENT_END,     /* the record's conversation ends */
	CTX_EVENT_RECORD,  /* the record is over: it can be passed on */
};

/*
 * What a stream is made of, in order.  A record that is a message gives
 * MESSAGE, RECORD; one that holds conversations gives BEGIN, its MESSAGEs
 * and UNKNOWNs, END for each, then RECORD; any other gives RECORD.  The
 * messages that are records form one conversation, which ends with the
 * stream.  All that is pointed to lives until the next event, a record and
 * what is inside it until the event after its RECORD.  A message that the
 * model is not shown (of a transcript: a line that is not live) is given as
 * no message: as UNKNOWN, or by its RECORD alone.
 */
struct ctx_event {
	enum ctx_event_kind kind;
	const struct ctx_record *record;
	const struct ctx_record_layout
	    *layout; /* of the conversation, or the record */
	const struct ctx_message *message; /* MESSAGE */
	const struct ctx_cost *cost; /* MESSAGE, if it was counted ahead */
	uint32_t node;               /* MESSAGE, UNKNOWN: where in record */
	uint32_t
	    line;    /* of a transcript (transcript/transcript.c), 0: of none */
	bool inside; /* of a record's conversation, not of the stream's */
};

/* What a stream was found to be, for people. */
struct ctx_found {
	const struct ctx_dialect *dialect; /* NULL: no messages were met */
	const char *why;                   /* what gave it away ... */
	/* ... and where.  If no messages were met: where the first record is
	 * that is JSON (file is NULL if there is none), or the first with ...
	 */
	const char *file;
	uint64_t line;
	char stray[96]; /* ... messages where none are looked for: the path of
			 * ctx_suggest_path, or "" */
	bool coded;     /* these are JSON in a string */
	bool decisive;  /* false: all that was met could be of any dialect, */
	bool likely;    /* but some of it speaks for this one */
	bool others;    /* further records are of other dialects */
};

/*
 * A reader that also finds out what its records are.  Messages that any
 * dialect could have written are read as the stream's other messages are.
 * From the first record of a transcript on, the rest of its file is held
 * and given out when its end has been seen.
 * To be zeroed and given a reader before the first event.
 */
struct ctx_stream {
	struct ctx_reader *reader;
	const struct ctx_dialect *forced; /* asked for, or NULL */
	bool include_hidden; /* messages that the model is not shown are given,
				too */
	bool track_links;    /* lines are dropped after their file has ended */
	const struct ctx_dialect *dialect; /* of the messages so far, or NULL */
	/* While dialect is NULL: the one that a message spoke for, or NULL. */
	const struct ctx_dialect *likely;
	struct ctx_found found;
	bool mixed;               /* messages of several dialects were met */
	uint64_t bad;             /* records that were no JSON (lenient) ... */
	struct ctx_err first_bad; /* ... and what was wrong with the first */
	/* The stream's own: */
	struct ctx_record record;
	struct ctx_record_layout layout, inner;
	struct ctx_message view;
	struct ctx_transcript *transcript; /* NULL: no transcript was met */
	uint32_t line;                     /* of the record, in live */
	struct ctx_record look_ahead;      /* what followed the transcript, */
	bool has_ahead;                    /* if it is still to be given out */
	size_t bytes_given; /* bytes of live given out, not forgotten */
	uint32_t conversation, message; /* next of each within the record */
	uint32_t first;    /* messages of the conversation before it are not
			    * shown to the model */
	const char *chat;  /* why the messages so far are Chat, or NULL */
	bool begun;        /* a message that is a record has been met, */
	bool system_first; /* and the first was a system message */
	int state;
	struct ctx_count_ahead *prefetch; /* NULL: events are not read ahead */
};
int ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* The dialect of the messages so far: settled, likely or generic. */
const struct ctx_dialect *ctx_stream_dialect(const struct ctx_stream *stream);
/* The model and the counter of the conversation that begins with event. */
int ctx_stream_measure(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_model_counter *model_counter, struct ctx_err *err);
/* Whether the model of that conversation binds signed reasoning. */
int ctx_stream_binds(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    bool *binds, struct ctx_err *err);
/* The window of that model: see ctx_meter_window. */
int ctx_stream_window(const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    uint64_t *window, struct ctx_err *err);
/* What the message of an event costs by its conversation's counter. */
int ctx_stream_cost(const struct ctx_event *event, struct ctx_counter *counter,
    struct ctx_cost *cost, struct ctx_err *err);
/* The bytes of an event's record, as ctx_reader_keep gives them. */
char *ctx_stream_keep(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_err *err);
/* Gives an error without a place that of the last record; returns -1. */
int ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err);
/* Frees memory; the reader is the caller's. */
void ctx_stream_release(struct ctx_stream *stream);

/* ---- stream/count_ahead.c: messages are counted by several threads ------ */

/*
 * Has the messages of a stream counted by so many threads, the caller's among
 * them, before their events are given.  The events and their order are those
 * of one thread.  Copies of up to 2 * threads pieces of the stream, each of
 * 256 KiB or one record, are held, and each thread has a counter of its own.
 * Only what is given of a transcript is counted when it is asked for.
 * To be called before the first event, with the meter that is to measure all
 * conversations; the meter must outlive the stream's last event.  Of 0 or 1
 * threads nothing changes.
 */
int ctx_stream_count_ahead(struct ctx_stream *stream,
    struct ctx_model_counters *counters, unsigned threads, struct ctx_err *err);

/* ---- stream/change_report.c: reports of changes ------------------------- */

/*
 * A record that is dropped or changed, named by its message; a member of a
 * request that is changed; or a message or a part that ctx inserts.
 */
struct ctx_change {
	const char *file;
	uint64_t line;
	uint64_t index; /* number of the message in its conversation, from 0 */
	enum ctx_role role;
	/* It is no message but this member of a request, which has no index,
	 * role, tool or tokens; n 0: it is a message. */
	struct ctx_str member;
	/* True if the model is not shown the record, a line of a transcript:
	 * it has no index, role, tool or tokens. */
	bool aside;
	bool part; /* of the message: "add" inserts no message of its own */
	/* True if an earlier touch named another record of this message with
	 * this action: a message counts once. */
	bool continues;
	struct ctx_str tool; /* of its call or result, n 0: none */
	const char *rule;    /* why */
	const char *action;  /* "drop", "edit", "relink", "mark" and "strip" for
			      * hints, or "add" for one of ours */
	bool ranked;
	double rank; /* of its group, where it was ranked */
	uint64_t before,
	    after;            /* tokens; of a message the sums of its records */
	struct ctx_str bytes; /* before the change, of "add" those inserted;
			       * empty once they are archived */
	char sha256[65];      /* of these bytes; "" if nobody asks for it */
};

/* Who is told of it, and where what goes is kept. */
struct ctx_report {
	bool dry_run; /* nothing is written: no stream, no archive, no file */
	bool hashes;  /* a touch has its sha256 */
	struct ctx_archive *archive; /* or NULL */
	void *user;
	/* Called once for each record whose outcome is known; or NULL. */
	int (*on_change)(void *user, const struct ctx_change *touch,
	    struct ctx_err *err);
};

/* Archives the bytes of a touch, before they change. */
int ctx_report_keep(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Tells of a touch whose outcome is known. */
int ctx_report_tell(const struct ctx_report *report, struct ctx_change *change,
    struct ctx_err *err);
/* Does both. */
int ctx_report_change(const struct ctx_report *report,
    struct ctx_change *change, struct ctx_err *err);
/* Returns when all that was archived is on disk: before the stream says that
 * it has gone. */
int ctx_report_sync(const struct ctx_report *report, struct ctx_err *err);

/* ---- stream/edit_message.c: the edits of one message -------------------- */

/* What a plan decides for an item. */
enum {
	CTX_MARK_DROP = 1,
	CTX_MARK_STRIP = 2,     /* take out its reasoning */
	CTX_MARK_CLEAR = 4,     /* replace the bodies of its results */
	CTX_MARK_HEAD_TAIL = 8, /* cut its texts to their ends */
	CTX_MARK_FOLD = 16,     /* take out the part of it that is ours */
	CTX_MARK_NOTICE = 32,   /* put a notice before it */
};

/*
 * What happens to bound reasoning after a change.  Bound is signed reasoning
 * that goes to a model that binds it (ctx_model_binds): such a model refuses
 * a request if anything that the model sees before the reasoning was changed.
 */
enum ctx_reasoning {
	CTX_REASONING_DROP, /* it is removed */
	CTX_REASONING_KEEP, /* it is kept, for those whose requests ask the
			     * provider to drop it */
	CTX_REASONING_FAIL, /* the conversation is not changed */
};

/* What happens to the two pieces of a message, in CTX_MARK bits. */
struct ctx_message_edit {
	unsigned results, rest;
	uint32_t own; /* CTX_MARK_FOLD: the part that goes, counted from 1 */
	const bool *spared; /* of each result: it is not edited; or NULL */
};
/*
 * Notes the edits of one message; *empty says that nothing would be left of
 * it, so that it must be dropped instead.  A result is cleared only where
 * that makes it cheaper; one that stands within its call goes with that.
 */
int ctx_edit_message(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_dialect *dialect, const struct ctx_message_edit *edit,
    struct ctx_counter *counter, bool *empty, struct ctx_err *err);

#endif
