/* truncate_queue.c - queue of messages that ctx-truncate keeps in memory
 * because their change depends on later messages */
#include <stdlib.h>

#include "stream/change_report.h"
#include "truncate/truncation.h"

/* Sets truncation->out to a record with its edits, and clears the edits.  The
 * archive is written to disk first. */
static int
apply_edits(struct truncation *truncation, struct ctx_str text,
    struct ctx_err *err)
{
	truncation->out.n = 0;
	if (ctx_report_sync(&truncation->options->report, err) < 0 ||
	    ctx_edits_apply(&truncation->edits, text, &truncation->out, err) <
		0)
		return -1;
	ctx_edits_reset(&truncation->edits);
	return 0;
}

/* Writes a record with its edits; in a dry run only clears the edits.
 * is_borrowed is true if text remains valid until the writer is flushed, so
 * that it need not be copied. */
static int
write_edited_text(struct truncation *truncation, struct ctx_str text,
    bool is_borrowed, struct ctx_err *err)
{
	if (truncation->options->report.dry_run) {
		ctx_edits_reset(&truncation->edits);
		return 0;
	}
	if (truncation->edits.n == 0) {
		if ((is_borrowed ? ctx_writer_put(truncation->writer, text.p,
				       text.n, err)
				 : ctx_writer_copy(truncation->writer, text.p,
				       text.n, err)) < 0)
			return -1;
		return ctx_writer_end_record(truncation->writer, err);
	}
	if (apply_edits(truncation, text, err) < 0 ||
	    ctx_writer_copy(truncation->writer, truncation->out.p,
		truncation->out.n, err) < 0)
		return -1;
	ctx_buf_reset(&truncation->out);
	return ctx_writer_end_record(truncation->writer, err);
}

bool
ctx_truncate_may_refuse(const struct truncation *truncation,
    const struct conversation_tracker *tracker)
{
	return truncation->options->reasoning == CTX_REASONING_FAIL &&
	    tracker->binds && !truncation->options->unsent;
}

/* Appends an entry for a message to the queue, or for another record if
 * event->message is NULL.  Returns the entry, or NULL and sets *err. */
static struct truncate_entry *
append_entry(struct truncation *truncation, struct truncate_queue *queue,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct truncate_entry *list, *entry;
	bool is = false;
	size_t i;

	list =
	    ctx_grow(queue->list, &queue->cap, queue->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	queue->list = list;
	entry = &list[queue->n];
	*entry = (struct truncate_entry){.node = event->node,
	    .file = event->record->file,
	    .line = event->record->line,
	    .first_media = queue->n_media};
	if (event->message == NULL)
		return &list[queue->n++];
	entry->dialect = event->layout->dialect;
	entry->flags = event->message->flags;
	for (i = 0; truncation->options->media && i < event->message->n; i++) {
		if (ctx_truncate_is_media(truncation, event->message, i, &is,
			err) < 0)
			return NULL;
		entry->n_media += is;
	}
	queue->n_media += entry->n_media;
	queue->n++;
	return entry;
}

/* Moves the tracker, which has the state of the conversation, to a message of
 * the queue, and shortens the message if edit is true.  Parses its record
 * again, unless queue->json is the record. */
static int
truncate_queued(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct truncate_queue *queue,
    const struct truncate_entry *entry, bool edit, struct ctx_err *err)
{
	struct ctx_record record = {.kind = CTX_RECORD_JSON,
	    .text = {entry->text, entry->bytes},
	    .json = queue->json,
	    .file = entry->file,
	    .line = entry->line};
	const struct ctx_record_layout layout = {.kind = CTX_LAYOUT_MESSAGE,
	    .dialect = entry->dialect};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .record = &record,
	    .layout = &layout,
	    .message = &truncation->message,
	    .node = entry->node,
	    .inside = entry->text == NULL};
	const struct media_numbers media = {.first = entry->first_media,
	    .end = ctx_truncate_kept_media(truncation, queue)};

	if (record.json == NULL) {
		if (ctx_json_scan(&truncation->json, entry->text, entry->bytes,
			&(size_t){0}, err) < 0)
			return -1;
		record.json = &truncation->json;
	}
	if (ctx_dialect_read_message(entry->dialect, record.json, entry->node,
		&truncation->message, err) < 0)
		return -1;
	truncation->message.flags |= entry->flags;
	return ctx_truncate_message(truncation, tracker, &event, edit, media,
	    err);
}

int
ctx_truncate_check_refusal(struct truncation *truncation,
    const struct conversation_tracker *tracker,
    const struct truncate_queue *queue, struct ctx_err *err)
{
	struct ctx_truncate_counts was = *truncation->counts;
	size_t first_edit = truncation->edits.n;
	size_t stored = truncation->edits.store.n;
	struct conversation_tracker trial_tracker;
	int rc = ctx_tracker_init(&trial_tracker, tracker->tools, false, err);
	size_t i;

	trial_tracker.model_counter = tracker->model_counter;
	trial_tracker.asked = true;
	trial_tracker.binds = tracker->binds;
	truncation->is_trial = true;
	truncation->refused = false;
	for (i = queue->first; i < queue->n && rc == 0 && !truncation->refused;
	     i++) {
		if (queue->list[i].dialect == NULL)
			continue;
		rc = truncate_queued(truncation, &trial_tracker, queue,
		    &queue->list[i], true, err);
		truncation->edits.n = first_edit;
		truncation->edits.store.n = stored;
	}
	ctx_tracker_release(&trial_tracker);
	*truncation->counts = was;
	truncation->counts->refused += truncation->refused;
	truncation->is_trial = false;
	return rc;
}

/* Writes the first record of the queue, shortened if edit is true. */
static int
write_first_truncated(struct truncation *truncation, bool edit,
    struct ctx_err *err)
{
	struct truncate_entry *entry =
	    &truncation->queue.list[truncation->queue.first];

	if (entry->dialect != NULL &&
	    truncate_queued(truncation, &truncation->lines, &truncation->queue,
		entry, edit, err) < 0)
		return -1;
	if (write_edited_text(truncation,
		(struct ctx_str){entry->text, entry->bytes}, false, err) < 0)
		return -1;
	free(entry->text);
	if (++truncation->queue.first == truncation->queue.n)
		truncation->queue.first = truncation->queue.n = 0;
	return 0;
}

int
ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err)
{
	while (truncation->queue.first < truncation->queue.n)
		if (write_first_truncated(truncation, edit, err) < 0)
			return -1;
	return 0;
}

/* Writes the messages at the beginning of the queue whose media are all older
 * than the media that are kept. */
static int
write_due_truncated(struct truncation *truncation, struct ctx_err *err)
{
	const struct truncate_entry *entry;

	while (!truncation->options->unsent &&
	    !ctx_truncate_may_refuse(truncation, &truncation->lines) &&
	    truncation->queue.first < truncation->queue.n) {
		entry = &truncation->queue.list[truncation->queue.first];
		if (entry->n_media > 0 &&
		    entry->first_media + entry->n_media >
			ctx_truncate_kept_media(truncation, &truncation->queue))
			break;
		if (write_first_truncated(truncation, true, err) < 0)
			return -1;
	}
	return 0;
}

static int
copy_entry_text(struct truncation *truncation, struct truncate_entry *entry,
    const struct ctx_event *event, struct ctx_err *err)
{
	entry->text = ctx_stream_keep(truncation->stream, event, err);
	entry->bytes = event->record->text.n;
	return entry->text == NULL ? -1 : 0;
}

int
ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	bool sent =
	    truncation->options->unsent && ctx_message_was_sent(event->message);
	struct truncate_entry *entry;

	if (truncation->lines.tokens &&
	    truncation->lines.model_counter.counter == NULL &&
	    ctx_stream_measure(truncation->stream, event, truncation->counters,
		&truncation->lines.model_counter, err) < 0)
		return -1;
	if (ctx_tracker_query(&truncation->lines, truncation->stream, event,
		truncation->counters, err) < 0)
		return -1;
	if (sent && ctx_truncate_write_all(truncation, false, err) < 0)
		return -1;
	entry = append_entry(truncation, &truncation->queue, event, err);
	if (entry == NULL)
		return -1;
	/* No earlier record is still in the queue, and later messages do not
	 * matter to this one, so it is written at once. */
	if (truncation->queue.first == truncation->queue.n - 1 &&
	    (sent ||
		(!truncation->options->unsent && entry->n_media == 0 &&
		    !ctx_truncate_may_refuse(truncation,
			&truncation->lines)))) {
		truncation->queue.first = truncation->queue.n = 0;
		if (ctx_truncate_message(truncation, &truncation->lines, event,
			!sent, (struct media_numbers){0, 0}, err) < 0)
			return -1;
		return write_edited_text(truncation, event->record->text, true,
		    err);
	}
	if (copy_entry_text(truncation, entry, event, err) < 0)
		return -1;
	return write_due_truncated(truncation, err);
}

int
ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	if (append_entry(truncation, &truncation->elements, event, err) == NULL)
		return -1;
	if (truncation->options->unsent && ctx_message_was_sent(event->message))
		truncation->elements.sent_end = truncation->elements.n;
	return 0;
}

int
ctx_truncate_conversation(struct truncation *truncation,
    const struct ctx_json *json, struct ctx_err *err)
{
	struct truncate_queue *queue = &truncation->elements;
	bool refused;
	size_t i;

	queue->json = json;
	truncation->refused = false;
	if (ctx_truncate_may_refuse(truncation, &truncation->record) &&
	    ctx_truncate_check_refusal(truncation, &truncation->record, queue,
		err) < 0)
		return -1;
	refused = truncation->refused;
	for (i = 0; i < queue->n; i++)
		if (truncate_queued(truncation, &truncation->record, queue,
			&queue->list[i], i >= queue->sent_end && !refused,
			err) < 0)
			return -1;
	queue->n = queue->sent_end = 0;
	queue->n_media = 0;
	return 0;
}

int
ctx_truncate_end_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct truncate_entry *entry;

	if (truncation->queue.n == 0)
		return write_edited_text(truncation, text, true, err);
	entry = append_entry(truncation, &truncation->queue, event, err);
	if (entry == NULL)
		return -1;
	if (truncation->edits.n == 0)
		return copy_entry_text(truncation, entry, event, err);
	if (apply_edits(truncation, text, err) < 0)
		return -1;
	entry->bytes = truncation->out.n;
	entry->text = ctx_buf_take(&truncation->out);
	return 0;
}

void
ctx_truncate_release_queue(struct truncation *truncation)
{
	for (; truncation->queue.first < truncation->queue.n;
	     truncation->queue.first++)
		free(truncation->queue.list[truncation->queue.first].text);
	free(truncation->queue.list);
	free(truncation->elements.list);
	ctx_json_release(&truncation->json);
	ctx_message_release(&truncation->message);
	ctx_buf_release(&truncation->text);
}
