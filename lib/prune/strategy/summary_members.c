/*
 * summary_members.c - lists the members of a tool result in JSON, for the
 * built-in summary
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Limits of the list of members of a result in JSON.  MOST_MEMBERS: no member
 * is appended to a list of this number of bytes or more.  MOST_VALUE: maximum
 * length in bytes of a value.  MOST_DEPTH: maximum number of arrays and objects
 * around a value. */
enum { MOST_MEMBERS = 140, MOST_VALUE = 40, MOST_DEPTH = 4 };

/* Returns true if a text contains a value as words of its own. */
static bool
has_value(struct ctx_str text, struct ctx_str value)
{
	const char *at = text.p, *end = text.p + text.n;

	if (text.n == 0)
		return false;
	for (; (at = memmem(at, (size_t)(end - at), value.p, value.n)) != NULL;
	     at++)
		if ((at == text.p || !ctx_summary_is_word_char(at[-1])) &&
		    (at + value.n == end ||
			!ctx_summary_is_word_char(at[value.n])))
			return true;
	return false;
}

/* Appends "KEY=VALUE" to a list, unless the list or the text "call" contains
 * the value, or the value is empty or long. */
static int
append_member(const struct ctx_json *json, uint32_t key, struct ctx_str call,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str name = ctx_json_str(json, key);
	struct ctx_str value = ctx_json_str(json, key + 1);

	if (json->nodes[key + 1].kind == CTX_JSON_STRING)
		value = (struct ctx_str){value.p + 1, value.n - 2};
	if (value.n == 0 || value.n > MOST_VALUE || json->nodes[key].escaped ||
	    json->nodes[key + 1].escaped || has_value(call, value) ||
	    has_value(ctx_buf_str(out), value))
		return 0;
	return ctx_buf_printf(out, err, "%s%.*s=%.*s", out->n > 0 ? ", " : "",
	    (int)name.n - 2, name.p + 1, (int)value.n, value.p);
}

/* Appends to the list "out" those members of a JSON value that have exactly
 * "depth" arrays and objects around them. */
static int
append_members(const struct ctx_json *json, uint32_t node, unsigned depth,
    struct ctx_str call, struct ctx_buf *out, struct ctx_err *err)
{
	bool object = json->nodes[node].kind == CTX_JSON_OBJECT;
	size_t n = ctx_json_count(json, node);
	uint32_t child = node + 1;

	for (; n-- > 0 && out->n < MOST_MEMBERS;
	     child = json->nodes[child + object].next) {
		uint8_t kind = json->nodes[child + object].kind;
		int rc = 0;

		if (kind == CTX_JSON_ARRAY || kind == CTX_JSON_OBJECT)
			rc = depth == 1 ? 0
					: append_members(json, child + object,
					      depth - 1, call, out, err);
		else if (object && depth == 1 && kind != CTX_JSON_NULL)
			rc = append_member(json, child, call, out, err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int
ctx_summary_list_members(const struct ctx_json *json, struct ctx_str call,
    struct ctx_buf *out, struct ctx_err *err)
{
	out->n = 0;
	for (unsigned depth = 1; depth <= MOST_DEPTH; depth++)
		if (append_members(json, 0, depth, call, out, err) < 0)
			return -1;
	return 0;
}
