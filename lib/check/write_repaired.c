/* write_repaired.c - writes the records in memory for which there can be no
 * more findings (violations of rules) */
#include <string.h>

#include "check/repair.h"

/* Writes the tool results that must be inserted after a message: as separate
 * records, or as blocks of the next message.  If they must come after the next
 * message, moves them to it instead. */
static int
write_due_results(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	struct ctx_repair_entry *next =
	    ctx_repair_find_shown(&repair->rewrite->lines, entry);
	struct ctx_str text = ctx_repair_text(repair, entry);
	struct ctx_buf *out = &repair->out;
	bool crlf = text.n > 1 && text.p[text.n - 2] == '\r';
	bool ended = text.n > 0 && text.p[text.n - 1] == '\n';
	const char *eol = crlf && ended ? "\r\n" : "\n";

	if (ctx_repair_results_after_next(entry, entry->has_unnamed, next))
		return ctx_repair_move_results(entry, next, err);
	repair->lines.changed = true;
	out->n = 0;
	if (ctx_repair_results_in_next(entry, next)) {
		text = ctx_repair_text(repair, next);
		text = (struct ctx_str){text.p + next->results_at, 0};
		if (ctx_repair_append_results(out, entry, ",",
			next->nothing_after ? "" : ",", err) < 0 ||
		    ctx_edits_replace(&repair->entry_edits, text, out->p,
			out->n, err) < 0)
			return -1;
		return ctx_rewrite_edit_held(repair->rewrite, &next->held,
		    &repair->entry_edits, err);
	}
	/* Each inserted result gets the line end of the record before it.  If
	 * that record is the last line of the file and has no line end, a line
	 * end is written before the results, but no line end after the
	 * results. */
	if (!ended && ctx_buf_add(out, eol, strlen(eol), err) < 0)
		return -1;
	if (ctx_repair_append_result_messages(out, entry, eol, err) < 0 ||
	    (ended && ctx_buf_add(out, eol, strlen(eol), err) < 0))
		return -1;
	return ctx_rewrite_write(repair->rewrite,
	    (struct ctx_str){out->p, out->n}, false, err);
}

/* Adds the edit that inserts a user message (as a record) before a record. */
static int
insert_leading_record(struct ctx_repair *repair,
    const struct ctx_repair_entry *entry, struct ctx_err *err)
{
	struct ctx_str text = ctx_repair_text(repair, entry);
	bool crlf = text.n > 1 && text.p[text.n - 2] == '\r';

	repair->out.n = 0;
	if (ctx_buf_printf(&repair->out, err, "%s%s", entry->held.dialect->lead,
		crlf ? "\r\n" : "\n") < 0)
		return -1;
	return ctx_edits_replace(&repair->rewrite->edits,
	    (struct ctx_str){text.p, 0}, repair->out.p, repair->out.n, err);
}

static int
write_repaired(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	size_t from = ctx_repair_pass_change(&repair->lines, entry);

	/* If a record was removed, the blank lines after this record are
	 * removed, too. */
	if (entry->removed || (entry->blank && repair->after_removed)) {
		repair->after_removed = true;
		return 0;
	}
	repair->after_removed = false;
	if (ctx_repair_record_reasoning(repair, entry, from, err) < 0 ||
	    (entry->lead_before &&
		insert_leading_record(repair, entry, err) < 0) ||
	    ctx_rewrite_write(repair->rewrite, ctx_repair_text(repair, entry),
		entry->held.text == NULL, err) < 0)
		return -1;
	return ctx_repair_has_due_results(entry)
	    ? write_due_results(repair, entry, err)
	    : 0;
}

/* Returns true if the result of a tool call of the message may still come, and
 * replace the inserted one. */
static bool
waits_for_late(const struct ctx_held_queue *queue,
    const struct ctx_repair_entry *entry)
{
	const struct ctx_repair_entry *newest =
	    ctx_held_queue_at(queue, queue->end - 1);

	return entry->waits_for_late &&
	    newest->message - entry->message < CTX_LATE_MESSAGES;
}

/* Writes the records at the beginning of the queue for which there can be no
 * more findings (violations of rules). first_undecided: index of the first
 * message for which there can be findings. ended: true at the end of the
 * conversation. */
static int
write_decided_entries(struct ctx_repair *repair, uint64_t first_undecided,
    bool ended, struct ctx_err *err)
{
	struct ctx_held_queue *queue = &repair->rewrite->lines;
	struct ctx_repair_entry *entry;

	while (queue->first < queue->end) {
		entry = ctx_held_queue_at(queue, queue->first);
		if (entry->held.dialect != NULL &&
		    (entry->message >= first_undecided ||
			(!ended && waits_for_late(queue, entry))))
			break;
		if (write_repaired(repair, entry, err) < 0)
			return -1;
		ctx_held_queue_remove_first(queue);
	}
	return 0;
}

int
ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t first_undecided, struct ctx_err *err)
{
	struct ctx_rewrite *rewrite = repair->rewrite;
	struct ctx_held_queue *queue = &rewrite->lines;
	struct ctx_repair_entry *entry;

	if (event->layout->kind != CTX_LAYOUT_MESSAGE) {
		entry = ctx_repair_append_entry(queue, event, err);
		if (entry == NULL)
			return -1;
		entry->blank = event->record->kind == CTX_RECORD_BLANK;
		if (rewrite->edits.n > 0 &&
		    ctx_rewrite_edit_held(rewrite, &entry->held,
			&rewrite->edits, err) < 0)
			return -1;
	}
	if (write_decided_entries(repair, first_undecided, false, err) < 0)
		return -1;
	if (queue->first == queue->end)
		return 0;
	/* The texts of all other records in the queue have already been copied
	 * to memory. */
	entry = ctx_held_queue_at(queue, queue->end - 1);
	return entry->held.text != NULL
	    ? 0
	    : ctx_rewrite_hold(rewrite, &entry->held, event, err);
}

int
ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err)
{
	return write_decided_entries(repair, UINT64_MAX, true, err);
}
