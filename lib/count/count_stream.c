/*
 * count_stream.c - what a stream costs
 *
 * The groups are kept only for their turns and for the tools that results
 * answer, so closed ones are forgotten as they pile up.
 */
#include <stdlib.h>
#include <string.h>

#include "count/count.h"
#include "group/group.h"

struct count {
	struct ctx_groups groups;
	struct ctx_model_counter model_counter;
	struct ctx_token_stats stats;
	bool open;
	struct ctx_share *shares; /* of the message */
	uint32_t *tools;          /* the tool id of each share */
	size_t n_shares, cap, tools_cap;
	/* Per tool id: the index of its share in shares, valid only if tools
	 * has that id there.  So it need not be cleared for each message. */
	size_t *at, at_cap;
};

struct tally {
	struct ctx_stream *stream;
	struct ctx_model_counters *counters;
	const struct ctx_count_hooks *hooks;
	struct count lines, record; /* the stream's messages, and a record's */
};

static int
begin_count(struct tally *t, struct count *count, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_token_stats *stats = &count->stats;
	struct ctx_request_overhead overhead;

	if (ctx_stream_measure(t->stream, event, t->counters,
		&count->model_counter, err) < 0 ||
	    ctx_count_request_overhead(count->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	ctx_groups_reset(&count->groups);
	memset(stats, 0, sizeof *stats);
	stats->file = event->record->file;
	stats->line = event->inside ? event->record->line : 0;
	stats->model = count->model_counter.model;
	stats->name = count->model_counter.name;
	stats->encoding = count->model_counter.encoding;
	stats->overhead = overhead;
	stats->tokens = overhead.tokens;
	stats->estimated = overhead.estimated;
	stats->chars = overhead.chars;
	if (event->inside)
		stats->billed = ctx_billed_input(event->record->json,
		    ctx_json_find(event->record->json, event->layout->request,
			"usage"));
	count->open = true;
	return 0;
}

/* Returns the token counts of a tool in the message, zeroed at its first use.
 * The index at makes this independent of the number of tools. */
static struct ctx_share *
find_tool_share(struct count *count, uint32_t tool, struct ctx_err *err)
{
	size_t i, known = count->at_cap, n = count->n_shares;
	struct ctx_share *shares;
	uint32_t *tools;
	size_t *at;

	at = ctx_grow(count->at, &count->at_cap, (size_t)tool + 1, sizeof *at,
	    err);
	if (at == NULL)
		return NULL;
	count->at = at;
	memset(at + known, 0, (count->at_cap - known) * sizeof *at);
	i = at[tool];
	if (i < n && count->tools[i] == tool)
		return &count->shares[i];
	shares =
	    ctx_grow(count->shares, &count->cap, n + 1, sizeof *shares, err);
	if (shares == NULL)
		return NULL;
	count->shares = shares;
	tools = ctx_grow(count->tools, &count->tools_cap, n + 1, sizeof *tools,
	    err);
	if (tools == NULL)
		return NULL;
	count->tools = tools;
	tools[n] = tool;
	at[tool] = n;
	shares[n] = (struct ctx_share){
	    .tool = ctx_intern_at(&count->groups.tools, tool)};
	return &shares[count->n_shares++];
}

/* Adds part *i, a call or a result, to the share of its tool; *i is then the
 * last part that this took. */
static int
add_share(struct count *count, const struct ctx_event *event, size_t *i,
    struct ctx_err *err)
{
	struct ctx_counter *counter = count->model_counter.counter;
	const struct ctx_message *message = event->message;
	struct ctx_cost cost = {0};
	struct ctx_share *share;
	uint32_t tool;

	if (ctx_groups_tool(&count->groups, message, *i, &tool, err) < 0 ||
	    (message->blocks[*i].kind == CTX_BLOCK_TOOL_RESULT
		    ? ctx_count_result(counter, message, i, &cost, err)
		    : ctx_count_block(counter, message, *i, &cost, err)) < 0)
		return -1;
	if (tool == 0)
		return 0;
	share = find_tool_share(count, tool, err);
	if (share == NULL)
		return -1;
	share->tokens += cost.tokens;
	share->results += cost.results;
	share->estimated += counter->exact ? cost.estimated : cost.tokens;
	share->chars += cost.chars;
	return 0;
}

/* The message is not added to the groups yet. */
static int
add_shares(struct count *count, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	size_t i;

	count->n_shares = 0;
	for (i = 0; i < message->n; i++)
		if ((message->blocks[i].kind == CTX_BLOCK_TOOL_CALL ||
			message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT) &&
		    add_share(count, event, &i, err) < 0)
			return -1;
	return 0;
}

static void
release_shares(struct count *count)
{
	free(count->shares);
	free(count->tools);
	free(count->at);
}

static int
count_stream_message(struct tally *t, struct count *count,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_dialect *dialect = event->layout->dialect;
	const struct ctx_node *node = &event->record->json->nodes[event->node];
	struct ctx_token_stats *all = &count->stats, one;
	struct ctx_groups *groups = &count->groups;
	const struct ctx_segment *segment;
	struct ctx_cost cost;
	size_t i;

	if (t->hooks->shares && add_shares(count, event, err) < 0)
		return -1;
	if (ctx_stream_cost(event, count->model_counter.counter, &cost, err) <
		0 ||
	    ctx_groups_add(groups, event->message, &cost, 0, err) < 0)
		return -1;
	segment = &groups->segments[groups->n - 1];
	one = (struct ctx_token_stats){
	    .file = event->record->file,
	    .line = event->record->line,
	    .dialect = dialect,
	    .model = all->model,
	    .name = all->name,
	    .encoding = all->encoding,
	    .messages = !(event->message->flags & CTX_MESSAGE_CONTINUES),
	    .tokens = cost.tokens,
	    .estimated = cost.estimated,
	    .framing = cost.framing,
	    .chars = cost.chars,
	    .billed = event->message->billed > 0
		? event->message->billed
		: ctx_billed_input(event->record->json, event->message->usage),
	    .asked = cost.prompt_tokens,
	    .asked_estimated = cost.prompt_estimated,
	    .bytes =
		event->inside ? node->end - node->at : event->record->text.n,
	    .index = event->line != 0 && !event->inside
		? ctx_transcript_message_index(t->stream->transcript,
		      event->line, segment->message)
		: segment->message,
	    .turn = segment->turn,
	    .role = event->message->role,
	    .tool = ctx_intern_at(&groups->tools, segment->tool),
	    .message = event->message,
	    .shares = count->shares,
	    .n_shares = count->n_shares,
	};
	all->dialect = dialect;
	all->tokens += one.tokens;
	all->estimated += one.estimated;
	all->framing += one.framing;
	all->chars += one.chars;
	all->bytes += one.bytes;
	all->messages += one.messages;
	all->turns = groups->turn;
	for (i = 0; i < CTX_BLOCK_KINDS; i++) {
		one.kinds[i] = cost.kinds[i];
		one.rough[i] = cost.estimated_by_kind[i];
		all->kinds[i] += cost.kinds[i];
		all->rough[i] += cost.estimated_by_kind[i];
	}
	if (t->hooks->message != NULL &&
	    t->hooks->message(t->hooks->user, &one, err) < 0)
		return -1;
	return ctx_groups_forget(groups, err);
}

static int
end_count(struct tally *t, struct count *count, struct ctx_err *err)
{
	count->open = false;
	if (t->hooks->ended == NULL)
		return 0;
	return t->hooks->ended(t->hooks->user, &count->stats, err);
}

static int
count_event(struct tally *t, const struct ctx_event *event, struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin_count(t, &t->record, event, err);
	case CTX_EVENT_END:
		return end_count(t, &t->record, err);
	case CTX_EVENT_MESSAGE:
		if (event->inside)
			return count_stream_message(t, &t->record, event, err);
		if (!t->lines.open && begin_count(t, &t->lines, event, err) < 0)
			return -1;
		return count_stream_message(t, &t->lines, event, err);
	default:
		return 0;
	}
}

static int
count_all(struct tally *t, struct ctx_err *err)
{
	struct ctx_event event;
	int rc;

	while ((rc = ctx_stream_next(t->stream, &event, err)) > 0)
		if (count_event(t, &event, err) < 0)
			return ctx_stream_fail(t->stream, err);
	if (rc < 0)
		return -1;
	return t->lines.open ? end_count(t, &t->lines, err) : 0;
}

int
ctx_count_stream(struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_count_hooks *hooks, struct ctx_err *err)
{
	struct tally t = {0};
	int rc = -1;

	t.stream = stream;
	t.counters = counters;
	t.hooks = hooks;
	if (ctx_groups_init(&t.lines.groups, err) == 0 &&
	    ctx_groups_init(&t.record.groups, err) == 0)
		rc = count_all(&t, err);
	ctx_groups_release(&t.lines.groups);
	ctx_groups_release(&t.record.groups);
	release_shares(&t.lines);
	release_shares(&t.record);
	return rc;
}
