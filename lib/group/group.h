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

enum {
	CTX_SEGMENT_PINNED = 1,   /* never goes, whatever follows */
	CTX_SEGMENT_SYSTEM = 2,   /* belongs to no turn */
	CTX_SEGMENT_USER = 4,     /* opens a turn, or is among those that do */
	CTX_SEGMENT_UNKNOWN = 8,  /* a record that is no message: pinned */
	CTX_SEGMENT_RESULTS = 16, /* only the results of its message ... */
	CTX_SEGMENT_REST = 32,    /* ... or only the rest of it */
	CTX_SEGMENT_SUMMARY = 64, /* an earlier summary: opens no turn */
	CTX_SEGMENT_NOTICE = 128, /* a notice of ours: opens no turn */
	CTX_SEGMENT_META = 256,   /* a user's message that no person wrote */
	CTX_SEGMENT_COMPACTED =
	    512, /* stands for what its format had go before it */
	CTX_SEGMENT_WITH_SUMMARY =
	    1024, /* a part of it is an earlier summary, */
	CTX_SEGMENT_WITH_NOTICE = 2048, /* or a notice of ours */
	CTX_SEGMENT_MORE_RESULTS =
	    4096,                  /* a call in it gets more results than one */
	CTX_SEGMENT_SIGNED = 8192, /* it holds signed reasoning */
	CTX_SEGMENT_TASK = 16384,  /* of the user messages of its turn the first
				    * that is neither a demonstration nor pinned,
				    * or the last */
	CTX_SEGMENT_DEMONSTRATION =
	    32768, /* a user message that records how a task was
		    * done: "is_demo" is true, or the text ends
		    * with a line such as END OF DEMONSTRATION */
};

/*
 * What stands or falls by itself within a group: a message, or (in formats
 * where a user's message may hold results beside text) a piece of one.
 * A group is a call, all its results however far away, and what its dialect
 * ties or joins to it; any other message is a group of its own.  A turn is one
 * or more user messages in a row and what follows up to the next; turn 0 is
 * what comes before the first.  Where several people write as the user, under
 * names that differ, each change of name opens a turn (CTX_NAMES_USERS).
 */
struct ctx_segment {
	uint64_t start;     /* tokens of the conversation before it */
	uint64_t tokens;    /* the item as it is now */
	uint64_t reasoning; /* of these, its reasoning */
	uint64_t
	    clearable_tokens; /* of these, what clearing its results saves */
	uint64_t head_tail_savings; /* of these, what goes if only the ends of
				     * its texts stay */
	uint64_t message;           /* number of its message, from 0 */
	uint64_t nonsystem_index;   /* the same, system messages not counted */
	double rank;                /* given by the strategy's scorer, else 0 */
	uint64_t edited;            /* tokens that edits have taken from it */
	uint64_t
	    dropped_before; /* tokens of messages dropped right before it */
	uint32_t
	    inserted_tokens; /* of the tokens, the part of it that is ours */
	uint32_t
	    notice_tokens; /* tokens of a notice before it; 0: none can stand */
	uint32_t turn;
	uint32_t group_parent; /* towards the first item of its group */
	uint32_t
	    contiguous_from; /* an item from which on to this all are in it */
	uint32_t open_calls; /* first item of a group: calls without a result */
	uint32_t tool;       /* name of its first call or result, 0: none */
	uint32_t
	    shared_tokens; /* tokens that its message's other item has too */
	uint16_t flags;
	uint8_t role;
};

/*
 * Finds groups while messages arrive, in linear time.  A result answers the
 * newest open call of its id; where formats do without ids, one that names
 * none the oldest of its turn with its name, and without a name the oldest of
 * its turn.  One that answers none is an orphan, and a group of its own; where
 * roles alternate or results come next, one with what the assistant said right
 * before it.  What answers a call of its own message of the user's, and none
 * before it, opens the turn with that message.  Where results come next and
 * neighbours are one message (CTX_MERGES), all that the assistant says on after
 * a call is of the call's group: a program may wait there for what comes.
 */
struct ctx_groups {
	struct ctx_segment *segments;
	size_t n, cap;
	struct ctx_calls *calls; /* the open ones */
	struct ctx_intern tools;
	struct ctx_buf text;    /* scratch */
	struct ctx_buf speaker; /* the last name of a user in this turn */
	uint64_t tokens;        /* of all items ever added */
	uint64_t messages;      /* all that were ever added ... */
	uint64_t spoken;        /* ... and those that are not the system's */
	uint32_t turn;          /* the newest */
	bool answered;          /* something followed its user messages */
	bool asked;      /* one of them asks for good, not only as the last */
	uint64_t pinned; /* so many of the first messages that are not the
			  * system's are pinned; the caller's */
	uint32_t asks;   /* that which asks only as its last, if there is one */
	bool has_more_results; /* a call got results that are not its last */
	bool merged_call; /* the last message went on with one that calls */
	bool has_remote_state; /* results may answer what the provider keeps:
				* they stay as what is pinned; the caller's, set
				* after a reset, and so by views */
	uint32_t attached;     /* the item that stands with the next, if any */
	uint32_t continuing;   /* an item whose message goes on, if any, */
	size_t n_continuing;   /* of so many messages in its group */
	uint32_t newest;       /* the newest item, if it is still there */
	uint32_t newest_known; /* the newest that is known, if still there */
	uint32_t newest_calling; /* the newest that calls, if still there */
	uint32_t
	    newest_answering;   /* that of the newest message's results, too */
	uint32_t unnamed_calls; /* that of calls without ids that go on, too */
	size_t n_unnamed_calls; /* so many of them still do */
	uint64_t gap;           /* tokens dropped behind the newest item */
	size_t forget_at;       /* items at which ctx_groups_forget looks */
};

int ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err);
void ctx_groups_release(struct ctx_groups *groups);
/* Forgets everything, keeps the memory: the next conversation. */
void ctx_groups_reset(struct ctx_groups *groups);
/* Adds a message of the given cost; flags are PINNED, SUMMARY and NOTICE as
 * the caller knows, the others are found out. */
int ctx_groups_add(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *message, const struct ctx_cost *cost,
    unsigned flags, struct ctx_err *err);
/* Adds a record that is no message; one that is aside, as what is not live in
 * a transcript, stands between no messages. */
int ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err);
/* Sets *tool to the number in groups->tools of the tool that part i, a result
 * of a message not yet added, comes from; 0: unknown. */
int ctx_groups_tool(struct ctx_groups *groups,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    size_t i, uint32_t *tool, struct ctx_err *err);
/* Forgets the items that nothing can join any more, once there are many; for
 * those who need only the turns and the tools. */
int ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err);
/* The first item of item i's group. */
uint32_t ctx_group_of(struct ctx_segment *segments, uint32_t i);
/* Takes out the items whose gone[i] is set; whole groups only. */
int ctx_groups_compact(struct ctx_groups *groups, const bool *gone,
    struct ctx_err *err);

#endif
