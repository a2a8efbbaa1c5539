/* prompt_cache.h - computes which part of each prompt the prompt cache of a
 * provider would have stored */
#ifndef CTX_REPLAY_PROMPT_CACHE_H
#define CTX_REPLAY_PROMPT_CACHE_H

#include "replay/prompt_tree.h"
#include "replay/replay.h"

/* How the cache of a provider stores prompts.  Times are in milliseconds. */
struct cache_rules {
	/* True if the provider stores only the parts of a prompt that end at a
	 * breakpoint.  False if the provider needs no breakpoints, and finds
	 * the longest beginning that a prompt has in common with an earlier
	 * prompt. */
	bool is_marked;
	/* true if the provider charges for writing to the cache */
	bool writes;
	/* Either nothing is read from the cache, or the offset plus a multiple
	 * of the step.  Below the step, multiples of small_step are read; 0: as
	 * step.  The offset is less than the step.  It is not 0 if the provider
	 * inserts tokens before the prompt and does not bill them. */
	uint64_t step, small_step, offset;
	/* true if the response is stored, too; false if only the prompt */
	bool stores_response;
	/* number of tokens at the end of what is stored that are never read */
	uint64_t unread;
	/* minimum number of tokens of a prompt that the cache stores */
	uint64_t least;
	/* A stored beginning of a prompt is found only if the prompt has at
	 * most this number of content blocks after it. 0: any number. */
	uint64_t reach;
	/* time for which a prompt is stored after its last use, in
	 * milliseconds */
	int64_t lifetime;
};
struct replay_request;
/* ---- cache_rules.c ---- */

/* Sets *rules to the rules of the provider's prompt cache that apply to a
 * request.  Of the request, uses only the members model, hour, writes_nothing
 * and last_read. */
void ctx_cache_rules_of(const struct replay_request *request,
    struct cache_rules *rules);
/* Returns how many tokens are read if this number of tokens is found in the
 * cache. */
uint64_t ctx_cache_round(const struct cache_rules *rules, uint64_t tokens);

/* ---- prompt_cache.c ---- */

/* A prompt that is looked up in the cache and then stored there. */
struct cached_prompt {
	/* node in the tree of prompts for the last message of the prompt */
	uint32_t node;
	/* node in the tree of prompts for the last message of the response */
	uint32_t answered;
	const struct replay_request *request;
	uint64_t tokens; /* number of tokens of the whole prompt */
	bool is_billed;  /* true if the provider billed this number */
	/* number of tokens of the prompt that are in the cache after the
	 * request */
	uint64_t stored;
};

/* Which part of a prompt was found in the provider's cache. */
enum cache_find {
	CACHE_FOUND_MESSAGES,
	/* only the part before all messages: system prompt and tool
	 * definitions */
	CACHE_FOUND_OUTSIDE,
	/* The system prompt and tools, as CACHE_FOUND_OUTSIDE.  The prompt has
	 * fewer tokens than its stored beginning had, so its earlier messages
	 * were changed. */
	CACHE_FOUND_REWRITTEN,
	/* messages before the previous turn, whose reasoning is not sent any
	 * more */
	CACHE_FOUND_TURN,
	/* only a part of the system prompt and tool definitions that other
	 * sessions also send */
	CACHE_FOUND_SHARED,
};

#define CACHE_TOKENS_UNKNOWN UINT64_MAX

/* The state of a prompt cache.  A struct of zeros is an empty cache.  A request
 * finds only messages that were stored by requests to the same model and with
 * the same setting of its thinking. */
struct prompt_cache {
	const struct prompt_tree *tree;
	/* for each node of the tree: index in "entries" of its newest entry,
	 * plus 1; 0 if it has none */
	uint32_t *newest;
	size_t n, cap;
	/* A node (message) as it is stored for one model and one setting of its
	 * thinking. */
	struct stored_node {
		/* index of the newest use (series of prompts) that contains the
		 * message, plus 1 */
		uint32_t use;
		/* index of an older entry of the same node, plus 1; 0 if there
		 * is none */
		uint32_t older;
		/* true if this message of the user is the last of a stored
		 * prompt */
		bool begins_turn;
		/* Number of tokens of the stored part of a prompt that ends
		 * with this message.  0 if no stored part ends here,
		 * CACHE_TOKENS_UNKNOWN if one ends here but its tokens were not
		 * reported. */
		uint64_t tokens;
	} * entries;
	size_t n_entries, entries_cap;
	/* A use of the cache: a series of prompts, each of which continues the
	 * prompt before it.  All messages of a use expire at the same time.  A
	 * message that is in several uses of a model and setting belongs to the
	 * newest of them. */
	struct cache_use {
		const struct ctx_model *model;
		unsigned thinking; /* as replay_request.thinking */
		/* when the messages of this use expire, in milliseconds since
		 * 1970 */
		int64_t expires;
		/* node of the last message in the newest prompt of this use */
		uint32_t tip;
		uint64_t tokens; /* number of tokens of this prompt */
	} * uses;
	size_t n_uses, uses_cap;
	/* For each pair of a model and a setting of its thinking: index in
	 * "uses" of the newest use of the pair, plus 1; 0 if the pair was not
	 * used. */
	uint32_t *newest_uses;
	size_t n_newest_uses, newest_uses_cap;
};
void ctx_prompt_cache_reset(struct prompt_cache *cache,
    const struct prompt_tree *tree);
/* Returns the number of tokens of a response: as billed or else as counted. */
uint64_t ctx_replay_count_response(const struct replay_request *request);
/* Looks up a prompt in the cache, then stores it there.  Sets *read to the
 * number of tokens of the prompt that the cache contained, and *found to the
 * part of the prompt that was found. */
int ctx_prompt_cache_send(struct prompt_cache *cache,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t *read, enum cache_find *found, struct ctx_err *err);
/* Searches a prompt from the message *node toward its beginning for a message
 * at which an older stored prompt, or its response, ends.  Sets *node to this
 * message, and *tokens to the number of tokens that are stored up to it.
 * Returns false if there is none. */
bool ctx_prompt_cache_next(const struct prompt_cache *cache,
    const struct cached_prompt *prompt, uint32_t *node, uint64_t *tokens);
void ctx_prompt_cache_release(struct prompt_cache *cache);

#endif
