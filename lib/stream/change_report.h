/* change_report.h - reports of edited messages */
#ifndef CTX_STREAM_CHANGE_REPORT_H
#define CTX_STREAM_CHANGE_REPORT_H

#include "stream/stream.h"

/* A message and its edits.  The caller sets all members before json. */
struct edited {
	const struct ctx_message *before;
	struct ctx_counter *counter; /* NULL: tokens are not counted */
	struct ctx_str value;        /* the JSON that the edits change */
	size_t first, n; /* its edits in ctx_edits: n from first on */
	/* Scratch; json must be initialized before the first use. */
	struct ctx_json json;
	struct ctx_message message;
	struct ctx_buf text;
};

/* Returns true if this was called before for a record of the event's message,
 * that is, if the message was reported.  False for records that are not lines
 * of a transcript. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Returns true if changes are reported or archived. */
bool ctx_report_wanted(const struct ctx_report *report);
/*
 * Archives and reports that a message is edited.  The caller sets the place,
 * tool, rule and bytes of the change.
 */
int ctx_report_edited(const struct ctx_report *report, struct edited *edited,
    const struct ctx_edits *edits, struct ctx_change *change,
    struct ctx_err *err);
void ctx_edited_release(struct edited *edited);

#endif
