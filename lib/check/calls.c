/*
 * calls.c - the calls of a conversation: open, answered or missed
 *
 * Every id that was seen keeps a slot, by two 64-bit keyed hashes, so that
 * ids of any length cost the same (two meet by chance once in 2^128).  Only
 * open calls keep more: they stand in a list, oldest first, and those of one
 * key in a queue.
 */
#include <stdlib.h>
#include <string.h>

#include "check/calls.h"

#define NONE UINT32_MAX

struct ctx_call_slot {
	struct ctx_key key;
	uint32_t head, tail; /* open calls of the key */
	enum ctx_call_state state; /* NEW: the slot is free */
};

void
ctx_calls_init(struct ctx_calls_seen *calls)
{
	memset(calls, 0, sizeof *calls);
	ctx_hashkey_init(&calls->hash[0]);
	ctx_hashkey_init(&calls->hash[1]);
	calls->first = calls->last = calls->free = NONE;
}

void
ctx_calls_release(struct ctx_calls_seen *calls)
{
	free(calls->pool);
	free(calls->slots);
	memset(calls, 0, sizeof *calls);
}

void
ctx_calls_reset(struct ctx_calls_seen *calls)
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
	calls->used = 0;
	calls->n = 0;
	calls->first = calls->last = calls->free = NONE;
}

struct ctx_key
ctx_calls_key(const struct ctx_calls_seen *calls, struct ctx_str text,
    bool is_name)
{
	struct ctx_key key;
	size_t i;

	for (i = 0; i < 2; i++)
		key.k[i] = ctx_hash(&calls->hash[i], text.p, text.n) + is_name;
	return key;
}

/* The slot of a key, or the free one where it would be. */
static struct ctx_call_slot *
find(const struct ctx_calls_seen *calls, struct ctx_key key)
{
	size_t i = key.k[0] & calls->mask;

	while (calls->slots[i].state != CTX_CALL_NEW &&
	    (calls->slots[i].key.k[0] != key.k[0] ||
		calls->slots[i].key.k[1] != key.k[1]))
		i = (i + 1) & calls->mask;
	return &calls->slots[i];
}

/* Keeps a third of the slots free. */
static int
make_room(struct ctx_calls_seen *calls, struct ctx_err *err)
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
			*find(calls, old[i].key) = old[i];
	free(old);
	return 0;
}

/* Index of a free place in the pool, or NONE with *err. */
static uint32_t
take(struct ctx_calls_seen *calls, struct ctx_err *err)
{
	uint32_t i = calls->free;
	struct ctx_call *pool;

	if (i != NONE) {
		calls->free = calls->pool[i].next;
		return i;
	}
	if (calls->n >= NONE) {
		ctx_err_set(err, CTX_ELIMIT, "too many open calls");
		return NONE;
	}
	pool = ctx_grow(calls->pool, &calls->cap, calls->n + 1, sizeof *pool,
	    err);
	if (pool == NULL)
		return NONE;
	calls->pool = pool;
	return (uint32_t)calls->n++;
}

struct ctx_call *
ctx_calls_open(struct ctx_calls_seen *calls, struct ctx_key key,
    enum ctx_call_state *state, struct ctx_err *err)
{
	struct ctx_call_slot *slot;
	struct ctx_call *call;
	uint32_t i;

	if (make_room(calls, err) < 0 || (i = take(calls, err)) == NONE)
		return NULL;
	call = &calls->pool[i];
	memset(call, 0, sizeof *call);
	call->key = key;
	call->before = calls->last;
	call->behind = call->next = NONE;
	if (calls->last != NONE)
		calls->pool[calls->last].behind = i;
	else
		calls->first = i;
	calls->last = i;
	slot = find(calls, key);
	*state = slot->state;
	if (slot->state == CTX_CALL_OPEN) {
		calls->pool[slot->tail].next = i;
	} else {
		calls->used += slot->state == CTX_CALL_NEW;
		slot->key = key;
		slot->head = i;
		slot->state = CTX_CALL_OPEN;
	}
	slot->tail = i;
	return call;
}

/* Takes the oldest open call of a slot out of everything. */
static void
close_oldest(struct ctx_calls_seen *calls, struct ctx_call_slot *slot,
    enum ctx_call_state state)
{
	uint32_t i = slot->head;
	struct ctx_call *call = &calls->pool[i];

	slot->head = call->next;
	if (slot->head == NONE)
		slot->state = state;
	if (call->before != NONE)
		calls->pool[call->before].behind = call->behind;
	else
		calls->first = call->behind;
	if (call->behind != NONE)
		calls->pool[call->behind].before = call->before;
	else
		calls->last = call->before;
	call->next = calls->free;
	calls->free = i;
}

enum ctx_call_state
ctx_calls_answer(struct ctx_calls_seen *calls, struct ctx_key key)
{
	struct ctx_call_slot *slot;
	enum ctx_call_state state;

	if (calls->used == 0)
		return CTX_CALL_NEW;
	slot = find(calls, key);
	state = slot->state;
	if (state == CTX_CALL_OPEN)
		close_oldest(calls, slot, CTX_CALL_ANSWERED);
	return state;
}

struct ctx_call *
ctx_calls_first(struct ctx_calls_seen *calls)
{
	return calls->first == NONE ? NULL : &calls->pool[calls->first];
}

/* The oldest of all is also the oldest of its key. */
void
ctx_calls_give_up(struct ctx_calls_seen *calls, enum ctx_call_state state)
{
	close_oldest(calls, find(calls, calls->pool[calls->first].key), state);
}
