/*
 * pair_results.c - finds the tool call that a tool result answers
 *
 * The table of calls contains only open calls, which have no result yet
 * (open_tool_calls.c).
 */
#include "group/grouping.h"
#include "group/open_tool_calls.h"

/* Reads the id and the tool name of a tool call or tool result.  Sets *tool to
 * the id of the tool name in groups->tools, or to 0 if there is no tool
 * name. */
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

/* For a tool call that was made by a program of the model, or after an approval
 * of the user: merges its group with the group of the tool call that runs the
 * program or asks for the approval (block->caller).  If that call already has
 * its result, it is not in the table of open calls any more.  The group is then
 * merged with that of the newest earlier segment with tool calls, which is
 * assumed to belong to the same program or approval. */
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
	if (caller != CTX_NO_SEGMENT)
		ctx_groups_merge(groups->segments, caller, segment);
	return 0;
}

/* Stores that a tool call will get further results.  If the call has no id, any
 * later result without an id may be a result of this call. call: index of the
 * segment of the call. */
static void
expect_more_results(struct ctx_groups *groups, const struct ctx_call_key *key,
    uint32_t call)
{
	groups->has_more_results = true;
	groups->segments[call].flags |= CTX_SEGMENT_MORE_RESULTS;
	if (key->id.p != NULL)
		return;
	if (groups->unnamed_calls != CTX_NO_SEGMENT)
		ctx_groups_merge(groups->segments, groups->unnamed_calls, call);
	groups->unnamed_calls = call;
	groups->n_unnamed_calls++;
}

/* Adds a tool call of the newest segment (message or part of one) to the table
 * of open tool calls. tool: id of the name of the call's tool. */
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

/* Returns true if a tool result that answers no call must be kept or removed
 * together with the assistant message before it.  Removing only one of the two
 * messages would then break the order of roles. */
static bool
needs_message_before(const struct ctx_groups *groups,
    const struct ctx_message *message)
{
	return (message->dialect->rules &
		   (CTX_ALTERNATES | CTX_RESULTS_NEXT)) != 0 &&
	    message->role != CTX_ROLE_ASSISTANT &&
	    groups->newest != CTX_NO_SEGMENT &&
	    groups->segments[groups->newest].role == CTX_ROLE_ASSISTANT;
}

/* Decides what a tool result belongs to that answers no open call: it may be a
 * further result of a call that already has one, or answer no call at all.
 * Pins its segment if the call may be outside of the conversation; otherwise
 * merges its group with the group that it may belong to, if there is one.
 * results: index of the segment of the result. */
static void
place_unmatched_result(struct ctx_groups *groups,
    const struct ctx_message *message, const struct ctx_block *block,
    bool has_id, uint32_t results)
{
	struct ctx_segment *segments = groups->segments;

	if (groups->has_remote_state) {
		segments[results].flags |= CTX_SEGMENT_PINNED;
	} else if (groups->unnamed_calls != CTX_NO_SEGMENT && !has_id) {
		ctx_groups_merge(segments, groups->unnamed_calls, results);
		groups->n_unnamed_calls -=
		    !block->is_partial && groups->n_unnamed_calls > 0;
	} else if (groups->newest_answering != CTX_NO_SEGMENT) {
		/* The message before this one also has tool results.  They are
		 * assumed to answer the same call as this result, so this
		 * result is put into the group of those results. */
		ctx_groups_merge(segments, groups->newest_answering, results);
	} else if (needs_message_before(groups, message)) {
		ctx_groups_merge(segments, groups->newest, results);
	}
}

/* Merges the group of a tool result with the group of the call that the result
 * answers (if none: see place_unmatched_result). tool: id of the tool name in
 * the result, or 0 if the result has none; results: index of the segment of the
 * result. */
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
		ctx_groups_merge(segments, call, results);
		if (tool == 0)
			tool = called;
		if (block->is_partial)
			expect_more_results(groups, key, call);
	}
	if (segments[results].tool == 0)
		segments[results].tool = tool;
}

int
ctx_groups_pair_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err)
{
	const struct ctx_block *block;
	struct ctx_call_key key;
	uint32_t tool;

	for (size_t i = 0; i < message->n; i++) {
		block = &message->blocks[i];
		if (block->kind == CTX_BLOCK_OPAQUE && block->caller != 0 &&
		    merge_with_caller(groups, message, block,
			(uint32_t)groups->n - 1, err) < 0)
			return -1;
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

void
ctx_groups_expire_calls(struct ctx_groups *groups)
{
	uint32_t segment;

	while (
	    (segment = ctx_open_calls_expire(groups->calls)) != CTX_NO_SEGMENT)
		groups->segments[ctx_group_of(groups->segments, segment)]
		    .open_calls--;
}
