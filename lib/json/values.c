/*
 * values.c - reads the values that the JSON scanner has found
 */
#include <string.h>

#include "json/json.h"
#include "json/key_start.h"

struct ctx_str
ctx_json_str(const struct ctx_json *json, uint32_t node)
{
	const struct ctx_node *at = &json->nodes[node];

	return (struct ctx_str){json->text + at->at, at->end - at->at};
}

bool
ctx_json_has_text(const struct ctx_json *json, uint32_t node, const char *s)
{
	const struct ctx_node *at = &json->nodes[node];
	const char *p = json->text + at->at + 1;
	size_t n;

	if (at->kind != CTX_JSON_STRING)
		return false;
	if (at->escaped)
		return ctx_json_string_is(ctx_json_str(json, node), s,
		    strlen(s));
	/* The first bytes are compared before strncmp is called, because most
	 * strings differ in their first bytes.  A JSON string contains no NUL
	 * byte, so strncmp is safe. */
	n = at->end - at->at - 2;
	return (n == 0 || *p == *s) && strncmp(p, s, n) == 0 && s[n] == '\0';
}

const char *
ctx_json_is_any(const struct ctx_json *json, uint32_t node,
    const char *const *words)
{
	if (node == 0)
		return NULL;
	while (*words != NULL && !ctx_json_has_text(json, node, *words))
		words++;
	return *words;
}

bool
ctx_json_starts_with(const struct ctx_json *json, uint32_t node, const char *s)
{
	return ctx_json_is_string(json, node) &&
	    ctx_json_string_continues(ctx_json_str(json, node), 1, s);
}

bool
ctx_json_ends_with(const struct ctx_json *json, uint32_t node, const char *s)
{
	struct ctx_str literal = ctx_json_str(json, node);
	size_t n = strlen(s), at = 1, chars;
	uint32_t cp;

	if (!ctx_json_is_string(json, node) || literal.n < n + 3)
		return false;
	if (!json->nodes[node].escaped)
		return memcmp(literal.p + literal.n - 1 - n, s, n) == 0;
	for (chars = ctx_json_string_chars(literal); chars > n; chars--)
		(void)ctx_json_string_next(literal, &at, &cp);
	return at > 1 && ctx_json_string_continues(literal, at, s);
}

bool
ctx_json_equal(const struct ctx_json *json, uint32_t a, uint32_t b)
{
	const struct ctx_node *one = &json->nodes[a], *other = &json->nodes[b];
	size_t n = one->end - one->at;

	if (one->kind != CTX_JSON_STRING || other->kind != CTX_JSON_STRING)
		return false;
	if (one->escaped || other->escaped)
		return ctx_json_strings_equal(ctx_json_str(json, a),
		    ctx_json_str(json, b));
	return n == other->end - other->at &&
	    memcmp(json->text + one->at, json->text + other->at, n) == 0;
}

bool
ctx_json_is_key(const struct ctx_json *json, uint32_t node)
{
	const char *p = json->text + json->nodes[node].end;

	/* A colon comes only after a key. */
	if (!ctx_json_is_string(json, node))
		return false;
	while (ctx_utf8_is_space((unsigned char)*p))
		p++;
	return *p == ':';
}

int
ctx_json_scan_string(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *text, struct ctx_json *inner, struct ctx_err *err)
{
	text->n = 0;
	if (ctx_json_string_decode(text, ctx_json_str(json, node), err) < 0)
		return -1;
	return ctx_json_scan_text(inner, ctx_buf_str(text), err);
}

/* Returns true if a JSON value is compact: it has no white space between
 * tokens, and no needless escapes.  A value is compact if its length is this
 * sum: the bytes of each string, number or word; two brackets for each array or
 * object; one byte (a comma or colon) for each node that is not the first child
 * of its parent. */
static bool
is_compact(const struct ctx_json *json, uint32_t node)
{
	const struct ctx_node *all = &json->nodes[node];
	const struct ctx_node *end = &json->nodes[all->next];
	size_t n = (size_t)(end - all) - 1;

	for (const struct ctx_node *one = all; one < end; one++) {
		if (one->kind == CTX_JSON_ARRAY || one->kind == CTX_JSON_OBJECT)
			n += json->nodes + one->next > one + 1 ? 1 : 2;
		else
			n += one->end - one->at;
		if (one->escaped &&
		    !ctx_json_string_is_normalized(
			ctx_json_str(json, (uint32_t)(one - json->nodes))))
			return false;
	}
	return n == all->end - all->at;
}

/* Appends the brackets, commas and colons between two values of a JSON text,
 * without the white space. p, end: the bytes between the two values. */
static int
append_punctuation(struct ctx_buf *out, const char *p, const char *end,
    struct ctx_err *err)
{
	for (; p < end; p++)
		if (strchr(" \t\r\n", *p) == NULL &&
		    ctx_buf_add(out, p, 1, err) < 0)
			return -1;
	return 0;
}

static int
append_scalar(struct ctx_buf *out, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	struct ctx_str text = ctx_json_str(json, node);

	return json->nodes[node].escaped
	    ? ctx_json_string_normalize(out, text, err)
	    : ctx_buf_add_str(out, text, err);
}

int
ctx_json_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes;
	uint32_t at = nodes[node].at;
	size_t before = scratch->n;

	*text = ctx_json_str(json, node);
	if (is_compact(json, node))
		return 0;
	for (uint32_t one = node; one < nodes[node].next; one++) {
		if (nodes[one].kind == CTX_JSON_ARRAY ||
		    nodes[one].kind == CTX_JSON_OBJECT)
			continue;
		if (append_punctuation(scratch, json->text + at,
			json->text + nodes[one].at, err) < 0 ||
		    append_scalar(scratch, json, one, err) < 0)
			return -1;
		at = nodes[one].end;
	}
	if (append_punctuation(scratch, json->text + at,
		json->text + nodes[node].end, err) < 0)
		return -1;
	*text = (struct ctx_str){scratch->p + before, scratch->n - before};
	return 0;
}

int
ctx_json_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err)
{
	size_t before = scratch->n;

	if (json->nodes[node].kind != CTX_JSON_STRING)
		return ctx_json_compact(json, node, scratch, text, err);
	*text = ctx_json_str(json, node);
	if (!json->nodes[node].escaped) {
		*text = (struct ctx_str){text->p + 1, text->n - 2};
		return 0;
	}
	if (ctx_json_string_decode(scratch, *text, err) < 0)
		return -1;
	*text = (struct ctx_str){scratch->p + before, scratch->n - before};
	return 0;
}

int
ctx_json_append_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *out, struct ctx_err *err)
{
	size_t before = out->n;
	struct ctx_str text;

	if (ctx_json_text(json, node, out, &text, err) < 0)
		return -1;
	/* If ctx_json_text has found the text in the scanned JSON, it has not
	 * appended the text to out. */
	return out->n == before ? ctx_buf_add_str(out, text, err) : 0;
}

int
ctx_json_append_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *out, struct ctx_err *err)
{
	size_t before = out->n;
	struct ctx_str text;

	if (ctx_json_compact(json, node, out, &text, err) < 0)
		return -1;
	return out->n == before ? ctx_buf_add_str(out, text, err) : 0;
}

/* Returns the node of the value that an object has for a key, or 0 if there is
 * no such key.  If the object has equal keys, returns the value of the last.
 * start: the number that key_start returns for the key. */
static __attribute__((noinline)) uint32_t
find_last(const struct ctx_json *json, uint32_t obj, const char *key,
    uint16_t start)
{
	const struct ctx_node *nodes = json->nodes;
	uint32_t found = 0;

	for (uint32_t at = obj + 1; at < nodes[obj].next;
	     at = nodes[at + 1].next)
		if ((nodes[at].keys == start || nodes[at].escaped) &&
		    ctx_json_has_text(json, at, key))
			found = at + 1;
	return found;
}

uint32_t
ctx_json_find(const struct ctx_json *json, uint32_t obj, const char *key)
{
	const struct ctx_node *node = &json->nodes[obj];
	uint16_t start = key_start(key, '\0');

	if (node->kind != CTX_JSON_OBJECT || (node->keys & key_bit(start)) == 0)
		return 0;
	return find_last(json, obj, key, start);
}

uint32_t
ctx_json_find_any(const struct ctx_json *json, uint32_t obj,
    const char *const *keys)
{
	uint32_t node = 0;

	for (; node == 0 && *keys != NULL; keys++)
		node = ctx_json_find(json, obj, *keys);
	return node;
}

uint32_t
ctx_json_find_path(const struct ctx_json *json, uint32_t obj, const char *path)
{
	char key[64];
	size_t n;

	for (; (n = strcspn(path, "/")) < sizeof key; path += n + 1) {
		memcpy(key, path, n);
		key[n] = '\0';
		obj = ctx_json_find(json, obj, key);
		if (obj == 0 || path[n] == '\0')
			return obj;
	}
	return 0;
}

uint32_t
ctx_json_at(const struct ctx_json *json, uint32_t arr, size_t i)
{
	const struct ctx_node *nodes = json->nodes;

	if (nodes[arr].kind != CTX_JSON_ARRAY)
		return 0;
	for (uint32_t at = arr + 1; at < nodes[arr].next; at = nodes[at].next)
		if (i-- == 0)
			return at;
	return 0;
}

size_t
ctx_json_count(const struct ctx_json *json, uint32_t node)
{
	const struct ctx_node *nodes = json->nodes;
	size_t n = 0;

	/* The members of an object have two nodes each, a key and a value, so
	 * the count is halved.  A value that is not an array or object has no
	 * children. */
	for (uint32_t at = node + 1; at < nodes[node].next; at = nodes[at].next)
		n++;
	return nodes[node].kind == CTX_JSON_OBJECT ? n / 2 : n;
}
