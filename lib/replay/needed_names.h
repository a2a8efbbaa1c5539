/* needed_names.h - the needed names of a recorded session: names that its
 * responses take from their prompts, and where they are in these prompts */
#ifndef CTX_REPLAY_NEEDED_NAMES_H
#define CTX_REPLAY_NEEDED_NAMES_H

#include "base/base.h"

struct ctx_replay_session;
struct replay_request;

/* A place of a needed name: the tool results of a message, or everything else
 * in the message. */
struct name_place {
	uint32_t message; /* index of the message in the session */
	bool in_results;
};

/* The needed names of all requests, in the order of the requests.  A needed
 * name of a request is a name in its response that an earlier message of the
 * session contains. */
struct needed_names {
	struct ctx_intern texts; /* all names in the responses, by their ids */
	struct needed_name {
		uint32_t id;
		/* index in places after the last place of this name */
		size_t end;
	} * list;
	size_t n, cap;
	struct name_place *places;
	size_t n_places, places_cap;
};

/* When the parts of a message were last sent: index of the newest request whose
 * prompt contains the part, plus 1; 0 if there is none. */
struct sent_parts {
	uint32_t results, others;
	/* the same for its tool result without some of its passages */
	uint32_t shortened;
};
/* A prompt that was sent for a request. */
struct sent_prompt {
	const struct sent_parts *parts; /* for each message of the session */
	struct ctx_str summary; /* text of its summary; empty if it has none */
	/* Returns 1 if the shortened tool result of a message of the session
	 * contains a name, 0 if not, or -1 with *err.  Called with user. */
	int (*search_shortened)(void *user, uint32_t message,
	    struct ctx_str name, struct ctx_err *err);
	void *user;
};

/* Finds the needed names of all requests of a session, which must have stored
 * its messages.  Sets session->needed, and the members needed and n_needed of
 * the requests.  Time is linear in the size of the session and of the prompts
 * that do not continue the prompt before them. */
int ctx_replay_find_needed(struct ctx_replay_session *session,
    struct ctx_err *err);
/* Adds the number of needed names of a request that are in the prompt which was
 * sent for it to *kept. */
int ctx_replay_count_kept(const struct ctx_replay_session *session,
    const struct replay_request *request, const struct sent_prompt *sent,
    uint64_t *kept, struct ctx_err *err);
void ctx_needed_names_release(struct needed_names *needed);

#endif
