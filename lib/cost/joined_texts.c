/*
 * joined_texts.c - counts texts that the provider joins
 *
 * OpenAI joins texts that directly follow each other in a message, without
 * anything between them, so that a token may begin in one text and end in the
 * next.  Of 16 recorded requests with such texts, seven were billed one or two
 * tokens less than the sum of the texts' tokens.  For six of these seven
 * requests, the tokens of the joined text are exactly the billed number.
 *
 * Texts with only reasoning or tool results between them are joined, too,
 * because reasoning and tool results are not part of the content that the model
 * gets with the texts.  So removing reasoning or results does not change the
 * tokens of the texts.
 */
#include "cost/surcharges.h"
#include "cost/text_tokens.h"

bool
ctx_counter_joins_texts(const struct ctx_counter *counter,
    const struct ctx_dialect *dialect)
{
	uint64_t tokens;

	/* An estimate needs only the size of a text.  So a counter that only
	 * estimates joins no texts. */
	return ctx_find_surcharges(counter, dialect)->joins_texts &&
	    !ctx_token_estimate(counter->tokens, 0, &tokens);
}

static bool
is_joinable(const struct ctx_message *message, size_t i)
{
	const struct ctx_block *block = &message->blocks[i];

	return block->kind == CTX_BLOCK_TEXT && block->result_index == 0 &&
	    block->container != 0 &&
	    ctx_json_is_string(message->json, block->payload);
}

static bool
is_skipped(const struct ctx_message *message, size_t i)
{
	const struct ctx_block *block = &message->blocks[i];

	return block->kind == CTX_BLOCK_REASONING ||
	    block->kind == CTX_BLOCK_TOOL_RESULT || block->result_index != 0;
}

/* Returns true if block i of a message is the first block of the answer, in a
 * record that also contains the prompt. */
static bool
begins_answer(const struct ctx_message *message, size_t i)
{
	return i > 0 && i == message->n_prompt_blocks;
}

/* Returns the index of the first text block at or after block i that is joined
 * with a text before block i.  Returns message->n if there is no such block. */
static size_t
find_text(const struct ctx_message *message, size_t i)
{
	while (i < message->n && !begins_answer(message, i) &&
	    is_skipped(message, i))
		i++;
	return i < message->n && !begins_answer(message, i) &&
		is_joinable(message, i)
	    ? i
	    : message->n;
}

/* Returns the index of the next text that is joined with text i, or message->n
 * if there is none. */
static size_t
find_next(const struct ctx_message *message, size_t i)
{
	size_t next = find_text(message, i + 1);

	return next < message->n &&
		message->blocks[next].container == message->blocks[i].container
	    ? next
	    : message->n;
}

/* Returns true if text i is joined with a text before it. */
static bool
has_previous(const struct ctx_message *message, size_t i)
{
	size_t before = i;

	while (before > 0 && !begins_answer(message, before)) {
		before--;
		if (is_joinable(message, before))
			return message->blocks[before].container ==
			    message->blocks[i].container;
		if (!is_skipped(message, before))
			return false;
	}
	return false;
}

bool
ctx_text_is_joined(const struct ctx_counter *counter,
    const struct ctx_message *message, size_t i)
{
	return is_joinable(message, i) &&
	    ctx_counter_joins_texts(counter, message->dialect) &&
	    (find_next(message, i) < message->n || has_previous(message, i));
}

/* Appends text i and all texts after it that are joined with text i to
 * counter->text.  Adds the tokens of the joined text to *cost. */
static int
count_from(struct ctx_counter *counter, const struct ctx_message *message,
    size_t i, struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_buf *text = &counter->text;

	for (; i < message->n; i = find_next(message, i))
		if (ctx_json_string_decode(text,
			ctx_json_str(message->json, message->blocks[i].payload),
			err) < 0)
			return -1;
	if (ctx_count_text(counter, text->p, text->n, cost, err) < 0)
		return -1;
	ctx_buf_reset(text);
	return 0;
}

int
ctx_count_joined_text(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_cost *cost,
    struct ctx_err *err)
{
	if (has_previous(message, i))
		return 0;
	counter->text.n = 0;
	return count_from(counter, message, i, cost, err);
}

int
ctx_count_added_text(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str literal,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_cost with = {0}, without = {0};
	size_t next = message->n;

	if (ctx_counter_joins_texts(counter, message->dialect))
		next = find_text(message, i);
	counter->text.n = 0;
	if (next < message->n &&
	    count_from(counter, message, next, &without, err) < 0)
		return -1;
	counter->text.n = 0;
	if (ctx_json_string_decode(&counter->text, literal, err) < 0 ||
	    count_from(counter, message, next, &with, err) < 0)
		return -1;
	*tokens =
	    with.tokens < without.tokens ? 0 : with.tokens - without.tokens;
	return 0;
}
