/* body.c - the body of a result that holds just a text */
#include <string.h>

#include "dialect/body.h"

/* Matches a piece of JSON, with any white space between its tokens and any
 * escapes in its strings; moves *p behind it. */
static bool
match(const char **p, const char *end, const char *piece)
{
	bool quoted = false;
	uint32_t c;
	size_t at;

	for (; *piece != '\0'; piece++) {
		while (!quoted && *p < end && memchr(" \t\r\n", **p, 4))
			++*p;
		if (*p == end || (*piece == '"' && **p != '"'))
			return false;
		/* As if it stood between quotes. */
		at = 1;
		(void)ctx_text_next((struct ctx_str){*p - 1,
				    (size_t)(end - *p) + 2}, &at, &c);
		*p += at - 1;
		if (c != (unsigned char)*piece)
			return false;
		quoted ^= *piece == '"';
	}
	while (*p < end && memchr(" \t\r\n", **p, 4))
		++*p;
	return true;
}

uint32_t
ctx_body_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect)
{
	const struct ctx_node *nodes = json->nodes;
	const char *p = json->text + nodes[body].at;
	const char *end = json->text + nodes[body].end;
	uint32_t node = body;

	if (body == 0 || !match(&p, end, dialect->body[0]))
		return 0;
	while (node < nodes[body].next && json->text + nodes[node].at != p)
		node++;
	if (node == nodes[body].next || nodes[node].kind != CTX_JSON_STRING)
		return 0;
	p = json->text + nodes[node].end;
	return match(&p, end, dialect->body[1]) && p == end ? node : 0;
}

bool
ctx_body_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect)
{
	size_t before = strlen(dialect->body[0]);
	size_t behind = strlen(dialect->body[1]);
	uint32_t node = ctx_body_text(json, body, dialect);
	struct ctx_str all = ctx_json_str(json, body), text;

	if (node == 0)
		return false;
	text = ctx_json_str(json, node);
	return before + text.n + behind == all.n &&
	    memcmp(all.p, dialect->body[0], before) == 0 &&
	    memcmp(text.p + text.n, dialect->body[1], behind) == 0 &&
	    ctx_text_canonical(text);
}

int
ctx_body_add(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err)
{
	const char *before = dialect->body[0], *behind = dialect->body[1];

	if (ctx_buf_add(out, before, strlen(before), err) < 0 ||
	    ctx_text_encode(out, p, n, err) < 0)
		return -1;
	return ctx_buf_add(out, behind, strlen(behind), err);
}
