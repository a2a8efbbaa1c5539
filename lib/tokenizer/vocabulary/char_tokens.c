/* char_tokens.c - lists the tokens of a SentencePiece vocabulary */
#include "tokenizer/encode/blanks.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/file_formats.h"

struct ctx_str
ctx_char_name(struct ctx_arena *arena, struct ctx_str name, struct ctx_err *err)
{
	char *copy = ctx_arena_alloc(arena, name.n + 1, err);

	if (copy == NULL)
		return (struct ctx_str){NULL, 0};
	memcpy(copy, name.p, name.n);
	return (struct ctx_str){copy, ctx_blanks_replace(copy, name.n)};
}

size_t
ctx_char_name_size(struct ctx_str name)
{
	size_t n = name.n, at;

	for (at = 0; at + 3 <= name.n; at++)
		if (memcmp(name.p + at, CTX_BLANK_SIGN, 3) == 0)
			n -= 2;
	return n;
}

bool
ctx_is_char_name(struct ctx_str name)
{
	uint32_t cp;

	return name.n > 0 && ctx_char_next(name.p, name.n, &cp) == name.n &&
	    cp != CTX_CHAR_BAD;
}

static int
hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0'
	    : c >= 'A' && c <= 'F'  ? c - 'A' + 10
				    : -1;
}

int
ctx_byte_of_name(struct ctx_str name)
{
	if (name.n != 6 || memcmp(name.p, "<0x", 3) != 0 || name.p[5] != '>' ||
	    hex_value(name.p[3]) < 0 || hex_value(name.p[4]) < 0)
		return -1;
	return hex_value(name.p[3]) * 16 + hex_value(name.p[4]);
}

int
ctx_char_tokens_add(struct ctx_vocab_builder *pack, struct ctx_str name,
    uint32_t id, uint32_t cut, struct ctx_err *err)
{
	struct ctx_str text = ctx_char_name(&pack->arena, name, err);

	if (text.p == NULL)
		return -1;
	if (text.n > CTX_BUILD_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "token %u of the vocabulary has %zu bytes; the "
		    "maximum is %d",
		    (unsigned)id, text.n, CTX_BUILD_MAX);
	if (text.n == 0)
		return 0;
	/* Texts contain U+2581 in place of blanks, so no text contains a token
	 * whose name has a blank. */
	if (memchr(name.p, ' ', name.n) != NULL)
		cut = CTX_BUILD_NEVER;
	return ctx_vocab_builder_add(pack,
	    (struct ctx_build_token){text.p, (uint32_t)text.n, id, cut}, err);
}

int
ctx_char_tokens_add_byte(struct ctx_vocab_builder *pack, unsigned byte,
    uint32_t id, struct ctx_err *err)
{
	const char c = (char)byte;
	char *p = ctx_arena_copy(&pack->arena, &c, 1, err);

	return p == NULL
	    ? -1
	    : ctx_vocab_builder_add(pack,
		  (struct ctx_build_token){p, 1, id, CTX_BUILD_NEVER}, err);
}
