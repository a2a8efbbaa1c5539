/* read_request.c - reads a request as the list of items (members and messages)
 * that a prompt cache compares */
#include <stdlib.h>
#include <string.h>

#include "cache/request_prefix.h"
#include "stream/bound_reasoning.h"
#include "stream/rewrite.h"

static struct ctx_request_prefix_item *
add_prefix_item(struct ctx_request_prefix *prefix,
    const struct ctx_record *record, struct ctx_err *err)
{
	if (CTX_GROW(prefix->items, prefix->cap, prefix->n + 1, err) < 0)
		return NULL;
	memset(&prefix->items[prefix->n], 0, sizeof *prefix->items);
	prefix->items[prefix->n].file = record->file;
	prefix->items[prefix->n].line = record->line;
	return &prefix->items[prefix->n++];
}

/* Returns the number of tokens in a member of the request: of the tools or the
 * system prompt, 0 for any other member. name: key of the member. */
static uint64_t
get_member_tokens(const char *name, const struct ctx_request_overhead *overhead)
{
	static const char *const tools[] = {"tools", "toolConfig"};
	static const char *const prompts[] = {"system", "instructions",
	    "systemInstruction", "system_instruction"};

	for (size_t i = 0; i < CTX_LENGTH(tools); i++)
		if (strcmp(name, tools[i]) == 0)
			return overhead->tools;
	for (size_t i = 0; i < CTX_LENGTH(prompts); i++)
		if (strcmp(name, prompts[i]) == 0)
			return overhead->system;
	return 0;
}

/* Returns true if the provider reads a member of the request after the
 * messages, so that it does not cache the member.  From GPT-6.2 on, which drops
 * reasoning after a change, OpenAI appends the instructions to the input
 * (developers.openai.com, "Using GPT-6.2", November 2026). */
static bool
is_after_input(const struct ctx_request_prefix *prefix, const char *name)
{
	return prefix->binds == CTX_BINDS_DROPPED &&
	    strcmp(name, "instructions") == 0;
}

/* Adds a member of the request, such as the tools or the system prompt, to the
 * list of items, without its cache breakpoints.  Does nothing if the request
 * has no such member. */
static int
add_request_member(struct request_reading *reading,
    const struct ctx_event *event, const struct ctx_breakpoint_format *format,
    const char *name, const struct ctx_request_overhead *overhead,
    struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	uint32_t request = event->layout->request, system, tools;
	uint32_t node = ctx_json_find(json, request, name);
	struct ctx_request_prefix_item *item;

	if (node == 0)
		return 0;
	item = add_prefix_item(reading->prefix, event->record, err);
	if (item == NULL)
		return -1;
	item->member = name;
	item->tokens = get_member_tokens(name, overhead);
	if (format == NULL)
		return ctx_request_hash_item(reading, event->record, node, err);
	system = ctx_breakpoint_system(format, json, request);
	tools = ctx_breakpoint_tools(format, json, request);
	if (system == node)
		reading->prefix->system_end = reading->prefix->n;
	if (tools >= node && tools < json->nodes[node].next)
		reading->prefix->tools_end = reading->prefix->n;
	if (system == node &&
	    (ctx_breakpoint_write(&reading->writer, format, CTX_TTL_5M, node, 0,
		 err) < 0 ||
		ctx_breakpoint_widen(&reading->writer, format, node, err) < 0))
		return -1;
	if (tools >= node && tools < json->nodes[node].next &&
	    ctx_breakpoint_write(&reading->writer, format, CTX_TTL_5M, tools, 0,
		err) < 0)
		return -1;
	return ctx_request_hash_item(reading, event->record, node, err);
}

static int
begin_request(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct request_reading *reading = user;
	struct cache_run *run = &reading->prefix->run;
	const struct ctx_breakpoint_format *format =
	    ctx_breakpoint_format_any(event->layout->dialect);
	struct ctx_request_overhead overhead = {0};
	const char *name;

	if (reading->begun && !event->inside && !reading->inside)
		return 0;
	if (reading->begun)
		return ctx_err_set(err, CTX_EARG,
		    "the file has more than one conversation; put each into a "
		    "file of its own");
	reading->begun = true;
	reading->inside = event->inside;
	run->leading = true;
	if (ctx_stream_measure(reading->rewrite.stream, event,
		reading->rewrite.counters, &run->model_counter, err) < 0 ||
	    ctx_count_request_overhead(run->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	/* How the provider treats reasoning of this model if anything before it
	 * was changed.  This must be found now, because the
	 * model's name is valid only while the stream is read. */
	reading->prefix->binds =
	    ctx_model_binds(run->model_counter.model, run->model_counter.name);
	reading->prefix->tokens = overhead.tokens;
	reading->prefix->basis = overhead.estimated > 0
	    ? CTX_BASIS_ESTIMATED
	    : run->model_counter.counter->basis;
	reading->writer.json = event->record->json;
	for (size_t i = 0; event->layout->in_request &&
	     (name = ctx_breakpoint_before(format, i)) != NULL;
	     i++)
		if (!is_after_input(reading->prefix, name) &&
		    add_request_member(reading, event, format, name, &overhead,
			err) < 0)
			return -1;
	reading->prefix->n_members = reading->prefix->n;
	return 0;
}

/* Sets the index of the message to which an item belongs.  All records of a
 * message that is split have the same index. */
static void
set_item_index(struct request_reading *reading, const struct ctx_event *event,
    struct ctx_request_prefix_item *item)
{
	unsigned flags = event->message->flags;
	uint64_t next = reading->prefix->messages;

	item->index = event->line != 0 && !event->inside
	    ? ctx_transcript_message_index(reading->rewrite.stream->transcript,
		  event->line, next)
	    : next;
	item->is_continued = flags & CTX_MESSAGE_IS_CONTINUED;
	reading->prefix->messages += !(flags & CTX_MESSAGE_CONTINUES);
}

/* Finds which blocks of the newest message may have breakpoints, and adds the
 * JSON edits that remove all breakpoints from the message. */
static int
strip_newest_message(struct request_reading *reading,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct cache_run *run = &reading->prefix->run;
	uint32_t list;

	reading->writer.json = event->record->json;
	run->format = ctx_breakpoint_format_any(event->layout->dialect);
	if (run->format == NULL)
		return 0;
	list = ctx_breakpoint_content(run->format, reading->writer.json,
	    event->node);
	if (ctx_cache_run_find_places(run, run->entries->end - 1,
		&reading->writer, err) < 0 ||
	    ctx_cache_run_edit(&reading->writer, run->format, CTX_TTL_5M,
		event->node, 0, err) < 0)
		return -1;
	return list == 0
	    ? 0
	    : ctx_breakpoint_widen(&reading->writer, run->format, list, err);
}

static int
add_request_message(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct request_reading *reading = user;
	struct cache_run *run = &reading->prefix->run;
	struct ctx_request_prefix_item *item =
	    add_prefix_item(reading->prefix, event->record, err);
	bool differed = reading->prefix->differs;
	struct ctx_cost cost;

	if (item == NULL || ctx_cache_run_add(run, event, err) == NULL)
		return -1;
	item->is_bound =
	    ctx_message_is_bound(event->message, reading->prefix->binds);
	set_item_index(reading, event, item);
	item->role = event->message->role;
	if (ctx_count_message(run->model_counter.counter, event->message, &cost,
		err) < 0)
		return -1;
	item->tokens = cost.tokens;
	reading->prefix->tokens += cost.tokens;
	if (cost.estimated > 0)
		reading->prefix->basis = CTX_BASIS_ESTIMATED;
	if (strip_newest_message(reading, event, err) < 0 ||
	    ctx_request_hash_item(reading, event->record, event->node, err) < 0)
		return -1;
	if (reading->prefix->differs && !differed)
		reading->prefix->is_bound = ctx_bound_after(event->message,
		    reading->prefix->binds, reading->prefix->offset);
	return 0;
}

/* Chooses the breakpoints that ctx_mark_cache would write into the request. */
static int
place_breakpoints(struct request_reading *reading, const struct ctx_json *json,
    const struct ctx_record_layout *layout, const struct ctx_dialect *dialect,
    struct ctx_err *err)
{
	struct cache_run *run = &reading->prefix->run;

	/* If ctx does not know the provider, it is assumed that the provider
	 * caches prompts without breakpoints. */
	if (ctx_cache_run_decide(run, dialect, reading->options->provider,
		err) < 0) {
		if (err->code != CTX_EARG || reading->options->provider != NULL)
			return -1;
		run->status = CTX_CACHE_STATUS_AUTO;
	}
	if (run->status == CTX_CACHE_STATUS_MARKED)
		ctx_cache_run_place(run, json, layout,
		    &reading->prefix->points);
	return 0;
}

static int
end_request(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	return place_breakpoints(user, event->record->json, event->layout,
	    event->layout->dialect, err);
}

static int
end_request_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	struct request_reading *reading = user;

	if (how != CTX_END_COMPLETE)
		return 0;
	if (!reading->begun)
		return ctx_err_set(err, CTX_EARG, "the file has no messages");
	if (reading->prefix->run.decided)
		return 0;
	return place_breakpoints(reading, NULL, NULL,
	    ctx_stream_dialect(reading->rewrite.stream), err);
}

int
ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err)
{
	static const struct ctx_rewrite_command command = {
	    .begin = begin_request,
	    .message = add_request_message,
	    .end = end_request,
	    .finish = end_request_stream,
	};
	struct request_reading reading = {.rewrite = {.stream = stream,
					      .counters = counters},
	    .options = options};
	int rc;

	*prefix = reading.prefix = calloc(1, sizeof **prefix);
	if (reading.prefix == NULL)
		return ctx_err_nomem(err);
	reading.prefix->entries = ctx_cache_entries;
	reading.prefix->run.entries = &reading.prefix->entries;
	ctx_rewrite_init(&reading.rewrite, counters->simd);
	reading.writer.edits = &reading.rewrite.edits;
	stream->looks_ahead = ctx_model_counters_ask_dialect(counters);
	rc = ctx_rewrite_run(&reading.rewrite, &command, &reading, err);
	ctx_rewrite_release(&reading.rewrite);
	ctx_breakpoint_writer_release(&reading.writer);
	ctx_buf_release(&reading.decoded);
	ctx_buf_release(&reading.compared);
	if (rc < 0) {
		ctx_request_prefix_close(*prefix);
		*prefix = NULL;
	}
	return rc;
}

void
ctx_request_prefix_close(struct ctx_request_prefix *prefix)
{
	if (prefix == NULL)
		return;
	ctx_held_queue_clear(&prefix->entries);
	free(prefix->entries.list);
	free(prefix->items);
	ctx_buf_release(&prefix->text);
	free(prefix);
}
