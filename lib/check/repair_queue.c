/* repair_queue.c - keeps records and messages in memory until they are repaired
 * and written */
#include <stdlib.h>
#include <string.h>

#include "check/repair.h"

static void
release_results(void *entry)
{
	struct ctx_repair_entry *released = entry;

	free(released->results);
	ctx_buf_release(&released->results_text);
}

const struct ctx_held_queue ctx_repair_entries = {
    .entry_size = sizeof(struct ctx_repair_entry),
    .release = release_results,
};

static void
release_changes(struct ctx_repair_changes *changes)
{
	ctx_intern_release(&changes->filled);
	free(changes->filled_calls);
}

void
ctx_repair_release(struct ctx_repair *repair)
{
	ctx_edits_release(&repair->entry_edits);
	release_changes(&repair->lines);
	release_changes(&repair->inner);
	free(repair->late);
	ctx_buf_release(&repair->added);
	ctx_buf_release(&repair->removed);
	ctx_buf_release(&repair->out);
	ctx_buf_release(&repair->id);
	ctx_buf_release(&repair->spare);
	memset(repair, 0, sizeof *repair);
}

struct ctx_repair_entry *
ctx_repair_append_entry(struct ctx_held_queue *queue,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_repair_entry *entry = ctx_held_queue_add(queue, event, err);

	if (entry == NULL)
		return NULL;
	entry->changed_from = SIZE_MAX;
	if (queue->end - 1 > queue->first)
		entry->message = entry[-1].message;
	return entry;
}

struct ctx_repair_entry *
ctx_repair_find_entry(const struct ctx_held_queue *queue, uint64_t message)
{
	size_t low = queue->first, high = queue->end, mid;
	struct ctx_repair_entry *entry;

	while (low < high) {
		mid = low + (high - low) / 2;
		entry = ctx_held_queue_at(queue, mid);
		if (entry->message < message)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < queue->end; low++) {
		entry = ctx_held_queue_at(queue, low);
		if (entry->held.dialect != NULL)
			return entry->message == message ? entry : NULL;
	}
	return NULL;
}

struct ctx_repair_entry *
ctx_repair_find_shown(const struct ctx_held_queue *queue,
    struct ctx_repair_entry *entry)
{
	const struct ctx_repair_entry *last =
	    ctx_held_queue_at(queue, queue->end - 1);

	while (entry < last) {
		entry++;
		if (entry->held.dialect != NULL && !entry->removed &&
		    !(entry->held.flags & CTX_MESSAGE_HIDDEN))
			return entry;
	}
	return NULL;
}

struct ctx_str
ctx_repair_text(const struct ctx_repair *repair,
    const struct ctx_repair_entry *entry)
{
	return entry->held.text == NULL && !entry->place.inside
	    ? repair->rewrite->record->text
	    : ctx_rewrite_text(repair->rewrite, &entry->held);
}

int
ctx_repair_archive(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	struct ctx_change change = {.bytes = ctx_repair_text(repair, entry)};
	struct ctx_str *text = &change.bytes;

	if (repair->trial || entry->archived)
		return 0;
	while (text->n > 0 && strchr(" \t\r\n", text->p[text->n - 1]) != NULL)
		text->n--;
	entry->archived = true;
	return ctx_report_keep(repair->rewrite->report, &change, err);
}

int
ctx_repair_report(const struct ctx_repair *repair, struct ctx_change *fix,
    struct ctx_err *err)
{
	const struct ctx_finding *finding = fix->finding;

	if (repair->trial)
		return 0;
	repair->options->repaired++;
	fix->file = finding->place.file;
	fix->line = finding->place.line;
	fix->rule = ctx_rule_at(finding->id)->id;
	return ctx_report_notify(repair->rewrite->report, fix, err);
}

void
ctx_repair_note_change(struct ctx_repair_entry *entry, size_t at)
{
	if (at < entry->changed_from)
		entry->changed_from = at;
}
