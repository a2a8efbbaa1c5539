/*
 * matcher.c - finds which of many strings occur in a text
 *
 * The algorithm is that of Aho and Corasick.  The nodes form a tree: the bytes
 * on the path from the root to a node are the beginning of a string.  A node
 * has two links.  The link "fail" leads to the node of the longest proper
 * suffix of this beginning that has a node.  The link "suffix_end" leads to the
 * node of the longest proper suffix that is a whole string.  The time is linear
 * in the length of the strings and texts: a string that was already found in
 * the same text is not visited again, and its suffixes are not, either.
 */
#include <stdlib.h>
#include <string.h>

#include "eval/matcher.h"

struct matcher_node {
	/* Indices of other nodes.  Index 0 is the root of the tree.  In the
	 * members child and sibling, 0 means that there is no such node,
	 * because the root is never a child or sibling. */
	uint32_t child, sibling, fail, suffix_end;
	uint32_t number; /* number of the string that ends at this node */
	/* Value of ctx_matcher.round for the last text in which this string was
	 * found. */
	uint32_t round;
	uint8_t byte;
	bool ends; /* true if a string of the set ends at this node */
};

static uint32_t
find_child(const struct ctx_matcher *matcher, uint32_t node, uint8_t byte)
{
	uint32_t child;

	if (node == 0)
		return matcher->first[byte];
	child = matcher->nodes[node].child;
	while (child != 0 && matcher->nodes[child].byte != byte)
		child = matcher->nodes[child].sibling;
	return child;
}

/* Appends a new node to the children of the node "parent".  Returns the index
 * of the new node, or 0 with *err. */
static uint32_t
add_node(struct ctx_matcher *matcher, uint32_t parent, uint8_t byte,
    struct ctx_err *err)
{
	uint32_t node;

	if (matcher->n >= UINT32_MAX) {
		ctx_err_nomem(err);
		return 0;
	}
	if (CTX_GROW(matcher->nodes, matcher->cap, matcher->n + 1, err) < 0)
		return 0;
	node = (uint32_t)matcher->n++;
	matcher->nodes[node] = (struct matcher_node){.byte = byte};
	if (node == 0)
		return 0;
	matcher->nodes[node].sibling = matcher->nodes[parent].child;
	matcher->nodes[parent].child = node;
	if (parent == 0)
		matcher->first[byte] = node;
	return node;
}

int
ctx_matcher_add(struct ctx_matcher *matcher, struct ctx_str string,
    uint32_t number, struct ctx_err *err)
{
	uint32_t node = 0, child;

	if (matcher->n == 0) {
		(void)add_node(matcher, 0, 0, err);
		if (matcher->n == 0)
			return -1;
	}
	for (size_t i = 0; i < string.n; i++, node = child) {
		child = find_child(matcher, node, (uint8_t)string.p[i]);
		if (child == 0)
			child =
			    add_node(matcher, node, (uint8_t)string.p[i], err);
		if (child == 0)
			return -1;
	}
	if (!matcher->nodes[node].ends) {
		matcher->nodes[node].ends = true;
		matcher->nodes[node].number = number;
	}
	return 0;
}

/* Continues a search with the next byte of a text. node: the present node of
 * the search.  Returns the node of the longest beginning of any string that is
 * a suffix of the text read so far. */
static uint32_t
follow(const struct ctx_matcher *matcher, uint32_t node, uint8_t byte)
{
	uint32_t child;

	while ((child = find_child(matcher, node, byte)) == 0 && node != 0)
		node = matcher->nodes[node].fail;
	return child;
}

static void
link_child(struct ctx_matcher *matcher, uint32_t parent, uint32_t child)
{
	struct matcher_node *nodes = matcher->nodes, *node = &nodes[child];

	node->fail =
	    parent == 0 ? 0 : follow(matcher, nodes[parent].fail, node->byte);
	node->suffix_end =
	    nodes[node->fail].ends ? node->fail : nodes[node->fail].suffix_end;
}

int
ctx_matcher_build(struct ctx_matcher *matcher, struct ctx_err *err)
{
	struct matcher_node *nodes = matcher->nodes;
	size_t from = 0, to = 1;
	uint32_t *queue;

	if (matcher->n == 0)
		return 0;
	queue = malloc(matcher->n * sizeof *queue);
	if (queue == NULL)
		return ctx_err_nomem(err);
	queue[0] = 0;
	for (; from < to; from++)
		for (uint32_t child = nodes[queue[from]].child; child != 0;
		     child = nodes[child].sibling) {
			link_child(matcher, queue[from], child);
			queue[to++] = child;
		}
	free(queue);
	matcher->built = true;
	return 0;
}

void
ctx_matcher_begin(struct ctx_matcher *matcher)
{
	if (++matcher->round != 0)
		return;
	for (size_t i = 0; i < matcher->n; i++)
		matcher->nodes[i].round = 0;
	matcher->round = 1;
}

void
ctx_matcher_search(struct ctx_matcher *matcher, struct ctx_str part,
    const struct ctx_match_taker *taker)
{
	struct matcher_node *nodes = matcher->nodes;
	uint32_t node = 0, end;

	if (!matcher->built)
		return;
	for (size_t i = 0; i < part.n; i++) {
		node = follow(matcher, node, (uint8_t)part.p[i]);
		end = nodes[node].ends ? node : nodes[node].suffix_end;
		for (; end != 0 && nodes[end].round != matcher->round;
		     end = nodes[end].suffix_end) {
			nodes[end].round = matcher->round;
			taker->take(taker->user, nodes[end].number);
		}
	}
}

void
ctx_matcher_release(struct ctx_matcher *matcher)
{
	free(matcher->nodes);
	memset(matcher, 0, sizeof *matcher);
}
