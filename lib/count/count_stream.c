/*
 * count_stream.c - counts the tokens of all messages and conversations in a
 * stream
 *
 * Messages are also collected in groups, such as a tool call with its results,
 * but only to find the turn of each message and the tool of each result.
 * Complete groups are freed, so the memory needed does not grow with the length
 * of the conversation.
 */
#include <stdlib.h>
#include <string.h>

#include "count/count.h"
#include "group/group.h"
#include "stream/rewrite.h"

/* The token counts of a conversation that is being read. */
struct counted_conversation {
	struct ctx_groups groups;
	struct ctx_model_counter model_counter;
	struct ctx_token_stats stats;
	/* True if the newest message is a response of the model, or contains
	 * one. */
	bool answers;
	/* Number of tokens that ctx counts before the newest response of the
	 * model. */
	uint64_t before_response;
	/* Token counts of the tools that the current message calls or has
	 * results of. */
	struct ctx_share *shares;
	/* tools[i]: id of the tool whose token counts are shares[i] */
	uint32_t *tools;
	size_t n_shares, cap, tools_cap;
	/* share_of[id]: index in the array "shares" of the token counts of the
	 * tool with this id.  Valid only if it is less than n_shares and
	 * tools[share_of[id]] is the id.  Otherwise the current message does
	 * not use the tool.  Because of this check, share_of need not be
	 * cleared for each message. */
	size_t *share_of, share_of_cap;
};

/* State of ctx_count_stream while it reads a stream. */
struct count_run {
	/* reads the records of the stream; writes nothing */
	struct ctx_rewrite rewrite;
	const struct ctx_count_hooks *hooks;
	/* lines: the conversation in which each message is a record of its own.
	 * record: the conversation that is inside the current record. */
	struct counted_conversation lines, record;
};

/* Stores how the tokens of a conversation are counted. */
static void
set_counter(struct ctx_token_stats *stats,
    const struct ctx_model_counter *model_counter)
{
	stats->encoding = model_counter->encoding;
	stats->basis = model_counter->counter->basis;
	stats->counted_like = model_counter->dialect != NULL
	    ? model_counter->dialect->counts_like
	    : NULL;
}

/* Chooses the token counter of a conversation.  Counts the tokens of its
 * request outside the messages: those of the system prompt and the tool
 * definitions. */
static int
begin_counting(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct count_run *run = user;
	struct counted_conversation *conversation =
	    event->inside ? &run->record : &run->lines;
	struct ctx_token_stats *stats = &conversation->stats;
	struct ctx_request_overhead overhead;

	if (ctx_stream_measure(run->rewrite.stream, event,
		run->rewrite.counters, &conversation->model_counter, err) < 0 ||
	    ctx_count_request_overhead(conversation->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	ctx_groups_reset(&conversation->groups);
	memset(stats, 0, sizeof *stats);
	stats->file = event->record->file;
	stats->line = event->inside ? event->record->line : 0;
	stats->model = conversation->model_counter.model;
	stats->model_name = conversation->model_counter.name;
	set_counter(stats, &conversation->model_counter);
	stats->overhead = overhead;
	stats->tokens = overhead.tokens;
	stats->estimated = overhead.estimated;
	stats->chars = overhead.chars;
	stats->lacks_earlier =
	    event->line != 0 && run->rewrite.stream->transcript->orphan != 0;
	conversation->answers = false;
	conversation->before_response = overhead.tokens;
	if (event->inside)
		stats->billed =
		    ctx_billed_request(event->record->json, event->layout);
	return 0;
}

/* Adds token counts of zero for a tool that the current message has not used
 * before.  Returns the new token counts, or NULL with *err. */
static struct ctx_share *
append_share(struct counted_conversation *conversation, uint32_t tool,
    struct ctx_err *err)
{
	size_t n = conversation->n_shares;

	if (CTX_GROW(conversation->shares, conversation->cap, n + 1, err) < 0 ||
	    CTX_GROW(conversation->tools, conversation->tools_cap, n + 1, err) <
		0)
		return NULL;
	conversation->tools[n] = tool;
	conversation->share_of[tool] = n;
	conversation->shares[n] = (struct ctx_share){
	    .tool = ctx_intern_at(&conversation->groups.tools, tool)};
	return &conversation->shares[conversation->n_shares++];
}

/* Returns the token counts of a tool in the current message, or NULL with *err.
 * If the message has not used the tool before, adds token counts of zero.
 * Takes constant time, however many tools the message uses. */
static struct ctx_share *
find_tool_share(struct counted_conversation *conversation, uint32_t tool,
    struct ctx_err *err)
{
	size_t known = conversation->share_of_cap, i;

	if (CTX_GROW(conversation->share_of, conversation->share_of_cap,
		(size_t)tool + 1, err) < 0)
		return NULL;
	memset(conversation->share_of + known, 0,
	    (conversation->share_of_cap - known) *
		sizeof *conversation->share_of);
	i = conversation->share_of[tool];
	if (i < conversation->n_shares && conversation->tools[i] == tool)
		return &conversation->shares[i];
	return append_share(conversation, tool, err);
}

/* Adds the tokens of a tool call or tool result to the token counts of its
 * tool, if the tool is known. *i: index of the content block of the call or
 * result.  If a result contains further blocks, sets *i to the index of the
 * last block in the result. */
static int
add_share(struct counted_conversation *conversation,
    const struct ctx_event *event, size_t *i, struct ctx_err *err)
{
	struct ctx_counter *counter = conversation->model_counter.counter;
	const struct ctx_message *message = event->message;
	struct ctx_cost cost = {0};
	struct ctx_share *share;
	uint32_t tool;

	if (ctx_groups_tool(&conversation->groups, message, *i, &tool, err) <
		0 ||
	    (message->blocks[*i].kind == CTX_BLOCK_TOOL_RESULT
		    ? ctx_count_result(counter, message, i, &cost, err)
		    : ctx_count_block(counter, message, *i, &cost, err)) < 0)
		return -1;
	if (tool == 0)
		return 0;
	share = find_tool_share(conversation, tool, err);
	if (share == NULL)
		return -1;
	share->tokens += cost.tokens;
	share->estimated += counter->basis == CTX_BASIS_ESTIMATED
	    ? cost.tokens
	    : cost.estimated;
	share->chars += cost.chars;
	return 0;
}

/* Counts for each tool how many tokens its calls and results have in a message.
 * The caller must call this before it adds the message to
 * conversation->groups. */
static int
add_shares(struct counted_conversation *conversation,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;

	conversation->n_shares = 0;
	for (size_t i = 0; i < message->n; i++)
		if ((message->blocks[i].kind == CTX_BLOCK_TOOL_CALL ||
			message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT) &&
		    add_share(conversation, event, &i, err) < 0)
			return -1;
	return 0;
}

/* In a message with the role tool, adds all tokens that were not counted for a
 * tool to those of the first tool in the message.  *message: the token counts
 * of the whole message. */
static void
share_rest(struct counted_conversation *conversation,
    const struct ctx_token_stats *message)
{
	struct ctx_share *first = conversation->shares;
	uint64_t tokens = 0, estimated = 0, chars = 0;

	if (message->role != CTX_ROLE_TOOL || conversation->n_shares == 0)
		return;
	for (struct ctx_share *share = first;
	     share < first + conversation->n_shares; share++) {
		tokens += share->tokens;
		estimated += share->estimated;
		chars += share->chars;
	}
	first->tokens += message->tokens - tokens;
	first->estimated += message->estimated - estimated;
	first->chars += message->chars - chars;
}

static void
release_shares(struct counted_conversation *conversation)
{
	free(conversation->shares);
	free(conversation->tools);
	free(conversation->share_of);
}

/* Returns the index, in its conversation, of the message that was counted last;
 * the first message has the index 0. segment: a segment (message or part of
 * one) of this message. */
static uint64_t
find_index(const struct count_run *run, const struct ctx_event *event,
    const struct ctx_segment *segment)
{
	if (event->line == 0 || event->inside)
		return segment->message;
	return ctx_transcript_message_index(run->rewrite.stream->transcript,
	    event->line, segment->message);
}

/* Copies the token counts of a message from *cost to *stats. */
static void
set_message_cost(struct ctx_token_stats *stats, const struct ctx_cost *cost)
{
	stats->tokens = cost->tokens;
	stats->estimated = cost->estimated;
	stats->framing = cost->framing;
	stats->chars = cost->chars;
	stats->prompt_tokens = cost->prompt_tokens;
	stats->prompt_estimated = cost->prompt_estimated;
	memcpy(stats->kinds, cost->kinds, sizeof stats->kinds);
	memcpy(stats->estimated_by_kind, cost->estimated_by_kind,
	    sizeof stats->estimated_by_kind);
}

/* Returns the number of input tokens that the provider has billed for the
 * request which a message answers.  Returns 0 if the input does not report this
 * number.  If all lines of a response repeat this number, it is returned only
 * for the last line, and 0 for each earlier line. */
static uint64_t
find_billed(const struct ctx_event *event)
{
	const struct ctx_message *message = event->message;

	if (message->billed > 0 || (message->flags & CTX_MESSAGE_IS_CONTINUED))
		return message->billed;
	return ctx_billed_input(event->record->json, event->node,
	    message->dialect->usage.message);
}

/* Describes in *stats the message that was added to the groups last.  Only the
 * token counts are not set yet (see set_message_cost). */
static void
describe_message(const struct count_run *run,
    const struct counted_conversation *conversation,
    const struct ctx_event *event, struct ctx_token_stats *stats)
{
	const struct ctx_message *message = event->message;
	const struct ctx_groups *groups = &conversation->groups;
	const struct ctx_segment *segment = &groups->segments[groups->n - 1];

	*stats = (struct ctx_token_stats){
	    .file = event->record->file,
	    .line = event->record->line,
	    .dialect = event->layout->dialect,
	    .model = conversation->stats.model,
	    .model_name = conversation->stats.model_name,
	    .messages = !(message->flags & CTX_MESSAGE_CONTINUES),
	    .billed = find_billed(event),
	    .bytes = event->inside
		? ctx_json_str(event->record->json, event->node).n
		: event->record->text.n,
	    .index = find_index(run, event, segment),
	    .turn = segment->turn,
	    .role = message->role,
	    .tool = ctx_intern_at(&groups->tools, segment->tool),
	    .message = message,
	    .shares = conversation->shares,
	    .n_shares = conversation->n_shares,
	};
}

/* Adds the token counts of a message to the counts of its conversation. */
static void
add_to_conversation(struct ctx_token_stats *sum,
    const struct ctx_token_stats *message)
{
	sum->dialect = message->dialect;
	sum->tokens += message->tokens;
	sum->estimated += message->estimated;
	sum->framing += message->framing;
	sum->chars += message->chars;
	sum->bytes += message->bytes;
	sum->messages += message->messages;
	for (size_t i = 0; i < CTX_BLOCK_KINDS; i++) {
		sum->kinds[i] += message->kinds[i];
		sum->estimated_by_kind[i] += message->estimated_by_kind[i];
	}
}

static bool
reports_usage(const struct ctx_dialect *dialect)
{
	return dialect->usage.message[0] != NULL ||
	    dialect->usage.line[0] != NULL;
}

/* Updates the description of the last billed request (stats.last of the
 * conversation) after a message was read. *counts: token counts of the message,
 * which are not yet included in the counts of the conversation.  Messages that
 * are parts of one response repeat the same usage.  The usage of a summary that
 * replaces messages is ignored, because it belongs to the request for the
 * summary.  Such a summary has the flag CTX_MESSAGE_PINNED. */
static void
update_last_request(struct counted_conversation *conversation,
    const struct ctx_message *message, const struct ctx_token_stats *counts)
{
	struct ctx_token_stats *stats = &conversation->stats;
	bool continues = (message->flags & CTX_MESSAGE_CONTINUES) ||
	    (conversation->answers &&
		(message->dialect->rules & CTX_JOINS_ANSWERS));

	conversation->answers = ctx_message_was_sent(message);
	if (conversation->answers && !continues)
		conversation->before_response =
		    stats->tokens + counts->prompt_tokens;
	if ((message->flags & CTX_MESSAGE_PINNED) &&
	    !(message->flags & CTX_MESSAGE_REMOTE_STATE))
		stats->last = (struct ctx_last_request){
		    .compacted = reports_usage(message->dialect)};
	else if (conversation->answers && counts->billed > 0)
		stats->last =
		    (struct ctx_last_request){.billed = counts->billed,
			.counted = conversation->before_response};
}

/* Counts the tokens of a message, adds them to the counts of its conversation,
 * and calls the callback hooks->message. */
static int
count_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct count_run *run = user;
	struct counted_conversation *conversation =
	    event->inside ? &run->record : &run->lines;
	struct ctx_groups *groups = &conversation->groups;
	struct ctx_token_stats stats;
	struct ctx_cost cost;

	if (run->hooks->shares && add_shares(conversation, event, err) < 0)
		return -1;
	if (ctx_stream_cost(event, conversation->model_counter.counter, &cost,
		err) < 0 ||
	    ctx_groups_add(groups, event->message, &cost, 0, err) < 0)
		return -1;
	describe_message(run, conversation, event, &stats);
	set_counter(&stats, &conversation->model_counter);
	set_counter(&conversation->stats, &conversation->model_counter);
	set_message_cost(&stats, &cost);
	share_rest(conversation, &stats);
	update_last_request(conversation, event->message, &stats);
	add_to_conversation(&conversation->stats, &stats);
	conversation->stats.turns = groups->turn;
	if (run->hooks->message != NULL &&
	    run->hooks->message(run->hooks->user, &stats, err) < 0)
		return -1;
	return ctx_groups_forget(groups, err);
}

static int
report_counted(const struct count_run *run,
    const struct counted_conversation *conversation, struct ctx_err *err)
{
	if (run->hooks->ended == NULL)
		return 0;
	return run->hooks->ended(run->hooks->user, &conversation->stats, err);
}

static int
end_counted_record(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct count_run *run = user;
	struct ctx_token_stats *stats = &run->record.stats;

	/* The record contains a request and its usage.  The last message may be
	 * the response, which was not sent with the request. */
	if (stats->billed > 0) {
		stats->last = (struct ctx_last_request){.billed = stats->billed,
		    .counted = stats->tokens};
		if (event->layout->is_response)
			stats->last.counted = stats->overhead.tokens;
		else if (run->record.answers)
			stats->last.counted = run->record.before_response;
	}
	return report_counted(run, &run->record, err);
}

static int
end_counted_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	const struct count_run *run = user;

	return how == CTX_END_COMPLETE && run->rewrite.begun
	    ? report_counted(run, &run->lines, err)
	    : 0;
}

int
ctx_count_stream(struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_count_hooks *hooks, struct ctx_err *err)
{
	static const struct ctx_rewrite_command command = {
	    .begin = begin_counting,
	    .message = count_message,
	    .end = end_counted_record,
	    .finish = end_counted_stream,
	};
	struct count_run run = {.rewrite = {.stream = stream,
				    .counters = counters,
				    .line_counter = &run.lines.model_counter},
	    .hooks = hooks};
	int rc = -1;

	stream->looks_ahead = ctx_model_counters_ask_dialect(counters);
	if (ctx_groups_init(&run.lines.groups, err) == 0 &&
	    ctx_groups_init(&run.record.groups, err) == 0)
		rc = ctx_rewrite_run(&run.rewrite, &command, &run, err);
	ctx_rewrite_release(&run.rewrite);
	ctx_groups_release(&run.lines.groups);
	ctx_groups_release(&run.record.groups);
	release_shares(&run.lines);
	release_shares(&run.record);
	return rc;
}

/* ---- the last billed request of a conversation ---- */

uint64_t
ctx_tokens_after_request(const struct ctx_token_stats *stats)
{
	return stats->last.billed > 0 ? stats->tokens - stats->last.counted : 0;
}

uint64_t
ctx_tokens_not_in_input(const struct ctx_token_stats *stats)
{
	const struct ctx_last_request *last = &stats->last;

	return last->billed > last->counted ? last->billed - last->counted : 0;
}

uint64_t
ctx_context_tokens(const struct ctx_token_stats *stats)
{
	return stats->last.billed > 0
	    ? stats->last.billed + ctx_tokens_after_request(stats)
	    : stats->tokens;
}
