/*
 * apply_plan.c - what a plan means for the messages that are held
 *
 * What goes is archived and reported first.  A line is changed at once, the
 * edits of an element wait for its record.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "stream/change_report.h"

static struct ctx_str
bytes_of(const struct prune *p, const struct held_message *entry)
{
	if (entry->text == NULL)
		return ctx_json_str(p->source, entry->node);
	return (struct ctx_str){entry->text, entry->n};
}

/* ---- reports ---- */

/* Why the items of an entry, from first on, are edited. */
static const char *
edit_rule(const struct held_conversation *convo, size_t first, unsigned marks)
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
	const struct ctx_segment *item = &convo->groups.items[first];
	size_t i;

	if (marks == CTX_MARK_STRIP && item->message >= convo->plan.bound_from)
		return "bound reasoning";
	for (i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (rules[i].marks == marks)
			return rules[i].rule;
	return "several";
}

/* Why an item goes: its strategy, or the strategy's word for its rank. */
static const char *
drop_rule(const struct held_conversation *convo, const struct ctx_segment *item)
{
	const struct ctx_strategy *policy = convo->plan.limits.policy;

	if (item->flags & CTX_SEGMENT_NOTICE)
		return "earlier note";
	return policy->reasons != NULL ? policy->reasons[(size_t)item->rank]
				       : policy->name;
}

static const char *
note_rule(const struct insertion *note)
{
	return note->summary ? "summary" : "notice";
}

/*
 * Sums up the items of an entry, from first on.  What two of them share counts
 * once.  Sets the rule if one of them is dropped.
 */
static void
describe(const struct held_conversation *convo,
    const struct held_message *entry, size_t first, struct ctx_change *touch)
{
	const unsigned char *marks = convo->plan.marks;
	size_t i, end = first + entry->items;

	touch->before = touch->after = 0;
	for (i = first; i < end; i++) {
		const struct ctx_segment *item = &convo->groups.items[i];
		uint64_t shared = i + 1 < end ? item->shared : 0;

		touch->before += item->tokens - shared;
		touch->after += ctx_plan_left(&convo->plan, item, i);
		if (shared > 0 && !((marks[i] | marks[i + 1]) & CTX_MARK_DROP))
			touch->after -= shared;
		touch->rank = item->rank;
		touch->role = (enum ctx_role)item->role;
		touch->tool = ctx_intern_at(&convo->groups.tools, item->tool);
		if (marks[i] & CTX_MARK_DROP)
			touch->rule = drop_rule(convo, item);
	}
}

static void
place(const struct prune *p, const struct held_message *entry,
    struct ctx_change *touch)
{
	touch->file = entry->file;
	touch->line = entry->number;
	touch->index = entry->message;
	touch->bytes = bytes_of(p, entry);
}

/* Why an entry is changed: of an entry of which something was dropped, why
 * that was. */
static const char *
rule_of(const struct held_conversation *convo, const struct held_message *entry,
    size_t first, const char *dropped)
{
	unsigned marks = entry->told->marks & ~(unsigned)CTX_MARK_NOTICE;

	if (dropped != NULL)
		return dropped;
	return marks == 0 && entry->note != 0
	    ? note_rule(&convo->notes[entry->note - 1])
	    : edit_rule(convo, first, marks);
}

/* Archives an entry before its first change; notes what this change makes of
 * it. */
static int
remember(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, size_t first, unsigned marks,
    struct ctx_err *err)
{
	const struct ctx_report *report = &p->options->report;
	bool fresh = entry->told == NULL;
	const char *dropped;
	uint64_t before;

	if (!ctx_report_wanted(report))
		return 0;
	if (fresh) {
		entry->told = calloc(1, sizeof *entry->told);
		if (entry->told == NULL)
			return ctx_err_nomem(err);
		place(p, entry, &entry->told->touch);
		if (ctx_report_keep(report, &entry->told->touch, err) < 0)
			return -1;
	}
	dropped =
	    entry->told->marks & CTX_MARK_DROP ? entry->told->touch.rule : NULL;
	before = entry->told->touch.before;
	entry->told->touch.rule = dropped;
	describe(convo, entry, first, &entry->told->touch);
	if (!fresh)
		entry->told->touch.before = before;
	entry->told->marks |= marks;
	entry->told->touch.rule =
	    rule_of(convo, entry, first, entry->told->touch.rule);
	entry->told->touch.ranked = convo->scorer != NULL;
	return 0;
}

/* True if nothing of the entry's message is left. */
static bool
is_dropped(const struct prune *p, const struct held_message *entry)
{
	return entry->gone &&
	    (entry->line == 0 ||
		!ctx_transcript_message_is_kept(p->stream->live, entry->line));
}

/* True if a touch of another line of the entry's message has been told. */
static bool
is_named(const struct prune *p, const struct held_message *entry)
{
	return entry->line != 0 &&
	    !ctx_transcript_first_of_message(p->stream->live, entry->line);
}

/* Tells of an entry that was dropped, or at the end (ended) changed. */
static int
report_entry(struct prune *p, struct held_message *entry, bool ended,
    struct ctx_err *err)
{
	struct pending_change *told = entry->told;
	bool drop = is_dropped(p, entry);

	if (told == NULL || told->done || !(drop || ended))
		return 0;
	told->touch.action = drop ? "drop" : "edit";
	if (drop)
		told->touch.after = 0;
	told->touch.continues = is_named(p, entry);
	told->done = true;
	return ctx_report_tell(&p->options->report, &told->touch, err);
}

/* Tells of a note, which is a message before an entry or a part of it. */
static int
report_note(struct prune *p, const struct held_conversation *convo,
    const struct held_message *entry, struct ctx_err *err)
{
	const struct insertion *note = &convo->notes[entry->note - 1];
	struct ctx_change touch = {.action = "add", .tool = {"", 0}};
	size_t used;

	if (p->options->report.touched == NULL)
		return 0;
	touch.part = ctx_insertion_is_part(convo, entry);
	place(p, entry, &touch);
	touch.bytes = (struct ctx_str){convo->ours.p + note->at, note->n};
	/* What begins a string is no JSON of its own. */
	if (note->n == 0)
		touch.bytes = (struct ctx_str){convo->ours.p + note->literal,
		    note->literal_n};
	if (entry->told != NULL && touch.part) {
		touch.role = entry->told->touch.role;
	} else if (!touch.part) {
		if (ctx_json_scan(&p->json, touch.bytes.p, touch.bytes.n, &used,
			err) < 0 ||
		    entry->dialect->read(&p->json, 0, &p->view, err) < 0)
			return -1;
		touch.role = p->view.role;
	}
	touch.rule = note_rule(note);
	touch.after = note->tokens;
	return ctx_report_tell(&p->options->report, &touch, err);
}

static int
report_entries(struct prune *p, struct held_conversation *convo, bool ended,
    struct ctx_err *err)
{
	struct held_message *entry;
	size_t i;

	for (i = 0; i < convo->n; i++) {
		entry = &convo->entries[i];
		if ((convo->n_notes > 0 && entry->note != 0 &&
			report_note(p, convo, entry, err) < 0) ||
		    report_entry(p, entry, ended, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- edits ---- */

int
ctx_prune_reread(struct prune *p, const struct held_message *entry,
    struct ctx_err *err)
{
	const struct ctx_json *json = p->source;
	size_t used;

	if (entry->text != NULL) {
		json = &p->json;
		if (ctx_json_scan(&p->json, entry->text, entry->n, &used, err) <
		    0)
			return -1;
	}
	return entry->dialect->read(json, entry->node, &p->view, err);
}

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
change(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, struct ctx_err *err)
{
	size_t n;
	char *text = ctx_prune_apply_edits(p, bytes_of(p, entry), &n, err);

	if (text == NULL)
		return -1;
	free(entry->text);
	entry->text = text;
	convo->bytes -= entry->n;
	entry->n = n;
	convo->bytes += entry->n;
	return 0;
}

/* Puts the note of an entry into what its edits have left, which is
 * p->literal and becomes so again.  A note costs what it costs: it is not cut
 * with the message. */
static int
put_note(struct prune *p, struct held_conversation *convo,
    const struct held_message *entry, bool replace, struct ctx_err *err)
{
	size_t used;

	p->message.n = 0;
	ctx_edits_reset(&p->one);
	if (ctx_buf_add(&p->message, p->literal.p, p->literal.n, err) < 0 ||
	    ctx_json_scan(&p->json, p->message.p, p->message.n, &used, err) <
		0 ||
	    entry->dialect->read(&p->json, 0, &p->view, err) < 0 ||
	    ctx_insertion_insert_part(p, convo, entry, replace, err) < 0)
		return -1;
	p->literal.n = 0;
	return ctx_edits_apply(&p->one,
	    (struct ctx_str){p->message.p, p->message.n}, &p->literal, err);
}

/* Notes the edits of an entry in p->edits: as one, if a note is put into the
 * outcome of the others. */
static int
note_edits(struct prune *p, struct held_conversation *convo,
    const struct held_message *entry, struct ctx_message_edit *fate,
    bool *empty, struct ctx_err *err)
{
	bool part = ctx_insertion_is_part(convo, entry);
	struct ctx_edits *edits = part ? &p->one : &p->edits;
	struct found_insertion old;
	struct ctx_str message;
	int rc;

	ctx_edits_reset(&p->one);
	if (ctx_prune_reread(p, entry, err) < 0)
		return -1;
	message = ctx_json_str(p->view.json, p->view.node);
	if (fate->rest & CTX_MARK_FOLD) {
		ctx_insertion_find(p->options, entry->dialect, &p->view, &old);
		/* One note takes the place of the other. */
		fate->own = part || old.end != 0 ? 0 : (uint32_t)old.part + 1;
		if (!part && old.end != 0 &&
		    ctx_insertion_cut(edits, &p->view, &old, err) < 0)
			return -1;
	}
	if (ctx_edit_message(edits, &p->view, entry->dialect, fate,
		convo->measure.counter, empty, err) < 0)
		return -1;
	if (*empty)
		return 0;
	if (ctx_head_tail_note(p, edits, entry->dialect,
		fate->results & CTX_MARK_HEAD_TAIL,
		fate->rest & CTX_MARK_HEAD_TAIL, fate->spared, err) < 0)
		return -1;
	if (!part)
		return 0;
	p->literal.n = 0;
	if (ctx_edits_apply(&p->one, message, &p->literal, err) < 0 ||
	    put_note(p, convo, entry, fate->rest & CTX_MARK_FOLD, err) < 0)
		return -1;
	rc = ctx_edits_replace(&p->edits, message, p->literal.p, p->literal.n,
	    err);
	ctx_buf_reset(&p->literal);
	return rc;
}

static void
let_go(struct prune *p, struct held_conversation *convo,
    struct held_message *entry)
{
	if (entry->line != 0)
		ctx_transcript_remove(p->stream->live, entry->line);
	free(entry->text);
	free(entry->spared);
	convo->bytes -= entry->n;
	entry->text = NULL;
	entry->spared = NULL;
	entry->n = 0;
	entry->gone = true;
	convo->gone += is_dropped(p, entry);
}

unsigned
ctx_prune_marks(const struct held_conversation *convo,
    const struct held_message *entry, size_t first,
    struct ctx_message_edit *fate, uint32_t *kept)
{
	unsigned any = 0;
	size_t i;

	*fate = (struct ctx_message_edit){.spared = entry->spared};
	*kept = 0;
	for (i = first; i < first + entry->items; i++) {
		unsigned marks =
		    convo->plan.marks[i] & ~(unsigned)CTX_MARK_NOTICE;
		uint16_t flags = convo->groups.items[i].flags;

		any |= marks;
		*kept += !(marks & CTX_MARK_DROP);
		if (!(flags & CTX_SEGMENT_REST))
			fate->results = marks;
		if (!(flags & CTX_SEGMENT_RESULTS))
			fate->rest = marks;
	}
	return any;
}

/*
 * Drops an entry that had nothing but reasoning, p->view is on it.  Its items
 * cost nothing any more; but where the first record of a message is dropped,
 * the next one costs what each message does.
 */
static int
drop_empty(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, size_t first, struct ctx_err *err)
{
	struct ctx_segment *items = &convo->groups.items[first];
	struct ctx_cost cost = {0};
	size_t i;

	if (entry->line != 0 && !entry->continues &&
	    ctx_count_message(convo->measure.counter, entry->dialect, &p->view,
		&cost, err) < 0)
		return -1;
	let_go(p, convo, entry);
	if (is_dropped(p, entry))
		cost.framing = 0;
	for (i = 0; i < entry->items; i++) {
		if (convo->plan.marks[first + i] & CTX_MARK_DROP)
			continue;
		convo->plan.after -=
		    ctx_plan_left(&convo->plan, &items[i], first + i);
		items[i].edited += items[i].tokens;
		items[i].tokens = items[i].reasoning = items[i].bodies =
		    items[i].ends = items[i].shared = 0;
		if (i > 0)
			continue;
		items[i].tokens = cost.framing;
		items[i].edited -= cost.framing;
		convo->plan.after += cost.framing;
	}
	if (entry->told != NULL)
		entry->told->touch.after = cost.framing;
	return 0;
}

/* Does to one entry what the plan marked for its items. */
static int
settle_entry(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, size_t first, struct ctx_err *err)
{
	struct ctx_message_edit fate;
	uint32_t kept;
	unsigned any = ctx_prune_marks(convo, entry, first, &fate, &kept);
	bool empty = kept == 0;

	if (ctx_insertion_is_part(convo, entry))
		any |= CTX_MARK_NOTICE;
	if (any == 0 || entry->gone) {
		if (entry->told != NULL && kept == 0 && entry->items > 0 &&
		    remember(p, convo, entry, first, any, err) < 0)
			return -1;
		entry->items = kept;
		return 0;
	}
	if (!empty && note_edits(p, convo, entry, &fate, &empty, err) < 0)
		return -1;
	if (remember(p, convo, entry, first, any, err) < 0)
		return -1;
	if (!empty && entry->text != NULL && change(p, convo, entry, err) < 0)
		return -1;
	if (empty && kept == 0)
		let_go(p, convo, entry);
	else if (empty && drop_empty(p, convo, entry, first, err) < 0)
		return -1;
	entry->items = kept;
	return 0;
}

/* A message is inserted before one that is kept: where that held nothing but
 * reasoning, and was removed with it, before the next. */
static void
move_notes(struct held_conversation *convo)
{
	struct held_message *entry;
	uint32_t note = 0;
	size_t i;

	for (i = 0; convo->n_notes > 0 && i < convo->n; i++) {
		entry = &convo->entries[i];
		if (entry->gone && entry->note != 0) {
			note = entry->note;
			entry->note = 0;
		} else if (note != 0 && !entry->gone && entry->note == 0 &&
		    entry->dialect != NULL) {
			entry->note = note;
			note = 0;
		}
	}
	if (note != 0)
		convo->plan.after -= convo->notes[note - 1].tokens;
}

int
ctx_prune_apply_plan(struct prune *p, struct held_conversation *convo,
    bool ended, struct ctx_err *err)
{
	size_t i, items, first = 0;

	for (i = 0; i < convo->n; i++, first += items) {
		items = convo->entries[i].items;
		if (settle_entry(p, convo, &convo->entries[i], first, err) < 0)
			return -1;
	}
	move_notes(convo);
	if (ctx_insertions_compose(p, convo, err) < 0)
		return -1;
	return report_entries(p, convo, ended, err);
}

/* ---- links ---- */

/* Archives and tells of a line at once: it is changed for the last time. */
static int
tell(struct prune *p, struct held_message *entry, struct ctx_change *touch,
    struct ctx_err *err)
{
	place(p, entry, touch);
	touch->aside = entry->dialect == NULL;
	touch->continues = !touch->aside && is_named(p, entry);
	return ctx_report_change(&p->options->report, touch, err);
}

/* Tells of a line that is only given others to name; its message, if it is
 * one, costs the same. */
static int
tell_link(struct prune *p, struct held_message *entry, struct ctx_err *err)
{
	struct ctx_change touch = {.tool = {"", 0},
	    .rule = "links",
	    .action = "relink"};
	struct ctx_cost cost = {0};

	if (entry->told != NULL || !ctx_report_wanted(&p->options->report))
		return 0;
	if (entry->dialect != NULL) {
		if (ctx_prune_reread(p, entry, err) < 0 ||
		    ctx_count_message(p->lines.measure.counter, entry->dialect,
			&p->view, &cost, err) < 0)
			return -1;
		touch.role = p->view.role;
		touch.before = touch.after = cost.tokens;
	}
	return tell(p, entry, &touch, err);
}

/* Gives a line of a transcript others to name for those that went. */
static int
relink(struct prune *p, struct held_message *entry, struct ctx_err *err)
{
	struct ctx_transcript *live = p->stream->live;
	size_t used;

	if (!ctx_transcript_needs_relink(live, entry->line))
		return 0;
	if (tell_link(p, entry, err) < 0)
		return -1;
	ctx_edits_reset(&p->edits);
	if (ctx_json_scan(&p->json, entry->text, entry->n, &used, err) < 0 ||
	    ctx_transcript_relink(live, entry->line, &p->json, &p->edits, err) <
		0)
		return -1;
	return change(p, &p->lines, entry, err);
}

int
ctx_prune_relink(struct prune *p, struct held_conversation *convo,
    struct ctx_err *err)
{
	struct ctx_change touch;
	struct held_message *entry;
	size_t i;

	for (i = 0; i < convo->n; i++) {
		entry = &convo->entries[i];
		if (entry->line == 0 || entry->gone)
			continue;
		touch = (struct ctx_change){.tool = {"", 0},
		    .rule = "replaced",
		    .action = "drop"};
		if (!ctx_transcript_is_removed(p->stream->live, entry->line)
			? relink(p, entry, err) < 0
			: tell(p, entry, &touch, err) < 0)
			return -1;
	}
	return 0;
}
