/*
 * request_overhead.c - counts the tokens of a request outside its messages
 *
 * The model's prompt contains a text around the tool definitions.  The number
 * of tokens of this text is in struct ctx_tools, if it is known.
 *
 * Sources: "tool use system prompt token count" in Anthropic's tool use
 * overview (2026), and the chat templates of open models.
 */
#include <string.h>

#include "cost/cost.h"
#include "cost/text_tokens.h"
#include "cost/tool_choice.h"
#include "cost/tool_definitions.h"

/* the keys under which a request may contain the system prompt */
static const char *const prompts[] = {"system", "instructions",
    "systemInstruction", "system_instruction", "gen_ai.system_instructions",
    NULL};

struct overhead_count {
	/* tool definitions of the request, and all tokens counted so far */
	struct ctx_tool_count tools;
	const struct ctx_tools *rule;
	/* see ctx_request_overhead.tools_alone */
	unsigned tools_alone;
};

/* ---- the system prompt ---- */

/* Counts the tokens of a system prompt, which is a string, an array of text
 * blocks, or {"parts": [...]}.  Gemini also accepts a single part in place of
 * the array. */
static int
count_prompt(struct overhead_count *b, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = b->tools.json;
	uint32_t parts = ctx_json_find(json, node, "parts"), one = 0, text;

	if (parts != 0)
		node = parts;
	text = ctx_json_find(json, node, "text");
	if (text != 0)
		node = text;
	if (!ctx_json_is_array(json, node))
		return ctx_count_value(b->tools.counter, json, node,
		    &b->tools.cost, err);
	while (ctx_json_next_element(json, node, &one)) {
		text = one;
		if (json->nodes[one].kind == CTX_JSON_OBJECT)
			text = ctx_json_find(json, one, "text");
		/* in OpenTelemetry's format, the key is "content" */
		if (text == 0)
			text = ctx_json_find(json, one, "content");
		if (text != 0 &&
		    ctx_count_value(b->tools.counter, json, text,
			&b->tools.cost, err) < 0)
			return -1;
	}
	return 0;
}

static bool
is_responses(const struct ctx_record_layout *layout)
{
	return strcmp(layout->dialect->name, "openai-responses") == 0;
}

/* Returns true if a message of the request has the role of a system message. */
static bool
has_system_message(const struct ctx_json *json,
    const struct ctx_record_layout *layout)
{
	static const char *const roles[] = {"system", "developer", NULL};
	uint32_t one = 0;

	while (ctx_json_next_element(json, layout->messages, &one))
		if (ctx_json_is_any(json, ctx_json_find(json, one, "role"),
			roles))
			return true;
	return false;
}

/* Adds the tokens that tool definitions cost more without a system message.
 * They are then a message of their own. */
static void
add_tools_alone(struct overhead_count *b,
    const struct ctx_record_layout *layout)
{
	if (is_responses(layout) || b->tools.extra->tools_alone == 0)
		return;
	if (has_system_message(b->tools.json, layout))
		b->tools_alone = b->tools.extra->tools_alone;
	else
		b->tools.fixed += b->tools.extra->tools_alone;
}

/* Adds the tokens that were measured for a request with tools, in addition to
 * those of the texts of the definitions. */
static void
add_surcharges(struct overhead_count *b, const struct ctx_record_layout *layout)
{
	const struct ctx_surcharges *extra = b->tools.extra;

	b->tools.fixed += extra->tools;
	if (b->tools.has_deferred)
		b->tools.fixed += extra->deferred;
	if (is_responses(layout))
		b->tools.fixed += extra->responses;
	add_tools_alone(b, layout);
	if (ctx_tool_is_named(b->tools.json, layout->request))
		b->tools.fixed += extra->named;
}

/* Adds the tokens of the text that the model's prompt has around tool
 * definitions, if the request defines tools. */
static int
add_framing(struct overhead_count *b, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	/* The text before the tool definitions begins with "# Tools".  The # is
	 * not counted, because published token counts are one token lower than
	 * a count with the #. */
	static const char head[] = " Tools\n\n## functions\n\n"
				   "namespace functions {\n\n",
			  foot[] = "} // namespace functions";

	if (!b->tools.any)
		return 0;
	b->tools.fixed += ctx_tool_is_forced(b->tools.json, layout->request)
	    ? b->rule->forced
	    : b->rule->once;
	add_surcharges(b, layout);
	if (b->tools.extra->form != CTX_FORM_TYPES &&
	    b->tools.extra->form != CTX_FORM_OLDER_TYPES)
		return 0;
	if (ctx_buf_add(&b->tools.text, foot, sizeof foot - 1, err) < 0 ||
	    ctx_buf_reserve(&b->tools.text, sizeof head, err) < 0)
		return -1;
	memmove(b->tools.text.p + sizeof head - 1, b->tools.text.p,
	    b->tools.text.n);
	memcpy(b->tools.text.p, head, sizeof head - 1);
	b->tools.text.n += sizeof head - 1;
	return 0;
}

/* Adds the tokens of the schema that the answer must follow, and of the text
 * around the schema. */
static int
count_answer(struct overhead_count *b, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	const struct ctx_surcharges *extra = b->tools.extra;
	struct ctx_answer_schema answer;

	ctx_answer_schema_find(&answer, b->tools.json, layout->request);
	if (answer.schema == 0 || extra->answer_form == CTX_ANSWER_HIDDEN)
		return 0;
	if (extra->answer_form == CTX_ANSWER_TEXTS)
		return ctx_tools_count_schema(&b->tools, answer.schema, err);
	b->tools.text.n = 0;
	ctx_prompt_put_answer(&b->tools.to, &answer, extra->answer_form);
	if (b->tools.to.failed || b->tools.text.n == 0)
		return b->tools.to.failed ? -1 : 0;
	b->tools.cost.tokens +=
	    is_responses(layout) ? extra->answer_responses : extra->answer;
	return ctx_count_marked_text(b->tools.counter, b->tools.text.p,
	    b->tools.text.n, &b->tools.cost, err);
}

static int
count_tools(struct overhead_count *b, const struct ctx_record_layout *layout,
    struct ctx_err *err)
{
	b->tools.shows_deferred = is_responses(layout);
	if (ctx_tools_add(&b->tools, layout->tools, err) < 0 ||
	    add_framing(b, layout, err) < 0)
		return -1;
	if (ctx_count_marked_text(b->tools.counter, b->tools.text.p,
		b->tools.text.n, &b->tools.cost, err) < 0)
		return -1;
	/* The sum is not negative. fixed (the tokens that are not in texts)
	 * is negative only if the request has tools.  Then the tool definitions
	 * have more tokens than the absolute value of fixed. */
	b->tools.cost.tokens += (uint64_t)b->tools.fixed;
	return count_answer(b, layout, err);
}

/* Returns true if the request turns thinking on with the type "enabled"
 * (thinking with a budget of tokens). */
static bool
is_thinking(const struct ctx_json *json, uint32_t request)
{
	/* In Bedrock's format, "thinking" is inside another object. */
	static const char *const paths[] = {"thinking/type",
	    "additionalModelRequestFields/thinking/type"};
	size_t i;

	for (i = 0; i < CTX_LENGTH(paths); i++)
		if (ctx_json_is(json,
			ctx_json_find_path(json, request, paths[i]), "enabled"))
			return true;
	return false;
}

/* Returns the number of tokens of a request that belong neither to its messages
 * nor to the system prompt, tools or schemas. */
static uint64_t
count_priming(const struct overhead_count *b,
    const struct ctx_record_layout *layout)
{
	int64_t tokens = layout->dialect->priming;

	if (layout->is_response || tokens == 0)
		return 0;
	if (b->tools.counter->frame_message > 0)
		return b->tools.counter->frame_request;
	if (b->tools.extra->framed)
		tokens = 0;
	return (uint64_t)(tokens + b->tools.extra->request);
}

int
ctx_count_request_overhead(struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct ctx_request_overhead *overhead, struct ctx_err *err)
{
	struct overhead_count b = {0};
	uint64_t thinking = 0, priming;
	uint32_t prompt;
	int rc = 0;

	memset(overhead, 0, sizeof *overhead);
	b.rule = counter->tools.rule != CTX_TOOLS_NONE
	    ? &counter->tools
	    : &layout->dialect->tools;
	ctx_tool_count_begin(&b.tools, counter, json,
	    ctx_surcharges_of(b.rule->rule), err);
	priming = count_priming(&b, layout);
	if (layout->in_request) {
		prompt = ctx_tool_find_any(json, layout->request, prompts);
		if (prompt != 0) {
			rc = count_prompt(&b, prompt, err);
			if (b.tools.cost.tokens > 0)
				b.tools.cost.tokens += b.tools.extra->system;
		}
		overhead->system = b.tools.cost.tokens;
		overhead->system_chars = b.tools.cost.chars;
		if (rc == 0)
			rc = count_tools(&b, layout, err);
		overhead->tools = b.tools.cost.tokens - overhead->system;
		if (is_thinking(json, layout->request))
			thinking = b.tools.extra->thinking;
	}
	ctx_tool_count_end(&b.tools);
	overhead->tokens =
	    priming + overhead->system + overhead->tools + thinking;
	overhead->tools_alone = b.tools_alone;
	overhead->chars = b.tools.cost.chars;
	overhead->estimated = counter->basis == CTX_BASIS_ESTIMATED
	    ? overhead->tokens
	    : overhead->tools + thinking;
	/* The number of tokens of the system prompt that the provider or host
	 * adds is an estimate: it was measured, but the text of that prompt is
	 * not known.  GPT-4 was billed a token less in Responses (one request;
	 * others were not recorded). */
	if ((b.tools.extra->request > 0 ||
		(b.tools.extra->form == CTX_FORM_OLDER_TYPES &&
		    is_responses(layout))) &&
	    counter->basis != CTX_BASIS_ESTIMATED)
		overhead->estimated += priming;
	return rc;
}
