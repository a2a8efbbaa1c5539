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
	/* key of the member with the text; NULL if it is not a text block */
	const char *text;
	/* The block may have a breakpoint only if its member with the key
	 * "member" has the value "is".  NULL: always. */
	const char *member, *is;
};

/* Returns true if the JSON node is a block that is nothing but a cache
 * breakpoint. */
bool ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node);
/* Counts the content blocks in an array.  An element that is nothing but a
 * cache breakpoint does not count. */
size_t ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list);

/* Maximum depth of nested blocks that are searched for cache breakpoints.  The
 * deepest are those of a document in a tool result. */
#define CTX_NESTED_DEPTH 3

/* An array of blocks inside a block.  A stack of these arrays is used to visit
 * nested blocks without recursion. */
struct ctx_nested_list {
	/* JSON nodes: the next element to be visited, and the first node after
	 * the array */
	uint32_t at, end;
	unsigned depth; /* nesting depth, from 1 */
};

/* Finds the arrays of blocks inside a block, at most two, and returns their
 * number. depth: the nesting depth of the block; at CTX_NESTED_DEPTH none is
 * found. */
size_t ctx_breakpoint_find_nested(const struct ctx_json *json, uint32_t block,
    unsigned depth, struct ctx_nested_list *found);

#endif
