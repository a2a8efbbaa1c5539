/*
 * hold_message.c - adds a message to the conversation in memory
 *
 * The functions in this file find what is needed, besides the tokens, to decide
 * about a message: whether the user pinned it, which of its tool results may be
 * edited, and whether an earlier run inserted a summary or notice into it.
 * They also count the tokens of a notice (text that says that messages were
 * removed) before the message.  All this is done while the JSON of the message
 * is parsed.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "prune/plan.h"

/* Sets *pinned to true if the text of a block matches a pattern of --pin, or
 * the name of its tool matches a pattern of --pin-tool.  Reasoning pins no
 * message, because pruning may remove it from pinned messages, too: a second
 * run would not find it. */
static int
match_block(struct prune *run, const struct ctx_message *message,
    const struct ctx_block *block, bool *pinned, struct ctx_err *err)
{
	struct ctx_prune_config *config = run->options;
	struct ctx_str text;

	if (config->pin_text.n > 0 && block->payload != 0 &&
	    block->kind != CTX_BLOCK_MEDIA &&
	    block->kind != CTX_BLOCK_REASONING) {
		run->text.n = 0;
		if (ctx_json_text(message->json, block->payload, &run->text,
			&text, err) < 0)
			return -1;
		*pinned = ctx_pattern_match(&config->pin_text, text.p, text.n,
		    &run->match_left);
		ctx_buf_reset(&run->text);
	}
	if (*pinned || config->pin_tool.n == 0 || block->name == 0)
		return 0;
	run->text.n = 0;
	if (ctx_block_tool(message->json, block, &run->text, &text, err) < 0)
		return -1;
	*pinned = ctx_pattern_match(&config->pin_tool, text.p, text.n,
	    &run->match_left);
	return 0;
}

/* Sets *pinned to true if one of the options --pin, --pin-tool and --pin-role
 * matches a message.  Sets run->match_left for this message. */
static int
match_pins(struct prune *run, const struct ctx_message *message, bool *pinned,
    struct ctx_err *err)
{
	run->match_left = CTX_PATTERN_WORK;
	*pinned = run->options->pin_roles >> message->role & 1;
	for (size_t i = 0; i < message->n && !*pinned; i++)
		if (match_block(run, message, &message->blocks[i], pinned,
			err) < 0)
			return -1;
	return 0;
}

/* Pins the segments from the index "first" on whose tool name matches
 * --pin-tool. The tool name of a tool result is that of its call. */
static void
pin_tools(struct prune *run, struct ctx_groups *groups, size_t first)
{
	struct ctx_pattern *patterns = &run->options->pin_tool;
	struct ctx_str tool;

	for (; patterns->n > 0 && first < groups->n; first++) {
		tool =
		    ctx_intern_at(&groups->tools, groups->segments[first].tool);
		if (tool.n > 0 &&
		    ctx_pattern_match(patterns, tool.p, tool.n,
			&run->match_left))
			groups->segments[first].flags |= CTX_SEGMENT_PINNED;
	}
}

/* Returns true if --tool and --not-tool forbid to edit the results of a tool.
 * id: number of the tool's name in groups->tools, or 0 if the name is not
 * known. */
static bool
is_excluded_tool(struct prune *run, const struct ctx_groups *groups,
    uint32_t id)
{
	struct ctx_prune_config *options = run->options;
	struct ctx_str tool = ctx_intern_at(&groups->tools, id);

	return !ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
	    tool.n, &run->match_left);
}

/* Finds the results of tools that --tool and --not-tool exclude from editing.
 * Such results cannot be cleared (replaced by a short text), so cost->clearable
 * is lowered by the tokens that clearing them would save. */
static int
exclude_results(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, const struct ctx_message *message,
    struct ctx_cost *cost, struct ctx_err *err)
{
	size_t i, result = 0;
	uint32_t tool;
	uint64_t saved;
	struct ctx_str left;

	if (run->options->tool.n + run->options->not_tool.n == 0)
		return 0;
	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if (ctx_groups_tool(&conversation->groups, message, i, &tool,
			err) < 0)
			return -1;
		result++;
		if (!is_excluded_tool(run, &conversation->groups, tool))
			continue;
		if (entry->excluded_results == NULL)
			entry->excluded_results =
			    calloc(message->n, sizeof(bool));
		if (entry->excluded_results == NULL)
			return ctx_err_nomem(err);
		entry->excluded_results[result - 1] = true;
		if (ctx_count_clear_savings(conversation->model_counter.counter,
			message, i, &left, &saved, err) < 0)
			return -1;
		cost->clearable -= saved;
	}
	return 0;
}

/* Sets the member head_tail_savings of the segments (messages or parts of
 * messages) from the index "first" on. head_tail_savings: number of tokens that
 * are saved if only the beginning and the end of long texts are kept.  Does
 * nothing if the strategy or the level does not shorten texts. */
static int
measure_head_tail(struct prune *run, struct held_conversation *conversation,
    const struct prune_entry *entry, const struct ctx_message *message,
    size_t first, struct ctx_err *err)
{
	struct ctx_message_edit edit = {.spared = entry->excluded_results};
	const struct ctx_edited_message edited = {.message = message,
	    .node = entry->held.node,
	    .counter = conversation->model_counter.counter};
	const struct ctx_prune_settings *settings =
	    &conversation->plan.settings;
	struct ctx_segment *segments = conversation->groups.segments;
	size_t i;

	if (!settings->strategy->truncates_texts ||
	    settings->level < CTX_LEVEL_AGGRESSIVE)
		return 0;
	for (i = first; i < first + entry->n_segments; i++) {
		if (segments[i].flags & CTX_SEGMENT_SYSTEM)
			continue;
		edit.results = segments[i].flags & CTX_SEGMENT_REST
		    ? 0
		    : CTX_MARK_HEAD_TAIL;
		edit.rest = segments[i].flags & CTX_SEGMENT_RESULTS
		    ? 0
		    : CTX_MARK_HEAD_TAIL;
		if (ctx_head_tail_savings(run, &edited, &edit,
			&segments[i].head_tail_savings, err) < 0)
			return -1;
	}
	return 0;
}

/* If a turn begins with the segment, sets segment->notice_tokens to the number
 * of tokens of a notice (text that says that messages were removed) before it.
 * A notice that is a message, or a block that the provider does not join with
 * the next text, has the same number of tokens at all places of a dialect, and
 * is counted only once. */
static int
count_notice_tokens(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, const struct ctx_message *message,
    struct ctx_segment *segment, struct ctx_err *err)
{
	const char *notice = run->options->notice;
	struct insertion_content content = {.dialect = entry->held.dialect,
	    .text = {notice, 0}};
	struct ctx_counter *counter = conversation->model_counter.counter;
	uint64_t tokens = conversation->notice_cost;
	bool varies, is_known;

	/* No notice is needed after a summary of an earlier run, because the
	 * summary says that messages were removed. */
	if (notice == NULL ||
	    conversation->plan.settings.strategy->summarizes ||
	    (segment->flags & CTX_SEGMENT_WITH_SUMMARY) ||
	    !((segment->flags & CTX_SEGMENT_USER) ||
		(message->flags & CTX_MESSAGE_WHOLE_TURN)) ||
	    !ctx_insertion_fits(message))
		return 0;
	content.text.n = strlen(notice);
	ctx_insertion_choose_place(run, message, &content);
	if (content.form == INSERT_BLOCK &&
	    entry->held.dialect->insertion_block == NULL)
		content.form = INSERT_MESSAGE;
	varies = content.form == INSERT_STRING ||
	    (content.form == INSERT_BLOCK &&
		ctx_counter_joins_texts(counter, entry->held.dialect));
	is_known =
	    !varies && conversation->notice_cost_dialect == entry->held.dialect;
	if (!is_known &&
	    ctx_insertion_count(run, counter, &content, &tokens, err) < 0)
		return -1;
	if (!is_known && !varies) {
		conversation->notice_cost_dialect = entry->held.dialect;
		conversation->notice_cost = tokens;
		if (tokens == 0)
			conversation->notice_unsupported = entry->held.dialect;
	}
	segment->notice_tokens = tokens > UINT32_MAX ? 0 : (uint32_t)tokens;
	return 0;
}

/* If a segment contains a summary or notice of an earlier run and other text,
 * sets a flag of the segment and its member inserted_tokens.  If the segment is
 * only a summary or notice, find_given_flags sets the flags. */
static int
record_insertion(struct prune *run, struct held_conversation *conversation,
    const struct ctx_message *message, const struct found_insertion *found,
    struct ctx_segment *segment, struct ctx_err *err)
{
	uint64_t tokens;

	if (found->whole || !(found->summary || found->notice))
		return 0;
	if (ctx_insertion_count_found(run, conversation->model_counter.counter,
		message, found, &tokens, err) < 0)
		return -1;
	segment->inserted_tokens = (uint32_t)tokens;
	segment->flags |=
	    found->summary ? CTX_SEGMENT_WITH_SUMMARY : CTX_SEGMENT_WITH_NOTICE;
	return 0;
}

/* Sets *flags to the flags of a message (CTX_SEGMENT_...) that ctx_groups_add
 * cannot find itself: they say whether the message is pinned, and whether it is
 * a summary or notice that an earlier run inserted. */
static int
find_given_flags(struct prune *run, const struct ctx_message *message,
    const struct found_insertion *found, unsigned *flags, struct ctx_err *err)
{
	bool pinned;

	*flags = 0;
	if (found->whole)
		*flags = (found->summary ? CTX_SEGMENT_SUMMARY : 0u) |
		    (found->notice ? CTX_SEGMENT_NOTICE : 0u);
	if (match_pins(run, message, &pinned, err) < 0)
		return -1;
	/* Some formats mark the summary that an agent wrote of earlier
	 * messages.  Such a message is pinned.  A summary that ctx has inserted
	 * looks the same in these formats, but is not pinned. */
	if (pinned || (*flags == 0 && (message->flags & CTX_MESSAGE_PINNED)))
		*flags |= CTX_SEGMENT_PINNED;
	return 0;
}

/* Adds the segments of a message (the message, or its two parts) to the groups
 * (messages kept together) of the conversation.  Pins all these segments if the
 * message is part of a provider's response. */
static int
add_segments(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, const struct ctx_event *event, unsigned flags,
    struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	const struct ctx_prune_settings *settings =
	    &conversation->plan.settings;
	struct ctx_groups *groups = &conversation->groups;
	size_t first = groups->n, i;
	struct ctx_cost cost;

	if (settings->strategy->pins_first && !settings->shrinks_first)
		groups->pinned = settings->keep_first;
	if (ctx_stream_cost(event, conversation->model_counter.counter, &cost,
		err) < 0 ||
	    exclude_results(run, conversation, entry, message, &cost, err) <
		0 ||
	    ctx_groups_add(groups, message, &cost, flags, err) < 0)
		return -1;
	pin_tools(run, groups, first);
	for (i = first; conversation->is_response && i < groups->n; i++)
		groups->segments[i].flags |= CTX_SEGMENT_PINNED;
	entry->n_segments = (uint8_t)(groups->n - first);
	return 0;
}

/* Sets the members of a message's segments (the message, or its two parts) that
 * ctx_segments_set_cost does not set.  These members are numbers of tokens: of
 * a summary or notice of an earlier run, of a new notice, and the tokens that
 * shortening would save. first: index of the first segment. */
static int
measure_segments(struct prune *run, struct held_conversation *conversation,
    struct prune_entry *entry, const struct ctx_message *message, size_t first,
    struct ctx_err *err)
{
	struct ctx_segment *last =
	    &conversation->groups.segments[first + entry->n_segments - 1];
	struct found_insertion found;

	ctx_insertion_find(run->options, message, &found);
	if (record_insertion(run, conversation, message, &found, last, err) <
		0 ||
	    count_notice_tokens(run, conversation, entry, message, last, err) <
		0)
		return -1;
	return measure_head_tail(run, conversation, entry, message, first, err);
}

/* Lets the strategy's scorer, if there is one, read a new message. */
static int
score_segments(struct prune *run, struct held_conversation *conversation,
    const struct prune_entry *entry, const struct ctx_message *message,
    size_t first, struct ctx_err *err)
{
	if (conversation->scorer == NULL)
		return 0;
	if (run->options->scorer.shared != NULL)
		conversation->shared_number = ++run->n_shared;
	conversation->scorer->counter = conversation->model_counter.counter;
	return conversation->scorer->kind->add(conversation->scorer,
	    &(struct ctx_scored_message){.message = message,
		.first = first,
		.excluded = entry->excluded_results,
		.keeps_arguments =
		    run->options->tool.n + run->options->not_tool.n > 0,
		.number = conversation->shared_number},
	    &conversation->groups, err);
}

int
ctx_prune_hold_message(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	size_t first = conversation->groups.n;
	struct found_insertion found;
	unsigned flags;

	entry->message_index = entry->transcript_line == 0
	    ? conversation->groups.messages
	    : ctx_transcript_message_index(run->rewrite.stream->transcript,
		  entry->transcript_line, conversation->groups.messages);
	ctx_insertion_find(run->options, message, &found);
	if (find_given_flags(run, message, &found, &flags, err) < 0 ||
	    add_segments(run, conversation, entry, event, flags, err) < 0)
		return -1;
	ctx_prune_settings_see(&conversation->plan.settings, message);
	if (measure_segments(run, conversation, entry, message, first, err) < 0)
		return -1;
	return score_segments(run, conversation, entry, message, first, err);
}

int
ctx_prune_recount_message(struct prune *run,
    struct held_conversation *conversation, struct prune_entry *entry,
    size_t first, struct ctx_err *err)
{
	const struct ctx_message *message = &run->rewrite.message;
	struct ctx_segment *segments = conversation->groups.segments + first;
	struct ctx_cost cost;

	free(entry->excluded_results);
	entry->excluded_results = NULL;
	if (ctx_prune_reread(run, entry, err) < 0 ||
	    ctx_count_message(conversation->model_counter.counter, message,
		&cost, err) < 0 ||
	    exclude_results(run, conversation, entry, message, &cost, err) < 0)
		return -1;
	conversation->groups.tokens += cost.tokens;
	conversation->groups.tokens -= segments[0].tokens;
	if (entry->n_segments > 1)
		conversation->groups.tokens -=
		    segments[1].tokens - segments[0].shared_tokens;
	ctx_segments_set_cost(segments, entry->n_segments, &cost);
	return measure_segments(run, conversation, entry, message, first, err);
}
