/* breakpoint_blocks.h - declarations that the breakpoint_*.c files share */
#ifndef CTX_DIALECT_BREAKPOINT_BLOCKS_H
#define CTX_DIALECT_BREAKPOINT_BLOCKS_H

#include "dialect/dialect.h"

/* A kind of content block that may have a cache breakpoint.  Each breakpoint
 * format has a list of these. */
struct ctx_breakpoint_block {
	/* The block's "type" or, in formats without types, its only key.
	 * "*_x" stands for any type that ends in _x. */
	const char *type;
	/* key of the member that contains the text; NULL for blocks that are
	 * not text */
	const char *text;
	/* NULL, or a condition: the block may have a breakpoint only if its
	 * member "member" is the string "is".  Example: a document may have one
	 * only if its member "format" is "pdf". */
	const char *member, *is;
};

/* Returns true if the JSON node is a block that is nothing but a cache
 * breakpoint. */
bool ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node);
/* Counts the content blocks in an array.  An element that is nothing but a
 * cache breakpoint does not count. */
size_t ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list);

/* Blocks can contain blocks: a tool result can contain a document, and the
 * document can contain texts.  Cache breakpoints are searched for in at most
 * this many levels of inner blocks. */
#define CTX_NESTED_DEPTH 3

/* An array of blocks inside a block.  Nested blocks are visited with a stack of
 * such arrays, not by recursion. */
struct ctx_nested_list {
	/* at: JSON node of the next element to be visited. end: the first JSON
	 * node after the array. */
	uint32_t at, end;
	unsigned depth; /* nesting depth, from 1 */
};

/* Finds the arrays of blocks inside a block: its member "content", and the
 * member "content" of its "source".  Stores the arrays in found, and returns
 * their number. depth: nesting depth of the block, from 0; at CTX_NESTED_DEPTH
 * nothing is found. */
size_t ctx_breakpoint_find_nested(const struct ctx_json *json, uint32_t block,
    unsigned depth, struct ctx_nested_list *found);

#endif
