/* prompt_cache.h - a provider's prompt cache during a replay */
#ifndef CTX_REPLAY_PROMPT_CACHE_H
#define CTX_REPLAY_PROMPT_CACHE_H

#include "replay/prompt_tree.h"
#include "replay/replay.h"

/* How a provider caches prompts.  Times are in milliseconds. */
struct cache_rules {
	/* True if only beginnings are stored that end at a breakpoint; false if
	 * the cache finds the longest beginning that two prompts share. */
	bool is_marked;
	/* True if the provider charges for writing to the cache. */
	bool writes;
	uint64_t step;  /* reads are multiples of this many tokens */
	uint64_t least; /* tokens of the shortest beginning that is stored */
	/* A stored beginning is found if at most this many blocks come after
	 * it; 0: however many. */
	uint64_t reach;
	int64_t lifetime; /* after the last use */
};
/* Sets *rules to those of a model, which may be NULL.  hour: true if
 * breakpoints ask for an hour. */
void ctx_cache_rules_of(const struct ctx_model *model, bool hour,
    struct cache_rules *rules);

/* A prompt that is looked up in the cache and then stored there. */
struct cached_prompt {
	uint32_t node;     /* in the tree */
	uint32_t answered; /* the prompt with its response */
	const struct ctx_model *model;
	/* When the prompt was sent, and when its response began, in
	 * milliseconds since 1970; INT64_MIN: not known. */
	int64_t time, answer_time;
	uint64_t tokens; /* of the whole prompt */
	uint64_t stored; /* of them, those that are stored in the cache */
	/* Tokens before all messages, and of them those that other sessions
	 * keep in the cache. */
	uint64_t outside, shared;
	/* The provider's tokens of the messages per token that ctx counts. */
	double factor;
	uint64_t response_tokens; /* tokens that ctx counts in the response */
};

/* How much of a prompt a cache has. */
enum cache_find {
	CACHE_FOUND_MESSAGES,
	/* only what is before all messages */
	CACHE_FOUND_OUTSIDE,
	/* nothing of the session, only what other sessions share */
	CACHE_FOUND_SHARED,
};

/* The state of the cache.  A zeroed struct is an empty cache. */
struct prompt_cache {
	const struct prompt_tree *tree;
	struct cached_node {
		uint32_t use; /* 1 + index of its newest use; 0: none */
		/* Tokens of the stored beginning that ends here; 0: none ends
		 * here. */
		uint64_t tokens;
	} * nodes;
	size_t n, cap;
	/* A use is a row of prompts of which each continues the one before.
	 * A node belongs to the newest use that contains it. */
	struct cache_use {
		const struct ctx_model *model;
		int64_t expires; /* milliseconds since 1970 */
	} * uses;
	size_t n_uses, uses_cap;
	uint32_t tip; /* node of the newest prompt */
};
void ctx_prompt_cache_reset(struct prompt_cache *cache,
    const struct prompt_tree *tree);
/* Sets *read to the tokens of a prompt that the cache has, and *found to where
 * they end.  Then stores the prompt. */
int ctx_prompt_cache_send(struct prompt_cache *cache,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t *read, enum cache_find *found, struct ctx_err *err);
void ctx_prompt_cache_release(struct prompt_cache *cache);

#endif
