/* spool_reasoning.c - removes bound reasoning from a message, and stores the
 * original of the message in a file; bound reasoning is signed reasoning that
 * the provider refuses if anything before it was changed */
#include "age/age_queue.h"
#include "stream/bound_reasoning.h"

/* Applies the edits of a message.  Writes the result to aging->unstripped, and
 * the result without its signed reasoning to aging->stripped. value: JSON of
 * the message before the edits. */
static int
strip_message(struct aging *aging, const struct age_entry *entry,
    struct ctx_str value, struct ctx_err *err)
{
	aging->unstripped.n = aging->stripped.n = 0;
	ctx_edits_reset(&aging->strip_edits);
	if (ctx_edits_apply_some(&aging->rewrite.edits, entry->first_edit,
		entry->edits, value, &aging->unstripped, err) < 0 ||
	    ctx_rewrite_read_text(&aging->rewrite, entry->held.dialect,
		ctx_buf_str(&aging->unstripped), entry->held.flags, err) < 0)
		return -1;
	return ctx_bound_remove(&aging->strip_edits,
		   &aging->rewrite.text_message, 0, err) < 0
	    ? -1
	    : ctx_edits_apply(&aging->strip_edits,
		  ctx_buf_str(&aging->unstripped), &aging->stripped, err);
}

/* Stores aging->unstripped, the message with its reasoning, in a spool file.
 * The name of the file is computed from aging->stripped, the message without
 * its reasoning, so that ctx-restore finds the file.  Does nothing in a dry
 * run, or with the option mask. */
static int
store_unstripped_message(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	const struct ctx_str pieces[] = {{aging->unstripped.p,
					     aging->unstripped.n},
	    {"\n", 1}};

	if (aging->options->mask || aging->options->report.dry_run)
		return 0;
	if (ctx_reasoning_name(&aging->name, ctx_buf_str(&aging->stripped),
		&entry->place, err) < 0 ||
	    ctx_age_open_spool(aging, err) < 0)
		return -1;
	return ctx_spool_put(&aging->spool, aging->name.p, pieces, 2, err);
}

/* Sets *value to the JSON of a message in the queue as it was read, before its
 * edits. */
static int
find_message_json(struct aging *aging, const struct ctx_held_message *held,
    struct ctx_str *value, struct ctx_err *err)
{
	const struct ctx_json *json = aging->rewrite.record->json;

	if (held->text != NULL) {
		if (ctx_rewrite_scan(&aging->rewrite, held, err) < 0)
			return -1;
		json = &aging->rewrite.json;
	}
	*value = ctx_json_str(json, held->node);
	return 0;
}

/* Removes the signed reasoning of a message.  Replaces all edits of the message
 * by a single edit of its whole JSON.  If the original cannot be stored, only
 * reports this. */
static int
remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_err *err)
{
	struct ctx_str value;

	if (find_message_json(aging, &entry->held, &value, err) < 0 ||
	    strip_message(aging, entry, value, err) < 0)
		return -1;
	if (store_unstripped_message(aging, entry, err) < 0) {
		ctx_bound_count(&aging->counts->bound, &queue->bound_end,
		    entry->message);
		return ctx_age_report_failure(aging, entry, 0, 1, err);
	}
	ctx_bound_count(&aging->pending_reasoning, &queue->bound_end,
	    entry->message);
	aging->rewrite.edits.n = entry->first_edit;
	entry->edits = 1;
	return ctx_edits_replace(&aging->rewrite.edits, value,
	    aging->stripped.p, aging->stripped.n, err);
}

int
ctx_age_remove_reasoning(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_err *err)
{
	entry->has_aged_results = entry->edits > 0;
	if (entry->edits == 0)
		entry->first_edit = aging->rewrite.edits.n;
	if (!(queue->changed || entry->has_aged_results) || !entry->is_bound)
		return 0;
	if (queue->binds == CTX_BINDS_DROPPED) {
		aging->counts->dropped++;
		return 0;
	}
	if (aging->options->reasoning == CTX_REASONING_DROP)
		return remove_reasoning(aging, queue, entry, err);
	ctx_bound_count(&aging->counts->bound, &queue->bound_end,
	    entry->message);
	return 0;
}
