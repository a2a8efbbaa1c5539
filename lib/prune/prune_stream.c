/*
 * prune_stream.c - fit the budget
 *
 * Messages of the stream are held until the conversation ends; now and then,
 * when their bytes have doubled, what can no longer be kept is let go.  A
 * record that holds a conversation is decided at once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "truncate/text_segments.h"

/* Bytes held before the first look. */
#define FIRST_LOOK (256u << 10)

/* ---- reading ---- */

/* The model and the limits of a conversation that begins. */
static int
begin(struct prune *p, struct held_conversation *convo,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_request_overhead beside;
	struct ctx_prune_settings limits;

	convo->open = true;
	convo->adopted = event->shape->dialect;
	convo->answers = event->shape->answers;
	convo->groups.elsewhere |= event->shape->elsewhere;
	convo->file = event->record->file;
	convo->line = event->inside ? event->record->line : 0;
	if (ctx_stream_measure(p->stream, event, p->meter, &convo->measure,
		err) < 0 ||
	    ctx_prune_settings_for(p->options, convo->measure.model, &limits,
		err) < 0 ||
	    ctx_count_request_overhead(convo->measure.counter,
		event->record->json, event->shape, &beside, err) < 0)
		return -1;
	if (convo->scorer == NULL &&
	    ctx_scorer_open(&convo->scorer, limits.policy, &p->options->scorer,
		err) < 0)
		return -1;
	limits.binds =
	    ctx_model_binds(convo->measure.model, convo->measure.name);
	ctx_plan_reset(&convo->plan, &limits);
	convo->plan.fixed = beside.tokens;
	convo->plan.tools = beside.tools;
	convo->plan.system = beside.system;
	convo->look_at = FIRST_LOOK;
	return 0;
}

/* ---- letting go ---- */

/* Forgets the entries and items that have gone. */
static int
compact(struct held_conversation *convo, struct ctx_err *err)
{
	size_t kept = 0, i;

	if (ctx_plan_compact(&convo->plan, &convo->groups, err) < 0)
		return -1;
	for (i = 0; i < convo->n; i++) {
		struct held_message *entry = &convo->entries[i];

		if (entry->items > 0 ||
		    (entry->told != NULL && !entry->told->done))
			convo->entries[kept++] = *entry;
		else
			free(entry->told);
	}
	convo->n = kept;
	return 0;
}

/* Lets go what can no longer be kept, whenever the bytes have doubled. */
static int
look(struct prune *p, struct held_conversation *convo, struct ctx_err *err)
{
	const struct ctx_prune_settings *limits = &convo->plan.limits;

	/* A message further on may forbid every change. */
	if (convo->bytes < convo->look_at || limits->policy->whole ||
	    (limits->binds && limits->reasoning == CTX_REASONING_FAIL))
		return 0;
	if (ctx_plan_decide(&convo->plan, &convo->groups, false, err) < 0 ||
	    ctx_prune_apply_plan(p, convo, false, err) < 0 ||
	    compact(convo, err) < 0)
		return -1;
	convo->told = true;
	convo->look_at = convo->bytes * 2;
	if (convo->look_at < FIRST_LOOK)
		convo->look_at = FIRST_LOOK;
	return 0;
}

/* ---- the end of a conversation ---- */

/* Does a note stand before the entry as a message? */
static bool
has_note(const struct held_conversation *convo,
    const struct held_message *entry)
{
	return entry->note != 0 && !ctx_insertion_is_part(convo, entry);
}

/* How many messages of ours were put in. */
static uint64_t
messages_put(const struct held_conversation *convo)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; convo->n_notes > 0 && i < convo->n; i++)
		n += has_note(convo, &convo->entries[i]);
	return n;
}

static int
report(struct prune *p, struct held_conversation *convo,
    const struct ctx_err *trouble, bool refused, struct ctx_err *err)
{
	struct ctx_prune_outcome outcome = {0};

	if (p->options->ended == NULL)
		return 0;
	outcome.file = convo->file;
	outcome.line = convo->line;
	outcome.before = convo->groups.tokens + convo->plan.fixed;
	outcome.after = convo->plan.after;
	outcome.messages = convo->groups.messages;
	outcome.gone = convo->gone;
	outcome.left = outcome.messages - outcome.gone + messages_put(convo);
	if (outcome.gone > 0)
		outcome.unnoted = convo->unnoted;
	outcome.limits = &convo->plan.limits;
	outcome.plan = &convo->plan;
	outcome.over = outcome.after > outcome.limits->budget;
	outcome.bound = trouble == NULL &&
	    ctx_plan_leaves_bound(&convo->plan, &convo->groups);
	outcome.refused = refused;
	outcome.trouble = trouble;
	return p->options->ended(p->options->user, &outcome, err);
}

/* Ranks the items, if the conversation has passed its trigger at all. */
static int
rank(struct held_conversation *convo, struct ctx_err *err)
{
	if (!ctx_plan_due(&convo->plan, &convo->groups))
		return 0;
	return ctx_scorer_rank(convo->scorer, &convo->groups, err);
}

/* Takes all marks and insertions back. */
static void
change_nothing(struct held_conversation *convo)
{
	size_t i;

	memset(convo->plan.marks, 0, convo->groups.n);
	convo->plan.bound_from = UINT64_MAX;
	for (i = 0; convo->n_notes > 0 && i < convo->n; i++)
		convo->entries[i].note = 0;
	convo->n_notes = 0;
	ctx_plan_total(&convo->plan, &convo->groups);
}

/* A message or a part that is inserted is a change of what comes after it. */
static void
bind_notes(struct held_conversation *convo)
{
	size_t i, item = 0;

	for (i = 0; convo->n_notes > 0 && i < convo->n;
	     item += convo->entries[i].items, i++)
		if (convo->entries[i].note != 0) {
			ctx_plan_bind(&convo->plan, &convo->groups,
			    convo->groups.items[item].message);
			return;
		}
}

static int
conclude(struct prune *p, struct held_conversation *convo, struct ctx_err *err)
{
	struct ctx_err trouble;
	bool failed = false, refused;

	if (convo->scorer != NULL && rank(convo, &trouble) < 0) {
		if (trouble.code == CTX_ENOMEM) {
			*err = trouble;
			return -1;
		}
		failed = true;
	}
	if (ctx_plan_decide(&convo->plan, &convo->groups, true, err) < 0)
		return -1;
	if (convo->plan.limits.policy->summarizes) {
		failed = ctx_prune_summarize(p, convo, &trouble) < 0;
		if (failed && trouble.code == CTX_ENOMEM) {
			*err = trouble;
			return -1;
		}
	}
	bind_notes(convo); /* the summary may stand before the first drop */
	refused = !failed &&
	    convo->plan.limits.reasoning == CTX_REASONING_FAIL &&
	    ctx_plan_leaves_bound(&convo->plan, &convo->groups);
	if (failed || refused)
		change_nothing(convo);
	else if (ctx_insertions_add_notices(p, convo, err) < 0)
		return -1;
	bind_notes(convo);
	if (ctx_prune_apply_plan(p, convo, true, err) < 0 ||
	    ctx_prune_relink(p, convo, err) < 0)
		return -1;
	if (ctx_report_sync(&p->options->report, err) < 0)
		return -1;
	return report(p, convo, failed ? &trouble : NULL, refused, err);
}

static int
write_entry(struct prune *p, struct held_message *entry, struct ctx_err *err)
{
	if (entry->gone)
		return 0;
	if (entry->line != 0 &&
	    ctx_transcript_is_removed(p->stream->live, entry->line))
		return 0;
	if (ctx_writer_put(p->writer, entry->text, entry->n, err) < 0)
		return -1;
	return ctx_writer_end_record(p->writer, err);
}

static int
write_lines(struct prune *p, struct ctx_err *err)
{
	struct held_conversation *convo = &p->lines;
	size_t i;

	for (i = 0; i < convo->n && !p->options->report.dry_run; i++)
		if ((has_note(convo, &convo->entries[i]) &&
			ctx_insertion_write(p, convo, i, err) < 0) ||
		    write_entry(p, &convo->entries[i], err) < 0)
			return -1;
	if (ctx_writer_flush(p->writer, err) < 0)
		return -1;
	ctx_held_conversation_clear(convo);
	return 0;
}

/* ---- records ---- */

/* Takes n bytes of text among the held records, in place of an event's; they
 * are freed at an error, too. */
static struct held_message *
hold(struct prune *p, const struct ctx_event *event, char *text, size_t n,
    struct ctx_err *err)
{
	struct held_message *entry =
	    ctx_held_conversation_entry(&p->lines, err);

	if (entry == NULL) {
		free(text);
		return NULL;
	}
	entry->text = text;
	entry->n = n;
	entry->line = event->line;
	entry->file = event->record->file;
	entry->number = event->record->line;
	p->lines.bytes += n;
	return entry;
}

/* The same, of the record itself. */
static struct held_message *
hold_record(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	char *text = ctx_stream_keep(p->stream, event, err);

	return text == NULL ? NULL
			    : hold(p, event, text, event->record->text.n, err);
}

/* Passes on what is no message of the stream, in its place.  A line of a
 * transcript is held, because it may name one that goes. */
static int
pass(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct held_message *entry;

	if (p->lines.open || event->line != 0) {
		entry = hold_record(p, event, err);
		return entry == NULL
		    ? -1
		    : ctx_prune_hold_unknown(&p->lines, entry, err);
	}
	if (p->options->report.dry_run)
		return 0;
	if (ctx_writer_put(p->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(p->writer, err);
}

/* The same of what its edits, in p->edits, make of it. */
static int
pass_edited(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct held_message *entry;
	size_t n;
	char *text = ctx_prune_apply_edits(p, event->record->text, &n, err);
	int rc = 0;

	if (text == NULL)
		return -1;
	if (p->lines.open || event->line != 0) {
		entry = hold(p, event, text, n, err);
		return entry == NULL
		    ? -1
		    : ctx_prune_hold_unknown(&p->lines, entry, err);
	}
	if (!p->options->report.dry_run &&
	    (ctx_writer_copy(p->writer, text, n, err) < 0 ||
		ctx_writer_end_record(p->writer, err) < 0))
		rc = -1;
	free(text);
	return rc;
}

/* White space goes with the record before it. */
static int
add_blank(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_record *record = event->record;
	struct held_conversation *convo = &p->lines;
	struct held_message *last;
	char *grown;

	if (convo->n == 0)
		return pass(p, event, err);
	last = &convo->entries[convo->n - 1];
	grown = realloc(last->text, last->n + record->text.n);
	if (grown == NULL)
		return ctx_err_nomem(err);
	memcpy(grown + last->n, record->text.p, record->text.n);
	last->text = grown;
	last->n += record->text.n;
	convo->bytes += record->text.n;
	return 0;
}

/* Has what is held read by the dialect of a further message, as long as none
 * has settled it. */
static int
adopt(struct prune *p, const struct ctx_record_layout *shape,
    struct ctx_err *err)
{
	struct held_conversation *convo = &p->lines;

	if (convo->told ||
	    (!shape->decisive && shape->dialect == convo->adopted))
		return 0;
	convo->told = shape->decisive;
	convo->adopted = shape->dialect;
	return ctx_prune_reclassify(p, convo, shape->dialect, err);
}

/* A message of the stream. */
static int
add_line(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct held_message *entry;

	if (!p->lines.open && begin(p, &p->lines, event, err) < 0)
		return -1;
	if (adopt(p, event->shape, err) < 0)
		return -1;
	entry = hold_record(p, event, err);
	if (entry == NULL)
		return -1;
	entry->dialect = event->shape->dialect;
	if (ctx_prune_hold_message(p, &p->lines, entry, event, err) < 0)
		return -1;
	return look(p, &p->lines, err);
}

/* An element of a record's conversation. */
static int
add_element(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct held_message *entry =
	    ctx_held_conversation_entry(&p->record, err);

	if (entry == NULL)
		return -1;
	entry->node = event->node;
	entry->dialect = event->shape->dialect;
	entry->file = event->record->file;
	entry->number = event->record->line;
	if (event->kind == CTX_EVENT_UNKNOWN)
		return ctx_prune_hold_unknown(&p->record, entry, err);
	return ctx_prune_hold_message(p, &p->record, entry, event, err);
}

/* Notes which elements of the array go. */
static int
drop_elements(struct prune *p, uint32_t array, struct ctx_err *err)
{
	struct held_conversation *convo = &p->record;
	bool *drop;
	size_t i;
	int rc;

	if (convo->gone == 0)
		return 0;
	drop = calloc(convo->n, sizeof *drop);
	if (drop == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < convo->n; i++)
		drop[i] = convo->entries[i].gone;
	rc = ctx_edits_remove(&p->edits, p->source, array, drop, err);
	free(drop);
	return rc;
}

/* Numbers the messages that are left from 1, where their dialect numbers
 * them. */
static int
renumber(struct prune *p, struct ctx_err *err)
{
	const struct held_conversation *convo = &p->record;
	const struct held_message *entry;
	uint64_t number = 0;
	uint32_t node;
	char text[24];
	size_t i;
	int n;

	for (i = 0; convo->gone > 0 && i < convo->n; i++) {
		entry = &convo->entries[i];
		if (entry->gone || entry->dialect == NULL ||
		    entry->dialect->ordinal == NULL)
			continue;
		node = ctx_json_find(p->source, entry->node,
		    entry->dialect->ordinal);
		n = snprintf(text, sizeof text, "%" PRIu64, ++number);
		if (node != 0 &&
		    p->source->nodes[node].kind == CTX_JSON_NUMBER &&
		    ctx_edits_replace(&p->edits, ctx_json_str(p->source, node),
			text, (size_t)n, err) < 0)
			return -1;
	}
	return 0;
}

/* Notes that our messages go in. */
static int
insert_notes(struct prune *p, struct ctx_err *err)
{
	struct held_conversation *convo = &p->record;
	size_t i;

	for (i = 0; convo->n_notes > 0 && i < convo->n; i++)
		if (has_note(convo, &convo->entries[i]) &&
		    ctx_insertion_insert(p, convo, &convo->entries[i], err) < 0)
			return -1;
	return 0;
}

/* Decides a record's conversation; its edits wait for the record's end. */
static int
end_record(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	p->source = event->record->json;
	if (conclude(p, &p->record, err) < 0 ||
	    drop_elements(p, event->shape->messages, err) < 0 ||
	    renumber(p, err) < 0 || insert_notes(p, err) < 0)
		return -1;
	ctx_held_conversation_clear(&p->record);
	return 0;
}

/* A record that was no message of the stream is over. */
static int
pass_record(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	if (event->record->kind == CTX_RECORD_BLANK)
		return add_blank(p, event, err);
	return p->edits.n == 0 ? pass(p, event, err)
			       : pass_edited(p, event, err);
}

static int
one_event(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin(p, &p->record, event, err);
	case CTX_EVENT_UNKNOWN:
		return add_element(p, event, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? add_element(p, event, err)
				     : add_line(p, event, err);
	case CTX_EVENT_END:
		return end_record(p, event, err);
	case CTX_EVENT_RECORD:
		break;
	}
	/* A message of the stream is held already. */
	if (event->shape->kind == CTX_LAYOUT_MESSAGE)
		return 0;
	return pass_record(p, event, err);
}

static int
run(struct prune *p, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(p->stream, &event, err)) > 0)
		if (one_event(p, &event, err) < 0) {
			rc = ctx_stream_fail(p->stream, err);
			break;
		}
	/* The records before an error are complete. */
	if (rc < 0) {
		(void)ctx_writer_flush(p->writer, &late);
		return -1;
	}
	if (p->lines.open && conclude(p, &p->lines, err) < 0)
		return -1;
	return write_lines(p, err);
}

int
ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *meter, struct ctx_prune_options *options,
    struct ctx_err *err)
{
	struct prune p = {0};
	int rc = -1;

	p.stream = stream;
	p.writer = writer;
	p.meter = meter;
	p.options = options;
	stream->linked = true;
	ctx_json_init(&p.json, meter->simd);
	if (ctx_groups_init(&p.lines.groups, err) == 0 &&
	    ctx_groups_init(&p.record.groups, err) == 0)
		rc = run(&p, err);
	ctx_held_conversation_release(&p.lines);
	ctx_held_conversation_release(&p.record);
	ctx_message_release(&p.view);
	ctx_json_release(&p.json);
	ctx_edits_release(&p.edits);
	ctx_edits_release(&p.one);
	ctx_text_segments_release(&p.pieces);
	ctx_shorten_release(&p.cut);
	ctx_buf_release(&p.out);
	ctx_buf_release(&p.text);
	ctx_buf_release(&p.literal);
	ctx_buf_release(&p.message);
	return rc;
}
