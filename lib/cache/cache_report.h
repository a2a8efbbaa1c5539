/* cache_report.h - what is told of hints that come and go */
#ifndef CTX_CACHE_CACHE_REPORT_H
#define CTX_CACHE_CACHE_REPORT_H

#include "cache/breakpoints.h"
#include "stream/conversation_tracker.h"

/* Notes in *touch, of a message that has just come, what is told of it if it
 * is changed; nothing if nobody asks.  Its tool is a copy, the caller's to
 * free. */
int ctx_hinted_describe(const struct ctx_report *report, struct talk *talk,
    const struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_meter *meter, struct ctx_touch *touch, struct ctx_err *err);

/* Archives and tells of the message: rule is that of the hint that it gets,
 * or NULL: it only loses hints. */
int ctx_hinted_tell(const struct ctx_report *report, struct ctx_touch *touch,
    const char *rule, struct ctx_str bytes, struct ctx_err *err);

/* Notes the hints of what the request of event has beside its messages, as
 * points say, in the edits of the pen; archives and tells of each member that
 * is changed. */
int ctx_hinted_request(const struct ctx_report *report,
    struct ctx_hint_pen *pen, const struct ctx_hints *hints, enum ctx_ttl ttl,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err);

#endif
