/* turns.c - finds where turns begin, and which user message of a turn is its
 * task */
#include <string.h>

#include "group/grouping.h"
#include "group/open_tool_calls.h"

bool
ctx_groups_may_open_turn(const struct ctx_groups *groups,
    const struct ctx_message *message, unsigned content, unsigned flags)
{
	bool first =
	    groups->turn == 0 && (message->dialect->rules & CTX_FIRST_USER);

	return message->role == CTX_ROLE_USER &&
	    (first || !(message->flags & CTX_MESSAGE_META)) &&
	    !(message->flags &
		(CTX_MESSAGE_WHOLE_TURN | CTX_MESSAGE_RESULTS_ONLY |
		    CTX_MESSAGE_ATTACHMENT)) &&
	    !(flags & CTX_SEGMENT_INSERTED) && content != CTX_SEGMENT_RESULTS;
}

/* Sets *opens to true if a user message begins a turn, and stores the name of
 * the writer of the message.  In formats with names of users (CTX_NAMES_USERS),
 * a message by another person begins a turn even if no assistant has answered.
 * Otherwise a conversation among people would be a single turn.  A message
 * without a name counts as written by the writer of the user message before
 * it. */
static int
update_speaker(struct ctx_groups *groups, const struct ctx_message *message,
    bool *opens, struct ctx_err *err)
{
	struct ctx_buf last = groups->speaker;

	*opens = groups->turn == 0 || groups->answered;
	if (*opens)
		groups->speaker.n = 0;
	if (!(message->dialect->rules & CTX_NAMES_USERS) ||
	    !ctx_json_is_string(message->json, message->name))
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

int
ctx_groups_enter_turn(struct ctx_groups *groups,
    const struct ctx_message *message, bool may_open, unsigned flags,
    struct ctx_err *err)
{
	bool opens = false;

	if ((message->flags & CTX_MESSAGE_WHOLE_TURN) &&
	    !(flags & CTX_SEGMENT_INSERTED)) {
		groups->turn++;
		groups->answered = true;
	} else if (may_open) {
		if (update_speaker(groups, message, &opens, err) < 0)
			return -1;
		groups->turn += opens;
		groups->answered = false;
	} else if (message->role != CTX_ROLE_SYSTEM &&
	    !(flags & CTX_SEGMENT_INSERTED) &&
	    !(message->flags & (CTX_MESSAGE_META | CTX_MESSAGE_HIDDEN))) {
		groups->answered = true;
	}
	return 0;
}

void
ctx_groups_move_results(struct ctx_groups *groups, uint32_t results)
{
	struct ctx_segment *segments = groups->segments;

	if (ctx_group_of(segments, results + 1) != results)
		return;
	segments[results].turn = segments[results + 1].turn;
	segments[results].flags |= CTX_SEGMENT_USER;
}

int
ctx_groups_mark_task(struct ctx_groups *groups,
    const struct ctx_message *message, struct ctx_err *err)
{
	uint32_t i, last = (uint32_t)groups->n - 1, before = groups->last_task;
	struct ctx_segment *segments = groups->segments;
	bool demo, first;

	if (ctx_is_demonstration(message, &groups->text, &demo, err) < 0)
		return -1;
	if (before != CTX_NO_SEGMENT &&
	    segments[before].turn != segments[last].turn)
		before = CTX_NO_SEGMENT;
	if (before != CTX_NO_SEGMENT &&
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
	groups->last_task = first ? CTX_NO_SEGMENT : last;
	groups->has_first_task |= first;
	return 0;
}
