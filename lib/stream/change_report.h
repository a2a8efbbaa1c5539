/* change_report.h - reports edited messages */
#ifndef CTX_STREAM_CHANGE_REPORT_H
#define CTX_STREAM_CHANGE_REPORT_H

#include "stream/stream.h"

/* A message and the edits that will be made in it.  The caller sets all
 * members before json. */
struct edited {
	const struct ctx_message *before;
	struct ctx_counter *counter; /* NULL: tokens are not counted */
	struct ctx_str value;        /* the JSON that the edits change */
	size_t first, n; /* its edits in ctx_edits: n from first on */
	/* The rest is scratch memory; json must be initialized before the
	 * first use. */
	struct ctx_json json;
	struct ctx_message message;
	struct ctx_buf text;
};

/* Returns true if an earlier call had a record of the same message as this
 * event: then the message was already reported.  Only lines of session files
 * can belong to one message; for other records returns false. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Returns true if the user wants changes to be reported or archived. */
bool ctx_report_wanted(const struct ctx_report *report);
/* Archives the original bytes of an edited message and reports the edit.  Of
 * *change, the caller has set the place, tool, rule and bytes. */
int ctx_report_edited(const struct ctx_report *report, struct edited *edited,
    const struct ctx_edits *edits, struct ctx_change *change,
    struct ctx_err *err);
void ctx_edited_release(struct edited *edited);

#endif
