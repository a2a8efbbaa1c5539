/* tool_call_log.h - which calls of a conversation have their results */
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
	CTX_CALL_MISSED,       /* the last call was closed without a result */
};

/* A call that has no result yet. */
struct ctx_call {
	struct ctx_place place;
	uint64_t resumed; /* index of its message, or of the last message in
			     which its program made a call */
	uint32_t ordinal; /* index among the calls of its message */
	size_t older;   /* open calls with an id before this one, plus all calls
			   with an id closed without a result before it */
	char label[96]; /* its id and name, for findings */
	uint64_t id[2]; /* hash of its id, if has_id */
	bool has_id;
	bool runs;    /* true if its program has made a call */
	bool theirs;  /* true if the provider runs the tool */
	bool asked;   /* true if the user is asked to approve it */
	bool shared;  /* true if an added result could answer another call */
	bool doubled; /* a later message has a call with an equal id ... */
	struct ctx_place again; /* ... at this place, while this call is open */
	uint32_t handle;        /* in waiting; CTX_NO_SEGMENT: removed */
	uint32_t before, behind; /* neighbours among the open calls */
};

/* The calls of a conversation. */
struct ctx_tool_call_log {
	struct ctx_open_calls *waiting; /* pairs results with open calls */
	struct ctx_hashkey hash;
	struct ctx_call *pool;
	size_t n, cap;
	uint32_t first, last; /* list of open calls, oldest first */
	uint32_t free;
	size_t with_id;  /* open calls that have an id */
	size_t given_up; /* calls with an id closed without a result */
	struct ctx_call_slot *slots; /* hash table: one slot per id seen */
	size_t mask, used;
};

int ctx_tool_call_log_init(struct ctx_tool_call_log *log, struct ctx_err *err);
void ctx_tool_call_log_release(struct ctx_tool_call_log *log);
/* Removes all calls and keeps the memory for the next conversation. */
void ctx_tool_call_log_reset(struct ctx_tool_call_log *log);

/* Adds an open call with this key; the caller fills in the rest. Sets *state to
 * the previous state of its id (CTX_CALL_NEW if the call has no id); if that is
 * CTX_CALL_OPEN, also *same to the newest open call with an equal id. Returns
 * NULL with *err. */
struct ctx_call *ctx_tool_call_log_open(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, enum ctx_call_state *state,
    struct ctx_call **same, struct ctx_err *err);
/* Closes the call that a result answers and returns CTX_CALL_OPEN; *call is
 * valid until the next call is opened. If no open call matches, returns the
 * state of the result's id. With more, later results may answer the same call.
 */
enum ctx_call_state ctx_tool_call_log_answer(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, bool more, const struct ctx_call **call);
/* Returns the state of the key's id; CTX_CALL_NEW if the key has none. */
enum ctx_call_state ctx_tool_call_log_state(const struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* Returns the open call that a result with this key would answer, or NULL. */
struct ctx_call *ctx_tool_call_log_find(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* Begins a new turn: calls that are paired by name or order can no longer get a
 * result. */
void ctx_tool_call_log_expire(struct ctx_tool_call_log *log);
/* Returns the oldest open call of message number message or a later one, or
 * NULL. Takes time in proportion to the number of these calls. */
struct ctx_call *ctx_tool_call_log_since(struct ctx_tool_call_log *log,
    uint64_t message);
/* Returns the oldest open call, or NULL. */
struct ctx_call *ctx_tool_call_log_first(struct ctx_tool_call_log *log);
/* Returns the open call after this one, or NULL. */
struct ctx_call *ctx_tool_call_log_next(struct ctx_tool_call_log *log,
    const struct ctx_call *call);
/* Closes an open call without a result; *call is valid until the next call is
 * opened. */
void ctx_tool_call_log_abandon(struct ctx_tool_call_log *log,
    struct ctx_call *call, enum ctx_call_state state);

#endif
