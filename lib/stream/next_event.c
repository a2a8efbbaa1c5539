/* next_event.c - returns the next event of a stream: reads it now, or takes an
 * event whose message other threads have already counted */
#include <stdlib.h>

#include "stream/count_ahead.h"

int
ctx_stream_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err)
{
	stream->started = true;
	if (stream->prefetch != NULL)
		return ctx_count_ahead_next(stream, event, err);
	return ctx_stream_step(stream, event, err);
}

int
ctx_stream_peek(struct ctx_stream *stream, const struct ctx_event **event,
    struct ctx_err *err)
{
	int rc = ctx_stream_step(stream, &stream->peeked, err);

	stream->has_peeked = rc > 0;
	stream->started |= rc < 0;
	*event = &stream->peeked;
	return rc;
}

char *
ctx_stream_keep(struct ctx_stream *stream, const struct ctx_event *event,
    struct ctx_err *err)
{
	char *text = NULL;

	/* If the record is alone in its memory (see ctx_count_ahead_keep), this
	 * memory is returned without a copy.  Lines of session files are never
	 * counted ahead. */
	if (event->line == 0 && stream->prefetch != NULL)
		text = ctx_count_ahead_keep(event->record);
	return text != NULL
	    ? text
	    : ctx_reader_keep(stream->reader, event->record, err);
}

int
ctx_stream_fail(const struct ctx_stream *stream, struct ctx_err *err)
{
	const struct ctx_record *record = &stream->record;

	if (stream->prefetch != NULL)
		record = ctx_count_ahead_record(stream);
	if (err->line == 0) {
		err->file = record->file;
		err->line = record->line;
	}
	return -1;
}

void
ctx_stream_release(struct ctx_stream *stream)
{
	ctx_reader_close(stream->ahead_reader);
	stream->ahead_reader = NULL;
	ctx_buf_release(&stream->foreseen_model);
	ctx_count_ahead_close(stream->prefetch);
	stream->prefetch = NULL;
	ctx_message_release(&stream->parsed);
	ctx_message_release(&stream->ahead);
	ctx_coded_value_release(&stream->coded);
	if (stream->transcript != NULL)
		ctx_transcript_release(stream->transcript);
	free(stream->transcript);
	stream->transcript = NULL;
}
