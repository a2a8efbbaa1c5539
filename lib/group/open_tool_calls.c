/*
 * open_tool_calls.c - a table of open tool calls; a tool call is open as long
 * as it has no result, or will get further ones
 *
 * A call can be in three lists at once: the calls with the same id, the calls
 * of the same tool, and all calls in order.  A call that only its id can match
 * is only in the first of these lists.  A result finds its call in one of them.
 * The call is then removed from all lists.  Lists are found by a 128-bit keyed
 * hash of the id or name, so that long ids need not be copied.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "group/open_tool_calls.h"

#define NONE          UINT32_MAX
#define LEAST_BUCKETS 64

enum list_kind { BY_ID, BY_NAME, BY_ORDER, LIST_KINDS };

struct open_tool_call {
	/* Index of the segment (message or part of one) that contains the call.
	 * NONE if this struct is unused. */
	uint32_t segment;
	/* id of the name of the call's tool, or 0 if the call has no tool
	 * name */
	uint32_t tool;
	uint32_t free; /* next struct in the list of unused structs */
	struct {
		/* For each kind of list (enum list_kind): index of the list
		 * that contains the call, or NONE if there is none. */
		uint32_t list;
		uint32_t previous, next;
	} in[LIST_KINDS];
};

/* A list of open tool calls: all calls, the calls with the same id, or the
 * calls with the same tool name. key: hash of the id or of the tool name (see
 * hash_key). */
struct call_list {
	uint64_t key[2];
	uint32_t first, last;
	/* For a list in the hash table: the next list in the same bucket.  For
	 * an unused list: the next unused list. */
	uint32_t chain;
};

struct ctx_open_calls {
	struct ctx_hashkey hash;
	struct open_tool_call *calls;
	size_t n_calls, cap_calls;
	uint32_t free_call;
	struct call_list *lists;
	size_t n_lists, cap_lists, used_lists;
	uint32_t free_list;
	uint32_t *buckets;
	size_t mask; /* number of buckets of the hash table, minus 1 */
};

/* Changes the number of buckets of the hash table, and moves each list into the
 * bucket to which its key now belongs. buckets: the new number, a power of
 * two. */
static int
resize_buckets(struct ctx_open_calls *calls, size_t buckets,
    struct ctx_err *err)
{
	uint32_t *grown, *bucket, chain;

	grown = calloc(buckets, sizeof *grown);
	if (grown == NULL)
		return ctx_err_nomem(err);
	memset(grown, 0xff, buckets * sizeof *grown);
	for (size_t i = 0; calls->buckets != NULL && i <= calls->mask; i++) {
		for (uint32_t l = calls->buckets[i]; l != NONE; l = chain) {
			chain = calls->lists[l].chain;
			bucket = &grown[calls->lists[l].key[0] & (buckets - 1)];
			calls->lists[l].chain = *bucket;
			*bucket = l;
		}
	}
	free(calls->buckets);
	calls->buckets = grown;
	calls->mask = buckets - 1;
	return 0;
}

struct ctx_open_calls *
ctx_open_calls_new(struct ctx_err *err)
{
	struct ctx_open_calls *calls = calloc(1, sizeof *calls);

	if (calls == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	ctx_hashkey_init(&calls->hash);
	if (resize_buckets(calls, LEAST_BUCKETS, err) < 0) {
		free(calls);
		return NULL;
	}
	ctx_open_calls_clear(calls);
	return calls;
}

void
ctx_open_calls_free(struct ctx_open_calls *calls)
{
	if (calls == NULL)
		return;
	free(calls->calls);
	free(calls->lists);
	free(calls->buckets);
	free(calls);
}

void
ctx_open_calls_clear(struct ctx_open_calls *calls)
{
	uint32_t *fewer;

	/* Shrinks a hash table that is large and nearly empty.  Clearing a
	 * large table for every small conversation would be slow. */
	if (calls->mask >= LEAST_BUCKETS && calls->n_lists < calls->mask / 8 &&
	    (fewer = realloc(calls->buckets, LEAST_BUCKETS * sizeof *fewer)) !=
		NULL) {
		calls->buckets = fewer;
		calls->mask = LEAST_BUCKETS - 1;
	}
	calls->n_calls = calls->n_lists = calls->used_lists = 0;
	calls->free_call = calls->free_list = NONE;
	memset(calls->buckets, 0xff,
	    (calls->mask + 1) * sizeof *calls->buckets);
}

/* Computes the hash by which a list of tool calls is found.  For a list of the
 * calls with the same id, this is the hash of the id; for a list of the calls
 * of the same tool, the hash of the tool name.  There is only one list of all
 * calls (BY_ORDER), so its hash is constant. */
static void
hash_key(const struct ctx_open_calls *calls, enum list_kind kind,
    const struct ctx_call_key *key, uint64_t hash[2])
{
	struct ctx_str text = kind == BY_ID ? key->id : key->name;

	hash[0] = hash[1] = 0;
	if (kind != BY_ORDER)
		ctx_hash_wide(&calls->hash, text.p, text.n, hash);
	hash[0] += kind;
}

/* Finds the list of calls with this key.  The lists in a bucket form a linked
 * list.  Returns the address of the variable that contains the index of the
 * list.  If there is no such list, returns the address of the variable at the
 * end of the bucket, which contains NONE. */
static uint32_t *
find_link(struct ctx_open_calls *calls, const uint64_t key[2])
{
	uint32_t *link = &calls->buckets[key[0] & calls->mask];
	struct call_list *list;

	for (; *link != NONE; link = &list->chain) {
		list = &calls->lists[*link];
		if (list->key[0] == key[0] && list->key[1] == key[1])
			break;
	}
	return link;
}

/* Returns the index of the list with this key.  Creates the list if it does not
 * exist.  Returns NONE with *err if there is no memory. */
static uint32_t
find_or_add_list(struct ctx_open_calls *calls, const uint64_t key[2],
    struct ctx_err *err)
{
	uint32_t l = *find_link(calls, key), *link;

	if (l != NONE)
		return l;
	if (calls->used_lists > calls->mask &&
	    resize_buckets(calls, (calls->mask + 1) * 2, err) < 0)
		return NONE;
	l = calls->free_list;
	if (l != NONE) {
		calls->free_list = calls->lists[l].chain;
	} else {
		if (CTX_GROW(calls->lists, calls->cap_lists, calls->n_lists + 1,
			err) < 0)
			return NONE;
		l = (uint32_t)calls->n_lists++;
	}
	calls->lists[l] =
	    (struct call_list){{key[0], key[1]}, NONE, NONE, NONE};
	link = find_link(calls, key);
	*link = l;
	calls->used_lists++;
	return l;
}

/* Returns the index of an unused struct for a tool call, or NONE with *err if
 * there is no memory. */
static uint32_t
allocate_open_call(struct ctx_open_calls *calls, struct ctx_err *err)
{
	uint32_t c = calls->free_call;

	if (c != NONE) {
		calls->free_call = calls->calls[c].free;
		return c;
	}
	/* Each call may need up to LIST_KINDS new lists, for example one for
	 * its id and one for the name of its tool.  Lists are numbered with 32
	 * bits, so the number of calls is limited. */
	if (calls->n_calls >= NONE / LIST_KINDS) {
		ctx_err_set(err, CTX_ELIMIT,
		    "the conversation has more than %u tool calls without a "
		    "result; split it, or use ctx-check --repair",
		    (unsigned)(NONE / LIST_KINDS));
		return NONE;
	}
	if (CTX_GROW(calls->calls, calls->cap_calls, calls->n_calls + 1, err) <
	    0)
		return NONE;
	return (uint32_t)calls->n_calls++;
}

/* Adds a call to a list.  In a list of calls with one id (BY_ID) the newest
 * call is first; in the lists of the other kinds the oldest call is first. */
static void
link_call(struct ctx_open_calls *calls, uint32_t c, enum list_kind kind,
    uint32_t l)
{
	struct call_list *list = &calls->lists[l];
	struct open_tool_call *call = &calls->calls[c];

	call->in[kind].list = l;
	call->in[kind].previous = call->in[kind].next = NONE;
	if (list->first == NONE) {
		list->first = list->last = c;
	} else if (kind == BY_ID) {
		call->in[kind].next = list->first;
		calls->calls[list->first].in[kind].previous = c;
		list->first = c;
	} else {
		call->in[kind].previous = list->last;
		calls->calls[list->last].in[kind].next = c;
		list->last = c;
	}
}

/* Removes a call from its list of the given kind, if the call is in such a
 * list.  Frees the list if no call is left in it. */
static void
unlink_call(struct ctx_open_calls *calls, uint32_t c, enum list_kind kind)
{
	uint32_t l = calls->calls[c].in[kind].list, *link;
	uint32_t previous = calls->calls[c].in[kind].previous;
	uint32_t next = calls->calls[c].in[kind].next;
	struct call_list *list;

	if (l == NONE)
		return;
	calls->calls[c].in[kind].list = NONE;
	list = &calls->lists[l];
	if (previous != NONE)
		calls->calls[previous].in[kind].next = next;
	else
		list->first = next;
	if (next != NONE)
		calls->calls[next].in[kind].previous = previous;
	else
		list->last = previous;
	if (list->first != NONE)
		return;
	link = find_link(calls, list->key);
	*link = list->chain;
	list->chain = calls->free_list;
	calls->free_list = l;
	calls->used_lists--;
}

/* Returns text, which was read from the JSON value at node.  If this value is
 * missing, null or empty, returns a string whose member p is NULL. */
static struct ctx_str
get_nonempty_text(const struct ctx_json *json, uint32_t node,
    struct ctx_str text)
{
	if (text.n == 0 || json->nodes[node].kind == CTX_JSON_NULL)
		return (struct ctx_str){NULL, 0};
	return text;
}

int
ctx_call_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, uint64_t rules, struct ctx_buf *text,
    struct ctx_err *err)
{
	struct ctx_str id = {"", 0}, name;
	size_t id_length;

	key->rules = rules;
	text->n = 0;
	if (block->id != 0 &&
	    ctx_json_text(json, block->id, text, &id, err) < 0)
		return -1;
	id_length = text->n;
	if (ctx_block_tool(json, block, text, &name, err) < 0)
		return -1;
	/* ctx_block_tool appends the tool's name to the buffer that contains
	 * the id, and may move the buffer.  So the pointer to the id is set
	 * again. */
	if (id_length > 0)
		id = (struct ctx_str){text->p, id_length};
	key->id = get_nonempty_text(json, block->id, id);
	key->name = get_nonempty_text(json, block->name, name);
	return 0;
}

int
ctx_caller_key_of(struct ctx_call_key *key, const struct ctx_json *json,
    const struct ctx_block *block, struct ctx_buf *text, struct ctx_err *err)
{
	const struct ctx_block caller = {.kind = CTX_BLOCK_TOOL_CALL,
	    .id = block->caller};

	return ctx_call_key_of(key, json, &caller, 0, text, err);
}

static bool
is_paired_by_name(const struct ctx_call_key *key)
{
	return (key->rules & CTX_PAIR_BY_NAME) != 0;
}

uint32_t
ctx_open_calls_push(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t segment, uint32_t tool,
    struct ctx_err *err)
{
	bool in[LIST_KINDS] = {key->id.p != NULL,
	    is_paired_by_name(key) && key->name.p != NULL,
	    is_paired_by_name(key) || key->id.p == NULL};
	uint32_t c = allocate_open_call(calls, err), list;
	uint64_t hash[2];

	if (c == NONE)
		return NONE;
	calls->calls[c].segment = segment;
	calls->calls[c].tool = tool;
	for (unsigned kind = 0; kind < LIST_KINDS; kind++)
		calls->calls[c].in[kind].list = NONE;
	for (unsigned kind = 0; kind < LIST_KINDS; kind++) {
		if (!in[kind])
			continue;
		hash_key(calls, kind, key, hash);
		list = find_or_add_list(calls, hash, err);
		if (list == NONE)
			return NONE;
		link_call(calls, c, kind, list);
	}
	return c;
}

/* Returns the index of the first call in a list, or NONE if there is no such
 * list. */
static uint32_t
find_first_call(struct ctx_open_calls *calls, enum list_kind kind,
    const struct ctx_call_key *key)
{
	uint64_t hash[2];
	uint32_t l;

	hash_key(calls, kind, key, hash);
	l = *find_link(calls, hash);
	return l == NONE ? NONE : calls->lists[l].first;
}

/* Returns the index of the open call (tool call without a result) that a tool
 * result answers, or NONE if the result answers none. */
static uint32_t
find_answered_call(struct ctx_open_calls *calls, const struct ctx_call_key *key)
{
	uint32_t c;

	if (key->id.p == NULL)
		return find_first_call(calls,
		    is_paired_by_name(key) && key->name.p != NULL ? BY_NAME
								  : BY_ORDER,
		    key);
	c = find_first_call(calls, BY_ID, key);
	if (c != NONE || !(key->rules & CTX_PAIR_EITHER) || key->name.p == NULL)
		return c;
	c = find_first_call(calls, BY_NAME, key);
	return c != NONE && calls->calls[c].in[BY_ID].list == NONE ? c : NONE;
}

uint32_t
ctx_open_calls_peek(struct ctx_open_calls *calls,
    const struct ctx_call_key *key, uint32_t *tool)
{
	uint32_t c = find_answered_call(calls, key);

	if (c == NONE)
		return CTX_NO_SEGMENT;
	*tool = calls->calls[c].tool;
	return calls->calls[c].segment;
}

void
ctx_open_calls_remove(struct ctx_open_calls *calls, uint32_t call)
{
	for (unsigned kind = 0; kind < LIST_KINDS; kind++)
		unlink_call(calls, call, kind);
	calls->calls[call].segment = NONE;
	calls->calls[call].free = calls->free_call;
	calls->free_call = call;
}

uint32_t
ctx_open_calls_pop(struct ctx_open_calls *calls, const struct ctx_call_key *key,
    uint32_t *tool)
{
	uint32_t c = find_answered_call(calls, key), segment;

	if (c == NONE)
		return CTX_NO_SEGMENT;
	segment = calls->calls[c].segment;
	*tool = calls->calls[c].tool;
	ctx_open_calls_remove(calls, c);
	return segment;
}

uint32_t
ctx_open_calls_expire(struct ctx_open_calls *calls)
{
	static const struct ctx_call_key any = {.rules = 0};
	uint32_t c, segment;

	while ((c = find_first_call(calls, BY_ORDER, &any)) != NONE) {
		if (calls->calls[c].in[BY_ID].list == NONE) {
			segment = calls->calls[c].segment;
			ctx_open_calls_remove(calls, c);
			return segment;
		}
		unlink_call(calls, c, BY_NAME);
		unlink_call(calls, c, BY_ORDER);
	}
	return CTX_NO_SEGMENT;
}

void
ctx_open_calls_renumber(struct ctx_open_calls *calls, const uint32_t *new_index)
{
	for (size_t i = 0; i < calls->n_calls; i++)
		if (calls->calls[i].segment != NONE)
			calls->calls[i].segment =
			    new_index[calls->calls[i].segment];
}
