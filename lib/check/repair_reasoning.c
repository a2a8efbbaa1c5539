/*
 * repair_reasoning.c - removes signed reasoning that the provider would refuse,
 * because a repair has changed something before the reasoning
 *
 * A conversation is written in order, and all repairs of a message are known
 * before the message is written.  So the queue knows whether anything that is
 * sent to the model was changed before the next message.  A removed cache
 * breakpoint does not count as a change.
 */
#include "check/repair.h"
#include "stream/bound_reasoning.h"

size_t
ctx_repair_pass_change(struct ctx_repair_changes *changes,
    const struct ctx_repair_entry *entry)
{
	bool before = changes->changed || entry->lead_before;

	changes->changed =
	    before || entry->removed || entry->changed_from != SIZE_MAX;
	if (!changes->binds || entry->held.dialect == NULL || entry->removed)
		return SIZE_MAX;
	return before ? 0 : entry->changed_from;
}

/* Reports each block of signed reasoning that ends after the offset "from" in
 * the message that was parsed last. */
static int
report_removed_reasoning(struct ctx_repair *repair,
    const struct ctx_repair_entry *entry, size_t from, struct ctx_err *err)
{
	const struct ctx_message *message = &repair->rewrite->text_message;
	struct ctx_finding finding = {.id = CTX_RULE_BOUND_REASONING,
	    .place = entry->place,
	    .what = "the provider refuses signed reasoning after a repair"};
	struct ctx_change fix = {.finding = &finding,
	    .action = "drop",
	    .role = entry->role};
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (!ctx_bound_block_after(message, i, from))
			continue;
		fix.bytes =
		    ctx_json_str(message->json, message->blocks[i].removable);
		if (ctx_repair_report(repair, &fix, err) < 0)
			return -1;
	}
	return 0;
}

/* Parses the JSON text of a message in the queue as it will be written.
 * Returns 1 if the message has bound reasoning that ends after the offset
 * "from" and must be removed.  Returns 0 if it has none; if options->reasoning
 * keeps it; if the provider drops it; or in a trial, which only sets
 * repair->refused and refused_at. Returns -1 with *err after an error. */
static int
find_reasoning(struct ctx_repair *repair, const struct ctx_repair_entry *entry,
    enum ctx_binding binds, struct ctx_str text, size_t from,
    struct ctx_err *err)
{
	enum ctx_reasoning reasoning = repair->options->reasoning;
	int rc = ctx_rewrite_read_text(repair->rewrite, entry->held.dialect,
	    text, 0, err);

	if (rc <= 0 ||
	    !ctx_bound_after(&repair->rewrite->text_message, binds, from))
		return rc < 0 ? -1 : 0;
	if (repair->trial) {
		if (!repair->refused)
			repair->refused_at = entry->place;
		repair->refused = true;
		return 0;
	}
	if (binds == CTX_BINDS_DROPPED) {
		repair->options->reasoning_dropped++;
		return 0;
	}
	if (reasoning == CTX_REASONING_DROP)
		repair->options->reasoning_removed++;
	else
		repair->options->reasoning_kept++;
	return reasoning == CTX_REASONING_DROP;
}

/* Reports the signed reasoning that find_reasoning has found, and adds the
 * edits that remove it. */
static int
remove_reasoning(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t from, struct ctx_edits *edits, struct ctx_err *err)
{
	if (ctx_repair_archive(repair, entry, err) < 0 ||
	    report_removed_reasoning(repair, entry, from, err) < 0)
		return -1;
	return ctx_bound_remove(edits, &repair->rewrite->text_message, from,
	    err);
}

int
ctx_repair_record_reasoning(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, size_t from, struct ctx_err *err)
{
	int rc;

	if (from == SIZE_MAX)
		return 0;
	rc = find_reasoning(repair, entry, repair->lines.binds,
	    ctx_repair_text(repair, entry), from, err);
	return rc <= 0 ? rc
		       : remove_reasoning(repair, entry, from,
			     &repair->rewrite->edits, err);
}

/* If a message inside a record has signed reasoning that must be removed, adds
 * an edit that replaces the whole message.  The new text is the message after
 * all other edits, without the signed reasoning. n: number of edits that the
 * record had before any signed reasoning was removed; the caller must have
 * merged these edits. */
static int
replace_message(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    size_t n, struct ctx_err *err)
{
	struct ctx_edits *edits = &repair->rewrite->edits;
	struct ctx_str old = ctx_repair_text(repair, entry), text;
	size_t first, from;
	int rc;

	n = ctx_edits_inside(edits, n, old, &first);
	from = ctx_edits_destination(edits, first, n, old, entry->changed_from);
	repair->added.n = 0;
	if (ctx_edits_apply_some(edits, first, n, old, &repair->added, err) < 0)
		return -1;
	text = (struct ctx_str){repair->added.p, repair->added.n};
	rc =
	    find_reasoning(repair, entry, repair->inner.binds, text, from, err);
	if (rc <= 0)
		return rc;
	repair->out.n = 0;
	if (remove_reasoning(repair, entry, from, &repair->entry_edits, err) <
		0 ||
	    ctx_edits_apply(&repair->entry_edits, text, &repair->out, err) < 0)
		return -1;
	ctx_edits_reset(&repair->entry_edits);
	return ctx_edits_replace(edits, old, repair->out.p, repair->out.n, err);
}

int
ctx_repair_inner_reasoning(struct ctx_repair *repair, struct ctx_err *err)
{
	const struct ctx_held_queue *queue = &repair->rewrite->elements;
	struct ctx_edits *edits = &repair->rewrite->edits;
	struct ctx_repair_entry *entry;
	size_t i, n;

	if (!repair->inner.binds || !repair->inner.changed)
		return 0;
	ctx_edits_merge(edits);
	n = edits->n;
	for (i = queue->first; i < queue->end; i++) {
		entry = ctx_held_queue_at(queue, i);
		if (entry->changed_from != SIZE_MAX &&
		    replace_message(repair, entry, n, err) < 0)
			return -1;
	}
	return 0;
}
