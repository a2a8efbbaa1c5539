/* calls.h - the calls that wait for their results */
#ifndef GROUP_CALLS_H
#define GROUP_CALLS_H

#include "ctx.h"

#define CTX_NO_ITEM UINT32_MAX

/* What a call or a result says of itself, as it stands in its record; p NULL
 * where it says nothing. */
struct ctx_call_key {
	struct ctx_str id, name;
	bool loose; /* without ids names pair, without names the order */
};

/* A new empty table, or NULL with *err; free takes NULL too. */
struct ctx_calls *ctx_calls_new(struct ctx_err *err);
void ctx_calls_free(struct ctx_calls *calls);
void ctx_calls_clear(struct ctx_calls *calls);
/* Notes an open call of an item; tool is the number of its name. */
int ctx_calls_push(struct ctx_calls *calls, const struct ctx_call_key *key,
		   uint32_t item, uint32_t tool, struct ctx_err *err);
/* Takes the call that a result answers: the newest of its id, without one
 * the oldest of its name, without either the oldest of all.  Its item, and
 * its *tool, or CTX_NO_ITEM. */
uint32_t ctx_calls_pop(struct ctx_calls *calls, const struct ctx_call_key *key,
    uint32_t *tool);
/* The tool of that call, without taking it; 0 if there is none. */
uint32_t ctx_calls_tool(struct ctx_calls *calls,
    const struct ctx_call_key *key);
/* Items have moved: i is now[i]. */
void ctx_calls_move(struct ctx_calls *calls, const uint32_t *now);

#endif
