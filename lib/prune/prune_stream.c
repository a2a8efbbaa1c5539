/*
 * prune_stream.c - the event loop of ctx-prune
 *
 * Holds the messages of the stream until their conversation ends.  Whenever the
 * held bytes have doubled, frees the messages that must be removed whatever
 * follows.  Decides a conversation inside a record at the end of that record.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "truncate/text_segments.h"

/* Held bytes at which removable messages are first sought. */
#define FIRST_COMPACTION (256u << 10)

/* ---- reading ---- */

/* Finds the model and the settings of a conversation that begins. */
static int
begin_pruning(struct prune *p, struct held_conversation *conversation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_request_overhead overhead;
	struct ctx_prune_settings settings;

	conversation->open = true;
	conversation->read_dialect = event->layout->dialect;
	conversation->is_response = event->layout->is_response;
	conversation->groups.has_remote_state |=
	    event->layout->has_remote_state;
	conversation->file = event->record->file;
	conversation->line = event->inside ? event->record->line : 0;
	if (ctx_stream_measure(p->stream, event, p->counters,
		&conversation->model_counter, err) < 0 ||
	    ctx_prune_settings_for(p->options,
		conversation->model_counter.model, &settings, err) < 0 ||
	    ctx_count_request_overhead(conversation->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	if (conversation->scorer == NULL &&
	    ctx_scorer_open(&conversation->scorer, settings.strategy,
		&p->options->scorer, err) < 0)
		return -1;
	settings.binds = ctx_model_binds(conversation->model_counter.model,
	    conversation->model_counter.name);
	ctx_plan_reset(&conversation->plan, &settings);
	conversation->plan.fixed = overhead.tokens;
	conversation->plan.tools = overhead.tools;
	conversation->plan.system = overhead.system;
	conversation->compact_at = FIRST_COMPACTION;
	return 0;
}

/* ---- freeing messages early ---- */

/* Frees the messages that were removed, and their segments. */
static int
compact_conversation(struct held_conversation *conversation,
    struct ctx_err *err)
{
	size_t kept = 0, i;

	if (ctx_plan_compact(&conversation->plan, &conversation->groups, err) <
	    0)
		return -1;
	for (i = 0; i < conversation->n; i++) {
		struct held_message *held = &conversation->messages[i];

		if (held->n_segments > 0 ||
		    (held->pending != NULL && !held->pending->done))
			conversation->messages[kept++] = *held;
		else
			free(held->pending);
	}
	conversation->n = kept;
	return 0;
}

/* Removes the messages that must be removed whatever follows, if the held bytes
 * have doubled since the last time. */
static int
prune_early(struct prune *p, struct held_conversation *conversation,
    struct ctx_err *err)
{
	const struct ctx_prune_settings *settings =
	    &conversation->plan.settings;

	/* With --reasoning fail a later message may forbid every change. */
	if (conversation->bytes < conversation->compact_at ||
	    settings->strategy->needs_all ||
	    (settings->binds && settings->reasoning == CTX_REASONING_FAIL))
		return 0;
	if (ctx_plan_decide(&conversation->plan, &conversation->groups, false,
		err) < 0 ||
	    ctx_prune_apply_plan(p, conversation, false, err) < 0 ||
	    compact_conversation(conversation, err) < 0)
		return -1;
	conversation->format_known = true;
	conversation->compact_at = conversation->bytes * 2;
	if (conversation->compact_at < FIRST_COMPACTION)
		conversation->compact_at = FIRST_COMPACTION;
	return 0;
}

static int
write_held_message(struct prune *p, struct held_message *held,
    struct ctx_err *err)
{
	if (held->is_removed)
		return 0;
	if (held->transcript_line != 0 &&
	    ctx_transcript_is_removed(p->stream->transcript,
		held->transcript_line))
		return 0;
	if (ctx_writer_put(p->writer, held->text, held->n, err) < 0)
		return -1;
	return ctx_writer_end_record(p->writer, err);
}

static int
write_conversation(struct prune *p, struct ctx_err *err)
{
	struct held_conversation *conversation = &p->stream_conversation;
	size_t i;

	for (i = 0; i < conversation->n && !p->options->report.dry_run; i++)
		if ((ctx_insertion_is_before(conversation,
			 &conversation->messages[i]) &&
			ctx_insertion_write_message(p, conversation, i, err) <
			    0) ||
		    write_held_message(p, &conversation->messages[i], err) < 0)
			return -1;
	if (ctx_writer_flush(p->writer, err) < 0)
		return -1;
	ctx_held_conversation_clear(conversation);
	return 0;
}

/* ---- records ---- */

/* Holds n bytes of text in place of the event's record.  Takes ownership of
 * text and frees it on error.  Returns NULL with *err. */
static struct held_message *
hold_text(struct prune *p, const struct ctx_event *event, char *text, size_t n,
    struct ctx_err *err)
{
	struct held_message *held =
	    ctx_held_conversation_add(&p->stream_conversation, err);

	if (held == NULL) {
		free(text);
		return NULL;
	}
	held->text = text;
	held->n = n;
	held->transcript_line = event->line;
	held->file = event->record->file;
	held->record_line = event->record->line;
	p->stream_conversation.bytes += n;
	return held;
}

/* Holds a copy of the event's record.  Returns NULL with *err. */
static struct held_message *
hold_record(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	char *text = ctx_stream_keep(p->stream, event, err);

	return text == NULL
	    ? NULL
	    : hold_text(p, event, text, event->record->text.n, err);
}

/* Writes a record that is not a message.  Holds it instead if held messages
 * come before it, or if it is a line of a transcript, whose parent may be
 * removed. */
static int
pass_in_place(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct held_message *held;

	if (p->stream_conversation.open || event->line != 0) {
		held = hold_record(p, event, err);
		return held == NULL
		    ? -1
		    : ctx_prune_hold_unknown(&p->stream_conversation, held,
			  err);
	}
	if (p->options->report.dry_run)
		return 0;
	if (ctx_writer_put(p->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(p->writer, err);
}

/* Writes or holds, like pass_in_place, the record after p->edits. */
static int
pass_edited(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct held_message *held;
	size_t n;
	char *text = ctx_prune_apply_edits(p, event->record->text, &n, err);
	int rc = 0;

	if (text == NULL)
		return -1;
	if (p->stream_conversation.open || event->line != 0) {
		held = hold_text(p, event, text, n, err);
		return held == NULL
		    ? -1
		    : ctx_prune_hold_unknown(&p->stream_conversation, held,
			  err);
	}
	if (!p->options->report.dry_run &&
	    (ctx_writer_copy(p->writer, text, n, err) < 0 ||
		ctx_writer_end_record(p->writer, err) < 0))
		rc = -1;
	free(text);
	return rc;
}

/* Appends a blank line to the last held record, with which it is kept or
 * removed. */
static int
append_blank(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_record *record = event->record;
	struct held_conversation *conversation = &p->stream_conversation;
	struct held_message *last;
	char *grown;

	if (conversation->n == 0)
		return pass_in_place(p, event, err);
	last = &conversation->messages[conversation->n - 1];
	grown = realloc(last->text, last->n + record->text.n);
	if (grown == NULL)
		return ctx_err_nomem(err);
	memcpy(grown + last->n, record->text.p, record->text.n);
	last->text = grown;
	last->n += record->text.n;
	conversation->bytes += record->text.n;
	return 0;
}

/* If the new message identifies the dialect, reads all held messages again by
 * that dialect. */
static int
update_dialect(struct prune *p, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	struct held_conversation *conversation = &p->stream_conversation;

	if (conversation->format_known ||
	    (!layout->decisive &&
		layout->dialect == conversation->read_dialect))
		return 0;
	conversation->format_known = layout->decisive;
	conversation->read_dialect = layout->dialect;
	return ctx_prune_reclassify(p, conversation, layout->dialect, err);
}

/* Holds a message of the stream. */
static int
hold_line(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct held_message *held;

	if (!p->stream_conversation.open &&
	    begin_pruning(p, &p->stream_conversation, event, err) < 0)
		return -1;
	if (update_dialect(p, event->layout, err) < 0)
		return -1;
	held = hold_record(p, event, err);
	if (held == NULL)
		return -1;
	held->dialect = event->layout->dialect;
	if (ctx_prune_hold_message(p, &p->stream_conversation, held, event,
		err) < 0)
		return -1;
	return prune_early(p, &p->stream_conversation, err);
}

/* Holds an element of a conversation inside a record. */
static int
hold_element(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct held_message *held =
	    ctx_held_conversation_add(&p->record_conversation, err);

	if (held == NULL)
		return -1;
	held->node = event->node;
	held->dialect = event->layout->dialect;
	held->file = event->record->file;
	held->record_line = event->record->line;
	if (event->kind == CTX_EVENT_UNKNOWN)
		return ctx_prune_hold_unknown(&p->record_conversation, held,
		    err);
	return ctx_prune_hold_message(p, &p->record_conversation, held, event,
	    err);
}

/* Adds the edits that remove elements from their array to p->edits. */
static int
drop_elements(struct prune *p, uint32_t array, struct ctx_err *err)
{
	struct held_conversation *conversation = &p->record_conversation;
	bool *drop;
	size_t i;
	int rc;

	if (conversation->n_removed == 0)
		return 0;
	drop = calloc(conversation->n, sizeof *drop);
	if (drop == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < conversation->n; i++)
		drop[i] = conversation->messages[i].is_removed;
	rc = ctx_edits_remove(&p->edits, p->source, array, drop, err);
	free(drop);
	return rc;
}

/* Numbers the remaining messages from 1 if the dialect numbers its messages. */
static int
renumber_messages(struct prune *p, struct ctx_err *err)
{
	const struct held_conversation *conversation = &p->record_conversation;
	const struct held_message *held;
	uint64_t number = 0;
	uint32_t node;
	char text[24];
	size_t i;
	int n;

	for (i = 0; conversation->n_removed > 0 && i < conversation->n; i++) {
		held = &conversation->messages[i];
		if (held->is_removed || held->dialect == NULL ||
		    held->dialect->ordinal == NULL)
			continue;
		node = ctx_json_find(p->source, held->node,
		    held->dialect->ordinal);
		n = snprintf(text, sizeof text, "%" PRIu64, ++number);
		if (node != 0 &&
		    p->source->nodes[node].kind == CTX_JSON_NUMBER &&
		    ctx_edits_replace(&p->edits, ctx_json_str(p->source, node),
			text, (size_t)n, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the edits that insert messages into their array to p->edits. */
static int
insert_messages(struct prune *p, struct ctx_err *err)
{
	struct held_conversation *conversation = &p->record_conversation;
	size_t i;

	for (i = 0; conversation->n_insertions > 0 && i < conversation->n; i++)
		if (ctx_insertion_is_before(conversation,
			&conversation->messages[i]) &&
		    ctx_insertion_insert_message(p, conversation,
			&conversation->messages[i], err) < 0)
			return -1;
	return 0;
}

/* Decides a conversation inside a record and adds the edits to p->edits. */
static int
end_pruned_record(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	p->source = event->record->json;
	if (ctx_prune_finish_conversation(p, &p->record_conversation, err) <
		0 ||
	    drop_elements(p, event->layout->messages, err) < 0 ||
	    renumber_messages(p, err) < 0 || insert_messages(p, err) < 0)
		return -1;
	ctx_held_conversation_clear(&p->record_conversation);
	return 0;
}

/* Writes or holds a record that is not a message, with the edits of the
 * conversations in it. */
static int
pass_unpruned(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	if (event->record->kind == CTX_RECORD_BLANK)
		return append_blank(p, event, err);
	return p->edits.n == 0 ? pass_in_place(p, event, err)
			       : pass_edited(p, event, err);
}

static int
prune_event(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin_pruning(p, &p->record_conversation, event, err);
	case CTX_EVENT_UNKNOWN:
		return hold_element(p, event, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? hold_element(p, event, err)
				     : hold_line(p, event, err);
	case CTX_EVENT_END:
		return end_pruned_record(p, event, err);
	case CTX_EVENT_RECORD:
		break;
	}
	/* It was held at CTX_EVENT_MESSAGE. */
	if (event->layout->kind == CTX_LAYOUT_MESSAGE)
		return 0;
	return pass_unpruned(p, event, err);
}

static int
prune_all(struct prune *p, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(p->stream, &event, err)) > 0)
		if (prune_event(p, &event, err) < 0) {
			rc = ctx_stream_fail(p->stream, err);
			break;
		}
	/* Write the complete records that came before the error. */
	if (rc < 0) {
		(void)ctx_writer_flush(p->writer, &late);
		return -1;
	}
	if (p->stream_conversation.open &&
	    ctx_prune_finish_conversation(p, &p->stream_conversation, err) < 0)
		return -1;
	return write_conversation(p, err);
}

int
ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_prune_options *options,
    struct ctx_err *err)
{
	struct prune p = {0};
	int rc = -1;

	p.stream = stream;
	p.writer = writer;
	p.counters = counters;
	p.options = options;
	stream->track_links = true;
	ctx_json_init(&p.json, counters->simd);
	if (ctx_groups_init(&p.stream_conversation.groups, err) == 0 &&
	    ctx_groups_init(&p.record_conversation.groups, err) == 0)
		rc = prune_all(&p, err);
	ctx_held_conversation_release(&p.stream_conversation);
	ctx_held_conversation_release(&p.record_conversation);
	ctx_message_release(&p.message);
	ctx_json_release(&p.json);
	ctx_edits_release(&p.edits);
	ctx_edits_release(&p.message_edits);
	ctx_text_segments_release(&p.text_segments);
	ctx_shorten_release(&p.shortener);
	ctx_buf_release(&p.composed);
	ctx_buf_release(&p.text);
	ctx_buf_release(&p.literal);
	ctx_buf_release(&p.edited_message);
	return rc;
}
