/* prompt_tree.h - stores the prompts of a session as paths of a tree, in which
 * each node is a message: so messages that two prompts have in common are
 * stored once */
#ifndef CTX_REPLAY_PROMPT_TREE_H
#define CTX_REPLAY_PROMPT_TREE_H

#include "base/base.h"

/* A message of a prompt; its parent is the message before it in the prompt.
 * Node 0 is the root and stands for what is before all messages (system prompt,
 * tools). */
struct prompt_node {
	uint64_t hash; /* hash of the message, as it is sent */
	/* tokens and content blocks of all messages from the beginning of the
	 * prompt to this one */
	uint64_t tokens;
	uint64_t blocks;
	uint32_t parent;
	uint32_t number; /* number that the caller has given to the message */
	uint32_t next;   /* next node with the same index in the hash table */
};
/* The tree of all prompts of a session.  After zeroing, ctx_prompt_tree_reset
 * must be called to make the root. */
struct prompt_tree {
	struct prompt_node *nodes;
	size_t n, cap;
	/* hash table that finds a node by its parent and its message */
	uint32_t *slots;
	size_t n_slots;
};

/* What the tree stores of a message that is sent. */
struct prompt_message {
	uint64_t hash, tokens;
	uint32_t blocks;
	uint32_t number; /* any number, for the caller's use */
};

/* Goes through prompts, one after the other.  A zeroed struct is before all
 * prompts. */
struct prompt_walk {
	uint32_t prompt; /* node where the current prompt ends */
	/* Scratch memory: numbers of the messages to be appended, the newest
	 * first. */
	uint32_t *numbers;
	size_t cap;
};

/* Functions that are called with the messages of a walk. */
struct prompt_taker {
	void *user;
	/* called before a prompt that does not continue the one before it */
	void (*restart)(void *user);
	/* called for each message that is appended to the current prompt, with
	 * the number that the caller has given to it */
	int (*append)(void *user, uint32_t number, struct ctx_err *err);
};

/* Removes all nodes of the tree except the root. */
int ctx_prompt_tree_reset(struct prompt_tree *tree, struct ctx_err *err);
/* Appends a message to the prompt that ends at *node: finds or adds the node of
 * the message, and sets *node to it. */
int ctx_prompt_tree_append(struct prompt_tree *tree, uint32_t *node,
    const struct prompt_message *message, struct ctx_err *err);
/* Makes the prompt that ends at this node the current one.  Calls the functions
 * of the taker: if the prompt begins with the whole prompt before it, only with
 * the messages after that, otherwise with all of its messages. */
int ctx_prompt_tree_walk(const struct prompt_tree *tree,
    struct prompt_walk *walk, uint32_t prompt, const struct prompt_taker *taker,
    struct ctx_err *err);
void ctx_prompt_tree_release(struct prompt_tree *tree);

#endif
