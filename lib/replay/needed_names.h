/* needed_names.h - the names that responses of a recorded session take from
 * their prompts, and where they are in these prompts */
#ifndef CTX_REPLAY_NEEDED_NAMES_H
#define CTX_REPLAY_NEEDED_NAMES_H

#include "base/base.h"

struct ctx_replay_session;
struct replay_request;

/* A part of a message that contains a needed name: the tool results of the
 * message, or everything else in it. */
struct name_place {
	uint32_t message; /* index of the message in the session */
	bool in_results;
};

/* For all requests, in their order: the names in the response that an earlier
 * message of the session contains (needed names). */
struct needed_names {
	struct ctx_intern texts; /* all names in the responses, by their ids */
	struct needed_name {
		uint32_t id;
		size_t end; /* index in places after the last of its places */
	} * list;
	size_t n, cap;
	struct name_place *places;
	size_t n_places, places_cap;
};

/* Which parts of a message were sent last: each member is 1 + the index of the
 * newest request whose prompt contains the part; 0: none. */
struct sent_parts {
	uint32_t results, others;
};

/* Finds the needed names of all requests of a session, which must keep its
 * messages.  Sets session->needed, and the members needed and n_needed of the
 * requests.  Time is linear in the size of the session and of the prompts that
 * do not continue the prompt before them. */
int ctx_replay_find_needed(struct ctx_replay_session *session,
    struct ctx_err *err);
/* Returns how many of a request's needed names are in a prompt that was sent
 * for it.  sent: array with an element for each message of the session.
 * summary: the text of the summary in the prompt; empty if it has none. */
uint64_t ctx_replay_count_kept(const struct ctx_replay_session *session,
    const struct replay_request *request, const struct sent_parts *sent,
    struct ctx_str summary);
void ctx_needed_names_release(struct needed_names *needed);

#endif
