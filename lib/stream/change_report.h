/* change_report.h - reports changes of messages, and archives the bytes before
 * a change */
#ifndef CTX_STREAM_CHANGE_REPORT_H
#define CTX_STREAM_CHANGE_REPORT_H

#include "stream/stream.h"

/* Returns true if a change of the message was already reported: the event's
 * record is not the first record of its message.  Always false outside of
 * session files, because only there can a message have several records. */
bool ctx_report_named(const struct ctx_stream *stream,
    const struct ctx_event *event);
/* Returns true if changes must be reported or archived. */
bool ctx_report_wanted(const struct ctx_report *report);

#endif
