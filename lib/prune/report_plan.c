/* report_plan.c - archives and reports the changes that pruning makes in
 * messages */
#include <stdlib.h>

#include "prune/held_conversation.h"
#include "prune/plan.h"

/* Returns true if bound reasoning is removed from a message.  Bound reasoning
 * is reasoning that the provider does not take if anything before it was
 * changed. first: index of the message's first segment (message or part of
 * one). */
static bool
loses_bound_reasoning(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first)
{
	for (size_t i = first; i < first + entry->n_segments; i++)
		if (ctx_plan_must_strip(&conversation->plan,
			&conversation->groups.segments[i]))
			return true;
	return false;
}

/* Sets pending->cuts_arguments. first: index of the message's first segment. */
static int
note_arguments(struct held_conversation *conversation,
    struct prune_entry *entry, size_t first, struct ctx_err *err)
{
	struct passages removed;
	bool only = true;

	for (size_t i = first; i < first + entry->n_segments; i++) {
		if (!(conversation->plan.marks[i] & CTX_MARK_PASSAGES))
			continue;
		if (ctx_scorer_find_removed(conversation->scorer, i, &removed,
			err) < 0)
			return -1;
		for (size_t k = 0; k < removed.n; k++)
			only &= removed.list[k].to == 0;
	}
	entry->pending->cuts_arguments = only;
	return 0;
}

/* Returns a text for --explain that says why a message is edited. first: index
 * of the message's first segment. */
static const char *
find_edit_rule(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first, unsigned marks)
{
	static const struct {
		unsigned marks;
		const char *rule;
	} rules[] = {
	    {CTX_MARK_STRIP, "reasoning"},
	    {CTX_MARK_CLEAR, "old results"},
	    {CTX_MARK_STRIP | CTX_MARK_CLEAR, "reasoning, results"},
	    {CTX_MARK_HEAD_TAIL, "long texts"},
	    {CTX_MARK_STRIP | CTX_MARK_HEAD_TAIL, "reasoning, texts"},
	    {CTX_MARK_PASSAGES, "passages"},
	    {CTX_MARK_STRIP | CTX_MARK_PASSAGES, "reasoning, passages"},
	    {CTX_MARK_DROP_INSERTION, "earlier notice"},
	};

	if (marks == CTX_MARK_UNLINK)
		return "bound reasoning";
	marks &= ~(unsigned)CTX_MARK_UNLINK;
	if (marks == CTX_MARK_STRIP &&
	    loses_bound_reasoning(conversation, entry, first))
		return "bound reasoning";
	if ((marks & CTX_MARK_PASSAGES) && entry->pending->cuts_arguments)
		return marks == CTX_MARK_PASSAGES ? "arguments"
						  : "reasoning, arguments";
	for (size_t i = 0; i < CTX_LENGTH(rules); i++)
		if (rules[i].marks == marks)
			return rules[i].rule;
	return "several";
}

/* Returns a text for --explain that says why a segment is removed: the
 * strategy's reason for the rank of the segment, or the name of the strategy.
 */
static const char *
find_drop_rule(const struct held_conversation *conversation,
    const struct ctx_segment *segment)
{
	const struct ctx_strategy *strategy =
	    conversation->plan.settings.strategy;

	if (segment->flags & CTX_SEGMENT_NOTICE)
		return "earlier notice";
	return ctx_strategy_reason(strategy, segment->rank);
}

static const char *
find_insertion_rule(const struct insertion *insertion)
{
	return insertion->summary ? "summary" : "notice";
}

/* Describes the change of a message in *change.  The numbers of tokens before
 * and after the change are sums over the message's segments (the message, or
 * its two parts).  Tokens that two segments share are counted once.  If a
 * segment is removed, sets change->rule to the reason. first: index of the
 * message's first segment. */
static void
describe_change(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first, struct ctx_change *change)
{
	const unsigned char *marks = conversation->plan.marks;
	size_t end = first + entry->n_segments;

	change->before = change->after = 0;
	for (size_t i = first; i < end; i++) {
		const struct ctx_segment *segment =
		    &conversation->groups.segments[i];
		uint64_t shared = i + 1 < end ? segment->shared_tokens : 0;

		change->before += segment->tokens - shared;
		change->after += ctx_plan_left(&conversation->plan, i);
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

void
ctx_prune_set_change_place(const struct prune_entry *entry,
    struct ctx_change *change)
{
	change->file = entry->held.file;
	change->line = entry->held.line;
	change->index = entry->message_index;
}

/* Returns a text for --explain that says why a message is changed. dropped: why
 * a part of the message is removed, or NULL if no part is removed. */
static const char *
find_change_rule(const struct held_conversation *conversation,
    const struct prune_entry *entry, size_t first, const char *dropped)
{
	unsigned marks = entry->pending->marks & ~(unsigned)CTX_MARK_NOTICE;

	if (dropped != NULL)
		return dropped;
	return marks == 0 && entry->insertion_number != 0
	    ? find_insertion_rule(ctx_prune_insertion(conversation, entry))
	    : find_edit_rule(conversation, entry, first, marks);
}

int
ctx_prune_record_change(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    size_t first, unsigned marks, struct ctx_err *err)
{
	const struct ctx_report *report = &run->options->report;
	bool is_first = entry->pending == NULL;
	const char *dropped;
	uint64_t before;

	if (!ctx_report_wanted(report))
		return 0;
	if (is_first) {
		entry->pending = calloc(1, sizeof *entry->pending);
		if (entry->pending == NULL)
			return ctx_err_nomem(err);
		ctx_prune_set_change_place(entry, &entry->pending->change);
		if (ctx_prune_text(run, entry, &entry->pending->change.bytes,
			err) < 0 ||
		    ctx_report_keep(report, &entry->pending->change, err) < 0)
			return -1;
	}
	dropped = entry->pending->marks & CTX_MARK_DROP
	    ? entry->pending->change.rule
	    : NULL;
	before = entry->pending->change.before;
	entry->pending->change.rule = dropped;
	describe_change(conversation, entry, first, &entry->pending->change);
	if (!is_first)
		entry->pending->change.before = before;
	entry->pending->marks |= marks;
	if ((marks & CTX_MARK_PASSAGES) &&
	    note_arguments(conversation, entry, first, err) < 0)
		return -1;
	entry->pending->change.rule = find_change_rule(conversation, entry,
	    first, entry->pending->change.rule);
	entry->pending->change.ranked =
	    conversation->plan.settings.strategy->scorer != NULL;
	return 0;
}

/* Reports a message if it is removed.  If ended is true, no more changes will
 * be made; then also reports a message that was edited. */
static int
report_message(struct prune *run, struct prune_entry *entry, bool ended,
    struct ctx_err *err)
{
	struct pending_change *pending = entry->pending;
	bool drop = ctx_prune_entry_is_removed(run, entry);

	if (pending == NULL || pending->done || !(drop || ended))
		return 0;
	pending->change.action = drop ? "drop" : "edit";
	if (drop)
		pending->change.after = 0;
	pending->change.continues = ctx_prune_entry_is_reported(run, entry);
	pending->done = true;
	return ctx_report_notify(&run->options->report, &pending->change, err);
}

/* Reports that a summary or notice (text about removed messages) is inserted
 * before a message or into it. */
static int
report_insertion(struct prune *run,
    const struct held_conversation *conversation,
    const struct prune_entry *entry, struct ctx_err *err)
{
	const struct insertion *insertion =
	    ctx_prune_insertion(conversation, entry);
	struct ctx_change change = {.action = "add", .tool = {"", 0}};

	if (run->options->report.on_change == NULL)
		return 0;
	change.is_block = ctx_insertion_is_block(conversation, entry);
	ctx_prune_set_change_place(entry, &change);
	change.bytes =
	    (struct ctx_str){conversation->inserted_json.p + insertion->json_at,
		insertion->json_n};
	/* A summary or notice at the beginning of the user's string is not a
	 * JSON value of its own, so its text is reported as a JSON string. */
	if (insertion->json_n == 0)
		change.bytes = (struct ctx_str){conversation->inserted_json.p +
			insertion->string_at,
		    insertion->string_n};
	if (entry->pending != NULL && change.is_block) {
		change.role = entry->pending->change.role;
	} else if (!change.is_block) {
		if (ctx_rewrite_read_text(&run->rewrite, entry->held.dialect,
			change.bytes, 0, err) < 0)
			return -1;
		change.role = run->rewrite.text_message.role;
	}
	change.rule = find_insertion_rule(insertion);
	change.after = insertion->tokens;
	return ctx_report_notify(&run->options->report, &change, err);
}

int
ctx_prune_report_changes(struct prune *run,
    struct held_conversation *conversation, bool ended, struct ctx_err *err)
{
	for (size_t i = 0; i < conversation->entries->end; i++) {
		struct prune_entry *entry = ctx_prune_entry_at(conversation, i);

		if ((entry->insertion_number != 0 &&
			report_insertion(run, conversation, entry, err) < 0) ||
		    report_message(run, entry, ended, err) < 0)
			return -1;
	}
	return 0;
}
