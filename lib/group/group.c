/*
 * group.c - messages to groups and turns
 *
 * Groups are sets of items joined by union-find; the first item of a group
 * is its root, so that a group has a place in the stream.  Only open calls
 * are remembered: by two 64-bit keyed hashes of their id, which spares a
 * copy of ids of any length (two ids meet by chance once in 2^128).
 */
#include <stdlib.h>
#include <string.h>

#include "ctx.h"

#define NONE UINT32_MAX

/* An open call.  Calls of one key form a list; its head is in a bucket. */
struct call {
	uint64_t key[2];
	uint32_t item;  /* NONE: the slot is free */
	uint32_t tool;  /* its name */
	uint32_t chain; /* head: next of the bucket; free: next free slot */
	uint32_t next;  /* next of the same key */
	uint32_t last;  /* head: the last of the same key */
};

struct ctx_calls {
	struct ctx_hashkey hash[2];
	struct call *slots;
	size_t n, cap;
	uint32_t free; /* first free slot */
	uint32_t *buckets;
	size_t mask;  /* buckets - 1 */
	size_t heads; /* slots that are in buckets */
};

static int
calls_rehash(struct ctx_calls *calls, size_t buckets, struct ctx_err *err)
{
	uint32_t *grown, *bucket;
	size_t i;

	grown = malloc(buckets * sizeof *grown);
	if (grown == NULL)
		return ctx_err_nomem(err);
	memset(grown, 0xff, buckets * sizeof *grown);
	for (i = 0; calls->buckets != NULL && i <= calls->mask; i++) {
		uint32_t s = calls->buckets[i], chain;

		for (; s != NONE; s = chain) {
			chain = calls->slots[s].chain;
			bucket = &grown[calls->slots[s].key[0] & (buckets - 1)];
			calls->slots[s].chain = *bucket;
			*bucket = s;
		}
	}
	free(calls->buckets);
	calls->buckets = grown;
	calls->mask = buckets - 1;
	return 0;
}

/* The link that leads to the head of a key's list, or to NONE. */
static uint32_t *
calls_find(struct ctx_calls *calls, const uint64_t key[2])
{
	uint32_t *link = &calls->buckets[key[0] & calls->mask];

	while (*link != NONE) {
		struct call *call = &calls->slots[*link];

		if (call->key[0] == key[0] && call->key[1] == key[1])
			break;
		link = &call->chain;
	}
	return link;
}

/* A free slot, or NONE with *err. */
static uint32_t
calls_slot(struct ctx_calls *calls, struct ctx_err *err)
{
	uint32_t slot = calls->free;
	struct call *grown;

	if (slot != NONE) {
		calls->free = calls->slots[slot].chain;
		return slot;
	}
	if (calls->n >= NONE) {
		ctx_err_set(err, CTX_ELIMIT, "too many open calls");
		return NONE;
	}
	grown = ctx_grow(calls->slots, &calls->cap, calls->n + 1,
	    sizeof *grown, err);
	if (grown == NULL)
		return NONE;
	calls->slots = grown;
	return (uint32_t)calls->n++;
}

/* Notes an open call; a result will find the first of its list. */
static int
calls_push(struct ctx_calls *calls, const uint64_t key[2], uint32_t item,
    uint32_t tool, bool in_front, struct ctx_err *err)
{
	struct call *call;
	uint32_t slot, head, *link;

	if (calls->heads > calls->mask &&
	    calls_rehash(calls, (calls->mask + 1) * 2, err) < 0)
		return -1;
	slot = calls_slot(calls, err);
	if (slot == NONE)
		return -1;
	link = calls_find(calls, key);
	head = *link;
	call = &calls->slots[slot];
	*call = (struct call){{key[0], key[1]}, item, tool, NONE, NONE,
	    slot};
	if (head == NONE) {
		*link = slot;
		calls->heads++;
	} else if (in_front) {
		call->chain = calls->slots[head].chain;
		call->next = head;
		call->last = calls->slots[head].last;
		*link = slot;
	} else {
		calls->slots[calls->slots[head].last].next = slot;
		calls->slots[head].last = slot;
	}
	return 0;
}

/* Takes the first open call of a key; its item and tool, or NONE. */
static uint32_t
calls_pop(struct ctx_calls *calls, const uint64_t key[2], uint32_t *tool)
{
	uint32_t *link = calls_find(calls, key), slot = *link, item;
	struct call *call;

	if (slot == NONE)
		return NONE;
	call = &calls->slots[slot];
	item = call->item;
	*tool = call->tool;
	if (call->next != NONE) {
		calls->slots[call->next].chain = call->chain;
		calls->slots[call->next].last = call->last;
		*link = call->next;
	} else {
		*link = call->chain;
		calls->heads--;
	}
	call->item = NONE;
	call->chain = calls->free;
	calls->free = slot;
	return item;
}

static void
calls_clear(struct ctx_calls *calls)
{
	calls->n = 0;
	calls->heads = 0;
	calls->free = NONE;
	memset(calls->buckets, 0xff,
	    (calls->mask + 1) * sizeof *calls->buckets);
}

int
ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err)
{
	memset(groups, 0, sizeof *groups);
	groups->calls = calloc(1, sizeof *groups->calls);
	if (groups->calls == NULL)
		return ctx_err_nomem(err);
	ctx_hashkey_init(&groups->calls->hash[0]);
	ctx_hashkey_init(&groups->calls->hash[1]);
	groups->calls->free = NONE;
	groups->tied = NONE;
	groups->going = NONE;
	groups->before = NONE;
	if (calls_rehash(groups->calls, 64, err) < 0) {
		ctx_groups_release(groups);
		return -1;
	}
	return 0;
}

void
ctx_groups_release(struct ctx_groups *groups)
{
	if (groups->calls != NULL) {
		free(groups->calls->slots);
		free(groups->calls->buckets);
		free(groups->calls);
	}
	ctx_names_release(&groups->tools);
	ctx_buf_release(&groups->text);
	free(groups->items);
	memset(groups, 0, sizeof *groups);
}

void
ctx_groups_reset(struct ctx_groups *groups)
{
	calls_clear(groups->calls);
	ctx_names_reset(&groups->tools);
	groups->n = 0;
	groups->tokens = 0;
	groups->messages = 0;
	groups->spoken = 0;
	groups->turn = 0;
	groups->answered = false;
	groups->tied = NONE;
	groups->going = NONE;
	groups->before = NONE;
	groups->forget_at = 0;
}

uint32_t
ctx_group_of(struct ctx_item *items, uint32_t i)
{
	while (items[i].up != i) {
		items[i].up = items[items[i].up].up;
		i = items[i].up;
	}
	return i;
}

/* One group of two; its place is that of the earlier. */
static void
join(struct ctx_item *items, uint32_t a, uint32_t b)
{
	uint32_t root = ctx_group_of(items, a), other = ctx_group_of(items, b);

	if (root == other)
		return;
	if (root > other) {
		uint32_t swap = root;

		root = other;
		other = swap;
	}
	items[other].up = root;
	items[root].open += items[other].open;
	items[other].open = 0;
}

static struct ctx_item *
add_item(struct ctx_groups *groups, struct ctx_err *err)
{
	struct ctx_item *items, *item;

	if (groups->n >= NONE) {
		ctx_err_set(err, CTX_ELIMIT,
		    "a conversation of more than 4294967295 messages");
		return NULL;
	}
	items = ctx_grow(groups->items, &groups->cap, groups->n + 1,
	    sizeof *items, err);
	if (items == NULL)
		return NULL;
	groups->items = items;
	item = &items[groups->n];
	memset(item, 0, sizeof *item);
	item->up = (uint32_t)groups->n++;
	item->start = groups->tokens;
	item->message = groups->messages;
	item->spoken = groups->spoken;
	item->turn = groups->turn;
	return item;
}

/* The text of a string, as it is meant; of anything else the JSON.  Lives
 * until the next call. */
static int
text_of(struct ctx_groups *groups, const struct ctx_json *json, uint32_t node,
    struct ctx_str *text, struct ctx_err *err)
{
	*text = ctx_json_str(json, node);
	if (json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	if (!json->nodes[node].escaped) {
		*text = (struct ctx_str){text->p + 1, text->n - 2};
		return 0;
	}
	groups->text.n = 0;
	if (ctx_text_decode(&groups->text, *text, err) < 0)
		return -1;
	*text = (struct ctx_str){groups->text.p, groups->text.n};
	return 0;
}

/* The key under which a call waits for its result. */
static int
call_key(struct ctx_groups *groups, const struct ctx_json *json,
    const struct ctx_part *part, unsigned rules, uint64_t key[2],
    struct ctx_err *err)
{
	uint32_t node = part->id;
	struct ctx_str str = {"", 0};
	size_t i;

	if (node == 0 && (rules & CTX_PAIR_BY_NAME))
		node = part->name;
	if (node != 0 && text_of(groups, json, node, &str, err) < 0)
		return -1;
	for (i = 0; i < 2; i++)
		key[i] = ctx_hash(&groups->calls->hash[i], str.p, str.n) +
		    (part->id == 0);
	return 0;
}

/* The number of the tool that a part names; 0 if it names none. */
static int
tool_of(struct ctx_groups *groups, const struct ctx_json *json,
    const struct ctx_part *part, uint32_t *tool, struct ctx_err *err)
{
	struct ctx_str str;

	*tool = 0;
	if (part->name == 0 ||
	    json->nodes[part->name].kind != CTX_JSON_STRING)
		return 0;
	if (text_of(groups, json, part->name, &str, err) < 0)
		return -1;
	return ctx_names_id(&groups->tools, str.p, str.n, tool, err);
}

/* Opens the calls of a message and lets its results find theirs. */
static int
pair(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_view *view, uint32_t item, uint32_t results,
    struct ctx_err *err)
{
	uint64_t key[2];
	uint32_t tool, called, call;
	size_t i;

	for (i = 0; i < view->n; i++) {
		const struct ctx_part *part = &view->parts[i];

		if (part->kind != CTX_PART_CALL &&
		    part->kind != CTX_PART_RESULT)
			continue;
		if (tool_of(groups, view->json, part, &tool, err) < 0)
			return -1;
		if (call_key(groups, view->json, part, dialect->rules, key,
			err) < 0)
			return -1;
		if (part->kind == CTX_PART_CALL) {
			if (calls_push(groups->calls, key, item, tool,
				part->id != 0, err) < 0)
				return -1;
			groups->items[ctx_group_of(groups->items, item)].open++;
			if (groups->items[item].tool == 0)
				groups->items[item].tool = tool;
			continue;
		}
		call = calls_pop(groups->calls, key, &called);
		if (call != NONE) {
			groups->items[ctx_group_of(groups->items, call)].open--;
			join(groups->items, call, results);
			if (tool == 0)
				tool = called;
		}
		if (groups->items[results].tool == 0)
			groups->items[results].tool = tool;
	}
	return 0;
}

int
ctx_groups_tool(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_view *view, size_t i, uint32_t *tool,
    struct ctx_err *err)
{
	const struct ctx_part *part = &view->parts[i];
	uint64_t key[2];
	uint32_t slot;

	if (tool_of(groups, view->json, part, tool, err) < 0)
		return -1;
	if (*tool != 0)
		return 0;
	if (call_key(groups, view->json, part, dialect->rules, key, err) < 0)
		return -1;
	slot = *calls_find(groups->calls, key);
	if (slot != NONE)
		*tool = groups->calls->slots[slot].tool;
	return 0;
}

/* Which of results and other content a message has; marks for a cache and
 * the like, which have no value, are neither. */
static unsigned
pieces(const struct ctx_view *view)
{
	unsigned found = 0;
	size_t i;

	for (i = 0; i < view->n; i++)
		if (view->parts[i].kind == CTX_PART_RESULT)
			found |= CTX_ITEM_RESULTS;
		else if (view->parts[i].owner == 0 && view->parts[i].value != 0)
			found |= CTX_ITEM_REST;
	return found;
}

#define OURS (CTX_ITEM_SUMMARY | CTX_ITEM_NOTICE)

/* Does this message open a turn, or stand among those that do? */
static bool
is_written(const struct ctx_view *view, unsigned found, unsigned flags)
{
	return view->role == CTX_ROLE_USER && !(view->flags & CTX_VIEW_META) &&
	    !(flags & OURS) && found != CTX_ITEM_RESULTS;
}

static void
enter_turn(struct ctx_groups *groups, const struct ctx_view *view,
    bool written, unsigned flags)
{
	if (written) {
		if (groups->turn == 0 || groups->answered)
			groups->turn++;
		groups->answered = false;
	} else if (view->role != CTX_ROLE_SYSTEM && !(flags & OURS) &&
	    !(view->flags & (CTX_VIEW_META | CTX_VIEW_HIDDEN))) {
		groups->answered = true;
	}
}

/* What is tied to the next message waits for it as an open call does. */
static void
tie(struct ctx_groups *groups, const struct ctx_view *view, uint32_t item)
{
	struct ctx_item *items = groups->items;
	unsigned ties = CTX_VIEW_TIED | CTX_VIEW_BETWEEN;
	bool between;

	if (groups->tied != NONE) {
		items[ctx_group_of(items, groups->tied)].open--;
		/* A system message never joins two turns. */
		if (!(items[groups->tied].flags & CTX_ITEM_SYSTEM) ||
		    view->role == CTX_ROLE_ASSISTANT)
			join(items, groups->tied, item);
		groups->tied = NONE;
	}
	between = view->flags & CTX_VIEW_BETWEEN;
	if (between && groups->before != NONE &&
	    !(items[groups->before].flags & CTX_ITEM_SYSTEM))
		join(items, groups->before, item);
	/* One that stands first, as a system prompt does, is between none. */
	if ((view->flags & ties) && (!between || groups->before != NONE)) {
		items[ctx_group_of(items, item)].open++;
		groups->tied = item;
	}
}

/* Joins the pieces of a message that goes on further down.  Until its last
 * piece has come it waits as an open call does. */
static void
join_pieces(struct ctx_groups *groups, const struct ctx_view *view,
    uint32_t item)
{
	struct ctx_item *items = groups->items;

	if ((view->flags & CTX_VIEW_CONTINUES) && groups->going != NONE) {
		items[ctx_group_of(items, groups->going)].open--;
		join(items, groups->going, item);
		groups->going = NONE;
	}
	if ((view->flags & CTX_VIEW_MORE) && groups->going == NONE) {
		items[ctx_group_of(items, item)].open++;
		groups->going = item;
	}
}

/* Joins what the assistant wrote in one go. */
static void
join_answer(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    uint32_t item)
{
	struct ctx_item *items = groups->items;

	if ((dialect->rules & CTX_JOINS_ANSWERS) && groups->before != NONE &&
	    items[item].role == CTX_ROLE_ASSISTANT &&
	    items[groups->before].role == CTX_ROLE_ASSISTANT)
		join(items, groups->before, item);
}

int
ctx_groups_add(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_view *view, const struct ctx_cost *cost, unsigned flags,
    struct ctx_err *err)
{
	unsigned found = pieces(view);
	bool written = is_written(view, found, flags);
	bool split = written && found == (CTX_ITEM_RESULTS | CTX_ITEM_REST);
	bool goes_on = (view->flags & CTX_VIEW_CONTINUES) &&
	    groups->spoken > 0;
	uint32_t results = (uint32_t)groups->n;
	struct ctx_item *item;

	if (split) {
		item = add_item(groups, err);
		if (item == NULL)
			return -1;
		item->role = (uint8_t)CTX_ROLE_TOOL;
		item->flags = (uint16_t)(flags | CTX_ITEM_RESULTS);
		item->tokens = cost->results + cost->framing;
		item->shared = (uint32_t)cost->framing;
		item->bodies = cost->bodies;
	}
	enter_turn(groups, view, written, flags);
	item = add_item(groups, err);
	if (item == NULL)
		return -1;
	item->role = (uint8_t)view->role;
	item->flags = (uint16_t)(flags | (split ? CTX_ITEM_REST : 0) |
	    (written ? CTX_ITEM_USER : 0) |
	    (view->flags & CTX_VIEW_META ? CTX_ITEM_META : 0) |
	    (view->role == CTX_ROLE_SYSTEM || (flags & OURS)
		    ? CTX_ITEM_SYSTEM
		    : 0));
	item->tokens = cost->tokens - (split ? cost->results : 0);
	item->reasoning = cost->reasoning;
	item->bodies = split ? 0 : cost->bodies;
	groups->tokens += cost->tokens;
	if (goes_on) {
		item->message = groups->messages - 1;
		item->spoken = groups->spoken - 1;
	} else {
		groups->messages++;
		groups->spoken += view->role != CTX_ROLE_SYSTEM &&
		    !(flags & OURS);
	}
	if (pair(groups, dialect, view, (uint32_t)groups->n - 1, results,
		err) < 0)
		return -1;
	tie(groups, view, (uint32_t)groups->n - 1);
	join_answer(groups, dialect, (uint32_t)groups->n - 1);
	join_pieces(groups, view, (uint32_t)groups->n - 1);
	groups->before = (uint32_t)groups->n - 1;
	return 0;
}

int
ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err)
{
	struct ctx_item *item = add_item(groups, err);

	if (item == NULL)
		return -1;
	item->flags = CTX_ITEM_UNKNOWN;
	if (!aside)
		groups->before = NONE;
	return 0;
}

int
ctx_groups_compact(struct ctx_groups *groups, const bool *gone,
    struct ctx_err *err)
{
	struct ctx_item *items = groups->items;
	struct ctx_calls *calls = groups->calls;
	uint32_t *now, kept = 0, i;

	if (groups->n == 0)
		return 0;
	now = malloc(groups->n * sizeof *now);
	if (now == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < groups->n; i++) {
		items[i].up = ctx_group_of(items, i);
		now[i] = kept;
		kept += !gone[i];
	}
	for (i = 0; i < groups->n; i++) {
		if (gone[i])
			continue;
		items[now[i]] = items[i];
		items[now[i]].up = now[items[i].up];
	}
	for (i = 0; i < calls->n; i++)
		if (calls->slots[i].item != NONE)
			calls->slots[i].item = now[calls->slots[i].item];
	if (groups->tied != NONE)
		groups->tied = now[groups->tied];
	if (groups->going != NONE)
		groups->going = now[groups->going];
	if (groups->before != NONE)
		groups->before =
		    gone[groups->before] ? NONE : now[groups->before];
	groups->n = kept;
	free(now);
	return 0;
}

#define FORGET_AT 4096 /* items */

int
ctx_groups_forget(struct ctx_groups *groups, struct ctx_err *err)
{
	bool *gone;
	size_t i;
	int rc;

	if (groups->n < FORGET_AT || groups->n < groups->forget_at)
		return 0;
	gone = calloc(groups->n, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < groups->n; i++)
		gone[i] = groups->items[ctx_group_of(groups->items,
					    (uint32_t)i)].open == 0;
	rc = ctx_groups_compact(groups, gone, err);
	free(gone);
	groups->forget_at = groups->n * 2 + FORGET_AT;
	return rc;
}
