/* open_tool_calls.h - tool calls that wait for their results */
#ifndef CTX_GROUP_OPEN_TOOL_CALLS_H
#define CTX_GROUP_OPEN_TOOL_CALLS_H

#include "message/message.h"

#define CTX_NO_SEGMENT UINT32_MAX

/* How a call and its result find each other.  p is NULL if the block has no id
 * or no tool name. */
struct ctx_call_key {
	struct ctx_str id, name;
	uint64_t rules; /* CTX_PAIR_BY_NAME and CTX_PAIR_EITHER count */
};
/* Reads the key of a tool call or result, with JSON escapes decoded.  text is
 * scratch; the key is valid while json and text are unchanged. */
int ctx_call_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, uint64_t rules, struct ctx_buf *text,
    struct ctx_err *err);

/* Reads the key of the call whose program made this call (block->caller). */
int ctx_caller_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, struct ctx_buf *text, struct ctx_err *err);

/* Returns a new empty table, or NULL with *err.  free accepts NULL. */
struct ctx_open_calls *ctx_open_calls_new(struct ctx_err *err);
void ctx_open_calls_free(struct ctx_open_calls *calls);
void ctx_open_calls_clear(struct ctx_open_calls *calls);
/* Adds an open call of the segment; tool is the id of its tool name.
 * Returns the call's handle, or CTX_NO_SEGMENT with *err. */
uint32_t ctx_open_calls_push(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t segment, uint32_t tool,
    struct ctx_err *err);
/*
 * Removes the open call that a result answers and returns its segment, with
 * *tool set, or CTX_NO_SEGMENT if no call matches.  A result with an id takes
 * the newest call with that id.  With CTX_PAIR_EITHER it takes, if there is
 * none, the oldest call of its tool name, provided that call has no id.  A
 * result without an id takes the oldest call of its tool name if the dialect
 * pairs by name and the result has one, else the oldest of all.
 */
uint32_t ctx_open_calls_pop(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Finds the same call as ctx_open_calls_pop, but does not remove it. */
uint32_t ctx_open_calls_peek(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Removes the call with this handle. */
void ctx_open_calls_remove(struct ctx_open_calls *calls, uint32_t call);
/*
 * Ends a turn: later results can find its calls by id only.  Removes one open
 * call that has no id and returns its segment, or CTX_NO_SEGMENT if there are
 * no more.  Must be repeated until it returns that.
 */
uint32_t ctx_open_calls_expire(struct ctx_open_calls *calls);
/* Updates the segments of all open calls after a move: the new index of segment
 * i is new_index[i]. */
void ctx_open_calls_renumber(struct ctx_open_calls *calls,
    const uint32_t *new_index);

#endif
