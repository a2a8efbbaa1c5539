/* open_tool_calls.h - a table of open tool calls; a tool call is open as long
 * as it has no result, or will get further ones */
#ifndef CTX_GROUP_OPEN_TOOL_CALLS_H
#define CTX_GROUP_OPEN_TOOL_CALLS_H

#include "message/message.h"

#define CTX_NO_SEGMENT UINT32_MAX

/* Key by which a tool call and its result are matched: their ids or tool names.
 * id.p is NULL if there is no id; name.p is NULL if there is no name. */
struct ctx_call_key {
	struct ctx_str id, name;
	/* Rules of the message format (dialect).  Only two flags are used:
	 * CTX_PAIR_BY_NAME and CTX_PAIR_EITHER.  They say whether a tool result
	 * may be matched with its call by the name of the tool. */
	uint64_t rules;
};
/* Reads the id and the tool name of a tool call or tool result, and decodes
 * JSON escapes in them. text: scratch memory.  The strings in *key are valid as
 * long as neither json nor text changes. */
int ctx_call_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, uint64_t rules, struct ctx_buf *text,
    struct ctx_err *err);

/* For a tool call that was made by a program of the model: reads into *key the
 * id of the tool call that runs this program (block->caller). */
int ctx_caller_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, struct ctx_buf *text, struct ctx_err *err);

/* Returns an empty table, or NULL with *err if there is no memory.
 * ctx_open_calls_free accepts NULL. */
struct ctx_open_calls *ctx_open_calls_new(struct ctx_err *err);
void ctx_open_calls_free(struct ctx_open_calls *calls);
void ctx_open_calls_clear(struct ctx_open_calls *calls);
/* Adds an open tool call (a call without a result). segment: index of the
 * segment (message or part of one) that contains the call; tool: id of the name
 * of the call's tool.  Returns a number that identifies the call, or
 * CTX_NO_SEGMENT with *err. */
uint32_t ctx_open_calls_push(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t segment, uint32_t tool,
    struct ctx_err *err);
/*
 * Finds the open call (tool call without a result) that a tool result answers,
 * and removes the call from the table.  Sets *tool to the id of the name of the
 * call's tool.  Returns the index of the segment that contains the call, or
 * CTX_NO_SEGMENT if the result answers no open call.
 *
 * A result with an id answers the newest open call with the same id.  If there
 * is none and the format has the rule CTX_PAIR_EITHER, the result answers the
 * oldest open call of the same tool, if this call has no id.  A result without
 * an id answers, in formats with the rule CTX_PAIR_BY_NAME, the oldest open
 * call: of the same tool, or of all tools if the result has no tool name.  In
 * other formats it answers the oldest open call without an id.
 */
uint32_t ctx_open_calls_pop(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Like ctx_open_calls_pop, finds the open call (tool call without a result)
 * that a tool result answers.  Unlike it, keeps the call in the table. */
uint32_t ctx_open_calls_peek(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Removes an open call from the table. call: the number that
 * ctx_open_calls_push has returned. */
void ctx_open_calls_remove(struct ctx_open_calls *calls, uint32_t call);
/* Removes one open call (tool call without a result) that has no id from the
 * table.  Returns the index of the segment that contains the call, or
 * CTX_NO_SEGMENT if there is no such call.  Calls with an id stay, but from
 * then on only their id can match them.  At the end of a turn, the caller must
 * call this function until it returns CTX_NO_SEGMENT, because tool results can
 * answer calls of earlier turns only by their ids. */
uint32_t ctx_open_calls_expire(struct ctx_open_calls *calls);
/* Changes the segment index that is stored with each open call from i to
 * new_index[i]. */
void ctx_open_calls_renumber(struct ctx_open_calls *calls,
    const uint32_t *new_index);

#endif
