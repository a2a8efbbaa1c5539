/* tiktoken.c - reads tiktoken rank files, in which each line consists of a
 * token in base64 and its rank */
#include "tokenizer/vocabulary/file_formats.h"

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

/* Decodes base64 text at p, up to a space, and appends the bytes to "out",
 * which has room for them.  Returns the length of the base64 text and the space
 * together, or 0 if no space comes directly after the base64 text. */
static size_t
decode_token(struct ctx_buf *out, const char *p, size_t n)
{
	uint32_t bits = 0;
	int held = 0, value;
	size_t i;

	for (i = 0; i < n && (value = base64_value(p[i])) >= 0; i++) {
		bits = bits << 6 | (uint32_t)value;
		held += 6;
		if (held >= 8) {
			held -= 8;
			out->p[out->n++] = (char)(bits >> held & 0xff);
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

/* Adds a token to the list of tokens, whose index is the rank. */
static int
add_rank(struct ctx_vocab_builder *pack, struct ctx_build_token token,
    struct ctx_err *err)
{
	const uint32_t rank = token.id;

	if (rank >= CTX_VOCAB_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "a token has the rank %u, which is above the maximum %u",
		    (unsigned)rank, (unsigned)CTX_VOCAB_MAX - 1);
	if (CTX_GROW(pack->tokens, pack->cap, (size_t)rank + 1, err) < 0)
		return -1;
	if (rank >= pack->n) {
		memset(pack->tokens + pack->n, 0,
		    (rank + 1 - pack->n) * sizeof token);
		pack->n = (size_t)rank + 1;
	}
	if (pack->tokens[rank].n > 0)
		return ctx_err_set(err, CTX_EFILE,
		    "two tokens have the rank %u", (unsigned)rank);
	pack->tokens[rank] = token;
	return 0;
}

int
ctx_tiktoken_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err)
{
	struct ctx_build_token token = {.cut = CTX_BUILD_ANY};
	struct ctx_buf *bytes = &pack->bytes;
	size_t at = 0, length;
	uint64_t line = 1;

	pack->whole = true;
	if (ctx_buf_reserve(bytes, n, err) < 0)
		return -1;
	for (; at < n; line++) {
		token.p = bytes->p + bytes->n;
		length = decode_token(bytes, p + at, n - at);
		token.n = (uint32_t)(bytes->p + bytes->n - token.p);
		at += length;
		if (length == 0 || token.n == 0 ||
		    (length = read_rank(p + at, n - at, &token.id)) == 0)
			break;
		at += length;
		at += at < n && p[at] == '\r';
		if (at < n && p[at++] != '\n')
			break;
		if (add_rank(pack, token, err) < 0)
			return -1;
	}
	if (at == n && pack->n > 0)
		return 0;
	ctx_err_set(err, CTX_EFILE,
	    "the line must have a token in base64 and its rank");
	err->line = line;
	return -1;
}
