/* tool_call_log.h - records which tool calls of a conversation have a result */
#ifndef CTX_CHECK_TOOL_CALL_LOG_H
#define CTX_CHECK_TOOL_CALL_LOG_H

#include "check/check.h"
#include "group/open_tool_calls.h"

/* State of the calls that have one id. */
enum ctx_call_state {
	CTX_CALL_NEW,          /* no call had the id */
	CTX_CALL_OPEN,         /* at least one call has no result yet */
	CTX_CALL_ANSWERED,     /* the last call has its result */
	CTX_CALL_MORE_RESULTS, /* ... and may get more results */
	/* the last call with this id was closed without a result */
	CTX_CALL_MISSED,
};

/* A call that has no result yet. */
struct ctx_call {
	struct ctx_place place;
	/* Index of the message with this call.  If this call runs a program
	 * that makes calls itself: index of the last message in which the
	 * program has made a call. */
	uint64_t resumed;
	uint32_t ordinal; /* index among the calls of its message */
	/* Calls with an id that were open when this call was added, plus those
	 * that had been closed without a result until then. */
	size_t older;
	char label[96]; /* its id and name, for findings */
	uint64_t id[2]; /* hash of its id, if has_id */
	bool has_id;
	bool runs;   /* true if its program has made a call */
	bool theirs; /* true if the provider runs the tool */
	bool asked;  /* true if the user is asked to approve it */
	/* true if a result inserted for this call could be taken as the answer
	 * to another */
	bool shared;
	/* true if a later message has a call with the same id while this one
	 * is open */
	bool doubled;
	/* If doubled is true: the place of the later call with the same id. */
	struct ctx_place again;
	/* Handle of this call in ctx_tool_call_log.waiting.  CTX_NO_SEGMENT:
	 * it was removed from there at the end of a turn, and cannot get a
	 * result any more. */
	uint32_t handle;
	uint32_t before, after; /* neighbours among the open calls */
};

/* The calls of a conversation. */
struct ctx_tool_call_log {
	struct ctx_open_calls *waiting; /* pairs results with open calls */
	struct ctx_hashkey hash;
	struct ctx_call *pool;
	size_t n, cap;
	uint32_t first, last; /* list of open calls, oldest first */
	uint32_t free;
	size_t with_id; /* open calls that have an id */
	/* number of calls with an id that were closed without a result */
	size_t given_up;
	struct ctx_call_slot *slots; /* hash table: one slot per id seen */
	size_t mask, used;
};

int ctx_tool_call_log_init(struct ctx_tool_call_log *log, struct ctx_err *err);
void ctx_tool_call_log_release(struct ctx_tool_call_log *log);
/* Removes all calls, and keeps the memory for the next conversation. */
void ctx_tool_call_log_reset(struct ctx_tool_call_log *log);

/* Adds an open call with this key (id and tool name); the caller sets the
 * other members.  Sets *state to the state that its id had before
 * (CTX_CALL_NEW if the call has no id).  If that is CTX_CALL_OPEN, sets *same
 * to the newest open call with the same id.  Returns NULL with *err if there
 * is no memory. */
struct ctx_call *ctx_tool_call_log_open(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, enum ctx_call_state *state,
    struct ctx_call **same, struct ctx_err *err);
/* Closes the call that a tool result answers, sets *call, and returns
 * CTX_CALL_OPEN; *call is valid until the next call is added.  If no open call
 * matches, returns the state of the result's id.  If more is true, the call
 * accepts more results. */
enum ctx_call_state ctx_tool_call_log_answer(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, bool more, const struct ctx_call **call);
/* Returns the state of the id in this key; CTX_CALL_NEW if the key has no id.
 */
enum ctx_call_state ctx_tool_call_log_state(const struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* Returns the open call that a tool result with this key would answer, or
 * NULL. */
struct ctx_call *ctx_tool_call_log_find(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* Begins a new turn: calls that are matched by tool name or order cannot get a
 * result any more. */
void ctx_tool_call_log_expire(struct ctx_tool_call_log *log);
/* Returns the oldest open call in the message with this index or a later one,
 * or NULL.  The time is proportional to the number of such calls. */
struct ctx_call *ctx_tool_call_log_since(struct ctx_tool_call_log *log,
    uint64_t message);
/* Returns the oldest open call, or NULL. */
struct ctx_call *ctx_tool_call_log_first(struct ctx_tool_call_log *log);
/* Returns the open call after this one, or NULL. */
struct ctx_call *ctx_tool_call_log_next(struct ctx_tool_call_log *log,
    const struct ctx_call *call);
/* Closes an open call that has no result.  *call is valid until the next call
 * is added. */
void ctx_tool_call_log_abandon(struct ctx_tool_call_log *log,
    struct ctx_call *call, enum ctx_call_state state);

#endif
