/* held_queue.c - keeps messages of a conversation in memory until they can be
 * written */
#include <stdlib.h>
#include <string.h>

#include "stream/held_message.h"

void *
ctx_held_queue_at(const struct ctx_held_queue *queue, size_t number)
{
	return queue->list + (number - queue->base) * queue->entry_size;
}

/* Elements that were removed from the front of the queue leave unused space at
 * the beginning of the array.  If at least 64 elements and half of the array
 * are unused there, moves all other elements to the beginning.  So each element
 * is moved at most once on average. */
static void
compact_queue(struct ctx_held_queue *queue)
{
	size_t n_free = queue->first - queue->base;

	if (queue->first == queue->end) {
		queue->base = queue->first;
	} else if (n_free >= 64 && n_free >= queue->end - queue->first) {
		memmove(queue->list, queue->list + n_free * queue->entry_size,
		    (queue->end - queue->first) * queue->entry_size);
		queue->base = queue->first;
	}
}

void *
ctx_held_queue_add(struct ctx_held_queue *queue, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_message *held;

	compact_queue(queue);
	if (ctx_grow(&queue->list, &queue->cap, queue->end - queue->base + 1,
		queue->entry_size, err) < 0)
		return NULL;
	held = ctx_held_queue_at(queue, queue->end++);
	memset(held, 0, queue->entry_size);
	held->node = event->node;
	held->file = event->record->file;
	held->line = event->record->line;
	if (event->message != NULL) {
		held->dialect = event->layout->dialect;
		held->flags = (uint16_t)event->message->flags;
	}
	return held;
}

static void
release_entry(struct ctx_held_queue *queue, size_t number)
{
	struct ctx_held_message *held = ctx_held_queue_at(queue, number);

	if (!held->is_in_file && held->text != NULL) {
		queue->bytes -= held->n;
		free(held->text);
	}
	if (queue->release != NULL)
		queue->release(held);
}

void
ctx_held_queue_remove_last(struct ctx_held_queue *queue)
{
	release_entry(queue, --queue->end);
}

void
ctx_held_queue_remove_first(struct ctx_held_queue *queue)
{
	release_entry(queue, queue->first++);
}

void
ctx_held_queue_filter(struct ctx_held_queue *queue,
    bool (*keep)(const void *entry))
{
	size_t end = queue->end;

	queue->end = queue->first;
	for (size_t i = queue->first; i < end; i++) {
		if (!keep(ctx_held_queue_at(queue, i)))
			release_entry(queue, i);
		else if (queue->end++ != i)
			memcpy(ctx_held_queue_at(queue, queue->end - 1),
			    ctx_held_queue_at(queue, i), queue->entry_size);
	}
}

void
ctx_held_queue_clear(struct ctx_held_queue *queue)
{
	while (queue->first < queue->end)
		ctx_held_queue_remove_first(queue);
	queue->first = queue->end = queue->base = 0;
}

void
ctx_held_queue_release(struct ctx_held_queue *queue)
{
	ctx_held_queue_clear(queue);
	free(queue->list);
	queue->list = NULL;
	queue->cap = 0;
}
