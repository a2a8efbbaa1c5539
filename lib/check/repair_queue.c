/* repair_queue.c - keeps records and messages in memory until they can be
 * repaired and written */
#include <stdlib.h>
#include <string.h>

#include "check/repair.h"

void
ctx_repair_release_entry(struct ctx_repair_entry *entry)
{
	free(entry->text);
	free(entry->results);
	ctx_buf_release(&entry->results_text);
}

void
ctx_repair_clear_queue(struct ctx_repair_queue *queue)
{
	while (queue->from < queue->n)
		ctx_repair_release_entry(&queue->list[queue->from++]);
	queue->from = queue->n = 0;
}

void
ctx_repair_release(struct ctx_repair *repair)
{
	ctx_repair_clear_queue(&repair->lines);
	ctx_repair_clear_queue(&repair->inner);
	free(repair->lines.list);
	free(repair->inner.list);
	ctx_edits_release(&repair->edits);
	ctx_edits_release(&repair->message_edits);
	ctx_edits_release(&repair->entry_edits);
	ctx_json_release(&repair->json);
	ctx_message_release(&repair->message);
	ctx_buf_release(&repair->added);
	ctx_buf_release(&repair->removed);
	ctx_buf_release(&repair->out);
	ctx_buf_release(&repair->id);
	ctx_buf_release(&repair->spare);
	memset(repair, 0, sizeof *repair);
}

struct ctx_repair_entry *
ctx_repair_append_entry(struct ctx_repair_queue *queue, struct ctx_err *err)
{
	struct ctx_repair_entry *list, *entry;

	/* Removes the messages that were written from the queue, once they are
	 * most of it. */
	if (queue->from > queue->n / 2) {
		queue->n -= queue->from;
		memmove(queue->list, queue->list + queue->from,
		    queue->n * sizeof *list);
		queue->from = 0;
	}
	list =
	    ctx_grow(queue->list, &queue->cap, queue->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	queue->list = list;
	entry = &list[queue->n++];
	memset(entry, 0, sizeof *entry);
	entry->changed_from = SIZE_MAX;
	if (queue->n - 1 > queue->from)
		entry->message = entry[-1].message;
	return entry;
}

struct ctx_repair_entry *
ctx_repair_find_entry(const struct ctx_repair_queue *queue, uint64_t message)
{
	size_t low = queue->from, high = queue->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (queue->list[mid].message < message)
			low = mid + 1;
		else
			high = mid;
	}
	while (low < queue->n && !queue->list[low].is_message)
		low++;
	if (low == queue->n || queue->list[low].message != message)
		return NULL;
	return &queue->list[low];
}

struct ctx_repair_entry *
ctx_repair_find_shown(const struct ctx_repair_queue *queue, size_t i)
{
	while (++i < queue->n)
		if (queue->list[i].is_message && !queue->list[i].removed &&
		    !queue->list[i].hidden)
			return &queue->list[i];
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
	free(entry->text);
	entry->text = text;
	entry->bytes = (struct ctx_str){text, n};
	return 0;
}

int
ctx_repair_archive(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    struct ctx_err *err)
{
	struct ctx_archive *archive = repair->options->archive;
	struct ctx_str text = entry->bytes;

	if (archive == NULL || repair->writer == NULL || entry->archived)
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
