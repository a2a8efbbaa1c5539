/*
 * cache_report.c - what is told of hints that come and go
 *
 * A hint costs no tokens, so a message costs after as much as before.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/cache_report.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"

static int
copy_tool(struct ctx_change *touch, struct ctx_str tool, struct ctx_err *err)
{
	char *copy;

	touch->tool = (struct ctx_str){NULL, 0};
	if (tool.n == 0)
		return 0;
	copy = malloc(tool.n);
	if (copy == NULL)
		return ctx_err_nomem(err);
	memcpy(copy, tool.p, tool.n);
	touch->tool = (struct ctx_str){copy, tool.n};
	return 0;
}

int
ctx_cache_report_describe(const struct ctx_report *report,
    struct conversation_tracker *talk, const struct ctx_stream *stream,
    const struct ctx_event *event, struct ctx_model_counters *meter,
    struct ctx_change *touch, struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	struct ctx_str tool;

	if (!ctx_report_wanted(report))
		return 0;
	if (ctx_tracker_enter(talk, stream, event, meter, err) < 0 ||
	    ctx_tracker_first_tool(talk, event, &tool, err) < 0)
		return -1;
	if (talk->tokens &&
	    ctx_count_message(talk->measure.counter, event->shape->dialect,
		event->view, &cost, err) < 0)
		return -1;
	touch->file = event->record->file;
	touch->line = event->record->line;
	touch->index = talk->index;
	touch->role = event->view->role;
	touch->before = touch->after = cost.tokens;
	if (copy_tool(touch, tool, err) < 0)
		return -1;
	return ctx_tracker_leave(talk, event, err);
}

int
ctx_cache_report_change(const struct ctx_report *report,
    struct ctx_change *touch, const char *rule, struct ctx_str bytes,
    struct ctx_err *err)
{
	if (!ctx_report_wanted(report))
		return 0;
	touch->rule = rule != NULL ? rule : "old hints";
	touch->action = rule != NULL ? "mark" : "strip";
	touch->bytes = bytes;
	return ctx_report_change(report, touch, err);
}

/* The key of the request's member in which a node lies. */
static uint32_t
member_of(const struct ctx_json *json, uint32_t request, uint32_t node)
{
	uint32_t key = request + 1;

	while (json->nodes[key + 1].next <= node)
		key = json->nodes[key + 1].next;
	return key;
}

static int
tell_member(const struct ctx_report *report, const struct ctx_event *event,
    uint32_t key, const char *rule, struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	struct ctx_str name = ctx_json_str(json, key);
	struct ctx_change touch = {.file = event->record->file,
	    .line = event->record->line};

	/* Without its quotes: the names are plain. */
	touch.member = (struct ctx_str){name.p + 1, name.n - 2};
	return ctx_cache_report_change(report, &touch, rule,
	    ctx_json_str(json, key + 1), err);
}

/* What a request says of caching as a whole goes. */
static int
strip_whole(const struct ctx_report *report, struct ctx_breakpoint_writer *pen,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	uint32_t request = event->shape->request, key;

	for (key = request + 1; key < json->nodes[request].next;
	     key = json->nodes[key + 1].next)
		if (ctx_breakpoint_key(json, key) &&
		    tell_member(report, event, key, NULL, err) < 0)
			return -1;
	return ctx_breakpoint_strip(pen, request, err);
}

int
ctx_cache_report_request(const struct ctx_report *report,
    struct ctx_breakpoint_writer *pen,
    const struct ctx_breakpoint_format *hints, enum ctx_ttl ttl,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err)
{
	uint32_t request = event->shape->request, lists[CTX_BREAKPOINT_LISTS];
	size_t n = ctx_breakpoint_lists(pen->json, request, lists), noted, i;
	const char *rule;
	uint32_t mask;

	for (i = 0; i < n; i++) {
		mask = 0;
		rule = NULL;
		if (lists[i] ==
		    ctx_breakpoint_system(hints, pen->json, request)) {
			mask = points->system;
			rule = "system prompt";
		} else if (lists[i] ==
		    ctx_breakpoint_tools(hints, pen->json, request)) {
			mask = points->tools;
			rule = "last tool";
		}
		noted = pen->edits->n;
		if (ctx_breakpoint_write(pen, hints, ttl, lists[i], mask, err) <
		    0)
			return -1;
		if (pen->edits->n > noted &&
		    tell_member(report, event,
			member_of(pen->json, request, lists[i]),
			mask != 0 ? rule : NULL, err) < 0)
			return -1;
	}
	return strip_whole(report, pen, event, err);
}
