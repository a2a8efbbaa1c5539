/* needed_names.h - finds the needed names of a recorded session: paths,
 * identifiers and other names in responses that come from the prompts of these
 * responses */
#ifndef CTX_REPLAY_NEEDED_NAMES_H
#define CTX_REPLAY_NEEDED_NAMES_H

#include "base/base.h"

struct ctx_replay_session;
struct replay_request;

/* A place at which a needed name occurs: in the tool results of a message, or
 * in everything else in the message. */
struct name_place {
	uint32_t message; /* index of the message in the session */
	bool in_results;
};

/* The needed names of all requests, in the order of the requests.  A name is a
 * path, identifier, id or number.  It is a needed name of a request if the
 * response contains it, and an earlier message of the session, too. */
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

/* When each part of a message was last sent: index of the newest request whose
 * prompt contains this part, plus 1; 0 if there is none. */
struct sent_parts {
	uint32_t results, others;
	/* the same for the shortened form of its tool result, without some
	 * passages (a few lines each) */
	uint32_t shortened;
};
/* Describes the prompt that was sent for a request. */
struct sent_prompt {
	/* when the parts of each message of the session were last sent */
	const struct sent_parts *parts;
	/* text of the summary in the prompt; empty if it has none */
	struct ctx_str summary;
	/* Returns 1 if the shortened tool result of a message of the session
	 * contains a name, 0 if not, or -1 with *err.  Called with user. */
	int (*search_shortened)(void *user, uint32_t message,
	    struct ctx_str name, struct ctx_err *err);
	void *user;
};

/* Finds the needed names of all requests of a session (names in responses that
 * earlier messages contain), for which the session must have stored its
 * messages.  Sets session->needed, and the members needed and n_needed of the
 * requests.  Takes linear time in the size of the session and of those prompts
 * that do not continue the prompt before them. */
int ctx_replay_find_needed(struct ctx_replay_session *session,
    struct ctx_err *err);
/* Adds to *kept the number of needed names of a request that the prompt which
 * was sent for it contains. */
int ctx_replay_count_kept(const struct ctx_replay_session *session,
    const struct replay_request *request, const struct sent_prompt *sent,
    uint64_t *kept, struct ctx_err *err);
void ctx_needed_names_release(struct needed_names *needed);

#endif
