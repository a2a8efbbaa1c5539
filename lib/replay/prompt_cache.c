/*
 * prompt_cache.c - computes which part of each prompt the prompt cache of a
 * provider would have stored
 *
 * The prompts of a session are paths of a tree, in which each node is a
 * message.  If requests have cache breakpoints, the provider stores the part of
 * a prompt before a breakpoint.  Otherwise it stores every beginning of a
 * prompt.  A message expires some time after its last use, so only the newest
 * use of each node is stored.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/recorded_session.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

/* The provider finds a stored beginning of a prompt only if at most 15 + 20
 * content blocks come after it in the prompt. ctx-cache sets one breakpoint at
 * the end of the prompt and another 15 blocks earlier, and the provider
 * searches the 20 blocks before each breakpoint. */
#define MARKED_REACH 35

void
ctx_cache_rules_of(const struct ctx_model *model, bool hour,
    struct cache_rules *rules)
{
	/* Rules of providers whose caches need no breakpoints, from their
	 * guides on prompt caching of November 2026. step: the number of tokens
	 * that are read from the cache is a multiple of this number. least:
	 * number of tokens of the shortest stored prompt. lifetime: the
	 * shortest time if a guide says, for example, "typically 5 to 10
	 * minutes". */
	static const struct {
		const char *vendor;
		uint64_t step, least;
		int64_t lifetime;
	} vendors[] = {
	    {"openai", 128, 1024, 5 * MINUTE},
	    {"deepseek", 64, 64, 24 * HOUR},
	};
	enum ctx_cache_kind kind =
	    model == NULL ? CTX_CACHE_AUTO : model->cache;

	*rules = (struct cache_rules){.step = 1, .lifetime = 5 * MINUTE};
	if (model != NULL)
		rules->least = model->cache_least;
	if (kind == CTX_CACHE_CONTROL || kind == CTX_CACHE_POINT) {
		rules->is_marked = rules->writes = true;
		rules->reach = MARKED_REACH;
		rules->lifetime = hour ? HOUR : 5 * MINUTE;
		return;
	}
	for (size_t i = 0; i < CTX_LENGTH(vendors); i++)
		if (model != NULL &&
		    strcmp(model->vendor, vendors[i].vendor) == 0) {
			rules->step = vendors[i].step;
			rules->lifetime = vendors[i].lifetime;
			if (rules->least == 0)
				rules->least = vendors[i].least;
		}
	/* OpenAI's models with cache breakpoints store every prompt for a day,
	 * and charge for writing to the cache. */
	if (kind == CTX_CACHE_BREAKPOINT) {
		rules->writes = true;
		rules->lifetime = 24 * HOUR;
	}
}

void
ctx_prompt_cache_reset(struct prompt_cache *cache,
    const struct prompt_tree *tree)
{
	cache->tree = tree;
	cache->n = cache->n_uses = 0;
	cache->tip = 0;
}

/* Enlarges cache->nodes, which has an element for each node, after nodes were
 * added to the tree. */
static int
reach_nodes(struct prompt_cache *cache, struct ctx_err *err)
{
	if (cache->n >= cache->tree->n)
		return 0;
	if (CTX_GROW(cache->nodes, cache->cap, cache->tree->n, err) < 0)
		return -1;
	memset(cache->nodes + cache->n, 0,
	    (cache->tree->n - cache->n) * sizeof *cache->nodes);
	cache->n = cache->tree->n;
	return 0;
}

/* Returns true if a node (message) is in the cache: it was part of an earlier
 * prompt for the same model, and has not expired. */
static bool
is_stored(const struct prompt_cache *cache, uint32_t node,
    const struct cached_prompt *prompt)
{
	const struct cache_use *use;

	if (cache->nodes[node].use == 0)
		return false;
	use = &cache->uses[cache->nodes[node].use - 1];
	return use->model == prompt->request->model &&
	    use->expires >= prompt->request->time;
}

/* Estimates the number of tokens from the beginning of a prompt to a node for
 * which no measured number is stored: the tokens outside the messages, plus the
 * provider's factor times the tokens that ctx counts in the messages. */
static uint64_t
scale_tokens(const struct prompt_cache *cache, uint32_t node,
    const struct cached_prompt *prompt)
{
	return prompt->request->outside +
	    (uint64_t)(prompt->request->factor *
		(double)cache->tree->nodes[node].tokens);
}

/* Returns how many tokens of a prompt are in the cache: the tokens of the
 * longest stored beginning of the prompt.  Sets *found to the part of the
 * prompt in which this beginning ends. */
static uint64_t
find_stored(const struct prompt_cache *cache,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    enum cache_find *found)
{
	const struct prompt_node *nodes = cache->tree->nodes;
	uint64_t blocks = nodes[prompt->node].blocks;

	*found = CACHE_FOUND_MESSAGES;
	for (uint32_t node = prompt->node; node != 0;
	     node = nodes[node].parent) {
		if (rules->reach > 0 &&
		    blocks - nodes[node].blocks > rules->reach)
			break;
		if (!is_stored(cache, node, prompt))
			continue;
		if (cache->nodes[node].tokens > 0)
			return cache->nodes[node].tokens;
		if (!rules->is_marked)
			return scale_tokens(cache, node, prompt);
	}
	*found = is_stored(cache, 0, prompt) ? CACHE_FOUND_OUTSIDE
					     : CACHE_FOUND_SHARED;
	return *found == CACHE_FOUND_OUTSIDE ? prompt->request->stored_outside
					     : prompt->request->shared;
}

/* Marks all messages of a prompt and its response as stored.  A use is a series
 * of prompts, each of which continues the one before.  If the prompt continues
 * the previous prompt, adds its messages to the same use, and extends the
 * lifetime of this use.  Otherwise begins a new use. lifetime: in
 * milliseconds. */
static int
store_path(struct prompt_cache *cache, const struct cached_prompt *prompt,
    int64_t lifetime, struct ctx_err *err)
{
	const struct prompt_node *nodes = cache->tree->nodes;
	const struct replay_request *request = prompt->request;
	uint32_t node = prompt->answered, use = cache->nodes[cache->tip].use;

	while (node != 0 && node != cache->tip)
		node = nodes[node].parent;
	if (node != cache->tip || use == 0 ||
	    cache->uses[use - 1].model != request->model) {
		if (CTX_GROW(cache->uses, cache->uses_cap, cache->n_uses + 1,
			err) < 0)
			return -1;
		use = (uint32_t)++cache->n_uses;
		cache->uses[use - 1].model = request->model;
	}
	cache->uses[use - 1].expires = request->answer_time == INT64_MIN
	    ? INT64_MAX
	    : request->answer_time + lifetime;
	for (node = prompt->answered; cache->nodes[node].use != use;
	     node = nodes[node].parent) {
		cache->nodes[node].use = use;
		if (node == 0)
			break;
	}
	cache->tip = prompt->node;
	return 0;
}

int
ctx_prompt_cache_send(struct prompt_cache *cache,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t *read, enum cache_find *found, struct ctx_err *err)
{
	uint64_t response = prompt->request->response_tokens;

	if (reach_nodes(cache, err) < 0)
		return -1;
	*read = find_stored(cache, prompt, rules, found);
	if (*read > prompt->tokens)
		*read = prompt->tokens;
	*read -= *read % rules->step;
	if (*read < rules->least)
		*read = 0;
	if (store_path(cache, prompt, rules->lifetime, err) < 0)
		return -1;
	if (rules->is_marked && prompt->stored < rules->least)
		return 0;
	cache->nodes[prompt->node].tokens = prompt->stored;
	/* The last rules->step tokens of a response do not count as stored.
	 * This agrees with recorded sessions of Codex (429 requests of
	 * 2026). */
	if (!rules->is_marked)
		cache->nodes[prompt->answered].tokens = prompt->tokens +
		    (response > rules->step ? response - rules->step : 0);
	return 0;
}

void
ctx_prompt_cache_release(struct prompt_cache *cache)
{
	free(cache->nodes);
	free(cache->uses);
	memset(cache, 0, sizeof *cache);
}
