/* char_tokens.c - lists the tokens of a SentencePiece vocabulary */
#include <stdlib.h>

#include "tokenizer/encode/blanks.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/char_tokens.h"

void
ctx_char_tokens_release(struct ctx_char_tokens *t)
{
	ctx_arena_release(&t->arena);
	free(t->list);
}

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

static int
add_char_token(struct ctx_char_tokens *t, struct ctx_build_token token,
    struct ctx_err *err)
{
	if (CTX_GROW(t->list, t->cap, t->n + 1, err) < 0)
		return -1;
	t->list[t->n++] = token;
	return 0;
}

/* Returns true if a token cannot occur in a text.  This is so if the name of
 * the token contains a blank, because texts contain U+2581 in place of blanks.
 * It is also so if merges stay within words (words is true), and the text of
 * the token has a blank after the first character. */
static bool
is_never_in_text(const struct ctx_char_tokens *t, struct ctx_str name,
    struct ctx_str text)
{
	return memchr(name.p, ' ', name.n) != NULL ||
	    (t->words && memchr(text.p + 1, ' ', text.n - 1) != NULL);
}

int
ctx_char_tokens_add(struct ctx_char_tokens *t, struct ctx_str name, uint32_t id,
    uint32_t cut, struct ctx_err *err)
{
	struct ctx_str text = ctx_char_name(&t->arena, name, err);

	if (text.p == NULL)
		return -1;
	if (text.n > CTX_BUILD_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "token %u of the vocabulary has %zu bytes; the "
		    "maximum is %d",
		    (unsigned)id, text.n, CTX_BUILD_MAX);
	if (text.n == 0)
		return 0;
	if (is_never_in_text(t, name, text))
		cut = CTX_BUILD_NEVER;
	return add_char_token(t,
	    (struct ctx_build_token){text.p, (uint32_t)text.n, id, cut}, err);
}

int
ctx_char_tokens_add_byte(struct ctx_char_tokens *t, unsigned byte, uint32_t id,
    struct ctx_err *err)
{
	char *p = ctx_arena_alloc(&t->arena, 1, err);

	if (p == NULL)
		return -1;
	*p = (char)byte;
	return add_char_token(t,
	    (struct ctx_build_token){p, 1, id, CTX_BUILD_NEVER}, err);
}
