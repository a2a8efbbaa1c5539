/* group.h - finds the messages of a conversation that must be kept or removed
 * together, such as a tool call and its result */
#ifndef CTX_GROUP_H
#define CTX_GROUP_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "message/message.h"

/* ---- group/groups.c: messages that belong together, and turns ----------- */

/* Flags of a segment. */
enum {
	/* Never removed, whatever follows. */
	CTX_SEGMENT_PINNED = 1,
	/* The segment is a system message, which belongs to no turn. */
	CTX_SEGMENT_SYSTEM = 2,
	/* The segment is one of the user messages at the start of a turn. */
	CTX_SEGMENT_USER = 4,
	/* The segment is a record that is not a message; it is never removed.
	 */
	CTX_SEGMENT_UNKNOWN = 8,
	/* The segment is only the tool results of a message that also has
	 * other content. */
	CTX_SEGMENT_RESULTS = 16,
	/* The segment is all of a message but its tool results. */
	CTX_SEGMENT_REST = 32,
	/* The segment is a summary of removed messages that an earlier run of
	 * ctx inserted.  It begins no turn. */
	CTX_SEGMENT_SUMMARY = 64,
	/* The segment is a notice (a text that says that messages were
	 * removed) that an earlier run of ctx inserted.  It begins no turn. */
	CTX_SEGMENT_NOTICE = 128,
	/* A user message that no person wrote. */
	CTX_SEGMENT_META = 256,
	/* The segment is a summary of the messages before it that the agent,
	 * not ctx, inserted. */
	CTX_SEGMENT_COMPACTED = 512,
	/* The segment contains, among other blocks, a summary that an earlier
	 * run of ctx inserted. */
	CTX_SEGMENT_WITH_SUMMARY = 1024,
	/* The segment contains, among other blocks, a notice that an earlier
	 * run of ctx inserted. */
	CTX_SEGMENT_WITH_NOTICE = 2048,
	/* The segment has a tool call that gets more than one result. */
	CTX_SEGMENT_MORE_RESULTS = 4096,
	/* It has signed reasoning. */
	CTX_SEGMENT_SIGNED = 8192,
	/* The segment is the task of its turn: the first user message of the
	 * turn that is neither pinned nor a demonstration, or the last user
	 * message of the turn. */
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
	uint64_t start;     /* tokens of the conversation before it */
	uint64_t tokens;    /* its tokens, after all edits so far */
	uint64_t reasoning; /* of these tokens, its reasoning */
	/* Of the segment's tokens, the number that is saved if its tool
	 * results are replaced by a short text. */
	uint64_t clearable_tokens;
	/* Of the segment's tokens, the number that is saved if only the
	 * beginning and end of its texts are kept. */
	uint64_t head_tail_savings;
	uint64_t message; /* index of its message, from 0 */
	/* Index of the segment's message, from 0, without counting system
	 * messages. */
	uint64_t nonsystem_index;
	double rank;     /* set by the strategy's scorer, else 0 */
	uint64_t edited; /* tokens that edits have removed from it */
	/* Tokens of the messages that were removed directly before this
	 * segment. */
	uint64_t dropped_before;
	/* Of the segment's tokens, those of a summary or notice that ctx
	 * inserted. */
	uint32_t inserted_tokens;
	/* Tokens that a notice before this segment would have; 0 if no notice
	 * can be inserted there. */
	uint32_t notice_tokens;
	uint32_t turn;
	/* Index of a segment of the same group, nearer to the group's first
	 * segment (union-find). */
	uint32_t group_parent;
	/* All segments from this index up to the segment itself belong to its
	 * group. */
	uint32_t contiguous_from;
	/* Set in the first segment of a group: number of the group's tool
	 * calls that have no result yet. */
	uint32_t open_calls;
	/* Id in ctx_groups.tools of the name of the segment's first tool call
	 * or result; 0 if it has none. */
	uint32_t tool;
	/* Tokens that are counted in both segments of one message, such as
	 * those for its role. */
	uint32_t shared_tokens;
	uint16_t flags;
	uint8_t role;
};

/*
 * Divides a conversation into groups (messages that must be kept or removed
 * together) and turns.  Messages are added one by one; the time is linear.
 *
 * A tool result answers the newest call with the same id that has no result
 * yet.  In formats without ids it answers the oldest such call in the turn with
 * the result's tool name, or, if the result has no tool name, the oldest in the
 * turn.
 *
 * A result that answers no call is a group by itself, unless the format demands
 * alternating roles or results directly after calls: then it is in the group of
 * the assistant message before it.  A user message that answers only calls that
 * it contains itself begins a turn.
 *
 * If a format demands results directly after calls and takes neighbouring
 * messages of one role as one message (CTX_MERGES), everything that the
 * assistant adds after a call is in the group of that call: a program that the
 * provider runs may still wait for results there.
 */
struct ctx_groups {
	struct ctx_segment *segments;
	size_t n, cap;
	struct ctx_open_calls *calls; /* tool calls without a result */
	struct ctx_intern tools;      /* tool names */
	struct ctx_buf text;          /* scratch */
	struct ctx_buf speaker;       /* the last user name in this turn */
	/* Totals of everything that was added to this conversation, removed or
	 * not: tokens, messages, and messages other than system messages. */
	uint64_t tokens;
	uint64_t messages;
	uint64_t nonsystem_messages;
	uint32_t turn; /* the newest turn */
	/* true if anything follows the user messages at the start of the
	 * newest turn */
	bool answered;
	/* True if the newest turn has a user message that is neither pinned
	 * nor a demonstration. */
	bool has_first_task;
	/* Set by the caller: how many messages at the start of the
	 * conversation are pinned, without counting system messages. */
	uint64_t pinned;
	/* The segment marked with CTX_SEGMENT_TASK only because it is the last
	 * user message of its turn so far; UINT32_MAX if there is none. */
	uint32_t last_task;
	bool
	    /* true if a tool call got a result that was not its last one */
	    has_more_results;
	/* true if the last message was merged with assistant messages that
	 * have open calls */
	bool merged_call;
	/* True if tool results may answer calls that only the provider has
	 * stored.  Then results without a call are pinned.  Set by the caller
	 * after a reset, or when a message says so. */
	bool has_remote_state;
	/* This member and those after it are indices of segments; UINT32_MAX
	 * if there is no such segment or it was removed. */
	/* a segment that must be kept or removed together with the next one */
	uint32_t attached;
	/* The newest segment whose message is continued by a later record, and
	 * the number of such messages. */
	uint32_t continuing;
	size_t n_continuing;
	uint32_t newest;           /* the newest segment */
	uint32_t newest_known;     /* the newest that is a message */
	uint32_t newest_calling;   /* the newest with tool calls */
	uint32_t newest_answering; /* the newest with tool results */
	/* The newest segment with tool calls that have no id and may get more
	 * results, and the number of such calls. */
	uint32_t unnamed_calls;
	size_t n_unnamed_calls;
	uint64_t dropped_after; /* tokens removed after the newest segment */
	/* number of segments from which on ctx_groups_forget frees some */
	size_t forget_at;
};

int ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err);
void ctx_groups_release(struct ctx_groups *groups);
/* Removes all segments, so that the next conversation can be added; keeps the
 * memory. */
void ctx_groups_reset(struct ctx_groups *groups);
/* Adds a message with its tokens.  Of the segment flags, the caller gives
 * PINNED, SUMMARY and NOTICE; all others are derived from the message. */
int ctx_groups_add(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_cost *cost, unsigned flags, struct ctx_err *err);
/* Adds a record that is not a message.  If aside is true, the messages before
 * and after it still count as neighbours; so do those around an inactive line
 * of a session file. */
int ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err);
/* Sets *tool to the id, in groups->tools, of the tool that produced the result
 * in block i; 0 if it is not known.  Call it before the message is added. */
int ctx_groups_tool(struct ctx_groups *groups,
    const struct ctx_message *message, size_t i, uint32_t *tool,
    struct ctx_err *err);
/* Frees the segments to whose group no later message can be added, once there
 * are many of them.  For callers that need only turns and tool names. */
int ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err);
/* Returns the index of the first segment of the group that segment i belongs
 * to. */
uint32_t ctx_group_of(struct ctx_segment *segments, uint32_t i);
/* Removes each segment i for which removed[i] is true; groups must be removed
 * as a whole. */
int ctx_groups_compact(struct ctx_groups *groups, const bool *removed,
    struct ctx_err *err);

#endif
