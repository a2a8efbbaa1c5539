/*
 * merge_groups.c - merges groups, so that their messages are kept or removed
 * together
 *
 * Groups are the disjoint sets of a union-find structure, whose elements are
 * segments (messages or parts of one).  A group is represented by its first
 * segment, so that groups can be sorted by their position in the conversation.
 */
#include "group/grouping.h"
#include "group/open_tool_calls.h"

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

void
ctx_groups_merge(struct ctx_segment *segments, uint32_t a, uint32_t b)
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

bool
ctx_groups_is_in_row(const struct ctx_groups *groups,
    const struct ctx_message *message)
{
	return (message->dialect->rules & CTX_TAKES_ROWS) &&
	    groups->newest != CTX_NO_SEGMENT &&
	    groups->segments[groups->newest].role == CTX_ROLE_ASSISTANT;
}

bool
ctx_groups_has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message)
{
	const struct ctx_segment *segments = groups->segments;

	return (message->dialect->rules & CTX_RESULTS_NEXT) &&
	    (message->dialect->rules & CTX_MERGES) &&
	    message->role == CTX_ROLE_ASSISTANT &&
	    groups->newest != CTX_NO_SEGMENT &&
	    segments[groups->newest].role == CTX_ROLE_ASSISTANT &&
	    (groups->merged_call ||
		segments[ctx_group_of(groups->segments, groups->newest)]
			.open_calls > 0);
}

/* Merges the groups of two neighbouring messages if the format demands that
 * these messages are kept or removed together.  As long as a message waits for
 * the next message, open_calls of its group is increased by one, so that the
 * group does not count as complete. */
static void
attach_neighbours(struct ctx_groups *groups, const struct ctx_message *message,
    uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;
	unsigned attaches = CTX_MESSAGE_ATTACH_NEXT | CTX_MESSAGE_ATTACH_BOTH;
	bool attaches_previous;

	if (groups->attached != CTX_NO_SEGMENT) {
		segments[ctx_group_of(segments, groups->attached)].open_calls--;
		/* A system message is merged only with an assistant message
		 * after it.  Merging it with a user message could put segments
		 * of two turns into one group. */
		if (!(segments[groups->attached].flags & CTX_SEGMENT_SYSTEM) ||
		    message->role == CTX_ROLE_ASSISTANT)
			ctx_groups_merge(segments, groups->attached, segment);
		groups->attached = CTX_NO_SEGMENT;
	}
	attaches_previous = message->flags &
	    (CTX_MESSAGE_ATTACH_BOTH | CTX_MESSAGE_ATTACH_PREVIOUS);
	if (attaches_previous && groups->newest != CTX_NO_SEGMENT &&
	    !(segments[groups->newest].flags & CTX_SEGMENT_SYSTEM))
		ctx_groups_merge(segments, groups->newest, segment);
	if (message->flags & attaches) {
		segments[ctx_group_of(segments, segment)].open_calls++;
		groups->attached = segment;
	}
}

/* Merges neighbouring assistant messages that are parts of one response of the
 * model (flag CTX_JOINS_ANSWERS) into one group. */
static void
merge_answers(struct ctx_groups *groups, const struct ctx_message *message,
    uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;

	if ((message->dialect->rules & CTX_JOINS_ANSWERS) &&
	    groups->newest != CTX_NO_SEGMENT &&
	    segments[segment].role == CTX_ROLE_ASSISTANT &&
	    segments[groups->newest].role == CTX_ROLE_ASSISTANT)
		ctx_groups_merge(segments, groups->newest, segment);
}

/* If a message is split over several records, merges the groups of these
 * records.  Messages that are split at the same time are in one group, too.
 * Until the last record of a message is added, the message counts as an open
 * tool call (a call without a result), so that its group is not complete. */
static void
merge_continuations(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;

	if ((message->flags & CTX_MESSAGE_CONTINUES) &&
	    groups->continuing != CTX_NO_SEGMENT) {
		segments[ctx_group_of(segments, groups->continuing)]
		    .open_calls--;
		ctx_groups_merge(segments, groups->continuing, segment);
		if (--groups->n_continuing == 0)
			groups->continuing = CTX_NO_SEGMENT;
	}
	if (message->flags & CTX_MESSAGE_IS_CONTINUED) {
		if (groups->continuing != CTX_NO_SEGMENT)
			ctx_groups_merge(segments, groups->continuing, segment);
		segments[ctx_group_of(segments, segment)].open_calls++;
		groups->continuing = segment;
		groups->n_continuing++;
	}
}

void
ctx_groups_merge_neighbours(struct ctx_groups *groups,
    const struct ctx_message *message)
{
	uint32_t segment = (uint32_t)groups->n - 1;

	if (groups->merged_call)
		ctx_groups_merge(groups->segments, groups->newest, segment);
	attach_neighbours(groups, message, segment);
	merge_answers(groups, message, segment);
	merge_continuations(groups, message, segment);
}

/* Puts all segments between the first segment of a group and a later segment of
 * the group into the group, except system messages and records that are not
 * messages. segment: index of the later segment. */
static void
merge_group_span(struct ctx_groups *groups, uint32_t segment)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t i = segment;

	while (i > ctx_group_of(segments, segment)) {
		i = segments[i - 1].contiguous_from;
		if (!(segments[i].flags &
			(CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN)))
			ctx_groups_merge(segments, i, segment);
	}
	segments[segment].contiguous_from = i;
}

void
ctx_groups_merge_late_results(struct ctx_groups *groups, uint32_t results,
    bool split)
{
	struct ctx_segment *segments = groups->segments;
	uint32_t before = groups->newest_known;

	if (!groups->has_more_results || before == CTX_NO_SEGMENT ||
	    segments[before].role != CTX_ROLE_ASSISTANT ||
	    ctx_group_of(segments, results) == before)
		return;
	ctx_groups_merge(segments, before, results);
	if (split)
		merge_group_span(groups, results);
}
