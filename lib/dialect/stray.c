/*
 * stray.c - messages that stand where none are looked for
 */
#include <string.h>

#include "dialect/dialect.h"

bool
ctx_is_talk(const struct ctx_json *json, uint32_t node)
{
	return ctx_is_array(json, node) && json->nodes[node].next > node + 1 &&
	    ctx_json_find(json, node + 1, "role") != 0;
}

/* The child of the container that the node is or lies in. */
static uint32_t
child_with(const struct ctx_json *json, uint32_t container, uint32_t node)
{
	bool object = json->nodes[container].kind == CTX_JSON_OBJECT;
	uint32_t child = container + 1 + object;

	while (json->nodes[child].next <= node)
		child = json->nodes[child].next + object;
	return child;
}

/* Is the key a name that jq takes without quotes? */
static bool
is_plain(struct ctx_str key)
{
	size_t i;

	/* The quotes are the first and the last byte. */
	for (i = 1; i + 1 < key.n; i++)
		if (!(key.p[i] >= 'a' && key.p[i] <= 'z') &&
		    !(key.p[i] >= 'A' && key.p[i] <= 'Z') && key.p[i] != '_' &&
		    (i == 1 || key.p[i] < '0' || key.p[i] > '9'))
			return false;
	return i > 1;
}

/* Writes the way down to the node, if it fits and its names are plain. */
static bool
write_path(const struct ctx_json *json, uint32_t node, char *path, size_t size)
{
	struct ctx_str step;
	size_t n = 0;
	uint32_t at, child;

	for (at = 0; at != node; at = child) {
		child = child_with(json, at, node);
		step = (struct ctx_str){n == 0 ? ".[]" : "[]", n == 0 ? 3 : 2};
		if (json->nodes[at].kind == CTX_JSON_OBJECT) {
			step = ctx_json_str(json, child - 1);
			if (!is_plain(step))
				return false;
			step.n--; /* the name behind a dot */
		}
		if (n + step.n >= size)
			return false;
		memcpy(path + n, step.p, step.n);
		if (json->nodes[at].kind == CTX_JSON_OBJECT)
			path[n] = '.';
		n += step.n;
	}
	path[n] = '\0';
	return true;
}

void
ctx_detect_stray(const struct ctx_json *json, char *path, size_t size)
{
	uint32_t node;

	*path = '\0';
	for (node = 1; node < json->n; node++)
		if (ctx_is_talk(json, node)) {
			if (!write_path(json, node, path, size))
				*path = '\0';
			return;
		}
}
