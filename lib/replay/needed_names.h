/* needed_names.h - finds the needed names of a recorded session: paths,
 * identifiers and other names in responses that come from the prompts of these
 * responses */
#ifndef CTX_REPLAY_NEEDED_NAMES_H
#define CTX_REPLAY_NEEDED_NAMES_H

#include "base/base.h"

struct ctx_replay_session;
struct replay_request;

/* A place at which a needed name (a name in a response that earlier messages
 * contain) occurs: in the tool results of a message, or in everything else in
 * the message. */
struct name_place {
	uint32_t message; /* index of the message in the session */
	bool in_results;
};

/* The needed names of all requests, in the order of the requests.  A name is a
 * path, identifier, id or number.  A request needs a name if its response
 * contains the name, and an earlier message of the session, too. */
struct needed_names {
	struct ctx_intern texts; /* all names in the responses, by their ids */
	struct needed_name {
		uint32_t id;
		/* index in the array "places" of the element after the last
		 * place of this name */
		size_t end;
	} * list;
	size_t n, cap;
	struct name_place *places;
	size_t n_places, places_cap;
};

/* When the parts of a message were last sent.  Each member is the index of the
 * newest request whose prompt contains the part, plus 1; 0 if there is none.
 * results: the tool results. others: everything else in the message. */
struct sent_parts {
	uint32_t results, others;
	/* when the tool results were last sent without some passages (a few
	 * lines each) */
	uint32_t shortened;
};
/* The prompt that was sent for a request. */
struct sent_prompt {
	/* For each message of the session: when its parts were last sent. */
	const struct sent_parts *parts;
	/* text of the summary in the prompt; empty if the prompt has none */
	struct ctx_str summary;
	/* Returns 1 if the shortened tool results of a message contain a name,
	 * 0 if not, or -1 with *err. message: index of the message in the
	 * session. user: the member "user". */
	int (*search_shortened)(void *user, uint32_t message,
	    struct ctx_str name, struct ctx_err *err);
	void *user;
};

/* Finds the needed names of each request of a session: names in its response
 * that earlier messages contain.  The session must have stored its messages.
 * Sets session->needed, and the members needed and n_needed of the requests.
 * Takes linear time in the size of the session, and of the prompts that do not
 * continue the prompt before them. */
int ctx_replay_find_needed(struct ctx_replay_session *session,
    struct ctx_err *err);
/* Counts the needed names (names in the response that earlier messages contain)
 * that the prompt *sent of a request still contains.  The prompt may have been
 * pruned.  Adds the number to *kept. */
int ctx_replay_count_kept(const struct ctx_replay_session *session,
    const struct replay_request *request, const struct sent_prompt *sent,
    uint64_t *kept, struct ctx_err *err);
void ctx_needed_names_release(struct needed_names *needed);

#endif
