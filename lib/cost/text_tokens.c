/* text_tokens.c - counts the tokens of a text, in the tokens of the model */
#include "cost/text_tokens.h"

uint64_t
ctx_tokens_to_model(const struct ctx_counter *counter, uint64_t tokens)
{
	uint64_t factor = counter->factor == 0 ? 100 : counter->factor;

	/* Multiplies in two steps, so that the product cannot exceed 64
	 * bits. */
	return tokens / 100 * factor + (tokens % 100 * factor + 50) / 100;
}

uint64_t
ctx_tokens_to_encoding(const struct ctx_counter *counter, uint64_t tokens)
{
	uint64_t factor = counter->factor == 0 ? 100 : counter->factor;

	return tokens / factor * 100 + tokens % factor * 100 / factor;
}

static void
add_text_tokens(const struct ctx_counter *counter, uint64_t tokens,
    uint64_t chars, struct ctx_cost *cost)
{
	tokens = ctx_tokens_to_model(counter, tokens);
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
	add_text_tokens(counter, tokens, ctx_utf8_count(p, n), cost);
	return 0;
}

/* Counts the tokens of a JSON string with escapes.  The string is decoded for
 * this, but not if the counter only estimates: then the size of the text is
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
		add_text_tokens(counter, tokens, chars, cost);
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
