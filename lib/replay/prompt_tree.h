/* prompt_tree.h - the prompts of a session as paths of a tree, so that what two
 * prompts have in common is stored and compared once */
#ifndef CTX_REPLAY_PROMPT_TREE_H
#define CTX_REPLAY_PROMPT_TREE_H

#include "base/base.h"

/* A message of a prompt after those of its parent.  Node 0 is the root: what
 * is before all messages. */
struct prompt_node {
	uint64_t hash; /* of the message, as it is sent */
	/* tokens and content blocks of all messages up to this one */
	uint64_t tokens;
	uint64_t blocks;
	uint32_t parent;
	uint32_t number; /* of the message, as the caller counts */
	uint32_t next;   /* another node in the same place of the table */
};
/* A zeroed struct is valid, but has no root yet (ctx_prompt_tree_reset). */
struct prompt_tree {
	struct prompt_node *nodes;
	size_t n, cap;
	uint32_t *slots; /* hash table of nodes, by parent and message */
	size_t n_slots;
};

/* A message, as it is sent. */
struct prompt_message {
	uint64_t hash, tokens;
	uint32_t blocks;
	uint32_t number; /* any number of the caller */
};

/* Empties the tree but for its root. */
int ctx_prompt_tree_reset(struct prompt_tree *tree, struct ctx_err *err);
/* Sets *node to the prompt that is *node and a message after it. */
int ctx_prompt_tree_append(struct prompt_tree *tree, uint32_t *node,
    const struct prompt_message *message, struct ctx_err *err);
void ctx_prompt_tree_release(struct prompt_tree *tree);

#endif
