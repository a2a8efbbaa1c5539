/*
 * prompt_cache.c - a provider's prompt cache during a replay
 *
 * The prompts of a session are paths of a tree.  With breakpoints, the cache
 * stores the beginnings at whose end a prompt ended; without them, every
 * beginning of a prompt.  What was stored last expires last, so each node of
 * the tree only needs to know its newest use.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/prompt_cache.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

/* Blocks after a stored beginning: a breakpoint at the end of the prompt and
 * one 15 blocks before it, from each of which the provider looks back 20 blocks
 * (ctx_mark_cache, struct ctx_breakpoint_format). */
#define MARKED_REACH 35

void
ctx_cache_rules_of(const struct ctx_model *model, bool hour,
    struct cache_rules *rules)
{
	/* Providers whose caches find beginnings by themselves: their guides on
	 * prompt caching, November 2026.  A lifetime that a guide leaves open
	 * ("typically 5 to 10 minutes") is its shortest. */
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
	size_t i;

	*rules = (struct cache_rules){.step = 1, .lifetime = 5 * MINUTE};
	if (model != NULL)
		rules->least = model->cache_least;
	if (kind == CTX_CACHE_CONTROL || kind == CTX_CACHE_POINT) {
		rules->is_marked = rules->writes = true;
		rules->reach = MARKED_REACH;
		rules->lifetime = hour ? HOUR : 5 * MINUTE;
		return;
	}
	for (i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
		if (model != NULL &&
		    strcmp(model->vendor, vendors[i].vendor) == 0) {
			rules->step = vendors[i].step;
			rules->lifetime = vendors[i].lifetime;
			if (rules->least == 0)
				rules->least = vendors[i].least;
		}
	/* OpenAI's models with breakpoints store everything for a day, and
	 * charge for it. */
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

/* Makes room for the state of every node of the tree. */
static int
reach_nodes(struct prompt_cache *cache, struct ctx_err *err)
{
	struct cached_node *nodes;

	if (cache->n >= cache->tree->n)
		return 0;
	nodes = ctx_grow(cache->nodes, &cache->cap, cache->tree->n,
	    sizeof *nodes, err);
	if (nodes == NULL)
		return -1;
	cache->nodes = nodes;
	memset(nodes + cache->n, 0,
	    (cache->tree->n - cache->n) * sizeof *nodes);
	cache->n = cache->tree->n;
	return 0;
}

/* Returns true if the model can still read what was stored at a node. */
static bool
is_stored(const struct prompt_cache *cache, uint32_t node,
    const struct cached_prompt *prompt)
{
	const struct cache_use *use;

	if (cache->nodes[node].use == 0)
		return false;
	use = &cache->uses[cache->nodes[node].use - 1];
	return use->model == prompt->model && use->expires >= prompt->time;
}

/* Returns the tokens of a beginning that ends at a node, for which no number is
 * stored. */
static uint64_t
scale_tokens(const struct prompt_cache *cache, uint32_t node,
    const struct cached_prompt *prompt)
{
	return prompt->outside +
	    (uint64_t)(prompt->factor *
		(double)cache->tree->nodes[node].tokens);
}

/* Returns the tokens of the longest stored beginning of a prompt. */
static uint64_t
find_stored(const struct prompt_cache *cache,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    enum cache_find *found)
{
	const struct prompt_node *nodes = cache->tree->nodes;
	uint64_t blocks = nodes[prompt->node].blocks;
	uint32_t node;

	*found = CACHE_FOUND_MESSAGES;
	for (node = prompt->node; node != 0; node = nodes[node].parent) {
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
	return *found == CACHE_FOUND_OUTSIDE ? prompt->outside : prompt->shared;
}

/* Gives all nodes of the newest prompt to one use: the one before, if the
 * prompt continues the one before, else a new one.  end: the last node. */
static int
store_path(struct prompt_cache *cache, const struct cached_prompt *prompt,
    int64_t lifetime, struct ctx_err *err)
{
	const struct prompt_node *nodes = cache->tree->nodes;
	struct cache_use *uses;
	uint32_t node = prompt->answered, use = cache->nodes[cache->tip].use;

	while (node != 0 && node != cache->tip)
		node = nodes[node].parent;
	if (node != cache->tip || use == 0 ||
	    cache->uses[use - 1].model != prompt->model) {
		uses = ctx_grow(cache->uses, &cache->uses_cap,
		    cache->n_uses + 1, sizeof *uses, err);
		if (uses == NULL)
			return -1;
		cache->uses = uses;
		use = (uint32_t)++cache->n_uses;
		uses[use - 1].model = prompt->model;
	}
	cache->uses[use - 1].expires = prompt->answer_time == INT64_MIN
	    ? INT64_MAX
	    : prompt->answer_time + lifetime;
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
	/* The end of a response is not stored: in recorded sessions of Codex, a
	 * step of it (429 requests of 2026). */
	if (!rules->is_marked && prompt->response_tokens > rules->step)
		cache->nodes[prompt->answered].tokens =
		    prompt->tokens + prompt->response_tokens - rules->step;
	else if (!rules->is_marked)
		cache->nodes[prompt->answered].tokens = prompt->tokens;
	return 0;
}

void
ctx_prompt_cache_release(struct prompt_cache *cache)
{
	free(cache->nodes);
	free(cache->uses);
	memset(cache, 0, sizeof *cache);
}
