/* age_queue.c - keeps messages in memory until it is known whether they are old
 * enough to be changed by ctx-age */
#include <stdlib.h>
#include <string.h>

#include "age/age_queue.h"

void
ctx_age_queue_clear(struct aging *aging, struct age_queue *queue)
{
	ctx_held_queue_clear(ctx_age_entries(aging, queue));
	queue->savings_end = queue->sent_end = 0;
	queue->messages = queue->results = queue->savings = 0;
	queue->reported_end = queue->bound_end = 0;
	queue->has_time = queue->changed = false;
	memset(&queue->place, 0, sizeof queue->place);
	ctx_groups_reset(&queue->groups);
}

/* Sets *id to the id of the tool of a tool result.  Block i is this tool result
 * or is inside it.  Sets *id to 0 if the tool is not known, or if block i
 * belongs to no tool result. */
static int
find_tool(struct age_queue *queue, const struct ctx_message *message, size_t i,
    uint32_t *id, struct ctx_err *err)
{
	*id = 0;
	if (message->blocks[i].result_index != 0)
		i = message->blocks[i].result_index - 1;
	if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
		return 0;
	return ctx_groups_tool(&queue->groups, message, i, id, err);
}

/* Counts the tool results of a message that was appended to the queue.  If any
 * of these results may be replaced, stores the tool of each result in
 * *entry. */
static int
record_result_tools(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_message *message,
    struct ctx_err *err)
{
	bool is_counted, may_age_any = false;
	uint32_t k = 0;

	for (size_t i = 0; i < message->n; i++) {
		if (ctx_age_is_result(aging, message, i, &is_counted, err) < 0)
			return -1;
		entry->results += is_counted;
		may_age_any |= is_counted && ctx_age_may_age(aging, message, i);
	}
	queue->results += entry->results;
	if (!may_age_any)
		return 0;
	entry->tools = calloc(entry->results, sizeof *entry->tools);
	if (entry->tools == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < message->n; i++) {
		if (ctx_age_is_result(aging, message, i, &is_counted, err) <
			0 ||
		    (is_counted &&
			find_tool(queue, message, i, &entry->tools[k++], err) <
			    0))
			return -1;
	}
	return 0;
}

/* Counts a message and, with the option older, stores its timestamp.  A message
 * without a timestamp gets the timestamp of the message before it. */
static int
record_time(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_message *message,
    struct ctx_err *err)
{
	struct ctx_str text;
	int64_t time;

	aging->counts->messages++;
	if (aging->options->older == 0)
		return 0;
	if (message->time != 0) {
		aging->text.n = 0;
		if (ctx_json_text(message->json, message->time, &aging->text,
			&text, err) < 0)
			return -1;
		if (ctx_time_parse(text.p, text.n, &time)) {
			if (!queue->has_time || time > queue->newest)
				queue->newest = time;
			queue->time = time;
			queue->has_time = true;
			aging->counts->timed++;
		}
	}
	entry->time = queue->time;
	entry->has_time = queue->has_time;
	return 0;
}

struct age_entry *
ctx_age_queue_append(struct aging *aging, struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err)
{
	static const struct ctx_cost nothing;
	struct age_entry *entry =
	    ctx_held_queue_add(ctx_age_entries(aging, queue), event, err);

	if (entry == NULL)
		return NULL;
	entry->message = queue->messages;
	entry->first_result = queue->results;
	entry->is_bound = ctx_message_is_bound(event->message, queue->binds);
	if (record_time(aging, queue, entry, event->message, err) < 0 ||
	    record_result_tools(aging, queue, entry, event->message, err) < 0 ||
	    ctx_groups_add(&queue->groups, event->message, &nothing, 0, err) <
		0)
		return NULL;
	entry->continues = queue->messages > 0 &&
	    (event->message->flags & CTX_MESSAGE_CONTINUES);
	if (event->line != 0 && !event->inside)
		entry->message = ctx_transcript_message_index(
		    aging->rewrite.stream->transcript, event->line,
		    queue->messages);
	queue->messages += !entry->continues;
	if (queue->binds == CTX_BINDS_REFUSED &&
	    ctx_place_next(&queue->place, event->message, entry->message,
		&aging->text, err) < 0)
		return NULL;
	entry->place = queue->place;
	return ctx_groups_forget(&queue->groups, err) < 0 ? NULL : entry;
}
