/*
 * edit.c - fuzz target: edits of a JSON text change only the chosen values, and
 * the text remains JSON
 *
 * Input: eight bytes that choose which values are removed or replaced, and a
 * text.
 */
#include "json/json.h"
#include "fuzz.h"

static const char word[] = "\"new \\u00e9\"";

/* Returns true if the node is root or inside root. */
static bool
within(const struct ctx_json *json, uint32_t root, uint32_t node)
{
	return node >= root && node < json->nodes[root].next;
}

/* Returns true if the node is a key of an object. */
static bool
is_key(const struct ctx_json *json, uint32_t node)
{
	uint32_t i, child;

	for (i = 0; i < node; i++) {
		if (json->nodes[i].kind != CTX_JSON_OBJECT ||
		    !within(json, i, node))
			continue;
		for (child = i + 1; child < json->nodes[i].next;
		     child = json->nodes[child + 1].next)
			if (child == node)
				return true;
	}
	return false;
}

struct choice {
	uint32_t box; /* array or object whose children are removed */
	/* bit i is set if child i is removed; only for the first children */
	uint64_t drop;
	uint32_t replaced; /* a kept value that is replaced, or 0 */
};

static bool
drops(const struct choice *c, size_t i)
{
	return i < 64 ? c->drop >> i & 1 : c->drop >> (i % 61) & 1;
}

/* Returns true if the value is inside a removed child of the array or object
 * c->box. */
static bool
goes(const struct ctx_json *json, const struct choice *c, uint32_t node)
{
	bool object = json->nodes[c->box].kind == CTX_JSON_OBJECT;
	uint32_t child = c->box + 1, value;
	size_t i;

	for (i = 0; child < json->nodes[c->box].next; i++) {
		value = child + object;
		if (drops(c, i) && (child == node || within(json, value, node)))
			return true;
		child = json->nodes[value].next;
	}
	return false;
}

/* Appends the text without white space outside of strings. */
static void
squeeze(struct ctx_buf *out, const char *p, size_t n)
{
	struct ctx_err err;
	bool string = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!string && memchr(" \t\r\n", p[i], 4) != NULL)
			continue;
		must(ctx_buf_add(out, p + i, 1, &err) == 0);
		if (string && p[i] == '\\')
			must(ctx_buf_add(out, p + ++i, 1, &err) == 0);
		else if (p[i] == '"')
			string = !string;
	}
}

/* Appends a part of the text.  If the part contains the value that is replaced,
 * appends the new value in its place. */
static void
piece(const struct ctx_json *json, const struct choice *c, size_t from,
    size_t to, struct ctx_buf *out)
{
	const struct ctx_node *node = &json->nodes[c->replaced];

	if (c->replaced == 0 || node->at < from || node->end > to) {
		squeeze(out, json->text + from, to - from);
		return;
	}
	squeeze(out, json->text + from, node->at - from);
	squeeze(out, word, sizeof word - 1);
	squeeze(out, json->text + node->end, to - node->end);
}

/* Appends the expected output, without white space. */
static void
expect(const struct ctx_json *json, const struct choice *c, size_t size,
    struct ctx_buf *out)
{
	const struct ctx_node *box = &json->nodes[c->box];
	bool object = box->kind == CTX_JSON_OBJECT, first = true;
	uint32_t child = c->box + 1, value;
	struct ctx_err err;
	size_t i;

	piece(json, c, 0, box->at + 1, out);
	for (i = 0; child < box->next; i++) {
		value = child + object;
		if (!drops(c, i)) {
			if (!first)
				must(ctx_buf_add(out, ",", 1, &err) == 0);
			first = false;
			piece(json, c, json->nodes[child].at,
			    json->nodes[value].end, out);
		}
		child = json->nodes[value].next;
	}
	piece(json, c, box->end - 1, size, out);
}

static void
edit(const struct ctx_json *json, const struct choice *c, size_t size)
{
	struct ctx_buf out = {0}, want = {0}, got = {0};
	size_t n = ctx_json_count(json, c->box), used, i;
	bool *drop = calloc(n + 1, sizeof *drop);
	struct ctx_edits edits = {0};
	struct ctx_json after;
	struct ctx_err err;

	must(drop != NULL);
	for (i = 0; i < n; i++)
		drop[i] = drops(c, i);
	if (c->replaced > 0)
		must(ctx_edits_replace(&edits, ctx_json_str(json, c->replaced),
			 word, sizeof word - 1, &err) == 0);
	must(ctx_edits_remove(&edits, json, c->box, drop, &err) == 0);
	must(ctx_edits_apply(&edits, (struct ctx_str){json->text, size}, &out,
		 &err) == 0);
	ctx_json_init(&after, CTX_SIMD_BEST);
	must(ctx_json_scan(&after, out.p, out.n, &used, &err) == 1 &&
	    used == out.n);
	expect(json, c, size, &want);
	squeeze(&got, out.p, out.n);
	must(fuzz_same(got.p, got.n, want.p, want.n));
	ctx_json_release(&after);
	ctx_edits_release(&edits);
	ctx_buf_release(&out);
	ctx_buf_release(&want);
	ctx_buf_release(&got);
	free(drop);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choice c = {0};
	struct ctx_json json;
	struct ctx_err err;
	size_t used;
	unsigned at, i;

	c.box = fuzz_byte(&data, &size);
	at = fuzz_byte(&data, &size);
	for (i = 0; i < 6; i++)
		c.drop = c.drop << 11 ^ fuzz_byte(&data, &size);
	if (size > 20000)
		return -1;
	ctx_json_init(&json, CTX_SIMD_BEST);
	if (ctx_json_scan(&json, (const char *)data, size, &used, &err) == 1) {
		c.box %= (uint32_t)json.n;
		c.replaced = at % (uint32_t)json.n;
		/* The replaced value must not contain the array or object whose
		 * children are removed, because it would be changed twice. */
		if (is_key(&json, c.replaced) ||
		    within(&json, c.replaced, c.box) ||
		    goes(&json, &c, c.replaced))
			c.replaced = 0;
		if (json.nodes[c.box].kind >= CTX_JSON_ARRAY)
			edit(&json, &c, used);
	}
	ctx_json_release(&json);
	return 0;
}
