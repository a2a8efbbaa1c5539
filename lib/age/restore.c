/*
 * restore.c - puts tool results that ctx-age has moved to files back into the
 * conversation
 *
 * A reference is untrusted input.  A file is read only if it is directly in the
 * spool, the directory that the user gives.  The content of the file is used
 * only if it has the size and the SHA-256 of the reference.
 */
#include <string.h>

#include "age/restoration.h"

/* ---- the end of a record ---- */

/* If a message has JSON edits, adds the message to the list of messages that
 * are reported at the end of the record. first: number of the message's first
 * edit. */
static int
record_edits(struct restoration *restoration,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct ctx_err *err)
{
	struct restored_message *restored;
	struct ctx_str tool;

	if (first == restoration->rewrite.edits.n ||
	    !ctx_report_wanted(&restoration->options->report))
		return 0;
	restored =
	    ctx_held_queue_add(&restoration->rewrite.elements, event, err);
	if (restored == NULL)
		return -1;
	restored->counter = tracker->model_counter.counter;
	restored->index = tracker->index;
	restored->continues =
	    ctx_report_named(restoration->rewrite.stream, event);
	restored->first_edit = first;
	restored->edits = restoration->rewrite.edits.n - first;
	if (ctx_tracker_first_tool(tracker, event, &tool, err) < 0)
		return -1;
	return ctx_intern(&restoration->tools, tool.p, tool.n, &restored->tool,
	    err);
}

static int
report_restored(struct restoration *restoration,
    const struct restored_message *restored, struct ctx_err *err)
{
	const struct ctx_held_message *held = &restored->held;
	struct ctx_rewrite *rewrite = &restoration->rewrite;
	const struct ctx_edited_message edited = {.message = &rewrite->message,
	    .node = held->node,
	    .first = restored->first_edit,
	    .n = restored->edits,
	    .counter = restored->counter};
	struct ctx_change change = {.file = held->file,
	    .line = held->line,
	    .index = restored->index,
	    .rule = "restore",
	    .aside = held->flags & CTX_MESSAGE_HIDDEN,
	    .continues = restored->continues};

	if (ctx_rewrite_reread(rewrite, held, err) < 0)
		return -1;
	change.tool = ctx_intern_at(&restoration->tools, restored->tool);
	/* If the node is 0, the message is the whole record. */
	change.bytes = held->node == 0 ? rewrite->record->text
				       : ctx_rewrite_text(rewrite, held);
	return ctx_rewrite_report(rewrite, &edited, &change, err);
}

/* Reports the changed messages of the current record.  If a reference in the
 * record has another state than CTX_AGED_WHOLE, reports nothing and removes all
 * edits, so that the record is written unchanged. */
static int
report_record(struct restoration *restoration, struct ctx_err *err)
{
	struct ctx_held_queue *restored = &restoration->rewrite.elements;

	if (restoration->has_broken_reference)
		ctx_edits_reset(&restoration->rewrite.edits);
	else
		for (size_t i = 0; i < restored->end; i++)
			if (report_restored(restoration,
				ctx_held_queue_at(restored, i), err) < 0)
				return -1;
	restoration->has_broken_reference = false;
	ctx_held_queue_clear(restored);
	return 0;
}

/* ---- messages ---- */

static int
restore_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct restoration *restoration = user;
	struct conversation_tracker *tracker = event->inside
	    ? &restoration->record_tracker
	    : &restoration->line_tracker;
	size_t first = restoration->rewrite.edits.n;
	bool was_broken;
	int rc;

	if (ctx_tracker_enter(tracker, restoration->rewrite.stream, event,
		restoration->counters, err) < 0)
		return -1;
	if (ctx_place_next(&restoration->places[event->inside], event->message,
		tracker->index, &restoration->text, err) < 0)
		return -1;
	rc = ctx_restore_reasoning(restoration, event, first, err);
	if (rc < 0)
		return -1;
	was_broken = restoration->has_broken_reference;
	for (size_t i = 0; rc == 0 && i < event->message->n; i++)
		if (ctx_restore_block(restoration, event, i, first, err) < 0)
			return -1;
	if (restoration->has_broken_reference && !was_broken)
		restoration->keeps_reference[event->inside] = true;
	if (rc == 0 && ctx_restore_copy(restoration, event, err) < 0)
		return -1;
	if (record_edits(restoration, tracker, event, first, err) < 0)
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}

/* Calls options->digits for each row of hex digits in a record that is long
 * enough to contain the hash in the name of a spool file. */
static int
report_digits(const struct restoration *restoration,
    const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_str digits;
	size_t at = 0;

	while (restoration->options->digits != NULL &&
	    ctx_reference_digits(record->text, &at, &digits))
		if (restoration->options->digits(restoration->options->user,
			digits, err) < 0)
			return -1;
	return 0;
}

static int
begin_restoring(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct restoration *restoration = user;

	if (!event->inside)
		return 0;
	memset(&restoration->places[1], 0, sizeof restoration->places[1]);
	restoration->keeps_reference[1] = false;
	return ctx_tracker_enter(&restoration->record_tracker,
	    restoration->rewrite.stream, event, restoration->counters, err);
}

static int
end_restored_record(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct restoration *restoration = user;

	return report_digits(restoration, event->record, err) < 0
	    ? -1
	    : report_record(restoration, err);
}

int
ctx_restore_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_config *options, struct ctx_err *err)
{
	static const struct ctx_held_queue entries = {
	    .entry_size = sizeof(struct restored_message)};
	static const struct ctx_rewrite_command command = {
	    .entries = &entries,
	    .begin = begin_restoring,
	    .message = restore_message,
	    .record = end_restored_record,
	};
	struct restoration restoration = {.options = options,
	    .rewrite = {.stream = stream,
		.writer = writer,
		.report = &options->report},
	    .counters = counters};
	bool is_reported = options->report.on_change != NULL;
	int rc = -1;

	stream->include_hidden = true;
	restoration.spool.fd = -1;
	ctx_json_init(&restoration.json, counters->simd);
	ctx_rewrite_init(&restoration.rewrite, counters->simd);
	ctx_json_init(&restoration.block_json, counters->simd);
	if (ctx_tracker_init(&restoration.line_tracker, is_reported,
		is_reported, err) == 0 &&
	    ctx_tracker_init(&restoration.record_tracker, is_reported,
		is_reported, err) == 0)
		rc = ctx_rewrite_run(&restoration.rewrite, &command,
		    &restoration, err);
	ctx_rewrite_release(&restoration.rewrite);
	ctx_tracker_release(&restoration.line_tracker);
	ctx_tracker_release(&restoration.record_tracker);
	ctx_intern_release(&restoration.tools);
	ctx_spool_close(&restoration.spool);
	ctx_json_release(&restoration.json);
	ctx_buf_release(&restoration.text);
	ctx_buf_release(&restoration.name);
	ctx_buf_release(&restoration.file);
	ctx_buf_release(&restoration.unstripped);
	ctx_buf_release(&restoration.stripped);
	ctx_edits_release(&restoration.strip_edits);
	ctx_json_release(&restoration.block_json);
	ctx_edits_release(&restoration.nested_edits);
	ctx_buf_release(&restoration.placeholder);
	ctx_buf_release(&restoration.block);
	ctx_buf_release(&restoration.block_array);
	return rc;
}
