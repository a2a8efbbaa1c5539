/* groups.c - divides a conversation into groups (messages that must be kept or
 * removed together) and turns, message by message */
#include <stdlib.h>
#include <string.h>

#include "group/grouping.h"
#include "group/open_tool_calls.h"

int
ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err)
{
	memset(groups, 0, sizeof *groups);
	groups->calls = ctx_open_calls_new(err);
	if (groups->calls == NULL)
		return -1;
	ctx_groups_reset(groups);
	return 0;
}

void
ctx_groups_release(struct ctx_groups *groups)
{
	ctx_open_calls_free(groups->calls);
	ctx_intern_release(&groups->tools);
	ctx_buf_release(&groups->text);
	ctx_buf_release(&groups->speaker);
	free(groups->segments);
	memset(groups, 0, sizeof *groups);
}

void
ctx_groups_reset(struct ctx_groups *groups)
{
	ctx_open_calls_clear(groups->calls);
	ctx_intern_reset(&groups->tools);
	groups->speaker.n = 0;
	*groups = (struct ctx_groups){.segments = groups->segments,
	    .cap = groups->cap,
	    .calls = groups->calls,
	    .tools = groups->tools,
	    .text = groups->text,
	    .speaker = groups->speaker,
	    .unlinks = groups->unlinks,
	    .last_task = CTX_NO_SEGMENT,
	    .attached = CTX_NO_SEGMENT,
	    .continuing = CTX_NO_SEGMENT,
	    .newest = CTX_NO_SEGMENT,
	    .newest_known = CTX_NO_SEGMENT,
	    .newest_calling = CTX_NO_SEGMENT,
	    .newest_answering = CTX_NO_SEGMENT,
	    .unnamed_calls = CTX_NO_SEGMENT};
}

static struct ctx_segment *
append_segment(struct ctx_groups *groups, struct ctx_err *err)
{
	struct ctx_segment *segment;

	if (groups->n >= CTX_NO_SEGMENT) {
		ctx_err_set(err, CTX_ELIMIT,
		    "the conversation has more than 4294967295 messages, tool "
		    "results and other records; split it");
		return NULL;
	}
	if (CTX_GROW(groups->segments, groups->cap, groups->n + 1, err) < 0)
		return NULL;
	segment = &groups->segments[groups->n];
	memset(segment, 0, sizeof *segment);
	segment->group_parent = segment->contiguous_from =
	    (uint32_t)groups->n++;
	segment->start = groups->tokens;
	segment->message = groups->messages;
	segment->nonsystem_index = groups->nonsystem_messages;
	segment->turn = groups->turn;
	segment->dropped_before = groups->dropped_after;
	groups->dropped_after = 0;
	return segment;
}

/* Returns flags that say what a message contains: CTX_SEGMENT_RESULTS for tool
 * results, CTX_SEGMENT_REST for other content.  Ignores blocks without text or
 * data, such as cache breakpoints. */
static unsigned
find_content_flags(const struct ctx_message *message)
{
	unsigned content = 0;

	for (size_t i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT)
			content |= CTX_SEGMENT_RESULTS;
		else if (message->blocks[i].result_index == 0 &&
		    message->blocks[i].payload != 0)
			content |= CTX_SEGMENT_REST;
	return content;
}

/* Adds a segment (message or part of one) for the tool results of a user
 * message that also has other content.  The other content begins a new turn.
 * The results belong to the turn before. */
static int
add_results_segment(struct ctx_groups *groups, unsigned flags,
    struct ctx_err *err)
{
	struct ctx_segment *segment = append_segment(groups, err);

	if (segment == NULL)
		return -1;
	segment->role = (uint8_t)CTX_ROLE_TOOL;
	segment->flags = (uint16_t)(flags | CTX_SEGMENT_RESULTS);
	/* The user's text after tool results begins a new turn, even if the
	 * results and the text are in one message. */
	groups->answered = true;
	return 0;
}

/* Returns the given segment flags and those flags that can be found from the
 * message alone. */
static unsigned
add_message_flags(const struct ctx_message *message, unsigned flags)
{
	bool inserted = (flags & CTX_SEGMENT_INSERTED) != 0;

	if (message->flags & CTX_MESSAGE_META)
		flags |= CTX_SEGMENT_META;
	if (ctx_message_is_signed(message))
		flags |= CTX_SEGMENT_SIGNED;
	if ((message->flags & CTX_MESSAGE_PINNED) && !inserted)
		flags |= CTX_SEGMENT_COMPACTED;
	if (message->role == CTX_ROLE_SYSTEM || inserted)
		flags |= CTX_SEGMENT_SYSTEM;
	return flags;
}

/* Adds a segment for a message.  If the flag CTX_SEGMENT_REST is set, the
 * message already has a segment for its tool results, and the new segment is
 * for its other blocks. */
static int
add_message_segment(struct ctx_groups *groups,
    const struct ctx_message *message, unsigned flags, struct ctx_err *err)
{
	struct ctx_segment *segment = append_segment(groups, err);

	if (segment == NULL)
		return -1;
	segment->role = (uint8_t)message->role;
	segment->flags = (uint16_t)add_message_flags(message, flags);
	segment->link =
	    groups->unlinks ? (uint8_t)message->link : (uint8_t)CTX_LINK_NONE;
	return 0;
}

void
ctx_segments_set_cost(struct ctx_segment *segments, size_t n,
    const struct ctx_cost *cost)
{
	struct ctx_segment *rest = &segments[n - 1];

	rest->tokens = cost->tokens;
	rest->reasoning = ctx_limit_tokens(
	    rest->link == CTX_LINK_REASONING ? cost->tokens : cost->reasoning);
	rest->clearable_tokens = ctx_limit_tokens(cost->clearable);
	if (n == 1)
		return;
	rest->tokens -= cost->results;
	rest->clearable_tokens = 0;
	segments[0].tokens = cost->results + cost->framing;
	segments[0].shared_tokens = (uint32_t)cost->framing;
	segments[0].clearable_tokens = ctx_limit_tokens(cost->clearable);
}

/* Counts the message of the newest segment, and stores the index of the message
 * in this segment.  A record that continues an earlier message is not counted;
 * its segment gets the index of the message that was counted last. */
static void
count_message(struct ctx_groups *groups, const struct ctx_message *message)
{
	struct ctx_segment *segment = &groups->segments[groups->n - 1];

	if ((message->flags & CTX_MESSAGE_CONTINUES) &&
	    groups->nonsystem_messages > 0) {
		segment->message = groups->messages - 1;
		segment->nonsystem_index = groups->nonsystem_messages - 1;
		return;
	}
	groups->messages++;
	groups->nonsystem_messages += !(segment->flags & CTX_SEGMENT_SYSTEM);
}

/* Returns true if, after this message, a tool result can answer an earlier call
 * only if both have the same id. */
static bool
ends_open_calls(const struct ctx_groups *groups,
    const struct ctx_message *message, bool opens_turn)
{
	return opens_turn || (message->flags & CTX_MESSAGE_WHOLE_TURN) ||
	    ((message->dialect->rules & CTX_RESULTS_NEXT) &&
		message->role == CTX_ROLE_ASSISTANT &&
		!ctx_groups_is_in_row(groups, message));
}

int
ctx_groups_add(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_cost *cost, unsigned flags, struct ctx_err *err)
{
	uint32_t turn = groups->turn, results = (uint32_t)groups->n;
	unsigned content = find_content_flags(message);
	bool may_open =
	    ctx_groups_may_open_turn(groups, message, content, flags);
	bool split =
	    may_open && content == (CTX_SEGMENT_RESULTS | CTX_SEGMENT_REST);

	groups->merged_call = ctx_groups_has_pending_calls(groups, message);
	if ((split && add_results_segment(groups, flags, err) < 0) ||
	    ctx_groups_enter_turn(groups, message, may_open, flags, err) < 0)
		return -1;
	flags |= (may_open ? CTX_SEGMENT_USER : 0u) |
	    (split ? CTX_SEGMENT_REST : 0u);
	if (add_message_segment(groups, message, flags, err) < 0)
		return -1;
	ctx_segments_set_cost(groups->segments + results, groups->n - results,
	    cost);
	groups->tokens += cost->tokens;
	count_message(groups, message);
	/* A user message may have both tool results and text.  The results then
	 * belong to the turn before, and the text begins a new turn.  After the
	 * results were matched with their calls, calls of the turn before that
	 * have no result and no id are not open any more, because no later
	 * result can answer them. */
	if (ends_open_calls(groups, message, may_open && !split))
		ctx_groups_expire_calls(groups);
	groups->has_remote_state |=
	    (message->flags & CTX_MESSAGE_REMOTE_STATE) != 0;
	if (ctx_groups_pair_results(groups, message, results, err) < 0)
		return -1;
	groups->newest_answering =
	    content & CTX_SEGMENT_RESULTS ? results : CTX_NO_SEGMENT;
	if (groups->newest_answering != CTX_NO_SEGMENT)
		ctx_groups_merge_late_results(groups, results, split);
	if (split) {
		ctx_groups_move_results(groups, results);
		ctx_groups_expire_calls(groups);
		/* A result may answer a call in the same message.  So the two
		 * segments (parts) of the message are merged into one group. */
		if (ctx_message_has(message, CTX_BLOCK_TOOL_CALL))
			ctx_groups_merge(groups->segments, results,
			    results + 1);
	}
	ctx_groups_merge_neighbours(groups, message);
	groups->newest = groups->newest_known = (uint32_t)groups->n - 1;
	groups->has_first_task &= groups->turn == turn;
	return may_open ? ctx_groups_mark_task(groups, message, err) : 0;
}

int
ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err)
{
	struct ctx_segment *segment = append_segment(groups, err);

	if (segment == NULL)
		return -1;
	segment->flags = CTX_SEGMENT_UNKNOWN;
	if (!aside)
		groups->newest = CTX_NO_SEGMENT;
	return 0;
}

/* Changes the segment indices in *groups after segments were removed.  The
 * segments groups->attached and groups->continuing are never removed.  They
 * wait for a later message, so their groups count as groups with an open tool
 * call (a call without a result). */
static void
renumber_cursors(struct ctx_groups *groups, const bool *removed,
    const uint32_t *new_index)
{
	uint32_t *const cursors[] = {&groups->attached, &groups->continuing,
	    &groups->newest, &groups->newest_known, &groups->newest_calling,
	    &groups->newest_answering, &groups->unnamed_calls,
	    &groups->last_task};

	for (size_t i = 0; i < CTX_LENGTH(cursors); i++)
		if (*cursors[i] != CTX_NO_SEGMENT)
			*cursors[i] = removed[*cursors[i]]
			    ? CTX_NO_SEGMENT
			    : new_index[*cursors[i]];
}

int
ctx_groups_compact(struct ctx_groups *groups, const bool *removed,
    struct ctx_err *err)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t *new_index, kept = 0;

	if (groups->n == 0)
		return 0;
	new_index = malloc(groups->n * sizeof *new_index);
	if (new_index == NULL)
		return ctx_err_nomem(err);
	for (uint32_t i = 0; i < groups->n; i++) {
		segments[i].group_parent = ctx_group_of(segments, i);
		new_index[i] = kept;
		kept += !removed[i];
	}
	for (uint32_t i = 0; i < groups->n; i++) {
		if (removed[i])
			continue;
		segments[new_index[i]] = segments[i];
		segments[new_index[i]].group_parent =
		    new_index[segments[i].group_parent];
		segments[new_index[i]].contiguous_from =
		    new_index[segments[i].contiguous_from];
	}
	ctx_open_calls_renumber(groups->calls, new_index);
	renumber_cursors(groups, removed, new_index);
	groups->n = kept;
	free(new_index);
	return 0;
}

/* ctx_groups_forget removes nothing while there are fewer segments. */
#define FORGET_AT 256

int
ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err)
{
	bool *removed;
	int rc;

	if (groups->n < FORGET_AT || groups->n < groups->forget_at)
		return 0;
	removed = calloc(groups->n, sizeof *removed);
	if (removed == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < groups->n; i++)
		removed[i] =
		    groups
			->segments[ctx_group_of(groups->segments, (uint32_t)i)]
			.open_calls == 0;
	rc = ctx_groups_compact(groups, removed, err);
	free(removed);
	groups->forget_at = groups->n * 2 + FORGET_AT;
	return rc;
}
