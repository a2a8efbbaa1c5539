/*
 * truncate.c - shortens the long texts in a stream of conversations
 *
 * The edits of a record are collected while its messages are read, and applied
 * at the end of the record.
 *
 * Most texts are recognised as short enough without decoding, because the size
 * of a text, in any unit, is at most the number of bytes of its JSON string.
 *
 * With some options (keep_media, unsent, CTX_REASONING_FAIL), later messages
 * decide how a message is changed.  Then records that are messages are kept in
 * memory, and messages inside a record are changed at the end of the record.
 */
#include <string.h>

#include "truncate/truncation.h"

/* Returns true if, with these options, later messages decide how a message is
 * changed. */
static bool
needs_queue(const struct ctx_truncate_config *options)
{
	return options->unsent || options->reasoning == CTX_REASONING_FAIL ||
	    (options->media && options->keep_media > 0);
}

/* ---- the stream ---- */

static int
begin_truncating(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct truncation *truncation = user;

	return !event->inside
	    ? 0
	    : ctx_tracker_enter(&truncation->record.tracker,
		  truncation->rewrite.stream, event, truncation->counters, err);
}

static int
take_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct truncation *truncation = user;
	const struct media_numbers all = {0,
	    truncation->options->media ? UINT64_MAX : 0};

	/* the response of a provider, which is never changed */
	if (event->layout->is_response)
		return 0;
	if (!needs_queue(truncation->options))
		return ctx_truncate_message(truncation,
		    event->inside ? &truncation->record.tracker
				  : &truncation->lines.tracker,
		    event, true, all, err);
	return event->inside
	    ? ctx_truncate_queue_element(truncation, event, err)
	    : ctx_truncate_queue_record(truncation, event, err);
}

static int
end_truncated_record(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	(void)event;
	return ctx_truncate_conversation(user, err);
}

/* Writes the records that are still in memory at the end of the stream.
 *
 * After an error of the input, later messages of the conversation may be
 * missing.  With the option unsent, or with CTX_REASONING_FAIL for a model
 * whose provider refuses changes before signed reasoning, a missing message
 * could forbid to change the records.  So the records are then written
 * unchanged. After any other error nothing is written. */
static int
end_truncated_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	struct truncation *truncation = user;
	bool may_refuse =
	    ctx_truncate_may_refuse(truncation, &truncation->lines);

	if (how == CTX_END_REFUSED || how == CTX_END_FAILED)
		return 0;
	if (how != CTX_END_COMPLETE &&
	    (truncation->options->unsent || may_refuse))
		return ctx_truncate_write_all(truncation, false, err);
	truncation->refused = false;
	if (may_refuse &&
	    ctx_truncate_check_refusal(truncation, &truncation->lines, err) < 0)
		return -1;
	return ctx_truncate_write_all(truncation, !truncation->refused, err);
}

int
ctx_truncate_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_truncate_config *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err)
{
	static const struct ctx_held_queue entries = {
	    .entry_size = sizeof(struct truncate_entry)};
	static const struct ctx_rewrite_command command = {
	    .entries = &entries,
	    .begin = begin_truncating,
	    .message = take_message,
	    .end = end_truncated_record,
	    .finish = end_truncated_stream,
	};
	struct truncation truncation = {
	    .rewrite = {.stream = stream,
		.writer = writer,
		.report = &options->report,
		.counters = counters,
		.line_counter = &truncation.lines.tracker.model_counter},
	    .options = options,
	    .counts = counts,
	    .counters = counters};
	struct ctx_rewrite *rewrite = &truncation.rewrite;
	bool is_reported = options->report.on_change != NULL;
	bool tools =
	    is_reported || options->tool.n > 0 || options->not_tool.n > 0;
	bool tokens = is_reported || options->unit == CTX_SIZE_TOKENS;
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	stream->track_links = needs_queue(options);
	truncation.shortener.unit = options->unit;
	truncation.shortener.keep = options->keep;
	truncation.shortener.head = options->head;
	truncation.shortener.tail = options->tail;
	ctx_rewrite_init(rewrite, counters->simd);
	if (ctx_tracker_init(&truncation.lines.tracker, tools, tokens, err) ==
		0 &&
	    ctx_tracker_init(&truncation.record.tracker, tools, tokens, err) ==
		0)
		rc = ctx_rewrite_run(rewrite, &command, &truncation, err);
	ctx_rewrite_release(rewrite);
	ctx_tracker_release(&truncation.lines.tracker);
	ctx_tracker_release(&truncation.record.tracker);
	ctx_shorten_release(&truncation.shortener);
	ctx_text_segments_release(&truncation.segments);
	ctx_buf_release(&truncation.out);
	ctx_buf_release(&truncation.text);
	return rc;
}
