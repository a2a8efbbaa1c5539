/* recorded_session.h - a recorded session: its messages, and the requests that
 * they answer */
#ifndef CTX_REPLAY_RECORDED_SESSION_H
#define CTX_REPLAY_RECORDED_SESSION_H

#include "replay/prompt_tree.h"
#include "replay/replay.h"

/* A message of the session, in the order of the input. */
struct replay_message {
	struct prompt_message sent;
	uint32_t line; /* of the transcript; 0: not in a session file */
	/* 1 + the index of the request that the message answers; 0: none */
	uint32_t answers;
	bool is_never_sent; /* true if the agent only shows the message */
};

struct replay_request {
	size_t first;  /* index of the first message of the response */
	uint32_t line; /* line of that message in the transcript */
	const char *file;
	uint64_t file_line;
	const struct ctx_model *model; /* NULL: not known */
	/* Times of the newest message before the response, and of the first
	 * message of the response, in milliseconds since 1970; valid if
	 * is_timed is true. */
	int64_t time, answer_time;
	bool is_timed;
	/* True if the session says what was billed. */
	bool is_recorded;
	bool has_reads; /* true if its format reports cache reads */
	struct ctx_billed_usage recorded;
	/* tokens that ctx counts in the response */
	uint64_t response_tokens;
	/* nodes of the tree: the prompt, and the prompt with its response */
	uint32_t prompt, answered;
};

struct ctx_replay_session {
	const char *file;
	uint64_t line; /* of a conversation inside a record; else 0 */
	/* tokens of the request outside the messages that ctx counts */
	uint64_t overhead;
	struct replay_message *messages;
	size_t n, cap;
	struct replay_request *requests;
	size_t n_requests, requests_cap;
	struct prompt_tree tree;
};

/* ---- request_prompts.c ---- */

/* Finds the prompt of each request, and the prompt with its response: the
 * members prompt and answered.  transcript: NULL if the session is not from a
 * session file. */
int ctx_replay_find_prompts(struct ctx_replay_session *session,
    struct ctx_transcript *transcript, struct ctx_err *err);

#endif
