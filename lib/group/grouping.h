/* grouping.h - the steps by which ctx_groups_add finds groups (messages that
 * must be kept or removed together) and turns */
#ifndef CTX_GROUP_GROUPING_H
#define CTX_GROUP_GROUPING_H

#include "group/group.h"

/* ---- turns.c ---- */

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

/* ---- demonstration.c ---- */

/* Sets *demo to true if a user message is a demonstration (see
 * CTX_SEGMENT_DEMONSTRATION), otherwise to false.  Returns -1 with *err if
 * there is no memory. */
int ctx_is_demonstration(const struct ctx_message *message,
    struct ctx_buf *scratch, bool *demo, struct ctx_err *err);

/* ---- pair_results.c ---- */

/* Adds the tool calls of the newest segment (message or part of one) to the
 * table of open calls.  Merges the group of the message's tool results with the
 * groups of the calls that these results answer or may answer. results: index
 * of the segment that contains the tool results. */
int ctx_groups_pair_results(struct ctx_groups *groups,
    const struct ctx_message *message, uint32_t results, struct ctx_err *err);
/* Removes the tool calls without an id from the table of open calls (calls
 * without a result), because no later result can answer them.  Calls with an id
 * remain in the table.  The caller must call this when a new turn begins.  If
 * the format demands results directly after their calls, the caller must also
 * call this when another assistant message is added. */
void ctx_groups_expire_calls(struct ctx_groups *groups);

/* ---- merge_groups.c ---- */

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
