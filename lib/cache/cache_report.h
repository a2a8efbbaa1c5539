/* cache_report.h - reports which messages gain or lose prompt-cache breakpoints
 */
#ifndef CTX_CACHE_CACHE_REPORT_H
#define CTX_CACHE_CACHE_REPORT_H

#include "cache/breakpoints.h"
#include "stream/conversation_tracker.h"

/* Where changed prompt-cache breakpoints of messages are reported, and what is
 * known of the conversations that are being read. */
struct cache_report {
	const struct ctx_rewrite *rewrite;
	/* lines: the conversation in which each record (line) is a message.
	 * record: the conversation inside the current record; each record that
	 * contains a conversation begins a new one. */
	struct conversation_tracker lines, record;
};

/* Prepares the report about a message, in *change.  The report is made if the
 * breakpoints of the message change later.  Does nothing if no reports are
 * wanted.  The caller frees change->tool.p. */
int ctx_cache_report_describe(struct cache_report *report,
    const struct ctx_event *event, struct ctx_change *change,
    struct ctx_err *err);

/* Archives and reports a message, or a member of a request, whose breakpoints
 * change.  Does nothing if no reports are wanted. rule: name of the breakpoint
 * that it gets, or NULL if it only loses breakpoints. bytes: its original JSON.
 */
int ctx_cache_report_change(const struct cache_report *report,
    struct ctx_change *change, const char *rule, struct ctx_str bytes,
    struct ctx_err *err);

/* Adds JSON edits that write the chosen breakpoints into the system prompt and
 * the tool definitions of a request, and remove all other breakpoints there,
 * and the members that control caching of the whole request.  Archives and
 * reports each changed member of the request. */
int ctx_cache_mark_request(const struct cache_report *report,
    struct ctx_breakpoint_writer *writer, enum ctx_ttl ttl,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err);

#endif
