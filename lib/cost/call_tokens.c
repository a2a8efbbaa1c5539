/*
 * call_tokens.c - counts the tokens of tool calls
 *
 * OpenAI's models get a tool call as a message to "functions.NAME", and the
 * result as a message from "functions.NAME".  In Chat Completions, several
 * calls of a message are one call of the tool multi_tool_use.parallel, whose
 * arguments are JSON with all names and arguments, and whose result has all
 * results.  OpenAI has not published this.  It was found in 300 recorded
 * requests (tests/bench/billed.py, November 2026).
 */
#include <string.h>

#include "cost/call_tokens.h"
#include "cost/text_tokens.h"

size_t
ctx_message_calls(const struct ctx_message *message)
{
	size_t i, n = 0;

	for (i = 0; i < message->n; i++)
		n += message->blocks[i].kind == CTX_BLOCK_TOOL_CALL;
	return n;
}

/* Returns true if a message has another tool call than block i.  Stops at the
 * next one, so that to ask for each tool call of a message takes time that is
 * proportional to the number of blocks. */
static bool
has_other_call(const struct ctx_message *message, size_t i)
{
	size_t k;

	for (k = i; k-- > 0;)
		if (message->blocks[k].kind == CTX_BLOCK_TOOL_CALL)
			return true;
	for (k = i + 1; k < message->n; k++)
		if (message->blocks[k].kind == CTX_BLOCK_TOOL_CALL)
			return true;
	return false;
}

/* Counts the tokens of the tool's name. times: how often the prompt contains
 * the name as "functions.NAME"; 0: once, and alone. */
static int
count_name(struct ctx_counter *counter, const struct ctx_message *message,
    const struct ctx_block *block, unsigned times, struct ctx_cost *cost,
    struct ctx_err *err)
{
	static const char before[] = "functions.";
	size_t n = sizeof before - 1;
	struct ctx_buf *text = &counter->text;
	uint64_t first = cost->tokens;
	struct ctx_str name;

	text->n = 0;
	if (times > 0 && ctx_buf_add(text, before, n, err) < 0)
		return -1;
	if (ctx_block_tool(message->json, block, text, &name, err) < 0)
		return -1;
	if (times == 0)
		return ctx_count_text(counter, name.p, name.n, cost, err);
	if (text->n == n) {
		/* The name is in the record. */
		if (ctx_buf_add(text, name.p, name.n, err) < 0)
			return -1;
	} else {
		memmove(text->p + n, name.p, name.n);
		text->n = n + name.n;
	}
	if (ctx_count_text(counter, text->p, text->n, cost, err) < 0)
		return -1;
	cost->tokens += (times - 1) * (cost->tokens - first);
	cost->chars -= n; /* only the name is a text of the message */
	return 0;
}

/* Returns the number of tokens that are billed for tool call i and its result
 * in addition to those of their texts.  Includes the tokens of the tool call's
 * signature, if the signature is billed. */
static uint64_t
count_surcharges(const struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, bool parallel,
    bool signed_call)
{
	const struct ctx_surcharges *extra =
	    ctx_find_surcharges(counter, message->dialect);
	const struct ctx_block *block = &message->blocks[i];
	const struct ctx_json *json = message->json;
	uint64_t tokens = parallel ? extra->parallel_call : extra->call;

	if (counter->corrects)
		tokens += extra->estimated_call;
	if (ctx_json_is_object(json, block->payload))
		tokens += (uint64_t)extra->argument *
		    ctx_json_count(json, block->payload);
	/* In the format of OpenAI's Responses, a call is a message without a
	 * role. */
	if (message->role_node == 0) {
		tokens += extra->responses_call;
		if (ctx_json_find(json, message->node, "id") != 0)
			tokens += extra->identified_call;
	}
	if (block->signature != 0 && signed_call)
		tokens +=
		    ctx_signature_tokens(ctx_json_str(json, block->signature),
			extra->signatures);
	return tokens;
}

int
ctx_count_call(struct ctx_counter *counter, const struct ctx_message *message,
    size_t i, bool signed_call, struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];
	bool named =
	    ctx_find_surcharges(counter, message->dialect)->has_namespace;
	bool parallel = named && has_other_call(message, i);
	uint64_t tokens;

	if (block->name != 0 &&
	    count_name(counter, message, block, named ? (parallel ? 1 : 2) : 0,
		cost, err) < 0)
		return -1;
	tokens = count_surcharges(counter, message, i, parallel, signed_call);
	cost->tokens += tokens;
	cost->estimated += tokens;
	return 0;
}

/* Counts the tokens of arguments that are JSON in a string.  OpenAI's models
 * get them without white space.  So if there is a space after the first key,
 * the JSON is read and written again. */
static int
count_coded(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(json, node);
	const char *colon = memchr(raw.p, ':', raw.n);
	struct ctx_coded_value value = {0};
	int rc;

	if (colon == NULL || colon[1] != ' ')
		return ctx_count_value(counter, json, node, cost, err);
	rc = ctx_coded_value_read(&value, json, node, err);
	counter->text.n = 0;
	if (rc > 0) {
		rc = ctx_json_append_compact(value.json, value.node,
			 &counter->text, err) < 0
		    ? -1
		    : ctx_count_text(counter, counter->text.p, counter->text.n,
			  cost, err);
		/* The white space is part of the message. */
		if (rc == 0)
			cost->chars += value.text.n - counter->text.n;
	} else if (rc == 0) {
		rc = ctx_count_value(counter, json, node, cost, err);
	}
	ctx_coded_value_release(&value);
	ctx_buf_reset(&counter->text);
	return rc;
}

int
ctx_count_arguments(struct ctx_counter *counter, const struct ctx_json *json,
    uint32_t node, const struct ctx_surcharges *extra, struct ctx_cost *cost,
    struct ctx_err *err)
{
	uint32_t key = 0;

	/* The member "input" of a custom tool's call is free text. */
	if (extra->has_namespace && ctx_json_is_string(json, node) &&
	    !ctx_json_is(json, node - 1, "input"))
		return count_coded(counter, json, node, cost, err);
	if (!extra->shows_values || !ctx_json_is_object(json, node))
		return ctx_count_value(counter, json, node, cost, err);

	while (ctx_json_next_member(json, node, &key))
		if (ctx_count_value(counter, json, key, cost, err) < 0 ||
		    ctx_count_value(counter, json, key + 1, cost, err) < 0)
			return -1;
	return 0;
}
