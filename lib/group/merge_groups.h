/* merge_groups.h - merges groups, so that their messages are kept or removed
 * together */
#ifndef CTX_GROUP_MERGE_GROUPS_H
#define CTX_GROUP_MERGE_GROUPS_H

#include "group/group.h"

/* Merges the groups of two segments (messages or parts of one). a, b: indices
 * of the segments.  The new group begins with the earliest segment of both
 * groups, and has the open tool calls (calls without a result) of both
 * groups. */
void ctx_groups_merge(struct ctx_segment *segments, uint32_t a, uint32_t b);
/* Returns true if the message directly before an assistant message is also from
 * the assistant, and the provider treats them as parts of one turn (flag
 * CTX_TAKES_ROWS).  The results of the first message's tool calls then come
 * after both messages. message: the newest message, which must be from the
 * assistant. */
bool ctx_groups_is_in_row(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Returns true if a new assistant message must be kept together with open tool
 * calls (calls without a result) of the assistant messages directly before it.
 * This is so in formats that merge neighbouring messages of one role and demand
 * results directly after calls.  Reason: a program that the provider runs may
 * still wait for these results. */
bool ctx_groups_has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Merges the group of the newest message with earlier groups, for reasons other
 * than a tool result that answers a call. message: the newest message.  The
 * reasons are:
 *  - the message comes after tool calls of the assistant that have no result
 *    yet (see ctx_groups_has_pending_calls);
 *  - in this format, the message must stay together with the message before or
 *    after it (CTX_MESSAGE_ATTACH_...);
 *  - the message and the one before it are parts of one response
 *    (CTX_JOINS_ANSWERS);
 *  - the record of the message continues an earlier message
 *    (CTX_MESSAGE_CONTINUES). */
void ctx_groups_merge_neighbours(struct ctx_groups *groups,
    const struct ctx_message *message);
/*
 * Merges the group of late tool results with the group of the assistant message
 * directly before these results.  Results are late if they do not come directly
 * after their call.  If only one of the two groups were removed, roles would no
 * longer alternate.  Does nothing unless groups->has_more_results is true.
 * results: index of the segment that contains the late results.
 *
 * split: true if the results are in one message with the user text that begins
 * the next turn.  If the results are removed, this text may still be kept.  The
 * message directly before the text must then have the same role as the message
 * before the results.  So all segments from the call to the results become one
 * group.
 */
void ctx_groups_merge_late_results(struct ctx_groups *groups, uint32_t results,
    bool split);

#endif
