/* recorded_session.h - a recorded session: its messages, and the requests that
 * they answer */
#ifndef CTX_REPLAY_RECORDED_SESSION_H
#define CTX_REPLAY_RECORDED_SESSION_H

#include "replay/prompt_cache.h"

/* A message of the session, in the order of the input. */
struct replay_message {
	struct prompt_message sent;
	uint32_t line; /* of the transcript; 0: not in a session file */
	/* 1 + the index of the request that the message answers; 0: none */
	uint32_t answers;
	bool is_never_sent; /* true if the agent only shows the message */
	/* What reads the message once more, if the session keeps its messages
	 * (ctx_replay_read): the bytes of its record, the JSON node in it, the
	 * format, CTX_MESSAGE_... flags to be added, and its token counts. */
	char *text;
	size_t length;
	uint32_t node;
	unsigned flags;
	const struct ctx_dialect *dialect;
	struct ctx_cost *cost;
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
	/* What ctx_replay_bill has found: the tokens before all messages, of
	 * them those that other sessions share, the provider's tokens of the
	 * messages per token that ctx counts, and whether what the request
	 * writes to the cache is stored for an hour. */
	uint64_t outside, shared;
	double factor;
	bool hour;
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
	struct ctx_counter *counter;
	enum ctx_simd simd;
	struct prompt_tree tree;
};

/* ---- request_prompts.c ---- */

/* Finds the prompt of each request, and the prompt with its response: the
 * members prompt and answered.  transcript: NULL if the session is not from a
 * session file. */
int ctx_replay_find_prompts(struct ctx_replay_session *session,
    struct ctx_transcript *transcript, struct ctx_err *err);
/* Appends the response of a request to a prompt of it, which ends at *node of
 * the tree. */
int ctx_replay_append_response(const struct ctx_replay_session *session,
    const struct replay_request *request, struct prompt_tree *tree,
    uint32_t *node, struct ctx_err *err);

/* ---- bill.c ---- */

/* Sets *prompt to the prompt of a request, which ends at a node of a tree.
 * counted: tokens that ctx counts in its messages.  The members outside, shared
 * and factor of the request must be known. */
void ctx_replay_measure_prompt(const struct replay_request *request,
    uint32_t node, uint64_t counted, struct cached_prompt *prompt);
/* Sets *usage to what is billed for a request.  read: tokens of its prompt that
 * were in the cache. */
void ctx_replay_find_usage(const struct replay_request *request,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t read, struct ctx_billed_usage *usage);

/* Adds the tokens of a request, and their cost, to a bill.  now: as in struct
 * ctx_replay_options. */
void ctx_replay_add_usage(struct ctx_replay_bill *bill,
    const struct replay_request *request, int64_t now,
    const struct ctx_billed_usage *usage);

#endif
