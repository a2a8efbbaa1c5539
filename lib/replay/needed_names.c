/*
 * needed_names.c - finds the names that each response of a recorded session
 * takes from its prompt
 *
 * A request needs a name, such as a path or an id (eval/find_names.c), if the
 * arguments of a tool call in its response contain the name, and if in its
 * prompt without pruning
 *  - the first message with the name is a tool result or from the user;
 *  - at most EVAL_SEEN_MOST messages contain the name;
 *  - no message contains it that every policy is assumed to keep: the system
 *    messages, the last message of the user, and the EVAL_NEWEST newest ones.
 *
 * All names are searched for in all messages at once.  Then the prompts are
 * examined in the order of the requests; if a prompt continues the one before,
 * only its new messages are examined.
 *
 * The tool calls of a record that holds a whole turn (CTX_MESSAGE_WHOLE_TURN)
 * are not searched, because there the response is not a message of its own.
 */
#define _GNU_SOURCE /* memmem, in POSIX since 2024 */
#include <stdlib.h>
#include <string.h>

#include "eval/matcher.h"
#include "eval/session.h"
#include "replay/recorded_session.h"
#include "stream/rewrite.h"

/* A message, and the names in it.  The members are indexes in
 * prompt_search.found.  The names in the tool results are from "first" to
 * "others" - 1.  The names in other texts and in arguments of tool calls are
 * from "others" to "end" - 1. */
struct searched_message {
	size_t first, others, end;
	bool by_user, is_system;
	/* true for a user's message, and for a message with tool results */
	bool is_given;
	/* true if the message is split over several records, and this record is
	 * not the first of them */
	bool continues;
};

/* A name in the arguments of the tool calls of a response. */
struct name_use {
	size_t request; /* index of the request */
	uint32_t name;  /* id of the name */
};

/* Where a name is in the current prompt.  Positions are numbers of messages in
 * the prompt, counted from 1. */
struct prompt_name {
	/* Value of prompt_search.round when the other members were set.  If
	 * prompt_search.round has changed, the other members are not valid. */
	uint32_t round;
	uint32_t n_messages; /* number of messages that contain the name */
	uint32_t newest;     /* position of the newest message with it */
	/* Index in prompt_search.seen of the newest place of the name, plus 1;
	 * 0 if there is none. */
	uint32_t seen;
	/* true if the first message that contains the name is a user's message
	 * or has tool results */
	bool is_given;
};

/* A place in the current prompt at which a name occurs.  Stored only if at most
 * EVAL_SEEN_MOST messages contain the name. */
struct seen_place {
	struct name_place place;
	uint32_t position; /* position of the message in the prompt, from 1 */
	/* index in prompt_search.seen of the previous place of the same name,
	 * plus 1; 0 if there is none */
	uint32_t previous;
};

struct prompt_search {
	struct ctx_replay_session *session;
	struct ctx_rewrite rewrite; /* reads the messages of the session */
	struct ctx_buf results, texts, arguments; /* scratch memory */
	/* string table of all names in the responses of the session */
	struct ctx_intern *names;
	struct name_use *uses;
	size_t n_uses, uses_cap;
	/* For each name: index of the newest request whose response contains
	 * the name, plus 1. */
	size_t *used_by;
	size_t used_by_cap;
	size_t request; /* index of the request whose response is read */
	struct ctx_matcher matcher;
	struct searched_message *messages;
	uint32_t *found; /* ids of the names in the messages */
	size_t n_found, found_cap;
	/* where the callback record_found stores an error */
	struct ctx_err *err;
	bool has_failed; /* true if record_found has failed */
	/* walk: the prompt that is being searched for names. round: 1 plus the
	 * number of prompts so far that did not begin with the whole previous
	 * prompt. */
	struct prompt_walk walk;
	uint32_t round, n_positions, last_user;
	struct prompt_name *prompt_names;
	struct seen_place *seen;
	size_t n_seen, seen_cap;
};

/* Parses a message, and collects its texts in search->results, search->texts
 * and search->arguments.  Returns 1.  Returns 0 if the bytes of the message
 * were not stored, or are not a message.  Returns -1 with *err after an
 * error. */
static int
read_texts(struct prompt_search *search, const struct replay_message *kept,
    struct ctx_err *err)
{
	int rc;

	search->results.n = search->texts.n = search->arguments.n = 0;
	if (kept->text == NULL)
		return 0;
	rc = ctx_rewrite_read_text(&search->rewrite, kept->dialect,
	    (struct ctx_str){kept->text, kept->length}, kept->flags, err);
	if (rc <= 0)
		return rc;
	return ctx_append_message_texts(&search->results, &search->texts,
		   &search->arguments, &search->rewrite.text_message, err) < 0
	    ? -1
	    : 1;
}

/* ---- names in arguments of tool calls ---- */

static int
record_use(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct prompt_search *search = user;
	size_t before = search->names->n;
	uint32_t id;

	if (ctx_intern(search->names, p, n, &id, err) < 0)
		return -1;
	if (search->names->n > before) {
		if (CTX_GROW(search->used_by, search->used_by_cap, id, err) < 0)
			return -1;
		search->used_by[id - 1] = 0;
	}
	if (search->used_by[id - 1] == search->request + 1)
		return 0;
	search->used_by[id - 1] = search->request + 1;
	if (CTX_GROW(search->uses, search->uses_cap, search->n_uses + 1, err) <
	    0)
		return -1;
	search->uses[search->n_uses++] = (struct name_use){search->request, id};
	return 0;
}

/* Stores the names (paths, identifiers, ids and numbers) that occur in the
 * arguments of tool calls. request: index of the request whose response has
 * these calls. */
static int
record_uses(struct prompt_search *search, size_t request, struct ctx_err *err)
{
	const struct ctx_replay_session *session = search->session;
	const struct ctx_name_taker taker = {search, record_use};
	size_t i = session->requests[request].first;
	size_t end = ctx_replay_response_end(session, request);

	search->request = request;
	for (; i < end; i++) {
		if (session->messages[i].answers != request + 1)
			continue;
		if (read_texts(search, &session->messages[i], err) < 0 ||
		    (search->arguments.n > 0 &&
			ctx_find_names(&taker, search->arguments.p,
			    search->arguments.n, err) < 0))
			return -1;
	}
	return 0;
}

/* ---- the messages that contain them ---- */

static void
record_found(void *user, uint32_t id)
{
	struct prompt_search *search = user;

	if (CTX_GROW(search->found, search->found_cap, search->n_found + 1,
		search->err) < 0)
		search->has_failed = true;
	else
		search->found[search->n_found++] = id;
}

static void
search_text(struct prompt_search *search, const struct ctx_buf *text)
{
	const struct ctx_match_taker taker = {search, record_found};

	if (text->n > 0)
		ctx_matcher_search(&search->matcher, ctx_buf_str(text), &taker);
}

static int
search_message(struct prompt_search *search, size_t i, struct ctx_err *err)
{
	const struct replay_message *kept = &search->session->messages[i];
	const struct ctx_message *message = &search->rewrite.text_message;
	struct searched_message *searched = &search->messages[i];
	int rc = kept->is_never_sent ? 0 : read_texts(search, kept, err);

	searched->first = searched->others = searched->end = search->n_found;
	searched->continues = (kept->flags & CTX_MESSAGE_CONTINUES) != 0;
	if (rc <= 0)
		return rc;
	searched->by_user = ctx_message_is_by_user(message);
	searched->is_system = message->role == CTX_ROLE_SYSTEM;
	searched->is_given = message->role == CTX_ROLE_USER ||
	    message->role == CTX_ROLE_TOOL ||
	    ctx_message_has(message, CTX_BLOCK_TOOL_RESULT);
	ctx_matcher_begin(&search->matcher);
	search_text(search, &search->results);
	searched->others = search->n_found;
	ctx_matcher_begin(&search->matcher);
	search_text(search, &search->texts);
	search_text(search, &search->arguments);
	searched->end = search->n_found;
	return search->has_failed ? -1 : 0;
}

static int
search_messages(struct prompt_search *search, struct ctx_err *err)
{
	for (size_t i = 0; i < search->names->n; i++)
		if (ctx_matcher_add(&search->matcher, search->names->list[i],
			(uint32_t)i + 1, err) < 0)
			return -1;
	if (ctx_matcher_build(&search->matcher, err) < 0)
		return -1;
	search->err = err;
	for (size_t i = 0; i < search->session->n; i++)
		if (search_message(search, i, err) < 0)
			return -1;
	return 0;
}

/* ---- the prompts ---- */

static int
add_place(struct prompt_search *search, uint32_t id, struct name_place place,
    struct ctx_err *err)
{
	struct prompt_name *name = &search->prompt_names[id - 1];

	if (name->round != search->round)
		*name = (struct prompt_name){.round = search->round};
	if (name->newest != search->n_positions) {
		if (name->n_messages++ == 0)
			name->is_given =
			    search->messages[place.message].is_given;
		name->newest = search->n_positions;
	}
	if (name->n_messages > EVAL_SEEN_MOST)
		return 0;
	if (CTX_GROW(search->seen, search->seen_cap, search->n_seen + 1, err) <
	    0)
		return -1;
	search->seen[search->n_seen++] =
	    (struct seen_place){place, search->n_positions, name->seen};
	name->seen = (uint32_t)search->n_seen;
	return 0;
}

/* Appends a message to the current prompt. */
static int
append_message(void *user, uint32_t number, struct ctx_err *err)
{
	struct prompt_search *search = user;
	const struct searched_message *message = &search->messages[number];
	struct name_place place = {number, false};

	if (!message->continues || search->n_positions == 0)
		search->n_positions++;
	if (message->by_user)
		search->last_user = search->n_positions;
	for (size_t i = message->first; i < message->end; i++) {
		place.in_results = i < message->others;
		if (add_place(search, search->found[i], place, err) < 0)
			return -1;
	}
	return 0;
}

static void
begin_prompt(void *user)
{
	struct prompt_search *search = user;

	search->round++;
	search->n_positions = search->last_user = 0;
	search->n_seen = 0;
}

/* Makes the prompt that ends at a node of the tree the current prompt, and adds
 * the names in the messages of this prompt to search->prompt_names. */
static int
extend_prompt(struct prompt_search *search, uint32_t prompt,
    struct ctx_err *err)
{
	const struct prompt_taker taker = {search, begin_prompt,
	    append_message};

	return ctx_prompt_tree_walk(&search->session->tree, &search->walk,
	    prompt, &taker, err);
}

static bool
is_needed_name(const struct prompt_search *search,
    const struct prompt_name *name)
{
	const struct seen_place *seen;

	if (name->round != search->round || !name->is_given ||
	    name->n_messages > EVAL_SEEN_MOST)
		return false;
	for (uint32_t i = name->seen; i != 0; i = seen->previous) {
		seen = &search->seen[i - 1];
		if (seen->position + EVAL_NEWEST > search->n_positions ||
		    seen->position == search->last_user ||
		    search->messages[seen->place.message].is_system)
			return false;
	}
	return true;
}

/* Appends a name, and the places at which it occurs in the prompt, to the
 * session's needed names. */
static int
add_needed(struct prompt_search *search, uint32_t id, struct ctx_err *err)
{
	const struct prompt_name *name = &search->prompt_names[id - 1];
	struct needed_names *needed = &search->session->needed;

	for (uint32_t i = name->seen; i != 0;
	     i = search->seen[i - 1].previous) {
		if (CTX_GROW(needed->places, needed->places_cap,
			needed->n_places + 1, err) < 0)
			return -1;
		needed->places[needed->n_places++] = search->seen[i - 1].place;
	}
	if (CTX_GROW(needed->list, needed->cap, needed->n + 1, err) < 0)
		return -1;
	needed->list[needed->n++] = (struct needed_name){id, needed->n_places};
	return 0;
}

/* For each request whose response contains names in tool calls, searches the
 * request's prompt for these names. */
static int
search_prompts(struct prompt_search *search, struct ctx_err *err)
{
	struct ctx_replay_session *session = search->session;
	struct replay_request *request;
	size_t use = 0;
	uint32_t id;

	for (size_t i = 0; i < session->n_requests; i++) {
		request = &session->requests[i];
		request->needed = session->needed.n;
		if (use == search->n_uses || search->uses[use].request != i)
			continue;
		if (extend_prompt(search, request->prompt, err) < 0)
			return -1;
		for (; use < search->n_uses && search->uses[use].request == i;
		     use++) {
			id = search->uses[use].name;
			if (is_needed_name(search,
				&search->prompt_names[id - 1]) &&
			    add_needed(search, id, err) < 0)
				return -1;
		}
		request->n_needed = session->needed.n - request->needed;
	}
	return 0;
}

static int
find_needed(struct prompt_search *search, struct ctx_err *err)
{
	for (size_t i = 0; i < search->session->n_requests; i++)
		if (record_uses(search, i, err) < 0)
			return -1;
	if (search->names->n == 0)
		return 0;
	search->messages = calloc(search->session->n, sizeof *search->messages);
	search->prompt_names =
	    calloc(search->names->n, sizeof *search->prompt_names);
	if (search->messages == NULL || search->prompt_names == NULL)
		return ctx_err_nomem(err);
	return search_messages(search, err) < 0 ? -1
						: search_prompts(search, err);
}

int
ctx_replay_find_needed(struct ctx_replay_session *session, struct ctx_err *err)
{
	struct prompt_search search = {.session = session,
	    .names = &session->needed.texts,
	    .round = 1};
	int rc;

	ctx_intern_reset(search.names);
	session->needed.n = session->needed.n_places = 0;
	ctx_rewrite_init(&search.rewrite, session->simd);
	rc = find_needed(&search, err);
	ctx_rewrite_release(&search.rewrite);
	ctx_buf_release(&search.results);
	ctx_buf_release(&search.texts);
	ctx_buf_release(&search.arguments);
	ctx_matcher_release(&search.matcher);
	free(search.uses);
	free(search.used_by);
	free(search.messages);
	free(search.found);
	free(search.walk.numbers);
	free(search.prompt_names);
	free(search.seen);
	return rc;
}

/* ---- pruned prompts ---- */

/* Returns 1 if the prompt that was sent for a request contains a name at one of
 * the places where the name occurs, 0 if not, or -1 with *err. number: index of
 * the request, plus 1. */
static int
is_sent(const struct sent_prompt *sent, const struct name_place *place,
    uint32_t number, struct ctx_str name, struct ctx_err *err)
{
	const struct sent_parts *parts = &sent->parts[place->message];

	if (!place->in_results)
		return parts->others == number;
	if (parts->results == number || parts->shortened != number)
		return parts->results == number;
	return sent->search_shortened(sent->user, place->message, name, err);
}

int
ctx_replay_count_kept(const struct ctx_replay_session *session,
    const struct replay_request *request, const struct sent_prompt *sent,
    uint64_t *kept, struct ctx_err *err)
{
	const struct needed_names *needed = &session->needed;
	uint32_t number = (uint32_t)(request - session->requests) + 1;
	size_t i = request->needed, end = i + request->n_needed;
	struct ctx_str name;
	int is_kept;

	for (size_t place = i == 0 ? 0 : needed->list[i - 1].end; i < end;
	     i++) {
		name = ctx_intern_at(&needed->texts, needed->list[i].id);
		is_kept = sent->summary.n > 0 &&
		    memmem(sent->summary.p, sent->summary.n, name.p, name.n) !=
			NULL;
		for (; place < needed->list[i].end; place++)
			if (is_kept == 0 &&
			    (is_kept = is_sent(sent, &needed->places[place],
				 number, name, err)) < 0)
				return -1;
		*kept += is_kept > 0;
	}
	return 0;
}

void
ctx_needed_names_release(struct needed_names *needed)
{
	ctx_intern_release(&needed->texts);
	free(needed->list);
	free(needed->places);
	memset(needed, 0, sizeof *needed);
}
