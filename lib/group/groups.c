/*
 * groups.c - messages to groups and turns
 *
 * Groups are sets of segments, kept by union-find.  The root of a group is its
 * first segment, so groups can be ordered as in the stream.  Only tool calls
 * that still wait for a result are remembered.
 */
#include <stdlib.h>
#include <string.h>

#include "group/demonstration.h"
#include "group/group.h"
#include "group/open_tool_calls.h"

#define NONE UINT32_MAX

int
ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err)
{
	memset(groups, 0, sizeof *groups);
	groups->calls = ctx_open_calls_new(err);
	if (groups->calls == NULL)
		return -1;
	groups->attached = NONE;
	groups->continuing = NONE;
	groups->n_continuing = 0;
	groups->newest = groups->newest_known = groups->unnamed_calls = NONE;
	groups->last_task = NONE;
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
	groups->n = 0;
	groups->tokens = 0;
	groups->messages = 0;
	groups->nonsystem_messages = 0;
	groups->turn = 0;
	groups->answered = groups->has_more_results = groups->has_remote_state =
	    false;
	groups->merged_call = groups->has_first_task = false;
	groups->last_task = NONE;
	groups->speaker.n = 0;
	groups->attached = NONE;
	groups->continuing = NONE;
	groups->n_continuing = 0;
	groups->newest = groups->newest_calling = groups->newest_answering =
	    NONE;
	groups->newest_known = groups->unnamed_calls = NONE;
	groups->n_unnamed_calls = 0;
	groups->dropped_after = 0;
	groups->pinned = 0;
	groups->forget_at = 0;
}

uint32_t
ctx_group_of(struct ctx_segment *segments, uint32_t i)
{
	while (segments[i].group_parent != i) {
		segments[i].group_parent =
		    segments[segments[i].group_parent].group_parent;
		i = segments[i].group_parent;
	}
	return i;
}

/* Merges two groups.  The earlier root is the root of both. */
static void
merge_groups(struct ctx_segment *segments, uint32_t a, uint32_t b)
{
	uint32_t root = ctx_group_of(segments, a),
		 other = ctx_group_of(segments, b);

	if (root == other)
		return;
	if (root > other) {
		uint32_t swap = root;

		root = other;
		other = swap;
	}
	segments[other].group_parent = root;
	segments[root].open_calls += segments[other].open_calls;
	segments[other].open_calls = 0;
}

static struct ctx_segment *
append_segment(struct ctx_groups *groups, struct ctx_err *err)
{
	struct ctx_segment *segments, *segment;

	if (groups->n >= NONE) {
		ctx_err_set(err, CTX_ELIMIT,
		    "a conversation of more than 4294967295 messages");
		return NULL;
	}
	segments = ctx_grow(groups->segments, &groups->cap, groups->n + 1,
	    sizeof *segments, err);
	if (segments == NULL)
		return NULL;
	groups->segments = segments;
	segment = &segments[groups->n];
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

/* Reads the key of a tool call or result.  Sets *tool to the id of its tool
 * name in groups->tools, or to 0 if it names no tool. */
static int
read_call_key(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_call_key *key, uint32_t *tool,
    struct ctx_err *err)
{
	*tool = 0;
	if (ctx_call_key_of(key, message->json, block, message->dialect->rules,
		&groups->text, err) < 0)
		return -1;
	if (key->name.p == NULL ||
	    message->json->nodes[block->name].kind != CTX_JSON_STRING)
		return 0;
	return ctx_intern(&groups->tools, key->name.p, key->name.n, tool, err);
}

/* Merges a call made by a program with the call that runs the program.  The
 * latter may already have its result and is then no longer open; the newest
 * segment with calls belongs to the program in this case. */
static int
merge_with_caller(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_block *block, uint32_t segment, struct ctx_err *err)
{
	struct ctx_call_key key;
	uint32_t caller, tool;

	if (ctx_caller_key_of(&key, message->json, block, &groups->text, err) <
	    0)
		return -1;
	if (key.id.p == NULL)
		return 0;
	caller = ctx_open_calls_peek(groups->calls, &key, &tool);
	if (caller == CTX_NO_SEGMENT)
		caller = groups->newest_calling;
	if (caller != NONE)
		merge_groups(groups->segments, caller, segment);
	return 0;
}

/* Records that a call gets more results later.  If the call has no id, any
 * later result without an id may belong to it. */
static void
expect_more_results(struct ctx_groups *groups, const struct ctx_call_key *key,
    uint32_t call)
{
	groups->has_more_results = true;
	groups->segments[call].flags |= CTX_SEGMENT_MORE_RESULTS;
	if (key->id.p != NULL)
		return;
	if (groups->unnamed_calls != NONE)
		merge_groups(groups->segments, groups->unnamed_calls, call);
	groups->unnamed_calls = call;
	groups->n_unnamed_calls++;
}

/* Opens a tool call of the newest segment.  tool is the id of its tool name. */
static int
add_call(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_block *block, const struct ctx_call_key *key,
    uint32_t tool, struct ctx_err *err)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t segment = (uint32_t)groups->n - 1;

	if (ctx_open_calls_push(groups->calls, key, segment, tool, err) ==
	    CTX_NO_SEGMENT)
		return -1;
	segments[ctx_group_of(segments, segment)].open_calls++;
	if (block->caller != 0 &&
	    merge_with_caller(groups, message, block, segment, err) < 0)
		return -1;
	groups->newest_calling = segment;
	if (segments[segment].tool == 0)
		segments[segment].tool = tool;
	return 0;
}

/* Returns true if a result that matches no call must be kept or removed with
 * the assistant message before it: to remove only one of them would break the
 * order of roles. */
static bool
needs_message_before(const struct ctx_groups *groups,
    const struct ctx_message *message)
{
	return (message->dialect->rules &
		   (CTX_ALTERNATES | CTX_RESULTS_NEXT)) != 0 &&
	    message->role != CTX_ROLE_ASSISTANT && groups->newest != NONE &&
	    groups->segments[groups->newest].role == CTX_ROLE_ASSISTANT;
}

/* Finds a group for a result, in segment results, that matches no open call:
 * another result of a call that got one, or an extra result. */
static void
place_unmatched_result(struct ctx_groups *groups,
    const struct ctx_message *message, const struct ctx_block *block,
    bool has_id, uint32_t results)
{
	struct ctx_segment *segments = groups->segments;

	if (groups->has_remote_state) {
		segments[results].flags |= CTX_SEGMENT_PINNED;
	} else if (groups->unnamed_calls != NONE && !has_id) {
		merge_groups(segments, groups->unnamed_calls, results);
		groups->n_unnamed_calls -=
		    !block->is_partial && groups->n_unnamed_calls > 0;
	} else if (groups->newest_answering != NONE) {
		/* The results directly before have answered its call. */
		merge_groups(segments, groups->newest_answering, results);
	} else if (needs_message_before(groups, message)) {
		merge_groups(segments, groups->newest, results);
	}
}

/* Merges segment results, of a message with this result, with the call that the
 * result answers.  tool is the id of the tool that the result names, or 0. */
static void
add_result(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_block *block, const struct ctx_call_key *key,
    uint32_t tool, uint32_t results)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t called,
	    call = block->is_partial
	    ? ctx_open_calls_peek(groups->calls, key, &called)
	    : ctx_open_calls_pop(groups->calls, key, &called);

	if (call == CTX_NO_SEGMENT) {
		place_unmatched_result(groups, message, block,
		    key->id.p != NULL, results);
	} else {
		segments[ctx_group_of(segments, call)].open_calls -=
		    !block->is_partial;
		merge_groups(segments, call, results);
		if (tool == 0)
			tool = called;
		if (block->is_partial)
			expect_more_results(groups, key, call);
	}
	if (segments[results].tool == 0)
		segments[results].tool = tool;
}

/* Opens the tool calls of a message, whose segment is the newest, and matches
 * its results, which are in segment results, with open calls. */
static int
pair_calls_and_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err)
{
	const struct ctx_block *block;
	struct ctx_call_key key;
	uint32_t tool;
	size_t i;

	for (i = 0; i < message->n; i++) {
		block = &message->blocks[i];
		if (block->kind != CTX_BLOCK_TOOL_CALL &&
		    block->kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if (read_call_key(groups, message, block, &key, &tool, err) < 0)
			return -1;
		if (block->kind == CTX_BLOCK_TOOL_RESULT)
			add_result(groups, message, block, &key, tool, results);
		else if (add_call(groups, message, block, &key, tool, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_groups_tool(struct ctx_groups *groups, const struct ctx_message *message,
    size_t i, uint32_t *tool, struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];
	struct ctx_call_key key;

	if (read_call_key(groups, message, block, &key, tool, err) < 0)
		return -1;
	if (*tool == 0)
		(void)ctx_open_calls_peek(groups->calls, &key, tool);
	return 0;
}

/* Returns which of tool results (RESULTS) and other content (REST) a message
 * has.  Blocks without a payload, like cache breakpoints, count as neither. */
static unsigned
find_content_flags(const struct ctx_message *message)
{
	unsigned content = 0;
	size_t i;

	for (i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT)
			content |= CTX_SEGMENT_RESULTS;
		else if (message->blocks[i].result_index == 0 &&
		    message->blocks[i].payload != 0)
			content |= CTX_SEGMENT_REST;
	return content;
}

#define INSERTED (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE)

/* Returns true if the message can be one of the user messages that open a turn.
 * A message that no person wrote can only be if the format demands a user
 * message first and no turn has begun: the answer to it would be first
 * otherwise. */
static bool
may_open_turn(const struct ctx_groups *groups,
    const struct ctx_message *message, unsigned content, unsigned flags)
{
	bool first =
	    groups->turn == 0 && (message->dialect->rules & CTX_FIRST_USER);

	return message->role == CTX_ROLE_USER &&
	    (first || !(message->flags & CTX_MESSAGE_META)) &&
	    !(message->flags &
		(CTX_MESSAGE_WHOLE_TURN | CTX_MESSAGE_RESULTS_ONLY)) &&
	    !(flags & INSERTED) && content != CTX_SEGMENT_RESULTS;
}

/*
 * Sets *opens to true if a user message opens a turn, and records who wrote it.
 * Another writer's name opens a turn, too, although no assistant has spoken:
 * else a conversation among people would be a single turn.  A message without a
 * name counts as written by the writer before.
 */
static int
update_speaker(struct ctx_groups *groups, const struct ctx_message *message,
    bool *opens, struct ctx_err *err)
{
	struct ctx_buf last = groups->speaker;

	*opens = groups->turn == 0 || groups->answered;
	if (*opens)
		groups->speaker.n = 0;
	if (!(message->dialect->rules & CTX_NAMES_USERS) ||
	    message->name == 0 ||
	    message->json->nodes[message->name].kind != CTX_JSON_STRING)
		return 0;
	groups->text.n = 0;
	if (ctx_json_string_decode(&groups->text,
		ctx_json_str(message->json, message->name), err) < 0)
		return -1;
	if (groups->text.n == 0)
		return 0;
	if (groups->speaker.n > 0 &&
	    !(last.n == groups->text.n &&
		memcmp(last.p, groups->text.p, last.n) == 0))
		*opens = true;
	groups->speaker = groups->text;
	groups->text = last;
	return 0;
}

static int
enter_turn(struct ctx_groups *groups, const struct ctx_message *message,
    bool may_open, unsigned flags, struct ctx_err *err)
{
	bool opens = false;

	if ((message->flags & CTX_MESSAGE_WHOLE_TURN) && !(flags & INSERTED)) {
		groups->turn++;
		groups->answered = true;
	} else if (may_open) {
		if (update_speaker(groups, message, &opens, err) < 0)
			return -1;
		groups->turn += opens;
		groups->answered = false;
	} else if (message->role != CTX_ROLE_SYSTEM && !(flags & INSERTED) &&
	    !(message->flags & (CTX_MESSAGE_META | CTX_MESSAGE_HIDDEN))) {
		groups->answered = true;
	}
	return 0;
}

/* Closes open calls that no later result can answer, at a new turn or where
 * results must come next and the assistant has spoken again.  Calls with an id
 * stay open for a result with that id. */
static void
expire_open_calls(struct ctx_groups *groups)
{
	uint32_t segment;

	while (
	    (segment = ctx_open_calls_expire(groups->calls)) != CTX_NO_SEGMENT)
		groups->segments[ctx_group_of(groups->segments, segment)]
		    .open_calls--;
}

/* Merges a message with its neighbours if the dialect attaches it to them.  A
 * message attached to the next one counts as an open call until that arrives,
 * so that its group is not complete before. */
static void
attach_neighbours(struct ctx_groups *groups, const struct ctx_message *message,
    uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;
	unsigned attaches = CTX_MESSAGE_ATTACH_NEXT | CTX_MESSAGE_ATTACH_BOTH;
	bool attaches_previous;

	if (groups->attached != NONE) {
		segments[ctx_group_of(segments, groups->attached)].open_calls--;
		/* A system message must not connect two turns. */
		if (!(segments[groups->attached].flags & CTX_SEGMENT_SYSTEM) ||
		    message->role == CTX_ROLE_ASSISTANT)
			merge_groups(segments, groups->attached, segment);
		groups->attached = NONE;
	}
	attaches_previous = message->flags &
	    (CTX_MESSAGE_ATTACH_BOTH | CTX_MESSAGE_ATTACH_PREVIOUS);
	if (attaches_previous && groups->newest != NONE &&
	    !(segments[groups->newest].flags & CTX_SEGMENT_SYSTEM))
		merge_groups(segments, groups->newest, segment);
	if (message->flags & attaches) {
		segments[ctx_group_of(segments, segment)].open_calls++;
		groups->attached = segment;
	}
}

/* Merges a message with the record that continues it, and with messages whose
 * records alternate with its own.  Until the last record arrives the message
 * counts as an open call, so that its group is not complete before. */
static void
merge_continuations(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;

	if ((message->flags & CTX_MESSAGE_CONTINUES) &&
	    groups->continuing != NONE) {
		segments[ctx_group_of(segments, groups->continuing)]
		    .open_calls--;
		merge_groups(segments, groups->continuing, segment);
		if (--groups->n_continuing == 0)
			groups->continuing = NONE;
	}
	if (message->flags & CTX_MESSAGE_IS_CONTINUED) {
		if (groups->continuing != NONE)
			merge_groups(segments, groups->continuing, segment);
		segments[ctx_group_of(segments, segment)].open_calls++;
		groups->continuing = segment;
		groups->n_continuing++;
	}
}

/* Merges all segments from the first of the group to segment, except system
 * messages and unknown records. */
static void
merge_group_span(struct ctx_groups *groups, uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t i = segment;

	while (i > ctx_group_of(segments, segment)) {
		i = segments[i - 1].contiguous_from;
		if (!(segments[i].flags &
			(CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN)))
			merge_groups(segments, i, segment);
	}
	segments[segment].contiguous_from = i;
}

/*
 * Merges late results of a call (other messages are in between) with the
 * assistant message right before them.  Both can then be removed from anywhere
 * and roles still alternate.  With split, the results share a message with the
 * user's text that opens the next turn.  That text is kept without them, so
 * whatever is before it must still end with the same role; the whole span since
 * the call is therefore kept or removed as one.
 */
static void
merge_late_results(struct ctx_groups *groups, uint32_t results, bool split)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t before = groups->newest_known;

	if (!groups->has_more_results || before == NONE ||
	    segments[before].role != CTX_ROLE_ASSISTANT ||
	    ctx_group_of(segments, results) == before)
		return;
	merge_groups(segments, before, results);
	if (split)
		merge_group_span(groups, results);
}

/* Merges assistant messages in a row that are one response (CTX_JOINS_ANSWERS).
 */
static void
merge_answers(struct ctx_groups *groups, const struct ctx_message *message,
    uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;

	if ((message->dialect->rules & CTX_JOINS_ANSWERS) &&
	    groups->newest != NONE &&
	    segments[segment].role == CTX_ROLE_ASSISTANT &&
	    segments[groups->newest].role == CTX_ROLE_ASSISTANT)
		merge_groups(segments, groups->newest, segment);
}

/* Moves results into the turn that the rest of their message opens, if they
 * answer calls of that message only. */
static void
move_results_to_turn(struct ctx_groups *groups, uint32_t results)
{
	struct ctx_segment *segments = groups->segments;

	if (ctx_group_of(segments, results + 1) != results)
		return;
	segments[results].turn = segments[results + 1].turn;
	segments[results].flags |= CTX_SEGMENT_USER;
}

/* Returns true if an assistant message follows another one and the provider
 * takes both as one turn.  The results of the first one's calls then come after
 * both. */
static bool
is_in_row(const struct ctx_groups *groups, const struct ctx_message *message)
{
	return (message->dialect->rules & CTX_TAKES_ROWS) &&
	    groups->newest != NONE &&
	    groups->segments[groups->newest].role == CTX_ROLE_ASSISTANT;
}

/* Returns true if an assistant message continues earlier ones that have open
 * calls, in a format that merges neighbours and demands results next.  A
 * server-side program may still wait for the results of its calls, too. */
static bool
has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message)
{
	const struct ctx_segment *segments = groups->segments;

	return (message->dialect->rules & CTX_RESULTS_NEXT) &&
	    (message->dialect->rules & CTX_MERGES) &&
	    message->role == CTX_ROLE_ASSISTANT && groups->newest != NONE &&
	    segments[groups->newest].role == CTX_ROLE_ASSISTANT &&
	    (groups->merged_call ||
		segments[ctx_group_of(groups->segments, groups->newest)]
			.open_calls > 0);
}

/*
 * Marks the newest segment, a user message, as the last user message of its
 * turn (CTX_SEGMENT_TASK), and unmarks the one before.  The first user message
 * that is neither a demonstration nor pinned keeps its mark.  A pinned message
 * does not count as the first: it is kept anyway, and when the rest of its turn
 * has been removed, it is among the user messages of the next turn.  Must be
 * called when the newest segment has its group, because both segments of a
 * message are marked alike.
 */
static int
mark_task(struct ctx_groups *groups, const struct ctx_message *message,
    struct ctx_err *err)
{
	uint32_t i, last = (uint32_t)groups->n - 1, before = groups->last_task;
	struct ctx_segment *segments = groups->segments;
	bool demo, first;

	if (ctx_is_demonstration(message, &groups->text, &demo, err) < 0)
		return -1;
	if (before != NONE && segments[before].turn != segments[last].turn)
		before = NONE;
	if (before != NONE &&
	    ctx_group_of(segments, before) != ctx_group_of(segments, last))
		for (i = before + 1; i-- > 0 &&
		     segments[i].message == segments[before].message;)
			segments[i].flags &= (uint16_t)~CTX_SEGMENT_TASK;
	for (i = last + 1;
	     i-- > 0 && segments[i].message == segments[last].message;)
		if (segments[i].turn == segments[last].turn)
			segments[i].flags |= (uint16_t)(CTX_SEGMENT_TASK |
			    (demo ? CTX_SEGMENT_DEMONSTRATION : 0));
	first = !groups->has_first_task && !demo &&
	    !(segments[last].flags & CTX_SEGMENT_PINNED) &&
	    segments[last].nonsystem_index >= groups->pinned;
	groups->last_task = first ? NONE : last;
	groups->has_first_task |= first;
	return 0;
}

/* Adds the segment of the results of a message whose rest opens a turn. */
static int
add_results_segment(struct ctx_groups *groups, const struct ctx_cost *cost,
    unsigned flags, struct ctx_err *err)
{
	struct ctx_segment *segment = append_segment(groups, err);

	if (segment == NULL)
		return -1;
	segment->role = (uint8_t)CTX_ROLE_TOOL;
	segment->flags = (uint16_t)(flags | CTX_SEGMENT_RESULTS);
	segment->tokens = cost->results + cost->framing;
	segment->shared_tokens = (uint32_t)cost->framing;
	segment->clearable_tokens = cost->clearable;
	/* Results end the row of user messages here, as results in a message of
	 * their own do. */
	groups->answered = true;
	return 0;
}

/* Adds to the flags of a segment those that its message implies by itself. */
static unsigned
add_message_flags(const struct ctx_message *message, unsigned flags)
{
	bool inserted = (flags & INSERTED) != 0;

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

/* Adds the segment of a message, without the results if these have a segment of
 * their own (CTX_SEGMENT_REST). */
static int
add_message_segment(struct ctx_groups *groups,
    const struct ctx_message *message, const struct ctx_cost *cost,
    unsigned flags, struct ctx_err *err)
{
	struct ctx_segment *segment = append_segment(groups, err);
	bool split = (flags & CTX_SEGMENT_REST) != 0;

	if (segment == NULL)
		return -1;
	segment->role = (uint8_t)message->role;
	segment->flags = (uint16_t)add_message_flags(message, flags);
	segment->tokens = cost->tokens - (split ? cost->results : 0);
	segment->reasoning = cost->reasoning;
	segment->clearable_tokens = split ? 0 : cost->clearable;
	groups->tokens += cost->tokens;
	return 0;
}

/* Counts the message of the newest segment.  A record that continues a message
 * gets the index of that message and is not counted. */
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

/* Returns true if no result after the start of this message can answer a call
 * before it by order alone. */
static bool
ends_open_calls(const struct ctx_groups *groups,
    const struct ctx_message *message, bool opens_turn)
{
	return opens_turn || (message->flags & CTX_MESSAGE_WHOLE_TURN) ||
	    ((message->dialect->rules & CTX_RESULTS_NEXT) &&
		message->role == CTX_ROLE_ASSISTANT &&
		!is_in_row(groups, message));
}

/* Merges the newest segment, of this message, with segments before it for other
 * reasons than calls and results. */
static void
merge_neighbours(struct ctx_groups *groups, const struct ctx_message *message)
{
	uint32_t segment = (uint32_t)groups->n - 1;

	if (groups->merged_call)
		merge_groups(groups->segments, groups->newest, segment);
	attach_neighbours(groups, message, segment);
	merge_answers(groups, message, segment);
	merge_continuations(groups, message, segment);
}

int
ctx_groups_add(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_cost *cost, unsigned flags, struct ctx_err *err)
{
	uint32_t turn = groups->turn, results = (uint32_t)groups->n;
	unsigned content = find_content_flags(message);
	bool may_open = may_open_turn(groups, message, content, flags);
	bool split =
	    may_open && content == (CTX_SEGMENT_RESULTS | CTX_SEGMENT_REST);

	groups->merged_call = has_pending_calls(groups, message);
	if ((split && add_results_segment(groups, cost, flags, err) < 0) ||
	    enter_turn(groups, message, may_open, flags, err) < 0)
		return -1;
	flags |= (may_open ? CTX_SEGMENT_USER : 0u) |
	    (split ? CTX_SEGMENT_REST : 0u);
	if (add_message_segment(groups, message, cost, flags, err) < 0)
		return -1;
	count_message(groups, message);
	/* When split, the results belong to the turn before; its calls are
	 * closed after they have been matched. */
	if (ends_open_calls(groups, message, may_open && !split))
		expire_open_calls(groups);
	groups->has_remote_state |=
	    (message->flags & CTX_MESSAGE_REMOTE_STATE) != 0;
	if (pair_calls_and_results(groups, message, results, err) < 0)
		return -1;
	groups->newest_answering =
	    content & CTX_SEGMENT_RESULTS ? results : NONE;
	if (groups->newest_answering != NONE)
		merge_late_results(groups, results, split);
	if (split) {
		move_results_to_turn(groups, results);
		expire_open_calls(groups);
	}
	merge_neighbours(groups, message);
	groups->newest = groups->newest_known = (uint32_t)groups->n - 1;
	groups->has_first_task &= groups->turn == turn;
	return may_open ? mark_task(groups, message, err) : 0;
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
		groups->newest = NONE;
	return 0;
}

/* Returns the new index of a segment, or NONE if it was removed. */
static uint32_t
remap_segment(uint32_t segment, const bool *removed, const uint32_t *new_index)
{
	return segment == NONE || removed[segment] ? NONE : new_index[segment];
}

/* Corrects the segments that ctx_groups points to.  Those that wait for a later
 * message are never removed. */
static void
renumber_cursors(struct ctx_groups *groups, const bool *removed,
    const uint32_t *new_index)
{
	if (groups->attached != NONE)
		groups->attached = new_index[groups->attached];
	if (groups->continuing != NONE)
		groups->continuing = new_index[groups->continuing];
	groups->newest = remap_segment(groups->newest, removed, new_index);
	groups->newest_calling =
	    remap_segment(groups->newest_calling, removed, new_index);
	groups->newest_answering =
	    remap_segment(groups->newest_answering, removed, new_index);
	groups->newest_known =
	    remap_segment(groups->newest_known, removed, new_index);
	groups->unnamed_calls =
	    remap_segment(groups->unnamed_calls, removed, new_index);
	groups->last_task =
	    remap_segment(groups->last_task, removed, new_index);
}

int
ctx_groups_compact(struct ctx_groups *groups, const bool *removed,
    struct ctx_err *err)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t *new_index, kept = 0, i;

	if (groups->n == 0)
		return 0;
	new_index = malloc(groups->n * sizeof *new_index);
	if (new_index == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < groups->n; i++) {
		segments[i].group_parent = ctx_group_of(segments, i);
		new_index[i] = kept;
		kept += !removed[i];
	}
	for (i = 0; i < groups->n; i++) {
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

#define FORGET_AT 256 /* segments */

int
ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err)
{
	bool *removed;
	size_t i;
	int rc;

	if (groups->n < FORGET_AT || groups->n < groups->forget_at)
		return 0;
	removed = calloc(groups->n, sizeof *removed);
	if (removed == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < groups->n; i++)
		removed[i] =
		    groups
			->segments[ctx_group_of(groups->segments, (uint32_t)i)]
			.open_calls == 0;
	rc = ctx_groups_compact(groups, removed, err);
	free(removed);
	groups->forget_at = groups->n * 2 + FORGET_AT;
	return rc;
}
