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
 * first. content: CTX_SEGMENT_RESULTS if the message has tool results,
 * CTX_SEGMENT_REST if it has other content, or both. flags: the flags that were
 * passed to ctx_groups_add.
 */
bool ctx_groups_may_open_turn(const struct ctx_groups *groups,
    const struct ctx_message *message, unsigned content, unsigned flags);
/* Updates the state of the newest turn when a message is added.  Sets
 * groups->turn to the number of the turn.  Sets groups->answered to true if the
 * turn has a message after the user messages at its beginning, except system
 * messages, messages that ctx inserted, and those with CTX_MESSAGE_META or
 * CTX_MESSAGE_HIDDEN. may_open: result of ctx_groups_may_open_turn for this
 * message. */
int ctx_groups_enter_turn(struct ctx_groups *groups,
    const struct ctx_message *message, bool may_open, unsigned flags,
    struct ctx_err *err);
/* Moves the segment (message or part of one) of a message's tool results into
 * the turn that the other blocks of the message begin, if the results are in
 * one group with these blocks and with no earlier message: they answer calls in
 * the same message. results: index of the segment of the tool results. */
void ctx_groups_move_results(struct ctx_groups *groups, uint32_t results);
/* Sets the flag CTX_SEGMENT_TASK of the newest segment, because it is the last
 * user message of its turn so far.  The segment must be a user message, and
 * must already be in its group.  Clears the flag of the user message that was
 * the last one of the turn until now, except in two cases: this message is in
 * the same group as the newest one, or it is the first user message of the turn
 * that is neither pinned nor a demonstration (example of how an earlier task
 * was done).  Pinned messages are kept anyway.  If everything else in its turn
 * is removed, a pinned message counts among the user messages of the next turn.
 */
int ctx_groups_mark_task(struct ctx_groups *groups,
    const struct ctx_message *message, struct ctx_err *err);

#endif
