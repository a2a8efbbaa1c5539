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
	/* This segment (message or part of one) must never be removed. */
	CTX_SEGMENT_PINNED = 1,
	/* The segment is a system message, or a summary or notice that ctx has
	 * inserted.  Such a segment belongs to no turn. */
	CTX_SEGMENT_SYSTEM = 2,
	/* The segment is a user message at the beginning of a turn: before it,
	 * the turn has no message of another role. */
	CTX_SEGMENT_USER = 4,
	/* This segment is a record that is not a message.  It is never removed.
	 */
	CTX_SEGMENT_UNKNOWN = 8,
	/* The segment contains only the tool results of a message.  The other
	 * content of this message is another segment. */
	CTX_SEGMENT_RESULTS = 16,
	/* The segment contains a message without its tool results.  The tool
	 * results are another segment. */
	CTX_SEGMENT_REST = 32,
	/* This segment is a summary of removed messages that an earlier run of
	 * ctx has inserted.  Such a summary begins no turn. */
	CTX_SEGMENT_SUMMARY = 64,
	/* This segment is a notice (a text that says that messages were
	 * removed) that an earlier run of ctx has inserted.  Such a notice
	 * begins no turn. */
	CTX_SEGMENT_NOTICE = 128,
	/* The segment is a user message that no person wrote, such as a
	 * reminder that an agent inserted. */
	CTX_SEGMENT_META = 256,
	/* The segment's message has the flag CTX_MESSAGE_PINNED, and was not
	 * inserted by ctx.  Usually it is a summary of earlier messages, which
	 * the agent or provider has inserted. */
	CTX_SEGMENT_COMPACTED = 512,
	/* The segment contains, among other blocks, a summary that an earlier
	 * run of ctx inserted. */
	CTX_SEGMENT_WITH_SUMMARY = 1024,
	/* The segment contains, among other blocks, a notice that an earlier
	 * run of ctx inserted. */
	CTX_SEGMENT_WITH_NOTICE = 2048,
	/* The segment has a tool call whose results are in several messages. */
	CTX_SEGMENT_MORE_RESULTS = 4096,
	/* The segment has signed reasoning: the provider has added a signature,
	 * by which the provider detects changes. */
	CTX_SEGMENT_SIGNED = 8192,
	/* The segment is a task: a user message that tells the model what to do
	 * in this turn.  A turn has up to two tasks.  One is the last of its
	 * user messages.  The other is the first of its user messages that are
	 * neither pinned nor demonstrations (examples of how an earlier task
	 * was done). */
	CTX_SEGMENT_TASK = 16384,
	/* This segment is a demonstration: a user message that shows how an
	 * earlier task was done.  The message has the member "is_demo": true,
	 * or its text ends with a line such as END OF DEMONSTRATION. */
	CTX_SEGMENT_DEMONSTRATION = 32768,
};

/*
 * A segment is the smallest unit that can be removed: a message, or one of the
 * two parts of a user message that contains both tool results and other blocks.
 *
 * Segments that must be kept or removed together form a group: a message with
 * tool calls, all results of these calls, and messages that the message format
 * does not allow to separate from them.  Any other message is a group of its
 * own.
 *
 * A turn is one or more user messages in a row, and everything after them up to
 * the next user message.  A message with only tool results does not count as a
 * user message here.  Turn 0 is everything before the first user message.  In
 * formats with names of users (CTX_NAMES_USERS), a user message also begins a
 * turn if its writer is not the writer of the user messages before it.
 */
struct ctx_segment {
	/* number of tokens of all messages before that of this segment, even if
	 * they were removed */
	uint64_t start;
	/* number of tokens that this segment has after all edits (changes of
	 * its text) so far */
	uint64_t tokens;
	uint64_t message; /* index of the segment's message, from 0 */
	/* Index of the segment's message, from 0, not counting system
	 * messages. */
	uint64_t nonsystem_index;
	/* If the strategy of ctx-prune computes ranks: importance of the
	 * segment's text; segments with low ranks are removed first.  Otherwise
	 * 0. */
	double rank;
	/* number of tokens of all messages that were removed between the
	 * previous segment and this one */
	uint64_t dropped_before;
	/* Number of tokens that edits have removed from the segment.  All
	 * 32-bit numbers of tokens in this struct are limited to UINT32_MAX
	 * (ctx_limit_tokens). */
	uint32_t edited;
	/* number of tokens that would be saved by removing the segment's
	 * reasoning */
	uint32_t reasoning;
	/* number of tokens that would be saved by clearing the segment's tool
	 * results (replacing each by a short text) */
	uint32_t clearable_tokens;
	/* number of tokens that would be saved by keeping only the beginning
	 * and the end of each text of the segment */
	uint32_t head_tail_savings;
	/* number of tokens of the passages (a few sentences or lines each) that
	 * a strategy would remove from the segment's text */
	uint32_t passage_savings;
	/* Number of tokens, in this segment, of summaries and notices that an
	 * earlier run of ctx has inserted. */
	uint32_t inserted_tokens;
	/* Number of tokens that a notice (a text that says that messages were
	 * removed) before this segment would have; 0 if a notice cannot be
	 * inserted there. */
	uint32_t notice_tokens;
	uint32_t turn;
	/* Link to the first segment of the group (union-find): index of an
	 * earlier segment of the same group, or of this segment if it is the
	 * first one. */
	uint32_t group_parent;
	/* Index of a segment of the same group: an earlier segment or this one.
	 * All segments between the two are in the group, except system messages
	 * and records that are not messages. */
	uint32_t contiguous_from;
	/* Valid in the first segment of a group.  Sum of two numbers: tool
	 * calls of the group that have no result yet; messages of the group
	 * that must be in one group with a later message that was not added
	 * yet. */
	uint32_t open_calls;
	/* Name of the tool in the segment's first tool call or tool result, as
	 * an id in the string table ctx_groups.tools; 0 if there is no such
	 * name. */
	uint32_t tool;
	/* In the first of a message's two segments: number of tokens that are
	 * counted in both segments, such as those of the message's role.
	 * Otherwise 0. */
	uint32_t shared_tokens;
	uint16_t flags;
	uint8_t role;
	/* How the segment's message is linked to reasoning before it (enum
	 * ctx_reasoning_link).  CTX_LINK_NONE if the provider does not drop
	 * such reasoning after a change (ctx_groups.unlinks). */
	uint8_t link;
};

/* Returns the smaller one of tokens and UINT32_MAX. Only a text of gigabytes
 * has more than UINT32_MAX tokens. */
static inline uint32_t
ctx_limit_tokens(uint64_t tokens)
{
	return tokens < UINT32_MAX ? (uint32_t)tokens : UINT32_MAX;
}

/*
 * Divides a conversation into turns and groups (messages that must be kept or
 * removed together).  Messages are added one by one; the time is linear.
 *
 * A new tool result can answer only a tool call that has no result yet.  A
 * result with an id answers the newest such call with the same id.  In formats
 * without ids, a result answers the oldest such call of the turn that calls the
 * same tool.  If the result has no tool name, it answers the oldest such call
 * of the turn.  A result that answers no call is in the group of the results in
 * the message before it.  If there are none, and the format demands alternating
 * roles, or results directly after calls, it is in the group of the assistant
 * message before it.  Otherwise it is a group of its own.  If a user message
 * has tool results and other content, this content begins a turn.  The results
 * belong to the turn before, unless they answer only calls in the same message.
 *
 * Some formats demand results directly after calls, and their providers merge
 * neighbouring messages of one role into one message (CTX_MERGES).  In these
 * formats, everything that the assistant writes after a call without a result
 * is in the group of that call.  Reason: a program that the provider runs may
 * still wait for the result.
 */
struct ctx_groups {
	struct ctx_segment *segments;
	size_t n, cap;
	/* the tool calls that have no result yet */
	struct ctx_open_calls *calls;
	struct ctx_intern tools; /* ids of tool names */
	struct ctx_buf text;     /* scratch memory */
	/* The newest user message of the newest turn that has the name of its
	 * writer: this name.  Empty if there is none. */
	struct ctx_buf speaker;
	/* Totals of all messages that were added to this conversation, even if
	 * they were removed later. tokens: number of tokens. messages: number
	 * of messages. nonsystem_messages: number of messages without system
	 * messages. */
	uint64_t tokens;
	uint64_t messages;
	uint64_t nonsystem_messages;
	/* True if the provider drops reasoning items after a changed message
	 * (CTX_BINDS_DROPPED), so that they can be removed by themselves.  The
	 * user of the groups sets this; ctx_groups_reset keeps it. */
	bool unlinks;
	uint32_t turn; /* number of the newest turn */
	/* true once the newest turn has a message after the user messages at
	 * its beginning */
	bool answered;
	/* True if the newest turn has a user message that is neither pinned nor
	 * a demonstration (example of how an earlier task was done). */
	bool has_first_task;
	/* Number of pinned messages (which must not be removed) at the
	 * beginning of the conversation.  System messages are skipped, and not
	 * included in this number.  Set by the caller. */
	uint64_t pinned;
	/* Index of the segment that is a task (CTX_SEGMENT_TASK) only because
	 * it is the last user message of its turn so far.  UINT32_MAX if there
	 * is none. */
	uint32_t last_task;
	/* true if a tool call has a result already, but later messages will
	 * have further results of the same call */
	bool has_more_results;
	/* True if the newest message was put into the group of the assistant
	 * messages before it, because these have tool calls without results. */
	bool merged_call;
	/* True if the provider stores earlier messages that the conversation
	 * lacks.  A tool result without a tool call is then pinned, because it
	 * may answer a call outside the conversation.  Set by the caller after
	 * ctx_groups_reset, or when a message has the flag
	 * CTX_MESSAGE_REMOTE_STATE. */
	bool has_remote_state;
	/* The members from "attached" to "unnamed_calls", except n_continuing,
	 * are indices of segments.  UINT32_MAX means that there is no such
	 * segment, or that it was removed. */
	/* attached: the newest segment, if it must be in the same group as the
	 * next segment */
	uint32_t attached;
	/* continuing: the newest segment whose message has a further part in a
	 * later record. n_continuing: number of messages whose next part was
	 * not added yet. */
	uint32_t continuing;
	size_t n_continuing;
	/* newest: the newest segment, but none if it is a record that is not a
	 * message; records that were added with "aside" do not count */
	uint32_t newest;
	uint32_t newest_known;   /* the newest segment that is a message */
	uint32_t newest_calling; /* the newest segment with tool calls */
	/* the segment with the tool results of the newest message */
	uint32_t newest_answering;
	/* unnamed_calls: the newest segment with tool calls that have no id and
	 * may get further results. n_unnamed_calls: number of such calls. */
	uint32_t unnamed_calls;
	size_t n_unnamed_calls;
	/* number of tokens of the messages that were removed after the newest
	 * segment */
	uint64_t dropped_after;
	/* ctx_groups_forget does nothing while there are fewer segments than
	 * this number. */
	size_t forget_at;
};

int ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err);
void ctx_groups_release(struct ctx_groups *groups);
/* Removes all segments, so that the next conversation can be added.  Keeps the
 * memory for it. */
void ctx_groups_reset(struct ctx_groups *groups);
/* Adds a message with its token counts. flags: those of the flags
 * CTX_SEGMENT_PINNED, _SUMMARY and _NOTICE that apply to the message.  This
 * function finds all other flags. */
int ctx_groups_add(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_cost *cost, unsigned flags, struct ctx_err *err);
/* Sets the token counts of a message's segments. n: their number, 1 or 2.  Does
 * not change counts that are not in *cost, such as notice_tokens. */
void ctx_segments_set_cost(struct ctx_segment *segments, size_t n,
    const struct ctx_cost *cost);
/* Adds a record that is not a message. aside: true if the messages before and
 * after the record are treated as neighbours.  This is so for a line of an
 * agent's session file that is not sent to the model. */
int ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err);
/* Finds the tool of block i of the message, which must be a tool call or a tool
 * result.  Sets *tool to the id of the tool's name in groups->tools, or to 0 if
 * the tool is not known.  The caller must call this before it adds the message
 * to *groups. */
int ctx_groups_tool(struct ctx_groups *groups,
    const struct ctx_message *message, size_t i, uint32_t *tool,
    struct ctx_err *err);
/* Frees the segments of complete groups, to which no later message can belong.
 * Does nothing while there are few segments.  For callers that need only turns
 * and tool names. */
int ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err);
/* Returns the index of the first segment of a group. i: index of any segment of
 * the group. */
uint32_t ctx_group_of(struct ctx_segment *segments, uint32_t i);
/* Deletes from *groups each segment i for which removed[i] is true.  The caller
 * must delete all segments of a group, or none of them. */
int ctx_groups_compact(struct ctx_groups *groups, const bool *removed,
    struct ctx_err *err);

#endif
