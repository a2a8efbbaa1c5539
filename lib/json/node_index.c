/* node_index.c - finds JSON nodes by name in constant time */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

int
ctx_node_index_add(struct ctx_node_index *index, struct ctx_str name,
    uint32_t node, struct ctx_err *err)
{
	size_t before = index->names.n;
	uint32_t id;

	if (CTX_GROW(index->nodes, index->cap, before + 1, err) < 0 ||
	    ctx_intern(&index->names, name.p, name.n, &id, err) < 0)
		return -1;
	if (index->names.n > before)
		index->nodes[before] = node;
	return 0;
}

uint32_t
ctx_node_index_find(const struct ctx_node_index *index, struct ctx_str name)
{
	uint32_t id = ctx_intern_find(&index->names, name.p, name.n);

	return id == 0 ? 0 : index->nodes[id - 1];
}

void
ctx_node_index_reset(struct ctx_node_index *index)
{
	ctx_intern_reset(&index->names);
}

void
ctx_node_index_release(struct ctx_node_index *index)
{
	ctx_intern_release(&index->names);
	free(index->nodes);
	memset(index, 0, sizeof *index);
}
