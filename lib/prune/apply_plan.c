/*
 * apply_plan.c - what a plan means for the messages that are held
 *
 * What is removed is archived and reported first.  A line is changed at once,
 * the edits of an element wait for its record.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "stream/change_report.h"

static struct ctx_str
get_message_bytes(const struct prune *p, const struct held_message *held)
{
	if (held->text == NULL)
		return ctx_json_str(p->source, held->node);
	return (struct ctx_str){held->text, held->n};
}

/* ---- reports ---- */

/* Why the segments of an entry, from first on, are edited. */
static const char *
find_edit_rule(const struct held_conversation *conversation, size_t first,
    unsigned marks)
{
	static const struct {
		unsigned marks;
		const char *rule;
	} rules[] = {
	    {CTX_MARK_STRIP, "reasoning"},
	    {CTX_MARK_CLEAR, "bodies"},
	    {CTX_MARK_STRIP | CTX_MARK_CLEAR, "reasoning and bodies"},
	    {CTX_MARK_HEAD_TAIL, "ends"},
	    {CTX_MARK_STRIP | CTX_MARK_HEAD_TAIL, "reasoning and ends"},
	    {CTX_MARK_FOLD, "earlier note"},
	};
	const struct ctx_segment *segment =
	    &conversation->groups.segments[first];
	size_t i;

	if (marks == CTX_MARK_STRIP &&
	    segment->message >= conversation->plan.bound_from)
		return "bound reasoning";
	for (i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (rules[i].marks == marks)
			return rules[i].rule;
	return "several";
}

/* Why a segment goes: its strategy, or the strategy's word for its rank. */
static const char *
find_drop_rule(const struct held_conversation *conversation,
    const struct ctx_segment *segment)
{
	const struct ctx_strategy *strategy =
	    conversation->plan.settings.strategy;

	if (segment->flags & CTX_SEGMENT_NOTICE)
		return "earlier note";
	return strategy->reasons != NULL
	    ? strategy->reasons[(size_t)segment->rank]
	    : strategy->name;
}

static const char *
find_insertion_rule(const struct insertion *insertion)
{
	return insertion->summary ? "summary" : "notice";
}

/*
 * Sums up the segments of an entry, from first on.  What two of them share
 * counts once.  Sets the rule if one of them is dropped.
 */
static void
describe_change(const struct held_conversation *conversation,
    const struct held_message *held, size_t first, struct ctx_change *change)
{
	const unsigned char *marks = conversation->plan.marks;
	size_t i, end = first + held->items;

	change->before = change->after = 0;
	for (i = first; i < end; i++) {
		const struct ctx_segment *segment =
		    &conversation->groups.segments[i];
		uint64_t shared = i + 1 < end ? segment->shared_tokens : 0;

		change->before += segment->tokens - shared;
		change->after += ctx_plan_left(&conversation->plan, segment, i);
		if (shared > 0 && !((marks[i] | marks[i + 1]) & CTX_MARK_DROP))
			change->after -= shared;
		change->rank = segment->rank;
		change->role = (enum ctx_role)segment->role;
		change->tool =
		    ctx_intern_at(&conversation->groups.tools, segment->tool);
		if (marks[i] & CTX_MARK_DROP)
			change->rule = find_drop_rule(conversation, segment);
	}
}

static void
set_change_place(const struct prune *p, const struct held_message *held,
    struct ctx_change *change)
{
	change->file = held->file;
	change->line = held->number;
	change->index = held->message;
	change->bytes = get_message_bytes(p, held);
}

/* Why an entry is changed: of an entry of which something was dropped, why
 * that was. */
static const char *
find_change_rule(const struct held_conversation *conversation,
    const struct held_message *held, size_t first, const char *dropped)
{
	unsigned marks = held->pending->marks & ~(unsigned)CTX_MARK_NOTICE;

	if (dropped != NULL)
		return dropped;
	return marks == 0 && held->note != 0
	    ? find_insertion_rule(&conversation->insertions[held->note - 1])
	    : find_edit_rule(conversation, first, marks);
}

/* Archives an entry before its first change; notes what this change makes of
 * it. */
static int
record_change(struct prune *p, struct held_conversation *conversation,
    struct held_message *held, size_t first, unsigned marks,
    struct ctx_err *err)
{
	const struct ctx_report *report = &p->options->report;
	bool fresh = held->pending == NULL;
	const char *dropped;
	uint64_t before;

	if (!ctx_report_wanted(report))
		return 0;
	if (fresh) {
		held->pending = calloc(1, sizeof *held->pending);
		if (held->pending == NULL)
			return ctx_err_nomem(err);
		set_change_place(p, held, &held->pending->change);
		if (ctx_report_keep(report, &held->pending->change, err) < 0)
			return -1;
	}
	dropped = held->pending->marks & CTX_MARK_DROP
	    ? held->pending->change.rule
	    : NULL;
	before = held->pending->change.before;
	held->pending->change.rule = dropped;
	describe_change(conversation, held, first, &held->pending->change);
	if (!fresh)
		held->pending->change.before = before;
	held->pending->marks |= marks;
	held->pending->change.rule = find_change_rule(conversation, held, first,
	    held->pending->change.rule);
	held->pending->change.ranked = conversation->scorer != NULL;
	return 0;
}

/* True if nothing of the entry's message is left. */
static bool
is_dropped(const struct prune *p, const struct held_message *held)
{
	return held->gone &&
	    (held->line == 0 ||
		!ctx_transcript_message_is_kept(p->stream->transcript,
		    held->line));
}

/* True if a change of another line of the entry's message has been told. */
static bool
is_message_reported(const struct prune *p, const struct held_message *held)
{
	return held->line != 0 &&
	    !ctx_transcript_first_of_message(p->stream->transcript, held->line);
}

/* Tells of an entry that was dropped, or at the end (ended) changed. */
static int
report_entry(struct prune *p, struct held_message *held, bool ended,
    struct ctx_err *err)
{
	struct pending_change *pending = held->pending;
	bool drop = is_dropped(p, held);

	if (pending == NULL || pending->done || !(drop || ended))
		return 0;
	pending->change.action = drop ? "drop" : "edit";
	if (drop)
		pending->change.after = 0;
	pending->change.continues = is_message_reported(p, held);
	pending->done = true;
	return ctx_report_tell(&p->options->report, &pending->change, err);
}

/* Tells of a note, which is a message before an entry or a part of it. */
static int
report_insertion(struct prune *p, const struct held_conversation *conversation,
    const struct held_message *held, struct ctx_err *err)
{
	const struct insertion *insertion =
	    &conversation->insertions[held->note - 1];
	struct ctx_change change = {.action = "add", .tool = {"", 0}};
	size_t used;

	if (p->options->report.on_change == NULL)
		return 0;
	change.part = ctx_insertion_is_part(conversation, held);
	set_change_place(p, held, &change);
	change.bytes =
	    (struct ctx_str){conversation->inserted_json.p + insertion->at,
		insertion->n};
	/* What begins a string is not JSON of its own. */
	if (insertion->n == 0)
		change.bytes = (struct ctx_str){conversation->inserted_json.p +
			insertion->literal,
		    insertion->literal_n};
	if (held->pending != NULL && change.part) {
		change.role = held->pending->change.role;
	} else if (!change.part) {
		if (ctx_json_scan(&p->json, change.bytes.p, change.bytes.n,
			&used, err) < 0 ||
		    ctx_dialect_read_message(held->dialect, &p->json, 0,
			&p->view, err) < 0)
			return -1;
		change.role = p->view.role;
	}
	change.rule = find_insertion_rule(insertion);
	change.after = insertion->tokens;
	return ctx_report_tell(&p->options->report, &change, err);
}

static int
report_entries(struct prune *p, struct held_conversation *conversation,
    bool ended, struct ctx_err *err)
{
	struct held_message *held;
	size_t i;

	for (i = 0; i < conversation->n; i++) {
		held = &conversation->messages[i];
		if ((conversation->n_insertions > 0 && held->note != 0 &&
			report_insertion(p, conversation, held, err) < 0) ||
		    report_entry(p, held, ended, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- edits ---- */

char *
ctx_prune_apply_edits(struct prune *p, struct ctx_str text, size_t *n,
    struct ctx_err *err)
{
	struct ctx_buf out = {0};

	if (ctx_buf_reserve(&out, text.n + p->edits.store.n + 1, err) < 0 ||
	    ctx_edits_apply(&p->edits, text, &out, err) < 0) {
		ctx_buf_release(&out);
		return NULL;
	}
	ctx_edits_reset(&p->edits);
	*n = out.n;
	return ctx_buf_take(&out);
}

/* Puts the edits noted in p->edits into the text of a held record. */
static int
apply_held_edits(struct prune *p, struct held_conversation *conversation,
    struct held_message *held, struct ctx_err *err)
{
	size_t n;
	char *text =
	    ctx_prune_apply_edits(p, get_message_bytes(p, held), &n, err);

	if (text == NULL)
		return -1;
	free(held->text);
	held->text = text;
	conversation->bytes -= held->n;
	held->n = n;
	conversation->bytes += held->n;
	return 0;
}

/* Puts the note of an entry into what its edits have left, which is
 * p->literal and becomes so again.  A note costs what it costs: it is not cut
 * with the message. */
static int
put_insertion(struct prune *p, struct held_conversation *conversation,
    const struct held_message *held, bool replace, struct ctx_err *err)
{
	size_t used;

	p->message.n = 0;
	ctx_edits_reset(&p->one);
	if (ctx_buf_add(&p->message, p->literal.p, p->literal.n, err) < 0 ||
	    ctx_json_scan(&p->json, p->message.p, p->message.n, &used, err) <
		0 ||
	    ctx_dialect_read_message(held->dialect, &p->json, 0, &p->view,
		err) < 0 ||
	    ctx_insertion_insert_part(p, conversation, held, replace, err) < 0)
		return -1;
	p->literal.n = 0;
	return ctx_edits_apply(&p->one,
	    (struct ctx_str){p->message.p, p->message.n}, &p->literal, err);
}

/* Notes the edits of an entry in p->edits: as one, if a note is put into the
 * outcome of the others. */
static int
collect_edits(struct prune *p, struct held_conversation *conversation,
    const struct held_message *held, struct ctx_message_edit *edit, bool *empty,
    struct ctx_err *err)
{
	bool part = ctx_insertion_is_part(conversation, held);
	struct ctx_edits *edits = part ? &p->one : &p->edits;
	struct found_insertion old;
	struct head_tail which;
	struct ctx_str message;
	int rc;

	ctx_edits_reset(&p->one);
	if (ctx_prune_reread(p, held, err) < 0)
		return -1;
	message = ctx_json_str(p->view.json, p->view.node);
	if (edit->rest & CTX_MARK_FOLD) {
		ctx_insertion_find(p->options, &p->view, &old);
		/* One note takes the place of the other. */
		edit->own = part || old.end != 0 ? 0 : (uint32_t)old.part + 1;
		if (!part && old.end != 0 &&
		    ctx_insertion_cut(edits, &p->view, &old, err) < 0)
			return -1;
	}
	if (ctx_edit_message(edits, &p->view, edit,
		conversation->model_counter.counter, empty, err) < 0)
		return -1;
	if (*empty)
		return 0;
	which.results = edit->results & CTX_MARK_HEAD_TAIL;
	which.spared = edit->spared;
	which.texts = edit->rest & CTX_MARK_HEAD_TAIL;
	if (ctx_head_tail_edit(p, edits, &p->view, &which, err) < 0)
		return -1;
	if (!part)
		return 0;
	p->literal.n = 0;
	if (ctx_edits_apply(&p->one, message, &p->literal, err) < 0 ||
	    put_insertion(p, conversation, held, edit->rest & CTX_MARK_FOLD,
		err) < 0)
		return -1;
	rc = ctx_edits_replace(&p->edits, message, p->literal.p, p->literal.n,
	    err);
	ctx_buf_reset(&p->literal);
	return rc;
}

static void
remove_message(struct prune *p, struct held_conversation *conversation,
    struct held_message *held)
{
	if (held->line != 0)
		ctx_transcript_remove(p->stream->transcript, held->line);
	free(held->text);
	free(held->spared);
	conversation->bytes -= held->n;
	held->text = NULL;
	held->spared = NULL;
	held->n = 0;
	held->gone = true;
	conversation->gone += is_dropped(p, held);
}

unsigned
ctx_prune_marks(const struct held_conversation *conversation,
    const struct held_message *held, size_t first,
    struct ctx_message_edit *edit, uint32_t *kept)
{
	unsigned any = 0;
	size_t i;

	*edit = (struct ctx_message_edit){.spared = held->spared};
	*kept = 0;
	for (i = first; i < first + held->items; i++) {
		unsigned marks =
		    conversation->plan.marks[i] & ~(unsigned)CTX_MARK_NOTICE;
		uint16_t flags = conversation->groups.segments[i].flags;

		any |= marks;
		*kept += !(marks & CTX_MARK_DROP);
		if (!(flags & CTX_SEGMENT_REST))
			edit->results = marks;
		if (!(flags & CTX_SEGMENT_RESULTS))
			edit->rest = marks;
	}
	return any;
}

/*
 * Drops an entry that had nothing but reasoning, p->view is on it.  Its
 * segments cost nothing any more; but where the first record of a message is
 * dropped, the next one costs what each message does.
 */
static int
drop_empty(struct prune *p, struct held_conversation *conversation,
    struct held_message *held, size_t first, struct ctx_err *err)
{
	struct ctx_segment *segments = &conversation->groups.segments[first];
	struct ctx_cost cost = {0};
	size_t i;

	if (held->line != 0 && !held->continues &&
	    ctx_count_message(conversation->model_counter.counter, &p->view,
		&cost, err) < 0)
		return -1;
	remove_message(p, conversation, held);
	if (is_dropped(p, held))
		cost.framing = 0;
	for (i = 0; i < held->items; i++) {
		if (conversation->plan.marks[first + i] & CTX_MARK_DROP)
			continue;
		conversation->plan.after -=
		    ctx_plan_left(&conversation->plan, &segments[i], first + i);
		segments[i].edited += segments[i].tokens;
		segments[i].tokens = segments[i].reasoning =
		    segments[i].clearable_tokens =
			segments[i].head_tail_savings =
			    segments[i].shared_tokens = 0;
		if (i > 0)
			continue;
		segments[i].tokens = cost.framing;
		segments[i].edited -= cost.framing;
		conversation->plan.after += cost.framing;
	}
	if (held->pending != NULL)
		held->pending->change.after = cost.framing;
	return 0;
}

/* Does to one entry what the plan marked for its segments. */
static int
apply_entry_plan(struct prune *p, struct held_conversation *conversation,
    struct held_message *held, size_t first, struct ctx_err *err)
{
	struct ctx_message_edit edit;
	uint32_t kept;
	unsigned any = ctx_prune_marks(conversation, held, first, &edit, &kept);
	bool empty = kept == 0;

	if (ctx_insertion_is_part(conversation, held))
		any |= CTX_MARK_NOTICE;
	if (any == 0 || held->gone) {
		if (held->pending != NULL && kept == 0 && held->items > 0 &&
		    record_change(p, conversation, held, first, any, err) < 0)
			return -1;
		held->items = kept;
		return 0;
	}
	if (!empty &&
	    collect_edits(p, conversation, held, &edit, &empty, err) < 0)
		return -1;
	if (record_change(p, conversation, held, first, any, err) < 0)
		return -1;
	if (!empty && held->text != NULL &&
	    apply_held_edits(p, conversation, held, err) < 0)
		return -1;
	if (empty && kept == 0)
		remove_message(p, conversation, held);
	else if (empty && drop_empty(p, conversation, held, first, err) < 0)
		return -1;
	held->items = kept;
	return 0;
}

/* A message is inserted before one that is kept: where that held nothing but
 * reasoning, and was removed with it, before the next. */
static void
move_insertions(struct held_conversation *conversation)
{
	struct held_message *held;
	uint32_t note = 0;
	size_t i;

	for (i = 0; conversation->n_insertions > 0 && i < conversation->n;
	     i++) {
		held = &conversation->messages[i];
		if (held->gone && held->note != 0) {
			note = held->note;
			held->note = 0;
		} else if (note != 0 && !held->gone && held->note == 0 &&
		    held->dialect != NULL) {
			held->note = note;
			note = 0;
		}
	}
	if (note != 0)
		conversation->plan.after -=
		    conversation->insertions[note - 1].tokens;
}

int
ctx_prune_apply_plan(struct prune *p, struct held_conversation *conversation,
    bool ended, struct ctx_err *err)
{
	size_t i, items, first = 0;

	for (i = 0; i < conversation->n; i++, first += items) {
		items = conversation->messages[i].items;
		if (apply_entry_plan(p, conversation,
			&conversation->messages[i], first, err) < 0)
			return -1;
	}
	move_insertions(conversation);
	if (ctx_insertions_compose(p, conversation, err) < 0)
		return -1;
	return report_entries(p, conversation, ended, err);
}

/* ---- links ---- */

/* Archives and tells of a line at once: it is changed for the last time. */
static int
report_line_change(struct prune *p, struct held_message *held,
    struct ctx_change *change, struct ctx_err *err)
{
	set_change_place(p, held, change);
	change->aside = held->dialect == NULL;
	change->continues = !change->aside && is_message_reported(p, held);
	return ctx_report_change(&p->options->report, change, err);
}

/* Tells of a line that is only given others to name; its message, if it is
 * one, costs the same. */
static int
report_relink(struct prune *p, struct held_message *held, struct ctx_err *err)
{
	struct ctx_change change = {.tool = {"", 0},
	    .rule = "links",
	    .action = "relink"};
	struct ctx_cost cost = {0};

	if (held->pending != NULL || !ctx_report_wanted(&p->options->report))
		return 0;
	if (held->dialect != NULL) {
		if (ctx_prune_reread(p, held, err) < 0 ||
		    ctx_count_message(p->lines.model_counter.counter, &p->view,
			&cost, err) < 0)
			return -1;
		change.role = p->view.role;
		change.before = change.after = cost.tokens;
	}
	return report_line_change(p, held, &change, err);
}

/* Gives a line of a transcript others to name for those that were removed. */
static int
relink_line(struct prune *p, struct held_message *held, struct ctx_err *err)
{
	struct ctx_transcript *transcript = p->stream->transcript;
	size_t used;

	if (!ctx_transcript_needs_relink(transcript, held->line))
		return 0;
	if (report_relink(p, held, err) < 0)
		return -1;
	ctx_edits_reset(&p->edits);
	if (ctx_json_scan(&p->json, held->text, held->n, &used, err) < 0 ||
	    ctx_transcript_relink(transcript, held->line, &p->json, &p->edits,
		err) < 0)
		return -1;
	return apply_held_edits(p, &p->lines, held, err);
}

int
ctx_prune_relink(struct prune *p, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct ctx_change change;
	struct held_message *held;
	size_t i;

	for (i = 0; i < conversation->n; i++) {
		held = &conversation->messages[i];
		if (held->line == 0 || held->gone)
			continue;
		change = (struct ctx_change){.tool = {"", 0},
		    .rule = "replaced",
		    .action = "drop"};
		if (!ctx_transcript_is_removed(p->stream->transcript,
			held->line)
			? relink_line(p, held, err) < 0
			: report_line_change(p, held, &change, err) < 0)
			return -1;
	}
	return 0;
}
