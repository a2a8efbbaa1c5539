/*
 * age_stream.c - moves old tool results, or media, of a stream to files, and
 * leaves references to them
 *
 * In this file a media block that is moved is called a result, too.
 *
 * A message with a result that is long enough, and all records after it, are
 * kept in a queue in memory (age_queue.h).  When options->keep newer messages
 * have arrived, the message is "before the boundary": its results are replaced
 * and it is written.  With the option at_least, all messages are kept until
 * enough tokens can be saved.  Messages inside a record are handled at the end
 * of the record.
 *
 * The queue has copies of records, except of long ones.  The copies cost 3 %
 * of the instructions with the option mask and 1 % with files, so keeping the
 * reader's buffers instead would not pay.
 */
#include <stdlib.h>
#include <string.h>

#include "age/age_queue.h"
#include "stream/change_report.h"

/* ---- filling the queue ---- */

static int
copy_record_text(struct aging *aging, struct age_entry *entry,
    const struct ctx_event *event, struct ctx_err *err)
{
	entry->text = ctx_stream_keep(aging->stream, event, err);
	entry->bytes = event->record->text.n;
	return entry->text == NULL ? -1 : 0;
}

/* Handles a message that is a record of its own: adds it to the queue, or
 * writes it at once if it cannot change. */
static int
queue_record(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	struct age_entry *entry;

	if (!queue->begun && ctx_age_queue_begin(aging, queue, event, err) < 0)
		return -1;
	entry = ctx_age_queue_append(queue, event, err);
	if (entry == NULL ||
	    ctx_age_queue_describe(aging, queue, entry, event, err) < 0)
		return -1;
	if (aging->options->unsent && ctx_message_was_sent(event->message))
		return ctx_age_write_unaged(aging, event, err);
	/* The queue was empty, and nothing in the message will be changed. */
	if (entry->tools == NULL && queue->first == queue->n - 1 &&
	    !(queue->changed && entry->is_signed) &&
	    !ctx_age_may_refuse(aging, queue)) {
		queue->n--;
		return ctx_age_write_record(aging, event->record->text, err);
	}
	if (copy_record_text(aging, entry, event, err) < 0)
		return -1;
	return aging->options->unsent || ctx_age_may_refuse(aging, queue)
	    ? 0
	    : ctx_age_write_due(aging, err);
}

/* ---- messages inside a record ---- */

/* Adds a message inside a record to the record's queue. */
static int
append_element(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_entry *entry =
	    ctx_age_queue_append(&aging->record, event, err);

	if (entry == NULL ||
	    ctx_age_queue_describe(aging, &aging->record, entry, event, err) <
		0)
		return -1;
	if (aging->options->unsent && ctx_message_was_sent(event->message))
		aging->record.sent_end = aging->record.n;
	return 0;
}

/* Adds the edits that replace the old tool results of message i of a record by
 * references.  If count_only is true, adds no edit, but adds the tokens that
 * would be saved to queue->savings. */
static int
age_element(struct aging *aging, struct age_queue *queue, size_t i,
    const struct ctx_json *json, bool count_only, struct ctx_err *err)
{
	struct age_entry *entry = &queue->list[i];

	entry->edits = 0;
	if (entry->tools != NULL && i >= queue->sent_end &&
	    (aging->options->by_results ||
		ctx_age_is_before_boundary(aging, queue, entry)) &&
	    ctx_age_message(aging, queue, entry, json, count_only, err) < 0)
		return -1;
	if (count_only || entry->dialect == NULL)
		return 0;
	if (ctx_age_remove_reasoning(aging, queue, entry,
		ctx_json_str(json, entry->node), err) < 0)
		return -1;
	queue->changed |= entry->edits > 0;
	return 0;
}

/* At the end of a conversation inside a record, replaces the old tool results
 * in its messages. */
static int
end_aged_record(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_queue *queue = &aging->record;
	const struct ctx_json *json = event->record->json;
	struct age_entry place = {.file = event->record->file,
	    .line = event->record->line};
	bool refused = false;
	int count_only;
	size_t i;

	if (ctx_age_may_refuse(aging, queue) &&
	    ctx_age_check_refusal(aging, queue, json, &refused, err) < 0)
		return -1;
	for (count_only = aging->options->at_least > 0;
	     count_only >= 0 && !refused; count_only--) {
		if (count_only == 0 &&
		    queue->savings < aging->options->at_least)
			break;
		for (i = 0; i < queue->n; i++)
			if (age_element(aging, queue, i, json, count_only,
				err) < 0)
				return -1;
	}
	if (ctx_age_commit_edits(aging, &place, err) < 0)
		return -1;
	for (i = queue->sent_end; i < queue->n; i++)
		if (ctx_age_report_message(aging, queue, &queue->list[i], json,
			err) < 0)
			return -1;
	ctx_age_queue_clear(queue);
	return 0;
}

/* Handles the end of a record that is not a message.  Writes the record, or
 * adds it to the queue if messages before it are not written yet. */
static int
end_unaged_record(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct age_entry *entry;

	if (aging->lines.first == aging->lines.n)
		return ctx_age_write_record(aging, text, err);
	entry = ctx_age_queue_append(&aging->lines, event, err);
	if (entry == NULL)
		return -1;
	if (aging->edits.n == 0)
		return copy_record_text(aging, entry, event, err);
	if (ctx_age_apply_edits(aging, text, err) < 0)
		return -1;
	entry->bytes = aging->out.n;
	entry->text = ctx_buf_take(&aging->out);
	return 0;
}

/* ---- the stream ---- */

static int
age_event(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return ctx_age_queue_begin(aging, &aging->record, event, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? append_element(aging, event, err)
				     : queue_record(aging, event, err);
	case CTX_EVENT_END:
		return end_aged_record(aging, event, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE)
			return 0;
		return end_unaged_record(aging, event, err);
	default:
		return 0;
	}
}

static int
age_all(struct aging *aging, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(aging->stream, &event, err)) > 0)
		if (age_event(aging, &event, err) < 0)
			return ctx_stream_fail(aging->stream, err);
	/* Writes the queue also after an error in the input, because the
	 * records before the error are complete. */
	if ((ctx_age_write_all(aging, rc < 0, &late) < 0 ||
		ctx_writer_flush(aging->writer, &late) < 0) &&
	    rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

static void
release_aging(struct aging *aging)
{
	if (aging->lines.groups.calls != NULL)
		ctx_age_queue_clear(&aging->lines);
	if (aging->record.groups.calls != NULL)
		ctx_age_queue_clear(&aging->record);
	free(aging->lines.list);
	free(aging->record.list);
	ctx_groups_release(&aging->lines.groups);
	ctx_groups_release(&aging->record.groups);
	ctx_spool_close(&aging->spool);
	ctx_message_release(&aging->message);
	ctx_json_release(&aging->json);
	ctx_edits_release(&aging->edits);
	ctx_aged_result_release(&aging->aged);
	ctx_edited_release(&aging->edited);
	ctx_json_release(&aging->unstripped_json);
	ctx_message_release(&aging->unstripped_message);
	ctx_edits_release(&aging->strip_edits);
	ctx_buf_release(&aging->unstripped);
	ctx_buf_release(&aging->stripped);
	ctx_buf_release(&aging->name);
	ctx_buf_release(&aging->out);
	ctx_buf_release(&aging->text);
}

int
ctx_age(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_options *options,
    struct ctx_age_counts *counts, struct ctx_err *err)
{
	struct aging aging = {.options = options,
	    .counts = counts,
	    .counters = counters,
	    .writer = writer,
	    .stream = stream};
	char digits[CTX_SPOOL_DIGITS], tool[CTX_SPOOL_TOOL];
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	aging.spool.fd = -1;
	if (options->opened != NULL) {
		aging.spool = *options->opened;
		aging.refused = *options->refused;
	}
	ctx_json_init(&aging.json, counters->simd);
	ctx_json_init(&aging.edited.json, counters->simd);
	ctx_json_init(&aging.unstripped_json, counters->simd);
	/* Refuses a bad format of file names at the start, not at the first
	 * result: tests it with the longest tool name. */
	memset(tool, '_', sizeof tool);
	ctx_spool_digits(digits, NULL, 0);
	if (ctx_spool_name(&aging.out, options->format,
		(struct ctx_str){tool, sizeof tool}, digits, err) == 0 &&
	    ctx_groups_init(&aging.lines.groups, err) == 0 &&
	    ctx_groups_init(&aging.record.groups, err) == 0)
		rc = age_all(&aging, err);
	release_aging(&aging);
	return rc;
}
