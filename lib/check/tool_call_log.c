/*
 * tool_call_log.c - stores which tool calls of a conversation have a result
 *
 * Each id of a tool call has an element of fixed size in a hash table.  The
 * element contains a 128-bit keyed hash of the id, so the length of an id does
 * not matter.  Only open calls (calls without a result) take more memory.  They
 * are in a list, with the oldest call first; ctx_open_calls matches open calls
 * with results.
 */
#include <stdlib.h>
#include <string.h>

#include "check/tool_call_log.h"

#define NONE UINT32_MAX

struct ctx_call_slot {
	uint64_t id[2];
	uint32_t open; /* number of open tool calls that have this id */
	/* CTX_CALL_NEW means that this element of the table is unused */
	enum ctx_call_state state;
};

int
ctx_tool_call_log_init(struct ctx_tool_call_log *log, struct ctx_err *err)
{
	memset(log, 0, sizeof *log);
	ctx_hashkey_init(&log->hash);
	log->first = log->last = log->free = NONE;
	log->waiting = ctx_open_calls_new(err);
	return log->waiting == NULL ? -1 : 0;
}

void
ctx_tool_call_log_release(struct ctx_tool_call_log *log)
{
	ctx_open_calls_free(log->waiting);
	free(log->pool);
	free(log->slots);
	memset(log, 0, sizeof *log);
}

void
ctx_tool_call_log_reset(struct ctx_tool_call_log *log)
{
	/* Frees a large hash table that is nearly empty, so that the next table
	 * is smaller.  Otherwise the large table of one long conversation would
	 * be cleared for each later short conversation, which is slow. */
	if (log->mask > 64 && log->used < log->mask / 8) {
		free(log->slots);
		log->slots = NULL;
		log->mask = 0;
	} else if (log->used > 0) {
		memset(log->slots, 0, (log->mask + 1) * sizeof *log->slots);
	}
	ctx_open_calls_clear(log->waiting);
	log->used = 0;
	log->with_id = log->given_up = 0;
	log->n = 0;
	log->first = log->last = log->free = NONE;
}

/* Returns the element of the hash table for an id.  If the id is not in the
 * table, returns the unused element in which it can be stored. */
static struct ctx_call_slot *
find_slot(const struct ctx_tool_call_log *log, const uint64_t id[2])
{
	size_t i = (size_t)id[0] & log->mask;

	while (log->slots[i].state != CTX_CALL_NEW &&
	    (log->slots[i].id[0] != id[0] || log->slots[i].id[1] != id[1]))
		i = (i + 1) & log->mask;
	return &log->slots[i];
}

/* Enlarges the hash table if less than a third of its elements are unused. */
static int
grow_log(struct ctx_tool_call_log *log, struct ctx_err *err)
{
	struct ctx_call_slot *old = log->slots;
	size_t n = old == NULL ? 0 : log->mask + 1, want, i;

	if (log->used + 1 <= n - n / 3)
		return 0;
	want = n == 0 ? 64 : n * 2;
	if (want > SIZE_MAX / 2 / sizeof *old ||
	    (log->slots = calloc(want, sizeof *old)) == NULL) {
		log->slots = old;
		return ctx_err_nomem(err);
	}
	log->mask = want - 1;
	for (i = 0; i < n; i++)
		if (old[i].state != CTX_CALL_NEW)
			*find_slot(log, old[i].id) = old[i];
	free(old);
	return 0;
}

/* Returns the index of an unused struct ctx_call for a tool call, or NONE with
 * *err if there is no memory. */
static uint32_t
allocate_call(struct ctx_tool_call_log *log, struct ctx_err *err)
{
	uint32_t i = log->free;

	if (i != NONE) {
		log->free = log->pool[i].after;
		return i;
	}
	if (log->n >= NONE) {
		ctx_err_set(err, CTX_ELIMIT,
		    "the conversation has more than %u tool calls without a "
		    "result; split it",
		    NONE);
		return NONE;
	}
	if (CTX_GROW(log->pool, log->cap, log->n + 1, err) < 0)
		return NONE;
	return (uint32_t)log->n++;
}

/* Increases the number of open calls (calls without a result) with the id of
 * this call.  Returns the state that the id had before. */
static enum ctx_call_state
record_id(struct ctx_tool_call_log *log, const struct ctx_call *call)
{
	struct ctx_call_slot *slot = find_slot(log, call->id);
	enum ctx_call_state state = slot->state;

	log->used += state == CTX_CALL_NEW;
	memcpy(slot->id, call->id, sizeof slot->id);
	slot->state = CTX_CALL_OPEN;
	slot->open++;
	return state;
}

struct ctx_call *
ctx_tool_call_log_open(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, enum ctx_call_state *state,
    struct ctx_call **same, struct ctx_err *err)
{
	struct ctx_call *call;
	uint32_t i, handle, before, tool;

	if (grow_log(log, err) < 0 || (i = allocate_call(log, err)) == NONE)
		return NULL;
	before = ctx_open_calls_peek(log->waiting, key, &tool);
	handle = ctx_open_calls_push(log->waiting, key, i, 0, err);
	if (handle == CTX_NO_SEGMENT)
		return NULL;
	call = &log->pool[i];
	memset(call, 0, sizeof *call);
	call->handle = handle;
	call->before = log->last;
	call->after = NONE;
	if (log->last != NONE)
		log->pool[log->last].after = i;
	else
		log->first = i;
	log->last = i;
	*state = CTX_CALL_NEW;
	call->has_id = key->id.p != NULL;
	call->older = log->with_id + log->given_up;
	if (call->has_id) {
		log->with_id++;
		ctx_hash_wide(&log->hash, key->id.p, key->id.n, call->id);
		*state = record_id(log, call);
	}
	if (*state == CTX_CALL_OPEN)
		*same = &log->pool[before];
	return call;
}

/* Removes a tool call from the list of open calls (calls without a result).
 * state: the new state of the call's id. */
static void
close_call(struct ctx_tool_call_log *log, uint32_t i, enum ctx_call_state state)
{
	struct ctx_call *call = &log->pool[i];
	struct ctx_call_slot *slot;

	if (call->has_id) {
		log->with_id--;
		slot = find_slot(log, call->id);
		if (--slot->open == 0)
			slot->state = state;
	}
	if (call->before != NONE)
		log->pool[call->before].after = call->after;
	else
		log->first = call->after;
	if (call->after != NONE)
		log->pool[call->after].before = call->before;
	else
		log->last = call->before;
	call->after = log->free;
	log->free = i;
}

/* Returns the element of the hash table for an id, or NULL if no tool call had
 * this id. */
static struct ctx_call_slot *
find_key_slot(const struct ctx_tool_call_log *log,
    const struct ctx_call_key *key)
{
	uint64_t id[2];
	struct ctx_call_slot *slot;

	if (key->id.p == NULL || log->used == 0)
		return NULL;
	ctx_hash_wide(&log->hash, key->id.p, key->id.n, id);
	slot = find_slot(log, id);
	return slot->state == CTX_CALL_NEW ? NULL : slot;
}

enum ctx_call_state
ctx_tool_call_log_state(const struct ctx_tool_call_log *log,
    const struct ctx_call_key *key)
{
	const struct ctx_call_slot *slot = find_key_slot(log, key);

	return slot == NULL ? CTX_CALL_NEW : slot->state;
}

enum ctx_call_state
ctx_tool_call_log_answer(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key, bool more, const struct ctx_call **call)
{
	struct ctx_call_slot *slot = find_key_slot(log, key);
	enum ctx_call_state state = slot == NULL ? CTX_CALL_NEW : slot->state;
	uint32_t tool, i;

	/* The tool result is a further result of a call whose first result has
	 * already removed it from the open calls.  If this is the last result,
	 * the state of the id becomes CTX_CALL_ANSWERED. */
	if (state == CTX_CALL_MORE_RESULTS) {
		if (!more)
			slot->state = CTX_CALL_ANSWERED;
		return state;
	}
	i = ctx_open_calls_pop(log->waiting, key, &tool);
	/* The first result that comes too late can replace the inserted
	 * result; a later one is a second result. */
	if (i == CTX_NO_SEGMENT && state == CTX_CALL_FILLED)
		slot->state = CTX_CALL_ANSWERED;
	if (i == CTX_NO_SEGMENT)
		return state;
	close_call(log, i, more ? CTX_CALL_MORE_RESULTS : CTX_CALL_ANSWERED);
	*call = &log->pool[i];
	return CTX_CALL_OPEN;
}

struct ctx_call *
ctx_tool_call_log_find(struct ctx_tool_call_log *log,
    const struct ctx_call_key *key)
{
	uint32_t tool, i = ctx_open_calls_peek(log->waiting, key, &tool);

	return i == CTX_NO_SEGMENT ? NULL : &log->pool[i];
}

void
ctx_tool_call_log_expire(struct ctx_tool_call_log *log)
{
	uint32_t i;

	while ((i = ctx_open_calls_expire(log->waiting)) != CTX_NO_SEGMENT)
		log->pool[i].handle = CTX_NO_SEGMENT;
}

struct ctx_call *
ctx_tool_call_log_first(struct ctx_tool_call_log *log)
{
	return log->first == NONE ? NULL : &log->pool[log->first];
}

struct ctx_call *
ctx_tool_call_log_since(struct ctx_tool_call_log *log, uint64_t message)
{
	struct ctx_call *call;
	uint32_t i;

	if (message == 0)
		return ctx_tool_call_log_first(log);
	for (call = NULL, i = log->last; i != NONE; i = call->before) {
		if (log->pool[i].place.message < message)
			break;
		call = &log->pool[i];
	}
	return call;
}

struct ctx_call *
ctx_tool_call_log_next(struct ctx_tool_call_log *log,
    const struct ctx_call *call)
{
	return call->after == NONE ? NULL : &log->pool[call->after];
}

void
ctx_tool_call_log_abandon(struct ctx_tool_call_log *log, struct ctx_call *call,
    enum ctx_call_state state)
{
	if (call->handle != CTX_NO_SEGMENT)
		ctx_open_calls_remove(log->waiting, call->handle);
	log->given_up += call->has_id;
	close_call(log, (uint32_t)(call - log->pool), state);
}
