/* text_tokens.c - counts the tokens of a text, in tokens of the model */
#include <string.h>

#include "cost/prompt_writer.h"
#include "cost/text_tokens.h"

uint64_t
ctx_tokens_to_model(const struct ctx_counter *counter, uint64_t tokens)
{
	uint64_t factor = counter->factor == 0 ? 100 : counter->factor;

	/* The multiplication is done in two steps, so that the product cannot
	 * exceed 64 bits. */
	return tokens / 100 * factor + (tokens % 100 * factor + 50) / 100;
}

uint64_t
ctx_tokens_to_encoding(const struct ctx_counter *counter, uint64_t tokens)
{
	uint64_t factor = counter->factor == 0 ? 100 : counter->factor;

	return tokens / factor * 100 + tokens % factor * 100 / factor;
}

int64_t
ctx_text_correction(const struct ctx_counter *counter, const char *p, size_t n)
{
	/* Corrections per character, in thousandths of a token.  They were
	 * fitted by least squares to the tokens of Gemma 3, see NOTES.md. */
	enum { DIGIT = 500, BREAK = 600, WIDE = -170, EMOJI = -820 };
	uint64_t digits = 0, breaks = 0, wide = 0, emoji = 0;
	size_t i;

	if (!counter->corrects)
		return 0;
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		digits += (c >= '0' && c <= '9') || c == '_';
		breaks += c == '\n' || c == '\t' || c == '\r';
		/* A byte from 0xe3 to 0xef begins a character from U+3000 to
		 * U+FFFF.  A byte from 0xf0 on begins a character from U+10000
		 * on. */
		wide += c >= 0xe3 && c < 0xf0;
		emoji += c >= 0xf0;
	}
	return (int64_t)digits * DIGIT + (int64_t)breaks * BREAK +
	    (int64_t)wide * WIDE + (int64_t)emoji * EMOJI;
}

uint64_t
ctx_correct_tokens(const struct ctx_counter *counter, uint64_t tokens,
    int64_t correction)
{
	/* At least half of the encoding's tokens are counted, even if many
	 * characters have a negative correction. */
	uint64_t least = tokens - tokens / 2;
	int64_t sum;

	if (!counter->corrects)
		return ctx_tokens_to_model(counter, tokens);
	sum = (int64_t)(tokens * counter->factor * 10) + correction + 500;
	return sum < 0 || (uint64_t)sum / 1000 < least ? least
						       : (uint64_t)sum / 1000;
}

uint64_t
ctx_text_to_model(const struct ctx_counter *counter, const char *p, size_t n,
    uint64_t tokens)
{
	return ctx_correct_tokens(counter, tokens,
	    ctx_text_correction(counter, p, n));
}

/* Adds the tokens and characters of a text to *cost. tokens: number of tokens
 * that the text has for the model. */
static void
add_text_tokens(const struct ctx_counter *counter, uint64_t tokens,
    uint64_t chars, struct ctx_cost *cost)
{
	cost->tokens += tokens;
	cost->chars += chars;
	if (counter->basis == CTX_BASIS_ESTIMATED)
		cost->estimated += tokens;
}

int
ctx_count_text(struct ctx_counter *counter, const char *p, size_t n,
    struct ctx_cost *cost, struct ctx_err *err)
{
	uint64_t tokens;

	if (ctx_token_count(counter->tokens, p, n, &tokens, err) < 0)
		return -1;
	add_text_tokens(counter, ctx_text_to_model(counter, p, n, tokens),
	    ctx_utf8_count(p, n), cost);
	return 0;
}

int
ctx_count_marked_text(struct ctx_counter *counter, const char *p, size_t n,
    struct ctx_cost *cost, struct ctx_err *err)
{
	const char *end = p + n, *next;
	uint64_t tokens = 0, marks = 0, chars = 0, some;
	int64_t correction = 0;

	for (;;) {
		next = n == 0 ? NULL : memchr(p, CTX_TOKEN_MARK, n);
		n = (size_t)((next == NULL ? end : next) - p);
		if (ctx_token_count(counter->tokens, p, n, &some, err) < 0)
			return -1;
		tokens += some;
		correction += ctx_text_correction(counter, p, n);
		chars += ctx_utf8_count(p, n);
		if (next == NULL)
			break;
		marks++;
		p = next + 1;
		n = (size_t)(end - p);
	}
	add_text_tokens(counter,
	    ctx_correct_tokens(counter, tokens, correction) + marks, chars,
	    cost);
	return 0;
}

/* Counts the tokens of a JSON string with escapes.  Decodes the string first,
 * unless the counter only estimates, because then the size of the text is
 * enough. */
static int
count_escaped(struct ctx_counter *counter, struct ctx_str literal,
    struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_buf *text = &counter->text;
	size_t bytes, chars;
	uint64_t tokens;

	if (ctx_token_estimate(counter->tokens, 0, &tokens)) {
		ctx_json_string_size(literal, &bytes, &chars);
		(void)ctx_token_estimate(counter->tokens, bytes, &tokens);
		add_text_tokens(counter, ctx_tokens_to_model(counter, tokens),
		    chars, cost);
		return 0;
	}
	text->n = 0;
	if (ctx_json_string_decode(text, literal, err) < 0 ||
	    ctx_count_text(counter, text->p, text->n, cost, err) < 0)
		return -1;
	ctx_buf_reset(text);
	return 0;
}

int
ctx_count_value(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_str text = ctx_json_str(json, node);

	if (json->nodes[node].kind == CTX_JSON_STRING)
		return json->nodes[node].escaped
		    ? count_escaped(counter, text, cost, err)
		    : ctx_count_text(counter, text.p + 1, text.n - 2, cost,
			  err);
	counter->text.n = 0;
	if (ctx_json_compact(json, node, &counter->text, &text, err) < 0 ||
	    ctx_count_text(counter, text.p, text.n, cost, err) < 0)
		return -1;
	ctx_buf_reset(&counter->text);
	return 0;
}
