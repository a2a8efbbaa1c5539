/* merge_groups.h - merges groups that can only be kept or removed together */
#ifndef CTX_GROUP_MERGE_GROUPS_H
#define CTX_GROUP_MERGE_GROUPS_H

#include "group/group.h"

/* Merges the groups of two segments.  The earlier of their first segments
 * becomes the first of both, with the open calls of both. */
void ctx_groups_merge(struct ctx_segment *segments, uint32_t a, uint32_t b);
/* Returns true if an assistant message directly follows another assistant
 * message and the provider takes both as one turn (CTX_TAKES_ROWS).  The
 * results of the earlier message's calls then come after both messages. */
bool ctx_groups_is_in_row(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Returns true if an assistant message directly follows assistant messages with
 * open calls, in a format that merges neighbours of one role and demands
 * results next.  It must then be kept with those calls: a server-side program
 * that made them may still be waiting for their results. */
bool ctx_groups_has_pending_calls(const struct ctx_groups *groups,
    const struct ctx_message *message);
/* Merges the newest segment, which is of this message, with segments before it
 * for reasons other than calls and results: open calls (see above),
 * CTX_MESSAGE_ATTACH_..., CTX_JOINS_ANSWERS and CTX_MESSAGE_CONTINUES. */
void ctx_groups_merge_neighbours(struct ctx_groups *groups,
    const struct ctx_message *message);
/*
 * Merges late results, which do not directly follow their call, with the
 * assistant message directly before them: if only one of the two were removed,
 * roles would no longer alternate.  results is the segment of the results.
 *
 * If split is true, the results are in one message with the user's text that
 * opens the next turn, and the text may be kept without them.  What is before
 * the text must then end with the same role as now.  So all segments from the
 * call to the results become one group.
 */
void ctx_groups_merge_late_results(struct ctx_groups *groups, uint32_t results,
    bool split);

#endif
