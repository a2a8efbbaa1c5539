/*
 * prune_stream.c - reads a stream and prunes its conversations
 *
 * The messages of the current conversation are kept in memory until the
 * conversation ends.  Each time the number of bytes in memory has doubled, the
 * messages that are certain to be removed are freed.  A conversation that is
 * contained in one record is pruned at the end of the record.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "truncate/text_segments.h"

/* When the messages in memory have this many bytes, ctx looks for the first
 * time for messages that can be removed early. */
#define FIRST_COMPACTION (256u << 10)

/* ---- reading ---- */

/* Counts the tokens of a request outside its messages, for the plan. */
static int
count_overhead(struct held_conversation *conversation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_request_overhead overhead;

	if (ctx_count_request_overhead(conversation->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	conversation->counted_by = conversation->model_counter.counter;
	conversation->plan.fixed = overhead.tokens;
	conversation->plan.tools = overhead.tools;
	conversation->plan.system = overhead.system;
	conversation->plan.tools_alone = overhead.tools_alone;
	return 0;
}

/* Sets settings->keeps_opening if a request says how the model thinks.  In
 * manual mode, "the API enforces that thinking-enabled turns begin with a
 * thinking block", but not in adaptive mode ("Adaptive thinking",
 * platform.claude.com, 2026); claude-code #14264, December 2025. */
static void
read_thinking(const struct ctx_event *event,
    struct ctx_prune_settings *settings)
{
	const struct ctx_json *json = event->record->json;
	uint32_t type = 0;

	if (event->inside && event->layout->in_request)
		type = ctx_json_find_path(json, event->layout->request,
		    "thinking/type");
	if (type != 0)
		settings->keeps_opening = ctx_json_is(json, type, "enabled");
}

/* Finds the model of a new conversation and sets its settings. */
static int
begin_pruning(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct prune *run = user;
	struct held_conversation *conversation = event->inside
	    ? &run->record_conversation
	    : &run->stream_conversation;
	struct ctx_prune_settings settings;

	conversation->open = true;
	conversation->read_dialect = event->layout->dialect;
	conversation->is_response = event->layout->is_response;
	conversation->groups.has_remote_state |=
	    event->layout->has_remote_state;
	conversation->file = event->record->file;
	conversation->line = event->inside ? event->record->line : 0;
	if (ctx_stream_measure(run->rewrite.stream, event, run->counters,
		&conversation->model_counter, err) < 0 ||
	    ctx_prune_settings_for(run->options,
		conversation->model_counter.model, &settings, err) < 0)
		return -1;
	if (conversation->scorer == NULL &&
	    ctx_scorer_open(&conversation->scorer, settings.strategy,
		&run->options->scorer, err) < 0)
		return -1;
	settings.binds = ctx_model_binds(conversation->model_counter.model,
	    conversation->model_counter.name);
	read_thinking(event, &settings);
	ctx_plan_reset(&conversation->plan, &conversation->groups, &settings);
	conversation->compact_at = FIRST_COMPACTION;
	return count_overhead(conversation, event, err);
}

/* Checks the settings of the first conversation before any record is consumed,
 * so that the caller can correct the settings and prune the stream again.  If
 * the settings depend on the model that the conversation names, looks at the
 * first event, but does not consume it.  The settings of later conversations
 * are checked when they begin. */
static int
check_settings(struct prune *run, struct ctx_err *err)
{
	const struct ctx_prune_config *options = run->options;
	struct ctx_model_counters *counters = run->counters;
	struct ctx_stream *stream = run->rewrite.stream;
	struct ctx_model_counter first = {0};
	struct ctx_prune_settings settings;
	const struct ctx_event *event;
	int rc;

	if (options->window > 0 ||
	    (options->budget.set && !options->budget.percent))
		return ctx_prune_settings_for(options, NULL, &settings, err);
	if (counters->model != NULL)
		return ctx_prune_settings_for(options,
		    ctx_model_find(&counters->own, counters->model,
			strlen(counters->model)),
		    &settings, err);
	rc = ctx_stream_peek(stream, &event, err);
	if (rc <= 0 || event->kind == CTX_EVENT_RECORD)
		return rc < 0 ? -1 : 0;
	if (ctx_stream_measure(stream, event, counters, &first, err) < 0 ||
	    ctx_prune_settings_for(options, first.model, &settings, err) < 0)
		return ctx_stream_fail(stream, err);
	return 0;
}

/* ---- freeing messages early ---- */

/* Returns true if a message must remain in memory, because a part of it was not
 * written yet or its change was not reported yet. */
static bool
is_needed(const void *entry)
{
	const struct prune_entry *message = entry;

	return message->n_segments > 0 ||
	    (message->pending != NULL && !message->pending->done);
}

/* Joins two neighbouring entries that stand for lines of a file that are not
 * messages (ctx_prune_hold_file_line), once the messages between them are
 * removed.  Marks the segment (unit that is kept or removed) of the first entry
 * for removal. */
static void
join_lines(struct held_conversation *conversation)
{
	uint8_t *marks = conversation->plan.marks;
	struct prune_entry *before = NULL, *entry;
	size_t next = 0, segment = 0;

	for (size_t i = 0; i < conversation->entries->end; i++) {
		entry = ctx_prune_entry_at(conversation, i);
		if (!is_needed(entry))
			continue;
		if (before != NULL && before->last_line != 0 &&
		    entry->last_line != 0) {
			ctx_prune_join_file_lines(before, entry);
			marks[segment] = CTX_MARK_DROP;
		}
		before = entry;
		/* Sets the index "next" to the first segment (message or part
		 * of one) of the next entry. n_segments does not count segments
		 * that are marked for removal. */
		for (uint32_t left = entry->n_segments; left > 0; next++)
			left -= !(marks[next] & CTX_MARK_DROP);
		segment = next - 1;
	}
}

/* Frees the removed messages and their segments. */
static int
compact_conversation(struct held_conversation *conversation,
    struct ctx_err *err)
{
	join_lines(conversation);
	if (ctx_plan_compact(&conversation->plan, err) < 0)
		return -1;
	ctx_held_queue_filter(conversation->entries, is_needed);
	return 0;
}

/* Removes all messages that will be removed whatever messages come later.  Does
 * nothing if the number of bytes in memory has not doubled since this function
 * last removed messages. */
static int
prune_early(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err)
{
	const struct ctx_prune_settings *settings =
	    &conversation->plan.settings;

	/* With --reasoning=fail, a later message may forbid all changes, so
	 * nothing is removed before the end. */
	if (conversation->entries->bytes < conversation->compact_at ||
	    settings->strategy->needs_all ||
	    (settings->binds && settings->reasoning == CTX_REASONING_FAIL))
		return 0;
	if (ctx_plan_decide(&conversation->plan, false, err) < 0 ||
	    ctx_prune_apply_plan(run, conversation, false, err) < 0 ||
	    compact_conversation(conversation, err) < 0)
		return -1;
	conversation->format_known = true;
	conversation->compact_at = conversation->entries->bytes * 2;
	if (conversation->compact_at < FIRST_COMPACTION)
		conversation->compact_at = FIRST_COMPACTION;
	return 0;
}

static int
write_conversation(struct prune *run, struct ctx_err *err)
{
	struct held_conversation *conversation = &run->stream_conversation;

	for (size_t i = 0; i < conversation->entries->end; i++)
		if ((ctx_insertion_is_before(conversation,
			 ctx_prune_entry_at(conversation, i)) &&
			ctx_insertion_write_message(run, conversation, i, err) <
			    0) ||
		    ctx_prune_write_entry(run,
			ctx_prune_entry_at(conversation, i), err) < 0)
			return -1;
	return 0;
}

/* ---- records ---- */

/* Keeps a record that is not a message in memory, after the edits of the
 * conversations inside this record were made. */
static int
hold_unknown_record(struct prune *run, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct prune_entry *entry =
	    ctx_rewrite_hold_record(&run->rewrite, event, err);

	if (entry == NULL)
		return -1;
	entry->transcript_line = event->line;
	return ctx_prune_hold_unknown(run, &run->stream_conversation,
	    run->rewrite.lines.end - 1, err);
}

/* Appends a blank line to the bytes of the message before the blank line.  The
 * blank line is then kept or removed together with this message. */
static int
append_blank(struct prune *run, struct prune_entry *entry,
    const struct ctx_event *event, struct ctx_err *err)
{
	/* The blank line is now written with the message, so the transcript
	 * need not have it as a line of its own. */
	if (event->line != 0)
		ctx_transcript_remove(run->rewrite.stream->transcript,
		    event->line);
	return ctx_prune_load(run, entry, err) < 0
	    ? -1
	    : ctx_rewrite_append_text(&run->rewrite, &entry->held,
		  event->record->text, err);
}

/* Called at the end of a record that is not a message.  If earlier messages are
 * in memory, the record is also held in memory, because the output must have
 * the order of the input.  A line of a session file is always held, because its
 * parent line may be removed.  If the file can be read again, only the position
 * of such a line in the file is stored. */
static int
end_pruned_record(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct prune *run = user;
	struct held_conversation *conversation = &run->stream_conversation;
	struct prune_entry *last = conversation->entries->end == 0
	    ? NULL
	    : ctx_prune_entry_at(conversation, conversation->entries->end - 1);
	int rc;

	if (event->record->kind == CTX_RECORD_BLANK && last != NULL &&
	    last->held.dialect != NULL)
		rc = append_blank(run, last, event, err);
	else if (last == NULL && !conversation->open && event->line == 0)
		return 0;
	else if ((rc = ctx_prune_hold_file_line(run, event, err)) == 0)
		rc = hold_unknown_record(run, event, err);
	return rc < 0 ? -1 : 1;
}

/* If a new message identifies the dialect (format), parses all messages in
 * memory again in this dialect, and counts their tokens again.  Only counts
 * again if the dialect cannot change any more. */
static int
update_dialect(struct prune *run, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_record_layout *layout = event->layout;
	struct held_conversation *conversation = &run->stream_conversation;
	bool same = conversation->format_known ||
	    (!layout->decisive &&
		layout->dialect == conversation->read_dialect);

	if (same &&
	    conversation->counted_by == conversation->model_counter.counter)
		return 0;
	if (count_overhead(conversation, event, err) < 0)
		return -1;
	if (same)
		return ctx_prune_recount(run, conversation, err);
	conversation->format_known = layout->decisive;
	conversation->read_dialect = layout->dialect;
	return ctx_prune_reclassify(run, conversation, err);
}

/* Adds a message, which is a line of its own, to the messages in memory. */
static int
hold_line(struct prune *run, const struct ctx_event *event, struct ctx_err *err)
{
	struct prune_entry *entry;

	if (update_dialect(run, event, err) < 0)
		return -1;
	entry = ctx_held_queue_add(&run->rewrite.lines, event, err);
	if (entry == NULL)
		return -1;
	entry->transcript_line = event->line;
	if (!ctx_prune_hold_file_message(run, entry, event) &&
	    ctx_rewrite_hold(&run->rewrite, &entry->held, event, err) < 0)
		return -1;
	/* To write a summary, ctx needs the parsed form of all removed messages
	 * again.  So the parsed form is kept.  Other strategies need few
	 * messages again. */
	if (run->options->settings.strategy->summarizes &&
	    ctx_rewrite_keep_parse(&run->rewrite, &entry->held, event, err) < 0)
		return -1;
	if (ctx_prune_hold_message(run, &run->stream_conversation, entry, event,
		err) < 0)
		return -1;
	return prune_early(run, &run->stream_conversation, err);
}

/* Adds a message, which is an element of an array in a record, to the messages
 * in memory. */
static int
hold_element(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct prune *run = user;
	struct prune_entry *entry =
	    ctx_held_queue_add(&run->rewrite.elements, event, err);

	if (entry == NULL)
		return -1;
	if (event->kind == CTX_EVENT_UNKNOWN)
		return ctx_prune_hold_unknown(run, &run->record_conversation,
		    run->rewrite.elements.end - 1, err);
	return ctx_prune_hold_message(run, &run->record_conversation, entry,
	    event, err);
}

/* Adds edits to run->rewrite.edits that remove messages from the JSON array of
 * their conversation. */
static int
drop_elements(struct prune *run, uint32_t array, struct ctx_err *err)
{
	struct held_conversation *conversation = &run->record_conversation;
	bool *drop;
	int rc;

	if (conversation->n_removed == 0)
		return 0;
	drop = calloc(conversation->entries->end, sizeof *drop);
	if (drop == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < conversation->entries->end; i++)
		drop[i] = ctx_prune_entry_at(conversation, i)->is_removed;
	rc = ctx_edits_remove(&run->rewrite.edits, run->rewrite.record->json,
	    array, drop, err);
	free(drop);
	return rc;
}

/* In some dialects each message has a number.  Adds edits that change these
 * numbers, so that the kept messages are numbered from 1. */
static int
renumber_messages(struct prune *run, struct ctx_err *err)
{
	const struct held_conversation *conversation =
	    &run->record_conversation;
	const struct prune_entry *entry;
	uint64_t number = 0;
	uint32_t node;
	char text[24];
	int n;

	for (size_t i = 0;
	     conversation->n_removed > 0 && i < conversation->entries->end;
	     i++) {
		entry = ctx_prune_entry_at(conversation, i);
		if (entry->is_removed || entry->held.dialect == NULL ||
		    entry->held.dialect->ordinal == NULL)
			continue;
		node = ctx_json_find(run->rewrite.record->json,
		    entry->held.node, entry->held.dialect->ordinal);
		n = snprintf(text, sizeof text, "%" PRIu64, ++number);
		if (node != 0 &&
		    run->rewrite.record->json->nodes[node].kind ==
			CTX_JSON_NUMBER &&
		    ctx_edits_replace(&run->rewrite.edits,
			ctx_json_str(run->rewrite.record->json, node), text,
			(size_t)n, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds edits to run->rewrite.edits that insert summaries and notices (texts
 * about removed messages), as separate messages, into the JSON array of a
 * conversation. */
static int
insert_messages(struct prune *run, struct ctx_err *err)
{
	struct held_conversation *conversation = &run->record_conversation;

	for (size_t i = 0; i < conversation->entries->end; i++)
		if (ctx_insertion_is_before(conversation,
			ctx_prune_entry_at(conversation, i)) &&
		    ctx_insertion_insert_message(run, conversation,
			ctx_prune_entry_at(conversation, i), err) < 0)
			return -1;
	return 0;
}

/* Decides what is removed from a conversation that is contained in a record,
 * and adds the edits for this to run->rewrite.edits. */
static int
end_pruned_conversation(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct prune *run = user;

	if (ctx_prune_finish_conversation(run, &run->record_conversation, err) <
		0 ||
	    drop_elements(run, event->layout->messages, err) < 0 ||
	    renumber_messages(run, err) < 0 || insert_messages(run, err) < 0)
		return -1;
	ctx_held_conversation_clear(&run->record_conversation);
	return 0;
}

static int
hold_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	return event->inside ? hold_element(user, event, err)
			     : hold_line(user, event, err);
}

static int
end_pruned_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	struct prune *run = user;

	if (how != CTX_END_COMPLETE)
		return 0;
	if (run->stream_conversation.open &&
	    ctx_prune_finish_conversation(run, &run->stream_conversation, err) <
		0)
		return -1;
	return write_conversation(run, err);
}

static void
release_prune_entry(void *entry)
{
	struct prune_entry *released = entry;

	free(released->excluded_results);
	free(released->pending);
}

int
ctx_prune_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_config *options,
    struct ctx_err *err)
{
	static const struct ctx_held_queue entries = {
	    .entry_size = sizeof(struct prune_entry),
	    .release = release_prune_entry,
	};
	static const struct ctx_rewrite_command command = {
	    .entries = &entries,
	    .begin = begin_pruning,
	    .message = hold_message,
	    .unknown = hold_element,
	    .end = end_pruned_conversation,
	    .record = end_pruned_record,
	    .finish = end_pruned_stream,
	};
	struct prune run = {.rewrite = {.stream = stream,
				.writer = writer,
				.report = &options->report,
				.counters = counters,
				.line_counter =
				    &run.stream_conversation.model_counter},
	    .stream_conversation.entries = &run.rewrite.lines,
	    .record_conversation.entries = &run.rewrite.elements,
	    .counters = counters,
	    .options = options};
	int rc = -1;

	stream->track_links = true;
	stream->looks_ahead = ctx_model_counters_ask_dialect(counters);
	ctx_rewrite_init(&run.rewrite, counters->simd);
	if (ctx_groups_init(&run.stream_conversation.groups, err) == 0 &&
	    ctx_groups_init(&run.record_conversation.groups, err) == 0 &&
	    check_settings(&run, err) == 0)
		rc = ctx_rewrite_run(&run.rewrite, &command, &run, err);
	ctx_rewrite_release(&run.rewrite);
	ctx_held_conversation_release(&run.stream_conversation);
	ctx_held_conversation_release(&run.record_conversation);
	ctx_edits_release(&run.message_edits);
	ctx_text_segments_release(&run.text_segments);
	ctx_shorten_release(&run.shortener);
	ctx_buf_release(&run.text);
	ctx_buf_release(&run.literal);
	ctx_buf_release(&run.composed);
	return rc;
}
