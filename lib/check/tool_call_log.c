/*
 * tool_call_log.c - the calls of a conversation: open, answered or missed
 *
 * Every id that was seen keeps a slot, by a wide keyed hash, so that
 * ids of any length cost the same (two meet by chance once in 2^128).  Only
 * open calls keep more: they stand in a list, oldest first, and wait for
 * their results as they do in a group.
 */
#include <stdlib.h>
#include <string.h>

#include "check/tool_call_log.h"
#include "group/open_tool_calls.h"

#define NONE UINT32_MAX

struct ctx_call_slot {
	uint64_t id[2];
	uint32_t open;             /* calls of the id */
	enum ctx_call_state state; /* NEW: the slot is free */
};

int
ctx_tool_call_log_init(struct ctx_tool_call_log *calls, struct ctx_err *err)
{
	memset(calls, 0, sizeof *calls);
	ctx_hashkey_init(&calls->hash);
	calls->first = calls->last = calls->free = NONE;
	calls->waiting = ctx_open_calls_new(err);
	return calls->waiting == NULL ? -1 : 0;
}

void
ctx_tool_call_log_release(struct ctx_tool_call_log *calls)
{
	ctx_open_calls_free(calls->waiting);
	free(calls->pool);
	free(calls->slots);
	memset(calls, 0, sizeof *calls);
}

void
ctx_tool_call_log_reset(struct ctx_tool_call_log *calls)
{
	/* A table that one long conversation left behind would make every
	 * short one after it slow. */
	if (calls->mask > 64 && calls->used < calls->mask / 8) {
		free(calls->slots);
		calls->slots = NULL;
		calls->mask = 0;
	} else if (calls->used > 0) {
		memset(calls->slots, 0,
		    (calls->mask + 1) * sizeof *calls->slots);
	}
	ctx_open_calls_clear(calls->waiting);
	calls->used = 0;
	calls->with_id = calls->given_up = 0;
	calls->n = 0;
	calls->first = calls->last = calls->free = NONE;
}

/* The slot of an id, or the free one where it would be. */
static struct ctx_call_slot *
find(const struct ctx_tool_call_log *calls, const uint64_t id[2])
{
	size_t i = (size_t)id[0] & calls->mask;

	while (calls->slots[i].state != CTX_CALL_NEW &&
	    (calls->slots[i].id[0] != id[0] || calls->slots[i].id[1] != id[1]))
		i = (i + 1) & calls->mask;
	return &calls->slots[i];
}

/* Keeps a third of the slots free. */
static int
make_room(struct ctx_tool_call_log *calls, struct ctx_err *err)
{
	struct ctx_call_slot *old = calls->slots;
	size_t n = old == NULL ? 0 : calls->mask + 1, want, i;

	if (calls->used + 1 <= n - n / 3)
		return 0;
	want = n == 0 ? 64 : n * 2;
	if (want > SIZE_MAX / 2 / sizeof *old ||
	    (calls->slots = calloc(want, sizeof *old)) == NULL) {
		calls->slots = old;
		return ctx_err_nomem(err);
	}
	calls->mask = want - 1;
	for (i = 0; i < n; i++)
		if (old[i].state != CTX_CALL_NEW)
			*find(calls, old[i].id) = old[i];
	free(old);
	return 0;
}

/* Index of a free place in the pool, or NONE with *err. */
static uint32_t
take(struct ctx_tool_call_log *calls, struct ctx_err *err)
{
	uint32_t i = calls->free;
	struct ctx_call *pool;

	if (i != NONE) {
		calls->free = calls->pool[i].behind;
		return i;
	}
	if (calls->n >= NONE) {
		ctx_err_set(err, CTX_ELIMIT, "too many open calls");
		return NONE;
	}
	pool =
	    ctx_grow(calls->pool, &calls->cap, calls->n + 1, sizeof *pool, err);
	if (pool == NULL)
		return NONE;
	calls->pool = pool;
	return (uint32_t)calls->n++;
}

/* Counts a call for its id, and says what the id was before. */
static enum ctx_call_state
note_id(struct ctx_tool_call_log *calls, const struct ctx_call *call)
{
	struct ctx_call_slot *slot = find(calls, call->id);
	enum ctx_call_state state = slot->state;

	calls->used += state == CTX_CALL_NEW;
	memcpy(slot->id, call->id, sizeof slot->id);
	slot->state = CTX_CALL_OPEN;
	slot->open++;
	return state;
}

struct ctx_call *
ctx_tool_call_log_open(struct ctx_tool_call_log *calls,
    const struct ctx_call_key *key, enum ctx_call_state *state,
    struct ctx_call **same, struct ctx_err *err)
{
	struct ctx_call *call;
	uint32_t i, handle, before, tool;

	if (make_room(calls, err) < 0 || (i = take(calls, err)) == NONE)
		return NULL;
	before = ctx_open_calls_peek(calls->waiting, key, &tool);
	handle = ctx_open_calls_push(calls->waiting, key, i, 0, err);
	if (handle == CTX_NO_SEGMENT)
		return NULL;
	call = &calls->pool[i];
	memset(call, 0, sizeof *call);
	call->handle = handle;
	call->before = calls->last;
	call->behind = NONE;
	if (calls->last != NONE)
		calls->pool[calls->last].behind = i;
	else
		calls->first = i;
	calls->last = i;
	*state = CTX_CALL_NEW;
	call->has_id = key->id.p != NULL;
	call->older = calls->with_id + calls->given_up;
	if (call->has_id) {
		calls->with_id++;
		ctx_hash_wide(&calls->hash, key->id.p, key->id.n, call->id);
		*state = note_id(calls, call);
	}
	if (*state == CTX_CALL_OPEN)
		*same = &calls->pool[before];
	return call;
}

/* Takes a call that waits no more out of the list. */
static void
close_call(struct ctx_tool_call_log *calls, uint32_t i,
    enum ctx_call_state state)
{
	struct ctx_call *call = &calls->pool[i];
	struct ctx_call_slot *slot;

	if (call->has_id) {
		calls->with_id--;
		slot = find(calls, call->id);
		if (--slot->open == 0)
			slot->state = state;
	}
	if (call->before != NONE)
		calls->pool[call->before].behind = call->behind;
	else
		calls->first = call->behind;
	if (call->behind != NONE)
		calls->pool[call->behind].before = call->before;
	else
		calls->last = call->before;
	call->behind = calls->free;
	calls->free = i;
}

/* The slot of a key's id, or NULL if no call had it. */
static struct ctx_call_slot *
slot_of(const struct ctx_tool_call_log *calls, const struct ctx_call_key *key)
{
	uint64_t id[2];
	struct ctx_call_slot *slot;

	if (key->id.p == NULL || calls->used == 0)
		return NULL;
	ctx_hash_wide(&calls->hash, key->id.p, key->id.n, id);
	slot = find(calls, id);
	return slot->state == CTX_CALL_NEW ? NULL : slot;
}

enum ctx_call_state
ctx_tool_call_log_state(const struct ctx_tool_call_log *calls,
    const struct ctx_call_key *key)
{
	const struct ctx_call_slot *slot = slot_of(calls, key);

	return slot == NULL ? CTX_CALL_NEW : slot->state;
}

enum ctx_call_state
ctx_tool_call_log_answer(struct ctx_tool_call_log *calls,
    const struct ctx_call_key *key, bool more, const struct ctx_call **call)
{
	struct ctx_call_slot *slot = slot_of(calls, key);
	enum ctx_call_state state = slot == NULL ? CTX_CALL_NEW : slot->state;
	uint32_t tool, i;

	/* What goes on gets what names it. */
	if (state == CTX_CALL_MORE_RESULTS) {
		if (!more)
			slot->state = CTX_CALL_ANSWERED;
		return state;
	}
	i = ctx_open_calls_pop(calls->waiting, key, &tool);
	if (i == CTX_NO_SEGMENT)
		return state;
	close_call(calls, i, more ? CTX_CALL_MORE_RESULTS : CTX_CALL_ANSWERED);
	*call = &calls->pool[i];
	return CTX_CALL_OPEN;
}

struct ctx_call *
ctx_tool_call_log_find(struct ctx_tool_call_log *calls,
    const struct ctx_call_key *key)
{
	uint32_t tool, i = ctx_open_calls_peek(calls->waiting, key, &tool);

	return i == CTX_NO_SEGMENT ? NULL : &calls->pool[i];
}

void
ctx_tool_call_log_expire(struct ctx_tool_call_log *calls)
{
	uint32_t i;

	while ((i = ctx_open_calls_expire(calls->waiting)) != CTX_NO_SEGMENT)
		calls->pool[i].handle = CTX_NO_SEGMENT;
}

struct ctx_call *
ctx_tool_call_log_first(struct ctx_tool_call_log *calls)
{
	return calls->first == NONE ? NULL : &calls->pool[calls->first];
}

struct ctx_call *
ctx_tool_call_log_since(struct ctx_tool_call_log *calls, uint64_t message)
{
	struct ctx_call *call;
	uint32_t i;

	if (message == 0)
		return ctx_tool_call_log_first(calls);
	for (call = NULL, i = calls->last; i != NONE; i = call->before) {
		if (calls->pool[i].place.message < message)
			break;
		call = &calls->pool[i];
	}
	return call;
}

struct ctx_call *
ctx_tool_call_log_next(struct ctx_tool_call_log *calls,
    const struct ctx_call *call)
{
	return call->behind == NONE ? NULL : &calls->pool[call->behind];
}

void
ctx_tool_call_log_abandon(struct ctx_tool_call_log *calls,
    struct ctx_call *call, enum ctx_call_state state)
{
	if (call->handle != CTX_NO_SEGMENT)
		ctx_open_calls_take(calls->waiting, call->handle);
	calls->given_up += call->has_id;
	close_call(calls, (uint32_t)(call - calls->pool), state);
}
