/* truncate_message.c - shortens the texts, tool results and arguments of one
 * message */
#include <stdio.h>
#include <string.h>

#include "stream/bound_reasoning.h"
#include "truncate/truncation.h"

/* Bits that say what was shortened in a message.  No bit is set if only
 * reasoning was removed. */
enum { REASONING = 0, RESULTS = 1, TEXTS = 2, ARGUMENTS = 4, MEDIA = 8 };

static const char *const rules[] = {
    [REASONING] = "bound reasoning",
    [RESULTS] = "results",
    [TEXTS] = "texts",
    [RESULTS | TEXTS] = "results and texts",
    [ARGUMENTS] = "arguments",
    [RESULTS | ARGUMENTS] = "results and arguments",
    [TEXTS | ARGUMENTS] = "texts and arguments",
    [RESULTS | TEXTS | ARGUMENTS] = "results, texts, arguments",
    [MEDIA] = "media",
    [RESULTS | MEDIA] = "results and media",
    [TEXTS | MEDIA] = "texts and media",
    [RESULTS | TEXTS | MEDIA] = "results, texts, media",
    [ARGUMENTS | MEDIA] = "arguments and media",
    [RESULTS | ARGUMENTS | MEDIA] = "results, arguments, media",
    [TEXTS | ARGUMENTS | MEDIA] = "texts, arguments, media",
    [RESULTS | TEXTS | ARGUMENTS | MEDIA] = "results to media",
};

/* Returns true if the JSON of a value has more than limit bytes.  Otherwise the
 * text of the value cannot exceed the limit in any unit. limit: 0 if there is
 * no limit. */
static bool
may_exceed(const struct ctx_message *message, uint32_t node, uint64_t limit)
{
	const struct ctx_node *value = &message->json->nodes[node];

	return limit > 0 && node != 0 && value->end - value->at > limit;
}

/* Shortens the texts of a message or tool result, which are in
 * truncation->segments, if together they exceed the limit.  Adds 1 to *count if
 * they are shortened. */
static int
shorten_to_limit(struct truncation *truncation, uint64_t limit, uint64_t *count,
    struct ctx_err *err)
{
	bool done;

	if (truncation->segments.n == 0)
		return 0;
	if (ctx_shorten(&truncation->shortener, &truncation->rewrite.edits,
		&truncation->segments, limit, &done, err) < 0)
		return -1;
	*count += done;
	return 0;
}

/* Writes to mark the JSON that replaces the arguments of a tool call.  Chooses
 * the longest of three JSON objects that does not exceed the limit, or the
 * shortest object if all exceed it. before: size of the arguments.  Sets *after
 * to the size of the mark. */
static int
make_argument_mark(struct truncation *truncation, uint64_t before,
    char mark[CTX_ARGUMENT_MARK], uint64_t *after, struct ctx_err *err)
{
	static const char *const units[] = {"characters", "bytes", "tokens",
	    "lines"};
	static const char *const shorter[] = {"{\"\xe2\x80\xa6\":0}", "{}"};

	ctx_argument_mark(mark, before, units[truncation->options->unit]);
	for (size_t form = 0;; form++) {
		if (ctx_shorten_measure(&truncation->shortener, mark,
			strlen(mark), after, err) < 0)
			return -1;
		if (*after <= truncation->options->args || form == 2)
			return 0;
		(void)snprintf(mark, CTX_ARGUMENT_MARK, "%s", shorter[form]);
	}
}

/* Replaces the arguments of a tool call, if they are too long, by a mark such
 * as {"_ctx_cut":"12345 characters truncated"}. */
static int
replace_arguments(struct truncation *truncation,
    const struct ctx_message *message, uint32_t args, struct ctx_err *err)
{
	uint64_t before, after;
	struct ctx_str text;
	char mark[CTX_ARGUMENT_MARK];

	truncation->out.n = 0;
	if (ctx_json_text(message->json, args, &truncation->out, &text, err) <
	    0)
		return -1;
	if (ctx_shorten_measure(&truncation->shortener, text.p, text.n, &before,
		err) < 0)
		return -1;
	ctx_buf_reset(&truncation->out);
	if (before <= truncation->options->args)
		return 0;
	if (make_argument_mark(truncation, before, mark, &after, err) < 0)
		return -1;
	if (after >= before)
		return 0;
	truncation->counts->calls++;
	return ctx_shorten_arguments(&truncation->shortener,
	    &truncation->rewrite.edits, message->json, args, mark, err);
}

static int
shorten_message_texts(struct truncation *truncation,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_node *node =
	    &event->message->json->nodes[event->message->node];
	uint64_t limit = truncation->options->message;

	if (limit == 0 || node->end - node->at <= limit)
		return 0;
	if (ctx_text_segments_texts(&truncation->segments, event->message,
		event->message->n, err) < 0)
		return -1;
	return shorten_to_limit(truncation, limit,
	    &truncation->counts->messages, err);
}

/* Returns the limit for the texts of a tool result, or 0 if there is none. */
static uint64_t
find_result_limit(const struct ctx_truncate_config *options)
{
	if (options->message > 0 &&
	    (options->limit == 0 || options->message < options->limit))
		return options->message;
	return options->limit;
}

/* Some agents keep a copy of a tool result beside the message.  Called if the
 * result was shortened: shortens each text in the copy to the same limit. */
static int
shorten_copy(struct truncation *truncation, const struct ctx_message *message,
    uint64_t limit, struct ctx_err *err)
{
	uint64_t count = 0;
	uint32_t node = 0;

	while ((node = ctx_result_copy_next(message, node)) != 0)
		if (may_exceed(message, node, limit) &&
		    (ctx_text_segments_string(&truncation->segments, message,
			 node, err) < 0 ||
			shorten_to_limit(truncation, limit, &count, err) < 0))
			return -1;
	return 0;
}

/* Shortens the texts of tool result i.  If the result was too long and the
 * agent keeps a copy of it beside the message, shortens the texts in the copy,
 * too. */
static int
shorten_result(struct truncation *truncation, const struct ctx_message *message,
    size_t i, uint64_t limit, struct ctx_err *err)
{
	uint64_t before = truncation->counts->results;

	if (ctx_text_segments_result(&truncation->segments, message, i, err) <
		0 ||
	    shorten_to_limit(truncation, limit, &truncation->counts->results,
		err) < 0)
		return -1;
	return truncation->counts->results == before ||
		ctx_result_copied(message) != i
	    ? 0
	    : shorten_copy(truncation, message, limit, err);
}

/* Shortens block i, a tool call or tool result, if it is too long and the
 * options select its tool. */
static int
shorten_block(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t i, struct ctx_err *err)
{
	struct ctx_truncate_config *options = truncation->options;
	const struct ctx_message *message = event->message;
	const struct ctx_block *block = &message->blocks[i];
	uint64_t limit = block->kind == CTX_BLOCK_TOOL_RESULT
	    ? find_result_limit(options)
	    : block->kind == CTX_BLOCK_TOOL_CALL ? options->args
						 : 0;
	struct ctx_str tool;

	if (block->no_truncate || !may_exceed(message, block->payload, limit))
		return 0;
	if (ctx_tracker_tool(tracker, event, i, &tool, err) < 0)
		return -1;
	if (!ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
		tool.n, &truncation->match_left))
		return 0;
	return block->kind == CTX_BLOCK_TOOL_CALL
	    ? replace_arguments(truncation, message, block->payload, err)
	    : shorten_result(truncation, message, i, limit, err);
}

/* Archives the original bytes of a message and reports the change, if the
 * message was edited. first: number of the message's first edit. was: the
 * counts before the message was shortened.  The differences from these counts
 * show what was shortened. */
static int
report_truncated(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, const struct ctx_truncate_counts *was, struct ctx_err *err)
{
	const struct ctx_edited_message edited = {.message = event->message,
	    .node = event->node,
	    .first = first,
	    .n = truncation->rewrite.edits.n - first,
	    .counter = tracker->model_counter.counter};
	struct ctx_change change = {.file = event->record->file,
	    .line = event->record->line,
	    .index = tracker->index};

	if (edited.n == 0 || truncation->is_trial ||
	    !ctx_report_wanted(&truncation->options->report))
		return 0;
	change.rule =
	    rules[(truncation->counts->results > was->results) * RESULTS +
		(truncation->counts->messages > was->messages) * TEXTS +
		(truncation->counts->calls > was->calls) * ARGUMENTS +
		(truncation->counts->media > was->media) * MEDIA];
	if (ctx_tracker_first_tool(tracker, event, &change.tool, err) < 0)
		return -1;
	change.continues = ctx_report_named(truncation->rewrite.stream, event);
	change.bytes = event->inside
	    ? ctx_json_str(event->message->json, event->node)
	    : event->record->text;
	return ctx_rewrite_report(&truncation->rewrite, &edited, &change, err);
}

/* Handles the bound reasoning of a message that is after the first change of
 * the conversation: removes it or, without CTX_REASONING_DROP or if the
 * provider drops it, only counts the message.  If there is such reasoning, sets
 * truncation->refused.  The first change may be in this message or in an
 * earlier message.  Bound reasoning is reasoning that the provider does not
 * take if anything before it was changed. first: number of the first edit of
 * this message. */
static int
drop_bound_reasoning(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	size_t from = ctx_edits_first(&truncation->rewrite.edits, first,
	    message->json->text);

	if (tracker->changed)
		from = 0;
	tracker->changed |= truncation->rewrite.edits.n > first;
	if (from == SIZE_MAX || !ctx_bound_after(message, tracker->binds, from))
		return 0;
	truncation->refused = true;
	if (tracker->binds == CTX_BINDS_DROPPED) {
		truncation->counts->dropped++;
		return 0;
	}
	if (truncation->options->reasoning != CTX_REASONING_DROP) {
		ctx_bound_count(&truncation->counts->bound, &tracker->bound_end,
		    tracker->index);
		return 0;
	}
	ctx_bound_count(&truncation->counts->reasoning, &tracker->bound_end,
	    tracker->index);
	return ctx_bound_remove(&truncation->rewrite.edits, message, from, err);
}

/* Adds the edits that shorten the parts of a message, and reports them. */
static int
shorten_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    struct media_numbers media, struct ctx_err *err)
{
	struct ctx_truncate_counts was = *truncation->counts;
	size_t first = truncation->rewrite.edits.n;

	truncation->shortener.counter = tracker->model_counter.counter;
	truncation->match_left = CTX_PATTERN_WORK;
	for (size_t i = 0; i < event->message->n; i++)
		if (shorten_block(truncation, tracker, event, i, err) < 0)
			return -1;
	if (shorten_message_texts(truncation, event, err) < 0 ||
	    ctx_truncate_media(truncation, tracker, event, first, media, err) <
		0 ||
	    drop_bound_reasoning(truncation, tracker, event, first, err) < 0)
		return -1;
	return report_truncated(truncation, tracker, event, first, &was, err);
}

int
ctx_truncate_message(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    bool edit, struct media_numbers media, struct ctx_err *err)
{
	if (ctx_tracker_enter(tracker, truncation->rewrite.stream, event,
		truncation->counters, err) < 0 ||
	    (edit &&
		shorten_message(truncation, tracker, event, media, err) < 0))
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}
