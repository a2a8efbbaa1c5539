/*
 * pruned_replay.c - replays a recorded session as if ctx-prune had shortened
 * the prompt of each request
 *
 * No messages are written.  The plan of ctx-prune says which segments of
 * messages are removed or edited, and the prompt consists of the remaining
 * segments.  Edited messages are parsed once more, but their tokens are not
 * counted again.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/prompt_cache.h"
#include "replay/recorded_session.h"
#include "stream/rewrite.h"

#define EDITS (CTX_MARK_STRIP | CTX_MARK_CLEAR)

/* A message of the prompt that is being pruned. */
struct pruned_message {
	uint32_t number; /* index of the message in the session */
	/* which kinds of edits were made for earlier requests, as CTX_MARK_...
	 * flags */
	uint8_t edits;
	uint8_t n; /* number of segments of the message */
};

/* State of ctx_replay_pruned, which replays one session with pruned prompts. */
struct pruned_replay {
	struct ctx_replay_session *session;
	const struct ctx_replay_policy *policy;
	struct ctx_prune_settings settings;
	struct prompt_tree tree;
	struct prompt_cache cache;
	struct ctx_groups groups;
	struct ctx_plan plan;
	struct ctx_scorer *scorer;
	struct ctx_pins pins;
	/* reads the messages of the session again */
	struct ctx_rewrite rewrite;
	/* The messages of the prompt before pruning.  The first n_grouped of
	 * them have already been divided into groups. */
	struct pruned_message *history;
	size_t n, cap, n_grouped;
	struct prompt_walk walk; /* through the session's prompts */
	/* for each message of the session: which parts of it were sent */
	struct sent_parts *sent;
};

/* ---- the history ---- */

static int
append_to_history(void *user, uint32_t number, struct ctx_err *err)
{
	struct pruned_replay *replay = user;

	if (CTX_GROW(replay->history, replay->cap, replay->n + 1, err) < 0)
		return -1;
	replay->history[replay->n++] =
	    (struct pruned_message){.number = number};
	return 0;
}

static void
forget_groups(struct pruned_replay *replay)
{
	ctx_groups_reset(&replay->groups);
	if (replay->scorer != NULL)
		ctx_scorer_reset(replay->scorer);
	replay->settings.alternates = replay->settings.whole_turns = false;
	replay->n_grouped = 0;
}

static void
empty_history(void *user)
{
	struct pruned_replay *replay = user;

	replay->n = 0;
	forget_groups(replay);
}

/* Makes replay->history the messages of a request's prompt.  If the prompt
 * continues the previous request's prompt, only its new messages are appended;
 * otherwise the history is emptied before.  prompt: node of the session's
 * tree. */
static int
extend_history(struct pruned_replay *replay, uint32_t prompt,
    struct ctx_err *err)
{
	const struct prompt_taker taker = {replay, empty_history,
	    append_to_history};

	return ctx_prompt_tree_walk(&replay->session->tree, &replay->walk,
	    prompt, &taker, err);
}

/* Returns true if a message of the session is the answer of a record that also
 * contains the prompt.  The record is stored with the message before it, the
 * prompt. */
static bool
is_answer_of_record(const struct replay_message *message)
{
	return message->text == NULL;
}

/* Returns the tokens of the answer in a record that also contains the prompt.
 * edits: the edits that were made to the record. */
static uint64_t
count_answer(const struct replay_message *answer, unsigned edits)
{
	uint64_t reasoning =
	    edits & CTX_MARK_STRIP ? answer[-1].cost->reasoning : 0;

	return answer->sent.tokens > reasoning ? answer->sent.tokens - reasoning
					       : 0;
}

/* Adds the tokens of an answer to the segment of the prompt before it, because
 * both are one record. */
static void
group_answer(struct pruned_replay *replay, const struct pruned_message *prompt,
    const struct replay_message *answer)
{
	struct ctx_groups *groups = &replay->groups;
	uint64_t tokens = count_answer(answer, prompt->edits);

	if (prompt->n == 0)
		return;
	groups->tokens += tokens;
	groups->segments[groups->n - 1].tokens += tokens;
	if (!(prompt->edits & CTX_MARK_STRIP))
		groups->segments[groups->n - 1].reasoning =
		    ctx_limit_tokens(answer[-1].cost->reasoning);
}

/* Subtracts from the cost of a message what pruning for an earlier request has
 * removed and, if the record contains prompt and answer, the tokens of the
 * answer. */
static void
reduce_cost(struct ctx_cost *cost, unsigned edits)
{
	if (cost->prompt_tokens > 0) {
		cost->tokens = cost->prompt_tokens;
		cost->reasoning = 0;
	}
	if (edits & CTX_MARK_STRIP) {
		cost->tokens -= cost->reasoning;
		cost->reasoning = 0;
	}
	if (edits & CTX_MARK_CLEAR) {
		cost->tokens -= cost->clearable;
		cost->results -= cost->clearable;
		cost->clearable = 0;
	}
}

/* Adds a message of the prompt to the groups of segments, as ctx-prune does
 * when it reads the message. */
static int
group_message(struct pruned_replay *replay, struct pruned_message *entry,
    struct ctx_err *err)
{
	const struct replay_message *kept =
	    &replay->session->messages[entry->number];
	const struct ctx_message *message = &replay->rewrite.text_message;
	size_t first = replay->groups.n;
	struct ctx_cost cost;
	bool pinned;
	int rc;

	if (is_answer_of_record(kept)) {
		group_answer(replay, entry - 1, kept);
		return 0;
	}
	cost = *kept->cost;
	reduce_cost(&cost, entry->edits);
	rc = ctx_rewrite_read_text(&replay->rewrite, kept->dialect,
	    (struct ctx_str){kept->text, kept->length}, kept->flags, err);
	if (rc <= 0)
		return rc;
	ctx_prune_settings_see(&replay->settings, message);
	if (ctx_pins_match(&replay->pins, message, &pinned, err) < 0 ||
	    ctx_groups_add(&replay->groups, message, &cost,
		pinned ? CTX_SEGMENT_PINNED : 0, err) < 0)
		return -1;
	ctx_pins_match_tools(&replay->pins, &replay->groups, first);
	if (replay->scorer != NULL &&
	    ctx_scorer_add(replay->scorer, message, &replay->groups, first,
		err) < 0)
		return -1;
	entry->n = (uint8_t)(replay->groups.n - first);
	return 0;
}

/* Removes from the history what the plan removes and records the plan's edits,
 * so that the next request continues the pruned prompt instead of the full one.
 * A message that has several segments is removed only if all of them are. */
static void
feed_back(struct pruned_replay *replay)
{
	struct pruned_message entry;
	size_t i, k, segment = 0, n = 0;
	bool kept = false;

	for (i = 0; i < replay->n; i++) {
		entry = replay->history[i];
		if (!is_answer_of_record(
			&replay->session->messages[entry.number]))
			kept = entry.n == 0;
		for (k = 0; k < entry.n; k++, segment++) {
			if (replay->plan.marks[segment] & CTX_MARK_DROP)
				continue;
			kept = true;
			entry.edits |= replay->plan.marks[segment] & EDITS;
		}
		if (kept)
			replay->history[n++] = entry;
	}
	replay->n = n;
	forget_groups(replay);
}

/* ---- a request ---- */

/* Lets ctx-prune decide what is removed from or edited in the prompt.  Sets
 * *changed to true if that is anything. */
static int
plan_prompt(struct pruned_replay *replay, bool *changed, struct ctx_err *err)
{
	struct ctx_plan *plan = &replay->plan;
	struct ctx_groups *groups = &replay->groups;
	size_t i;

	*changed = false;
	ctx_plan_reset(plan, &replay->settings);
	plan->fixed = replay->session->overhead;
	if (!ctx_plan_due(plan, groups))
		return 0;
	if (replay->scorer != NULL &&
	    (ctx_plan_survey(plan, groups, err) < 0 ||
		ctx_scorer_rank(replay->scorer, groups, plan, err) < 0))
		return -1;
	if (ctx_plan_decide(plan, groups, true, err) < 0)
		return -1;
	for (i = 0; i < groups->n && !*changed; i++)
		*changed = (plan->marks[i] & (EDITS | CTX_MARK_DROP)) != 0;
	return 0;
}

/* A part of a message (segment) that remains in the pruned prompt. */
struct sent_segment {
	const struct replay_message *message;
	size_t number; /* number of the segment in its message, from 0 */
	unsigned edits;
	uint64_t tokens;
};

/* Appends a segment, with its edits, to the prompt that ends at *node. */
static int
append_segment(struct pruned_replay *replay, uint32_t *node,
    const struct sent_segment *segment, struct ctx_err *err)
{
	struct prompt_message sent = segment->message->sent;

	sent.hash += segment->number * UINT64_C(0x9e3779b97f4a7c15) +
	    (segment->edits & EDITS) * UINT64_C(0xd6e8feb86659fd93);
	sent.tokens = segment->tokens;
	if (segment->number > 0)
		sent.blocks = 0;
	return ctx_prompt_tree_append(&replay->tree, node, &sent, err);
}

/* Records that segment k of a message is in the pruned prompt of a request.  Of
 * two segments, the first one has the tool results.  number: 1 + index of the
 * request. */
static void
record_sent(struct pruned_replay *replay, const struct pruned_message *entry,
    size_t k, unsigned edits, uint32_t number)
{
	struct sent_parts *sent = &replay->sent[entry->number];

	if (k == 0 && !(edits & CTX_MARK_CLEAR))
		sent->results = number;
	if (k + 1 == entry->n)
		sent->others = number;
}

/* Appends a segment to the prompt that ends at *node.  If the segment is
 * the last of a record that also contains the answer, the segment's tokens
 * include the answer; the rest and the answer are then appended as two
 * messages. */
static int
append_with_answer(struct pruned_replay *replay,
    const struct pruned_message *entry, struct sent_segment *segment,
    uint32_t *node, struct ctx_err *err)
{
	const struct replay_message *answer = segment->message + 1;
	uint64_t tokens;

	if (segment->number + 1 < entry->n ||
	    entry + 1 == replay->history + replay->n ||
	    !is_answer_of_record(&replay->session->messages[entry[1].number]))
		return append_segment(replay, node, segment, err);
	tokens = count_answer(answer, segment->edits);
	segment->tokens -= tokens;
	if (append_segment(replay, node, segment, err) < 0)
		return -1;
	*segment = (struct sent_segment){answer, 0, segment->edits, tokens};
	return append_segment(replay, node, segment, err);
}

/* Builds the prompt that the plan leaves, and sets *node to the node where it
 * ends.  changed: false if the plan removes and edits nothing.  number: 1 +
 * index of the request. */
static int
write_prompt(struct pruned_replay *replay, bool changed, uint32_t number,
    uint32_t *node, struct ctx_err *err)
{
	const struct ctx_segment *segments = replay->groups.segments;
	const struct pruned_message *entry;
	struct sent_segment sent;
	size_t i, k, segment = 0;
	unsigned marks;

	*node = 0;
	for (i = 0; i < replay->n; i++) {
		entry = &replay->history[i];
		sent.message = &replay->session->messages[entry->number];
		for (k = 0; k < entry->n; k++, segment++) {
			marks = changed ? replay->plan.marks[segment] : 0;
			if (marks & CTX_MARK_DROP)
				continue;
			sent.number = k;
			sent.edits = marks | entry->edits;
			sent.tokens = changed ? ctx_plan_left(&replay->plan,
						    &segments[segment], segment)
					      : segments[segment].tokens;
			record_sent(replay, entry, k, sent.edits, number);
			if (append_with_answer(replay, entry, &sent, node,
				err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Sends the pruned prompt through the cache, and adds its cost to the
 * results. */
static int
send_prompt(struct pruned_replay *replay, const struct replay_request *request,
    uint32_t node, struct ctx_billed_usage *usage, struct ctx_err *err)
{
	struct cached_prompt prompt;
	struct cache_rules rules;
	enum cache_find found;
	uint64_t read;

	ctx_replay_measure_prompt(request, node,
	    replay->tree.nodes[node].tokens, &prompt);
	ctx_cache_rules_of(request->model, request->hour, &rules);
	if (ctx_replay_append_response(replay->session, request, &replay->tree,
		&prompt.answered, err) < 0 ||
	    ctx_prompt_cache_send(&replay->cache, &prompt, &rules, &read,
		&found, err) < 0)
		return -1;
	ctx_replay_find_usage(request, &prompt, &rules, read, usage);
	return 0;
}

static int
prune_request(struct pruned_replay *replay,
    const struct replay_request *request, int64_t now,
    struct ctx_replay_pruned *pruned, struct ctx_err *err)
{
	uint32_t number = (uint32_t)(request - replay->session->requests) + 1;
	struct ctx_billed_usage usage;
	uint32_t node;
	bool changed;

	if (extend_history(replay, request->prompt, err) < 0)
		return -1;
	for (; replay->n_grouped < replay->n; replay->n_grouped++)
		if (group_message(replay, &replay->history[replay->n_grouped],
			err) < 0)
			return -1;
	if (plan_prompt(replay, &changed, err) < 0 ||
	    write_prompt(replay, changed, number, &node, err) < 0 ||
	    send_prompt(replay, request, node, &usage, err) < 0)
		return -1;
	ctx_replay_add_usage(&pruned->bill, request, now, &usage);
	pruned->requests++;
	pruned->changed += changed;
	pruned->needed += request->n_needed;
	pruned->kept +=
	    ctx_replay_count_kept(replay->session, request, replay->sent);
	pruned->over +=
	    replay->tree.nodes[node].tokens + replay->session->overhead >
	    replay->settings.budget;
	if (changed && replay->policy->feeds_back)
		feed_back(replay);
	return 0;
}

static int
open_replay(struct pruned_replay *replay, struct ctx_err *err)
{
	const struct ctx_replay_session *session = replay->session;
	const struct ctx_model *model =
	    session->requests[session->n_requests - 1].model;
	struct ctx_scorer_options scorer = replay->policy->config->scorer;

	/* The replay counts messages, but does not edit them. */
	scorer.whole = true;
	ctx_rewrite_init(&replay->rewrite, session->simd);
	replay->sent = calloc(session->n, sizeof *replay->sent);
	if (replay->sent == NULL)
		return ctx_err_nomem(err);
	ctx_prompt_cache_reset(&replay->cache, &replay->tree);
	/* The context window of an unknown model would only be guessed, so it
	 * is not used as the budget. */
	if (model != NULL && strcmp(model->vendor, "unknown") == 0)
		model = NULL;
	if (ctx_prune_settings_for(replay->policy->config, model,
		&replay->settings, err) < 0 ||
	    ctx_groups_init(&replay->groups, err) < 0 ||
	    ctx_prompt_tree_reset(&replay->tree, err) < 0 ||
	    ctx_scorer_open(&replay->scorer, replay->settings.strategy, &scorer,
		err) < 0)
		return -1;
	replay->settings.binds = model != NULL && model->binds;
	return 0;
}

int
ctx_replay_pruned(struct ctx_replay_session *session,
    const struct ctx_replay_policy *policy, int64_t now,
    struct ctx_replay_pruned *pruned, struct ctx_err *err)
{
	struct pruned_replay replay = {.session = session,
	    .policy = policy,
	    .pins.config = policy->config};
	int rc = open_replay(&replay, err);
	size_t i;

	for (i = 0; rc == 0 && i < session->n_requests; i++)
		rc = prune_request(&replay, &session->requests[i], now, pruned,
		    err);
	ctx_scorer_close(replay.scorer);
	ctx_pins_release(&replay.pins);
	ctx_plan_release(&replay.plan);
	ctx_groups_release(&replay.groups);
	ctx_prompt_cache_release(&replay.cache);
	ctx_prompt_tree_release(&replay.tree);
	ctx_rewrite_release(&replay.rewrite);
	free(replay.history);
	free(replay.sent);
	free(replay.walk.numbers);
	return rc;
}
