/* open_tool_calls.h - a table of open tool calls; a tool call is open as long
 * as it has no result */
#ifndef CTX_GROUP_OPEN_TOOL_CALLS_H
#define CTX_GROUP_OPEN_TOOL_CALLS_H

#include "message/message.h"

#define CTX_NO_SEGMENT UINT32_MAX

/* Key by which a tool call and its result are matched: their ids or tool names.
 * If an id or a name is missing, its member p is NULL. */
struct ctx_call_key {
	struct ctx_str id, name;
	/* Rules of the message format (dialect).  Only the flags
	 * CTX_PAIR_BY_NAME and CTX_PAIR_EITHER are used, which say whether a
	 * tool result may be matched with its call by the name of the tool. */
	uint64_t rules;
};
/* Reads the id and the tool name of a tool call or tool result, and decodes
 * JSON escapes in them. text: scratch memory.  The strings in *key are valid as
 * long as neither json nor text changes. */
int ctx_call_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, uint64_t rules, struct ctx_buf *text,
    struct ctx_err *err);

/* For a tool call that was made by a program which the model wrote: reads the
 * id of the tool call that runs the program (block->caller). */
int ctx_caller_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, struct ctx_buf *text, struct ctx_err *err);

/* Returns an empty table, or NULL with *err if there is no memory.
 * ctx_open_calls_free accepts NULL. */
struct ctx_open_calls *ctx_open_calls_new(struct ctx_err *err);
void ctx_open_calls_free(struct ctx_open_calls *calls);
void ctx_open_calls_clear(struct ctx_open_calls *calls);
/* Adds an open tool call. segment: index of its segment (message or part of
 * one); tool: id of its tool's name.  Returns a number that identifies the
 * call, or CTX_NO_SEGMENT with *err. */
uint32_t ctx_open_calls_push(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t segment, uint32_t tool,
    struct ctx_err *err);
/*
 * Finds the open call that a tool result answers, and removes it from the
 * table.  Sets *tool, and returns the index of the call's segment, or
 * CTX_NO_SEGMENT if no call matches.
 *
 * A result with an id answers the newest call with that id.  With
 * CTX_PAIR_EITHER, if no call has that id, it answers the oldest call of its
 * tool that has no id.  A result without an id answers the oldest call of its
 * tool, if the result contains the tool's name and the format pairs by name.
 * Otherwise it answers the oldest call of all.
 */
uint32_t ctx_open_calls_pop(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Finds the same call as ctx_open_calls_pop, but keeps it in the table. */
uint32_t ctx_open_calls_peek(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool);
/* Removes an open call from the table. call: the number that
 * ctx_open_calls_push has returned. */
void ctx_open_calls_remove(struct ctx_open_calls *calls, uint32_t call);
/* Removes from the table one of the open calls that have no id, and returns the
 * index of its segment, or CTX_NO_SEGMENT if there is no such call.  Called at
 * the end of a turn until it returns CTX_NO_SEGMENT, because results can find
 * calls of earlier turns only by their ids. */
uint32_t ctx_open_calls_expire(struct ctx_open_calls *calls);
/* Changes the index of the segment in each open call: i becomes new_index[i].
 */
void ctx_open_calls_renumber(struct ctx_open_calls *calls,
    const uint32_t *new_index);

#endif
