/* turns.h - finds where turns begin, and which user message of a turn is its
 * task */
#ifndef CTX_GROUP_TURNS_H
#define CTX_GROUP_TURNS_H

#include "group/group.h"

/* Segment flags of messages that ctx has inserted. */
#define CTX_SEGMENT_INSERTED (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE)

/*
 * Returns true if a message can be one of the user messages at the beginning of
 * a turn.  A user message that no person wrote (CTX_MESSAGE_META) can begin
 * only the first turn, and only if the format demands that a user message comes
 * first. content: what the message contains: CTX_SEGMENT_RESULTS (tool
 * results), CTX_SEGMENT_REST (other content) or both. flags: the flags that
 * were passed to ctx_groups_add.
 */
bool ctx_groups_may_open_turn(const struct ctx_groups *groups,
    const struct ctx_message *message, unsigned content, unsigned flags);
/* Updates groups->turn, the number of the newest turn, when a message is added.
 * Also updates groups->answered, which says whether the turn has a message
 * other than the user messages at its beginning. may_open: result of
 * ctx_groups_may_open_turn for this message. */
int ctx_groups_enter_turn(struct ctx_groups *groups,
    const struct ctx_message *message, bool may_open, unsigned flags,
    struct ctx_err *err);
/* Moves the segment (message or part of one) of a message's tool results into
 * the turn that the other blocks of the message begin.  Does nothing if a
 * result answers a call of an earlier message. results: index of the segment of
 * the results. */
void ctx_groups_move_results(struct ctx_groups *groups, uint32_t results);
/* Sets the flag CTX_SEGMENT_TASK of the newest segment, which must be a user
 * message, because it is the last user message of its turn so far.  Clears the
 * flag of the user message that was the last one of the turn until now.  Two
 * messages keep the flag: a message in the same group as the newest one, and
 * the first of the user messages of the turn that are neither pinned nor
 * demonstrations (examples of how an earlier task was done).  A pinned message
 * is kept anyway, and counts among the user messages of the next turn if all
 * else in its turn is removed.  Must be called after the newest segment was put
 * into its group. */
int ctx_groups_mark_task(struct ctx_groups *groups,
    const struct ctx_message *message, struct ctx_err *err);

#endif
