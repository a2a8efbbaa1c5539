/*
 * cache_report.c - reports which messages gain or lose prompt-cache
 * breakpoints, and archives their originals
 *
 * A breakpoint costs no tokens, so a changed message has the same number of
 * tokens as before.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/cache_report.h"
#include "stream/conversation_tracker.h"

static int
copy_tool(struct ctx_change *change, struct ctx_str tool, struct ctx_err *err)
{
	char *copy;

	change->tool = (struct ctx_str){NULL, 0};
	if (tool.n == 0)
		return 0;
	copy = malloc(tool.n);
	if (copy == NULL)
		return ctx_err_nomem(err);
	memcpy(copy, tool.p, tool.n);
	change->tool = (struct ctx_str){copy, tool.n};
	return 0;
}

int
ctx_cache_report_describe(struct cache_report *report,
    const struct ctx_event *event, struct ctx_change *change,
    struct ctx_err *err)
{
	struct conversation_tracker *tracker =
	    event->inside ? &report->record : &report->lines;
	struct ctx_cost cost = {0};
	struct ctx_str tool;

	if (!ctx_report_wanted(report->rewrite->report))
		return 0;
	if (ctx_tracker_enter(tracker, report->rewrite->stream, event,
		report->rewrite->counters, err) < 0 ||
	    ctx_tracker_first_tool(tracker, event, &tool, err) < 0)
		return -1;
	if (tracker->tokens &&
	    ctx_count_message(tracker->model_counter.counter, event->message,
		&cost, err) < 0)
		return -1;
	change->file = event->record->file;
	change->line = event->record->line;
	change->index = tracker->index;
	change->role = event->message->role;
	change->before = change->after = cost.tokens;
	if (copy_tool(change, tool, err) < 0)
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}

int
ctx_cache_report_change(const struct cache_report *report,
    struct ctx_change *change, const char *rule, struct ctx_str bytes,
    struct ctx_err *err)
{
	if (!ctx_report_wanted(report->rewrite->report))
		return 0;
	change->rule = rule != NULL ? rule : "earlier breakpoints";
	change->action = rule != NULL ? "mark" : "strip";
	change->bytes = bytes;
	return ctx_report_change(report->rewrite->report, change, err);
}

/* Finds the member of a request that contains a JSON node.  Returns the node of
 * the member's key. */
static uint32_t
find_request_member(const struct ctx_json *json, uint32_t request,
    uint32_t node)
{
	uint32_t key = request + 1;

	while (json->nodes[key + 1].next <= node)
		key = json->nodes[key + 1].next;
	return key;
}

static int
report_member(const struct cache_report *report, const struct ctx_event *event,
    uint32_t key, const char *rule, struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	struct ctx_str name = ctx_json_str(json, key);
	struct ctx_change change = {.file = event->record->file,
	    .line = event->record->line};

	/* Removes the quotes around the member's key.  The key need not be
	 * decoded, because the members that are reported here (such as "tools")
	 * have keys without escapes. */
	change.member = (struct ctx_str){name.p + 1, name.n - 2};
	return ctx_cache_report_change(report, &change, rule,
	    ctx_json_str(json, key + 1), err);
}

/* Removes the members of a request that control prompt caching for the whole
 * request, and reports each of them. */
static int
strip_request(const struct cache_report *report,
    struct ctx_breakpoint_writer *writer, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	uint32_t request = event->layout->request, key = 0;

	while (ctx_json_next_member(json, request, &key))
		if (ctx_breakpoint_key(json, key) &&
		    report_member(report, event, key, NULL, err) < 0)
			return -1;
	return ctx_breakpoint_strip(writer, request, err);
}

int
ctx_cache_mark_request(const struct cache_report *report,
    struct ctx_breakpoint_writer *writer, enum ctx_ttl ttl,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err)
{
	const struct ctx_breakpoint_format *format = points->format;
	uint32_t request = event->layout->request, lists[CTX_BREAKPOINT_LISTS];
	size_t n = ctx_breakpoint_lists(writer->json, request, lists), n_edits,
	       i;
	const char *rule;
	uint32_t mask;

	for (i = 0; i < n; i++) {
		mask = 0;
		rule = NULL;
		if (lists[i] ==
		    ctx_breakpoint_system(format, writer->json, request)) {
			mask = points->system;
			rule = "system prompt";
		} else if (lists[i] ==
		    ctx_breakpoint_tools(format, writer->json, request)) {
			mask = points->tools;
			rule = "last tool";
		}
		n_edits = writer->edits->n;
		if (ctx_breakpoint_write(writer, format, ttl, lists[i], mask,
			err) < 0)
			return -1;
		if (writer->edits->n > n_edits &&
		    report_member(report, event,
			find_request_member(writer->json, request, lists[i]),
			mask != 0 ? rule : NULL, err) < 0)
			return -1;
	}
	return strip_request(report, writer, event, err);
}
