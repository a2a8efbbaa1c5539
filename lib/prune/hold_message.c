/*
 * hold_message.c - a message is taken among those that are held
 *
 * What the plan must know of it beside its tokens is worked out here, while
 * it can be read: whether the user pinned it, which of its results may be
 * edited, what is ours in it, and what a notice before it would cost.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"

/* Does the part hold a text, or name a tool, that is to stay? */
static int
holds_pin(struct prune *p, const struct ctx_message *view,
    const struct ctx_block *part, bool *pinned, struct ctx_err *err)
{
	struct ctx_prune_options *options = p->options;
	struct ctx_str text;

	if (options->pin_text.n > 0 && part->value != 0 &&
	    part->kind != CTX_BLOCK_MEDIA) {
		p->text.n = 0;
		if (ctx_json_text(view->json, part->value, &p->text, &text,
			err) < 0)
			return -1;
		*pinned = ctx_pattern_match(&options->pin_text, text.p, text.n,
		    &p->match_left);
		ctx_buf_reset(&p->text);
	}
	if (*pinned || options->pin_tool.n == 0 || part->name == 0)
		return 0;
	p->text.n = 0;
	if (ctx_block_tool(view->json, part, &p->text, &text, err) < 0)
		return -1;
	*pinned = ctx_pattern_match(&options->pin_tool, text.p, text.n,
	    &p->match_left);
	return 0;
}

/* Did the user ask for this message to stay? */
static int
is_pinned(struct prune *p, const struct ctx_message *view, bool *pinned,
    struct ctx_err *err)
{
	size_t i;

	*pinned = p->options->pin_roles >> view->role & 1;
	for (i = 0; i < view->n && !*pinned; i++)
		if (holds_pin(p, view, &view->parts[i], pinned, err) < 0)
			return -1;
	return 0;
}

/* A result is pinned by the name of the tool whose call it answers. */
static void
pin_by_call(struct prune *p, struct ctx_groups *groups, size_t first)
{
	struct ctx_str tool;

	for (; p->options->pin_tool.n > 0 && first < groups->n; first++) {
		tool = ctx_intern_at(&groups->tools, groups->items[first].tool);
		if (tool.n > 0 &&
		    ctx_pattern_match(&p->options->pin_tool, tool.p, tool.n,
			&p->match_left))
			groups->items[first].flags |= CTX_SEGMENT_PINNED;
	}
}

/* May the results of this tool (number 0: unknown) be edited? */
static bool
is_spared(struct prune *p, const struct ctx_groups *groups, uint32_t number)
{
	struct ctx_prune_options *options = p->options;
	struct ctx_str tool = ctx_intern_at(&groups->tools, number);

	return !ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
	    tool.n, &p->match_left);
}

/* Finds the results of a message that are not to be edited, and takes what
 * clearing them would save out of its cost. */
static int
spare_results(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, const struct ctx_message *view,
    struct ctx_cost *cost, struct ctx_err *err)
{
	size_t i, result = 0;
	uint32_t tool;
	uint64_t saved;
	struct ctx_str left;

	if (p->options->tool.n + p->options->not_tool.n == 0)
		return 0;
	for (i = 0; i < view->n; i++) {
		if (view->parts[i].kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if (ctx_groups_tool(&convo->groups, entry->dialect, view, i,
			&tool, err) < 0)
			return -1;
		result++;
		if (!is_spared(p, &convo->groups, tool))
			continue;
		if (entry->spared == NULL)
			entry->spared = calloc(view->n, sizeof(bool));
		if (entry->spared == NULL)
			return ctx_err_nomem(err);
		entry->spared[result - 1] = true;
		if (ctx_count_clear_savings(convo->measure.counter,
			entry->dialect, view, i, &left, &saved, err) < 0)
			return -1;
		cost->bodies -= saved;
	}
	return 0;
}

/* What cutting an item to its ends would save, where that may happen. */
static int
measure_ends(struct prune *p, struct held_conversation *convo,
    const struct held_message *entry, const struct ctx_message *view,
    size_t first, struct ctx_err *err)
{
	const struct ctx_prune_settings *limits = &convo->plan.limits;
	struct ctx_segment *items = convo->groups.items;
	size_t i;

	if (!limits->policy->cuts || limits->level < CTX_LEVEL_AGGRESSIVE)
		return 0;
	for (i = first; i < convo->groups.n; i++) {
		if (items[i].flags & CTX_SEGMENT_SYSTEM)
			continue;
		if (ctx_head_tail_save(p, entry->dialect, view,
			convo->measure.counter,
			!(items[i].flags & CTX_SEGMENT_REST),
			!(items[i].flags & CTX_SEGMENT_RESULTS), entry->spared,
			&items[i].ends, err) < 0)
			return -1;
	}
	return 0;
}

/* What a notice before an item that opens a turn would cost. */
static int
price_notice(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, const struct ctx_message *view,
    struct ctx_segment *item, struct ctx_err *err)
{
	const char *notice = p->options->notice;
	enum insertion_form form =
	    entry->dialect->note_part == NULL ? NOTE_MESSAGE : NOTE_BLOCK;
	struct ctx_str text = {notice, 0}, string;
	uint64_t price;

	/* An earlier summary in the message tells of what went. */
	if (notice == NULL || convo->plan.limits.policy->summarizes ||
	    (item->flags & CTX_SEGMENT_WITH_SUMMARY) ||
	    !((item->flags & CTX_SEGMENT_USER) ||
		(view->flags & CTX_MESSAGE_WHOLE_TURN)) ||
	    !ctx_insertion_fits(entry->dialect, view))
		return 0;
	text.n = strlen(notice);
	string = ctx_insertion_string(p, entry->dialect, view);
	if (string.n > 0) {
		if (ctx_insertion_cost(p, convo->measure.counter,
			entry->dialect, NOTE_STRING, false, text, string,
			&price, err) < 0)
			return -1;
		item->note = price > UINT32_MAX ? 0 : (uint32_t)price;
		return 0;
	}
	if (convo->priced != entry->dialect) {
		if (ctx_insertion_cost(p, convo->measure.counter,
			entry->dialect, form, false, text, string, &price,
			err) < 0)
			return -1;
		convo->priced = entry->dialect;
		convo->price = price;
		if (price == 0)
			convo->unnoted = entry->dialect;
	}
	item->note = convo->price > UINT32_MAX ? 0 : (uint32_t)convo->price;
	return 0;
}

/* Notes the part of a message that is ours. */
static int
note_own(struct prune *p, struct held_conversation *convo,
    const struct held_message *entry, const struct ctx_message *view,
    const struct found_insertion *found, struct ctx_segment *item,
    struct ctx_err *err)
{
	uint64_t tokens;

	if (found->whole || !(found->summary || found->notice))
		return 0;
	if (ctx_insertion_weigh(p, convo->measure.counter, entry->dialect, view,
		found, &tokens, err) < 0)
		return -1;
	item->own = (uint32_t)tokens;
	item->flags |=
	    found->summary ? CTX_SEGMENT_WITH_SUMMARY : CTX_SEGMENT_WITH_NOTICE;
	return 0;
}

int
ctx_prune_hold_unknown(struct held_conversation *convo,
    struct held_message *entry, struct ctx_err *err)
{
	entry->dialect = NULL;
	entry->items = 1;
	entry->message = convo->groups.messages;
	return ctx_groups_add_unknown(&convo->groups, entry->line != 0, err);
}

int
ctx_prune_hold_message(struct prune *p, struct held_conversation *convo,
    struct held_message *entry, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_message *view = event->view;
	struct ctx_groups *groups = &convo->groups;
	size_t first = groups->n, i;
	struct found_insertion found;
	struct ctx_cost cost;
	unsigned flags = 0;
	bool pinned;

	entry->continues = (view->flags & CTX_MESSAGE_CONTINUES) != 0;
	entry->message = entry->line == 0
	    ? groups->messages
	    : ctx_transcript_message_index(p->stream->live, entry->line,
		  groups->messages);
	ctx_insertion_find(p->options, entry->dialect, view, &found);
	if (found.whole)
		flags = (found.summary ? CTX_SEGMENT_SUMMARY : 0u) |
		    (found.notice ? CTX_SEGMENT_NOTICE : 0u);
	p->match_left = CTX_PATTERN_TIME;
	if (is_pinned(p, view, &pinned, err) < 0)
		return -1;
	/* A summary of ours may go though its format has it stay. */
	if (pinned || (flags == 0 && (view->flags & CTX_MESSAGE_PINNED)))
		flags |= CTX_SEGMENT_PINNED;
	if (convo->plan.limits.policy->pins_first)
		groups->pinned = convo->plan.limits.keep_first;
	if (ctx_stream_cost(event, convo->measure.counter, &cost, err) < 0 ||
	    spare_results(p, convo, entry, view, &cost, err) < 0 ||
	    ctx_groups_add(groups, entry->dialect, view, &cost, flags, err) < 0)
		return -1;
	if (entry->dialect->rules & CTX_ALTERNATES)
		convo->plan.limits.alternates = true;
	pin_by_call(p, groups, first);
	if (note_own(p, convo, entry, view, &found,
		&groups->items[groups->n - 1], err) < 0 ||
	    price_notice(p, convo, entry, view, &groups->items[groups->n - 1],
		err) < 0 ||
	    measure_ends(p, convo, entry, view, first, err) < 0)
		return -1;
	if (convo->scorer != NULL &&
	    ctx_scorer_add(convo->scorer, view, groups, first, err) < 0)
		return -1;
	for (i = first; convo->answers && i < groups->n; i++)
		groups->items[i].flags |= CTX_SEGMENT_PINNED;
	entry->items = (uint32_t)(groups->n - first);
	return 0;
}
