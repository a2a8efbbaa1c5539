/* recorded_session.h - a recorded session: its messages, and the requests to
 * which the model's messages are the responses */
#ifndef CTX_REPLAY_RECORDED_SESSION_H
#define CTX_REPLAY_RECORDED_SESSION_H

#include "replay/prompt_cache.h"

/* A message of a recorded session.  The messages are in the order of the
 * input. */
struct replay_message {
	struct prompt_message sent;
	/* number of the message's line in the session file, from 1; 0 if the
	 * message is not from a session file */
	uint32_t line;
	/* index of the request to which this message is a response, plus 1; 0
	 * if there is none */
	uint32_t answers;
	/* true if the agent shows the message but never sends it to the
	 * model */
	bool is_never_sent;
	/* The members from here to "cost" are set only if the session stores
	 * its messages for ctx_replay_pruned. text, length: JSON of the
	 * message. flags: CTX_MESSAGE_... flags that the message gets in
	 * addition when it is parsed again. dialect, cost: format and token
	 * counts of the message. */
	char *text;
	size_t length;
	unsigned flags;
	const struct ctx_dialect *dialect;
	struct ctx_cost *cost;
};

struct replay_request {
	/* index in the session of the first message of the response */
	size_t first;
	/* line in the session file of the first message of the response */
	uint32_t line;
	const char *file;
	uint64_t file_line;
	/* model that wrote the response, or NULL if not known */
	const struct ctx_model *model;
	/* Times in milliseconds since 1970; INT64_MIN if not known. time:
	 * timestamp of the newest message before the response; answer_time:
	 * timestamp of the first message of the response. */
	int64_t time, answer_time;
	/* is_resent: true if this response ends a turn, and the agent then sent
	 * a request whose last message is this response, and which the session
	 * file does not contain. end_time: timestamp of the last message of the
	 * response. */
	bool is_resent;
	/* True if this request repeats messages of earlier requests in another
	 * form, which the session file does not tell.  The reason is that the
	 * agent was started again, or has removed tool results. */
	bool is_rewritten;
	/* begins_turn: true if a message of the user is the last message of the
	 * prompt. lacks_reasoning: true if the prompt has no longer the
	 * reasoning of the turn before. */
	bool begins_turn, lacks_reasoning;
	int64_t end_time;
	/* setting of the model's thinking (enum ctx_thinking); 0 if not
	 * known */
	unsigned thinking;
	/* The tokens that were billed for the request; all 0 if the session
	 * does not contain them. has_reads: true if the format of the session
	 * has the number of billed tokens that were read from the cache. */
	struct ctx_billed_usage recorded;
	bool has_reads;
	/* tokens that ctx counts in the response */
	uint64_t response_tokens;
	/* Nodes in the tree of prompts (session.tree). prompt: last message of
	 * the prompt; answered: last message of the response. */
	uint32_t prompt, answered;
	/* needed: index in session.needed.list of the first needed name of this
	 * request (a name in the response that earlier messages contain).
	 * n_needed: number of needed names, which are in consecutive elements.
	 * Set only if the session stores its messages. */
	size_t needed, n_needed;
	/* Results of ctx_replay_bill. outside: number of tokens before all
	 * messages (system prompt, tools). stored_outside: how many of these
	 * tokens are in the cache if it contains no message of the prompt.
	 * shared: how many of these tokens are in the cache if only other
	 * sessions have stored them. unstored: number of tokens at the end of
	 * the prompt that are not written to the cache. factor: number of
	 * tokens that the provider bills for messages, per token that ctx
	 * counts. last_read: number of tokens of the newest earlier cache read
	 * that is not 0, if the request was to the same model; otherwise of the
	 * cache read of this request. hour: true if what the request
	 * writes to the cache is stored for an hour. writes_nothing: true if
	 * the session reports cache reads, but no cache writes, of models of
	 * OpenAI whose cache writes cost money: then no write is charged.
	 * expected_read: number of tokens that the replay finds in the cache,
	 * if the provider has read over 2 % fewer (recorded.read); otherwise
	 * 0. */
	uint64_t outside, stored_outside, shared, unstored, last_read;
	uint64_t expected_read;
	double factor;
	bool hour, writes_nothing;
};

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

struct ctx_replay_session {
	const char *file;
	/* number of the line that contains the whole session; 0 if the messages
	 * of the session are lines of their own */
	uint64_t line;
	/* Number of tokens of a request outside its messages (system prompt,
	 * tool definitions), as far as the recorded session contains them and
	 * ctx can count them. */
	uint64_t overhead;
	struct replay_message *messages;
	size_t n, cap;
	struct replay_request *requests;
	size_t n_requests, requests_cap;
	struct ctx_counter *counter;
	enum ctx_simd simd;
	struct prompt_tree tree;
	struct needed_names needed;
	/* The names in the messages, for the scorers of all policies.  NULL if
	 * the session does not store its messages. */
	struct ctx_shared_texts *texts;
	/* Numbers of tokens that are saved if passages (a few lines each) are
	 * removed from a message; stored so that they are counted once for all
	 * policies. removals: a hash of the message and the passages for each
	 * number; the number for the hash with this id is savings[id - 1]. */
	struct ctx_intern removals;
	uint32_t *savings;
	size_t savings_cap;
	/* key for the hashes of passages and summaries */
	struct ctx_hashkey key;
};

/* ---- request_prompts.c ---- */

/* Finds which messages each request of a session has sent, and adds them to
 * session.tree.  Sets the members prompt and answered of the requests.
 * transcript: the lines of the session file, or NULL if the session is not from
 * a session file. */
int ctx_replay_find_prompts(struct ctx_replay_session *session,
    struct ctx_transcript *transcript, struct ctx_err *err);
/* Returns the index after the last message of a request's response: the index
 * of the first message of the next response or, for the last request, the
 * number of messages.  Some messages before this index may not belong to the
 * response; their member "answers" has another value. */
size_t ctx_replay_response_end(const struct ctx_replay_session *session,
    size_t request);
/* Appends the messages of a request's response to the prompt that ends at the
 * node *node of the tree.  Sets *node to the node of the last message. */
int ctx_replay_append_response(const struct ctx_replay_session *session,
    const struct replay_request *request, struct prompt_tree *tree,
    uint32_t *node, struct ctx_err *err);

/* ---- bill.c ---- */

/* Sets *prompt to what the cache must know about a request's prompt. node: node
 * of the prompt's last message in the tree of prompts. counted: number of
 * tokens that ctx counts in the prompt's messages.  The caller must have set
 * the members outside, shared and factor of the request. */
void ctx_replay_measure_prompt(const struct replay_request *request,
    uint32_t node, uint64_t counted, struct cached_prompt *prompt);
/* Computes the billed tokens of a request into *usage. found: number of tokens
 * of the prompt that are in the simulated cache.  If the provider has read
 * fewer tokens of the recorded prompt than were expected, the same percentage
 * of this prompt is missing. */
void ctx_replay_find_usage(const struct replay_request *request,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t found, struct ctx_billed_usage *usage);

/* Adds the tokens of a request, and their cost in dollars, to a bill. now: time
 * in seconds since 1970, whose prices are used for a request without a
 * timestamp. */
void ctx_replay_add_usage(struct ctx_replay_bill *bill,
    const struct replay_request *request, int64_t now,
    const struct ctx_billed_usage *usage);

/* ---- needed_names.c ---- */

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
