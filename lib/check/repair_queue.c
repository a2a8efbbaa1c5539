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

void
ctx_repair_init(struct ctx_repair *repair)
{
	static const struct ctx_held_queue entries = {
	    .entry_size = sizeof(struct ctx_repair_entry),
	    .release = release_results,
	};

	repair->lines.entries = repair->inner.entries = entries;
}

void
ctx_repair_release(struct ctx_repair *repair)
{
	ctx_held_queue_release(&repair->lines.entries);
	ctx_held_queue_release(&repair->inner.entries);
	ctx_edits_release(&repair->edits);
	ctx_edits_release(&repair->message_edits);
	ctx_edits_release(&repair->entry_edits);
	ctx_buf_release(&repair->added);
	ctx_buf_release(&repair->removed);
	ctx_buf_release(&repair->out);
	ctx_buf_release(&repair->id);
	ctx_buf_release(&repair->spare);
	memset(repair, 0, sizeof *repair);
}

struct ctx_repair_entry *
ctx_repair_append_entry(struct ctx_repair_queue *queue,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_repair_entry *entry =
	    ctx_held_queue_add(&queue->entries, event, err);

	if (entry == NULL)
		return NULL;
	entry->changed_from = SIZE_MAX;
	if (queue->entries.end - 1 > queue->entries.first)
		entry->message = entry[-1].message;
	return entry;
}

struct ctx_repair_entry *
ctx_repair_entry_at(const struct ctx_repair_queue *queue, size_t number)
{
	return ctx_held_queue_at(&queue->entries, number);
}

struct ctx_repair_entry *
ctx_repair_find_entry(const struct ctx_repair_queue *queue, uint64_t message)
{
	size_t low = queue->entries.first, high = queue->entries.end, mid;
	struct ctx_repair_entry *entry;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (ctx_repair_entry_at(queue, mid)->message < message)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < queue->entries.end; low++) {
		entry = ctx_repair_entry_at(queue, low);
		if (entry->held.dialect != NULL)
			return entry->message == message ? entry : NULL;
	}
	return NULL;
}

struct ctx_repair_entry *
ctx_repair_find_shown(const struct ctx_repair_queue *queue,
    struct ctx_repair_entry *entry)
{
	const struct ctx_repair_entry *last =
	    ctx_repair_entry_at(queue, queue->entries.end - 1);

	while (entry < last) {
		entry++;
		if (entry->held.dialect != NULL && !entry->removed &&
		    !(entry->held.flags & CTX_MESSAGE_HIDDEN))
			return entry;
	}
	return NULL;
}

struct ctx_repair_queue *
ctx_repair_choose_queue(struct ctx_repair *repair, bool inside)
{
	return inside ? &repair->inner : &repair->lines;
}

int
ctx_repair_own(struct ctx_repair_entry *entry, const char *p, size_t n,
    struct ctx_err *err)
{
	char *text = malloc(n > 0 ? n : 1);

	if (text == NULL)
		return ctx_err_nomem(err);
	memcpy(text, p, n);
	free(entry->held.text);
	entry->held.text = text;
	entry->bytes = (struct ctx_str){text, n};
	return 0;
}

int
ctx_repair_archive(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	struct ctx_archive *archive = repair->options->archive;
	struct ctx_str text = entry->bytes;

	if (archive == NULL || repair->rewrite->writer == NULL ||
	    entry->archived)
		return 0;
	while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	entry->archived = true;
	return ctx_archive_add(archive, text.p, text.n, err);
}

void
ctx_repair_note_change(struct ctx_repair_entry *entry, size_t at)
{
	if (at < entry->changed_from)
		entry->changed_from = at;
}
