/* prompt_tree.c - stores the prompts of a session as paths of a tree, in which
 * each node is a message */
#include <stdlib.h>
#include <string.h>

#include "replay/prompt_tree.h"

/* Returns the slot (element) of the hash table at which the search for a node
 * begins.  The hashes of messages have a secret key (ctx_hash), so that an
 * attacker cannot slow down the search with messages that all get the same
 * slot. */
static size_t
find_slot(const struct prompt_tree *tree, uint32_t parent, uint64_t hash)
{
	uint64_t mixed = hash ^ (parent + 1) * UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (size_t)(mixed >> 32) & (tree->n_slots - 1);
}

/* Doubles the size of the hash table of nodes. */
static int
grow_slots(struct prompt_tree *tree, struct ctx_err *err)
{
	size_t n = tree->n_slots == 0 ? 64 : tree->n_slots * 2, slot;
	uint32_t *slots = calloc(n, sizeof *slots);
	struct prompt_node *node;

	if (slots == NULL)
		return ctx_err_nomem(err);
	free(tree->slots);
	tree->slots = slots;
	tree->n_slots = n;
	for (size_t i = 1; i < tree->n; i++) {
		node = &tree->nodes[i];
		slot = find_slot(tree, node->parent, node->hash);
		node->next = slots[slot];
		slots[slot] = (uint32_t)i;
	}
	return 0;
}

/* Appends a node to the array of nodes.  Returns it, or NULL with *err. */
static struct prompt_node *
add_node(struct prompt_tree *tree, struct ctx_err *err)
{
	if (tree->n >= UINT32_MAX) {
		ctx_err_set(err, CTX_ELIMIT,
		    "the requests of the session have more than 4294967294 "
		    "different messages");
		return NULL;
	}
	if (CTX_GROW(tree->nodes, tree->cap, tree->n + 1, err) < 0)
		return NULL;
	memset(&tree->nodes[tree->n], 0, sizeof *tree->nodes);
	return &tree->nodes[tree->n++];
}

int
ctx_prompt_tree_reset(struct prompt_tree *tree, struct ctx_err *err)
{
	tree->n = 0;
	if (tree->n_slots > 0)
		memset(tree->slots, 0, tree->n_slots * sizeof *tree->slots);
	else if (grow_slots(tree, err) < 0)
		return -1;
	return add_node(tree, err) == NULL ? -1 : 0;
}

int
ctx_prompt_tree_append(struct prompt_tree *tree, uint32_t *node,
    const struct prompt_message *message, struct ctx_err *err)
{
	size_t slot = find_slot(tree, *node, message->hash);
	struct prompt_node *added, *parent;

	for (uint32_t i = tree->slots[slot]; i != 0; i = tree->nodes[i].next)
		if (tree->nodes[i].hash == message->hash &&
		    tree->nodes[i].parent == *node) {
			*node = i;
			return 0;
		}
	if (tree->n >= tree->n_slots) {
		if (grow_slots(tree, err) < 0)
			return -1;
		slot = find_slot(tree, *node, message->hash);
	}
	added = add_node(tree, err);
	if (added == NULL)
		return -1;
	parent = &tree->nodes[*node];
	added->hash = message->hash;
	added->tokens = parent->tokens + message->tokens;
	added->blocks = parent->blocks + message->blocks;
	added->parent = *node;
	added->number = message->number;
	added->next = tree->slots[slot];
	*node = tree->slots[slot] = (uint32_t)(tree->n - 1);
	return 0;
}

int
ctx_prompt_tree_walk(const struct prompt_tree *tree, struct prompt_walk *walk,
    uint32_t prompt, const struct prompt_taker *taker, struct ctx_err *err)
{
	uint32_t node;
	size_t n = 0;

	for (node = prompt; node != 0 && node != walk->prompt;
	     node = tree->nodes[node].parent) {
		if (CTX_GROW(walk->numbers, walk->cap, n + 1, err) < 0)
			return -1;
		walk->numbers[n++] = tree->nodes[node].number;
	}
	if (node != walk->prompt)
		taker->restart(taker->user);
	walk->prompt = prompt;
	while (n > 0)
		if (taker->append(taker->user, walk->numbers[--n], err) < 0)
			return -1;
	return 0;
}

void
ctx_prompt_tree_release(struct prompt_tree *tree)
{
	free(tree->nodes);
	free(tree->slots);
	memset(tree, 0, sizeof *tree);
}
