/*
 * mark_cache.c - breakpoints for a prompt cache
 *
 * Breakpoints depend on the last blocks of a conversation (breakpoints.c).  So
 * a message of the stream waits until enough blocks follow it.  It is scanned
 * again only if it gets or loses a breakpoint.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/breakpoints.h"
#include "cache/cache_report.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"

/* Messages read before the provider must be known. */
#define PATIENCE 16

struct cache {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_model_counters *counters;
	const struct ctx_cache_options *options;
	/* The conversations of the stream and of a record. */
	struct cache_run lines, record;
	/* For reports on these conversations. */
	struct conversation_tracker line_talk, record_talk;
	struct ctx_json json;   /* a waiting message, scanned again */
	struct ctx_edits edits; /* of the record or message */
	struct ctx_breakpoint_writer pen;
	struct ctx_buf out;
};

/* ---- writing ---- */

/* Sets c->out to the text with the edits applied, and clears the edits. */
static int
apply_marking_edits(struct cache *c, struct ctx_str text, struct ctx_err *err)
{
	c->out.n = 0;
	if (ctx_edits_apply(&c->edits, text, &c->out, err) < 0)
		return -1;
	ctx_edits_reset(&c->edits);
	return 0;
}

/* Writes the text with the edits applied; writes nothing in a dry run. */
static int
write_marked_text(struct cache *c, struct ctx_str text, struct ctx_err *err)
{
	const struct ctx_report *report = &c->options->report;

	if (report->dry_run) {
		ctx_edits_reset(&c->edits);
		return 0;
	}
	if (c->edits.n > 0) {
		if (ctx_report_sync(report, err) < 0 ||
		    apply_marking_edits(c, text, err) < 0)
			return -1;
		text = (struct ctx_str){c->out.p, c->out.n};
	}
	if (ctx_writer_copy(c->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(c->writer, err);
}

/* Writes message number of the stream with the breakpoints in points only. */
static int
write_marked(struct cache *c, struct cache_run *run, struct waiting *one,
    const struct breakpoints *points, uint64_t number, struct ctx_err *err)
{
	struct ctx_str text = {one->text, one->n};
	uint32_t mask = ctx_breakpoints_of(points, number);
	size_t used;

	if (one->message && run->why == CTX_CACHE_STATUS_MARKED &&
	    (mask != 0 || !one->clean)) {
		if (ctx_json_scan(&c->json, one->text, one->n, &used, err) < 0)
			return -1;
		c->pen.json = &c->json;
		if (ctx_cache_run_edit(&c->pen, run->format, c->options->ttl,
			one->node, mask, err) < 0)
			return -1;
	}
	if (c->edits.n > 0 &&
	    ctx_cache_report_change(&c->options->report, &one->change,
		ctx_breakpoints_rule(points, number), text, err) < 0)
		return -1;
	if (write_marked_text(c, text, err) < 0)
		return -1;
	ctx_breakpoints_free_waiting(one);
	return 0;
}

/* Returns true if message i can no longer get a breakpoint other than the
 * system prompt's, so it can be written. */
static bool
is_message_due(const struct cache_run *run, size_t i)
{
	const struct waiting *one = &run->list[i];
	uint64_t number = run->gone + i;

	if (!run->decided)
		return false;
	if (run->why != CTX_CACHE_STATUS_MARKED || !one->message)
		return true;
	return !run->leading && run->previous > number + 1 &&
	    ctx_cache_run_newest(run) >=
	    one->first + one->places.blocks + COURSE_STEP;
}

/* Writes the messages that need not wait any longer. */
static int
write_due_marked(struct cache *c, struct cache_run *run, struct ctx_err *err)
{
	struct breakpoints points;
	size_t i;

	ctx_cache_run_place_system(run, &points);
	for (i = 0; i < run->n && is_message_due(run, i); i++)
		if (write_marked(c, run, &run->list[i], &points, run->gone + i,
			err) < 0)
			return -1;
	if (i == 0)
		return 0;
	memmove(run->list, run->list + i, (run->n - i) * sizeof *run->list);
	run->n -= i;
	run->gone += i;
	return 0;
}

/* ---- reading messages ---- */

static int
begin_marking(struct cache *c, struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_request_overhead overhead = {0};

	ctx_cache_run_clear(run);
	run->open = run->leading = true;
	run->file = event->record->file;
	if (ctx_stream_measure(c->stream, event, c->counters,
		&run->model_counter, err) < 0)
		return -1;
	if (run->model_counter.model != NULL &&
	    ctx_count_request_overhead(run->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	run->tokens = overhead.tokens;
	return 0;
}

/* Counts tokens until the model is known to cache that many. */
static int
count_until_cached(struct cache_run *run, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_model *model = run->model_counter.model;
	struct ctx_cost cost;

	if (model == NULL || run->tokens >= model->cache_least)
		return 0;
	if (ctx_count_message(run->model_counter.counter, event->message, &cost,
		err) < 0)
		return -1;
	run->tokens += cost.tokens;
	return 0;
}

/* Appends a copy of the bytes to the waiting messages. */
static struct waiting *
hold_bytes(struct cache *c, struct ctx_str text, struct ctx_err *err)
{
	struct waiting *one = ctx_cache_run_add(&c->lines, err);

	if (one == NULL)
		return NULL;
	one->text = malloc(text.n);
	if (one->text == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	memcpy(one->text, text.p, text.n);
	one->n = text.n;
	return one;
}

/* Writes a record that gets no breakpoints, or makes it wait if others do. */
static int
pass_unmarked(struct cache *c, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_str text = event->record->text;

	if (c->lines.n > 0 && c->edits.n > 0) {
		if (ctx_report_sync(&c->options->report, err) < 0 ||
		    apply_marking_edits(c, text, err) < 0)
			return -1;
		text = (struct ctx_str){c->out.p, c->out.n};
	}
	if (c->lines.n > 0)
		return hold_bytes(c, text, err) == NULL ? -1 : 0;
	if (c->edits.n > 0 || c->options->report.dry_run)
		return write_marked_text(c, text, err);
	if (ctx_writer_put(c->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(c->writer, err);
}

/* Decides the provider, then records the places in the messages read before. */
static int
weigh_earlier(struct cache *c, const struct ctx_dialect *dialect,
    struct ctx_err *err)
{
	struct cache_run *run = &c->lines;
	struct waiting *one;
	size_t i, used;

	if (ctx_cache_run_decide(run, dialect, c->options->provider, err) < 0) {
		run->open = false; /* nothing can be written */
		return -1;
	}
	for (i = 0; run->why == CTX_CACHE_STATUS_MARKED && i < run->n; i++) {
		one = &run->list[i];
		if (!one->message)
			continue;
		c->pen.json = &c->json;
		if (ctx_json_scan(&c->json, one->text, one->n, &used, err) <
			0 ||
		    ctx_cache_run_weigh(run, i, &c->pen, err) < 0)
			return -1;
	}
	return 0;
}

static int
describe_message(struct cache *c, const struct ctx_event *event,
    struct ctx_change *change, struct ctx_err *err)
{
	return ctx_cache_report_describe(&c->options->report,
	    event->inside ? &c->record_talk : &c->line_talk, c->stream, event,
	    c->counters, change, err);
}

static int
mark_record(struct cache *c, const struct ctx_event *event, struct ctx_err *err)
{
	struct cache_run *run = &c->lines;
	struct waiting *one;

	if (!run->open && begin_marking(c, run, event, err) < 0)
		return -1;
	if (run->decided && run->why != CTX_CACHE_STATUS_MARKED)
		return pass_unmarked(c, event, err);
	if (count_until_cached(run, event, err) < 0)
		return -1;
	one = hold_bytes(c, event->record->text, err);
	if (one == NULL)
		return -1;
	one->message = true;
	one->node = event->node;
	one->role = event->message->role;
	if (describe_message(c, event, &one->change, err) < 0)
		return -1;
	if (run->decided) {
		c->pen.json = event->record->json;
		if (run->why == CTX_CACHE_STATUS_MARKED &&
		    ctx_cache_run_weigh(run, run->gone + run->n - 1, &c->pen,
			err) < 0)
			return -1;
	} else if ((c->stream->dialect != NULL || run->n > PATIENCE) &&
	    weigh_earlier(c, event->layout->dialect, err) < 0) {
		return -1;
	}
	return write_due_marked(c, run, err);
}

static int
mark_inside(struct cache *c, const struct ctx_event *event, struct ctx_err *err)
{
	struct cache_run *run = &c->record;
	struct waiting *one;

	if (run->why != CTX_CACHE_STATUS_MARKED || event->layout->is_response)
		return 0;
	one = ctx_cache_run_add(run, err);
	if (one == NULL)
		return -1;
	one->message = true;
	one->node = event->node;
	one->role = event->message->role;
	c->pen.json = event->record->json;
	if (describe_message(c, event, &one->change, err) < 0 ||
	    ctx_cache_run_weigh(run, run->n - 1, &c->pen, err) < 0)
		return -1;
	return count_until_cached(run, event, err);
}

/* ---- the end of a conversation ---- */

static int
report_marked(struct cache *c, const struct cache_run *run,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err)
{
	const struct ctx_model *model = run->model_counter.model;
	struct ctx_cache_outcome outcome = {
	    .file = run->file,
	    .line = event != NULL ? event->record->line : 0,
	    .why = run->why,
	    .dialect = run->dialect,
	    .format = run->format,
	    .model = model,
	    .marks = ctx_breakpoints_count(points, run),
	};

	if (c->options->ended == NULL)
		return 0;
	if (run->why == CTX_CACHE_STATUS_MARKED && model != NULL &&
	    run->tokens < model->cache_least)
		outcome.tokens = run->tokens;
	return c->options->ended(c->options->user, &outcome, err);
}

/* Adds the edits of message i inside a record, and reports its change. */
static int
mark_element(struct cache *c, struct cache_run *run, size_t i,
    const struct breakpoints *points, struct ctx_err *err)
{
	struct waiting *one = &run->list[i];
	size_t noted = c->edits.n;

	if (ctx_cache_run_edit(&c->pen, run->format, c->options->ttl, one->node,
		ctx_breakpoints_of(points, i), err) < 0)
		return -1;
	if (c->edits.n == noted)
		return 0;
	return ctx_cache_report_change(&c->options->report, &one->change,
	    ctx_breakpoints_rule(points, i),
	    ctx_json_str(c->pen.json, one->node), err);
}

/* Adds the edits of a record; they are applied when the record ends. */
static int
end_marked_record(struct cache *c, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_run *run = &c->record;
	const struct ctx_record_layout *layout = event->layout;
	struct breakpoints points = {0};
	size_t i;

	if (layout->is_response)
		return 0;
	if (run->why == CTX_CACHE_STATUS_MARKED) {
		c->pen.json = event->record->json;
		ctx_cache_run_place(run, c->pen.json, layout, &points);
		for (i = 0; i < run->n; i++)
			if (mark_element(c, run, i, &points, err) < 0)
				return -1;
		if (layout->in_request &&
		    ctx_cache_report_request(&c->options->report, &c->pen,
			run->format, c->options->ttl, event, &points, err) < 0)
			return -1;
	}
	return report_marked(c, run, event, &points, err);
}

/* Ends the stream's conversation and writes its waiting messages. */
static int
end_marked_lines(struct cache *c, struct ctx_err *err)
{
	struct cache_run *run = &c->lines;
	const struct ctx_dialect *dialect = ctx_stream_dialect(c->stream);
	struct breakpoints points = {0};
	size_t i;

	if (!run->open)
		return 0;
	if (!run->decided && weigh_earlier(c, dialect, err) < 0)
		return -1;
	if (run->why == CTX_CACHE_STATUS_MARKED)
		ctx_cache_run_place(run, NULL, NULL, &points);
	for (i = 0; i < run->n; i++)
		if (write_marked(c, run, &run->list[i], &points, run->gone + i,
			err) < 0)
			return -1;
	return report_marked(c, run, NULL, &points, err);
}

/* ---- the stream ---- */

static int
strip_message(struct cache *c, const struct ctx_breakpoint_format *format,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_change change = {.tool = {NULL, 0}};
	size_t noted = c->edits.n;
	int rc;

	if (describe_message(c, event, &change, err) < 0 ||
	    ctx_cache_run_edit(&c->pen, format, c->options->ttl, event->node, 0,
		err) < 0)
		rc = -1;
	else if (c->edits.n == noted)
		rc = 0;
	else {
		change.continues = ctx_report_named(c->stream, event);
		rc = ctx_cache_report_change(&c->options->report, &change, NULL,
		    event->inside
			? ctx_json_str(event->record->json, event->node)
			: event->record->text,
		    err);
	}
	free((char *)change.tool.p);
	return rc;
}

/* Handles an event with strip: breakpoints of any provider are removed, and no
 * message waits. */
static int
strip_event(struct cache *c, const struct ctx_event *event, struct ctx_err *err)
{
	static const struct breakpoints none;
	const struct ctx_record_layout *layout = event->layout;
	const struct ctx_breakpoint_format *format;

	if (event->kind == CTX_EVENT_RECORD)
		return pass_unmarked(c, event, err);
	format = ctx_breakpoint_format_any(layout->dialect);
	if (layout->is_response || format == NULL)
		return 0;
	c->pen.json = event->record->json;
	if (event->kind == CTX_EVENT_MESSAGE)
		return strip_message(c, format, event, err);
	if (event->kind == CTX_EVENT_END && layout->in_request)
		return ctx_cache_report_request(&c->options->report, &c->pen,
		    format, c->options->ttl, event, &none, err);
	return 0;
}

static int
mark_event(struct cache *c, const struct ctx_event *event, struct ctx_err *err)
{
	if (event->kind == CTX_EVENT_BEGIN &&
	    c->options->report.on_change != NULL &&
	    ctx_tracker_enter(&c->record_talk, c->stream, event, c->counters,
		err) < 0)
		return -1;
	if (c->options->strip)
		return strip_event(c, event, err);
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		if (event->layout->is_response)
			return 0;
		if (begin_marking(c, &c->record, event, err) < 0)
			return -1;
		return ctx_cache_run_decide(&c->record, event->layout->dialect,
		    c->options->provider, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? mark_inside(c, event, err)
				     : mark_record(c, event, err);
	case CTX_EVENT_END:
		return end_marked_record(c, event, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE)
			return 0;
		return pass_unmarked(c, event, err);
	default:
		return 0;
	}
}

static int
mark_all(struct cache *c, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	bool failed;
	int rc;

	while ((rc = ctx_stream_next(c->stream, &event, err)) > 0)
		if (mark_event(c, &event, err) < 0) {
			rc = ctx_stream_fail(c->stream, err);
			ctx_edits_reset(&c->edits);
			break;
		}
	/* Broken input ends the conversation, since the records before are
	 * complete. After a read error more messages may follow, so none is
	 * known to be the last. */
	failed = rc < 0 && (err->code == CTX_ESYS || err->code == CTX_ENOMEM);
	if (((!failed && end_marked_lines(c, &late) < 0) ||
		ctx_writer_flush(c->writer, &late) < 0) &&
	    rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

int
ctx_mark_cache(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_cache_options *options, struct ctx_err *err)
{
	struct cache c = {.stream = stream,
	    .writer = writer,
	    .counters = counters,
	    .options = options};
	bool told = options->report.on_change != NULL;
	int rc = -1;

	ctx_json_init(&c.json, counters->simd);
	c.pen.edits = &c.edits;
	if (ctx_tracker_init(&c.line_talk, told, told, err) == 0 &&
	    ctx_tracker_init(&c.record_talk, told, told, err) == 0)
		rc = mark_all(&c, err);
	ctx_tracker_release(&c.line_talk);
	ctx_tracker_release(&c.record_talk);
	ctx_cache_run_clear(&c.lines);
	ctx_cache_run_clear(&c.record);
	free(c.lines.list);
	free(c.record.list);
	ctx_json_release(&c.json);
	ctx_edits_release(&c.edits);
	ctx_breakpoint_writer_release(&c.pen);
	ctx_buf_release(&c.out);
	return rc;
}
