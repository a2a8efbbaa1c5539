/* cache_report.h - reports about changed breakpoints */
#ifndef CTX_CACHE_CACHE_REPORT_H
#define CTX_CACHE_CACHE_REPORT_H

#include "cache/breakpoints.h"
#include "stream/conversation_tracker.h"

/* Reports the changed messages of a stream. */
struct cache_report {
	const struct ctx_report *options;
	const struct ctx_stream *stream;
	struct ctx_model_counters *counters;
	/* The stream's conversation, and that of a record. */
	struct conversation_tracker lines, record;
};

/* Fills *change for a message, in case that its breakpoints change later.  Does
 * nothing if no report is wanted.  The caller frees change->tool. */
int ctx_cache_report_describe(struct cache_report *report,
    const struct ctx_event *event, struct ctx_change *change,
    struct ctx_err *err);

/* Archives and reports a changed message. rule names the breakpoint that it
 * gets; NULL: it only loses breakpoints. */
int ctx_cache_report_change(const struct cache_report *report,
    struct ctx_change *change, const char *rule, struct ctx_str bytes,
    struct ctx_err *err);

/* Adds edits that write the breakpoints of a request outside its messages, as
 * points says.  Archives and reports each changed member. */
int ctx_cache_mark_request(const struct cache_report *report,
    struct ctx_breakpoint_writer *writer, enum ctx_ttl ttl,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err);

#endif
