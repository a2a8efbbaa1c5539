/*
 * pruned_history.c - stores the history of a replayed session: the messages
 * that are pruned to get its prompts
 *
 * If pruning for an earlier request has edited a message, the tokens of the
 * message are not counted again.  The removed tokens are subtracted from its
 * cost.
 */
#define _GNU_SOURCE /* memmem, in POSIX since 2024 */
#include <stdlib.h>
#include <string.h>

#include "replay/pruned_history.h"

static const struct ctx_held_queue no_messages = {
    .entry_size = sizeof(struct pruned_message)};

/* ---- messages ---- */

/* Returns the newest message of the history, or NULL if there is none. */
static struct pruned_message *
newest_message(const struct pruned_history *history)
{
	size_t n = ctx_pruned_history_count(history);

	return n == 0 ? NULL : ctx_pruned_history_at(history, n - 1);
}

static struct pruned_message *
add_entry(struct pruned_history *history, struct ctx_err *err)
{
	const struct ctx_record record = {.file = history->session->file};
	const struct ctx_event event = {.record = &record};

	return ctx_held_queue_add(&history->prune.rewrite.lines, &event, err);
}

static int
set_text(struct pruned_history *history, struct pruned_message *message,
    struct ctx_str text, struct ctx_err *err)
{
	char *copy = malloc(text.n + 1);

	if (copy == NULL)
		return ctx_err_nomem(err);
	memcpy(copy, text.p, text.n);
	ctx_rewrite_set_text(&history->prune.rewrite, &message->entry.held,
	    copy, text.n);
	return 0;
}

uint64_t
ctx_pruned_history_count_answer(const struct replay_message *answer,
    unsigned edits)
{
	uint64_t reasoning =
	    edits & CTX_MARK_STRIP ? answer[-1].cost->reasoning : 0;

	return answer->sent.tokens > reasoning ? answer->sent.tokens - reasoning
					       : 0;
}

/* Adds the tokens of an answer to the newest segment (message or part of one).
 * This segment is the prompt in a record that contains both prompt and
 * answer. */
static void
group_answer(struct pruned_history *history,
    const struct pruned_message *prompt)
{
	struct ctx_groups *groups = &history->conversation->groups;
	struct ctx_segment *segment = &groups->segments[groups->n - 1];
	uint64_t tokens =
	    ctx_pruned_history_count_answer(prompt->answer, prompt->edits);

	groups->tokens += tokens;
	segment->tokens += tokens;
	if (!(prompt->edits & CTX_MARK_STRIP))
		segment->reasoning =
		    ctx_limit_tokens(prompt->recorded->cost->reasoning);
}

/* Returns the token counts of a message after the edits for earlier requests,
 * with a summary that was inserted into it.  If the record contains a prompt
 * and its answer, the tokens of the answer are not included. */
static struct ctx_cost
find_cost(const struct pruned_message *message)
{
	struct ctx_cost cost = {0};

	if (message->recorded != NULL)
		cost = *message->recorded->cost;
	if (cost.prompt_tokens > 0) {
		cost.tokens = cost.prompt_tokens;
		cost.reasoning = 0;
	}
	if (message->edits & CTX_MARK_STRIP) {
		cost.tokens -= cost.reasoning;
		cost.reasoning = 0;
	}
	if (message->edits & CTX_MARK_CLEAR) {
		cost.tokens -= cost.clearable;
		cost.results -= cost.clearable;
		cost.clearable = 0;
	}
	cost.tokens += message->summary_tokens;
	cost.tokens -= message->removed_tokens;
	cost.results -= message->removed_tokens;
	cost.clearable -= message->removed_tokens < cost.clearable
	    ? message->removed_tokens
	    : cost.clearable;
	return cost;
}

/* Returns true if the history must store the texts of its messages: the
 * strategy summarizes, or shortens tool results to passages. */
static bool
holds_texts(const struct pruned_history *history)
{
	return history->settings.strategy->summarizes ||
	    history->settings.strategy->cuts_results;
}

/* Divides the newest message into segments (the message or its parts), and adds
 * the segments to groups (a tool call with its results, or another message), as
 * ctx-prune does.  If the message cannot be read, removes it from the
 * history. */
static int
hold_newest(struct pruned_history *history, struct ctx_err *err)
{
	struct ctx_rewrite *rewrite = &history->prune.rewrite;
	struct pruned_message *message = newest_message(history);
	const struct replay_message *recorded = message->recorded;
	const struct ctx_cost cost = find_cost(message);
	const struct ctx_event event = {.message = &rewrite->message,
	    .cost = &cost,
	    .counted_by = history->session->counter};
	struct ctx_held_message held;
	int rc;

	if (holds_texts(history) && message->entry.held.text == NULL &&
	    set_text(history, message,
		(struct ctx_str){recorded->text, recorded->length}, err) < 0)
		return -1;
	held = message->entry.held;
	if (held.text == NULL) {
		held.text = recorded->text;
		held.n = recorded->length;
	}
	rc = ctx_rewrite_reread(rewrite, &held, err);
	if (rc == 0)
		ctx_held_queue_remove_last(&rewrite->lines);
	if (rc <= 0)
		return rc;
	history->conversation->shared_number = message->shared_number;
	if (ctx_prune_hold_message(&history->prune, history->conversation,
		&message->entry, &event, err) < 0)
		return -1;
	message->n = message->entry.n_segments;
	if (message->answer != NULL)
		group_answer(history, message);
	return 0;
}

/* ---- the prompt of a request ---- */

static int
append_recorded(void *user, uint32_t number, struct ctx_err *err)
{
	struct pruned_history *history = user;
	const struct replay_message *recorded =
	    &history->session->messages[number];
	struct pruned_message *message = newest_message(history);

	/* A record with both a prompt and its answer was stored as two
	 * messages.  The second message, the answer, has no text.  In the
	 * history, both are one message. */
	if (recorded->text == NULL) {
		if (message == NULL || message->recorded != recorded - 1)
			return 0;
		message->answer = recorded;
		group_answer(history, message);
		return 0;
	}
	message = add_entry(history, err);
	if (message == NULL)
		return -1;
	message->recorded = recorded;
	message->entry.held.dialect = recorded->dialect;
	message->entry.held.flags = (uint16_t)recorded->flags;
	message->shared_number = number + 1;
	return hold_newest(history, err);
}

/* Removes all messages from conversation->groups, but not from the queue of
 * messages. */
static void
empty_groups(struct pruned_history *history)
{
	struct held_conversation *conversation = history->conversation;

	ctx_groups_reset(&conversation->groups);
	ctx_scorer_reset(conversation->scorer);
	ctx_plan_reset(&conversation->plan, &conversation->groups,
	    &history->settings);
}

static void
empty_history(void *user)
{
	struct pruned_history *history = user;

	ctx_held_queue_clear(&history->prune.rewrite.lines);
	/* Forget the last scan.  The scanner recognises the text of the last
	 * scan by its address, and a new text may get the address of a freed
	 * text. */
	history->prune.rewrite.scanned = NULL;
	empty_groups(history);
}

int
ctx_pruned_history_extend(struct pruned_history *history, uint32_t prompt,
    struct ctx_err *err)
{
	const struct prompt_taker taker = {history, empty_history,
	    append_recorded};

	return ctx_prompt_tree_walk(&history->session->tree, &history->walk,
	    prompt, &taker, err);
}

/* ---- summaries ---- */

/* Removes the summary that was inserted for the previous request. */
static void
forget_summary(struct held_conversation *conversation)
{
	for (size_t i = 0; i < conversation->groups.n; i++)
		conversation->groups.segments[i].rank = 0;
	for (size_t i = 0;
	     conversation->n_insertions > 0 && i < conversation->entries->end;
	     i++)
		ctx_prune_entry_at(conversation, i)->insertion_number = 0;
	conversation->n_insertions = 0;
	conversation->inserted_json.n = 0;
}

/* If the plan inserts a summary, stores the summary's text and hash. */
static int
store_summary(struct pruned_history *history, struct ctx_err *err)
{
	const struct held_conversation *conversation = history->conversation;
	const struct insertion *insertion = conversation->insertions;

	if (conversation->n_insertions == 0)
		return 0;
	history->summary.n = 0;
	if (ctx_json_string_decode(&history->summary,
		(struct ctx_str){conversation->inserted_json.p +
			insertion->string_at,
		    insertion->string_n},
		err) < 0)
		return -1;
	history->summary_hash = ctx_hash(&history->session->key,
	    history->summary.p, history->summary.n);
	return 0;
}

int
ctx_pruned_history_summarize(struct pruned_history *history, bool feeds_back,
    struct ctx_err *err)
{
	struct held_conversation *conversation = history->conversation;

	if (history->settings.strategy->summarizes) {
		forget_summary(conversation);
		if (ctx_prune_plan_summary(&history->prune, conversation, err) <
		    0) {
			err->file = history->session->file;
			err->line = history->session->line;
			return -1;
		}
		if (store_summary(history, err) < 0)
			return -1;
	}
	return feeds_back && holds_texts(history)
	    ? ctx_prune_apply_plan(&history->prune, conversation, true, err)
	    : 0;
}

/* ---- passages ---- */

/* Sets *savings to the number of tokens that are saved if the passages with
 * this hash are removed from a message. segment: the first segment (part) of
 * the message. */
static int
count_removed(struct pruned_history *history,
    const struct pruned_message *message, size_t segment, uint64_t hash,
    uint32_t *savings, struct ctx_err *err)
{
	struct held_conversation *conversation = history->conversation;
	struct ctx_replay_session *session = history->session;
	const uint64_t removal =
	    hash + message->shared_number * UINT64_C(0x9e3779b97f4a7c15);
	size_t n = session->removals.n;
	uint32_t id = 0;

	if (message->shared_number != 0 &&
	    (ctx_intern(&session->removals, (const char *)&removal,
		 sizeof removal, &id, err) < 0 ||
		CTX_GROW(session->savings, session->savings_cap, id, err) < 0))
		return -1;
	if (id != 0 && id <= n) {
		*savings = session->savings[id - 1];
		return 0;
	}
	if (ctx_prune_count_passage_savings(&history->prune, conversation,
		&message->entry, segment, err) < 0)
		return -1;
	*savings = conversation->groups.segments[segment].passage_savings;
	if (id != 0)
		session->savings[id - 1] = *savings;
	return 0;
}

/* Sets the member passage_savings of the first segment (part) of a message: the
 * number of tokens that removing passages saves. */
static int
count_savings(struct pruned_history *history, struct pruned_message *message,
    size_t segment, struct ctx_err *err)
{
	struct held_conversation *conversation = history->conversation;
	struct passages removed;
	uint64_t hash;

	if (ctx_scorer_find_removed(conversation->scorer, segment, &removed,
		err) < 0)
		return -1;
	hash = removed.n == 0
	    ? 0
	    : ctx_hash(&history->session->key, (const char *)removed.list,
		  removed.n * sizeof *removed.list);
	if (hash == 0)
		message->passage_savings = 0;
	else if (hash != message->passages_hash &&
	    count_removed(history, message, segment, hash,
		&message->passage_savings, err) < 0)
		return -1;
	message->passages_hash = hash;
	conversation->groups.segments[segment].passage_savings =
	    message->passage_savings;
	return 0;
}

int
ctx_pruned_history_count_passages(struct pruned_history *history,
    struct ctx_err *err)
{
	size_t i, n = ctx_pruned_history_count(history), first = 0;
	struct pruned_message *message;

	for (i = 0; i < n && history->settings.strategy->cuts_results;
	     i++, first += message->n) {
		message = ctx_pruned_history_at(history, i);
		if (message->n > 0 &&
		    count_savings(history, message, first, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns 1 if tool result i of the message that was read last contains a name
 * outside the passages that are removed from it, 0 if not, or -1 with *err.
 * *removed must begin with the passages of this tool result, which are dropped
 * from *removed. */
static int
search_result(struct pruned_history *history, size_t i,
    struct passages *removed, struct ctx_str name, struct ctx_err *err)
{
	struct prune *prune = &history->prune;
	const struct ctx_buf *text = &prune->text_segments.text;
	size_t from = 0;
	bool found = false;

	if (ctx_text_segments_result(&prune->text_segments,
		&prune->rewrite.message, i, err) < 0 ||
	    ctx_text_segments_read(&prune->text_segments, err) < 0)
		return -1;
	for (; removed->n > 0 && removed->list->result == i;
	     removed->list++, removed->n--) {
		found = found ||
		    memmem(text->p + from, removed->list->from - from, name.p,
			name.n) != NULL;
		from = removed->list->to;
	}
	return found ||
	    memmem(text->p + from, text->n - from, name.p, name.n) != NULL;
}

int
ctx_pruned_history_search_results(struct pruned_history *history,
    const struct pruned_message *message, size_t segment, struct ctx_str name,
    struct ctx_err *err)
{
	const struct ctx_message *parsed = &history->prune.rewrite.message;
	struct passages removed = {NULL, 0};
	int rc = 0;

	if (ctx_prune_reread(&history->prune, &message->entry, err) < 0 ||
	    (segment != SIZE_MAX &&
		ctx_scorer_find_removed(history->conversation->scorer, segment,
		    &removed, err) < 0))
		return -1;
	for (size_t i = 0; i < parsed->n && rc == 0; i++) {
		if (parsed->blocks[i].kind == CTX_BLOCK_TOOL_RESULT)
			rc = search_result(history, i, &removed, name, err);
		/* Arguments of a tool call are not searched. */
		else if (removed.n > 0 && removed.list->result == i)
			removed.list++, removed.n--;
	}
	return rc;
}

/* ---- the history of the next request ---- */

/* Stores in *message how the plan edits the message, and the number of tokens
 * of the summary that the message will contain.  Returns false if the plan
 * removes the whole message. first: index of the message's first segment (the
 * message or a part of it). */
static bool
record_changes(const struct pruned_history *history,
    struct pruned_message *message, size_t first)
{
	const struct held_conversation *conversation = history->conversation;
	bool is_kept = false;
	unsigned marks;

	for (size_t i = first; i < first + message->n; i++) {
		marks = conversation->plan.marks[i];
		/* The texts of a changed message are not shared. */
		if (marks != 0)
			message->shared_number = 0;
		if (marks & CTX_MARK_DROP)
			continue;
		is_kept = true;
		message->edits |= (uint8_t)(marks & REPLAYED_EDITS);
		if (marks & CTX_MARK_PASSAGES) {
			message->removed_hash += message->passages_hash;
			message->removed_tokens += message->passage_savings;
		}
		message->passages_hash = 0;
		if (marks & CTX_MARK_DROP_INSERTION)
			message->summary_tokens = 0;
	}
	if (ctx_insertion_is_block(conversation, &message->entry)) {
		message->shared_number = 0;
		message->summary_tokens = conversation->insertions->tokens;
		message->summary_hash = history->summary_hash;
	}
	return is_kept;
}

/* Appends a summary that is a separate message to the history. next: the
 * message before which the summary was inserted. */
static int
feed_back_summary(struct pruned_history *history,
    const struct pruned_message *next, struct ctx_str json, uint64_t tokens,
    struct ctx_err *err)
{
	struct pruned_message *message = add_entry(history, err);

	if (message == NULL || set_text(history, message, json, err) < 0)
		return -1;
	message->entry.held.dialect = next->entry.held.dialect;
	message->summary_tokens = tokens;
	message->summary_hash = history->summary_hash;
	return hold_newest(history, err);
}

/* Appends a message of the previous history that is kept.  Moves the text,
 * which was edited as planned, from *kept to the new message. */
static int
feed_back_message(struct pruned_history *history, struct pruned_message *kept,
    struct ctx_err *err)
{
	struct ctx_held_message *held = &kept->entry.held;
	struct pruned_message *message = add_entry(history, err);

	if (message == NULL)
		return -1;
	*message = *kept;
	message->entry = (struct prune_entry){.held = *held};
	history->prune.rewrite.lines.bytes += held->n;
	held->text = NULL;
	return hold_newest(history, err);
}

int
ctx_pruned_history_feed_back(struct pruned_history *history,
    struct ctx_err *err)
{
	struct held_conversation *conversation = history->conversation;
	struct ctx_held_queue before = *conversation->entries;
	const struct insertion *insertion = conversation->insertions;
	struct pruned_message *message;
	size_t first = 0;
	int rc = 0;

	*conversation->entries = no_messages;
	empty_groups(history);
	for (size_t i = 0; i < before.end && rc == 0;
	     i++, first += message->n) {
		message = ctx_held_queue_at(&before, i);
		if (ctx_insertion_is_before(conversation, &message->entry))
			rc = feed_back_summary(history, message,
			    (struct ctx_str){conversation->inserted_json.p +
				    insertion->json_at,
				insertion->json_n},
			    insertion->tokens, err);
		if (rc == 0 && record_changes(history, message, first))
			rc = feed_back_message(history, message, err);
	}
	ctx_held_queue_release(&before);
	history->prune.rewrite.scanned = NULL;
	return rc;
}

/* ---- begin and end ---- */

int
ctx_pruned_history_open(struct pruned_history *history,
    const struct ctx_replay_policy *policy, struct ctx_err *err)
{
	struct ctx_scorer_options scorer = policy->config->scorer;
	struct prune *prune = &history->prune;
	struct held_conversation *conversation = &prune->stream_conversation;

	/* The replay removes passages only from tool results. */
	if (!history->settings.strategy->cuts_results)
		scorer.whole = true;
	scorer.shared = history->session->texts;
	history->conversation = conversation;
	ctx_rewrite_init(&prune->rewrite, history->session->simd);
	prune->rewrite.lines = no_messages;
	prune->options = policy->config;
	conversation->entries = &prune->rewrite.lines;
	conversation->model_counter.counter = history->session->counter;
	ctx_plan_reset(&conversation->plan, &conversation->groups,
	    &history->settings);
	return ctx_groups_init(&conversation->groups, err) < 0
	    ? -1
	    : ctx_scorer_open(&conversation->scorer, history->settings.strategy,
		  &scorer, err);
}

void
ctx_pruned_history_release(struct pruned_history *history)
{
	struct prune *prune = &history->prune;

	ctx_held_conversation_release(&prune->stream_conversation);
	ctx_rewrite_release(&prune->rewrite);
	ctx_edits_release(&prune->message_edits);
	ctx_text_segments_release(&prune->text_segments);
	ctx_shorten_release(&prune->shortener);
	ctx_buf_release(&prune->text);
	ctx_buf_release(&prune->literal);
	ctx_buf_release(&prune->composed);
	ctx_buf_release(&history->summary);
	free(history->walk.numbers);
}
