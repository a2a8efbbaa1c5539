/* breakpoint_blocks.h - declarations shared by the files breakpoint_*.c */
#ifndef CTX_DIALECT_BREAKPOINT_BLOCKS_H
#define CTX_DIALECT_BREAKPOINT_BLOCKS_H

#include "dialect/dialect.h"

/* A kind of content block that may have a cache breakpoint.  Each breakpoint
 * format has a list of these kinds. */
struct ctx_breakpoint_block {
	/* The block's "type" or, in formats without types, its only key.
	 * "*_x" stands for any type that ends in _x. */
	const char *type;
	/* key of the member that contains the text of the block, or NULL if the
	 * block is not a text */
	const char *text;
	/* An additional condition, or NULL: the block may have a breakpoint
	 * only if its member "member" is the string "is".  For example, a
	 * document may have a breakpoint only if its member "format" is
	 * "pdf". */
	const char *member, *is;
};

/* Returns true if the JSON node is a block that consists of nothing but a cache
 * breakpoint. */
bool ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node);
/* Returns the number of content blocks in an array.  Elements that consist of
 * nothing but a cache breakpoint are not counted. */
size_t ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list);

/* Maximum number of levels of nested blocks in which cache breakpoints are
 * searched.  Blocks can contain blocks: a tool result can contain a document,
 * and the document can contain texts. */
#define CTX_NESTED_DEPTH 3

/* An array of blocks inside a block.  Nested blocks are visited with a stack of
 * these arrays, without recursion. */
struct ctx_nested_list {
	/* at: JSON node of the element that is visited next; end: the first
	 * JSON node after the array. */
	uint32_t at, end;
	unsigned depth; /* depth of the array in its outermost block, from 1 */
};

/* Finds the arrays of blocks inside a block: its member "content", and the
 * member "content" of its member "source".  Stores the arrays in found, and
 * returns their number. depth: nesting depth of the block, from 0; at
 * CTX_NESTED_DEPTH nothing is found. */
size_t ctx_breakpoint_find_nested(const struct ctx_json *json, uint32_t block,
    unsigned depth, struct ctx_nested_list *found);

#endif
