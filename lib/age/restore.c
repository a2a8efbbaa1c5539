/*
 * restore.c - puts tool results that ctx-age moved to files back into the
 * conversation
 *
 * A reference is untrusted input.  It is followed only if it names a file
 * directly in the spool, the directory that the user gives.  The file is used
 * only if it has the size and the SHA-256 digits of the reference.
 */
#include <stdlib.h>
#include <string.h>

#include "age/restoration.h"

/* ---- the end of a record ---- */

/* Records a message for the report, if it is changed by JSON edits from number
 * first on. */
static int
record_edits(struct restoration *restoration,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct ctx_err *err)
{
	struct restored_message *list, *restored;
	struct ctx_str tool;

	if (first == restoration->rewrite.edits.n ||
	    !ctx_report_wanted(&restoration->options->report))
		return 0;
	list = ctx_grow(restoration->list, &restoration->cap,
	    restoration->n + 1, sizeof *list, err);
	if (list == NULL)
		return -1;
	restoration->list = list;
	restored = &list[restoration->n++];
	*restored = (struct restored_message){.dialect = event->layout->dialect,
	    .counter = tracker->model_counter.counter,
	    .node = event->node,
	    .index = tracker->index,
	    .inside = event->inside,
	    .hidden = event->message->flags & CTX_MESSAGE_HIDDEN,
	    .continues = ctx_report_named(restoration->rewrite.stream, event),
	    .first_edit = first,
	    .edits = restoration->rewrite.edits.n - first};
	if (ctx_tracker_first_tool(tracker, event, &tool, err) < 0)
		return -1;
	return ctx_intern(&restoration->tools, tool.p, tool.n, &restored->tool,
	    err);
}

static int
report_restored(struct restoration *restoration,
    const struct ctx_record *record, const struct restored_message *restored,
    struct ctx_err *err)
{
	struct edited *edited = &restoration->edited;
	struct ctx_change change = {.file = record->file,
	    .line = record->line,
	    .index = restored->index,
	    .rule = "restore"};

	if (ctx_dialect_read_message(restored->dialect, record->json,
		restored->node, &restoration->message, err) < 0)
		return -1;
	change.tool = ctx_intern_at(&restoration->tools, restored->tool);
	edited->before = &restoration->message;
	edited->counter = restored->counter;
	edited->value = ctx_json_str(record->json, restored->node);
	edited->first = restored->first_edit;
	edited->n = restored->edits;
	change.aside = restored->hidden;
	change.continues = restored->continues;
	change.bytes = restored->inside ? edited->value : record->text;
	return ctx_report_edited(&restoration->options->report, edited,
	    &restoration->rewrite.edits, &change, err);
}

/* Reports the messages of a record that are changed.  If one of its references
 * cannot be followed, removes all edits, so that the record is written
 * unchanged.  Then clears the list of messages. */
static int
report_record(struct restoration *restoration, const struct ctx_record *record,
    struct ctx_err *err)
{
	size_t i;

	if (restoration->has_broken_reference)
		ctx_edits_reset(&restoration->rewrite.edits);
	else
		for (i = 0; i < restoration->n; i++)
			if (report_restored(restoration, record,
				&restoration->list[i], err) < 0)
				return -1;
	restoration->has_broken_reference = false;
	restoration->n = 0;
	return 0;
}

/* ---- reasoning that was removed ---- */

static int
restore_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct restoration *restoration = user;
	struct conversation_tracker *tracker = event->inside
	    ? &restoration->record_tracker
	    : &restoration->line_tracker;
	size_t first = restoration->rewrite.edits.n, i;
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
	for (i = 0; rc == 0 && i < event->message->n; i++)
		if (ctx_restore_block(restoration, event, i, first, err) < 0)
			return -1;
	if (record_edits(restoration, tracker, event, first, err) < 0)
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}

/* Calls options->digits with all hex digits in a record that may be part of the
 * name of a file with a removed tool result. */
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
	    : report_record(restoration, event->record, err);
}

int
ctx_restore(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_options *options, struct ctx_err *err)
{
	static const struct ctx_rewrite_command command = {
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
	ctx_json_init(&restoration.edited.json, counters->simd);
	ctx_json_init(&restoration.unstripped_json, counters->simd);
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
	free(restoration.list);
	ctx_edited_release(&restoration.edited);
	ctx_message_release(&restoration.message);
	ctx_spool_close(&restoration.spool);
	ctx_json_release(&restoration.json);
	ctx_buf_release(&restoration.text);
	ctx_buf_release(&restoration.name);
	ctx_buf_release(&restoration.file);
	ctx_buf_release(&restoration.unstripped);
	ctx_buf_release(&restoration.stripped);
	ctx_json_release(&restoration.unstripped_json);
	ctx_message_release(&restoration.unstripped_message);
	ctx_edits_release(&restoration.strip_edits);
	ctx_json_release(&restoration.block_json);
	ctx_edits_release(&restoration.nested_edits);
	ctx_buf_release(&restoration.placeholder);
	ctx_buf_release(&restoration.block);
	ctx_buf_release(&restoration.block_array);
	return rc;
}
