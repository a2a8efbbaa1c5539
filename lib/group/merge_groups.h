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
/* Returns true if a new assistant message directly follows assistant messages
 * that have open tool calls, in a format that takes neighbours of one role as
 * one message and demands results next.  It must then be kept together with
 * those calls: a program that the provider runs may still wait for their
 * results. */
bool ctx_groups_has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Merges the newest segment with earlier ones for reasons other than that a
 * tool result answers a call: open tool calls (see
 * ctx_groups_has_pending_calls), CTX_MESSAGE_ATTACH_..., CTX_JOINS_ANSWERS and
 * CTX_MESSAGE_CONTINUES. message: the message of the newest segment. */
void ctx_groups_merge_neighbours(struct ctx_groups *groups,
    const struct ctx_message *message);
/*
 * Merges late tool results, which do not directly follow their call, with the
 * assistant message directly before them.  If only one of the two were removed,
 * roles would no longer alternate. results: the segment of the results.
 *
 * split: true if the results are in one message with the user text that begins
 * the next turn.  This text may be kept when the results are removed.  The
 * message before the text must then still have the role that it has now.  So
 * all segments from the call to the results become one group.
 */
void ctx_groups_merge_late_results(struct ctx_groups *groups, uint32_t results,
    bool split);

#endif
