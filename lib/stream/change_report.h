/* change_report.h - reports messages that are changed, and archives their
 * original bytes */
#ifndef CTX_STREAM_CHANGE_REPORT_H
#define CTX_STREAM_CHANGE_REPORT_H

#include "stream/stream.h"

/* Returns true if an earlier call had a record of the same message as this
 * event: then the message was already reported.  Only lines of session files
 * can belong to one message; for other records returns false. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Returns true if the user wants changes to be reported or archived. */
bool ctx_report_wanted(const struct ctx_report *report);

#endif
