/* open_tool_calls.h - the calls that wait for their results */
#ifndef CTX_GROUP_OPEN_TOOL_CALLS_H
#define CTX_GROUP_OPEN_TOOL_CALLS_H

#include "message/message.h"

#define CTX_NO_SEGMENT UINT32_MAX

/* What a call or a result says of itself, p NULL where it says nothing. */
struct ctx_call_key {
	struct ctx_str id, name;
	uint64_t rules; /* of these, CTX_PAIR_BY_NAME and CTX_PAIR_EITHER */
};
/* Its texts as they are meant, however they are escaped; they live as long
 * as json and text, which is scratch, stay as they are. */
int ctx_call_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, uint64_t rules, struct ctx_buf *text,
    struct ctx_err *err);

/* The key of the call whose program made the call part, which names it. */
int ctx_caller_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, struct ctx_buf *text, struct ctx_err *err);

/* A new empty table, or NULL with *err; free takes NULL too. */
struct ctx_calls *ctx_open_calls_new(struct ctx_err *err);
void ctx_open_calls_free(struct ctx_calls *calls);
void ctx_open_calls_clear(struct ctx_calls *calls);
/* Notes an open call of an item; tool is the number of its name.  Returns the
 * call's handle, CTX_NO_SEGMENT with *err. */
uint32_t ctx_open_calls_push(struct ctx_calls *calls,
    const struct ctx_call_key *key, uint32_t item, uint32_t tool,
    struct ctx_err *err);
/*
 * Takes the call that a result answers: the newest of its id, without one
 * the oldest of its name, without either the oldest of all; with
 * CTX_PAIR_EITHER also the oldest of its name if that has no id.  Its item,
 * with its *tool set, or CTX_NO_SEGMENT.
 */
uint32_t ctx_open_calls_pop(struct ctx_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* The same, without taking it. */
uint32_t ctx_open_calls_peek(struct ctx_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Takes the call of a handle. */
void ctx_open_calls_take(struct ctx_calls *calls, uint32_t call);
/*
 * A new turn begins: no name and no order leads to the calls before it any
 * more.  Takes one that nothing else leads to and returns its item; to be
 * called until it returns CTX_NO_SEGMENT.
 */
uint32_t ctx_open_calls_expire(struct ctx_calls *calls);
/* Items have moved: i is now[i]. */
void ctx_open_calls_move(struct ctx_calls *calls, const uint32_t *now);

#endif
