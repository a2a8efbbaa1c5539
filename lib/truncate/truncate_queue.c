/* truncate_queue.c - keeps messages in memory that ctx-truncate can change only
 * when it knows later messages */
#include "truncate/truncation.h"

bool
ctx_truncate_may_refuse(const struct truncation *truncation,
    const struct truncate_conversation *conversation)
{
	return truncation->options->reasoning == CTX_REASONING_FAIL &&
	    conversation->tracker.binds && !truncation->options->unsent;
}

/* Appends a message to the queue.  Returns the new element of the queue, or
 * NULL with *err. */
static struct truncate_entry *
append_entry(struct truncation *truncation,
    struct truncate_conversation *conversation, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct truncate_entry *entry = ctx_held_queue_add(
	    ctx_rewrite_queue(&truncation->rewrite, event->inside), event, err);
	bool is = false;

	if (entry == NULL)
		return NULL;
	entry->line = event->line;
	entry->first_media = conversation->n_media;
	for (size_t i = 0; truncation->options->media && i < event->message->n;
	     i++) {
		if (ctx_truncate_is_media(truncation, event->message, i, &is,
			err) < 0)
			return NULL;
		entry->n_media += is;
	}
	conversation->n_media += entry->n_media;
	return entry;
}

/* Makes a message in memory the current message of the conversation tracker.
 * If edit is true, also shortens the message. */
static int
truncate_queued(struct truncation *truncation,
    const struct truncate_conversation *conversation,
    struct conversation_tracker *tracker, const struct truncate_entry *entry,
    bool edit, struct ctx_err *err)
{
	const struct ctx_held_message *held = &entry->held;
	const struct ctx_record record = {.kind = CTX_RECORD_JSON,
	    .text = {held->text, held->n},
	    .file = held->file,
	    .line = held->line};
	const struct ctx_record_layout layout = {.kind = CTX_LAYOUT_MESSAGE,
	    .dialect = held->dialect};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .record = &record,
	    .layout = &layout,
	    .message = &truncation->rewrite.message,
	    .node = held->node,
	    .line = entry->line,
	    .inside = held->text == NULL};
	const struct media_numbers media = {.first = entry->first_media,
	    .end = ctx_truncate_kept_media(truncation, conversation)};

	return ctx_rewrite_reread(&truncation->rewrite, held, err) < 0
	    ? -1
	    : ctx_truncate_message(truncation, tracker, &event, edit, media,
		  err);
}

int
ctx_truncate_check_refusal(struct truncation *truncation,
    const struct truncate_conversation *conversation, struct ctx_err *err)
{
	const struct conversation_tracker *tracker = &conversation->tracker;
	const struct ctx_held_queue *queue =
	    ctx_rewrite_queue(&truncation->rewrite,
		conversation == &truncation->record);
	struct ctx_truncate_counts was = *truncation->counts;
	struct ctx_edits *edits = &truncation->rewrite.edits;
	size_t first_edit = edits->n, stored = edits->store.n;
	const struct truncate_entry *entry;
	struct conversation_tracker trial_tracker;
	int rc = ctx_tracker_init(&trial_tracker, tracker->tools, false, err);

	trial_tracker.model_counter = tracker->model_counter;
	trial_tracker.asked = true;
	trial_tracker.binds = tracker->binds;
	truncation->is_trial = true;
	truncation->refused = false;
	for (size_t i = queue->first;
	     i < queue->end && rc == 0 && !truncation->refused; i++) {
		entry = ctx_held_queue_at(queue, i);
		if (entry->held.dialect == NULL)
			continue;
		rc = truncate_queued(truncation, conversation, &trial_tracker,
		    entry, true, err);
		edits->n = first_edit;
		edits->store.n = stored;
	}
	ctx_tracker_release(&trial_tracker);
	*truncation->counts = was;
	truncation->counts->refused += truncation->refused;
	truncation->is_trial = false;
	return rc;
}

/* Writes the first record in memory.  If edit is true, first shortens its
 * message. */
static int
write_first_truncated(struct truncation *truncation, bool edit,
    struct ctx_err *err)
{
	struct truncate_conversation *lines = &truncation->lines;
	const struct ctx_held_queue *queue = &truncation->rewrite.lines;
	const struct truncate_entry *entry =
	    ctx_held_queue_at(queue, queue->first);

	if (entry->held.dialect != NULL &&
	    truncate_queued(truncation, lines, &lines->tracker, entry, edit,
		err) < 0)
		return -1;
	return ctx_rewrite_write_first(&truncation->rewrite, err);
}

int
ctx_truncate_write_all(struct truncation *truncation, bool edit,
    struct ctx_err *err)
{
	const struct ctx_held_queue *queue = &truncation->rewrite.lines;

	while (queue->first < queue->end)
		if (write_first_truncated(truncation, edit, err) < 0)
			return -1;
	return 0;
}

/* Writes the messages at the beginning of the queue that need not be kept in
 * memory any longer.  These are the messages before the first one that has some
 * of the newest media, which are not removed.  Writes nothing with the option
 * unsent, or if a later message may forbid changes. */
static int
write_due_truncated(struct truncation *truncation, struct ctx_err *err)
{
	const struct truncate_conversation *lines = &truncation->lines;
	const struct ctx_held_queue *queue = &truncation->rewrite.lines;
	const struct truncate_entry *entry;

	while (!truncation->options->unsent &&
	    !ctx_truncate_may_refuse(truncation, lines) &&
	    queue->first < queue->end) {
		entry = ctx_held_queue_at(queue, queue->first);
		if (entry->n_media > 0 &&
		    entry->first_media + entry->n_media >
			ctx_truncate_kept_media(truncation, lines))
			break;
		if (write_first_truncated(truncation, true, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_truncate_queue_record(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct truncate_conversation *lines = &truncation->lines;
	struct ctx_held_queue *queue = &truncation->rewrite.lines;
	bool sent =
	    truncation->options->unsent && ctx_message_was_sent(event->message);
	struct truncate_entry *entry;

	if (lines->tracker.tokens &&
	    lines->tracker.model_counter.counter == NULL &&
	    ctx_stream_measure(truncation->rewrite.stream, event,
		truncation->counters, &lines->tracker.model_counter, err) < 0)
		return -1;
	if (ctx_tracker_query(&lines->tracker, truncation->rewrite.stream,
		event, truncation->counters, err) < 0)
		return -1;
	if (sent && ctx_truncate_write_all(truncation, false, err) < 0)
		return -1;
	entry = append_entry(truncation, lines, event, err);
	if (entry == NULL)
		return -1;
	/* This record is the only record in memory, and the change of its
	 * message does not depend on later messages.  So the record is written
	 * at once. */
	if (queue->first == queue->end - 1 &&
	    (sent ||
		(!truncation->options->unsent && entry->n_media == 0 &&
		    !ctx_truncate_may_refuse(truncation, lines)))) {
		ctx_held_queue_remove_last(queue);
		return ctx_truncate_message(truncation, &lines->tracker, event,
		    !sent, (struct media_numbers){0, 0}, err);
	}
	if (ctx_rewrite_hold(&truncation->rewrite, &entry->held, event, err) <
	    0)
		return -1;
	return write_due_truncated(truncation, err);
}

int
ctx_truncate_queue_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct truncate_conversation *record = &truncation->record;

	if (append_entry(truncation, record, event, err) == NULL)
		return -1;
	if (truncation->options->unsent && ctx_message_was_sent(event->message))
		record->sent_end = truncation->rewrite.elements.end;
	return 0;
}

int
ctx_truncate_conversation(struct truncation *truncation, struct ctx_err *err)
{
	struct truncate_conversation *record = &truncation->record;
	struct ctx_held_queue *queue = &truncation->rewrite.elements;
	bool refused;

	truncation->refused = false;
	if (ctx_truncate_may_refuse(truncation, record) &&
	    ctx_truncate_check_refusal(truncation, record, err) < 0)
		return -1;
	refused = truncation->refused;
	for (size_t i = 0; i < queue->end; i++)
		if (truncate_queued(truncation, record, &record->tracker,
			ctx_held_queue_at(queue, i),
			i >= record->sent_end && !refused, err) < 0)
			return -1;
	ctx_held_queue_clear(queue);
	record->sent_end = 0;
	record->n_media = 0;
	return 0;
}
