/* breakpoint_walk.c - finds the cache breakpoints on blocks, and on blocks
 * nested in them */
#include "dialect/breakpoint_blocks.h"
#include "dialect/read.h"

size_t
ctx_breakpoint_find_nested(const struct ctx_json *json, uint32_t block,
    unsigned depth, struct ctx_nested_list *found)
{
	const uint32_t lists[] = {ctx_find_list(json, block, "content"),
	    ctx_find_below(json, block, "source", "content")};
	size_t i, n = 0;

	for (i = 0; i < 2 && depth < CTX_NESTED_DEPTH; i++)
		if (lists[i] != 0 &&
		    json->nodes[lists[i]].kind == CTX_JSON_ARRAY)
			found[n++] = (struct ctx_nested_list){lists[i] + 1,
			    json->nodes[lists[i]].next, depth + 1};
	return n;
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
	struct ctx_nested_list lists[2 * CTX_NESTED_DEPTH + 1], *last;
	uint32_t node, key, container[2 * CTX_NESTED_DEPTH + 1];
	size_t n = 0, i, more;

	if (!ctx_is_array(json, list))
		return 0;
	container[0] = list;
	lists[n++] =
	    (struct ctx_nested_list){list + 1, json->nodes[list].next, 0};
	while (n > 0) {
		last = lists + n - 1;
		if (last->at == last->end) {
			n--;
			continue;
		}
		node = last->at;
		last->at = json->nodes[node].next;
		key = find_breakpoint_key(format, json, node);
		if ((key != 0 && visit(user, json, node, key, err) < 0) ||
		    (format->separate_block &&
			ctx_breakpoint_is_block(json, node) &&
			visit(user, json, container[n - 1], node, err) < 0))
			return -1;
		more = ctx_breakpoint_find_nested(json, node, last->depth,
		    lists + n);
		for (i = 0; i < more; i++)
			container[n + i] = lists[n + i].at - 1;
		n += more;
	}
	return 0;
}
