/*
 * text.c - fuzz target: JSON string literals, their texts and characters, and
 * the offsets at which they may be divided
 *
 * Input: the bytes between the quotes of a literal; if these are not valid,
 * they are a text.
 */
#include "json/json.h"
#include "fuzz.h"

/* Returns true if the bytes are exactly one string literal. */
static bool
is_literal(const char *p, size_t n)
{
	struct ctx_json json;
	struct ctx_err err;
	size_t used;
	bool is;

	ctx_json_init(&json, CTX_SIMD_PORTABLE);
	is = ctx_json_scan(&json, p, n, &used, &err) == 1 && used == n &&
	    json.nodes[0].kind == CTX_JSON_STRING && json.nodes[0].at == 0 &&
	    json.nodes[0].end == n;
	ctx_json_release(&json);
	return is;
}

/* Decodes the bytes [from, to) of a literal as a separate literal. */
static void
decode_piece(struct ctx_str literal, size_t from, size_t to,
    struct ctx_buf *text)
{
	struct ctx_buf piece = {0};
	struct ctx_err err;

	must(ctx_buf_add(&piece, "\"", 1, &err) == 0 &&
	    ctx_buf_add(&piece, literal.p + from, to - from, &err) == 0 &&
	    ctx_buf_add(&piece, "\"", 1, &err) == 0);
	must(is_literal(piece.p, piece.n));
	must(ctx_json_string_decode(text, (struct ctx_str){piece.p, piece.n},
		 &err) == 0);
	ctx_buf_release(&piece);
}

/* Checks that the two parts of a literal, divided at an offset, have the text
 * of the whole literal. */
static void
cut(struct ctx_str literal, size_t at, const struct ctx_buf *text)
{
	struct ctx_buf halves = {0};

	decode_piece(literal, 1, at, &halves);
	decode_piece(literal, at, literal.n - 1, &halves);
	must(fuzz_same(halves.p, halves.n, text->p, text->n));
	ctx_buf_release(&halves);
}

static void
check(struct ctx_str literal)
{
	struct ctx_buf text = {0}, again = {0};
	size_t at = 1, offset = 0, chars = 0, n;
	struct ctx_err err;
	uint32_t cp, same;

	must(ctx_json_string_decode(&text, literal, &err) == 0);
	must(ctx_utf8_valid(text.p, text.n, CTX_SIMD_PORTABLE) == text.n);
	must(ctx_utf8_valid(text.p, text.n, CTX_SIMD_BEST) == text.n);
	must(ctx_json_string_bytes(literal) == text.n);
	must(ctx_json_string_is(literal, text.p, text.n));
	must(text.n == 0 || !ctx_json_string_is(literal, text.p, text.n - 1));
	while (ctx_json_string_next(literal, &at, &cp)) {
		n = ctx_utf8_next(text.p + offset, text.n - offset, &same);
		must(cp == same);
		offset += n;
		must(offset <= text.n);
		/* Divides a short literal at every offset, a long literal at
		 * some offsets. */
		if (++chars < 40 || chars % 97 == 0) {
			cut(literal, at, &text);
			must(ctx_json_string_seek(literal, 1, offset) == at);
			must(ctx_utf8_skip(text.p, text.n, chars) == offset);
			must(ctx_utf8_back(text.p, offset) == offset - n);
		}
	}
	must(at == literal.n - 1 && offset == text.n);
	must(ctx_json_string_chars(literal) == chars);
	must(ctx_utf8_count(text.p, text.n) == chars);
	must(ctx_json_string_encode(&again, text.p, text.n, &err) == 0);
	must(is_literal(again.p, again.n));
	must(ctx_json_string_is((struct ctx_str){again.p, again.n}, text.p,
	    text.n));
	must(ctx_json_string_is_normalized(literal) ==
	    (again.n == literal.n &&
		memcmp(again.p, literal.p, literal.n) == 0));
	ctx_buf_release(&text);
	ctx_buf_release(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct ctx_buf literal = {0};
	struct ctx_err err;

	must(ctx_buf_add(&literal, "\"", 1, &err) == 0 &&
	    ctx_buf_add(&literal, p, size, &err) == 0 &&
	    ctx_buf_add(&literal, "\"", 1, &err) == 0);
	if (!is_literal(literal.p, literal.n)) {
		literal.n = 0;
		size = ctx_utf8_valid(p, size, CTX_SIMD_BEST);
		must(ctx_json_string_encode(&literal, p, size, &err) == 0);
		must(is_literal(literal.p, literal.n));
		must(ctx_json_string_is((struct ctx_str){literal.p, literal.n},
		    p, size));
	}
	check((struct ctx_str){literal.p, literal.n});
	ctx_buf_release(&literal);
	return 0;
}
