/* tiktoken.c - reads tiktoken rank files, in which each line consists of a
 * token in base64 and its rank */
#include <stdlib.h>

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/file_formats.h"

struct ranks {
	struct ctx_build_token *list; /* tokens, indexed by rank */
	size_t n, cap;
	char *text; /* bytes of all tokens, one token after another */
	size_t used;
};

static int
base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes base64 text at p, up to a space, and appends the bytes to r->text.
 * Returns the length of the base64 text and the space together, or 0 if no
 * space comes directly after the base64 text. */
static size_t
decode_token(struct ranks *r, const char *p, size_t n)
{
	uint32_t bits = 0;
	int held = 0, value;
	size_t i;

	for (i = 0; i < n && (value = base64_value(p[i])) >= 0; i++) {
		bits = bits << 6 | (uint32_t)value;
		held += 6;
		if (held >= 8) {
			held -= 8;
			r->text[r->used++] = (char)(bits >> held & 0xff);
		}
	}
	for (; i < n && p[i] == '='; i++)
		;
	return i < n && p[i] == ' ' ? i + 1 : 0;
}

static size_t
read_rank(const char *p, size_t n, uint32_t *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < n && i < 8 && p[i] >= '0' && p[i] <= '9'; i++)
		*value = *value * 10 + (uint32_t)(p[i] - '0');
	return i;
}

static int
add_rank(struct ranks *r, uint32_t rank, size_t from, struct ctx_err *err)
{
	struct ctx_build_token *t;

	if (rank >= CTX_VOCAB_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "a token has the rank %u, which is above the maximum %u",
		    (unsigned)rank, (unsigned)CTX_VOCAB_MAX - 1);
	if (CTX_GROW(r->list, r->cap, (size_t)rank + 1, err) < 0)
		return -1;
	if (rank >= r->n) {
		memset(r->list + r->n, 0, (rank + 1 - r->n) * sizeof *t);
		r->n = (size_t)rank + 1;
	}
	t = r->list + rank;
	if (t->n > 0)
		return ctx_err_set(err, CTX_EFILE,
		    "two tokens have the rank %u", (unsigned)rank);
	t->p = r->text + from;
	t->n = (uint32_t)(r->used - from);
	t->id = rank;
	return 0;
}

static int
read_lines(struct ranks *r, const char *p, size_t n, struct ctx_err *err)
{
	size_t at = 0, from, length;
	uint64_t line = 1;
	uint32_t rank;

	for (; at < n; line++) {
		from = r->used;
		length = decode_token(r, p + at, n - at);
		at += length;
		if (length == 0 || r->used == from ||
		    (length = read_rank(p + at, n - at, &rank)) == 0)
			break;
		at += length;
		at += at < n && p[at] == '\r';
		if (at < n && p[at++] != '\n')
			break;
		if (add_rank(r, rank, from, err) < 0)
			return -1;
	}
	if (at == n && r->n > 0)
		return 0;
	ctx_err_set(err, CTX_EFILE,
	    "the line must have a token in base64 and its rank");
	err->line = line;
	return -1;
}

int
ctx_tiktoken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err)
{
	struct ranks r = {0};
	int rc = -1;

	r.text = malloc(n + 1);
	if (r.text == NULL)
		return ctx_err_nomem(err);
	if (read_lines(&r, p, n, err) == 0) {
		pack->tokens = r.list;
		pack->n = r.n;
		pack->whole = true;
		rc = ctx_vocab_build(pack, block, size, err);
	}
	free(r.list);
	free(r.text);
	return rc;
}
