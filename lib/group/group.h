/*
 * group.h - messages that can only be kept or removed together
 */
#ifndef CTX_GROUP_H
#define CTX_GROUP_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "message/message.h"

/* ---- group/groups.c: messages to groups and turns ----------------------- */

/* Flags of a segment. */
enum {
	/* Never removed, whatever follows. */
	CTX_SEGMENT_PINNED = 1,
	/* A system message; it belongs to no turn. */
	CTX_SEGMENT_SYSTEM = 2,
	/* One of the user messages that open its turn. */
	CTX_SEGMENT_USER = 4,
	/* A record that is not a message; it is pinned. */
	CTX_SEGMENT_UNKNOWN = 8,
	/* Only the tool results of its message ... */
	CTX_SEGMENT_RESULTS = 16,
	/* ... or everything but the tool results. */
	CTX_SEGMENT_REST = 32,
	/* A summary that an earlier run inserted; it opens no turn. */
	CTX_SEGMENT_SUMMARY = 64,
	/* A notice that an earlier run inserted; it opens no turn. */
	CTX_SEGMENT_NOTICE = 128,
	/* A user message that no person wrote. */
	CTX_SEGMENT_META = 256,
	/* A summary that the agent itself made of the messages before it. */
	CTX_SEGMENT_COMPACTED = 512,
	/* One of its blocks is an earlier summary, ... */
	CTX_SEGMENT_WITH_SUMMARY = 1024,
	/* ... or an earlier notice. */
	CTX_SEGMENT_WITH_NOTICE = 2048,
	/* One of its tool calls gets several results. */
	CTX_SEGMENT_MORE_RESULTS = 4096,
	/* It has signed reasoning. */
	CTX_SEGMENT_SIGNED = 8192,
	/* The task of its turn: the first user message of the turn that is
	 * neither a demonstration nor pinned, and the last user message. */
	CTX_SEGMENT_TASK = 16384,
	/* A user message that records how a task was done: its "is_demo" is
	 * true, or its text ends with a line like END OF DEMONSTRATION. */
	CTX_SEGMENT_DEMONSTRATION = 32768,
};

/*
 * The smallest thing that can be removed: a message, or one of the two parts of
 * a user message that has tool results beside other blocks.
 *
 * Segments that can only be removed together form a group: a message with tool
 * calls, all results of these calls, however much later, and messages that the
 * dialect attaches.  Any other message is a group by itself.
 *
 * A turn is one or more user messages in a row and what follows up to the next
 * user message.  Turn 0 is everything before the first user message.  Where
 * several people write as the user, under different names, each change of name
 * opens a turn (CTX_NAMES_USERS).
 */
struct ctx_segment {
	uint64_t start;     /* tokens of the conversation before it */
	uint64_t tokens;    /* its tokens, after all edits so far */
	uint64_t reasoning; /* of these tokens, its reasoning */
	/* Of the tokens, those saved if its tool results are cleared, ... */
	uint64_t clearable_tokens;
	/* ... and those saved if its texts keep only head and tail. */
	uint64_t head_tail_savings;
	uint64_t message; /* index of its message, from 0 */
	/* The same index, system messages not counted. */
	uint64_t nonsystem_index;
	double rank;     /* set by the strategy's scorer, else 0 */
	uint64_t edited; /* tokens that edits have removed from it */
	/* Tokens of the messages removed directly before it. */
	uint64_t dropped_before;
	/* Of the tokens, those of a summary or notice inserted by ctx. */
	uint32_t inserted_tokens;
	/* Tokens of a notice before it; 0: no notice can be inserted there. */
	uint32_t notice_tokens;
	uint32_t turn;
	/* A segment of its group nearer to the first one (union-find). */
	uint32_t group_parent;
	/* All segments from this one to it are in its group. */
	uint32_t contiguous_from;
	/* In the first segment of a group: its tool calls without result. */
	uint32_t open_calls;
	/* Id in ctx_groups.tools of its first tool call or result; 0: none. */
	uint32_t tool;
	/* Tokens counted in both segments of its message (framing). */
	uint32_t shared_tokens;
	uint16_t flags;
	uint8_t role;
};

/*
 * Finds groups and turns while messages arrive, in linear time.
 *
 * Which call a result answers: the newest open call with its id.  In formats
 * without ids, the oldest open call of the turn with its tool name, or, if it
 * names no tool, the oldest open call of the turn.
 *
 * A result that answers no call is a group by itself.  Where roles alternate or
 * results must come next, it is in the group of the assistant message before
 * it.  A user message that answers only its own calls opens a turn.
 *
 * Where results must come next and neighbours of one role are one message
 * (CTX_MERGES), all that the assistant adds after a call is in the group of
 * that call: a server-side program may still wait for results there.
 */
struct ctx_groups {
	struct ctx_segment *segments;
	size_t n, cap;
	struct ctx_open_calls *calls; /* tool calls without a result */
	struct ctx_intern tools;      /* tool names */
	struct ctx_buf text;          /* scratch */
	struct ctx_buf speaker;       /* the last user name in this turn */
	/* Totals of everything ever added: tokens, messages, and messages that
	 * are not the system's. */
	uint64_t tokens;
	uint64_t messages;
	uint64_t nonsystem_messages;
	uint32_t turn; /* the newest turn */
	bool answered; /* true if something follows its user messages */
	/* True if the first user message of the turn that is neither pinned nor
	 * a demonstration has been added. */
	bool has_first_task;
	/* Set by the caller: how many of the first messages that are not the
	 * system's are pinned. */
	uint64_t pinned;
	/* The segment that has CTX_SEGMENT_TASK only as the last user message
	 * of its turn, if any. */
	uint32_t last_task;
	bool
	    has_more_results; /* some call got a result that was not its last */
	bool merged_call;     /* the last message continued one with calls */
	/* Results may answer calls that only the provider stores, so unmatched
	 * results are pinned.  Set by the caller after a reset, or by a
	 * message. */
	bool has_remote_state;
	/* Indices of segments; UINT32_MAX if there is none or it was
	 * removed. */
	uint32_t attached; /* it must be kept with the segment after it */
	/* The newest whose message a later record continues, and how many such
	 * messages there are. */
	uint32_t continuing;
	size_t n_continuing;
	uint32_t newest;           /* the newest segment */
	uint32_t newest_known;     /* the newest that is a message */
	uint32_t newest_calling;   /* the newest with tool calls */
	uint32_t newest_answering; /* the newest with tool results */
	/* The newest with calls without ids that may get more results, and how
	 * many such calls there are. */
	uint32_t unnamed_calls;
	size_t n_unnamed_calls;
	uint64_t dropped_after; /* tokens removed after the newest segment */
	size_t forget_at; /* ctx_groups_forget works from this many segments */
};

int ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err);
void ctx_groups_release(struct ctx_groups *groups);
/* Empties the groups for the next conversation; memory is reused. */
void ctx_groups_reset(struct ctx_groups *groups);
/* Adds a message with its cost.  The caller gives the flags PINNED, SUMMARY and
 * NOTICE; all other flags are derived from the message. */
int ctx_groups_add(struct ctx_groups *groups, const struct ctx_message *message,
    const struct ctx_cost *cost, unsigned flags, struct ctx_err *err);
/* Adds a record that is not a message.  With aside it does not separate the
 * messages around it, like an inactive line of a transcript. */
int ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err);
/* Sets *tool to the id, in groups->tools, of the tool whose result block i is;
 * 0 if it is not known.  The message must not have been added yet. */
int ctx_groups_tool(struct ctx_groups *groups,
    const struct ctx_message *message, size_t i, uint32_t *tool,
    struct ctx_err *err);
/* Frees segments that no later message can join, once there are many.  For
 * callers that need only turns and tool names. */
int ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err);
/* Returns the first segment of the group of segment i. */
uint32_t ctx_group_of(struct ctx_segment *segments, uint32_t i);
/* Removes the segments for which removed[i] is true; they must be whole groups.
 */
int ctx_groups_compact(struct ctx_groups *groups, const bool *removed,
    struct ctx_err *err);

#endif
