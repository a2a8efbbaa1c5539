/* write_repaired.c - writes the records in memory about which there can be no
 * more findings */
#include <string.h>

#include "check/repair.h"

/* Writes a text, unless this is a trial. lasts: true if the caller keeps the
 * bytes until they are written, so that they need not be copied. */
static int
write_text(struct ctx_repair *repair, const char *p, size_t n, bool lasts,
    struct ctx_err *err)
{
	if (repair->rewrite->writer == NULL)
		return 0;
	return lasts ? ctx_writer_put(repair->rewrite->writer, p, n, err)
		     : ctx_writer_copy(repair->rewrite->writer, p, n, err);
}

/* Writes the tool results that must be inserted for an entry: as records of
 * their own, or as blocks of the next message. */
static int
write_due_results(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	struct ctx_repair_entry *next =
	    ctx_repair_find_shown(&repair->lines, entry);
	struct ctx_str text = entry->bytes;
	struct ctx_buf *out = &repair->out;
	bool crlf = text.n > 1 && text.p[text.n - 2] == '\r';
	bool ended = text.n > 0 && text.p[text.n - 1] == '\n';
	const char *eol = crlf && ended ? "\r\n" : "\n";

	if (ctx_repair_results_after_next(entry, entry->has_unnamed, next))
		return ctx_repair_move_results(entry, next, err);
	repair->lines.changed = true;
	out->n = 0;
	if (ctx_repair_results_in_next(entry, next)) {
		text = next->bytes;
		if (ctx_buf_add(out, text.p, next->results_at, err) < 0 ||
		    ctx_repair_append_results(out, entry, ",",
			next->nothing_after ? "" : ",", err) < 0 ||
		    ctx_buf_add(out, text.p + next->results_at,
			text.n - next->results_at, err) < 0)
			return -1;
		return ctx_repair_own(next, out->p, out->n, err);
	}
	/* Each inserted result gets the line end of the record before it.  If
	 * that record is the last line of the file and has no line end, one is
	 * written before the results, and none after them. */
	if (!ended && ctx_buf_add(out, eol, strlen(eol), err) < 0)
		return -1;
	if (ctx_repair_append_result_messages(out, entry, eol, err) < 0 ||
	    (ended && ctx_buf_add(out, eol, strlen(eol), err) < 0))
		return -1;
	return write_text(repair, out->p, out->n, false, err);
}

/* Writes the user message that must be inserted before the record of an
 * entry. */
static int
write_leading_message(struct ctx_repair *repair,
    const struct ctx_repair_entry *entry, struct ctx_err *err)
{
	struct ctx_str text = entry->bytes;
	bool crlf = text.n > 1 && text.p[text.n - 2] == '\r';

	repair->out.n = 0;
	if (ctx_buf_printf(&repair->out, err, "%s%s", entry->held.dialect->lead,
		crlf ? "\r\n" : "\n") < 0)
		return -1;
	return write_text(repair, repair->out.p, repair->out.n, false, err);
}

static int
write_repaired(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	size_t from = ctx_repair_pass_change(&repair->lines, entry);

	/* If a record was removed, the blank lines after it are removed,
	 * too. */
	if (entry->removed || (entry->blank && repair->after_removed)) {
		repair->after_removed = true;
		return 0;
	}
	repair->after_removed = false;
	if (ctx_repair_record_reasoning(repair, entry, from, err) < 0)
		return -1;
	/* The archive is synced to disk before the changed bytes are written.
	 */
	if (repair->options->archive != NULL &&
	    repair->rewrite->writer != NULL &&
	    ctx_archive_sync(repair->options->archive, err) < 0)
		return -1;
	if (entry->lead_before && write_leading_message(repair, entry, err) < 0)
		return -1;
	if (write_text(repair, entry->bytes.p, entry->bytes.n,
		entry->held.text == NULL, err) < 0 ||
	    (ctx_repair_has_due_results(entry) &&
		write_due_results(repair, entry, err) < 0))
		return -1;
	return repair->rewrite->writer == NULL
	    ? 0
	    : ctx_writer_end_record(repair->rewrite->writer, err);
}

/* Writes the entries at the beginning of the queue about which there can be no
 * more findings. first_undecided: index of the first message about which there
 * can be.  Copies the bytes of the remaining entries, because the reader will
 * use its buffer again. */
static int
write_decided_entries(struct ctx_repair *repair, uint64_t first_undecided,
    struct ctx_err *err)
{
	struct ctx_repair_queue *queue = &repair->lines;
	struct ctx_repair_entry *entry;

	while (queue->entries.first < queue->entries.end) {
		entry = ctx_repair_entry_at(queue, queue->entries.first);
		if (entry->held.dialect != NULL &&
		    entry->message >= first_undecided)
			break;
		if (write_repaired(repair, entry, err) < 0)
			return -1;
		ctx_held_queue_remove_first(&queue->entries);
	}
	if (queue->entries.first == queue->entries.end)
		return 0;
	/* All entries before the last one already own their bytes. */
	entry = ctx_repair_entry_at(queue, queue->entries.end - 1);
	return entry->held.text != NULL
	    ? 0
	    : ctx_repair_own(entry, entry->bytes.p, entry->bytes.n, err);
}

int
ctx_repair_take_record(struct ctx_repair *repair, struct ctx_str *text,
    struct ctx_err *err)
{
	if (repair->edits.n == 0)
		return 0;
	repair->out.n = 0;
	ctx_edits_merge(&repair->edits);
	if (ctx_rewrite_encode_edits(repair->rewrite, &repair->edits, *text,
		err) < 0 ||
	    ctx_edits_apply(&repair->edits, *text, &repair->out, err) < 0)
		return -1;
	ctx_edits_reset(&repair->edits);
	*text = (struct ctx_str){repair->out.p, repair->out.n};
	return 0;
}

int
ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t first_undecided, struct ctx_err *err)
{
	struct ctx_repair_entry *entry;

	if (event->layout->kind == CTX_LAYOUT_MESSAGE)
		return write_decided_entries(repair, first_undecided, err);
	entry = ctx_repair_append_entry(&repair->lines, event, err);
	if (entry == NULL)
		return -1;
	entry->bytes = event->record->text;
	entry->blank = event->record->kind == CTX_RECORD_BLANK;
	if (repair->edits.n > 0 &&
	    (ctx_repair_take_record(repair, &entry->bytes, err) < 0 ||
		ctx_repair_own(entry, entry->bytes.p, entry->bytes.n, err) < 0))
		return -1;
	return write_decided_entries(repair, first_undecided, err);
}

int
ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err)
{
	return write_decided_entries(repair, UINT64_MAX, err);
}
