/*
 * truncate.c - shortens the long texts in a stream of conversations
 *
 * The edits of a record are collected while its messages are read, and applied
 * at the end of the record.  Most texts are known to fit their limit without
 * being read: the number of bytes of their JSON is at least their size in any
 * unit.
 *
 * With keep_media, unsent or CTX_REASONING_FAIL, the change of a message
 * depends on later messages.  Then records are kept in a queue in memory, and
 * messages inside a record are kept until the end of the record.
 */
#include <string.h>

#include "truncate/truncation.h"

/* Returns true if the change of a message depends on later messages. */
static bool
needs_queue(const struct ctx_truncate_options *options)
{
	return options->unsent || options->reasoning == CTX_REASONING_FAIL ||
	    (options->media && options->keep_media > 0);
}

/* ---- the stream ---- */

static int
truncate_message_event(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct media_numbers all = {0,
	    truncation->options->media ? UINT64_MAX : 0};

	if (!needs_queue(truncation->options))
		return ctx_truncate_message(truncation,
		    event->inside ? &truncation->record : &truncation->lines,
		    event, true, all, err);
	return event->inside
	    ? ctx_truncate_queue_element(truncation, event, err)
	    : ctx_truncate_queue_record(truncation, event, err);
}

static int
truncate_event(struct truncation *truncation, const struct ctx_event *event,
    struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return ctx_tracker_enter(&truncation->record,
		    truncation->stream, event, truncation->counters, err);
	case CTX_EVENT_MESSAGE:
		return truncate_message_event(truncation, event, err);
	case CTX_EVENT_END:
		return ctx_truncate_conversation(truncation,
		    event->record->json, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE &&
		    needs_queue(truncation->options))
			return 0;
		return ctx_truncate_end_record(truncation, event, err);
	default:
		return 0;
	}
}

/* At the end of the stream, writes the records that are still in the queue.
 * broken is true if the stream ended with an error, so that a message may be
 * missing.  Then nothing is changed if the option unsent is set, or if bound
 * reasoning (signed reasoning that the provider refuses after a change) could
 * forbid changes. */
static int
end_truncated_stream(struct truncation *truncation, bool broken,
    struct ctx_err *err)
{
	if (broken &&
	    (truncation->options->unsent ||
		ctx_truncate_may_refuse(truncation, &truncation->lines)))
		return ctx_truncate_write_all(truncation, false, err);
	truncation->refused = false;
	if (ctx_truncate_may_refuse(truncation, &truncation->lines) &&
	    ctx_truncate_check_refusal(truncation, &truncation->lines,
		&truncation->queue, err) < 0)
		return -1;
	return ctx_truncate_write_all(truncation, !truncation->refused, err);
}

static int
truncate_all(struct truncation *truncation, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	bool failed = false;
	int rc = 0;

	while (!failed &&
	    (rc = ctx_stream_next(truncation->stream, &event, err)) > 0)
		failed = truncate_event(truncation, &event, err) < 0;
	if (failed)
		rc = ctx_stream_fail(truncation->stream, err);
	/* Writes the queue also after an error, because the records before the
	 * error are complete. */
	if (((!failed && end_truncated_stream(truncation, rc < 0, &late) < 0) ||
		ctx_writer_flush(truncation->writer, &late) < 0) &&
	    rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

int
ctx_truncate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_truncate_options *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err)
{
	struct truncation truncation = {.stream = stream,
	    .writer = writer,
	    .options = options,
	    .counts = counts,
	    .counters = counters};
	bool is_reported = options->report.on_change != NULL;
	bool tools =
	    is_reported || options->tool.n > 0 || options->not_tool.n > 0;
	bool tokens = is_reported || options->unit == CTX_SIZE_TOKENS;
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	truncation.shortener.unit = options->unit;
	truncation.shortener.keep = options->keep;
	truncation.shortener.head = options->head;
	truncation.shortener.tail = options->tail;
	ctx_json_init(&truncation.edited.json, counters->simd);
	ctx_json_init(&truncation.json, counters->simd);
	if (ctx_tracker_init(&truncation.lines, tools, tokens, err) == 0 &&
	    ctx_tracker_init(&truncation.record, tools, tokens, err) == 0)
		rc = truncate_all(&truncation, err);
	ctx_tracker_release(&truncation.lines);
	ctx_tracker_release(&truncation.record);
	ctx_shorten_release(&truncation.shortener);
	ctx_text_segments_release(&truncation.segments);
	ctx_edits_release(&truncation.edits);
	ctx_edited_release(&truncation.edited);
	ctx_buf_release(&truncation.out);
	ctx_truncate_release_queue(&truncation);
	return rc;
}
