/*
 * make_pieces.c - makes the automaton that finds the pieces of a vocabulary
 * when ctx is built
 *
 *     make-pieces PIECES > AUTOMATON
 *
 * PIECES lists the pieces, sorted by their bytes: for each a byte with its
 * length, then its bytes (see lib/gen/data/README).
 */
#define PROGRAM "make-pieces"
#include <string.h>

#include "gen/input.h"
#include "tokenizer/claude/pieces.h"

enum {
	NODES = 1 << 18,
	SLOTS = 1 << 18,
	PIECES = 1 << 16,
	LISTS = 1 << 12,
	LENGTHS = 1 << 16,
	FILE_MAX = 1 << 20
};

/* The tree of the pieces.  Node 0 is the root; nodes are numbered by the number
 * of their bytes, so the node of a shorter end of bytes is always smaller. */
static struct node {
	uint32_t first, next; /* its first child, and its next sibling; or 0 */
	uint32_t parent, depth, shorter, slot, pieces;
	unsigned char byte;
	bool piece;
} nodes[NODES];
static uint32_t n_nodes = 1;
static struct ctx_piece_state states[SLOTS];
static uint32_t n_slots = 256;
/* The list at index 0 is empty. */
static uint8_t lengths[LENGTHS];
static uint32_t n_lengths = 1;
static struct list {
	uint32_t length, rest, at;
} lists[LISTS];
static uint32_t n_lists;
/* The pieces, and the node of the first bytes of each. */
static struct {
	const char *text;
	size_t n;
	uint32_t node;
} pieces[PIECES];
static size_t n_pieces;
static char file[FILE_MAX];

static uint32_t
find_child(uint32_t node, unsigned char byte)
{
	uint32_t child = nodes[node].first;

	while (child != 0 && nodes[child].byte != byte)
		child = nodes[child].next;
	return child;
}

static uint32_t
add_child(uint32_t node, unsigned char byte)
{
	uint32_t child = n_nodes++;

	check(child < NODES, "too many nodes");
	nodes[child] = (struct node){.next = nodes[node].first,
	    .parent = node,
	    .depth = nodes[node].depth + 1,
	    .byte = byte};
	nodes[node].first = child;
	return child;
}

static void
add_piece(size_t i, const char *p, size_t n)
{
	check(n > 0 && n <= CTX_PIECE_LONGEST, "a piece is empty, or too long");
	check(i < PIECES, "too many pieces");
	pieces[i].text = p;
	pieces[i].n = n;
}

/* Adds the nodes of this depth.  Returns false if no piece is so long. */
static bool
add_level(unsigned depth)
{
	uint32_t child;
	bool added = false;
	unsigned char byte;
	size_t i;

	for (i = 0; i < n_pieces; i++) {
		if (pieces[i].n < depth)
			continue;
		byte = (unsigned char)pieces[i].text[depth - 1];
		child = find_child(pieces[i].node, byte);
		if (child == 0)
			child = add_child(pieces[i].node, byte);
		nodes[child].piece |= pieces[i].n == depth;
		pieces[i].node = child;
		added = true;
	}
	return added;
}

/* Returns the index in lengths of a list that begins with this length and
 * continues as the list at the index rest. */
static uint32_t
add_length(uint32_t length, uint32_t rest)
{
	size_t n = strlen((const char *)lengths + rest) + 1;
	uint32_t i;

	for (i = 0; i < n_lists; i++)
		if (lists[i].length == length && lists[i].rest == rest)
			return lists[i].at;
	check(n_lists < LISTS && n_lengths + 1 + n <= LENGTHS,
	    "too many lists of lengths");
	lists[n_lists++] = (struct list){length, rest, n_lengths};
	lengths[n_lengths] = (uint8_t)length;
	memcpy(lengths + n_lengths + 1, lengths + rest, n);
	n_lengths += (uint32_t)(1 + n);
	return lists[n_lists - 1].at;
}

/* Finds the longest proper end of each node's bytes that is a node, and the
 * pieces with which its bytes end. */
static void
link_nodes(void)
{
	uint32_t i, k, child;

	for (i = 1; i < n_nodes; i++) {
		child = 0;
		for (k = nodes[i].parent; child == 0 && k != 0;) {
			k = nodes[k].shorter;
			child = find_child(k, nodes[i].byte);
		}
		nodes[i].shorter = child;
		nodes[i].pieces = nodes[child].pieces;
		if (nodes[i].piece && nodes[i].depth > 1)
			nodes[i].pieces =
			    add_length(nodes[i].depth, nodes[child].pieces);
	}
}

static bool
fits(uint32_t node, uint32_t edges)
{
	uint32_t child;

	for (child = nodes[node].first; child != 0; child = nodes[child].next)
		if (states[edges + nodes[child].byte].parent != CTX_PIECE_NONE)
			return false;
	return true;
}

/* Places the edges of a node in the first free slots where all of them fit.
 * Nodes with many edges find no room among the slots before *from, where
 * earlier nodes have left gaps for those with one. */
static void
place_edges(uint32_t node, uint32_t *from)
{
	uint32_t child = nodes[node].first, edges, slot;

	while (states[*from].parent != CTX_PIECE_NONE)
		++*from;
	edges = *from - nodes[child].byte;
	while (!fits(node, edges))
		check(++edges + 256 < SLOTS, "too many slots");
	if (nodes[child].next != 0)
		*from = edges + nodes[child].byte;
	states[nodes[node].slot].edges = edges;
	for (; child != 0; child = nodes[child].next) {
		slot = edges + nodes[child].byte;
		states[slot].parent = nodes[node].slot;
		nodes[child].slot = slot;
	}
	if (edges + 256 > n_slots)
		n_slots = edges + 256;
}

/* Returns the node after this one if each is followed by those below it; 0
 * after the last. */
static uint32_t
next_node(uint32_t node)
{
	if (nodes[node].first != 0)
		return nodes[node].first;
	while (node != 0 && nodes[node].next == 0)
		node = nodes[node].parent;
	return nodes[node].next;
}

static void
fill_states(void)
{
	/* where to look for slots, for nodes of one child and of more */
	uint32_t from[2] = {256, 256}, i;

	for (i = 0; i < SLOTS; i++)
		states[i].parent = CTX_PIECE_NONE;
	/* Slot 0 is the root, whose parent is no state.  The states of a piece
	 * are near each other in memory. */
	i = 0;
	do {
		if (nodes[i].first != 0)
			place_edges(i, &from[nodes[nodes[i].first].next != 0]);
		i = next_node(i);
	} while (i != 0);
	for (i = 0; i < n_nodes; i++) {
		states[nodes[i].slot].shorter = nodes[nodes[i].shorter].slot;
		states[nodes[i].slot].pieces = nodes[i].pieces;
	}
}

int
main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct ctx_pieces_head head;
	unsigned depth = 1;
	size_t size;

	check(in != NULL, "usage: make-pieces PIECES > AUTOMATON");
	size = fread(file, 1, sizeof file, in);
	check(!ferror(in) && size < sizeof file, "cannot read, or too much");
	fclose(in);
	n_pieces = split_strings(file, size, add_piece);
	while (add_level(depth))
		depth++;
	link_nodes();
	fill_states();
	head = (struct ctx_pieces_head){n_slots, n_lengths};
	check(fwrite(&head, sizeof head, 1, stdout) == 1 &&
		fwrite(states, sizeof *states, n_slots, stdout) == n_slots &&
		fwrite(lengths, 1, n_lengths, stdout) == n_lengths &&
		fflush(stdout) == 0,
	    "cannot write");
	return 0;
}
