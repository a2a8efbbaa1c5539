/* calls.h - the calls of a conversation: open, answered or missed */
#ifndef CHECK_CALLS_H
#define CHECK_CALLS_H

#include "ctx.h"

/* What became of the calls of one key. */
enum ctx_call_state {
	CTX_CALL_NEW,      /* there was none */
	CTX_CALL_OPEN,     /* at least one waits for its result */
	CTX_CALL_ANSWERED, /* the last one has its result */
	CTX_CALL_MISSED,   /* the last one was given up */
};

/* An open call. */
struct ctx_call {
	struct ctx_key {
		uint64_t k[2];
	} key;
	struct ctx_place place;
	uint32_t ordinal; /* among the calls of its message */
	uint32_t before, behind; /* in the list of open calls */
	uint32_t next;           /* of the same key */
	char label[96];          /* its id and name, for people */
};

/* Zero is valid: no calls. */
struct ctx_calls_seen {
	struct ctx_hashkey hash[2];
	struct ctx_call *pool;
	size_t n, cap;
	uint32_t first, last; /* the open ones, oldest first */
	uint32_t free;
	struct ctx_call_slot *slots; /* one for each key ever seen */
	size_t mask, used;
};

void ctx_calls_init(struct ctx_calls_seen *calls);
void ctx_calls_release(struct ctx_calls_seen *calls);
/* Forgets all calls, keeps the memory. */
void ctx_calls_reset(struct ctx_calls_seen *calls);

/* The key of an id, or of a name where there is no id. */
struct ctx_key ctx_calls_key(const struct ctx_calls_seen *calls,
    struct ctx_str text, bool is_name);
/* Notes an open call, not yet filled beyond its key; *state is what its key
 * was before.  NULL with *err. */
struct ctx_call *ctx_calls_open(struct ctx_calls_seen *calls,
    struct ctx_key key, enum ctx_call_state *state, struct ctx_err *err);
/* Closes the oldest open call of a key; what the key was before: OPEN if
 * there was one to close. */
enum ctx_call_state ctx_calls_answer(struct ctx_calls_seen *calls,
    struct ctx_key key);
/* The oldest open call, or NULL. */
struct ctx_call *ctx_calls_first(struct ctx_calls_seen *calls);
/* Closes the oldest open call. */
void ctx_calls_give_up(struct ctx_calls_seen *calls,
    enum ctx_call_state state);

#endif
