/* breakpoint_blocks.h - declarations shared by the files breakpoint_*.c */
#ifndef CTX_DIALECT_BREAKPOINT_BLOCKS_H
#define CTX_DIALECT_BREAKPOINT_BLOCKS_H

#include "dialect/dialect.h"

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

/* The state of a search through content blocks and their nested blocks, in the
 * order of the JSON text.  A stack of arrays of blocks is used in place of
 * recursion. */
struct ctx_nested_walk {
	const struct ctx_json *json;
	struct {
		/* list: JSON node of the array; at: JSON node of the element
		 * that is visited next */
		uint32_t list, at;
		/* nesting depth of the array; 0 for the outermost array */
		unsigned depth;
	} lists[2 * CTX_NESTED_DEPTH + 1];
	size_t n;
};

/* Adds the arrays of blocks inside a block to the search: the block's member
 * "content", and the member "content" of its member "source". depth: the
 * nesting depth of these arrays.  If depth is more than CTX_NESTED_DEPTH, adds
 * nothing. */
void ctx_nested_add(struct ctx_nested_walk *walk, uint32_t block,
    unsigned depth);
/* Returns the JSON node of the next block of the search, or 0 if there is none.
 * Sets *list to the JSON node of the array that contains the block. */
uint32_t ctx_nested_next(struct ctx_nested_walk *walk, uint32_t *list);

#endif
