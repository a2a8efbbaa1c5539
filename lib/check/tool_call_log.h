/* tool_call_log.h - the calls of a conversation: open, answered or missed */
#ifndef CTX_CHECK_TOOL_CALL_LOG_H
#define CTX_CHECK_TOOL_CALL_LOG_H

#include "check/check.h"
#include "group/open_tool_calls.h"

/* What became of the calls of one id. */
enum ctx_call_state {
	CTX_CALL_NEW,          /* there was none */
	CTX_CALL_OPEN,         /* at least one waits for its result */
	CTX_CALL_ANSWERED,     /* the last one has its result */
	CTX_CALL_MORE_RESULTS, /* ... and gets more of them */
	CTX_CALL_MISSED,       /* the last one was given up */
};

/* An open call. */
struct ctx_call {
	struct ctx_place place;
	uint64_t resumed; /* number of the last message that its program made
			   * a call in, or its own */
	uint32_t ordinal; /* among the calls of its message */
	size_t older;     /* calls with an id that were open before it, and all
			   * those given up until then */
	char label[96];   /* its id and name, for people */
	/* Its own: */
	uint64_t id[2]; /* hashes, if it has one */
	bool has_id;
	bool runs;    /* its program has made a call */
	bool theirs;  /* the provider runs the tool */
	bool asked;   /* its message asks whether it may be run */
	bool shared;  /* no result of ours could be told from another call's */
	bool doubled; /* a later message has a call of the same id, */
	struct ctx_place again; /* this one, while this call is open */
	uint32_t handle; /* in waiting, CTX_NO_SEGMENT: not there any more */
	uint32_t before, behind; /* in the list of open calls */
};

/* Zero is valid: no calls. */
struct ctx_tool_call_log {
	struct ctx_calls *waiting; /* who answers whom */
	struct ctx_hashkey hash;
	struct ctx_call *pool;
	size_t n, cap;
	uint32_t first, last; /* the open ones, oldest first */
	uint32_t free;
	size_t with_id;  /* how many of the open ones have an id, */
	size_t given_up; /* and how many had one that were given up */
	struct ctx_call_slot *slots; /* one for each id ever seen */
	size_t mask, used;
};

int ctx_tool_call_log_init(struct ctx_tool_call_log *log, struct ctx_err *err);
void ctx_tool_call_log_release(struct ctx_tool_call_log *log);
/* Forgets all calls, keeps the memory. */
void ctx_tool_call_log_reset(struct ctx_tool_call_log *log);

/* Notes an open call, not yet filled beyond its key; *state is what its id
 * was before (NEW if it has none), and if that is OPEN *same the newest call
 * of the id.  NULL with *err. */
struct ctx_call *ctx_tool_call_log_open(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, enum ctx_call_state *state,
    struct ctx_call **same, struct ctx_err *err);
/* Closes the call that a result answers; OPEN if there is one, which *call
 * is until the next is opened, else what its id was before.  With more its
 * id may be answered again. */
enum ctx_call_state ctx_tool_call_log_answer(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, bool more, const struct ctx_call **call);
/* What became of the calls of its id; NEW if it has none. */
enum ctx_call_state ctx_tool_call_log_state(const struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* The open call that a result with this key would answer, or NULL. */
struct ctx_call *ctx_tool_call_log_find(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key);
/* A new turn begins: what waits by name or order waits in vain. */
void ctx_tool_call_log_expire(struct ctx_tool_call_log *log);
/* The oldest open call of message number message or of a later one, or NULL;
 * takes as long as there are such calls. */
struct ctx_call *ctx_tool_call_log_since(struct ctx_tool_call_log *log,
    uint64_t message);
/* The oldest open call, or NULL. */
struct ctx_call *ctx_tool_call_log_first(struct ctx_tool_call_log *log);
/* The open call that came after this one, or NULL. */
struct ctx_call *ctx_tool_call_log_next(struct ctx_tool_call_log *log,
    const struct ctx_call *call);
/* Closes an open call; it stays as it is until the next is opened. */
void ctx_tool_call_log_abandon(struct ctx_tool_call_log *log,
    struct ctx_call *call, enum ctx_call_state state);

#endif
