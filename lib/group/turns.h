/* turns.h - finds where turns begin, and the task of each */
#ifndef CTX_GROUP_TURNS_H
#define CTX_GROUP_TURNS_H

#include "group/group.h"

/* Flags of messages that ctx inserted. */
#define CTX_SEGMENT_INSERTED (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE)

/* Returns true if the message can be one of the user messages that open a turn.
 * A message that no person wrote (CTX_MESSAGE_META) opens only the first turn,
 * in a format that demands a user message first.  content has
 * CTX_SEGMENT_RESULTS and CTX_SEGMENT_REST for what the message contains; flags
 * are those given to ctx_groups_add. */
bool ctx_groups_may_open_turn(const struct ctx_groups *groups,
    const struct ctx_message *message, unsigned content, unsigned flags);
/* Updates groups->turn and groups->answered for the message.  may_open is what
 * ctx_groups_may_open_turn has returned for it. */
int ctx_groups_enter_turn(struct ctx_groups *groups,
    const struct ctx_message *message, bool may_open, unsigned flags,
    struct ctx_err *err);
/* Moves segment results, the results of a message whose rest opens a turn, into
 * that turn if they answer calls of that message only. */
void ctx_groups_move_results(struct ctx_groups *groups, uint32_t results);
/*
 * Marks the newest segment, a user message, as the last user message of its
 * turn (CTX_SEGMENT_TASK), and unmarks the one before.  The first user message
 * that is neither a demonstration nor pinned keeps its mark.  A pinned message
 * does not count as the first: it is kept anyway, and when the rest of its turn
 * has been removed, it is among the user messages of the next turn.  Must be
 * called when the newest segment has its group, because both segments of a
 * message are marked alike.
 */
int ctx_groups_mark_task(struct ctx_groups *groups,
    const struct ctx_message *message, struct ctx_err *err);

#endif
