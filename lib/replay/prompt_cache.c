/*
 * prompt_cache.c - computes which part of each prompt the prompt cache of a
 * provider would have stored
 *
 * The prompts of a session are paths of a tree, in which each node is a
 * message.  If requests have cache breakpoints, the provider stores the part of
 * a prompt before a breakpoint.  Otherwise it stores every beginning of a
 * prompt.  A message expires some time after its last use, so only the newest
 * use of each node is stored for each model and setting of its thinking.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/recorded_session.h"

void
ctx_prompt_cache_reset(struct prompt_cache *cache,
    const struct prompt_tree *tree)
{
	cache->tree = tree;
	cache->n = cache->n_entries = cache->n_uses = cache->n_newest_uses = 0;
}

/* Enlarges cache->newest, which has an element for each node, after nodes were
 * added to the tree. */
static int
reach_nodes(struct prompt_cache *cache, struct ctx_err *err)
{
	if (cache->n >= cache->tree->n)
		return 0;
	if (CTX_GROW(cache->newest, cache->cap, cache->tree->n, err) < 0)
		return -1;
	memset(cache->newest + cache->n, 0,
	    (cache->tree->n - cache->n) * sizeof *cache->newest);
	cache->n = cache->tree->n;
	return 0;
}

/* Returns true if a use has stored what a request can find: both have the same
 * model and setting of its thinking. */
static bool
is_used_by(const struct cache_use *use, const struct replay_request *request)
{
	return use->model == request->model &&
	    use->thinking == request->thinking;
}

/* Returns the entry of a node for the model and setting of a request; NULL if
 * there is none. */
static struct stored_node *
find_entry(const struct prompt_cache *cache, uint32_t node,
    const struct replay_request *request)
{
	struct stored_node *entry;

	for (uint32_t i = cache->newest[node]; i != 0; i = entry->older) {
		entry = &cache->entries[i - 1];
		if (is_used_by(&cache->uses[entry->use - 1], request))
			return entry;
	}
	return NULL;
}

/* Returns the entry of a node (message) that a request can find in the cache:
 * it was part of an earlier prompt for the same model with the same setting of
 * its thinking, and has not expired.  Returns NULL if there is none. */
static const struct stored_node *
find_stored_entry(const struct prompt_cache *cache, uint32_t node,
    const struct replay_request *request)
{
	const struct stored_node *entry = find_entry(cache, node, request);

	return entry != NULL &&
		cache->uses[entry->use - 1].expires >= request->time
	    ? entry
	    : NULL;
}

/* Returns true if the part of a prompt before all messages is stored for the
 * model of a request.  The setting of its thinking does not matter. */
static bool
is_outside_stored(const struct prompt_cache *cache,
    const struct replay_request *request)
{
	const struct cache_use *use;

	for (uint32_t i = cache->newest[0]; i != 0;
	     i = cache->entries[i - 1].older) {
		use = &cache->uses[cache->entries[i - 1].use - 1];
		if (use->model == request->model &&
		    use->expires >= request->time)
			return true;
	}
	return false;
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

/* Estimates the number of tokens from the beginning of a prompt to a node near
 * its end: the tokens of the prompt, minus the provider's factor times the
 * tokens that ctx counts in the messages after the node. */
static uint64_t
count_before(const struct prompt_cache *cache, uint32_t node,
    const struct cached_prompt *prompt)
{
	const struct prompt_node *nodes = cache->tree->nodes;
	uint64_t after = (uint64_t)(prompt->request->factor *
	    (double)(nodes[prompt->node].tokens - nodes[node].tokens));

	return prompt->tokens > after ? prompt->tokens - after : 0;
}

/* Returns true if a prompt begins a turn and has fewer tokens than the prompt
 * before it, which a cache without breakpoints has stored: it lacks the
 * reasoning of the turn before. */
static bool
lacks_reasoning(const struct prompt_cache *cache,
    const struct stored_node *entry, const struct cached_prompt *prompt)
{
	return prompt->request->lacks_reasoning ||
	    (prompt->is_billed && prompt->request->begins_turn &&
		cache->uses[entry->use - 1].tokens > prompt->tokens);
}

/* Returns true if a prompt has fewer tokens than what is stored of it: the
 * agent has changed or removed earlier messages.  Without breakpoints, the
 * tokens are compared with those of the stored prompt without its response, and
 * a prompt that begins a turn is not compared: it may only lack the reasoning
 * of the turn before. */
static bool
is_rewritten(const struct prompt_cache *cache, const struct stored_node *entry,
    const struct cached_prompt *prompt, const struct cache_rules *rules)
{
	uint64_t stored = rules->is_marked ? entry->tokens
					   : cache->uses[entry->use - 1].tokens;

	return prompt->is_billed && stored > prompt->tokens &&
	    (rules->is_marked || !prompt->request->begins_turn);
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
	const struct stored_node *entry;

	*found = CACHE_FOUND_MESSAGES;
	for (uint32_t node = prompt->request->is_rewritten ? 0 : prompt->node;
	     node != 0; node = nodes[node].parent) {
		if (rules->reach > 0 &&
		    blocks - nodes[node].blocks > rules->reach)
			break;
		entry = find_stored_entry(cache, node, prompt->request);
		if (entry == NULL)
			continue;
		if (entry->tokens == CACHE_TOKENS_UNKNOWN)
			return count_before(cache, node, prompt);
		if (is_rewritten(cache, entry, prompt, rules)) {
			*found = CACHE_FOUND_REWRITTEN;
			break;
		}
		if (!rules->is_marked &&
		    lacks_reasoning(cache, entry, prompt)) {
			*found = CACHE_FOUND_TURN;
			if (!entry->begins_turn)
				continue;
		}
		if (entry->tokens > 0)
			return entry->tokens;
		if (!rules->is_marked)
			return scale_tokens(cache, node, prompt);
	}
	if (!is_outside_stored(cache, prompt->request)) {
		*found = CACHE_FOUND_SHARED;
		return prompt->request->shared;
	}
	if (*found != CACHE_FOUND_REWRITTEN)
		*found = CACHE_FOUND_OUTSIDE;
	return prompt->request->stored_outside;
}

/* Sets *newest to the address of the element of cache->newest_uses for the
 * model of a request and its setting of thinking.  If there is no such element,
 * adds one, which is 0. */
static int
find_newest_use(struct prompt_cache *cache,
    const struct replay_request *request, uint32_t **newest,
    struct ctx_err *err)
{
	for (size_t i = 0; i < cache->n_newest_uses; i++) {
		*newest = &cache->newest_uses[i];
		if (is_used_by(&cache->uses[**newest - 1], request))
			return 0;
	}
	if (CTX_GROW(cache->newest_uses, cache->newest_uses_cap,
		cache->n_newest_uses + 1, err) < 0)
		return -1;
	*newest = &cache->newest_uses[cache->n_newest_uses++];
	**newest = 0;
	return 0;
}

/* Finds the use to which a prompt belongs.  A use is a series of prompts, each
 * of which continues the one before.  If the prompt continues the previous
 * prompt for its model and setting, this is the use of the previous prompt.
 * Otherwise adds a use.  Sets *number to the index of the use, plus 1. */
static int
find_use(struct prompt_cache *cache, const struct cached_prompt *prompt,
    uint32_t *number, struct ctx_err *err)
{
	const struct replay_request *request = prompt->request;
	uint32_t node = prompt->answered, *newest, tip;

	if (find_newest_use(cache, request, &newest, err) < 0)
		return -1;
	if (*newest != 0) {
		tip = cache->uses[*newest - 1].tip;
		while (node != 0 && node != tip)
			node = cache->tree->nodes[node].parent;
		*number = *newest;
		if (node == tip)
			return 0;
	}
	if (CTX_GROW(cache->uses, cache->uses_cap, cache->n_uses + 1, err) < 0)
		return -1;
	*number = *newest = (uint32_t)++cache->n_uses;
	cache->uses[*number - 1] = (struct cache_use){.model = request->model,
	    .thinking = request->thinking};
	return 0;
}

/* Makes a node part of a use.  Returns the entry of the node, or NULL with
 * *err. */
static struct stored_node *
store_node(struct prompt_cache *cache, uint32_t node, uint32_t use,
    const struct replay_request *request, struct ctx_err *err)
{
	struct stored_node *entry = find_entry(cache, node, request);

	if (entry == NULL) {
		if (CTX_GROW(cache->entries, cache->entries_cap,
			cache->n_entries + 1, err) < 0)
			return NULL;
		entry = &cache->entries[cache->n_entries++];
		*entry = (struct stored_node){.older = cache->newest[node]};
		cache->newest[node] = (uint32_t)cache->n_entries;
	}
	entry->use = use;
	return entry;
}

/* Marks all messages of a prompt and, if the rules say so, of its response as
 * stored.  Their lifetime begins again. */
static int
store_path(struct prompt_cache *cache, const struct cached_prompt *prompt,
    const struct cache_rules *rules, struct ctx_err *err)
{
	const struct replay_request *request = prompt->request;
	const struct stored_node *entry;
	uint32_t node, number;
	struct cache_use *use;
	int64_t time;

	if (find_use(cache, prompt, &number, err) < 0)
		return -1;
	use = &cache->uses[number - 1];
	use->tip = prompt->node;
	use->tokens = prompt->tokens;
	time = request->is_resent ? request->end_time : request->answer_time;
	use->expires = time == INT64_MIN ? INT64_MAX : time + rules->lifetime;
	node = rules->stores_response ? prompt->answered : prompt->node;
	for (;; node = cache->tree->nodes[node].parent) {
		entry = find_entry(cache, node, request);
		if (entry != NULL && entry->use == number)
			return 0;
		if (store_node(cache, node, number, request, err) == NULL)
			return -1;
		if (node == 0)
			return 0;
	}
}

uint64_t
ctx_replay_count_response(const struct replay_request *request)
{
	return request->recorded.output > 0 ? request->recorded.output
					    : request->response_tokens;
}

/* Returns how many tokens of a stored part of a prompt can be read. */
static uint64_t
without_unread(uint64_t tokens, const struct cache_rules *rules)
{
	return tokens > rules->unread ? tokens - rules->unread : 0;
}

int
ctx_prompt_cache_send(struct prompt_cache *cache,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t *read, enum cache_find *found, struct ctx_err *err)
{
	struct stored_node *entry;

	if (reach_nodes(cache, err) < 0)
		return -1;
	*read = find_stored(cache, prompt, rules, found);
	if (*read > prompt->tokens)
		*read = prompt->tokens;
	*read = ctx_cache_round(rules, *read);
	if (*read < rules->least)
		*read = 0;
	if (store_path(cache, prompt, rules, err) < 0)
		return -1;
	if (rules->is_marked && prompt->stored < rules->least)
		return 0;
	entry = find_entry(cache, prompt->node, prompt->request);
	entry->tokens = rules->stores_response
	    ? prompt->stored
	    : without_unread(prompt->stored, rules);
	entry->begins_turn = prompt->request->begins_turn;
	if (rules->is_marked && prompt->request->is_resent)
		find_entry(cache, prompt->answered, prompt->request)->tokens =
		    CACHE_TOKENS_UNKNOWN;
	if (!rules->is_marked && rules->stores_response)
		find_entry(cache, prompt->answered, prompt->request)->tokens =
		    without_unread(prompt->tokens +
			    ctx_replay_count_response(prompt->request),
			rules);
	return 0;
}

bool
ctx_prompt_cache_next(const struct prompt_cache *cache,
    const struct cached_prompt *prompt, uint32_t *node, uint64_t *tokens)
{
	const struct stored_node *entry;

	while (*node != 0) {
		*node = cache->tree->nodes[*node].parent;
		entry = find_entry(cache, *node, prompt->request);
		if (entry == NULL || entry->tokens == 0 ||
		    entry->tokens == CACHE_TOKENS_UNKNOWN)
			continue;
		*tokens = entry->tokens;
		return true;
	}
	return false;
}

void
ctx_prompt_cache_release(struct prompt_cache *cache)
{
	free(cache->newest);
	free(cache->entries);
	free(cache->uses);
	free(cache->newest_uses);
	memset(cache, 0, sizeof *cache);
}
