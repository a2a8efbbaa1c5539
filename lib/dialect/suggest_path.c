/* suggest_path.c - finds where a record of an unknown format seems to contain
 * messages */
#include <stdio.h>
#include <string.h>

#include "dialect/read.h"

/* Returns the child of an array or object that contains the given JSON node, or
 * is this node. */
static uint32_t
find_child_with(const struct ctx_json *json, uint32_t container, uint32_t node)
{
	bool object = json->nodes[container].kind == CTX_JSON_OBJECT;
	uint32_t child = container + 1 + object;

	while (json->nodes[child].next <= node)
		child = json->nodes[child].next + object;
	return child;
}

static bool
is_letter(char c)
{
	return ctx_is_letter(c) || c == '_';
}

/* Returns true if a JSON key (with its quotes) contains only letters, digits
 * and the characters _ . and -.  Sets *plain to true if jq accepts the key
 * without quotes. */
static bool
is_name(struct ctx_str key, bool *plain)
{
	size_t i;

	*plain = key.n > 2 && is_letter(key.p[1]);
	for (i = 1; i + 1 < key.n; i++) {
		if (is_letter(key.p[i]) || ctx_is_digit(key.p[i]))
			continue;
		if (key.p[i] != '.' && key.p[i] != '-')
			return false;
		*plain = false;
	}
	return key.n > 2;
}

/* Appends one step to a jq path: a key, or "[]" (each element) if key.p is
 * NULL.  Returns false if the path would be too long for size bytes, or if the
 * key has characters that is_name does not accept. */
static bool
write_step(struct ctx_buf *path, size_t size, struct ctx_str key)
{
	const char *start = path->n == 0 ? "." : "";
	bool plain = true;
	int n;

	if (key.p != NULL && !is_name(key, &plain))
		return false;
	if (key.p == NULL)
		n = snprintf(path->p + path->n, size - path->n, "%s[]", start);
	else if (plain)
		n = snprintf(path->p + path->n, size - path->n, ".%.*s",
		    (int)key.n - 2, key.p + 1);
	else
		n = snprintf(path->p + path->n, size - path->n, "%s[%.*s]",
		    start, (int)key.n, key.p);
	if ((size_t)n >= size - path->n)
		return false;
	path->n += (size_t)n;
	return true;
}

/* Writes the jq path that leads to a JSON node.  Returns false if the path is
 * too long, or if a key in it has characters other than letters, digits, _ .
 * and -. */
static bool
write_path(const struct ctx_json *json, uint32_t node, char *path, size_t size)
{
	struct ctx_buf steps = {.p = path};
	struct ctx_str key;
	uint32_t at, child;

	for (at = 0; at != node; at = child) {
		child = find_child_with(json, at, node);
		key = (struct ctx_str){NULL, 0};
		if (json->nodes[at].kind == CTX_JSON_OBJECT)
			key = ctx_json_str(json, child - 1);
		if (!write_step(&steps, size, key))
			return false;
	}
	return true;
}

/* Returns true if a JSON object is a request or a response that ctx can read:
 * as a record, its messages would be found. */
static bool
is_request(const struct ctx_json *json, uint32_t node)
{
	struct ctx_record_layout layout;

	if (json->nodes[node].kind != CTX_JSON_OBJECT)
		return false;
	ctx_detect(json, node, NULL, &layout);
	return layout.kind == CTX_LAYOUT_CONVERSATION;
}

/* Returns the array or object of which a JSON node is an element or member. */
static uint32_t
find_parent(const struct ctx_json *json, uint32_t node)
{
	uint32_t parent = 0, child;

	while ((child = find_child_with(json, parent, node)) != node)
		parent = child;
	return parent;
}

/* Returns 1 if the JSON node is a string that contains a request or an array of
 * messages as JSON, 0 if it is not, or -1 with *err.  Sets *request to true if
 * the string contains a request. value: scratch memory. */
static int
is_coded(const struct ctx_json *json, uint32_t node,
    struct ctx_coded_value *value, bool *request, struct ctx_err *err)
{
	const struct ctx_json *coded = &value->inner;
	int rc;

	if (json->nodes[node].kind != CTX_JSON_STRING ||
	    (!ctx_json_starts_with(json, node, "[") &&
		!ctx_json_starts_with(json, node, "{")))
		return 0;
	rc = ctx_coded_value_read(value, json, node, err);
	if (rc <= 0)
		return rc;
	*request = is_request(coded, 0);
	return *request ||
	    (coded->nodes[0].kind == CTX_JSON_ARRAY &&
		coded->nodes[0].next > 1 &&
		ctx_json_find(coded, 1, "role") != 0);
}

/* Sets *found to the JSON node of the first string that contains a request or
 * an array of messages as JSON, or to 0. */
static int
find_coded(const struct ctx_json *json, uint32_t *found, bool *request,
    struct ctx_err *err)
{
	struct ctx_coded_value value = {0};
	uint32_t node;
	int rc = 0;

	*found = 0;
	for (node = 1; rc == 0 && node < json->n; node++) {
		rc = is_coded(json, node, &value, request, err);
		if (rc > 0)
			*found = node;
	}
	ctx_coded_value_release(&value);
	return rc < 0 ? -1 : 0;
}

int
ctx_suggest_path(const struct ctx_json *json, struct ctx_suggested_path *stray,
    struct ctx_err *err)
{
	uint32_t node = 1, parent;

	memset(stray, 0, sizeof *stray);
	while (node < json->n && !ctx_is_conversation(json, node))
		node++;
	if (node >= json->n) {
		if (find_coded(json, &node, &stray->request, err) < 0)
			return -1;
		stray->coded = node != 0;
	} else if (is_request(json, parent = find_parent(json, node))) {
		stray->request = true;
		node = parent;
	}
	if (node == 0 ||
	    !write_path(json, node, stray->path, sizeof stray->path))
		stray->path[0] = '\0';
	return 0;
}
