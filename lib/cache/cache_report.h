/* cache_report.h - what is told of breakpoints that come and go */
#ifndef CTX_CACHE_CACHE_REPORT_H
#define CTX_CACHE_CACHE_REPORT_H

#include "cache/breakpoints.h"
#include "stream/conversation_tracker.h"

/* Notes in *change, of a message that has just come, what is told of it if it
 * is changed; nothing if nobody asks.  Its tool is a copy, the caller's to
 * free. */
int ctx_cache_report_describe(const struct ctx_report *report,
    struct conversation_tracker *tracker, const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *counters,
    struct ctx_change *change, struct ctx_err *err);

/* Archives and tells of the message: rule is that of the breakpoint that it
 * gets, or NULL: it only loses breakpoints. */
int ctx_cache_report_change(const struct ctx_report *report,
    struct ctx_change *change, const char *rule, struct ctx_str bytes,
    struct ctx_err *err);

/* Notes the breakpoints of what the request of event has beside its messages,
 * as points say, in the edits of the pen; archives and tells of each member
 * that is changed. */
int ctx_cache_report_request(const struct ctx_report *report,
    struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err);

#endif
