/* turns.h - finds where turns begin, and which user message of a turn is its
 * task */
#ifndef CTX_GROUP_TURNS_H
#define CTX_GROUP_TURNS_H

#include "group/group.h"

/* Segment flags of messages that ctx has inserted. */
#define CTX_SEGMENT_INSERTED (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE)

/*
 * Returns true if a message can be one of the user messages at the start of a
 * turn.  A user message that no person wrote (CTX_MESSAGE_META) can only begin
 * the first turn, and only if the format demands that a user message comes
 * first. content says which segments the message has: CTX_SEGMENT_RESULTS,
 * CTX_SEGMENT_REST or both. flags: those given to ctx_groups_add.
 */
bool ctx_groups_may_open_turn(const struct ctx_groups *groups,
    const struct ctx_message *message, unsigned content, unsigned flags);
/* Updates the newest turn for a new message. groups->turn is its number.
 * groups->answered is true after its first message that is not one of the user
 * messages at its start. may_open: what ctx_groups_may_open_turn has returned
 * for this message. */
int ctx_groups_enter_turn(struct ctx_groups *groups,
    const struct ctx_message *message, bool may_open, unsigned flags,
    struct ctx_err *err);
/* A message may contain tool results, and other blocks that begin a turn.  If
 * the results answer only calls of this message itself, moves their segment
 * into the new turn. results: index of that segment. */
void ctx_groups_move_results(struct ctx_groups *groups, uint32_t results);
/* Marks the newest segment, a user message, with CTX_SEGMENT_TASK, because it
 * is the last user message of its turn so far.  Removes the mark from the user
 * message that was the last one before, with two exceptions.  A message in the
 * same group keeps its mark.  So does the first user message of the turn that
 * is neither pinned nor a demonstration.  (A pinned message is kept anyway;
 * when the rest of its turn is removed, it counts among the user messages of
 * the next turn.) Must be called after the newest segment was put into its
 * group. */
int ctx_groups_mark_task(struct ctx_groups *groups,
    const struct ctx_message *message, struct ctx_err *err);

#endif
