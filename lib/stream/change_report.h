/* change_report.h - reports messages that are changed, and archives their
 * original bytes */
#ifndef CTX_STREAM_CHANGE_REPORT_H
#define CTX_STREAM_CHANGE_REPORT_H

#include "stream/stream.h"

/* Returns true if an earlier call was for a record of the same message, so that
 * the message was already reported.  Only in session files can a message have
 * several records; for other records returns false. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Returns true if the user wants changes to be reported or archived. */
bool ctx_report_wanted(const struct ctx_report *report);

#endif
