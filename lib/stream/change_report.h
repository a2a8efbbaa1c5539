/* change_report.h - what the edits of a message leave of it */
#ifndef CTX_STREAM_CHANGE_REPORT_H
#define CTX_STREAM_CHANGE_REPORT_H

#include "stream/stream.h"

/* A message and its edits; the first rows are the caller's to set. */
struct edited {
	const struct ctx_message *before;
	const struct ctx_dialect *dialect;
	struct ctx_counter *counter; /* NULL: nobody asks for tokens */
	struct ctx_str value;        /* the JSON that they lie in */
	size_t first, n;             /* which of the edits are its */
	/* Scratch; json is to be initialized once. */
	struct ctx_json json;
	struct ctx_message message;
	struct ctx_buf text;
};

/* True if a touch of another record of the event's message has been told. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Is anybody told, or anything archived? */
bool ctx_report_wanted(const struct ctx_report *report);
/*
 * Archives and tells that a message is edited.  Of touch the caller sets
 * its place, tool, rule and bytes.
 */
int ctx_report_edited(const struct ctx_report *report, struct edited *edited,
    const struct ctx_edits *edits, struct ctx_change *change,
    struct ctx_err *err);
void ctx_edited_release(struct edited *edited);

#endif
