/* breakpoint_blocks.h - what the breakpoint_*.c files share */
#ifndef CTX_DIALECT_BREAKPOINT_BLOCKS_H
#define CTX_DIALECT_BREAKPOINT_BLOCKS_H

#include "dialect/dialect.h"

/* A kind of block that may have a breakpoint. */
struct ctx_breakpoint_block {
	/* The type, or only key, of the block; "*_x" is any type that ends in
	 * _x. */
	const char *type;
	const char *text; /* the member with the text, if it is a text block */
	/* This member of the block must have the value is; NULL: no such
	 * condition. */
	const char *member, *is;
};

/* Returns true if the node is a breakpoint that is a separate block. */
bool ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node);
/* Counts the elements of an array that are not breakpoint blocks. */
size_t ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list);

/* Depth of nested blocks that are searched; the deepest are the blocks of a
 * document in a tool result. */
#define CTX_NESTED_DEPTH 3

/* An array of blocks within a block, during a walk without recursion. */
struct ctx_nested_list {
	uint32_t at, end; /* nodes: the next element; after the last */
	unsigned depth;   /* from 1 on */
};

/* Finds the arrays of blocks in the block at this depth: at most two, none at
 * depth CTX_NESTED_DEPTH.  Returns how many. */
size_t ctx_breakpoint_find_nested(const struct ctx_json *json, uint32_t block,
    unsigned depth, struct ctx_nested_list *found);

#endif
