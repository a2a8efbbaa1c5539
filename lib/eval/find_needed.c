/*
 * find_needed.c - finds the needed strings of a session that is split in two:
 * those that the messages after the split take from the messages before it
 *
 * A string is needed if it
 *  - is a name (find_names.c) in the arguments of a tool call after the split;
 *  - was first seen before the split, in a tool result or a user's message;
 *  - is in at most EVAL_SEEN_MOST messages before the split;
 *  - is in no message between the split and the tool call;
 *  - is in no message that every policy is assumed to keep.  These are the
 *    system messages, the last message of the user and the EVAL_NEWEST newest
 *    messages before the split.
 *
 * All names in arguments of tool calls after the first split are searched for
 * in all messages at once, so time is linear.  For each name only the first
 * messages that contain it are stored and, per split, the first one after the
 * split.
 */
#include <stdlib.h>
#include <string.h>

#include "eval/session.h"

/* A string in arguments of tool calls, and where it occurs.  Members that
 * identify a message are the index of the message plus 1, or 0 if there is no
 * such message. */
struct name_places {
	/* the first messages that contain the string */
	uint32_t first[EVAL_SEEN_MOST + 1];
	unsigned n_first;
};

/* Where a string occurs after one split (place at which the session is
 * divided). */
struct name_at_split {
	/* the first message after the split that has this string in the
	 * arguments of a tool call */
	uint32_t used;
	/* the first message after the split that has this string in a text or
	 * tool result */
	uint32_t shown;
	/* True if this string is in a message that every policy is assumed to
	 * keep. */
	bool always;
};

struct needed_search {
	const struct eval_session *session;
	struct eval_split *splits;
	size_t n_splits;
	struct ctx_intern *names;
	struct name_places *places;
	/* n_splits elements for each string.  The elements of string number i
	 * begin at the index i * n_splits. */
	struct name_at_split *at_split;
	size_t places_cap, at_split_cap;
	/* for each split: index of the last message of the user before it */
	size_t *last_user;
	uint32_t message; /* index of the message that is being searched */
};

/* ---- names in arguments of tool calls after the first split ---- */

static int
record_use(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct needed_search *search = user;
	size_t before = search->names->n;
	struct name_at_split *at;
	uint32_t id;

	if (ctx_intern(search->names, p, n, &id, err) < 0)
		return -1;
	if (search->names->n > before) {
		if (CTX_GROW(search->places, search->places_cap, id, err) < 0)
			return -1;
		memset(&search->places[id - 1], 0, sizeof *search->places);
		if (CTX_GROW(search->at_split, search->at_split_cap,
			id * search->n_splits, err) < 0)
			return -1;
		memset(&search->at_split[(id - 1) * search->n_splits], 0,
		    search->n_splits * sizeof *search->at_split);
	}
	at = &search->at_split[(id - 1) * search->n_splits];
	for (size_t c = 0; c < search->n_splits; c++)
		if (search->message >= search->splits[c].at && at[c].used == 0)
			at[c].used = search->message + 1;
	return 0;
}

static int
record_uses(struct needed_search *search, struct ctx_err *err)
{
	const struct eval_session *session = search->session;
	const struct ctx_name_taker taker = {search, record_use};
	const struct eval_message *m;

	for (size_t i = search->splits[0].at; i < session->n; i++) {
		m = &session->messages[i];
		search->message = (uint32_t)i;
		if (m->arguments_end > m->arguments &&
		    ctx_find_names(&taker, session->arguments.p + m->arguments,
			m->arguments_end - m->arguments, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the messages that have them ---- */

/* Returns true if every policy is assumed to keep message i, which is before
 * split number c: a system message, the last user message, or one of the newest
 * messages before the split. */
static bool
is_always_kept(const struct needed_search *search, size_t c, size_t i)
{
	return i + EVAL_NEWEST >= search->splits[c].at ||
	    i == search->last_user[c] ||
	    search->session->messages[i].role == CTX_ROLE_SYSTEM;
}

static void
record_place(void *user, uint32_t id)
{
	struct needed_search *search = user;
	struct name_places *places = &search->places[id - 1];
	struct name_at_split *at =
	    &search->at_split[(id - 1) * search->n_splits];
	uint32_t i = search->message;

	if (places->n_first <= EVAL_SEEN_MOST)
		places->first[places->n_first++] = i;
	for (size_t c = 0; c < search->n_splits; c++, at++) {
		if (i >= search->splits[c].at) {
			if (at->shown == 0)
				at->shown = i + 1;
		} else if (is_always_kept(search, c, i)) {
			at->always = true;
		}
	}
}

static struct ctx_str
get_part(const struct ctx_buf *text, size_t from, size_t to)
{
	return to == from ? (struct ctx_str){"", 0}
			  : (struct ctx_str){text->p + from, to - from};
}

static int
record_places(struct needed_search *search, struct ctx_err *err)
{
	const struct eval_session *session = search->session;
	const struct ctx_match_taker taker = {search, record_place};
	struct ctx_matcher matcher = {0};
	const struct eval_message *m;
	int rc = 0;

	for (size_t i = 0; i < search->names->n && rc == 0; i++)
		rc = ctx_matcher_add(&matcher, search->names->list[i],
		    (uint32_t)i + 1, err);
	if (rc == 0)
		rc = ctx_matcher_build(&matcher, err);
	for (size_t i = 0; i < session->n && rc == 0; i++) {
		m = &session->messages[i];
		search->message = (uint32_t)i;
		ctx_matcher_begin(&matcher);
		ctx_matcher_search(&matcher,
		    get_part(&session->texts, m->texts, m->texts_end), &taker);
		ctx_matcher_search(&matcher,
		    get_part(&session->arguments, m->arguments,
			m->arguments_end),
		    &taker);
	}
	ctx_matcher_release(&matcher);
	return rc;
}

/* ---- the strings that are needed ---- */

static bool
is_needed(const struct needed_search *search, uint32_t id, size_t c)
{
	const struct name_places *places = &search->places[id - 1];
	const struct name_at_split *at =
	    &search->at_split[(id - 1) * search->n_splits + c];
	size_t split = search->splits[c].at;
	const struct eval_message *first;

	if (at->used == 0 || at->always || places->first[0] >= split ||
	    at->shown < at->used)
		return false;
	if (places->n_first > EVAL_SEEN_MOST &&
	    places->first[EVAL_SEEN_MOST] < split)
		return false;
	first = &search->session->messages[places->first[0]];
	return first->role == CTX_ROLE_USER || first->role == CTX_ROLE_TOOL ||
	    first->has_results;
}

static int
add_needed(struct needed_search *search, uint32_t id, size_t c,
    struct ctx_err *err)
{
	const struct name_places *places = &search->places[id - 1];
	struct eval_split *split = &search->splits[c];
	struct needed_string *list;

	if (CTX_GROW(split->needed, split->cap, split->n + 1, err) < 0)
		return -1;
	list = &split->needed[split->n++];
	*list =
	    (struct needed_string){.text = ctx_intern_at(search->names, id)};
	for (unsigned i = 0; i < places->n_first && i < EVAL_SEEN_MOST; i++)
		if (places->first[i] < split->at)
			list->seen[list->n_seen++] = places->first[i];
	return 0;
}

static int
search_needed(struct needed_search *search, struct ctx_err *err)
{
	if (record_uses(search, err) < 0 || record_places(search, err) < 0)
		return -1;
	for (size_t c = 0; c < search->n_splits; c++)
		for (uint32_t id = 1; id <= search->names->n; id++)
			if (is_needed(search, id, c) &&
			    add_needed(search, id, c, err) < 0)
				return -1;
	return 0;
}

static void
find_last_users(struct needed_search *search)
{
	for (size_t c = 0; c < search->n_splits; c++) {
		size_t i = search->splits[c].at;

		while (i > 0 && !search->session->messages[i - 1].by_user)
			i--;
		search->last_user[c] = i > 0 ? i - 1 : 0;
	}
}

int
ctx_find_needed(const struct eval_session *session, struct eval_split *splits,
    size_t n, struct ctx_intern *names, struct ctx_err *err)
{
	struct needed_search search = {.session = session,
	    .splits = splits,
	    .n_splits = n,
	    .names = names};
	int rc;

	if (n == 0)
		return 0;
	if (session->n >= UINT32_MAX)
		return ctx_err_set(err, CTX_ELIMIT,
		    "a session has more than %lu messages, the maximum",
		    (unsigned long)UINT32_MAX - 1);
	search.last_user = calloc(n, sizeof *search.last_user);
	if (search.last_user == NULL)
		return ctx_err_nomem(err);
	find_last_users(&search);
	rc = search_needed(&search, err);
	free(search.last_user);
	free(search.places);
	free(search.at_split);
	return rc;
}
