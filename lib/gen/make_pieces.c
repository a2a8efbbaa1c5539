/*
 * make_pieces.c - run when ctx is built: makes an automaton from a vocabulary
 * of Claude
 *
 *     make-pieces PIECES > AUTOMATON
 *
 * A piece is a string of bytes that costs one token.  The file PIECES lists all
 * pieces of the vocabulary, sorted by their bytes; each piece is stored as a
 * byte with its length, and then its bytes (see lib/gen/data/README).  The
 * output is an Aho-Corasick automaton, which finds all pieces in a text (see
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

/* The pieces as a trie (prefix tree).  Each node stands for a string of bytes
 * with which at least one piece begins, or for a single byte.  Node 0 is the
 * root, which stands for the empty string.  Nodes for shorter strings have
 * lower numbers. */
static struct node {
	/* Links between nodes of the trie, as numbers of nodes. first: the
	 * node's first child; next: the next child of the node's parent; 0:
	 * there is no such node. */
	uint32_t first, next;
	uint32_t parent, depth, shorter, slot, pieces;
	unsigned char byte;
	bool piece;
} nodes[NODES];
static uint32_t n_nodes = 1;
/* The states of the automaton.  Each state has four numbers, which are
 * explained in pieces.h. */
static struct state {
	uint32_t edges, parent, shorter, pieces;
} states[SLOTS];
static uint32_t n_slots = 256;
/* Lists of lengths of pieces, one after another.  Each list ends with 0, and a
 * list is identified by the index of its first element.  List 0 is the empty
 * list; it takes two elements of the array, both 0 (see pieces.h). */
static uint8_t lengths[LENGTHS];
static uint32_t n_lengths = 2;
static struct list {
	uint32_t length, rest, at;
} lists[LISTS];
static uint32_t n_lists;
/* The pieces (tokens) of the vocabulary. node: while the trie is built, the
 * node for the longest beginning of the piece that has a node so far. */
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

/* Adds a node for each byte.  So the root has a child for every byte, and the
 * search for the next state always ends there. */
static void
add_bytes(void)
{
	unsigned byte;

	for (byte = 0; byte < 256; byte++)
		(void)add_child(0, (unsigned char)byte);
}

/* Adds the level "depth" to the trie: for each piece of at least depth bytes, a
 * node for the first depth bytes of the piece.  Returns false if all pieces are
 * shorter. */
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

/* Adds the list that begins with "length" and continues like the list "rest" to
 * the array "lengths".  If the array already contains an equal list, adds
 * nothing.  Returns the index of the list's first element. */
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

/* Sets two members of each node of the trie. shorter: the node for the longest
 * proper suffix of the node's string, among the suffixes that have a node.
 * pieces: the list of the lengths of all pieces of the vocabulary, of at least
 * two bytes, that are suffixes of the node's string. */
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

/* Chooses where the children of a node of the trie are stored in the array of
 * states.  The child for byte b is stored at the index edges + b, where "edges"
 * is a member of the state of the node.  Chooses the lowest value of "edges"
 * for which the elements of all children are free, and the element of the first
 * child is not before *from.  If the node has several children, sets *from to
 * the index of the first child, so that later searches begin there.  The free
 * elements before this index remain for nodes with one child, for which the
 * caller passes another *from. */
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

/* Returns the number of the next node in depth-first order (each node before
 * its children), or 0 after the last node. */
static uint32_t
next_node(uint32_t node)
{
	if (nodes[node].first != 0)
		return nodes[node].first;
	while (node != 0 && nodes[node].next == 0)
		node = nodes[node].parent;
	return nodes[node].next;
}

/* Returns true if there is a byte for which the node "to" of the trie has a
 * child, but the node "from" has none. */
static bool
leads_further(uint32_t to, uint32_t from)
{
	uint32_t child;

	for (child = nodes[to].first; child != 0; child = nodes[child].next)
		if (find_child(from, nodes[child].byte) == 0)
			return true;
	return false;
}

/* Returns the node to which the automaton goes back if a node has no child for
 * the next byte.  The result is the node for a suffix of the given node's
 * string, with a child for a byte for which the given node has no child.
 * Returns the node for the longest of these suffixes, or node 0 (the root) if
 * there is none. */
static uint32_t
find_shorter(uint32_t node)
{
	uint32_t k = nodes[node].shorter;

	while (k != 0 && !leads_further(k, node))
		k = nodes[k].shorter;
	return k;
}

static void
fill_states(void)
{
	/* Index in the array of states at which the search for free elements
	 * begins. from[0]: for trie nodes with one child; from[1]: for trie
	 * nodes with several children. */
	uint32_t from[2] = {256, 256}, i;

	for (i = 0; i < SLOTS; i++)
		states[i].parent = CTX_PIECE_NONE;
	/* Stores the states of the automaton in depth-first order, so that the
	 * states for the bytes of one piece of the vocabulary are near each
	 * other in memory.  Index 0 is for the root, which has no parent. */
	i = 0;
	do {
		if (nodes[i].first != 0)
			place_edges(i, &from[nodes[nodes[i].first].next != 0]);
		i = next_node(i);
	} while (i != 0);
	for (i = 0; i < n_nodes; i++) {
		states[nodes[i].slot].shorter = nodes[find_shorter(i)].slot;
		states[nodes[i].slot].pieces = nodes[i].pieces;
	}
}

/* Writes the states of the automaton to standard output, each in 64 bits.
 * Returns false if that fails. */
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
	add_bytes();
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
