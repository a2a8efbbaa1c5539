/*
 * truncate.c - shortens long texts of a stream
 *
 * Edits are collected while the messages of a record are read, and applied at
 * its end; nothing else is held.  Most texts are known to fit by the bytes of
 * their JSON, which are at least their size in any unit.
 *
 * With keep_media, unsent or CTX_REASONING_FAIL, later messages decide about a
 * message.  Then records are held in a queue, and the messages inside a record
 * until its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/media.h"
#include "dialect/result_content.h"
#include "stream/bound_reasoning.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "stream/placeholder.h"
#include "truncate/text_segments.h"

/* A message that is held, or a record that follows one. */
struct truncate_entry {
	char *text; /* its record, owned; NULL: inside a record */
	size_t bytes;
	uint32_t node;                     /* the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	unsigned flags;                    /* of the message */
	const char *file;
	uint64_t line;
	uint64_t first_media, n_media; /* number of its first media block; its
				  number of media blocks */
};

struct truncate_queue {
	/* The record that holds the messages; NULL: each is a record. */
	const struct ctx_json *json;
	struct truncate_entry *list;
	size_t first, n, cap; /* held: [first, n) */
	size_t sent_end;  /* list[0, sent): up to the last assistant message */
	uint64_t n_media; /* media blocks so far */
};

struct truncation {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	struct conversation_tracker lines,
	    record; /* of the stream; inside a record */
	struct shortener shortener;
	struct text_segments segments;
	struct ctx_edits edits;
	struct edited edited;
	struct ctx_buf out, text;
	int64_t match_time; /* time left for patterns, per message */
	struct truncate_queue queue, elements;
	struct ctx_json json; /* a held record, scanned again */
	struct ctx_message message;
	bool is_trial; /* report nothing, only set refused */
	bool refused;  /* bound reasoning follows a change */
};

/* What was shortened in a message, as bits; 0: only reasoning was removed. */
enum { REASONING = 0, RESULTS = 1, TEXTS = 2, ARGUMENTS = 4, MEDIA = 8 };

static const char *const rules[] = {
    [REASONING] = "bound reasoning",
    [RESULTS] = "results",
    [TEXTS] = "texts",
    [RESULTS | TEXTS] = "results and texts",
    [ARGUMENTS] = "arguments",
    [RESULTS | ARGUMENTS] = "results and arguments",
    [TEXTS | ARGUMENTS] = "texts and arguments",
    [RESULTS | TEXTS | ARGUMENTS] = "results, texts, arguments",
    [MEDIA] = "media",
    [RESULTS | MEDIA] = "results and media",
    [TEXTS | MEDIA] = "texts and media",
    [RESULTS | TEXTS | MEDIA] = "results, texts, media",
    [ARGUMENTS | MEDIA] = "arguments and media",
    [RESULTS | ARGUMENTS | MEDIA] = "results, arguments, media",
    [TEXTS | ARGUMENTS | MEDIA] = "texts, arguments, media",
    [RESULTS | TEXTS | ARGUMENTS | MEDIA] = "results to media",
};

/* Returns true if a value may exceed the limit; 0 is no limit. */
static bool
may_exceed(const struct ctx_message *message, uint32_t node, uint64_t limit)
{
	const struct ctx_node *value = &message->json->nodes[node];

	return limit > 0 && node != 0 && value->end - value->at > limit;
}

static int
shorten_to_limit(struct truncation *truncation, uint64_t limit, uint64_t *count,
    struct ctx_err *err)
{
	bool done;

	if (truncation->segments.n == 0)
		return 0;
	if (ctx_shorten(&truncation->shortener, &truncation->edits,
		&truncation->segments, limit, &done, err) < 0)
		return -1;
	*count += done;
	return 0;
}

/* Sets mark to the longest replacement of arguments that fits; if none fits, to
 * the shortest. */
static int
make_argument_mark(struct truncation *truncation, uint64_t before,
    char mark[80], uint64_t *after, struct ctx_err *err)
{
	static const char *const units[] = {"characters", "bytes", "tokens",
	    "lines"};
	static const char *const shorter[] = {"{\"\xe2\x80\xa6\":0}", "{}"};
	size_t form;

	(void)snprintf(mark, 80, "{\"_ctx_cut\":\"%llu %s truncated\"}",
	    (unsigned long long)before, units[truncation->options->unit]);
	for (form = 0;; form++) {
		if (ctx_shorten_measure(&truncation->shortener, mark,
			strlen(mark), after, err) < 0)
			return -1;
		if (*after <= truncation->options->args || form == 2)
			return 0;
		(void)snprintf(mark, 80, "%s", shorter[form]);
	}
}

/* Replaces arguments that are too long.  They are never cut, so that nobody
 * takes the rest for real arguments. */
static int
replace_arguments(struct truncation *truncation,
    const struct ctx_message *message, uint32_t args, struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(message->json, args);
	bool string = message->json->nodes[args].kind == CTX_JSON_STRING;
	uint64_t before, after;
	struct ctx_str text;
	char mark[80];

	truncation->out.n = 0;
	if ((string ? ctx_json_text(message->json, args, &truncation->out,
			  &text, err)
		    : ctx_json_compact(message->json, args, &truncation->out,
			  &text, err)) < 0)
		return -1;
	if (ctx_shorten_measure(&truncation->shortener, text.p, text.n, &before,
		err) < 0)
		return -1;
	ctx_buf_reset(&truncation->out);
	if (before <= truncation->options->args)
		return 0;
	if (make_argument_mark(truncation, before, mark, &after, err) < 0)
		return -1;
	if (after >= before)
		return 0;
	truncation->counts->calls++;
	truncation->out.n = 0;
	if (string ? ctx_json_string_encode(&truncation->out, mark,
			 strlen(mark), err) < 0
		   : ctx_buf_add(&truncation->out, mark, strlen(mark), err) < 0)
		return -1;
	return ctx_edits_replace(&truncation->edits, raw, truncation->out.p,
	    truncation->out.n, err);
}

static int
shorten_message_texts(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_node *node =
	    &event->message->json->nodes[event->message->node];
	uint64_t limit = truncation->options->message;

	if (limit == 0 || node->end - node->at <= limit)
		return 0;
	if (ctx_text_segments_texts(&truncation->segments, event->message,
		event->message->n, err) < 0)
		return -1;
	return shorten_to_limit(truncation, limit,
	    &truncation->counts->messages, err);
}

/* Returns the limit of a tool result, or 0. */
static uint64_t
find_result_limit(const struct ctx_truncate_options *options)
{
	if (options->message > 0 &&
	    (options->limit == 0 || options->message < options->limit))
		return options->message;
	return options->limit;
}

/* ---- media ---- */

/* Sets *is to true if block i is media or a media placeholder. */
static int
detect_media(struct truncation *truncation, const struct ctx_message *message,
    size_t i, bool *is, struct ctx_err *err)
{
	struct reference ref;

	*is = message->blocks[i].kind == CTX_BLOCK_MEDIA;
	return *is ? 0
		   : ctx_placeholder_part(message, i, &truncation->text, is,
			 &ref, err);
}

/* Replaces block i by a text block, unless the format has none, its tool is not
 * selected, or an edit from first on has replaced it. */
static int
replace_media_block(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t i, size_t first, struct ctx_err *err)
{
	struct ctx_truncate_options *options = truncation->options;
	const struct ctx_message *message = event->message;
	const struct ctx_dialect *dialect = event->layout->dialect;
	uint32_t block = ctx_media_block(message, i);
	uint32_t owner = message->blocks[i].result_index;
	struct ctx_media media;
	struct ctx_str old, tool;

	if (block == 0)
		return 0;
	old = ctx_json_str(message->json, block);
	if (ctx_edits_touch(&truncation->edits, first, old))
		return 0;
	if (owner != 0 &&
	    ctx_tracker_tool(tracker, event, owner - 1, &tool, err) < 0)
		return -1;
	if (owner != 0 &&
	    !ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
		tool.n, &truncation->match_time))
		return 0;
	truncation->counts->media++;
	truncation->out.n = 0;
	if (ctx_media_look(message->json, block, &truncation->text, &media,
		err) < 0 ||
	    ctx_placeholder_add(&truncation->out, message->json, &media, true,
		err) < 0)
		return -1;
	truncation->text.n = 0;
	if (ctx_placeholder_block(&truncation->text, dialect, message->json,
		block, (struct ctx_str){truncation->out.p, truncation->out.n},
		err) < 0)
		return -1;
	return ctx_edits_replace(&truncation->edits, old, truncation->text.p,
	    truncation->text.n, err);
}

/* Media blocks of a message, numbered in the conversation from 0. */
struct media_numbers {
	uint64_t first; /* number of the message's first media block */
	uint64_t end;   /* blocks with a lower number are removed */
};

/* Removes the media blocks of a message whose number is below media.end. */
static int
remove_media(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct media_numbers media, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	uint64_t number = media.first;
	bool is;
	size_t i;

	for (i = 0; i < message->n && number < media.end; i++) {
		if (detect_media(truncation, message, i, &is, err) < 0)
			return -1;
		if (message->blocks[i].kind == CTX_BLOCK_MEDIA &&
		    replace_media_block(truncation, tracker, event, i, first,
			err) < 0)
			return -1;
		number += is;
	}
	ctx_buf_reset(&truncation->text);
	ctx_buf_reset(&truncation->out);
	return 0;
}

/* Returns the number of the oldest media block that is kept. */
static uint64_t
find_kept_media(const struct truncation *truncation,
    const struct truncate_queue *queue)
{
	uint64_t keep = truncation->options->keep_media;

	if (!truncation->options->media || queue->n_media <= keep)
		return 0;
	return queue->n_media - keep;
}

/* ---- messages ---- */

/* Shortens block i if it is too long and its tool is selected. */
static int
shorten_block(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t i, struct ctx_err *err)
{
	struct ctx_truncate_options *options = truncation->options;
	const struct ctx_message *message = event->message;
	const struct ctx_block *block = &message->blocks[i];
	uint64_t limit = block->kind == CTX_BLOCK_TOOL_RESULT
	    ? find_result_limit(options)
	    : block->kind == CTX_BLOCK_TOOL_CALL ? options->args
						 : 0;
	struct ctx_str tool;

	if (block->no_truncate || !may_exceed(message, block->payload, limit))
		return 0;
	if (ctx_tracker_tool(tracker, event, i, &tool, err) < 0)
		return -1;
	if (!ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
		tool.n, &truncation->match_time))
		return 0;
	if (block->kind == CTX_BLOCK_TOOL_CALL)
		return replace_arguments(truncation, message, block->payload,
		    err);
	if (ctx_text_segments_result(&truncation->segments, message, i, err) <
	    0)
		return -1;
	return shorten_to_limit(truncation, limit, &truncation->counts->results,
	    err);
}

/* Reports a message if it has edits from number first on. */
static int
report_truncated(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, const struct ctx_truncate_counts *was, struct ctx_err *err)
{
	const struct ctx_json *json = event->message->json;
	struct ctx_change change = {.file = event->record->file,
	    .line = event->record->line,
	    .index = tracker->index};

	if (first == truncation->edits.n || truncation->is_trial ||
	    !ctx_report_wanted(&truncation->options->report))
		return 0;
	change.rule =
	    rules[(truncation->counts->results > was->results) * RESULTS +
		(truncation->counts->messages > was->messages) * TEXTS +
		(truncation->counts->calls > was->calls) * ARGUMENTS +
		(truncation->counts->media > was->media) * MEDIA];
	if (ctx_tracker_first_tool(tracker, event, &change.tool, err) < 0)
		return -1;
	change.continues = ctx_report_named(truncation->stream, event);
	change.bytes = event->inside ? ctx_json_str(json, event->node)
				     : event->record->text;
	truncation->edited.before = event->message;
	truncation->edited.counter = tracker->model_counter.counter;
	truncation->edited.value = ctx_json_str(json, event->node);
	truncation->edited.first = first;
	truncation->edited.n = truncation->edits.n - first;
	return ctx_report_edited(&truncation->options->report,
	    &truncation->edited, &truncation->edits, &change, err);
}

/* Removes the message's bound reasoning after the first change of the
 * conversation, which may be one of its own edits (from number first on). */
static int
drop_bound_reasoning(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	size_t from =
	    ctx_edits_first(&truncation->edits, first, message->json->text);

	if (tracker->changed)
		from = 0;
	tracker->changed |= truncation->edits.n > first;
	if (!tracker->binds || from == SIZE_MAX ||
	    !ctx_bound_after(message, from))
		return 0;
	truncation->refused = true;
	if (truncation->options->reasoning != CTX_REASONING_DROP) {
		truncation->counts->bound++;
		return 0;
	}
	truncation->counts->reasoning++;
	return ctx_bound_remove(&truncation->edits, message, from, err);
}

/* Adds the edits of a message. */
static int
shorten_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    struct media_numbers media, struct ctx_err *err)
{
	struct ctx_truncate_counts was = *truncation->counts;
	size_t first = truncation->edits.n, i;

	truncation->shortener.counter = tracker->model_counter.counter;
	truncation->match_time = CTX_PATTERN_TIME;
	for (i = 0; i < event->message->n; i++)
		if (shorten_block(truncation, tracker, event, i, err) < 0)
			return -1;
	if (shorten_message_texts(truncation, event, err) < 0 ||
	    remove_media(truncation, tracker, event, first, media, err) < 0 ||
	    drop_bound_reasoning(truncation, tracker, event, first, err) < 0)
		return -1;
	return report_truncated(truncation, tracker, event, first, &was, err);
}

/* Tracks a message, and shortens it if edit is true. */
static int
truncate_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    bool edit, struct media_numbers media, struct ctx_err *err)
{
	if (ctx_tracker_enter(tracker, truncation->stream, event,
		truncation->counters, err) < 0 ||
	    (edit &&
		shorten_message(truncation, tracker, event, media, err) < 0))
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}

/* Writes a text with its edits.  stays: it remains valid and need not be
 * copied. */
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
	truncation->out.n = 0;
	if (ctx_report_sync(&truncation->options->report, err) < 0 ||
	    ctx_edits_apply(&truncation->edits, text, &truncation->out, err) <
		0 ||
	    ctx_writer_copy(truncation->writer, truncation->out.p,
		truncation->out.n, err) < 0)
		return -1;
	ctx_edits_reset(&truncation->edits);
	ctx_buf_reset(&truncation->out);
	return ctx_writer_end_record(truncation->writer, err);
}

/* ---- messages that are held ---- */

/* Returns true if later messages decide about a message. */
static bool
needs_queue(const struct ctx_truncate_options *options)
{
	return options->unsent || options->reasoning == CTX_REASONING_FAIL ||
	    (options->media && options->keep_media > 0);
}

/* Returns true if later bound reasoning may forbid all changes. */
static bool
may_refuse(const struct truncation *truncation,
    const struct conversation_tracker *tracker)
{
	return truncation->options->reasoning == CTX_REASONING_FAIL &&
	    tracker->binds && !truncation->options->unsent;
}

/* Adds a message, or a record that is not one (event->message is NULL). */
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
		if (detect_media(truncation, event->message, i, &is, err) < 0)
			return NULL;
		entry->n_media += is;
	}
	queue->n_media += entry->n_media;
	queue->n++;
	return entry;
}

/* Tracks a message of the queue, and shortens it if edit is true.  Scans its
 * record again unless queue->json is the record. */
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
	    .end = find_kept_media(truncation, queue)};

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
	return truncate_message(truncation, tracker, &event, edit, media, err);
}

/* Sets truncation->refused to true if shortening all messages of the queue
 * would leave bound reasoning after a change. */
static int
check_truncation_refusal(struct truncation *truncation,
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

/* Writes the first held record. */
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

static int
write_all_truncated(struct truncation *truncation, bool edit,
    struct ctx_err *err)
{
	while (truncation->queue.first < truncation->queue.n)
		if (write_first_truncated(truncation, edit, err) < 0)
			return -1;
	return 0;
}

/* Writes the held records whose media are all older than the kept ones. */
static int
write_due_truncated(struct truncation *truncation, struct ctx_err *err)
{
	const struct truncate_entry *entry;

	while (!truncation->options->unsent &&
	    !may_refuse(truncation, &truncation->lines) &&
	    truncation->queue.first < truncation->queue.n) {
		entry = &truncation->queue.list[truncation->queue.first];
		if (entry->n_media > 0 &&
		    entry->first_media + entry->n_media >
			find_kept_media(truncation, &truncation->queue))
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

/* Handles a message that is a record: holds it, or writes it at once. */
static int
queue_or_truncate(struct truncation *truncation, const struct ctx_event *event,
    struct ctx_err *err)
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
	if (sent && write_all_truncated(truncation, false, err) < 0)
		return -1;
	entry = append_entry(truncation, &truncation->queue, event, err);
	if (entry == NULL)
		return -1;
	/* No record is held before it, and no later one decides about it. */
	if (truncation->queue.first == truncation->queue.n - 1 &&
	    (sent ||
		(!truncation->options->unsent && entry->n_media == 0 &&
		    !may_refuse(truncation, &truncation->lines)))) {
		truncation->queue.first = truncation->queue.n = 0;
		if (truncate_message(truncation, &truncation->lines, event,
			!sent, (struct media_numbers){0, 0}, err) < 0)
			return -1;
		return write_edited_text(truncation, event->record->text, true,
		    err);
	}
	if (copy_entry_text(truncation, entry, event, err) < 0)
		return -1;
	return write_due_truncated(truncation, err);
}

static int
append_waiting_element(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	if (append_entry(truncation, &truncation->elements, event, err) == NULL)
		return -1;
	if (truncation->options->unsent && ctx_message_was_sent(event->message))
		truncation->elements.sent_end = truncation->elements.n;
	return 0;
}

/* Shortens the messages of a record at the end of its conversation; json is the
 * record. */
static int
truncate_conversation(struct truncation *truncation,
    const struct ctx_json *json, struct ctx_err *err)
{
	struct truncate_queue *queue = &truncation->elements;
	bool refused;
	size_t i;

	queue->json = json;
	truncation->refused = false;
	if (may_refuse(truncation, &truncation->record) &&
	    check_truncation_refusal(truncation, &truncation->record, queue,
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

/* Writes a record that is not a message, or holds it if earlier records are
 * held. */
static int
end_untruncated_record(struct truncation *truncation,
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
	truncation->out.n = 0;
	if (ctx_report_sync(&truncation->options->report, err) < 0 ||
	    ctx_edits_apply(&truncation->edits, text, &truncation->out, err) <
		0)
		return -1;
	ctx_edits_reset(&truncation->edits);
	entry->bytes = truncation->out.n;
	entry->text = ctx_buf_take(&truncation->out);
	return 0;
}

static void
release_queue(struct truncation *truncation)
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

/* ---- the stream ---- */

static int
truncate_message_event(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct media_numbers all = {0,
	    truncation->options->media ? UINT64_MAX : 0};

	if (!needs_queue(truncation->options))
		return truncate_message(truncation,
		    event->inside ? &truncation->record : &truncation->lines,
		    event, true, all, err);
	return event->inside ? append_waiting_element(truncation, event, err)
			     : queue_or_truncate(truncation, event, err);
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
		return truncate_conversation(truncation, event->record->json,
		    err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE &&
		    needs_queue(truncation->options))
			return 0;
		return end_untruncated_record(truncation, event, err);
	default:
		return 0;
	}
}

/* Writes the held records at the end of the stream.  If the stream failed
 * (broken), a message may be missing, so with unsent, or if bound reasoning
 * could forbid changes, nothing is changed. */
static int
end_truncated_stream(struct truncation *truncation, bool broken,
    struct ctx_err *err)
{
	if (broken &&
	    (truncation->options->unsent ||
		may_refuse(truncation, &truncation->lines)))
		return write_all_truncated(truncation, false, err);
	truncation->refused = false;
	if (may_refuse(truncation, &truncation->lines) &&
	    check_truncation_refusal(truncation, &truncation->lines,
		&truncation->queue, err) < 0)
		return -1;
	return write_all_truncated(truncation, !truncation->refused, err);
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
	/* At an error, too: the records before it are complete. */
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
	release_queue(&truncation);
	return rc;
}
