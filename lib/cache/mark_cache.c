/*
 * mark_cache.c - writes prompt-cache breakpoints into the conversations of a
 * stream
 *
 * Which messages get breakpoints depends on the last blocks of a conversation
 * (breakpoints.c).  So a message is kept in memory until enough blocks come
 * after it.  The JSON of a message is parsed again only if the message gets or
 * loses a breakpoint, or was read before the provider was chosen.
 */
#include <stdlib.h>

#include "cache/breakpoints.h"
#include "cache/cache_report.h"
#include "stream/conversation_tracker.h"

/* If the format is not detected before, the provider for which breakpoints are
 * written is chosen when more than this many messages are in memory. */
#define MAX_UNDECIDED 16

/* What ctx_mark_cache needs while it reads a stream. */
struct marking {
	struct ctx_rewrite rewrite;
	const struct ctx_cache_options *options;
	/* lines: the conversation in which each message is a record of its own.
	 * record: the conversation that is inside the current record. */
	struct cache_run lines, record;
	struct cache_report report;
	struct ctx_breakpoint_writer breakpoint_writer;
};

/* ---- writing ---- */

/* Parses a message in memory again, so that its JSON can be edited. */
static int
reread_entry(struct marking *marking, const struct cache_entry *entry,
    struct ctx_err *err)
{
	marking->breakpoint_writer.json = &marking->rewrite.json;
	return ctx_rewrite_reread(&marking->rewrite, &entry->held, err);
}

/* Writes the oldest message in memory, with exactly the breakpoints that were
 * chosen for it.  If the message had other breakpoints, reports the change.  If
 * the conversation gets no breakpoints (run->status), writes it unchanged. */
static int
write_first_marked(struct marking *marking, const struct breakpoints *points,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->lines;
	uint64_t number = run->entries->first;
	struct cache_entry *entry = ctx_cache_run_at(run, number);
	const struct ctx_held_message *held = &entry->held;
	uint32_t mask = ctx_breakpoints_of(points, number);

	if (held->dialect != NULL && run->status == CTX_CACHE_STATUS_MARKED &&
	    (mask != 0 || !entry->is_unmarked) &&
	    (reread_entry(marking, entry, err) < 0 ||
		ctx_cache_run_edit(&marking->breakpoint_writer, run->format,
		    marking->options->ttl, held->node, mask, err) < 0))
		return -1;
	if (marking->rewrite.edits.n > 0 &&
	    ctx_cache_report_change(&marking->report, &entry->change,
		ctx_breakpoints_rule(points, number),
		(struct ctx_str){held->text, held->n}, err) < 0)
		return -1;
	return ctx_rewrite_write_first(&marking->rewrite, err);
}

/* Returns true if the oldest message in memory can be written now, because
 * later messages cannot change its breakpoints any more.  The breakpoint after
 * the system prompt never changes. */
static bool
is_first_due(const struct cache_run *run)
{
	uint64_t number = run->entries->first;
	const struct cache_entry *entry = ctx_cache_run_at(run, number);

	if (!run->decided)
		return false;
	if (run->status != CTX_CACHE_STATUS_MARKED ||
	    entry->held.dialect == NULL)
		return true;
	return !run->leading && run->previous > number + 1 &&
	    ctx_cache_run_newest(run) >=
	    entry->first_block + entry->places.blocks + BREAKPOINT_STEP;
}

/* Writes the messages at the beginning of the queue whose breakpoints do not
 * depend on later messages. */
static int
write_due_marked(struct marking *marking, struct ctx_err *err)
{
	const struct cache_run *run = &marking->lines;
	struct breakpoints points;

	ctx_cache_run_place_system(run, &points);
	while (run->entries->first < run->entries->end && is_first_due(run))
		if (write_first_marked(marking, &points, err) < 0)
			return -1;
	return 0;
}

/* ---- reading messages ---- */

static int
begin_run(struct marking *marking, struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_request_overhead overhead = {0};

	ctx_cache_run_clear(run);
	run->leading = true;
	run->file = event->record->file;
	if (ctx_stream_measure(marking->rewrite.stream, event,
		marking->rewrite.counters, &run->model_counter, err) < 0)
		return -1;
	if (run->model_counter.model != NULL &&
	    ctx_count_request_overhead(run->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	run->tokens = overhead.tokens;
	return 0;
}

/* Adds the tokens of a message to run->tokens, unless the model is not known,
 * or the conversation already has as many tokens as the provider requires to
 * cache prompts of the model. */
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

/* Chooses the provider for which breakpoints are written.  If the conversation
 * gets breakpoints, then finds which blocks of the messages in memory may have
 * breakpoints. */
static int
decide_provider(struct marking *marking, const struct ctx_dialect *dialect,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->lines;
	struct cache_entry *entry;

	if (ctx_cache_run_decide(run, dialect, marking->options->provider,
		err) < 0) {
		/* Until run->status and run->format are decided, no message can
		 * be written. */
		run->decided = false;
		return -1;
	}
	for (size_t i = run->entries->first;
	     run->status == CTX_CACHE_STATUS_MARKED && i < run->entries->end;
	     i++) {
		entry = ctx_cache_run_at(run, i);
		if (entry->held.dialect == NULL)
			continue;
		if (reread_entry(marking, entry, err) < 0 ||
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

	if (run->decided && run->status != CTX_CACHE_STATUS_MARKED)
		return 0;
	if (count_until_cached(run, event, err) < 0)
		return -1;
	entry = ctx_cache_run_add(run, event, err);
	if (entry == NULL ||
	    ctx_rewrite_hold(&marking->rewrite, &entry->held, event, err) < 0 ||
	    ctx_cache_report_describe(&marking->report, event, &entry->change,
		err) < 0)
		return -1;
	if (run->decided) {
		marking->breakpoint_writer.json = event->record->json;
		if (run->status == CTX_CACHE_STATUS_MARKED &&
		    ctx_cache_run_find_places(run, run->entries->end - 1,
			&marking->breakpoint_writer, err) < 0)
			return -1;
	} else if ((marking->rewrite.stream->dialect != NULL ||
		       run->entries->end - run->entries->first >
			   MAX_UNDECIDED) &&
	    decide_provider(marking, event->layout->dialect, err) < 0) {
		return -1;
	}
	return write_due_marked(marking, err);
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
	entry = ctx_cache_run_add(run, event, err);
	if (entry == NULL)
		return -1;
	marking->breakpoint_writer.json = event->record->json;
	if (ctx_cache_report_describe(&marking->report, event, &entry->change,
		err) < 0 ||
	    ctx_cache_run_find_places(run, run->entries->end - 1,
		&marking->breakpoint_writer, err) < 0)
		return -1;
	return count_until_cached(run, event, err);
}

/* ---- the end of a conversation ---- */

static int
report_marked(struct marking *marking, const struct cache_run *run,
    const struct ctx_event *event, size_t n_breakpoints, struct ctx_err *err)
{
	const struct ctx_model *model = run->model_counter.model;
	struct ctx_cache_outcome outcome = {
	    .file = run->file,
	    .line = event != NULL ? event->record->line : 0,
	    .status = run->status,
	    .dialect = run->dialect,
	    .format = run->format,
	    .model = model,
	    .n_breakpoints = n_breakpoints,
	};

	if (marking->options->ended == NULL)
		return 0;
	if (run->status == CTX_CACHE_STATUS_MARKED && model != NULL &&
	    run->tokens < model->cache_least)
		outcome.tokens = run->tokens;
	return marking->options->ended(marking->options->user, &outcome, err);
}

/* Adds the JSON edits that write the breakpoints of a message inside a record,
 * and reports the change. i: index of the message in the record. */
static int
mark_run_element(struct marking *marking, struct cache_run *run, size_t i,
    const struct breakpoints *points, struct ctx_err *err)
{
	struct cache_entry *entry = ctx_cache_run_at(run, i);
	size_t n_edits = marking->rewrite.edits.n;

	if (ctx_cache_run_edit(&marking->breakpoint_writer, run->format,
		marking->options->ttl, entry->held.node,
		ctx_breakpoints_of(points, i), err) < 0)
		return -1;
	if (marking->rewrite.edits.n == n_edits)
		return 0;
	return ctx_cache_report_change(&marking->report, &entry->change,
	    ctx_breakpoints_rule(points, i),
	    ctx_json_str(marking->breakpoint_writer.json, entry->held.node),
	    err);
}

/* Called at the end of a conversation inside a record.  Adds the JSON edits
 * that write the breakpoints of the conversation.  The edits are applied at the
 * end of the record. */
static int
end_marked_record(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_run *run = &marking->record;
	const struct ctx_record_layout *layout = event->layout;
	struct breakpoints points = {0};

	if (layout->is_response)
		return 0;
	if (run->status == CTX_CACHE_STATUS_MARKED) {
		marking->breakpoint_writer.json = event->record->json;
		ctx_cache_run_place(run, marking->breakpoint_writer.json,
		    layout, &points);
		for (size_t i = 0; i < run->entries->end; i++)
			if (mark_run_element(marking, run, i, &points, err) < 0)
				return -1;
		if (layout->in_request &&
		    ctx_cache_mark_request(&marking->report,
			&marking->breakpoint_writer, marking->options->ttl,
			event, &points, err) < 0)
			return -1;
	}
	return report_marked(marking, run, event,
	    ctx_breakpoints_count(&points, run), err);
}

/*
 * Writes the messages that are still in memory at the end of the stream, with
 * their breakpoints.
 *
 * If a part of the input is invalid, the records before this part are complete,
 * and the conversation ends there.  After a read error, messages may be
 * missing, and it is not known which message is the last one.  So in this case
 * the messages are not written.
 */
static int
end_marked_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	struct marking *marking = user;
	struct cache_run *run = &marking->lines;
	struct breakpoints points = {0};
	size_t n_breakpoints;

	if (!marking->rewrite.begun || marking->options->strip ||
	    how == CTX_END_FAILED || how == CTX_END_UNREADABLE)
		return 0;
	if (!run->decided &&
	    decide_provider(marking,
		ctx_stream_dialect(marking->rewrite.stream), err) < 0)
		return -1;
	if (run->status == CTX_CACHE_STATUS_MARKED)
		ctx_cache_run_place(run, NULL, NULL, &points);
	n_breakpoints = ctx_breakpoints_count(&points, run);
	while (run->entries->first < run->entries->end)
		if (write_first_marked(marking, &points, err) < 0)
			return -1;
	return report_marked(marking, run, NULL, n_breakpoints, err);
}

/* ---- the stream ---- */

static int
strip_message(struct marking *marking,
    const struct ctx_breakpoint_format *format, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_change change = {.tool = {NULL, 0}};
	size_t n_edits = marking->rewrite.edits.n;
	int rc;

	if (ctx_cache_report_describe(&marking->report, event, &change, err) <
		0 ||
	    ctx_cache_run_edit(&marking->breakpoint_writer, format,
		marking->options->ttl, event->node, 0, err) < 0)
		rc = -1;
	else if (marking->rewrite.edits.n == n_edits)
		rc = 0;
	else {
		change.continues =
		    ctx_report_named(marking->rewrite.stream, event);
		rc = ctx_cache_report_change(&marking->report, &change, NULL,
		    event->inside
			? ctx_json_str(event->record->json, event->node)
			: event->record->text,
		    err);
	}
	free((char *)change.tool.p);
	return rc;
}

/* Handles the option strip: removes the prompt-cache breakpoints of every
 * provider from a message or request. */
static int
strip_event(struct marking *marking, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct breakpoints none = {0};
	const struct ctx_record_layout *layout = event->layout;
	const struct ctx_breakpoint_format *format =
	    ctx_breakpoint_format_any(layout->dialect);

	if (layout->is_response || format == NULL)
		return 0;
	marking->breakpoint_writer.json = event->record->json;
	if (event->kind == CTX_EVENT_MESSAGE)
		return strip_message(marking, format, event, err);
	none.format = format;
	return !layout->in_request
	    ? 0
	    : ctx_cache_mark_request(&marking->report,
		  &marking->breakpoint_writer, marking->options->ttl, event,
		  &none, err);
}

static int
begin_marking(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct marking *marking = user;

	if (event->inside && marking->options->report.on_change != NULL &&
	    ctx_tracker_enter(&marking->report.record, marking->rewrite.stream,
		event, marking->rewrite.counters, err) < 0)
		return -1;
	if (marking->options->strip || event->layout->is_response)
		return 0;
	if (!event->inside)
		return begin_run(marking, &marking->lines, event, err);
	return begin_run(marking, &marking->record, event, err) < 0
	    ? -1
	    : ctx_cache_run_decide(&marking->record, event->layout->dialect,
		  marking->options->provider, err);
}

static int
mark_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct marking *marking = user;

	if (marking->options->strip)
		return strip_event(marking, event, err);
	return event->inside ? append_run_element(marking, event, err)
			     : hold_message(marking, event, err);
}

static int
end_marked_conversation(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct marking *marking = user;

	return marking->options->strip ? strip_event(marking, event, err)
				       : end_marked_record(marking, event, err);
}

int
ctx_mark_cache(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_cache_options *options, struct ctx_err *err)
{
	static const struct ctx_rewrite_command command = {
	    .entries = &ctx_cache_entries,
	    .begin = begin_marking,
	    .message = mark_message,
	    .end = end_marked_conversation,
	    .finish = end_marked_stream,
	};
	struct marking marking = {.rewrite = {.stream = stream,
				      .writer = writer,
				      .report = &options->report,
				      .counters = counters,
				      .line_counter =
					  &marking.lines.model_counter},
	    .options = options,
	    .report = {.rewrite = &marking.rewrite}};
	struct ctx_rewrite *rewrite = &marking.rewrite;
	bool is_reported = options->report.on_change != NULL;
	int rc = -1;

	marking.lines.entries = &rewrite->lines;
	marking.record.entries = &rewrite->elements;
	ctx_rewrite_init(rewrite, counters->simd);
	marking.breakpoint_writer.edits = &rewrite->edits;
	if (ctx_tracker_init(&marking.report.lines, is_reported, is_reported,
		err) == 0 &&
	    ctx_tracker_init(&marking.report.record, is_reported, is_reported,
		err) == 0)
		rc = ctx_rewrite_run(rewrite, &command, &marking, err);
	ctx_rewrite_release(rewrite);
	ctx_tracker_release(&marking.report.lines);
	ctx_tracker_release(&marking.report.record);
	ctx_breakpoint_writer_release(&marking.breakpoint_writer);
	return rc;
}
