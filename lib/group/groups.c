/*
 * groups.c - messages to groups and turns
 *
 * Groups are sets of items joined by union-find; the first item of a group
 * is its root, so that a group has a place in the stream.  Of the calls
 * only those are remembered that are still open.
 */
#include <stdlib.h>
#include <string.h>

#include "group/demonstration.h"
#include "group/group.h"
#include "group/open_tool_calls.h"

#define NONE UINT32_MAX

int
ctx_groups_init(struct ctx_groups *groups, struct ctx_err *err)
{
	memset(groups, 0, sizeof *groups);
	groups->calls = ctx_open_calls_new(err);
	if (groups->calls == NULL)
		return -1;
	groups->tied = NONE;
	groups->going = NONE;
	groups->n_going = 0;
	groups->before = groups->last = groups->nameless = NONE;
	groups->asks = NONE;
	return 0;
}

void
ctx_groups_release(struct ctx_groups *groups)
{
	ctx_open_calls_free(groups->calls);
	ctx_intern_release(&groups->tools);
	ctx_buf_release(&groups->text);
	ctx_buf_release(&groups->speaker);
	free(groups->items);
	memset(groups, 0, sizeof *groups);
}

void
ctx_groups_reset(struct ctx_groups *groups)
{
	ctx_open_calls_clear(groups->calls);
	ctx_intern_reset(&groups->tools);
	groups->n = 0;
	groups->tokens = 0;
	groups->messages = 0;
	groups->spoken = 0;
	groups->turn = 0;
	groups->answered = groups->goes_on = groups->elsewhere = false;
	groups->calls_on = groups->asked = false;
	groups->asks = NONE;
	groups->speaker.n = 0;
	groups->tied = NONE;
	groups->going = NONE;
	groups->n_going = 0;
	groups->before = groups->calling = groups->answering = NONE;
	groups->last = groups->nameless = NONE;
	groups->n_nameless = 0;
	groups->gap = 0;
	groups->pinned = 0;
	groups->forget_at = 0;
}

uint32_t
ctx_group_of(struct ctx_segment *items, uint32_t i)
{
	while (items[i].up != i) {
		items[i].up = items[items[i].up].up;
		i = items[i].up;
	}
	return i;
}

/* One group of two; its place is that of the earlier. */
static void
join(struct ctx_segment *items, uint32_t a, uint32_t b)
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

static struct ctx_segment *
add_item(struct ctx_groups *groups, struct ctx_err *err)
{
	struct ctx_segment *items, *item;

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
	item->up = item->row = (uint32_t)groups->n++;
	item->start = groups->tokens;
	item->message = groups->messages;
	item->spoken = groups->spoken;
	item->turn = groups->turn;
	item->gap = groups->gap;
	groups->gap = 0;
	return item;
}

/* The key of a part, and the number of the tool that it names; 0 if it names
 * none. */
static int
key_of(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_json *json, const struct ctx_block *part,
    struct ctx_call_key *key, uint32_t *tool, struct ctx_err *err)
{
	*tool = 0;
	if (ctx_call_key_of(key, json, part, dialect->rules, &groups->text,
		err) < 0)
		return -1;
	if (key->name.p == NULL ||
	    json->nodes[part->name].kind != CTX_JSON_STRING)
		return 0;
	return ctx_intern(&groups->tools, key->name.p, key->name.n, tool, err);
}

/* Joins a call that a program made to the call that runs the program.  That
 * may have its result already: then what called last is of the program. */
static int
join_caller(struct ctx_groups *groups, const struct ctx_json *json,
    const struct ctx_block *part, uint32_t item, struct ctx_err *err)
{
	struct ctx_call_key key;
	uint32_t caller, tool;

	if (ctx_caller_key_of(&key, json, part, &groups->text, err) < 0)
		return -1;
	if (key.id.p == NULL)
		return 0;
	caller = ctx_open_calls_peek(groups->calls, &key, &tool);
	if (caller == CTX_NO_SEGMENT)
		caller = groups->calling;
	if (caller != NONE)
		join(groups->items, caller, item);
	return 0;
}

/* A call gets more results.  Where it has no id any later one without may be
 * of it. */
static void
go_on(struct ctx_groups *groups, const struct ctx_call_key *key, uint32_t call)
{
	groups->goes_on = true;
	groups->items[call].flags |= CTX_SEGMENT_MORE_RESULTS;
	if (key->id.p != NULL)
		return;
	if (groups->nameless != NONE)
		join(groups->items, groups->nameless, call);
	groups->nameless = call;
	groups->n_nameless++;
}

/* Opens the calls of a message and lets its results find theirs. */
static int
pair(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view, uint32_t item, uint32_t results,
    struct ctx_err *err)
{
	struct ctx_call_key key;
	uint32_t tool, called, call;
	size_t i;

	for (i = 0; i < view->n; i++) {
		const struct ctx_block *part = &view->parts[i];

		if (part->kind != CTX_BLOCK_TOOL_CALL &&
		    part->kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if (key_of(groups, dialect, view->json, part, &key, &tool,
			err) < 0)
			return -1;
		if (part->kind == CTX_BLOCK_TOOL_CALL) {
			if (ctx_open_calls_push(groups->calls, &key, item, tool,
				err) == CTX_NO_SEGMENT)
				return -1;
			groups->items[ctx_group_of(groups->items, item)].open++;
			if (part->caller != 0 &&
			    join_caller(groups, view->json, part, item, err) <
				0)
				return -1;
			groups->calling = item;
			if (groups->items[item].tool == 0)
				groups->items[item].tool = tool;
			continue;
		}
		call = part->more
		    ? ctx_open_calls_peek(groups->calls, &key, &called)
		    : ctx_open_calls_pop(groups->calls, &key, &called);
		if (call != CTX_NO_SEGMENT) {
			groups->items[ctx_group_of(groups->items, call)].open -=
			    !part->more;
			join(groups->items, call, results);
			if (tool == 0)
				tool = called;
			if (part->more)
				go_on(groups, &key, call);
		} else if (groups->elsewhere) {
			groups->items[results].flags |= CTX_SEGMENT_PINNED;
		} else if (groups->nameless != NONE && key.id.p == NULL) {
			join(groups->items, groups->nameless, results);
			groups->n_nameless -=
			    !part->more && groups->n_nameless > 0;
		} else if (groups->answering != NONE) {
			/* One too many: it was answered by those before. */
			join(groups->items, groups->answering, results);
		} else if ((dialect->rules &
			       (CTX_ALTERNATES | CTX_RESULTS_NEXT)) &&
		    view->role != CTX_ROLE_ASSISTANT &&
		    groups->before != NONE &&
		    groups->items[groups->before].role == CTX_ROLE_ASSISTANT) {
			/* It answers nothing, and has its place by what is
			 * said before it. */
			join(groups->items, groups->before, results);
		}
		if (groups->items[results].tool == 0)
			groups->items[results].tool = tool;
	}
	return 0;
}

int
ctx_groups_tool(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view, size_t i, uint32_t *tool,
    struct ctx_err *err)
{
	const struct ctx_block *part = &view->parts[i];
	struct ctx_call_key key;

	if (key_of(groups, dialect, view->json, part, &key, tool, err) < 0)
		return -1;
	if (*tool == 0)
		(void)ctx_open_calls_peek(groups->calls, &key, tool);
	return 0;
}

/* Which of results and other content a message has; marks for a cache and
 * the like, which have no value, are neither. */
static unsigned
pieces(const struct ctx_message *view)
{
	unsigned found = 0;
	size_t i;

	for (i = 0; i < view->n; i++)
		if (view->parts[i].kind == CTX_BLOCK_TOOL_RESULT)
			found |= CTX_SEGMENT_RESULTS;
		else if (view->parts[i].owner == 0 && view->parts[i].value != 0)
			found |= CTX_SEGMENT_REST;
	return found;
}

#define OURS (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE)

/* Does this message open a turn, or stand among those that do?  One that no
 * person wrote does where what answers it would be first without it. */
static bool
is_written(const struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view, unsigned found, unsigned flags)
{
	bool first = groups->turn == 0 && (dialect->rules & CTX_FIRST_USER);

	return view->role == CTX_ROLE_USER &&
	    (first || !(view->flags & CTX_MESSAGE_META)) &&
	    !(view->flags &
		(CTX_MESSAGE_WHOLE_TURN | CTX_MESSAGE_RESULTS_ONLY)) &&
	    !(flags & OURS) && found != CTX_SEGMENT_RESULTS;
}

/*
 * Does the user's message open a turn though only other users have spoken
 * since the last one opened?  It does if somebody else wrote it: in a talk of
 * several people no one else may ever speak, and all of it would be one turn.
 * A message without a name is of whoever spoke before.
 */
static int
hear_name(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view, bool *opens, struct ctx_err *err)
{
	struct ctx_buf last = groups->speaker;

	*opens = groups->turn == 0 || groups->answered;
	if (*opens)
		groups->speaker.n = 0;
	if (!(dialect->rules & CTX_NAMES_USERS) || view->name == 0 ||
	    view->json->nodes[view->name].kind != CTX_JSON_STRING)
		return 0;
	groups->text.n = 0;
	if (ctx_json_string_decode(&groups->text,
		ctx_json_str(view->json, view->name), err) < 0)
		return -1;
	if (groups->text.n == 0)
		return 0;
	if (groups->speaker.n > 0 &&
	    !(last.n == groups->text.n &&
		memcmp(last.p, groups->text.p, last.n) == 0))
		*opens = true;
	groups->speaker = groups->text;
	groups->text = last;
	return 0;
}

static int
enter_turn(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view, bool written, unsigned flags,
    struct ctx_err *err)
{
	bool opens = false;

	if ((view->flags & CTX_MESSAGE_WHOLE_TURN) && !(flags & OURS)) {
		groups->turn++;
		groups->answered = true;
	} else if (written) {
		if (hear_name(groups, dialect, view, &opens, err) < 0)
			return -1;
		groups->turn += opens;
		groups->answered = false;
	} else if (view->role != CTX_ROLE_SYSTEM && !(flags & OURS) &&
	    !(view->flags & (CTX_MESSAGE_META | CTX_MESSAGE_HIDDEN))) {
		groups->answered = true;
	}
	return 0;
}

/* No result of a new turn answers an older call but by its id; where results
 * must come next, none answers one that the assistant has spoken after. */
static void
expire(struct ctx_groups *groups)
{
	uint32_t item;

	while ((item = ctx_open_calls_expire(groups->calls)) != CTX_NO_SEGMENT)
		groups->items[ctx_group_of(groups->items, item)].open--;
}

/* What is tied to the next message waits for it as an open call does. */
static void
tie(struct ctx_groups *groups, const struct ctx_message *view, uint32_t item)
{
	struct ctx_segment *items = groups->items;
	unsigned ties = CTX_MESSAGE_ATTACH_NEXT | CTX_MESSAGE_ATTACH_BOTH;
	bool between;

	if (groups->tied != NONE) {
		items[ctx_group_of(items, groups->tied)].open--;
		/* A system message never joins two turns. */
		if (!(items[groups->tied].flags & CTX_SEGMENT_SYSTEM) ||
		    view->role == CTX_ROLE_ASSISTANT)
			join(items, groups->tied, item);
		groups->tied = NONE;
	}
	between = view->flags &
	    (CTX_MESSAGE_ATTACH_BOTH | CTX_MESSAGE_ATTACH_PREVIOUS);
	if (between && groups->before != NONE &&
	    !(items[groups->before].flags & CTX_SEGMENT_SYSTEM))
		join(items, groups->before, item);
	if (view->flags & ties) {
		items[ctx_group_of(items, item)].open++;
		groups->tied = item;
	}
}

/* Joins the pieces of a message that goes on further down, and messages whose
 * pieces alternate.  Until the last piece has come they wait as an open call
 * does. */
static void
join_pieces(struct ctx_groups *groups, const struct ctx_message *view,
    uint32_t item)
{
	struct ctx_segment *items = groups->items;

	if ((view->flags & CTX_MESSAGE_CONTINUES) && groups->going != NONE) {
		items[ctx_group_of(items, groups->going)].open--;
		join(items, groups->going, item);
		if (--groups->n_going == 0)
			groups->going = NONE;
	}
	if (view->flags & CTX_MESSAGE_IS_CONTINUED) {
		if (groups->going != NONE)
			join(items, groups->going, item);
		items[ctx_group_of(items, item)].open++;
		groups->going = item;
		groups->n_going++;
	}
}

/* Joins all that stands between an item and the first of its group. */
static void
join_all(struct ctx_groups *groups, uint32_t item)
{
	struct ctx_segment *items = groups->items;
	uint32_t i = item;

	while (i > ctx_group_of(items, item)) {
		i = items[i - 1].row;
		if (!(items[i].flags &
			(CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN)))
			join(items, i, item);
	}
	items[item].row = i;
}

/*
 * Further results of a call that goes on come behind other messages.  With
 * what the assistant said right before them they can go from anywhere and
 * roles still alternate.  Where they share a message with what opens the next
 * turn, that stays, and what is before it must end as it did: all goes, or
 * nothing.
 */
static void
join_late(struct ctx_groups *groups, uint32_t results, bool split)
{
	struct ctx_segment *items = groups->items;
	uint32_t before = groups->last;

	if (!groups->goes_on || before == NONE ||
	    items[before].role != CTX_ROLE_ASSISTANT ||
	    ctx_group_of(items, results) == before)
		return;
	join(items, before, results);
	if (split)
		join_all(groups, results);
}

/* Joins what the assistant wrote in one go. */
static void
join_answer(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    uint32_t item)
{
	struct ctx_segment *items = groups->items;

	if ((dialect->rules & CTX_JOINS_ANSWERS) && groups->before != NONE &&
	    items[item].role == CTX_ROLE_ASSISTANT &&
	    items[groups->before].role == CTX_ROLE_ASSISTANT)
		join(items, groups->before, item);
}

/* Results that answer the call of their own message, and none before it, open
 * the turn with it. */
static void
open_with_rest(struct ctx_groups *groups, uint32_t results)
{
	struct ctx_segment *items = groups->items;

	if (ctx_group_of(items, results + 1) != results)
		return;
	items[results].turn = items[results + 1].turn;
	items[results].flags |= CTX_SEGMENT_USER;
}

/* True if neighbours are one message, results come next, and the assistant has
 * called in the messages that this one continues.  Their results stand after
 * this one, and a program may wait for what it calls. */
static bool
still_calls(const struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view)
{
	const struct ctx_segment *items = groups->items;

	return (dialect->rules & CTX_RESULTS_NEXT) &&
	    (dialect->rules & CTX_ONE_MESSAGE) &&
	    view->role == CTX_ROLE_ASSISTANT && groups->before != NONE &&
	    items[groups->before].role == CTX_ROLE_ASSISTANT &&
	    (groups->calls_on ||
		items[ctx_group_of(groups->items, groups->before)].open > 0);
}

/*
 * Marks a user message, the newest item, as the last of its turn, and takes
 * that mark off the one before.  The first that is neither a demonstration nor
 * pinned keeps its mark.  A pinned one is kept in any case, and when the rest
 * of its turn has been removed it stands among the user messages of the next.
 * Called once the newest item has its group: pieces of one message are marked
 * alike.
 */
static int
ask(struct ctx_groups *groups, const struct ctx_message *view,
    struct ctx_err *err)
{
	uint32_t i, last = (uint32_t)groups->n - 1, before = groups->asks;
	struct ctx_segment *items = groups->items;
	bool demo, first;

	if (ctx_is_demonstration(view, &groups->text, &demo, err) < 0)
		return -1;
	if (before != NONE && items[before].turn != items[last].turn)
		before = NONE;
	if (before != NONE &&
	    ctx_group_of(items, before) != ctx_group_of(items, last))
		for (i = before + 1;
		     i-- > 0 && items[i].message == items[before].message;)
			items[i].flags &= (uint16_t)~CTX_SEGMENT_TASK;
	for (i = last + 1; i-- > 0 && items[i].message == items[last].message;)
		if (items[i].turn == items[last].turn)
			items[i].flags |= (uint16_t)(CTX_SEGMENT_TASK |
			    (demo ? CTX_SEGMENT_DEMONSTRATION : 0));
	first = !groups->asked && !demo &&
	    !(items[last].flags & CTX_SEGMENT_PINNED) &&
	    items[last].spoken >= groups->pinned;
	groups->asks = first ? NONE : last;
	groups->asked |= first;
	return 0;
}

int
ctx_groups_add(struct ctx_groups *groups, const struct ctx_dialect *dialect,
    const struct ctx_message *view, const struct ctx_cost *cost, unsigned flags,
    struct ctx_err *err)
{
	uint32_t turn = groups->turn;
	unsigned found = pieces(view);
	bool written = is_written(groups, dialect, view, found, flags);
	bool split =
	    written && found == (CTX_SEGMENT_RESULTS | CTX_SEGMENT_REST);
	bool goes_on =
	    (view->flags & CTX_MESSAGE_CONTINUES) && groups->spoken > 0;
	uint32_t results = (uint32_t)groups->n;
	struct ctx_segment *item;

	groups->calls_on = still_calls(groups, dialect, view);
	if (split) {
		item = add_item(groups, err);
		if (item == NULL)
			return -1;
		item->role = (uint8_t)CTX_ROLE_TOOL;
		item->flags = (uint16_t)(flags | CTX_SEGMENT_RESULTS);
		item->tokens = cost->results + cost->framing;
		item->shared = (uint32_t)cost->framing;
		item->bodies = cost->bodies;
		/* Results part turns, as those of a message by itself do. */
		groups->answered = true;
	}
	if (enter_turn(groups, dialect, view, written, flags, err) < 0)
		return -1;
	item = add_item(groups, err);
	if (item == NULL)
		return -1;
	item->role = (uint8_t)view->role;
	item->flags = (uint16_t)(flags | (split ? CTX_SEGMENT_REST : 0) |
	    (written ? CTX_SEGMENT_USER : 0) |
	    (view->flags & CTX_MESSAGE_META ? CTX_SEGMENT_META : 0) |
	    (ctx_message_is_signed(view) ? CTX_SEGMENT_SIGNED : 0) |
	    ((view->flags & CTX_MESSAGE_PINNED) && !(flags & OURS)
		    ? CTX_SEGMENT_COMPACTED
		    : 0) |
	    (view->role == CTX_ROLE_SYSTEM || (flags & OURS)
		    ? CTX_SEGMENT_SYSTEM
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
		groups->spoken +=
		    view->role != CTX_ROLE_SYSTEM && !(flags & OURS);
	}
	/* Results beside the text are those of the turn before. */
	if ((written && !split) || (view->flags & CTX_MESSAGE_WHOLE_TURN) ||
	    ((dialect->rules & CTX_RESULTS_NEXT) && !groups->calls_on &&
		view->role == CTX_ROLE_ASSISTANT))
		expire(groups);
	groups->elsewhere |= (view->flags & CTX_MESSAGE_REMOTE_STATE) != 0;
	if (pair(groups, dialect, view, (uint32_t)groups->n - 1, results, err) <
	    0)
		return -1;
	groups->answering = found & CTX_SEGMENT_RESULTS ? results : NONE;
	if (groups->answering != NONE)
		join_late(groups, results, split);
	if (split) {
		open_with_rest(groups, results);
		expire(groups);
	}
	if (groups->calls_on)
		join(groups->items, groups->before, (uint32_t)groups->n - 1);
	tie(groups, view, (uint32_t)groups->n - 1);
	join_answer(groups, dialect, (uint32_t)groups->n - 1);
	join_pieces(groups, view, (uint32_t)groups->n - 1);
	groups->before = groups->last = (uint32_t)groups->n - 1;
	groups->asked &= groups->turn == turn;
	return written ? ask(groups, view, err) : 0;
}

int
ctx_groups_add_unknown(struct ctx_groups *groups, bool aside,
    struct ctx_err *err)
{
	struct ctx_segment *item = add_item(groups, err);

	if (item == NULL)
		return -1;
	item->flags = CTX_SEGMENT_UNKNOWN;
	if (!aside)
		groups->before = NONE;
	return 0;
}

/* Where an item is now, NONE if it has gone. */
static uint32_t
moved(uint32_t item, const bool *gone, const uint32_t *now)
{
	return item == NONE || gone[item] ? NONE : now[item];
}

int
ctx_groups_compact(struct ctx_groups *groups, const bool *gone,
    struct ctx_err *err)
{
	struct ctx_segment *items = groups->items;
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
		items[now[i]].row = now[items[i].row];
	}
	ctx_open_calls_move(groups->calls, now);
	if (groups->tied != NONE)
		groups->tied = now[groups->tied];
	if (groups->going != NONE)
		groups->going = now[groups->going];
	groups->before = moved(groups->before, gone, now);
	groups->calling = moved(groups->calling, gone, now);
	groups->answering = moved(groups->answering, gone, now);
	groups->last = moved(groups->last, gone, now);
	groups->nameless = moved(groups->nameless, gone, now);
	groups->asks = moved(groups->asks, gone, now);
	groups->n = kept;
	free(now);
	return 0;
}

#define FORGET_AT 256 /* items */

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
		gone[i] =
		    groups->items[ctx_group_of(groups->items, (uint32_t)i)]
			.open == 0;
	rc = ctx_groups_compact(groups, gone, err);
	free(gone);
	groups->forget_at = groups->n * 2 + FORGET_AT;
	return rc;
}
