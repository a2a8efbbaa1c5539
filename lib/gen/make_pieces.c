/*
 * make_pieces.c - makes an automaton from a vocabulary of Claude when ctx is
 * built
 *
 *     make-pieces PIECES > AUTOMATON
 *
 * A piece is a string of bytes that costs one token.  The file PIECES lists all
 * pieces of the vocabulary, sorted by their bytes: for each piece a byte with
 * its length, then its bytes (see lib/gen/data/README).  The automaton is that
 * of Aho and Corasick, which finds all pieces in a text (see
 * lib/tokenizer/claude/pieces.h).
 */
#define PROGRAM "make-pieces"
#include <string.h>

#include "gen/input.h"
#include "tokenizer/claude/pieces.h"

enum {
	NODES = 1 << 18,
	SLOTS = CTX_PIECE_NONE,
	PIECES = 1 << 16,
	LISTS = 1 << 12,
	LENGTHS = 1 << (64 - 3 * CTX_PIECE_BITS),
	FILE_MAX = 1 << 20
};

/* The tree of the pieces, a trie: each node stands for some bytes with which a
 * piece begins.  Node 0 is the root, which stands for no bytes.  A node that
 * stands for fewer bytes has a smaller number. */
static struct node {
	/* number of the node's first child, and of the next child of its
	 * parent; 0: there is none */
	uint32_t first, next;
	uint32_t parent, depth, shorter, slot, pieces;
	unsigned char byte;
	bool piece;
} nodes[NODES];
static uint32_t n_nodes = 1;
/* The states of the automaton; pieces.h explains the numbers. */
static struct state {
	uint32_t edges, parent, shorter, pieces;
} states[SLOTS];
static uint32_t n_slots = 256;
/* Lists of lengths of pieces; each list ends with 0.  lengths[0] is always 0,
 * so a list that begins at index 0 is empty. */
static uint8_t lengths[LENGTHS];
static uint32_t n_lengths = 1;
static struct list {
	uint32_t length, rest, at;
} lists[LISTS];
static uint32_t n_lists;
/* The pieces of the vocabulary.  While the tree grows, node is the tree node of
 * the first bytes of the piece, as far as these have nodes. */
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

/* Adds a level to the tree: for each piece of at least depth bytes, a node for
 * its first depth bytes.  Returns false if no piece has so many bytes. */
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

/* The array "lengths" contains lists of numbers, each of which ends with 0.
 * Returns the index of the list that consists of the number "length" and then
 * the numbers of the list at index "rest".  If the array does not have this
 * list, appends it. */
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

/* For each node, sets two members. shorter: the node for the longest proper
 * suffix of the node's bytes that has a node. pieces: the list of the lengths
 * of all pieces (of two bytes or more) that are suffixes of the node's
 * bytes. */
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

/* Chooses where in the array of states the children of a node are stored: the
 * child for byte b at index edges + b.  The node's member edges becomes the
 * lowest number for which all these indexes are free and at least *from.  If
 * the node has several children, *from becomes the index of the first, so that
 * later searches begin there and do not look at free indexes before it.  To use
 * these, the caller has another *from for nodes with one child. */
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

/* Returns the node after this one in the order in which each node is followed
 * by its children; 0 after the last node. */
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
	/* index in the array states at which the search for free elements
	 * begins: from[0] for tree nodes with one child, from[1] for those with
	 * several */
	uint32_t from[2] = {256, 256}, i;

	for (i = 0; i < SLOTS; i++)
		states[i].parent = CTX_PIECE_NONE;
	/* Place 0 belongs to the root, which has no parent.  The nodes are
	 * handled one branch of the tree after another, so the states for the
	 * bytes of one piece are near each other in memory. */
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

/* Writes the states to standard output, each in 64 bits. */
static bool
write_states(void)
{
	static uint64_t packed[SLOTS];
	uint32_t i;

	for (i = 0; i < n_slots; i++)
		packed[i] = states[i].edges |
		    (uint64_t)states[i].parent << CTX_PIECE_BITS |
		    (uint64_t)states[i].shorter << 2 * CTX_PIECE_BITS |
		    (uint64_t)states[i].pieces << 3 * CTX_PIECE_BITS;
	return fwrite(packed, sizeof *packed, n_slots, stdout) == n_slots;
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
	check(fwrite(&head, sizeof head, 1, stdout) == 1 && write_states() &&
		fwrite(lengths, 1, n_lengths, stdout) == n_lengths &&
		fflush(stdout) == 0,
	    "cannot write");
	return 0;
}
