/*
 * prune.c - fit the budget
 *
 * Messages of the stream are held until the conversation ends; now and then,
 * when their bytes have doubled, what can no longer be kept is let go.  A
 * record that holds a conversation is decided at once.
 */
#include <stdlib.h>
#include <string.h>

#include "convo/convo.h"

/* Bytes held before the first look. */
#define FIRST_LOOK (256u << 10)

/* ---- reading ---- */

static int
matches(struct prune *p, struct ctx_pattern *pattern,
    const struct ctx_json *json, uint32_t node, bool *found,
    struct ctx_err *err)
{
	struct ctx_str text;

	if (pattern->n == 0 || node == 0 || *found)
		return 0;
	text = ctx_json_str(json, node);
	if (json->nodes[node].kind == CTX_JSON_STRING) {
		p->text.n = 0;
		if (ctx_text_decode(&p->text, text, err) < 0)
			return -1;
		text = (struct ctx_str){p->text.p, p->text.n};
	}
	*found = ctx_pattern_match(pattern, text.p, text.n);
	return 0;
}

/* Did the user ask for this message to stay? */
static int
is_pinned(struct prune *p, const struct ctx_view *view, bool *pinned,
    struct ctx_err *err)
{
	struct ctx_prune_options *options = p->options;
	size_t i;

	*pinned = (options->pin_roles >> view->role & 1) ||
	    (view->flags & CTX_VIEW_PINNED);
	for (i = 0; i < view->n && !*pinned; i++) {
		const struct ctx_part *part = &view->parts[i];

		if (part->kind != CTX_PART_MEDIA &&
		    matches(p, &options->pin_text, view->json, part->value,
			pinned, err) < 0)
			return -1;
		if (matches(p, &options->pin_tool, view->json, part->name,
			pinned, err) < 0)
			return -1;
	}
	return 0;
}

/* A result is pinned by the name of the tool whose call it answers. */
static void
pin_by_call(struct prune *p, struct ctx_groups *groups, size_t first)
{
	struct ctx_str tool;

	for (; p->options->pin_tool.n > 0 && first < groups->n; first++) {
		tool = ctx_names_at(&groups->tools, groups->items[first].tool);
		if (tool.n > 0 && ctx_pattern_match(&p->options->pin_tool,
				      tool.p, tool.n))
			groups->items[first].flags |= CTX_ITEM_PINNED;
	}
}

/* Adds a message; the entry gets its items. */
static int
add_message(struct prune *p, struct convo *convo, struct entry *entry,
    const struct ctx_view *view, struct ctx_err *err)
{
	struct ctx_groups *groups = &convo->groups;
	size_t first = groups->n, i;
	struct ctx_cost cost;
	bool pinned, summary;

	entry->continues = (view->flags & CTX_VIEW_CONTINUES) != 0;
	entry->message = groups->messages -
	    (entry->continues && groups->messages > 0);
	if (is_pinned(p, view, &pinned, err) < 0 ||
	    ctx_summary_is(view, &summary, err) < 0 ||
	    ctx_count_message(convo->measure.counter, entry->dialect, view,
		&cost, err) < 0 ||
	    ctx_groups_add(groups, entry->dialect, view, &cost,
		(pinned ? CTX_ITEM_PINNED : 0) |
		    (summary ? CTX_ITEM_SUMMARY : 0),
		err) < 0)
		return -1;
	if (entry->dialect->rules & CTX_ALTERNATES)
		convo->plan.limits.alternates = true;
	pin_by_call(p, groups, first);
	if (convo->scorer != NULL &&
	    ctx_scorer_note(convo->scorer, view, groups, first, err) < 0)
		return -1;
	for (i = first; convo->answers && i < groups->n; i++)
		groups->items[i].flags |= CTX_ITEM_PINNED;
	entry->items = (uint32_t)(groups->n - first);
	return 0;
}

static int
add_unknown(struct convo *convo, struct entry *entry, struct ctx_err *err)
{
	entry->dialect = NULL;
	entry->items = 1;
	entry->message = convo->groups.messages;
	return ctx_groups_add_unknown(&convo->groups, entry->line != 0,
	    err);
}

/* The model and the limits of a conversation that begins. */
static int
begin(struct prune *p, struct convo *convo, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	struct ctx_limits limits;

	convo->open = true;
	convo->answers = event->shape->answers;
	convo->file = event->record->file;
	convo->line = event->inside ? event->record->line : 0;
	if (ctx_stream_measure(p->stream, event, p->meter, &convo->measure,
		err) < 0 ||
	    ctx_prune_limits(p->options, convo->measure.model, &limits, err) <
		0 ||
	    ctx_count_beside(convo->measure.counter, event->record->json,
		event->shape, &cost, err) < 0)
		return -1;
	if (convo->scorer == NULL &&
	    ctx_scorer_open(&convo->scorer, limits.policy,
		&p->options->scorer, err) < 0)
		return -1;
	ctx_plan_reset(&convo->plan, &limits);
	convo->plan.fixed = cost.tokens;
	convo->look_at = FIRST_LOOK;
	return 0;
}

/* ---- letting go ---- */

static struct ctx_str
bytes_of(const struct prune *p, const struct entry *entry)
{
	if (entry->text == NULL)
		return ctx_json_str(p->source, entry->node);
	return (struct ctx_str){entry->text, entry->n};
}

/* Why a group goes: its strategy, or the strategy's word for its rank. */
static const char *
reason(const struct convo *convo, double rank)
{
	const struct ctx_policy *policy = convo->plan.limits.policy;

	return policy->reasons != NULL ? policy->reasons[(size_t)rank]
				       : policy->name;
}

/* Archives and reports an entry before it changes; touch holds what the
 * entry does not tell. */
static int
tell(struct prune *p, struct entry *entry, struct ctx_touch *touch,
    struct ctx_err *err)
{
	const struct ctx_prune_options *options = p->options;

	entry->told = true;
	touch->file = entry->file;
	touch->line = entry->number;
	touch->index = entry->message;
	touch->bytes = bytes_of(p, entry);
	if (options->archive != NULL && !options->dry_run &&
	    ctx_archive_add(options->archive, touch->bytes.p, touch->bytes.n,
		err) < 0)
		return -1;
	return options->touched == NULL
	    ? 0
	    : options->touched(options->user, touch, err);
}

/* Tells of an entry that goes or changes. */
static int
touch(struct prune *p, struct convo *convo, struct entry *entry,
    size_t first, unsigned marks, bool drop, struct ctx_err *err)
{
	struct ctx_touch touch = {0};
	size_t i;

	for (i = first; i < first + entry->items; i++) {
		const struct ctx_item *item = &convo->groups.items[i];

		touch.before += item->tokens;
		if (!drop)
			touch.after += ctx_plan_left(&convo->plan, item, i);
		touch.rank = item->rank;
		touch.role = item->role;
		touch.tool = ctx_names_at(&convo->groups.tools, item->tool);
	}
	touch.action = drop ? "drop" : "edit";
	touch.rule = marks & CTX_MARK_DROP ? reason(convo, touch.rank)
	    : marks == CTX_MARK_STRIP      ? "reasoning"
	    : marks == CTX_MARK_CLEAR      ? "bodies"
					   : "reasoning and bodies";
	return tell(p, entry, &touch, err);
}

static void
let_go(struct prune *p, struct convo *convo, struct entry *entry)
{
	if (entry->line != 0)
		ctx_live_drop(p->stream->live, entry->line);
	free(entry->text);
	convo->bytes -= entry->n;
	entry->text = NULL;
	entry->n = 0;
	entry->gone = true;
	convo->gone += !entry->continues;
}

int
ctx_prune_look(struct prune *p, const struct entry *entry, struct ctx_err *err)
{
	const struct ctx_json *json = p->source;
	size_t used;

	if (entry->text != NULL) {
		json = &p->json;
		if (ctx_json_scan(&p->json, entry->text, entry->n, &used,
			err) < 0)
			return -1;
	}
	return entry->dialect->read(json, entry->node, &p->view, err);
}

/* Notes the edits of an entry; those of an element wait for its record. */
static int
note_edits(struct prune *p, struct convo *convo, const struct entry *entry,
    struct ctx_fate fate, bool *empty, struct ctx_err *err)
{
	if (entry->text != NULL)
		ctx_edits_reset(&p->edits);
	if (ctx_prune_look(p, entry, err) < 0)
		return -1;
	return ctx_edit_message(&p->edits, &p->view, entry->dialect, fate,
	    convo->measure.counter, empty, err);
}

/* Puts the noted edits into the text of a held record. */
static int
change(struct prune *p, struct convo *convo, struct entry *entry,
    struct ctx_err *err)
{
	char *text;

	p->out.n = 0;
	if (ctx_edits_apply(&p->edits, bytes_of(p, entry), &p->out, err) < 0)
		return -1;
	text = malloc(p->out.n);
	if (text == NULL)
		return ctx_err_nomem(err);
	memcpy(text, p->out.p, p->out.n);
	free(entry->text);
	entry->text = text;
	convo->bytes -= entry->n;
	entry->n = p->out.n;
	convo->bytes += entry->n;
	ctx_edits_reset(&p->edits);
	return 0;
}

/* What the plan marked for the items of an entry, from first on. */
static unsigned
marks_of(const struct convo *convo, const struct entry *entry, size_t first,
    struct ctx_fate *fate, uint32_t *kept)
{
	unsigned any = 0;
	size_t i;

	*fate = (struct ctx_fate){0, 0};
	*kept = 0;
	for (i = first; i < first + entry->items; i++) {
		unsigned marks = convo->plan.marks[i];
		uint16_t flags = convo->groups.items[i].flags;

		any |= marks;
		*kept += !(marks & CTX_MARK_DROP);
		if (!(flags & CTX_ITEM_REST))
			fate->results = marks;
		if (!(flags & CTX_ITEM_RESULTS))
			fate->rest = marks;
	}
	return any;
}

/* Does to one entry what the plan marked for its items. */
static int
settle_entry(struct prune *p, struct convo *convo, struct entry *entry,
    size_t first, struct ctx_err *err)
{
	struct ctx_fate fate;
	uint32_t kept;
	unsigned any = marks_of(convo, entry, first, &fate, &kept);
	bool empty = kept == 0;
	size_t i;

	if (any == 0 || entry->gone) {
		entry->items = kept;
		return 0;
	}
	if (!empty && note_edits(p, convo, entry, fate, &empty, err) < 0)
		return -1;
	if (touch(p, convo, entry, first, any, empty, err) < 0)
		return -1;
	if (!empty && entry->text != NULL && change(p, convo, entry, err) < 0)
		return -1;
	if (empty) {
		/* What was only reasoning leaves no message behind. */
		for (i = first; i < first + entry->items; i++)
			convo->plan.after -= ctx_plan_left(&convo->plan,
			    &convo->groups.items[i], i);
		let_go(p, convo, entry);
	}
	entry->items = kept;
	return 0;
}

static int
settle(struct prune *p, struct convo *convo, struct ctx_err *err)
{
	size_t i, items, first = 0;

	for (i = 0; i < convo->n; i++, first += items) {
		items = convo->entries[i].items;
		if (settle_entry(p, convo, &convo->entries[i], first, err) <
		    0)
			return -1;
	}
	return 0;
}

/* Forgets the entries and items that have gone. */
static int
compact(struct convo *convo, struct ctx_err *err)
{
	size_t kept = 0, i;

	if (ctx_plan_compact(&convo->plan, &convo->groups, err) < 0)
		return -1;
	for (i = 0; i < convo->n; i++)
		if (convo->entries[i].items > 0)
			convo->entries[kept++] = convo->entries[i];
	convo->n = kept;
	return 0;
}

/* Lets go what can no longer be kept, whenever the bytes have doubled. */
static int
look(struct prune *p, struct convo *convo, struct ctx_err *err)
{
	if (convo->bytes < convo->look_at ||
	    convo->plan.limits.policy->whole)
		return 0;
	if (ctx_plan_decide(&convo->plan, &convo->groups, false, err) < 0 ||
	    settle(p, convo, err) < 0 || compact(convo, err) < 0)
		return -1;
	convo->look_at = convo->bytes * 2;
	if (convo->look_at < FIRST_LOOK)
		convo->look_at = FIRST_LOOK;
	return 0;
}

/* ---- links ---- */

/* Tells of a line that is only given others to name; its message, if it is
 * one, costs the same. */
static int
tell_link(struct prune *p, struct entry *entry, struct ctx_err *err)
{
	struct ctx_touch touch = {
	    .tool = {"", 0}, .rule = "links", .action = "relink"};
	struct ctx_cost cost = {0};

	if (entry->told)
		return 0;
	if (entry->dialect != NULL) {
		if (ctx_prune_look(p, entry, err) < 0 ||
		    ctx_count_message(p->lines.measure.counter,
			entry->dialect, &p->view, &cost, err) < 0)
			return -1;
		touch.role = p->view.role;
		touch.before = touch.after = cost.tokens;
	}
	return tell(p, entry, &touch, err);
}

/* Gives a line of a transcript others to name for those that went. */
static int
relink(struct prune *p, struct entry *entry, struct ctx_err *err)
{
	struct ctx_live *live = p->stream->live;
	size_t used;

	if (!ctx_live_loose(live, entry->line))
		return 0;
	if (tell_link(p, entry, err) < 0)
		return -1;
	ctx_edits_reset(&p->edits);
	if (ctx_json_scan(&p->json, entry->text, entry->n, &used, err) < 0 ||
	    ctx_live_relink(live, entry->line, &p->json, &p->edits, err) < 0)
		return -1;
	return change(p, &p->lines, entry, err);
}

/* The same for all lines, once it is known which go; those that a message
 * that goes had replaced go with it, or they would be live again. */
static int
relink_lines(struct prune *p, struct convo *convo, struct ctx_err *err)
{
	struct ctx_touch touch;
	struct entry *entry;
	size_t i;

	for (i = 0; i < convo->n; i++) {
		entry = &convo->entries[i];
		if (entry->line == 0 || entry->gone)
			continue;
		touch = (struct ctx_touch){
		    .tool = {"", 0}, .rule = "replaced", .action = "drop"};
		if (!ctx_live_gone(p->stream->live, entry->line)
			? relink(p, entry, err) < 0
			: tell(p, entry, &touch, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the end of a conversation ---- */

static int
report(struct prune *p, struct convo *convo, const struct ctx_err *trouble,
    struct ctx_err *err)
{
	struct ctx_outcome outcome = {0};

	if (p->options->ended == NULL)
		return 0;
	outcome.file = convo->file;
	outcome.line = convo->line;
	outcome.before = convo->groups.tokens + convo->plan.fixed;
	outcome.after = convo->plan.after;
	outcome.messages = convo->groups.messages;
	outcome.left =
	    outcome.messages - convo->gone + (convo->ours.n > 0 ? 1 : 0);
	outcome.limits = &convo->plan.limits;
	outcome.plan = &convo->plan;
	outcome.over = outcome.after > outcome.limits->budget;
	outcome.trouble = trouble;
	return p->options->ended(p->options->user, &outcome, err);
}

/* Ranks the items, if the conversation has passed its trigger at all. */
static int
rank(struct convo *convo, struct ctx_err *err)
{
	if (!ctx_plan_due(&convo->plan, &convo->groups))
		return 0;
	return ctx_scorer_rank(convo->scorer, &convo->groups, err);
}

static int
conclude(struct prune *p, struct convo *convo, struct ctx_err *err)
{
	struct ctx_err trouble;
	bool failed = false;

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
	if (failed) {
		memset(convo->plan.marks, 0, convo->groups.n);
		ctx_plan_total(&convo->plan, &convo->groups);
	}
	if (settle(p, convo, err) < 0 || relink_lines(p, convo, err) < 0)
		return -1;
	/* On disk before the stream says that it has gone. */
	if (p->options->archive != NULL &&
	    ctx_archive_sync(p->options->archive, err) < 0)
		return -1;
	return report(p, convo, failed ? &trouble : NULL, err);
}

/* The entry before which a message of ours stands: behind the leading
 * system messages. */
static size_t
place_of_ours(const struct convo *convo)
{
	size_t i, item = 0;

	for (i = 0; i < convo->n; item += convo->entries[i].items, i++)
		if (!convo->entries[i].gone &&
		    !(convo->groups.items[item].flags &
			(CTX_ITEM_SYSTEM | CTX_ITEM_UNKNOWN)))
			break;
	return i;
}

/* Writes our message as a line that ends as its neighbour does. */
static int
write_ours(struct prune *p, const struct convo *convo, size_t at,
    struct ctx_err *err)
{
	const struct entry *near;
	size_t i = at;
	bool crlf;

	/* The line before it, or else the one behind. */
	while (i > 0 && convo->entries[i - 1].gone)
		i--;
	near = &convo->entries[i > 0 ? i - 1 : at];
	crlf = near->n > 1 && near->text[near->n - 2] == '\r';

	if (ctx_writer_copy(p->writer, convo->ours.p, convo->ours.n, err) < 0 ||
	    ctx_writer_copy(p->writer, crlf ? "\r\n" : "\n", crlf ? 2 : 1,
		err) < 0)
		return -1;
	return ctx_writer_mark(p->writer, err);
}

static int
write_entry(struct prune *p, struct entry *entry, struct ctx_err *err)
{
	if (entry->gone)
		return 0;
	if (entry->line != 0 && ctx_live_gone(p->stream->live, entry->line))
		return 0;
	if (ctx_writer_put(p->writer, entry->text, entry->n, err) < 0)
		return -1;
	return ctx_writer_mark(p->writer, err);
}

static int
write_lines(struct prune *p, struct ctx_err *err)
{
	struct convo *convo = &p->lines;
	size_t i, at = convo->ours.n > 0 ? place_of_ours(convo) : SIZE_MAX;

	for (i = 0; i < convo->n && !p->options->dry_run; i++)
		if ((i == at && write_ours(p, convo, at, err) < 0) ||
		    write_entry(p, &convo->entries[i], err) < 0)
			return -1;
	if (ctx_writer_flush(p->writer, err) < 0)
		return -1;
	ctx_convo_clear(convo);
	return 0;
}

/* ---- records ---- */

/* Takes a copy of a record among the held ones. */
static struct entry *
hold(struct prune *p, const struct ctx_event *event, struct ctx_str text,
    struct ctx_err *err)
{
	struct entry *entry = ctx_convo_entry(&p->lines, err);

	if (entry == NULL)
		return NULL;
	entry->text = malloc(text.n + (text.n == 0));
	if (entry->text == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	memcpy(entry->text, text.p, text.n);
	entry->n = text.n;
	entry->line = event->line;
	entry->file = event->record->file;
	entry->number = event->record->line;
	p->lines.bytes += text.n;
	return entry;
}

/* Passes on what is no message of the stream, in its place.  A line of a
 * transcript is held, because it may name one that goes. */
static int
pass(struct prune *p, const struct ctx_event *event, struct ctx_str text,
    struct ctx_err *err)
{
	struct entry *entry;

	if (p->lines.open || event->line != 0) {
		entry = hold(p, event, text, err);
		return entry == NULL ? -1
				     : add_unknown(&p->lines, entry, err);
	}
	if (p->options->dry_run)
		return 0;
	if (text.p == event->record->text.p
		? ctx_writer_put(p->writer, text.p, text.n, err) < 0
		: ctx_writer_copy(p->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_mark(p->writer, err);
}

/* White space goes with the record before it. */
static int
add_blank(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_record *record = event->record;
	struct convo *convo = &p->lines;
	struct entry *last;
	char *grown;

	if (convo->n == 0)
		return pass(p, event, record->text, err);
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

/* A message of the stream. */
static int
add_line(struct prune *p, const struct ctx_event *event, struct ctx_err *err)
{
	struct entry *entry;

	if (!p->lines.open && begin(p, &p->lines, event, err) < 0)
		return -1;
	entry = hold(p, event, event->record->text, err);
	if (entry == NULL)
		return -1;
	entry->dialect = event->shape->dialect;
	if (add_message(p, &p->lines, entry, event->view, err) < 0)
		return -1;
	return look(p, &p->lines, err);
}

/* An element of a record's conversation. */
static int
add_element(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct entry *entry = ctx_convo_entry(&p->record, err);

	if (entry == NULL)
		return -1;
	entry->node = event->node;
	entry->dialect = event->shape->dialect;
	entry->file = event->record->file;
	entry->number = event->record->line;
	if (event->kind == CTX_EVENT_UNKNOWN)
		return add_unknown(&p->record, entry, err);
	return add_message(p, &p->record, entry, event->view, err);
}

/* Notes which elements of the array go. */
static int
drop_elements(struct prune *p, uint32_t array, struct ctx_err *err)
{
	struct convo *convo = &p->record;
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
	rc = ctx_edit_drop(&p->edits, p->source, array, drop, err);
	free(drop);
	return rc;
}

/* Notes that our message goes in, with the separators of its neighbour. */
static int
insert_ours(struct prune *p, struct ctx_err *err)
{
	struct convo *convo = &p->record;
	size_t at = place_of_ours(convo), gap;
	const char *start;

	if (convo->ours.n == 0 || at == convo->n)
		return 0;
	start = ctx_json_str(p->source, convo->entries[at].node).p;
	for (gap = 0; strchr(" \t\r\n", start[-1 - (ptrdiff_t)gap]) != NULL;
	    gap++)
		continue;
	if (ctx_buf_add(&convo->ours, ",", 1, err) < 0 ||
	    ctx_buf_add(&convo->ours, start - gap, gap, err) < 0)
		return -1;
	return ctx_edit_replace(&p->edits, (struct ctx_str){start, 0},
	    convo->ours.p, convo->ours.n, err);
}

/* Decides a record's conversation; its edits wait for the record's end. */
static int
end_record(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	p->source = event->record->json;
	if (conclude(p, &p->record, err) < 0 ||
	    drop_elements(p, event->shape->messages, err) < 0 ||
	    insert_ours(p, err) < 0)
		return -1;
	ctx_convo_clear(&p->record);
	return 0;
}

/* A record that was no message of the stream is over. */
static int
pass_record(struct prune *p, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_record *record = event->record;
	int rc;

	if (record->kind == CTX_RECORD_BLANK)
		return add_blank(p, event, err);
	if (p->edits.n == 0)
		return pass(p, event, record->text, err);
	p->out.n = 0;
	if (ctx_edits_apply(&p->edits, record->text, &p->out, err) < 0)
		return -1;
	rc = pass(p, event, (struct ctx_str){p->out.p, p->out.n}, err);
	ctx_edits_reset(&p->edits);
	return rc;
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
		/* A message of the stream is held already. */
		if (event->shape->kind == CTX_SHAPE_MESSAGE)
			return 0;
		return pass_record(p, event, err);
	}
	return 0;
}

static int
run(struct prune *p, struct ctx_err *err)
{
	struct ctx_event event;
	int rc;

	while ((rc = ctx_stream_next(p->stream, &event, err)) > 0)
		if (one_event(p, &event, err) < 0)
			return ctx_stream_fail(p->stream, err);
	if (rc < 0)
		return -1;
	if (p->lines.open && conclude(p, &p->lines, err) < 0)
		return -1;
	return write_lines(p, err);
}

int
ctx_prune(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_meter *meter, struct ctx_prune_options *options,
    struct ctx_err *err)
{
	struct prune p = {0};
	int rc = -1;

	p.stream = stream;
	p.writer = writer;
	p.meter = meter;
	p.options = options;
	ctx_json_init(&p.json, meter->simd);
	if (ctx_groups_init(&p.lines.groups, err) == 0 &&
	    ctx_groups_init(&p.record.groups, err) == 0)
		rc = run(&p, err);
	ctx_convo_release(&p.lines);
	ctx_convo_release(&p.record);
	ctx_view_release(&p.view);
	ctx_json_release(&p.json);
	ctx_edits_release(&p.edits);
	ctx_buf_release(&p.out);
	ctx_buf_release(&p.text);
	return rc;
}
