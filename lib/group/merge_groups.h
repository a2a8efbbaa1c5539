/* merge_groups.h - merges groups that can only be kept or removed together */
#ifndef CTX_GROUP_MERGE_GROUPS_H
#define CTX_GROUP_MERGE_GROUPS_H

#include "group/group.h"

/* Merges two groups.  The earlier root is the root of both. */
void ctx_groups_merge(struct ctx_segment *segments, uint32_t a, uint32_t b);
/* Returns true if an assistant message follows another one and the provider
 * takes both as one turn.  The results of the first one's calls then come after
 * both. */
bool ctx_groups_is_in_row(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Returns true if an assistant message continues earlier ones that have open
 * calls, in a format that merges neighbours and demands results next.  A
 * server-side program may still wait for the results of its calls, too. */
bool ctx_groups_has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Merges the newest segment, of this message, with segments before it for other
 * reasons than calls and results. */
void ctx_groups_merge_neighbours(struct ctx_groups *groups,
    const struct ctx_message *message);
/*
 * Merges late results of a call (other messages are in between) with the
 * assistant message right before them.  Both can then be removed from anywhere
 * and roles still alternate.  With split, the results share a message with the
 * user's text that opens the next turn.  That text is kept without them, so
 * whatever is before it must still end with the same role; the whole span since
 * the call is therefore kept or removed as one.
 */
void ctx_groups_merge_late_results(struct ctx_groups *groups, uint32_t results,
    bool split);

#endif
