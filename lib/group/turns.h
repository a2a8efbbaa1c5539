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
 * first. content: the segments of the message: CTX_SEGMENT_RESULTS,
 * CTX_SEGMENT_REST or both. flags: those given to ctx_groups_add.
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
 * the turn that the other blocks of the message begin.  Does this only if the
 * results answer only calls in the same message. results: index of the
 * segment. */
void ctx_groups_move_results(struct ctx_groups *groups, uint32_t results);
/* Marks the newest segment, a user message, with CTX_SEGMENT_TASK, because it
 * is the last user message of its turn so far.  Removes the mark from the user
 * message that was the last one before, with two exceptions: a message in the
 * same group keeps its mark, and so does the first user message of the turn
 * that is neither pinned nor a demonstration. (A pinned message is kept anyway;
 * when the rest of its turn is removed, it counts among the user messages of
 * the next turn.) Must be called after the newest segment was put into its
 * group. */
int ctx_groups_mark_task(struct ctx_groups *groups,
    const struct ctx_message *message, struct ctx_err *err);

#endif
