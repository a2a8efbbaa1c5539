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
struct waiting_record {
	char *text; /* its record, owned; NULL: inside a record */
	size_t n;
	uint32_t node;                     /* the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	unsigned flags;                    /* of the message */
	const char *file;
	uint64_t line;
	uint64_t first, media; /* number of its first media block; its number of
				  media blocks */
};

struct waitings {
	struct waiting_record *list;
	size_t first, n, cap; /* held: [first, n) */
	size_t sent;    /* list[0, sent): up to the last assistant message */
	uint64_t media; /* media blocks so far */
};

struct truncate {
	struct ctx_stream *stream;
	struct ctx_writer *writer;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_model_counters *counters;
	struct conversation_tracker lines,
	    record; /* of the stream; inside a record */
	struct shortener cut;
	struct text_segments text_segments;
	struct ctx_edits edits;
	struct edited edited;
	struct ctx_buf out, text;
	int64_t match_left; /* time left for patterns, per message */
	struct waitings held, elements;
	struct ctx_json json; /* a held record, scanned again */
	struct ctx_message message;
	bool trial;   /* report nothing, only set refused */
	bool refused; /* bound reasoning follows a change */
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
shorten_to_limit(struct truncate *t, const struct ctx_event *event,
    uint64_t limit, uint64_t *count, struct ctx_err *err)
{
	bool done;

	if (t->text_segments.n == 0)
		return 0;
	if (ctx_shorten(&t->cut, &t->edits, event->message,
		event->layout->dialect, &t->text_segments, limit, &done,
		err) < 0)
		return -1;
	*count += done;
	return 0;
}

/* Sets mark to the longest replacement of arguments that fits; if none fits, to
 * the shortest. */
static int
make_argument_mark(struct truncate *t, uint64_t before, char mark[80],
    uint64_t *after, struct ctx_err *err)
{
	static const char *const units[] = {"characters", "bytes", "tokens",
	    "lines"};
	static const char *const shorter[] = {"{\"\xe2\x80\xa6\":0}", "{}"};
	size_t form;

	(void)snprintf(mark, 80, "{\"_ctx_cut\":\"%llu %s truncated\"}",
	    (unsigned long long)before, units[t->options->unit]);
	for (form = 0;; form++) {
		if (ctx_shorten_measure(&t->cut, mark, strlen(mark), after,
			err) < 0)
			return -1;
		if (*after <= t->options->args || form == 2)
			return 0;
		(void)snprintf(mark, 80, "%s", shorter[form]);
	}
}

/* Replaces arguments that are too long.  They are never cut, so that nobody
 * takes the rest for real arguments. */
static int
replace_arguments(struct truncate *t, const struct ctx_message *message,
    uint32_t args, struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(message->json, args);
	bool string = message->json->nodes[args].kind == CTX_JSON_STRING;
	uint64_t before, after;
	struct ctx_str text;
	char mark[80];

	t->out.n = 0;
	if ((string ? ctx_json_text(message->json, args, &t->out, &text, err)
		    : ctx_json_compact(message->json, args, &t->out, &text,
			  err)) < 0)
		return -1;
	if (ctx_shorten_measure(&t->cut, text.p, text.n, &before, err) < 0)
		return -1;
	ctx_buf_reset(&t->out);
	if (before <= t->options->args)
		return 0;
	if (make_argument_mark(t, before, mark, &after, err) < 0)
		return -1;
	if (after >= before)
		return 0;
	t->counts->calls++;
	t->out.n = 0;
	if (string
		? ctx_json_string_encode(&t->out, mark, strlen(mark), err) < 0
		: ctx_buf_add(&t->out, mark, strlen(mark), err) < 0)
		return -1;
	return ctx_edits_replace(&t->edits, raw, t->out.p, t->out.n, err);
}

static int
shorten_message_texts(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_node *node =
	    &event->message->json->nodes[event->message->node];
	uint64_t limit = t->options->message;

	if (limit == 0 || node->end - node->at <= limit)
		return 0;
	if (ctx_text_segments_texts(&t->text_segments, event->message,
		event->message->n, err) < 0)
		return -1;
	return shorten_to_limit(t, event, limit, &t->counts->messages, err);
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
detect_media(struct truncate *t, const struct ctx_message *message, size_t i,
    bool *is, struct ctx_err *err)
{
	struct reference ref;

	*is = message->blocks[i].kind == CTX_BLOCK_MEDIA;
	return *is ? 0
		   : ctx_placeholder_part(message, i, &t->text, is, &ref, err);
}

/* Replaces block i by a text block, unless the format has none, its tool is not
 * selected, or an edit from first on has replaced it. */
static int
replace_media_block(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err)
{
	struct ctx_truncate_options *options = t->options;
	const struct ctx_message *message = event->message;
	const struct ctx_dialect *dialect = event->layout->dialect;
	uint32_t block = ctx_media_block(message, i);
	uint32_t owner = message->blocks[i].result_index;
	struct ctx_media media;
	struct ctx_str old, tool;

	if (block == 0)
		return 0;
	old = ctx_json_str(message->json, block);
	if (ctx_edits_touch(&t->edits, first, old))
		return 0;
	if (owner != 0 &&
	    ctx_tracker_tool(tracker, event, owner - 1, &tool, err) < 0)
		return -1;
	if (owner != 0 &&
	    !ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
		tool.n, &t->match_left))
		return 0;
	t->counts->media++;
	t->out.n = 0;
	if (ctx_media_look(message->json, block, &t->text, &media, err) < 0 ||
	    ctx_placeholder_add(&t->out, message->json, &media, true, err) < 0)
		return -1;
	t->text.n = 0;
	if (ctx_placeholder_block(&t->text, dialect, message->json, block,
		(struct ctx_str){t->out.p, t->out.n}, err) < 0)
		return -1;
	return ctx_edits_replace(&t->edits, old, t->text.p, t->text.n, err);
}

static int
remove_media(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t first, uint64_t number, uint64_t end,
    struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	bool is;
	size_t i;

	for (i = 0; i < message->n && number < end; i++) {
		if (detect_media(t, message, i, &is, err) < 0)
			return -1;
		if (message->blocks[i].kind == CTX_BLOCK_MEDIA &&
		    replace_media_block(t, tracker, event, i, first, err) < 0)
			return -1;
		number += is;
	}
	ctx_buf_reset(&t->text);
	ctx_buf_reset(&t->out);
	return 0;
}

/* Returns the number of the oldest media block that is kept. */
static uint64_t
find_kept_media(const struct truncate *t, const struct waitings *held)
{
	uint64_t keep = t->options->keep_media;

	if (!t->options->media || held->media <= keep)
		return 0;
	return held->media - keep;
}

/* ---- messages ---- */

/* Shortens block i if it is too long and its tool is selected. */
static int
shorten_block(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t i, struct ctx_err *err)
{
	struct ctx_truncate_options *options = t->options;
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
		tool.n, &t->match_left))
		return 0;
	if (block->kind == CTX_BLOCK_TOOL_CALL)
		return replace_arguments(t, message, block->payload, err);
	if (ctx_text_segments_result(&t->text_segments, message,
		event->layout->dialect, i, err) < 0)
		return -1;
	return shorten_to_limit(t, event, limit, &t->counts->results, err);
}

/* Reports a message if it has edits from number first on. */
static int
report_truncated(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t first,
    const struct ctx_truncate_counts *was, struct ctx_err *err)
{
	const struct ctx_json *json = event->message->json;
	struct ctx_change change = {.file = event->record->file,
	    .line = event->record->line,
	    .index = tracker->index};

	if (first == t->edits.n || t->trial ||
	    !ctx_report_wanted(&t->options->report))
		return 0;
	change.rule = rules[(t->counts->results > was->results) * RESULTS +
	    (t->counts->messages > was->messages) * TEXTS +
	    (t->counts->calls > was->calls) * ARGUMENTS +
	    (t->counts->media > was->media) * MEDIA];
	if (ctx_tracker_first_tool(tracker, event, &change.tool, err) < 0)
		return -1;
	change.continues = ctx_report_named(t->stream, event);
	change.bytes = event->inside ? ctx_json_str(json, event->node)
				     : event->record->text;
	t->edited.before = event->message;
	t->edited.counter = tracker->model_counter.counter;
	t->edited.value = ctx_json_str(json, event->node);
	t->edited.first = first;
	t->edited.n = t->edits.n - first;
	return ctx_report_edited(&t->options->report, &t->edited, &t->edits,
	    &change, err);
}

/* Removes the message's bound reasoning after the first change of the
 * conversation, which may be one of its own edits (from number first on). */
static int
drop_bound_reasoning(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, size_t first, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	size_t from = ctx_edits_first(&t->edits, first, message->json->text);

	if (tracker->changed)
		from = 0;
	tracker->changed |= t->edits.n > first;
	if (!tracker->binds || from == SIZE_MAX ||
	    !ctx_bound_after(message, from))
		return 0;
	t->refused = true;
	if (t->options->reasoning != CTX_REASONING_DROP) {
		t->counts->bound++;
		return 0;
	}
	t->counts->reasoning++;
	return ctx_bound_remove(&t->edits, message, from, err);
}

/* Adds the edits of a message.  number is that of its first media block; media
 * blocks with a number below end are removed. */
static int
shorten_message(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, uint64_t number, uint64_t end,
    struct ctx_err *err)
{
	struct ctx_truncate_counts was = *t->counts;
	size_t first = t->edits.n, i;

	t->cut.counter = tracker->model_counter.counter;
	t->match_left = CTX_PATTERN_TIME;
	for (i = 0; i < event->message->n; i++)
		if (shorten_block(t, tracker, event, i, err) < 0)
			return -1;
	if (shorten_message_texts(t, event, err) < 0 ||
	    remove_media(t, tracker, event, first, number, end, err) < 0 ||
	    drop_bound_reasoning(t, tracker, event, first, err) < 0)
		return -1;
	return report_truncated(t, tracker, event, first, &was, err);
}

/* Tracks a message, and shortens it if edit is true. */
static int
truncate_message(struct truncate *t, struct conversation_tracker *tracker,
    const struct ctx_event *event, bool edit, uint64_t number, uint64_t end,
    struct ctx_err *err)
{
	if (ctx_tracker_enter(tracker, t->stream, event, t->counters, err) <
		0 ||
	    (edit && shorten_message(t, tracker, event, number, end, err) < 0))
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}

/* Writes a text with its edits.  stays: it remains valid and need not be
 * copied. */
static int
write_edited_text(struct truncate *t, struct ctx_str text, bool stays,
    struct ctx_err *err)
{
	if (t->options->report.dry_run) {
		ctx_edits_reset(&t->edits);
		return 0;
	}
	if (t->edits.n == 0) {
		if ((stays ? ctx_writer_put(t->writer, text.p, text.n, err)
			   : ctx_writer_copy(t->writer, text.p, text.n, err)) <
		    0)
			return -1;
		return ctx_writer_end_record(t->writer, err);
	}
	t->out.n = 0;
	if (ctx_report_sync(&t->options->report, err) < 0 ||
	    ctx_edits_apply(&t->edits, text, &t->out, err) < 0 ||
	    ctx_writer_copy(t->writer, t->out.p, t->out.n, err) < 0)
		return -1;
	ctx_edits_reset(&t->edits);
	ctx_buf_reset(&t->out);
	return ctx_writer_end_record(t->writer, err);
}

/* ---- messages that are held ---- */

/* Returns true if later messages decide about a message. */
static bool
needs_waiting(const struct ctx_truncate_options *options)
{
	return options->unsent || options->reasoning == CTX_REASONING_FAIL ||
	    (options->media && options->keep_media > 0);
}

/* Returns true if later bound reasoning may forbid all changes. */
static bool
may_refuse(const struct truncate *t, const struct conversation_tracker *tracker)
{
	return t->options->reasoning == CTX_REASONING_FAIL && tracker->binds &&
	    !t->options->unsent;
}

/* Adds a message, or a record that is not one (event->message is NULL). */
static struct waiting_record *
append_waiting(struct truncate *t, struct waitings *held,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct waiting_record *list, *one;
	bool is = false;
	size_t i;

	list = ctx_grow(held->list, &held->cap, held->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	held->list = list;
	one = &list[held->n];
	*one = (struct waiting_record){.node = event->node,
	    .file = event->record->file,
	    .line = event->record->line,
	    .first = held->media};
	if (event->message == NULL)
		return &list[held->n++];
	one->dialect = event->layout->dialect;
	one->flags = event->message->flags;
	for (i = 0; t->options->media && i < event->message->n; i++) {
		if (detect_media(t, event->message, i, &is, err) < 0)
			return NULL;
		one->media += is;
	}
	held->media += one->media;
	held->n++;
	return one;
}

/* Tracks a held message and shortens it if edit is true; json is its record. */
static int
truncate_waiting(struct truncate *t, struct conversation_tracker *tracker,
    const struct waitings *held, const struct waiting_record *one,
    const struct ctx_json *json, bool edit, struct ctx_err *err)
{
	const struct ctx_record record = {.kind = CTX_RECORD_JSON,
	    .text = {one->text, one->n},
	    .json = json,
	    .file = one->file,
	    .line = one->line};
	const struct ctx_record_layout layout = {.kind = CTX_LAYOUT_MESSAGE,
	    .dialect = one->dialect};
	const struct ctx_event event = {.kind = CTX_EVENT_MESSAGE,
	    .record = &record,
	    .layout = &layout,
	    .message = &t->message,
	    .node = one->node,
	    .inside = one->text == NULL};

	if (ctx_dialect_read_message(one->dialect, json, one->node, &t->message,
		err) < 0)
		return -1;
	t->message.flags |= one->flags;
	return truncate_message(t, tracker, &event, edit, one->first,
	    find_kept_media(t, held), err);
}

/*
 * Sets t->refused to true if shortening all held messages would leave bound
 * reasoning after a change.  json is the record that they are in, or NULL if
 * each is a record.
 */
static int
try_truncating_all(struct truncate *t,
    const struct conversation_tracker *tracker, const struct waitings *held,
    const struct ctx_json *json, struct ctx_err *err)
{
	struct ctx_truncate_counts was = *t->counts;
	size_t noted = t->edits.n, stored = t->edits.store.n;
	struct conversation_tracker trial;
	size_t used, i;
	int rc = ctx_tracker_init(&trial, tracker->tools, false, err);

	trial.model_counter = tracker->model_counter;
	trial.asked = true;
	trial.binds = tracker->binds;
	t->trial = true;
	t->refused = false;
	for (i = held->first; i < held->n && rc == 0 && !t->refused; i++) {
		const struct waiting_record *one = &held->list[i];

		if (one->dialect == NULL)
			continue;
		if (json == NULL)
			rc = ctx_json_scan(&t->json, one->text, one->n, &used,
				 err) < 0
			    ? -1
			    : 0;
		if (rc == 0)
			rc = truncate_waiting(t, &trial, held, one,
			    json != NULL ? json : &t->json, true, err);
		t->edits.n = noted;
		t->edits.store.n = stored;
	}
	ctx_tracker_release(&trial);
	*t->counts = was;
	t->counts->refused += t->refused;
	t->trial = false;
	return rc;
}

/* Writes the first held record. */
static int
write_first_truncated(struct truncate *t, bool edit, struct ctx_err *err)
{
	struct waiting_record *one = &t->held.list[t->held.first];
	size_t used;

	if (one->dialect != NULL &&
	    (ctx_json_scan(&t->json, one->text, one->n, &used, err) < 0 ||
		truncate_waiting(t, &t->lines, &t->held, one, &t->json, edit,
		    err) < 0))
		return -1;
	if (write_edited_text(t, (struct ctx_str){one->text, one->n}, false,
		err) < 0)
		return -1;
	free(one->text);
	if (++t->held.first == t->held.n)
		t->held.first = t->held.n = 0;
	return 0;
}

static int
write_all_truncated(struct truncate *t, bool edit, struct ctx_err *err)
{
	while (t->held.first < t->held.n)
		if (write_first_truncated(t, edit, err) < 0)
			return -1;
	return 0;
}

/* Writes the held records whose media are all older than the kept ones. */
static int
write_due_truncated(struct truncate *t, struct ctx_err *err)
{
	const struct waiting_record *one;

	while (!t->options->unsent && !may_refuse(t, &t->lines) &&
	    t->held.first < t->held.n) {
		one = &t->held.list[t->held.first];
		if (one->media > 0 &&
		    one->first + one->media > find_kept_media(t, &t->held))
			break;
		if (write_first_truncated(t, true, err) < 0)
			return -1;
	}
	return 0;
}

static int
keep_held_text(struct truncate *t, struct waiting_record *one,
    const struct ctx_event *event, struct ctx_err *err)
{
	one->text = ctx_stream_keep(t->stream, event, err);
	one->n = event->record->text.n;
	return one->text == NULL ? -1 : 0;
}

/* Handles a message that is a record: holds it, or writes it at once. */
static int
hold_truncated(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	bool sent = t->options->unsent && ctx_message_was_sent(event->message);
	struct waiting_record *one;

	if (t->lines.tokens && t->lines.model_counter.counter == NULL &&
	    ctx_stream_measure(t->stream, event, t->counters,
		&t->lines.model_counter, err) < 0)
		return -1;
	if (ctx_tracker_query(&t->lines, t->stream, event, t->counters, err) <
	    0)
		return -1;
	if (sent && write_all_truncated(t, false, err) < 0)
		return -1;
	one = append_waiting(t, &t->held, event, err);
	if (one == NULL)
		return -1;
	/* No record is held before it, and no later one decides about it. */
	if (t->held.first == t->held.n - 1 &&
	    (sent ||
		(!t->options->unsent && one->media == 0 &&
		    !may_refuse(t, &t->lines)))) {
		t->held.first = t->held.n = 0;
		if (truncate_message(t, &t->lines, event, !sent, 0, 0, err) < 0)
			return -1;
		return write_edited_text(t, event->record->text, true, err);
	}
	if (keep_held_text(t, one, event, err) < 0)
		return -1;
	return write_due_truncated(t, err);
}

static int
truncate_element(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	if (append_waiting(t, &t->elements, event, err) == NULL)
		return -1;
	if (t->options->unsent && ctx_message_was_sent(event->message))
		t->elements.sent = t->elements.n;
	return 0;
}

static int
truncate_elements(struct truncate *t, const struct ctx_json *json,
    struct ctx_err *err)
{
	struct waitings *held = &t->elements;
	bool refused;
	size_t i;

	t->refused = false;
	if (may_refuse(t, &t->record) &&
	    try_truncating_all(t, &t->record, held, json, err) < 0)
		return -1;
	refused = t->refused;
	for (i = 0; i < held->n; i++)
		if (truncate_waiting(t, &t->record, held, &held->list[i], json,
			i >= held->sent && !refused, err) < 0)
			return -1;
	held->n = held->sent = 0;
	held->media = 0;
	return 0;
}

/* Writes a record that is not a message, or holds it if earlier records are
 * held. */
static int
pass_untruncated(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct waiting_record *one;

	if (t->held.n == 0)
		return write_edited_text(t, text, true, err);
	one = append_waiting(t, &t->held, event, err);
	if (one == NULL)
		return -1;
	if (t->edits.n == 0)
		return keep_held_text(t, one, event, err);
	t->out.n = 0;
	if (ctx_report_sync(&t->options->report, err) < 0 ||
	    ctx_edits_apply(&t->edits, text, &t->out, err) < 0)
		return -1;
	ctx_edits_reset(&t->edits);
	one->n = t->out.n;
	one->text = ctx_buf_take(&t->out);
	return 0;
}

static void
release_waiting(struct truncate *t)
{
	for (; t->held.first < t->held.n; t->held.first++)
		free(t->held.list[t->held.first].text);
	free(t->held.list);
	free(t->elements.list);
	ctx_json_release(&t->json);
	ctx_message_release(&t->message);
	ctx_buf_release(&t->text);
}

/* ---- the stream ---- */

static int
truncate_message_event(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	if (!needs_waiting(t->options))
		return truncate_message(t,
		    event->inside ? &t->record : &t->lines, event, true, 0,
		    t->options->media ? UINT64_MAX : 0, err);
	return event->inside ? truncate_element(t, event, err)
			     : hold_truncated(t, event, err);
}

static int
truncate_event(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return ctx_tracker_enter(&t->record, t->stream, event,
		    t->counters, err);
	case CTX_EVENT_MESSAGE:
		return truncate_message_event(t, event, err);
	case CTX_EVENT_END:
		return truncate_elements(t, event->record->json, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE &&
		    needs_waiting(t->options))
			return 0;
		return pass_untruncated(t, event, err);
	default:
		return 0;
	}
}

/* Writes the held records at the end of the stream.  If the stream failed
 * (broken), a message may be missing, so with unsent, or if bound reasoning
 * could forbid changes, nothing is changed. */
static int
end_truncated_lines(struct truncate *t, bool broken, struct ctx_err *err)
{
	if (broken && (t->options->unsent || may_refuse(t, &t->lines)))
		return write_all_truncated(t, false, err);
	t->refused = false;
	if (may_refuse(t, &t->lines) &&
	    try_truncating_all(t, &t->lines, &t->held, NULL, err) < 0)
		return -1;
	return write_all_truncated(t, !t->refused, err);
}

static int
truncate_all(struct truncate *t, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	bool failed = false;
	int rc = 0;

	while (!failed && (rc = ctx_stream_next(t->stream, &event, err)) > 0)
		failed = truncate_event(t, &event, err) < 0;
	if (failed)
		rc = ctx_stream_fail(t->stream, err);
	/* At an error, too: the records before it are complete. */
	if (((!failed && end_truncated_lines(t, rc < 0, &late) < 0) ||
		ctx_writer_flush(t->writer, &late) < 0) &&
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
	struct truncate t = {.stream = stream,
	    .writer = writer,
	    .options = options,
	    .counts = counts,
	    .counters = counters};
	bool told = options->report.on_change != NULL;
	bool tools = told || options->tool.n > 0 || options->not_tool.n > 0;
	bool tokens = told || options->unit == CTX_SIZE_TOKENS;
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	t.cut.unit = options->unit;
	t.cut.keep = options->keep;
	t.cut.head = options->head;
	t.cut.tail = options->tail;
	ctx_json_init(&t.edited.json, counters->simd);
	ctx_json_init(&t.json, counters->simd);
	if (ctx_tracker_init(&t.lines, tools, tokens, err) == 0 &&
	    ctx_tracker_init(&t.record, tools, tokens, err) == 0)
		rc = truncate_all(&t, err);
	ctx_tracker_release(&t.lines);
	ctx_tracker_release(&t.record);
	ctx_shorten_release(&t.cut);
	ctx_text_segments_release(&t.text_segments);
	ctx_edits_release(&t.edits);
	ctx_edited_release(&t.edited);
	ctx_buf_release(&t.out);
	release_waiting(&t);
	return rc;
}
