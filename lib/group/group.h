/* group.h - finds the messages of a conversation that must be kept or removed
 * together, such as a tool call and its result */
#ifndef CTX_GROUP_H
#define CTX_GROUP_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "message/message.h"

/* ---- group/groups.c: messages that belong together, and turns ----------- */

/* Flags of a segment (ctx_segment.flags). */
enum {
	/* The segment must never be removed. */
	CTX_SEGMENT_PINNED = 1,
	/* The segment is a system message, which belongs to no turn. */
	CTX_SEGMENT_SYSTEM = 2,
	/* The segment is one of the user messages at the start of a turn. */
	CTX_SEGMENT_USER = 4,
	/* The segment is a record that is not a message; it is never removed.
	 */
	CTX_SEGMENT_UNKNOWN = 8,
	/* The segment consists of the tool results of a message that also has
	 * other content. */
	CTX_SEGMENT_RESULTS = 16,
	/* The segment is a message without its tool results, which form another
	 * segment. */
	CTX_SEGMENT_REST = 32,
	/* The segment is a summary of removed messages that an earlier run of
	 * ctx inserted.  It begins no turn. */
	CTX_SEGMENT_SUMMARY = 64,
	/* The segment is a notice (a text that says that messages were
	 * removed) that an earlier run of ctx inserted.  It begins no turn. */
	CTX_SEGMENT_NOTICE = 128,
	/* The segment is a user message that no person wrote, such as a
	 * reminder that an agent inserted. */
	CTX_SEGMENT_META = 256,
	/* The segment is a summary of the messages before it, which the agent
	 * inserted, not ctx. */
	CTX_SEGMENT_COMPACTED = 512,
	/* The segment contains, among other blocks, a summary that an earlier
	 * run of ctx inserted. */
	CTX_SEGMENT_WITH_SUMMARY = 1024,
	/* The segment contains, among other blocks, a notice that an earlier
	 * run of ctx inserted. */
	CTX_SEGMENT_WITH_NOTICE = 2048,
	/* The segment has a tool call to which more than one message with
	 * results belongs. */
	CTX_SEGMENT_MORE_RESULTS = 4096,
	/* The segment has signed reasoning. */
	CTX_SEGMENT_SIGNED = 8192,
	/* The segment is a task of its turn.  A task is the first user message
	 * of the turn that is neither pinned nor a demonstration; the last user
	 * message of the turn is a task, too. */
	CTX_SEGMENT_TASK = 16384,
	/* The segment is a user message that shows how an earlier task was
	 * done: it has "is_demo": true, or its text ends with a line such as
	 * END OF DEMONSTRATION. */
	CTX_SEGMENT_DEMONSTRATION = 32768,
};

/*
 * A segment is the smallest unit that can be removed: a message, or one of the
 * two parts of a user message that contains both tool results and other blocks.
 *
 * Segments that must be kept or removed together form a group: a message with
 * tool calls, all results of these calls, and messages that the format ties to
 * them.  Any other message is a group by itself.
 *
 * A turn is one or more user messages in a row and everything up to the next
 * user message.  Turn 0 is everything before the first user message.  If
 * several people write as the user under different names, each change of name
 * begins a turn (CTX_NAMES_USERS).
 */
struct ctx_segment {
	uint64_t start;   /* tokens of the conversation before the segment */
	uint64_t tokens;  /* tokens of the segment, after all edits so far */
	uint64_t message; /* index of the segment's message, from 0 */
	/* Index of the segment's message, from 0, if system messages are not
	 * counted. */
	uint64_t nonsystem_index;
	/* Rank of the segment, if the prune strategy rates segments by their
	 * text: those with low ranks are removed first.  Otherwise 0. */
	double rank;
	/* Tokens of the messages that were removed between the segment before
	 * and this one. */
	uint64_t dropped_before;
	/* The next five members are limited by ctx_limit_tokens. edited: tokens
	 * that edits have removed from the segment.  The others are parts of
	 * the segment's tokens. */
	uint32_t edited;
	uint32_t reasoning;
	/* those that are saved if the segment's tool results are cleared
	 * (replaced by a short text) */
	uint32_t clearable_tokens;
	/* those that are saved if only the beginning and the end of the
	 * segment's texts are kept */
	uint32_t head_tail_savings;
	/* those of the passages that a strategy removes from the segment's
	 * text */
	uint32_t passage_savings;
	/* Of the segment's tokens, those of a summary or notice that ctx has
	 * inserted. */
	uint32_t inserted_tokens;
	/* Tokens that a notice before this segment would have; 0 if no notice
	 * can be inserted there. */
	uint32_t notice_tokens;
	uint32_t turn;
	/* Index of a segment of this group that is nearer to the group's first
	 * segment (union-find). */
	uint32_t group_parent;
	/* Index of an earlier segment of the group, or of this one.  All
	 * segments between the two are in the group, too, except system
	 * messages and records that are not messages. */
	uint32_t contiguous_from;
	/* Only in the first segment of a group: number of the group's tool
	 * calls that have no result yet. */
	uint32_t open_calls;
	/* Id, in ctx_groups.tools, of the tool name of the segment's first
	 * tool call or tool result; 0 if it has neither. */
	uint32_t tool;
	/* If a message has two segments: the tokens that are counted in both
	 * of them, such as those for its role. */
	uint32_t shared_tokens;
	uint16_t flags;
	uint8_t role;
};

/* Returns tokens, but at most UINT32_MAX.  Only a text of gigabytes has more
 * tokens. */
static inline uint32_t
ctx_limit_tokens(uint64_t tokens)
{
	return tokens < UINT32_MAX ? (uint32_t)tokens : UINT32_MAX;
}

/*
 * Divides a conversation into turns and groups (messages that must be kept or
 * removed together).  Messages are added one by one; the time is linear.
 *
 * A tool result answers the newest call with its id that has no result yet.  In
 * formats without ids it answers the oldest call in the turn that has no result
 * yet and its tool name.  A result without a tool name answers the oldest call
 * of all.  A result that answers no call is a group by itself.  But if the
 * format demands alternating roles or results directly after calls, it is in
 * the group of the assistant message before it.  A user message that answers
 * only calls that it contains itself begins a turn.
 *
 * If a format demands results directly after calls and takes neighbouring
 * messages of one role as one message (CTX_MERGES), everything that the
 * assistant adds after a call is in the group of that call.  The reason is that
 * a program that the provider runs may still wait for the results of such
 * calls.
 */
struct ctx_groups {
	struct ctx_segment *segments;
	size_t n, cap;
	struct ctx_open_calls *calls; /* tool calls that have no result yet */
	struct ctx_intern tools;      /* ids of tool names */
	struct ctx_buf text;          /* scratch memory */
	/* Name of the user who wrote in this turn, from its last user message
	 * that has a name. */
	struct ctx_buf speaker;
	/* Totals of all that was added to this conversation, including what
	 * was removed: tokens, messages, and messages without system
	 * messages. */
	uint64_t tokens;
	uint64_t messages;
	uint64_t nonsystem_messages;
	uint32_t turn; /* number of the newest turn */
	/* True once the newest turn has a message after the user messages at
	 * its start. */
	bool answered;
	/* True if the newest turn has a user message that is neither pinned
	 * nor a demonstration. */
	bool has_first_task;
	/* Number of messages at the start of the conversation that must not
	 * be removed.  System messages are not counted.  Set by the caller. */
	uint64_t pinned;
	/* Segment that has CTX_SEGMENT_TASK only because it is the last user
	 * message of its turn so far; UINT32_MAX if there is none. */
	uint32_t last_task;
	/* True if some tool call got a result, and more results follow. */
	bool has_more_results;
	/* True if the newest message is in the group of the assistant messages
	 * before it because these have tool calls without results. */
	bool merged_call;
	/* True if tool results may answer calls that are not in the
	 * conversation, because the provider has stored them.  Results without
	 * a call are then pinned.  Set by the caller after a reset, or when a
	 * message says so. */
	bool has_remote_state;
	/* The members from "attached" to "unnamed_calls", except n_continuing,
	 * are indices of segments.  UINT32_MAX means that there is no such
	 * segment, or that it was removed. */
	/* the newest segment, if it must be kept or removed together with the
	 * next one */
	uint32_t attached;
	/* The newest segment whose message a later record continues, and the
	 * number of such messages. */
	uint32_t continuing;
	size_t n_continuing;
	uint32_t newest;           /* the newest segment */
	uint32_t newest_known;     /* the newest segment that is a message */
	uint32_t newest_calling;   /* the newest segment with tool calls */
	uint32_t newest_answering; /* the newest segment with tool results */
	/* The newest segment with tool calls that have no id and may get
	 * further results, and the number of such calls. */
	uint32_t unnamed_calls;
	size_t n_unnamed_calls;
	/* tokens of the messages that were removed after the newest segment */
	uint64_t dropped_after;
	/* While there are fewer segments than this, ctx_groups_forget does
	 * nothing. */
	size_t forget_at;
};

int ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err);
void ctx_groups_release(struct ctx_groups *groups);
/* Removes all segments, so that the next conversation can be added.  Keeps the
 * memory for it. */
void ctx_groups_reset(struct ctx_groups *groups);
/* Adds a message with its token counts. flags: those of PINNED, SUMMARY and
 * NOTICE that the message has; all other flags of its segments are derived
 * from the message. */
int ctx_groups_add(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_cost *cost, unsigned flags, struct ctx_err *err);
/* Adds a record that is not a message. aside is true if the record does not
 * separate the messages before and after it, which still count as neighbours.
 * This is so for a line of a session file that the model does not see. */
int ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err);
/* Finds the tool that has produced the tool result in block i.  Sets *tool to
 * the id of its name in groups->tools; to 0 if it is not known.  Must be
 * called before the message is added. */
int ctx_groups_tool(struct ctx_groups *groups,
    const struct ctx_message *message, size_t i, uint32_t *tool,
    struct ctx_err *err);
/* Once there are many segments, frees those whose group is complete: no later
 * message can be added to it.  For callers that need only turns and tool
 * names. */
int ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err);
/* Returns the index of the first segment of a group. i: index of any segment
 * of the group. */
uint32_t ctx_group_of(struct ctx_segment *segments, uint32_t i);
/* Removes all segments i for which removed[i] is true.  A group must be
 * removed as a whole. */
int ctx_groups_compact(struct ctx_groups *groups, const bool *removed,
    struct ctx_err *err);

#endif
