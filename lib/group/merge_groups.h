/* merge_groups.h - makes one group of several, so that their messages are kept
 * or removed together */
#ifndef CTX_GROUP_MERGE_GROUPS_H
#define CTX_GROUP_MERGE_GROUPS_H

#include "group/group.h"

/* Makes one group of the groups that two segments are in.  Its first segment
 * is the earlier one of their first segments.  It has the open tool calls of
 * both. */
void ctx_groups_merge(struct ctx_segment *segments, uint32_t a, uint32_t b);
/* Returns true if the newest assistant message directly follows another one,
 * and the provider takes both as one turn (CTX_TAKES_ROWS).  The results of
 * the first one's tool calls then come after both messages. */
bool ctx_groups_is_in_row(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Some formats merge neighbouring messages of one role, and demand results
 * directly after calls.  Returns true if, in such a format, a new assistant
 * message directly follows assistant messages that have open tool calls.  The
 * new message must then be kept together with those calls: a program that the
 * provider runs may still wait for their results. */
bool ctx_groups_has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Merges the group of the newest message with earlier groups, for reasons other
 * than a tool result that answers a call. message: the newest message.
 * Reasons:
 *  - the message follows tool calls of the assistant that have no result yet
 *    (see ctx_groups_has_pending_calls);
 *  - the format ties the message to the message before or after it
 *    (CTX_MESSAGE_ATTACH_...);
 *  - the message and the one before it are one response (CTX_JOINS_ANSWERS);
 *  - the record of the message continues an earlier message
 *    (CTX_MESSAGE_CONTINUES). */
void ctx_groups_merge_neighbours(struct ctx_groups *groups,
    const struct ctx_message *message);
/*
 * Tool results are late if they do not directly follow their call.  Merges the
 * group of late results with that of the assistant message directly before
 * them: if only one of the two were removed, roles would no longer alternate.
 * results: the segment of the late results.
 *
 * split: true if the results are in one message with the user text that begins
 * the next turn.  This text may be kept when the results are removed.  Another
 * message is then directly before the text, and must have the role of the one
 * before the results.  So all segments from the call to the results become one
 * group.
 */
void ctx_groups_merge_late_results(struct ctx_groups *groups, uint32_t results,
    bool split);

#endif
