/*
 * pruned_replay.c - replays a recorded session as if ctx-prune had shortened
 * the prompt of each request
 *
 * No messages are written.  The plan of ctx-prune says which segments (messages
 * or parts of messages) are removed or edited.  The pruned prompt consists of
 * the other segments and, with the strategy summarize, of the summary.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/pruned_history.h"

/* State of ctx_replay_pruned while it replays a session with pruned prompts. */
struct pruned_replay {
	struct ctx_replay_session *session;
	const struct ctx_replay_policy *policy;
	struct pruned_history history;
	struct prompt_tree tree;
	struct prompt_cache cache;
	/* for each message of the session: when its parts were last sent */
	struct sent_parts *sent;
	/* For each message that is sent with shortened tool results: the
	 * arguments message and segment with which
	 * ctx_pruned_history_search_results searches these tool results. */
	struct shortened_result {
		const struct pruned_message *message;
		size_t segment;
	} * shortened;
	/* The pruned prompt that is being built. node: node of its last message
	 * in the tree; number: index of the request, plus 1; sends_summary:
	 * true if the summary (history.summary) is in the prompt. */
	uint32_t node, number;
	bool sends_summary;
};

/* ---- a request ---- */

/* Lets ctx-prune plan what is removed from the prompt or edited.  Sets *changed
 * to true if the plan changes the prompt. */
static int
plan_prompt(struct pruned_replay *replay, bool *changed, struct ctx_err *err)
{
	struct held_conversation *conversation = replay->history.conversation;
	struct ctx_prune_settings settings = replay->history.settings;
	struct ctx_plan *plan = &conversation->plan;

	*changed = false;
	settings.alternates = plan->settings.alternates;
	settings.whole_turns = plan->settings.whole_turns;
	settings.keeps_reasoning = plan->settings.keeps_reasoning;
	ctx_plan_reset(plan, &conversation->groups, &settings);
	plan->fixed = replay->session->overhead;
	if (!ctx_plan_due(plan))
		return 0;
	if (conversation->scorer != NULL &&
	    (ctx_plan_survey(plan, err) < 0 ||
		ctx_scorer_rank(conversation->scorer, plan, err) < 0 ||
		ctx_pruned_history_count_passages(&replay->history, err) < 0))
		return -1;
	if (ctx_plan_decide(plan, true, err) < 0 ||
	    ctx_pruned_history_summarize(&replay->history,
		replay->policy->feeds_back, err) < 0)
		return -1;
	*changed = conversation->n_insertions > 0;
	for (size_t i = 0; i < plan->groups->n && !*changed; i++)
		*changed = (plan->marks[i] &
			       (REPLAYED_EDITS | CTX_MARK_DROP |
				   CTX_MARK_DROP_INSERTION)) != 0;
	return 0;
}

/* A segment that remains in the pruned prompt. */
struct sent_segment {
	const struct pruned_message *message;
	size_t index; /* index of the segment in the history */
	/* number of the segment in its message, from 0 */
	size_t number;
	unsigned marks;
	uint64_t tokens;
};

/* Appends a segment to the prompt. number: number of the segment in its
 * message, from 0. edits: edits of the segment, as CTX_MARK_... flags. */
static int
append_segment(struct pruned_replay *replay, struct prompt_message sent,
    size_t number, unsigned edits, struct ctx_err *err)
{
	sent.hash += number * UINT64_C(0x9e3779b97f4a7c15) +
	    (edits & REPLAYED_EDITS) * UINT64_C(0xd6e8feb86659fd93);
	if (number > 0)
		sent.blocks = 0;
	return ctx_prompt_tree_append(&replay->tree, &replay->node, &sent, err);
}

static int
append_summary(struct pruned_replay *replay, uint64_t hash, uint64_t tokens,
    struct ctx_err *err)
{
	const struct prompt_message sent = {.hash = hash,
	    .tokens = tokens,
	    .blocks = 1};

	replay->sends_summary = true;
	return ctx_prompt_tree_append(&replay->tree, &replay->node, &sent, err);
}

/* Stores that a segment is in the pruned prompt.  If a message has two
 * segments, the first one is its tool results. */
static void
record_sent(struct pruned_replay *replay, const struct sent_segment *segment,
    unsigned edits)
{
	const struct pruned_message *message = segment->message;
	struct sent_parts *sent =
	    &replay->sent[message->recorded - replay->session->messages];

	if (segment->number == 0 && (edits & CTX_MARK_PASSAGES)) {
		sent->shortened = replay->number;
		replay->shortened[sent - replay->sent] =
		    (struct shortened_result){message,
			(segment->marks & CTX_MARK_PASSAGES) &&
				!replay->policy->feeds_back
			    ? segment->index
			    : SIZE_MAX};
	} else if (segment->number == 0 && !(edits & CTX_MARK_CLEAR)) {
		sent->results = replay->number;
	}
	if (segment->number + 1 == message->n)
		sent->others = replay->number;
}

/* Appends a segment to the prompt.  The tokens of the last segment of a message
 * include the tokens of a summary in the message and, if the record also
 * contains the answer, the tokens of the answer.  Summary and answer are
 * appended as separate messages. */
static int
append_parts(struct pruned_replay *replay, struct sent_segment *segment,
    struct ctx_err *err)
{
	const struct pruned_message *message = segment->message;
	const struct replay_message *answer = message->answer;
	unsigned edits = segment->marks | message->edits;
	bool is_last = segment->number + 1 == message->n;
	struct prompt_message sent, answered;

	if (is_last && message->summary_tokens > 0 &&
	    !(segment->marks & CTX_MARK_DROP_INSERTION)) {
		segment->tokens -= message->summary_tokens;
		if (append_summary(replay, message->summary_hash,
			message->summary_tokens, err) < 0)
			return -1;
	}
	if (message->recorded == NULL)
		return 0;
	record_sent(replay, segment, edits);
	sent = message->recorded->sent;
	sent.hash +=
	    (message->removed_hash +
		(segment->marks & CTX_MARK_PASSAGES ? message->passages_hash
						    : 0)) *
	    UINT64_C(0x94d049bb133111eb);
	sent.tokens = segment->tokens;
	if (!is_last || answer == NULL)
		return append_segment(replay, sent, segment->number, edits,
		    err);
	answered = answer->sent;
	answered.tokens = ctx_pruned_history_count_answer(answer, edits);
	sent.tokens -= answered.tokens;
	return append_segment(replay, sent, segment->number, edits, err) < 0
	    ? -1
	    : append_segment(replay, answered, 0, edits, err);
}

/* If the plan inserts a summary before segment k (part) of a message, appends
 * the summary to the prompt. */
static int
append_new_summary(struct pruned_replay *replay,
    const struct pruned_message *message, size_t k, struct ctx_err *err)
{
	const struct held_conversation *conversation =
	    replay->history.conversation;

	if (message->entry.insertion_number == 0 ||
	    k !=
		(ctx_insertion_is_block(conversation, &message->entry)
			? message->n - 1u
			: 0u))
		return 0;
	return append_summary(replay, replay->history.summary_hash,
	    conversation->insertions->tokens, err);
}

/* Builds the pruned prompt from the history and the plan (what is removed and
 * edited). changed: false if the plan neither removes nor edits anything. */
static int
write_prompt(struct pruned_replay *replay, bool changed, struct ctx_err *err)
{
	const struct held_conversation *conversation =
	    replay->history.conversation;
	const struct ctx_plan *plan = &conversation->plan;
	const struct ctx_segment *segment = conversation->groups.segments;
	struct sent_segment sent = {0};
	size_t at = 0;

	replay->node = 0;
	replay->sends_summary = false;
	for (size_t i = 0; i < ctx_pruned_history_count(&replay->history);
	     i++) {
		sent.message = ctx_pruned_history_at(&replay->history, i);
		for (sent.number = 0; sent.number < sent.message->n;
		     sent.number++, at++, segment++) {
			sent.index = at;
			if (changed &&
			    append_new_summary(replay, sent.message,
				sent.number, err) < 0)
				return -1;
			sent.marks = changed ? plan->marks[at] : 0;
			sent.tokens =
			    changed ? ctx_plan_left(plan, at) : segment->tokens;
			/* Tokens of both segments of a message are billed
			 * once. */
			if (sent.number + 1 < sent.message->n &&
			    !(changed && (plan->marks[at + 1] & CTX_MARK_DROP)))
				sent.tokens -= segment->shared_tokens;
			if (!(sent.marks & CTX_MARK_DROP) &&
			    append_parts(replay, &sent, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Sends the pruned prompt through the simulated cache, and sets *usage to its
 * billed tokens. */
static int
send_prompt(struct pruned_replay *replay, const struct replay_request *request,
    struct ctx_billed_usage *usage, struct ctx_err *err)
{
	struct cached_prompt prompt;
	struct cache_rules rules;
	enum cache_find found;
	uint64_t read;

	ctx_replay_measure_prompt(request, replay->node,
	    replay->tree.nodes[replay->node].tokens, &prompt);
	ctx_cache_rules_of(request, &rules);
	if (ctx_replay_append_response(replay->session, request, &replay->tree,
		&prompt.answered, err) < 0 ||
	    ctx_prompt_cache_send(&replay->cache, &prompt, &rules, &read,
		&found, err) < 0)
		return -1;
	ctx_replay_find_usage(request, &prompt, &rules, read, usage);
	return 0;
}

static int
search_shortened(void *user, uint32_t message, struct ctx_str name,
    struct ctx_err *err)
{
	struct pruned_replay *replay = user;
	const struct shortened_result *result = &replay->shortened[message];

	return ctx_pruned_history_search_results(&replay->history,
	    result->message, result->segment, name, err);
}

static int
prune_request(struct pruned_replay *replay,
    const struct replay_request *request, int64_t now,
    struct ctx_replay_pruned *pruned, struct ctx_err *err)
{
	struct pruned_history *history = &replay->history;
	struct sent_prompt sent = {.parts = replay->sent,
	    .search_shortened = search_shortened,
	    .user = replay};
	struct ctx_billed_usage usage;
	bool changed;

	replay->number = (uint32_t)(request - replay->session->requests) + 1;
	if (ctx_pruned_history_extend(history, request->prompt, err) < 0 ||
	    plan_prompt(replay, &changed, err) < 0 ||
	    write_prompt(replay, changed, err) < 0 ||
	    send_prompt(replay, request, &usage, err) < 0)
		return -1;
	if (replay->sends_summary)
		sent.summary = ctx_buf_str(&history->summary);
	ctx_replay_add_usage(&pruned->bill, request, now, &usage);
	pruned->requests++;
	pruned->changed += changed;
	pruned->needed += request->n_needed;
	if (ctx_replay_count_kept(replay->session, request, &sent,
		&pruned->kept, err) < 0)
		return -1;
	pruned->over += replay->tree.nodes[replay->node].tokens +
		replay->session->overhead >
	    history->settings.budget;
	return changed && replay->policy->feeds_back
	    ? ctx_pruned_history_feed_back(history, err)
	    : 0;
}

static int
open_replay(struct pruned_replay *replay, struct ctx_err *err)
{
	const struct ctx_replay_session *session = replay->session;
	const struct ctx_model *model =
	    session->requests[session->n_requests - 1].model;

	replay->sent = calloc(session->n, sizeof *replay->sent);
	replay->shortened = calloc(session->n, sizeof *replay->shortened);
	if (replay->sent == NULL || replay->shortened == NULL)
		return ctx_err_nomem(err);
	ctx_prompt_cache_reset(&replay->cache, &replay->tree);
	/* The context window of an unknown model would be a guess, so it is not
	 * used as the budget. */
	if (model != NULL && strcmp(model->vendor, "unknown") == 0)
		model = NULL;
	if (ctx_prune_settings_for(replay->policy->config, model,
		&replay->history.settings, err) < 0)
		return -1;
	replay->history.settings.binds = model == NULL
	    ? CTX_BINDS_NOTHING
	    : ctx_model_binds(model,
		  (struct ctx_str){model->name, strlen(model->name)});
	return ctx_prompt_tree_reset(&replay->tree, err) < 0
	    ? -1
	    : ctx_pruned_history_open(&replay->history, replay->policy, err);
}

int
ctx_replay_pruned(struct ctx_replay_session *session,
    const struct ctx_replay_policy *policy, int64_t now,
    struct ctx_replay_pruned *pruned, struct ctx_err *err)
{
	struct pruned_replay replay = {.session = session,
	    .policy = policy,
	    .history.session = session};
	int rc = open_replay(&replay, err);

	for (size_t i = 0; rc == 0 && i < session->n_requests; i++)
		rc = prune_request(&replay, &session->requests[i], now, pruned,
		    err);
	ctx_pruned_history_release(&replay.history);
	ctx_prompt_cache_release(&replay.cache);
	ctx_prompt_tree_release(&replay.tree);
	free(replay.sent);
	free(replay.shortened);
	return rc;
}
