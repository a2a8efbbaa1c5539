/* breakpoint_walk.c - finds the cache breakpoints on blocks, and on blocks
 * nested in them */
#include "dialect/breakpoint_blocks.h"
#include "dialect/read.h"

static void
add_list(struct ctx_nested_walk *walk, uint32_t list, unsigned depth)
{
	if (!ctx_json_is_array(walk->json, list) || depth > CTX_NESTED_DEPTH)
		return;
	walk->lists[walk->n].list = list;
	walk->lists[walk->n].at = list + 1;
	walk->lists[walk->n++].depth = depth;
}

void
ctx_nested_add(struct ctx_nested_walk *walk, uint32_t block, unsigned depth)
{
	const struct ctx_json *json = walk->json;

	add_list(walk, ctx_json_find(json, block, "content"), depth);
	add_list(walk, ctx_json_find_path(json, block, "source/content"),
	    depth);
}

uint32_t
ctx_nested_next(struct ctx_nested_walk *walk, uint32_t *list)
{
	const struct ctx_node *nodes = walk->json->nodes;
	uint32_t node;
	size_t i;

	while (walk->n > 0) {
		i = walk->n - 1;
		*list = walk->lists[i].list;
		node = walk->lists[i].at;
		if (node < nodes[*list].next) {
			walk->lists[i].at = nodes[node].next;
			ctx_nested_add(walk, node, walk->lists[i].depth + 1);
			return node;
		}
		walk->n--;
	}
	return 0;
}

/* If a cache breakpoint is a member of this block, returns the JSON node of the
 * member's key.  Returns 0 if the block has no breakpoint of this format.  A
 * member with the value null is not a breakpoint. */
static uint32_t
find_breakpoint_key(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t block)
{
	uint32_t value = format->separate_block
	    ? 0
	    : ctx_json_find(json, block, format->key);

	return value == 0 || json->nodes[value].kind == CTX_JSON_NULL
	    ? 0
	    : value - 1;
}

int
ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err)
{
	struct ctx_nested_walk walk = {.json = json};
	uint32_t node, key, container;

	add_list(&walk, list, 0);
	while ((node = ctx_nested_next(&walk, &container)) != 0) {
		key = find_breakpoint_key(format, json, node);
		if ((key != 0 && visit(user, json, node, key, err) < 0) ||
		    (format->separate_block &&
			ctx_breakpoint_is_block(json, node) &&
			visit(user, json, container, node, err) < 0))
			return -1;
	}
	return 0;
}
