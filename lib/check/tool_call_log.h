/* tool_call_log.h - stores which tool calls of a conversation have a result */
#ifndef CTX_CHECK_TOOL_CALL_LOG_H
#define CTX_CHECK_TOOL_CALL_LOG_H

#include "check/check.h"
#include "group/open_tool_calls.h"

/* State of a tool call id: what happened to the tool calls that have this
 * id. */
enum ctx_call_state {
	CTX_CALL_NEW, /* no tool call had this id */
	/* a tool call with this id was read, and has no result yet */
	CTX_CALL_OPEN,
	/* the last tool call with this id has its result */
	CTX_CALL_ANSWERED,
	/* the last tool call with this id has a result, and may get further
	 * results */
	CTX_CALL_MORE_RESULTS,
	/* The last tool call with this id has no result, and the provider no
	 * longer accepts one. */
	CTX_CALL_MISSED,
	/* as CTX_CALL_MISSED, but a repair inserts a result */
	CTX_CALL_FILLED,
};

/* An open tool call: it has no result yet. */
struct ctx_call {
	struct ctx_place place;
	/* Index of the message with this tool call.  If the call runs a program
	 * that has made tool calls itself: index of the last message with such
	 * a call. */
	uint64_t resumed;
	/* index of the tool call among the tool calls of its message, from 0 */
	uint32_t ordinal;
	/* Number of earlier tool calls that had an id and no result when this
	 * call was added.  Some of them may since have been given up (closed
	 * without a result). */
	size_t older;
	/* Id and tool name of the tool call, for the texts of findings
	 * (violations of rules). */
	char label[96];
	/* hash of the id of the tool call; set if has_id is true */
	uint64_t id[2];
	bool has_id;
	/* true if the tool call runs a program that has made another tool
	 * call */
	bool runs;
	bool provider_runs; /* true if the provider runs the tool */
	/* true if the user must approve the tool call before it runs */
	bool asked;
	/* True if a result that is inserted for this call could be taken as the
	 * answer to a different call. */
	bool shared;
	/* True if a later message has a tool call with the same id, and this
	 * call had no result before that message. */
	bool doubled;
	/* If doubled is true: place of the later message whose tool call has
	 * the same id. */
	struct ctx_place again;
	/* Number by which ctx_tool_call_log.waiting refers to this call;
	 * CTX_NO_SEGMENT if the call was removed from there at the end of a
	 * turn, because it cannot get a result any more. */
	uint32_t handle;
	/* Indices of the calls before and after this call in the list of open
	 * calls. */
	uint32_t before, after;
};

/* The tool calls of a conversation: those that have a result, and those that
 * have none. */
struct ctx_tool_call_log {
	/* the open tool calls, in a table that finds the call which a result
	 * answers */
	struct ctx_open_calls *waiting;
	struct ctx_hashkey hash;
	struct ctx_call *pool;
	size_t n, cap;
	uint32_t first, last; /* list of open calls, oldest first */
	uint32_t free;
	size_t with_id; /* number of open calls with an id */
	/* number of calls with an id that can no longer get a result and had
	 * none */
	size_t given_up;
	/* hash table with an element for each id */
	struct ctx_call_slot *slots;
	size_t mask, used;
};

int ctx_tool_call_log_init(struct ctx_tool_call_log *log, struct ctx_err *err);
void ctx_tool_call_log_release(struct ctx_tool_call_log *log);
/* Removes all tool calls from the log.  Keeps the memory for the next
 * conversation. */
void ctx_tool_call_log_reset(struct ctx_tool_call_log *log);

/* Adds an open tool call (a call without a result) with the id and tool name in
 * *key.  The caller sets the other members of the returned call.  Sets *state
 * to the state that the id had before (CTX_CALL_NEW if the call has no id).  If
 * this state is CTX_CALL_OPEN, sets *same to the newest open call with the same
 * id.  Returns NULL with *err if there is no memory. */
struct ctx_call *ctx_tool_call_log_open(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, enum ctx_call_state *state,
    struct ctx_call **same, struct ctx_err *err);
/* Finds the open tool call (call without a result) that a tool result answers,
 * and removes this call from the open calls.  Sets *call to the call, which is
 * valid until the next call is added, and returns CTX_CALL_OPEN.  If no open
 * call matches the result, returns the state of the result's id. more: true if
 * the call gets further results. */
enum ctx_call_state ctx_tool_call_log_answer(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, bool more, const struct ctx_call **call);
/* Returns the state of the id in *key, or CTX_CALL_NEW if *key has no id. */
enum ctx_call_state ctx_tool_call_log_state(const struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* Returns the open tool call (without a result) that a tool result with this id
 * or tool name would answer, or NULL if there is none. */
struct ctx_call *ctx_tool_call_log_find(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* Begins a new turn.  From now on, results without an id do not answer tool
 * calls of earlier turns. */
void ctx_tool_call_log_expire(struct ctx_tool_call_log *log);
/* Returns the oldest open tool call (without a result) in the message with this
 * index or in a later message, or NULL if there is none.  Takes time in
 * proportion to the number of open calls in these messages. */
struct ctx_call *ctx_tool_call_log_since(struct ctx_tool_call_log *log,
    uint64_t message);
/* Returns the oldest tool call without a result, or NULL if there is none. */
struct ctx_call *ctx_tool_call_log_first(struct ctx_tool_call_log *log);
/* Returns the tool call without a result that was added after *call, or NULL if
 * there is none. */
struct ctx_call *ctx_tool_call_log_next(struct ctx_tool_call_log *log,
    const struct ctx_call *call);
/* Gives up an open tool call: it cannot get a result any more. *call is valid
 * until the next call is added. state: state that the id of the call gets. */
void ctx_tool_call_log_abandon(struct ctx_tool_call_log *log,
    struct ctx_call *call, enum ctx_call_state state);

#endif
