/*
 * mark_cache.c - writes prompt-cache breakpoints into the conversations of a
 * stream
 *
 * Which messages get breakpoints depends on the last blocks of a conversation
 * (breakpoints.c).  So a message is kept in memory until enough blocks follow
 * it.  The JSON of a message kept in memory is parsed again only if it gets or
 * loses a breakpoint.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/breakpoints.h"
#include "cache/cache_report.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"

/* At most this many messages are read before the provider must be known. */
#define MAX_UNDECIDED 16

/* State of ctx_mark_cache. */
struct marking {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_model_counters *counters;
	const struct ctx_cache_options *options;
	/* lines: the conversation whose messages are separate records. record:
	 * the conversation inside the record being read. */
	struct cache_run lines, record;
	struct cache_report report;
	/* Parsed JSON of a message that was kept in memory. */
	struct ctx_json json;
	/* JSON edits of the record or message that is written next */
	struct ctx_edits edits;
	struct ctx_breakpoint_writer breakpoint_writer;
	struct ctx_buf out;
};

/* ---- writing ---- */

/* Sets marking->out to the text with the edits applied, and clears the edits.
 */
static int
apply_marking_edits(struct marking *marking, struct ctx_str text,
    struct ctx_err *err)
{
	marking->out.n = 0;
	if (ctx_edits_apply(&marking->edits, text, &marking->out, err) < 0)
		return -1;
	ctx_edits_reset(&marking->edits);
	return 0;
}

/* Writes a record with its JSON edits applied; in a dry run only clears the
 * edits.  The archive of changed messages is written to disk first. */
static int
write_marked_text(struct marking *marking, struct ctx_str text,
    struct ctx_err *err)
{
	const struct ctx_report *report = &marking->options->report;

	if (report->dry_run) {
		ctx_edits_reset(&marking->edits);
		return 0;
	}
	if (marking->edits.n > 0) {
		if (ctx_report_sync(report, err) < 0 ||
		    apply_marking_edits(marking, text, err) < 0)
			return -1;
		text = (struct ctx_str){marking->out.p, marking->out.n};
	}
	if (ctx_writer_copy(marking->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(marking->writer, err);
}

/* Writes message number of the stream, which was kept in memory, with exactly
 * the breakpoints in points, and reports its change. */
static int
write_marked(struct marking *marking, struct cache_run *run,
    struct cache_entry *entry, const struct breakpoints *points,
    uint64_t number, struct ctx_err *err)
{
	struct ctx_str text = {entry->text, entry->bytes};
	uint32_t mask = ctx_breakpoints_of(points, number);
	size_t used;

	if (entry->is_message && run->status == CTX_CACHE_STATUS_MARKED &&
	    (mask != 0 || !entry->is_unmarked)) {
		if (ctx_json_scan(&marking->json, entry->text, entry->bytes,
			&used, err) < 0)
			return -1;
		marking->breakpoint_writer.json = &marking->json;
		if (ctx_cache_run_edit(&marking->breakpoint_writer, run->format,
			marking->options->ttl, entry->node, mask, err) < 0)
			return -1;
	}
	if (marking->edits.n > 0 &&
	    ctx_cache_report_change(&marking->report, &entry->change,
		ctx_breakpoints_rule(points, number), text, err) < 0)
		return -1;
	if (write_marked_text(marking, text, err) < 0)
		return -1;
	ctx_cache_entry_release(entry);
	return 0;
}

/* Returns true if message i of the list can be written now: no later message
 * can make ctx put a cache breakpoint on it. (The breakpoint after the system
 * prompt does not depend on later messages.) */
static bool
is_message_due(const struct cache_run *run, size_t i)
{
	const struct cache_entry *entry = &run->list[i];
	uint64_t number = run->n_written + i;

	if (!run->decided)
		return false;
	if (run->status != CTX_CACHE_STATUS_MARKED || !entry->is_message)
		return true;
	return !run->leading && run->previous > number + 1 &&
	    ctx_cache_run_newest(run) >=
	    entry->first_block + entry->places.blocks + BREAKPOINT_STEP;
}

/* Writes the messages at the beginning of the list whose breakpoints are final,
 * and removes them from the list. */
static int
write_due_marked(struct marking *marking, struct cache_run *run,
    struct ctx_err *err)
{
	struct breakpoints points;
	size_t i;

	ctx_cache_run_place_system(run, &points);
	for (i = 0; i < run->n && is_message_due(run, i); i++)
		if (write_marked(marking, run, &run->list[i], &points,
			run->n_written + i, err) < 0)
			return -1;
	if (i == 0)
		return 0;
	memmove(run->list, run->list + i, (run->n - i) * sizeof *run->list);
	run->n -= i;
	run->n_written += i;
	return 0;
}

/* ---- reading messages ---- */

static int
begin_marking(struct marking *marking, struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_request_overhead overhead = {0};

	ctx_cache_run_clear(run);
	run->begun = run->leading = true;
	run->file = event->record->file;
	if (ctx_stream_measure(marking->stream, event, marking->counters,
		&run->model_counter, err) < 0)
		return -1;
	if (run->model_counter.model != NULL &&
	    ctx_count_request_overhead(run->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	run->tokens = overhead.tokens;
	return 0;
}

/* Counts the tokens of a message for its conversation, unless the conversation
 * already has enough tokens for its model to cache them. */
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

/* Keeps a copy of a record's bytes in memory, after the messages that cannot be
 * written yet.  Returns its entry, or NULL and sets *err. */
static struct cache_entry *
hold_bytes(struct marking *marking, struct ctx_str text, struct ctx_err *err)
{
	struct cache_entry *entry = ctx_cache_run_add(&marking->lines, err);

	if (entry == NULL)
		return NULL;
	entry->text = malloc(text.n);
	if (entry->text == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	memcpy(entry->text, text.p, text.n);
	entry->bytes = text.n;
	return entry;
}

/* Writes a record that gets no breakpoints.  If messages before it cannot be
 * written yet, keeps it in memory after them. */
static int
end_unmarked_record(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_str text = event->record->text;

	if (marking->lines.n > 0 && marking->edits.n > 0) {
		if (ctx_report_sync(&marking->options->report, err) < 0 ||
		    apply_marking_edits(marking, text, err) < 0)
			return -1;
		text = (struct ctx_str){marking->out.p, marking->out.n};
	}
	if (marking->lines.n > 0)
		return hold_bytes(marking, text, err) == NULL ? -1 : 0;
	if (marking->edits.n > 0 || marking->options->report.dry_run)
		return write_marked_text(marking, text, err);
	if (ctx_writer_put(marking->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(marking->writer, err);
}

/* Decides which provider's breakpoints are written.  Then records, for the
 * messages read before, which of their blocks may have breakpoints. */
static int
decide_provider(struct marking *marking, const struct ctx_dialect *dialect,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->lines;
	struct cache_entry *entry;
	size_t i, used;

	if (ctx_cache_run_decide(run, dialect, marking->options->provider,
		err) < 0) {
		run->begun = false; /* no message can be written */
		return -1;
	}
	for (i = 0; run->status == CTX_CACHE_STATUS_MARKED && i < run->n; i++) {
		entry = &run->list[i];
		if (!entry->is_message)
			continue;
		marking->breakpoint_writer.json = &marking->json;
		if (ctx_json_scan(&marking->json, entry->text, entry->bytes,
			&used, err) < 0 ||
		    ctx_cache_run_find_places(run, i,
			&marking->breakpoint_writer, err) < 0)
			return -1;
	}
	return 0;
}

static int
hold_message(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->lines;
	struct cache_entry *entry;

	if (!run->begun && begin_marking(marking, run, event, err) < 0)
		return -1;
	if (run->decided && run->status != CTX_CACHE_STATUS_MARKED)
		return end_unmarked_record(marking, event, err);
	if (count_until_cached(run, event, err) < 0)
		return -1;
	entry = hold_bytes(marking, event->record->text, err);
	if (entry == NULL)
		return -1;
	entry->is_message = true;
	entry->node = event->node;
	entry->role = event->message->role;
	if (ctx_cache_report_describe(&marking->report, event, &entry->change,
		err) < 0)
		return -1;
	if (run->decided) {
		marking->breakpoint_writer.json = event->record->json;
		if (run->status == CTX_CACHE_STATUS_MARKED &&
		    ctx_cache_run_find_places(run, run->n_written + run->n - 1,
			&marking->breakpoint_writer, err) < 0)
			return -1;
	} else if ((marking->stream->dialect != NULL ||
		       run->n > MAX_UNDECIDED) &&
	    decide_provider(marking, event->layout->dialect, err) < 0) {
		return -1;
	}
	return write_due_marked(marking, run, err);
}

static int
append_run_element(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->record;
	struct cache_entry *entry;

	if (run->status != CTX_CACHE_STATUS_MARKED ||
	    event->layout->is_response)
		return 0;
	entry = ctx_cache_run_add(run, err);
	if (entry == NULL)
		return -1;
	entry->is_message = true;
	entry->node = event->node;
	entry->role = event->message->role;
	marking->breakpoint_writer.json = event->record->json;
	if (ctx_cache_report_describe(&marking->report, event, &entry->change,
		err) < 0 ||
	    ctx_cache_run_find_places(run, run->n - 1,
		&marking->breakpoint_writer, err) < 0)
		return -1;
	return count_until_cached(run, event, err);
}

/* ---- the end of a conversation ---- */

static int
report_marked(struct marking *marking, const struct cache_run *run,
    const struct ctx_event *event, const struct breakpoints *points,
    struct ctx_err *err)
{
	const struct ctx_model *model = run->model_counter.model;
	struct ctx_cache_outcome outcome = {
	    .file = run->file,
	    .line = event != NULL ? event->record->line : 0,
	    .status = run->status,
	    .dialect = run->dialect,
	    .format = run->format,
	    .model = model,
	    .n_breakpoints = ctx_breakpoints_count(points, run),
	};

	if (marking->options->ended == NULL)
		return 0;
	if (run->status == CTX_CACHE_STATUS_MARKED && model != NULL &&
	    run->tokens < model->cache_least)
		outcome.tokens = run->tokens;
	return marking->options->ended(marking->options->user, &outcome, err);
}

/* Adds the JSON edits that give message i of a record its breakpoints, and
 * reports its change. */
static int
mark_run_element(struct marking *marking, struct cache_run *run, size_t i,
    const struct breakpoints *points, struct ctx_err *err)
{
	struct cache_entry *entry = &run->list[i];
	size_t n_edits = marking->edits.n;

	if (ctx_cache_run_edit(&marking->breakpoint_writer, run->format,
		marking->options->ttl, entry->node,
		ctx_breakpoints_of(points, i), err) < 0)
		return -1;
	if (marking->edits.n == n_edits)
		return 0;
	return ctx_cache_report_change(&marking->report, &entry->change,
	    ctx_breakpoints_rule(points, i),
	    ctx_json_str(marking->breakpoint_writer.json, entry->node), err);
}

/* Adds the JSON edits that give a conversation inside a record its breakpoints.
 * They are applied when the record ends. */
static int
end_marked_record(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->record;
	const struct ctx_record_layout *layout = event->layout;
	struct breakpoints points = {0};
	size_t i;

	if (layout->is_response)
		return 0;
	if (run->status == CTX_CACHE_STATUS_MARKED) {
		marking->breakpoint_writer.json = event->record->json;
		ctx_cache_run_place(run, marking->breakpoint_writer.json,
		    layout, &points);
		for (i = 0; i < run->n; i++)
			if (mark_run_element(marking, run, i, &points, err) < 0)
				return -1;
		if (layout->in_request &&
		    ctx_cache_mark_request(&marking->report,
			&marking->breakpoint_writer, marking->options->ttl,
			event, &points, err) < 0)
			return -1;
	}
	return report_marked(marking, run, event, &points, err);
}

/* At the end of the stream, writes the messages that are still in memory, with
 * their breakpoints. */
static int
end_marked_lines(struct marking *marking, struct ctx_err *err)
{
	struct cache_run *run = &marking->lines;
	const struct ctx_dialect *dialect = ctx_stream_dialect(marking->stream);
	struct breakpoints points = {0};
	size_t i;

	if (!run->begun)
		return 0;
	if (!run->decided && decide_provider(marking, dialect, err) < 0)
		return -1;
	if (run->status == CTX_CACHE_STATUS_MARKED)
		ctx_cache_run_place(run, NULL, NULL, &points);
	for (i = 0; i < run->n; i++)
		if (write_marked(marking, run, &run->list[i], &points,
			run->n_written + i, err) < 0)
			return -1;
	return report_marked(marking, run, NULL, &points, err);
}

/* ---- the stream ---- */

static int
strip_message(struct marking *marking,
    const struct ctx_breakpoint_format *format, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_change change = {.tool = {NULL, 0}};
	size_t n_edits = marking->edits.n;
	int rc;

	if (ctx_cache_report_describe(&marking->report, event, &change, err) <
		0 ||
	    ctx_cache_run_edit(&marking->breakpoint_writer, format,
		marking->options->ttl, event->node, 0, err) < 0)
		rc = -1;
	else if (marking->edits.n == n_edits)
		rc = 0;
	else {
		change.continues = ctx_report_named(marking->stream, event);
		rc = ctx_cache_report_change(&marking->report, &change, NULL,
		    event->inside
			? ctx_json_str(event->record->json, event->node)
			: event->record->text,
		    err);
	}
	free((char *)change.tool.p);
	return rc;
}

/* With the option strip, removes the breakpoints of any provider from a message
 * or request, and writes each record at its end. */
static int
strip_event(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct breakpoints none = {0};
	const struct ctx_record_layout *layout = event->layout;
	const struct ctx_breakpoint_format *format;

	if (event->kind == CTX_EVENT_RECORD)
		return end_unmarked_record(marking, event, err);
	format = ctx_breakpoint_format_any(layout->dialect);
	if (layout->is_response || format == NULL)
		return 0;
	marking->breakpoint_writer.json = event->record->json;
	if (event->kind == CTX_EVENT_MESSAGE)
		return strip_message(marking, format, event, err);
	none.format = format;
	if (event->kind == CTX_EVENT_END && layout->in_request)
		return ctx_cache_mark_request(&marking->report,
		    &marking->breakpoint_writer, marking->options->ttl, event,
		    &none, err);
	return 0;
}

static int
mark_event(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	if (event->kind == CTX_EVENT_BEGIN &&
	    marking->options->report.on_change != NULL &&
	    ctx_tracker_enter(&marking->report.record, marking->stream, event,
		marking->counters, err) < 0)
		return -1;
	if (marking->options->strip)
		return strip_event(marking, event, err);
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		if (event->layout->is_response)
			return 0;
		if (begin_marking(marking, &marking->record, event, err) < 0)
			return -1;
		return ctx_cache_run_decide(&marking->record,
		    event->layout->dialect, marking->options->provider, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? append_run_element(marking, event, err)
				     : hold_message(marking, event, err);
	case CTX_EVENT_END:
		return end_marked_record(marking, event, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE)
			return 0;
		return end_unmarked_record(marking, event, err);
	default:
		return 0;
	}
}

static int
mark_all(struct marking *marking, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	bool failed;
	int rc;

	while ((rc = ctx_stream_next(marking->stream, &event, err)) > 0)
		if (mark_event(marking, &event, err) < 0) {
			rc = ctx_stream_fail(marking->stream, err);
			ctx_edits_reset(&marking->edits);
			break;
		}
	/* After broken input the records before it are complete, so they are
	 * written as a conversation that ends there.  After a read error
	 * messages may be missing, so the last one is not known and gets no
	 * breakpoint. */
	failed = rc < 0 && (err->code == CTX_ESYS || err->code == CTX_ENOMEM);
	if (((!failed && end_marked_lines(marking, &late) < 0) ||
		ctx_writer_flush(marking->writer, &late) < 0) &&
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
	struct marking marking = {.stream = stream,
	    .writer = writer,
	    .counters = counters,
	    .options = options,
	    .report = {.options = &options->report,
		.stream = stream,
		.counters = counters}};
	bool is_reported = options->report.on_change != NULL;
	int rc = -1;

	ctx_json_init(&marking.json, counters->simd);
	marking.breakpoint_writer.edits = &marking.edits;
	if (ctx_tracker_init(&marking.report.lines, is_reported, is_reported,
		err) == 0 &&
	    ctx_tracker_init(&marking.report.record, is_reported, is_reported,
		err) == 0)
		rc = mark_all(&marking, err);
	ctx_tracker_release(&marking.report.lines);
	ctx_tracker_release(&marking.report.record);
	ctx_cache_run_clear(&marking.lines);
	ctx_cache_run_clear(&marking.record);
	free(marking.lines.list);
	free(marking.record.list);
	ctx_json_release(&marking.json);
	ctx_edits_release(&marking.edits);
	ctx_breakpoint_writer_release(&marking.breakpoint_writer);
	ctx_buf_release(&marking.out);
	return rc;
}
