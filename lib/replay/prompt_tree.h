/* prompt_tree.h - stores the prompts of a session as paths of a tree in which
 * each node is a message, so that a message that several prompts have in common
 * is stored once */
#ifndef CTX_REPLAY_PROMPT_TREE_H
#define CTX_REPLAY_PROMPT_TREE_H

#include "base/base.h"

/* A node of the tree of prompts: a message.  Its parent is the message before
 * it in the prompt.  Node 0, the root, stands for everything before the
 * messages (system prompt, tool definitions). */
struct prompt_node {
	uint64_t hash; /* hash of the message in the form in which it is sent */
	/* Number of tokens, and number of content blocks, of all messages from
	 * the beginning of the prompt to this one. */
	uint64_t tokens;
	uint64_t blocks;
	uint32_t parent;
	uint32_t number; /* a number that the caller has given to the message */
	uint32_t next;   /* next node in the same slot of the hash table */
};
/* The tree of all prompts of a session.  The caller must pass a struct of zeros
 * to ctx_prompt_tree_reset, which adds the root, before it uses the tree. */
struct prompt_tree {
	struct prompt_node *nodes;
	size_t n, cap;
	/* hash table that finds a node by its parent and its message */
	uint32_t *slots;
	size_t n_slots;
};

/* What the tree stores about a message that is sent. */
struct prompt_message {
	uint64_t hash, tokens;
	uint32_t blocks;
	/* a number that the caller chooses, and that the callbacks of struct
	 * prompt_taker get */
	uint32_t number;
};

/* The state of a caller that goes from one prompt of a session to the next.  A
 * struct of zeros is the state before the first prompt. */
struct prompt_walk {
	uint32_t prompt; /* node at which the current prompt ends */
	/* Scratch memory: numbers of the messages that will be added to the
	 * current prompt, the newest first. */
	uint32_t *numbers;
	size_t cap;
};

/* Callbacks that ctx_prompt_tree_walk calls for the messages of prompts. */
struct prompt_taker {
	void *user;
	/* Called before a prompt that is not a continuation of the previous
	 * prompt. */
	void (*restart)(void *user);
	/* Called for each message that is added at the end of the current
	 * prompt. number: the number that the caller has given to the
	 * message. */
	int (*append)(void *user, uint32_t number, struct ctx_err *err);
};

/* Removes all nodes of the tree except the root (the node before all
 * messages). */
int ctx_prompt_tree_reset(struct prompt_tree *tree, struct ctx_err *err);
/* Appends a message to the prompt that ends at *node.  Finds or adds the node
 * of the message, and sets *node to this node. */
int ctx_prompt_tree_append(struct prompt_tree *tree, uint32_t *node,
    const struct prompt_message *message, struct ctx_err *err);
/* Makes the prompt that ends at the node "prompt" the current prompt, and calls
 * the callbacks.  If the new prompt continues the previous prompt, calls them
 * only for the added messages, otherwise for all messages. */
int ctx_prompt_tree_walk(const struct prompt_tree *tree,
    struct prompt_walk *walk, uint32_t prompt, const struct prompt_taker *taker,
    struct ctx_err *err);
void ctx_prompt_tree_release(struct prompt_tree *tree);

#endif
