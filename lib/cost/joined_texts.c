/*
 * joined_texts.c - tokens of texts that the provider joins
 *
 * OpenAI joins texts that follow each other in a message, without anything
 * between them, so that a token may begin in one text and end in the next.  Of
 * 16 recorded requests with such texts six were billed one or two tokens less
 * than the single texts have; five of these have them when joined.
 */
#include <string.h>

#include "cost/cost.h"
#include "cost/surcharges.h"

/* How many bytes before and after the place where texts are joined are counted,
 * once joined and once not.  Tokens that are farther away do not change. */
enum { SIDE_BYTES = 256 };

static bool
is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Appends the last bytes of the decoded text of a JSON string to out. */
static int
append_end(const struct ctx_json *json, uint32_t node, struct ctx_buf *out,
    struct ctx_err *err)
{
	size_t from = 0;

	if (ctx_json_string_decode(out, ctx_json_str(json, node), err) < 0)
		return -1;
	if (out->n > SIDE_BYTES)
		from = out->n - SIDE_BYTES;
	while (from > 0 && from < out->n && is_inside_character(out->p[from]))
		from++;
	out->n -= from;
	memmove(out->p, out->p + from, out->n);
	return 0;
}

/* Appends the first bytes of the decoded text of a JSON string to out. */
static int
append_start(const struct ctx_json *json, uint32_t node, struct ctx_buf *out,
    struct ctx_err *err)
{
	size_t before = out->n, to;

	if (ctx_json_string_decode(out, ctx_json_str(json, node), err) < 0)
		return -1;
	to = out->n - before < SIDE_BYTES ? out->n : before + SIDE_BYTES;
	while (to > before && to < out->n && is_inside_character(out->p[to]))
		to--;
	out->n = to;
	return 0;
}

/* Sets *both to the tokens of the end of one text with the start of the next
 * one, and *single to the tokens of both parts without each other. */
static int
count_place(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t nodes[2], uint64_t *both, uint64_t *single, struct ctx_err *err)
{
	struct ctx_buf *text = &counter->text;
	uint64_t start;
	size_t middle;

	text->n = 0;
	if (append_end(json, nodes[0], text, err) < 0)
		return -1;
	middle = text->n;
	if (append_start(json, nodes[1], text, err) < 0 ||
	    ctx_token_count(counter->tokens, text->p, middle, single, err) <
		0 ||
	    ctx_token_count(counter->tokens, text->p + middle, text->n - middle,
		&start, err) < 0 ||
	    ctx_token_count(counter->tokens, text->p, text->n, both, err) < 0)
		return -1;
	*single += start;
	ctx_buf_reset(text);
	return 0;
}

/* Returns true if a block is a text beside the other blocks of a message, not
 * in a tool result. */
static bool
is_plain_text(const struct ctx_message *message, const struct ctx_block *block)
{
	return block->kind == CTX_BLOCK_TEXT && block->result_index == 0 &&
	    block->container != 0 && block->payload != 0 &&
	    message->json->nodes[block->payload].kind == CTX_JSON_STRING;
}

int
ctx_join_text(struct ctx_counter *counter, const struct ctx_message *message,
    size_t i, uint64_t first, struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_block *blocks = message->blocks;
	uint64_t both, single, own = cost->tokens - first;
	uint32_t nodes[2];

	/* A counter that only estimates adds up bytes. */
	if (i == 0 || i == message->n_prompt_blocks ||
	    !is_plain_text(message, &blocks[i - 1]) ||
	    !is_plain_text(message, &blocks[i]) ||
	    blocks[i - 1].container != blocks[i].container ||
	    ctx_token_estimate(counter->tokens, 0, &both))
		return 0;
	nodes[0] = blocks[i - 1].payload;
	nodes[1] = blocks[i].payload;
	if (count_place(counter, message->json, nodes, &both, &single, err) < 0)
		return -1;
	if (both > single)
		cost->tokens += both - single;
	else
		cost->tokens -= single - both < own ? single - both : own;
	return 0;
}
