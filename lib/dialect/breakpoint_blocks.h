/* breakpoint_blocks.h - declarations that the breakpoint_*.c files share */
#ifndef CTX_DIALECT_BREAKPOINT_BLOCKS_H
#define CTX_DIALECT_BREAKPOINT_BLOCKS_H

#include "dialect/dialect.h"

/* A kind of content block that may have a cache breakpoint. */
struct ctx_breakpoint_block {
	/* The block's type or, in formats without types, its only key; "*_x"
	 * is any type that ends in _x. */
	const char *type;
	/* key of the member with the text, if it is a text block */
	const char *text;
	/* A condition for a breakpoint: the key of a member of the block, and
	 * the value that the member must have.  NULL: there is no condition. */
	const char *member, *is;
};

/* Returns true if the node is a cache breakpoint that is a block by itself. */
bool ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node);
/* Counts the elements of an array, without those that are cache breakpoints. */
size_t ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list);

/* Maximum depth of nested blocks that are searched.  The deepest are the
 * blocks of a document inside a tool result. */
#define CTX_NESTED_DEPTH 3

/* An array of blocks inside a block.  A stack of these arrays is used to visit
 * nested blocks without recursion. */
struct ctx_nested_list {
	uint32_t at, end; /* nodes: the next element; after the last */
	unsigned depth;   /* from 1 on */
};

/* Finds the arrays of blocks inside a block at this nesting depth: at most
 * two, none at CTX_NESTED_DEPTH.  Returns their number. */
size_t ctx_breakpoint_find_nested(const struct ctx_json *json, uint32_t block,
    unsigned depth, struct ctx_nested_list *found);

#endif
