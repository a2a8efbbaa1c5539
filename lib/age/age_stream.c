/*
 * age_stream.c - moves old tool results, or media, of a stream to files, and
 * writes references to them
 *
 * In this file a media block that is moved is also called a result.
 *
 * A message with a result that is long enough, and all records after it, are
 * kept in a queue in memory (age_queue.h).  After enough newer messages were
 * read (see the options keep, step and older in age.h), the message is "before
 * the boundary": its results are replaced, and the message is written.  With
 * the option at_least, all messages are kept until enough tokens can be saved.
 * Messages inside a record are handled at the end of the record.
 *
 * The queue has copies of all records that are not long.  Copying takes 3 % of
 * the CPU instructions of a run with the option mask, and 1 % of a run without
 * it, which writes files.  So avoiding the copies would not be worth the
 * effort.
 */
#include <stdlib.h>
#include <string.h>

#include "age/age_queue.h"

/* ---- filling the queue ---- */

/* Finds the model of a conversation and its token counter. */
static int
begin_aging(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct aging *aging = user;
	struct age_queue *queue =
	    event->inside ? &aging->record : &aging->lines;

	if (ctx_stream_measure(aging->rewrite.stream, event, aging->counters,
		&queue->model_counter, err) < 0)
		return -1;
	queue->binds = ctx_model_binds(queue->model_counter.model,
	    queue->model_counter.name);
	return 0;
}

/* Stores the record of a message that is the last entry of the queue.  If the
 * message cannot be changed and the queue is otherwise empty, writes it at once
 * (not if ctx_age_may_refuse returns true). */
static int
hold_record(struct aging *aging, struct age_entry *entry,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	struct ctx_held_queue *lines = &aging->rewrite.lines;

	/* Nothing in this message will be changed, and it is the only message
	 * in the queue.  So the message is written at once. */
	if (entry->tools == NULL && lines->first == lines->end - 1 &&
	    !(queue->changed && entry->is_bound) &&
	    !ctx_age_may_refuse(aging, queue)) {
		ctx_held_queue_remove_last(lines);
		return 0;
	}
	if (ctx_rewrite_hold(&aging->rewrite, &entry->held, event, err) < 0)
		return -1;
	return aging->options->unsent || ctx_age_may_refuse(aging, queue)
	    ? 0
	    : ctx_age_write_due(aging, err);
}

static int
queue_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct aging *aging = user;
	bool was_sent =
	    aging->options->unsent && ctx_message_was_sent(event->message);
	struct age_entry *entry;

	/* the response of a provider, which is never changed */
	if (event->layout->is_response)
		return 0;
	entry = ctx_age_queue_append(aging,
	    event->inside ? &aging->record : &aging->lines, event, err);
	if (entry == NULL)
		return -1;
	if (event->inside && was_sent)
		aging->record.sent_end = aging->rewrite.elements.end;
	if (event->inside)
		return 0;
	return was_sent ? ctx_age_write_unaged(aging, err)
			: hold_record(aging, entry, event, err);
}

/* ---- messages inside a record ---- */

/* Adds the edits that replace the old tool results of a message by references.
 * i: number of the message in a conversation inside a record.  If count_only is
 * true, adds no edits, but adds the number of tokens that the replacements
 * would save to queue->savings. */
static int
age_element(struct aging *aging, struct age_queue *queue, size_t i,
    bool count_only, struct ctx_err *err)
{
	struct age_entry *entry =
	    ctx_held_queue_at(&aging->rewrite.elements, i);

	entry->edits = 0;
	if (entry->tools != NULL && i >= queue->sent_end &&
	    (aging->options->by_results ||
		ctx_age_is_before_boundary(aging, queue, entry)) &&
	    ctx_age_message(aging, queue, entry, count_only, err) < 0)
		return -1;
	if (count_only)
		return 0;
	if (ctx_age_remove_reasoning(aging, queue, entry, err) < 0)
		return -1;
	queue->changed |= entry->edits > 0;
	return 0;
}

/* Called at the end of a conversation inside a record.  Replaces the old tool
 * results of its messages. */
static int
end_aged_conversation(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct aging *aging = user;
	struct age_queue *queue = &aging->record;
	const struct ctx_held_queue *elements = &aging->rewrite.elements;
	const struct age_entry place = {
	    .held = {.file = event->record->file, .line = event->record->line}};
	bool refused = false;

	if (ctx_age_may_refuse(aging, queue) &&
	    ctx_age_check_refusal(aging, queue, &refused, err) < 0)
		return -1;
	for (int count_only = aging->options->at_least > 0;
	     count_only >= 0 && !refused; count_only--) {
		if (count_only == 0 &&
		    queue->savings < aging->options->at_least)
			break;
		for (size_t i = 0; i < elements->end; i++)
			if (age_element(aging, queue, i, count_only, err) < 0)
				return -1;
	}
	if (ctx_age_commit_edits(aging, queue, &place, err) < 0)
		return -1;
	for (size_t i = queue->sent_end; i < elements->end; i++)
		if (ctx_age_report_message(aging, queue,
			ctx_held_queue_at(elements, i), err) < 0)
			return -1;
	ctx_age_queue_clear(aging, queue);
	return 0;
}

/* Called at the end of a record.  Sets committed_edits (number of edits whose
 * tool results are on disk) to 0, because the edits of the record are applied
 * next and then removed. */
static int
end_aged_record(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct aging *aging = user;

	(void)event;
	(void)err;
	aging->committed_edits = 0;
	return 0;
}

/* ---- the stream ---- */

/* Writes the queue at the end of the stream, even after an error in the input,
 * because the records before the error are complete. */
static int
end_aged_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	struct aging *aging = user;

	/* The stream may have ended inside a record, whose edits were dropped.
	 * So there is no edit whose tool results are on disk. */
	aging->committed_edits = 0;
	return how == CTX_END_REFUSED || how == CTX_END_FAILED
	    ? 0
	    : ctx_age_write_all(aging, how != CTX_END_COMPLETE, err);
}

static void
release_age_entry(void *entry)
{
	free(((struct age_entry *)entry)->tools);
}

static void
release_aging(struct aging *aging)
{
	ctx_rewrite_release(&aging->rewrite);
	ctx_groups_release(&aging->lines.groups);
	ctx_groups_release(&aging->record.groups);
	if (aging->options->opened != NULL)
		*aging->options->opened = aging->spool;
	else
		ctx_spool_close(&aging->spool);
	ctx_aged_result_release(&aging->aged);
	ctx_edits_release(&aging->strip_edits);
	ctx_buf_release(&aging->unstripped);
	ctx_buf_release(&aging->stripped);
	ctx_buf_release(&aging->name);
	ctx_buf_release(&aging->text);
}

int
ctx_age_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_config *options,
    struct ctx_age_counts *counts, struct ctx_err *err)
{
	static const struct ctx_held_queue entries = {
	    .entry_size = sizeof(struct age_entry),
	    .release = release_age_entry,
	};
	static const struct ctx_rewrite_command command = {
	    .entries = &entries,
	    .begin = begin_aging,
	    .message = queue_message,
	    .end = end_aged_conversation,
	    .record = end_aged_record,
	    .finish = end_aged_stream,
	};
	struct aging aging = {.options = options,
	    .counts = counts,
	    .counters = counters,
	    .rewrite = {.stream = stream,
		.writer = writer,
		.report = &options->report,
		.counters = counters,
		.line_counter = &aging.lines.model_counter}};
	char digits[CTX_SPOOL_DIGITS], tool[CTX_SPOOL_TOOL];
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	aging.spool.fd = -1;
	if (options->opened != NULL) {
		aging.spool = *options->opened;
		aging.refused = *options->refused;
	}
	ctx_rewrite_init(&aging.rewrite, counters->simd);
	/* Tests the format of file names with the longest tool name, so that a
	 * wrong format is refused at the beginning, not at the first result. */
	memset(tool, '_', sizeof tool);
	ctx_spool_hash_chunks(digits, NULL, 0);
	if (ctx_spool_name(&aging.name, options->format,
		(struct ctx_str){tool, sizeof tool}, digits, err) == 0 &&
	    ctx_groups_init(&aging.lines.groups, err) == 0 &&
	    ctx_groups_init(&aging.record.groups, err) == 0)
		rc = ctx_rewrite_run(&aging.rewrite, &command, &aging, err);
	release_aging(&aging);
	return rc;
}
