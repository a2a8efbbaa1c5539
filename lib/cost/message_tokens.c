/* message_tokens.c - counts the tokens of a message */
#include <string.h>

#include "cost/call_tokens.h"
#include "cost/cost.h"
#include "cost/media.h"
#include "cost/prompt_writer.h"
#include "cost/text_tokens.h"
#include "cost/tool_definitions.h"
#include "dialect/result_content.h"
#include "store/store.h"

/* Counts the tokens of the text that the function "put" writes for a JSON node.
 * put: a function of cost/prompt_writer.h. */
static int
count_written(struct ctx_counter *counter,
    void (*put)(struct ctx_prompt_writer *, uint32_t),
    const struct ctx_json *json, uint32_t node, struct ctx_cost *cost,
    struct ctx_err *err)
{
	struct ctx_buf *text = &counter->text;
	struct ctx_prompt_writer to = {.json = json, .out = text, .err = err};
	int rc = -1;

	text->n = 0;
	put(&to, node);
	if (!to.failed)
		rc =
		    ctx_count_marked_text(counter, text->p, text->n, cost, err);
	ctx_buf_reset(text);
	return rc;
}

/* Counts the tokens of a JSON value as it is in the model's prompt.  Usually
 * the prompt contains the JSON.  For dialects (formats) with
 * counts_strings_only, the prompt contains a form of Gemini, or only the keys
 * and strings of the value. */
static int
count_shown(struct ctx_counter *counter, const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_cost *cost,
    struct ctx_err *err)
{
	enum ctx_tool_form form = ctx_find_surcharges(counter, dialect)->form;
	uint32_t one, end = json->nodes[node].next;

	if (!dialect->counts_strings_only)
		return ctx_count_value(counter, json, node, cost, err);
	if (json->nodes[node].kind == CTX_JSON_OBJECT &&
	    form == CTX_FORM_DECLARATION)
		return count_written(counter, ctx_prompt_put_declared, json,
		    node, cost, err);
	if (json->nodes[node].kind == CTX_JSON_OBJECT &&
	    form == CTX_FORM_PYTHON)
		return count_written(counter, ctx_prompt_put_spaced, json, node,
		    cost, err);
	for (one = node; one < end; one++)
		if (json->nodes[one].kind == CTX_JSON_STRING &&
		    ctx_count_value(counter, json, one, cost, err) < 0)
			return -1;
	return 0;
}

/* Estimates the tokens of a message of unknown type: counts those of its
 * members.  Does not count members that only identify the message.  Does not
 * count numbers, because a number may be a token count that ctx has added. */
static int
count_item(struct ctx_counter *counter, const struct ctx_message *message,
    struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	uint64_t first = cost->tokens;
	uint32_t key = 0;

	while (ctx_json_next_member(json, message->node, &key)) {
		if (json->nodes[key + 1].kind < CTX_JSON_STRING ||
		    ctx_json_is(json, key, "type") ||
		    ctx_json_is(json, key, "id") ||
		    ctx_json_is(json, key, "status"))
			continue;
		if (count_shown(counter, message->dialect, json, key + 1, cost,
			err) < 0)
			return -1;
	}
	if (counter->basis != CTX_BASIS_ESTIMATED)
		cost->estimated += cost->tokens - first;
	return 0;
}

/* Returns true if the signatures of a message are not billed, because the
 * message belongs to an earlier turn. */
static bool
omits_signatures(const struct ctx_counter *counter,
    const struct ctx_message *message)
{
	return counter->drops_reasoning &&
	    (message->flags & CTX_MESSAGE_EARLIER);
}

/* Returns true if the reasoning of a message is not billed, because the message
 * belongs to an earlier turn. */
static bool
omits_reasoning(const struct ctx_counter *counter,
    const struct ctx_message *message)
{
	return omits_signatures(counter, message) &&
	    !ctx_find_surcharges(counter, message->dialect)->keeps_thoughts;
}

/* Returns true if a message consists only of reasoning that is not billed.  The
 * role of such a message is not billed either. */
static bool
is_omitted(const struct ctx_counter *counter, const struct ctx_message *message)
{
	size_t i;

	if (!omits_reasoning(counter, message))
		return false;
	for (i = 0; i < message->n; i++)
		if (message->blocks[i].kind != CTX_BLOCK_REASONING)
			return false;
	return message->n > 0;
}

/* Estimates the tokens of encrypted reasoning from the length of its base64.
 * node: the payload, or a signature. */
static uint64_t
find_encrypted_tokens(const struct ctx_json *json, uint32_t node,
    const struct ctx_surcharges *extra)
{
	size_t n = ctx_encrypted_text(json, node).n;

	return n <= extra->encryption
	    ? 0
	    : (uint64_t)(n - extra->encryption) * extra->encrypted / 1000;
}

/* If the text of a block is a summary of signed reasoning, replaces its tokens
 * by those of the reasoning. tokens, estimated: the values of *cost before the
 * text was counted. */
static void
count_summarized(const struct ctx_message *message,
    const struct ctx_block *block, const struct ctx_surcharges *extra,
    uint64_t tokens, uint64_t estimated, struct ctx_cost *cost)
{
	uint64_t sealed;

	if (block->kind != CTX_BLOCK_REASONING || block->signature == 0 ||
	    !extra->summarizes)
		return;
	sealed = find_encrypted_tokens(message->json, block->signature, extra);
	if (sealed <= cost->tokens - tokens)
		return;
	cost->tokens = tokens + sealed;
	cost->estimated = estimated + sealed;
}

/* Counts the tokens of an image or other media. */
static int
count_media(struct ctx_counter *counter, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_cost *cost, struct ctx_err *err)
{
	struct ctx_image image = counter->image.rule != CTX_IMAGE_NONE
	    ? counter->image
	    : message->dialect->image;
	const struct ctx_surcharges *extra =
	    ctx_find_surcharges(counter, message->dialect);
	uint64_t tokens = cost->tokens, estimated = cost->estimated;
	struct ctx_media_cost media;

	if (block->result_index > 0 && extra->result_pages)
		image.y = image.x;
	if (ctx_media_tokens(&image, message->json, block->payload,
		&counter->text, &media, err) < 0)
		return -1;
	if (media.text.n > 0 &&
	    ctx_count_text(counter, media.text.p, media.text.n, cost, err) < 0)
		return -1;
	ctx_buf_reset(&counter->text);
	cost->tokens += media.text.n > 0 ? extra->document : media.tokens;
	cost->estimated = estimated + cost->tokens - tokens;
	return 0;
}

/* Returns true if a block is a document of plain text in Claude's format, whose
 * text is in the member "data". */
static bool
is_document(const struct ctx_json *json, const struct ctx_block *block)
{
	return block->kind == CTX_BLOCK_TEXT && block->payload > 0 &&
	    ctx_json_is(json, block->payload - 1, "data");
}

int
ctx_count_block(struct ctx_counter *counter, const struct ctx_message *message,
    size_t i, struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];
	const struct ctx_surcharges *extra;
	uint64_t tokens, estimated;
	bool document;

	if (block->kind == CTX_BLOCK_REASONING &&
	    omits_reasoning(counter, message))
		return 0;
	if (block->kind == CTX_BLOCK_MEDIA)
		return count_media(counter, message, block, cost, err);
	extra = ctx_find_surcharges(counter, message->dialect);
	if (block->kind == CTX_BLOCK_REASONING && block->payload != 0) {
		cost->tokens += extra->reasoning;
		cost->estimated += extra->reasoning;
	}
	if (block->is_encrypted && block->payload != 0) {
		tokens =
		    find_encrypted_tokens(message->json, block->payload, extra);
		cost->tokens += tokens;
		cost->estimated += tokens;
		return 0;
	}
	if (block->kind == CTX_BLOCK_TOOL_CALL &&
	    ctx_count_call(counter, message, i,
		!omits_signatures(counter, message), cost, err) < 0)
		return -1;
	if (block->is_message)
		return count_item(counter, message, cost, err);
	/* A tool result that consists of blocks has no tokens itself.  The
	 * blocks inside the result come next in message->blocks, and are
	 * counted there. */
	if (block->payload == 0 ||
	    (block->kind == CTX_BLOCK_TOOL_RESULT &&
		(message->json->nodes[block->payload].kind == CTX_JSON_ARRAY ||
		    (i + 1 < message->n &&
			message->blocks[i + 1].result_index == i + 1))))
		return 0;
	if (block->kind == CTX_BLOCK_TOOL_CALL &&
	    (extra->has_namespace || extra->shows_values))
		return ctx_count_arguments(counter, message->json,
		    block->payload, extra, cost, err);
	if (block->kind == CTX_BLOCK_TOOL_CALL &&
	    extra->form == CTX_FORM_PYTHON &&
	    message->dialect->counts_strings_only &&
	    message->json->nodes[block->payload].kind == CTX_JSON_OBJECT)
		return count_written(counter, ctx_prompt_put_arguments,
		    message->json, block->payload, cost, err);
	if (ctx_text_is_joined(counter, message, i))
		return ctx_count_joined_text(counter, message, i, cost, err);
	tokens = cost->tokens;
	estimated = cost->estimated;
	if (count_shown(counter, message->dialect, message->json,
		block->payload, cost, err) < 0)
		return -1;
	/* The model gets a text around the document, or another text than the
	 * JSON of a block of unknown type. */
	document = is_document(message->json, block);
	cost->tokens += document ? extra->document : 0u;
	if (document || block->kind == CTX_BLOCK_OPAQUE)
		cost->estimated = estimated + cost->tokens - tokens;
	count_summarized(message, block, extra, tokens, estimated, cost);
	return block->kind == CTX_BLOCK_OPAQUE
	    ? ctx_count_loaded_tools(counter, message, i, message, cost, err)
	    : 0;
}

/* Sets counter->aged to the line at the end of a tool result with which ctx-age
 * refers to a file, or to an empty text if there is none.  This line is kept
 * when the result is cleared, because without this line the stored text could
 * not be found. */
static int
find_reference(struct ctx_counter *counter, const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t body, struct ctx_err *err)
{
	uint32_t node = ctx_result_content_text(json, body, dialect);
	struct ctx_buf *text = &counter->aged;
	struct ctx_reference ref;
	struct ctx_str raw;

	text->n = 0;
	if (node == 0)
		return 0;
	raw = ctx_json_str(json, node);
	if (!ctx_reference_may_be(raw))
		return 0;
	if (ctx_json_string_decode(text, raw, err) < 0)
		return -1;
	if (!ctx_reference_find(text->p, text->n, &ref)) {
		text->n = 0;
		return 0;
	}
	ref.at += ref.at > 0;
	text->n -= ref.at;
	memmove(text->p, text->p + ref.at, text->n);
	return 0;
}

/* Sets *tokens to the number of tokens of a tool result whose content is only a
 * text, the n bytes at p. */
static int
count_body(struct ctx_counter *counter, const struct ctx_dialect *dialect,
    const char *p, size_t n, uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	struct ctx_buf body = {0};
	struct ctx_json json;
	int rc;

	ctx_json_init(&json, CTX_SIMD_PORTABLE);
	rc = dialect->counts_strings_only
	    ? ctx_result_content_scan(dialect, (struct ctx_str){p, n}, &body,
		  &json, err)
	    : ctx_count_text(counter, p, n, &cost, err);
	if (rc > 0)
		rc = count_shown(counter, dialect, &json, 0, &cost, err);
	ctx_json_release(&json);
	ctx_buf_release(&body);
	*tokens = cost.tokens;
	return rc;
}

/* Sets *tokens to the number of tokens that a tool result has after it was
 * cleared.  The tokens of CTX_CLEARED are counted only once per dialect. */
static int
count_cleared_text(struct ctx_counter *counter,
    const struct ctx_dialect *dialect, uint64_t *tokens, struct ctx_err *err)
{
	if (counter->aged.n > 0)
		return count_body(counter, dialect, counter->aged.p,
		    counter->aged.n, tokens, err);
	if (counter->cleared_in != dialect) {
		counter->cleared_in = NULL;
		if (count_body(counter, dialect, CTX_CLEARED,
			strlen(CTX_CLEARED), &counter->cleared, err) < 0)
			return -1;
		counter->cleared_in = dialect;
	}
	*tokens = counter->cleared;
	return 0;
}

int
ctx_count_result(struct ctx_counter *counter, const struct ctx_message *message,
    size_t *i, struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_dialect *dialect = message->dialect;
	uint64_t before = cost->tokens, rough = cost->estimated;
	uint64_t name, body, then;
	size_t result = *i;

	if (dialect->counts_strings_only && message->blocks[result].name != 0 &&
	    ctx_count_value(counter, message->json,
		message->blocks[result].name, cost, err) < 0)
		return -1;
	name = cost->tokens - before;
	for (;;) {
		if (ctx_count_block(counter, message, *i, cost, err) < 0)
			return -1;
		if (*i + 1 >= message->n ||
		    message->blocks[*i + 1].result_index != result + 1)
			break;
		++*i;
	}
	if (find_reference(counter, dialect, message->json,
		message->blocks[result].payload, err) < 0 ||
	    count_cleared_text(counter, dialect, &then, err) < 0)
		return -1;
	body = cost->tokens - before - name;
	cost->results += name + body;
	cost->kinds[CTX_BLOCK_TOOL_RESULT] += name + body;
	cost->estimated_by_kind[CTX_BLOCK_TOOL_RESULT] +=
	    cost->estimated - rough;
	if (message->blocks[result].payload != 0 && body > then)
		cost->clearable += body - then;
	return 0;
}

int
ctx_count_clear_savings(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_str *left,
    uint64_t *saved, struct ctx_err *err)
{
	struct ctx_cost cost = {0};

	if (ctx_count_result(counter, message, &i, &cost, err) < 0)
		return -1;
	*saved = cost.clearable;
	*left = (struct ctx_str){CTX_CLEARED, strlen(CTX_CLEARED)};
	if (counter->aged.n > 0)
		*left = (struct ctx_str){counter->aged.p, counter->aged.n};
	return 0;
}

/* If block i is the first block of the answer, stores the tokens counted so far
 * as the tokens of the prompt.  Used for a record that contains both a prompt
 * and its answer. */
static void
record_prompt_tokens(const struct ctx_message *message, size_t i,
    struct ctx_cost *cost)
{
	if (message->n_prompt_blocks == 0 || i != message->n_prompt_blocks)
		return;
	cost->prompt_tokens = cost->tokens;
	cost->prompt_estimated = cost->estimated;
}

static int
add_block_tokens(struct ctx_counter *counter, const struct ctx_message *message,
    struct ctx_cost *cost, struct ctx_err *err)
{
	uint64_t before, rough;
	size_t i;

	for (i = 0; i < message->n; i++) {
		record_prompt_tokens(message, i, cost);
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT) {
			if (ctx_count_result(counter, message, &i, cost, err) <
			    0)
				return -1;
			continue;
		}
		before = cost->tokens;
		rough = cost->estimated;
		if (ctx_count_block(counter, message, i, cost, err) < 0)
			return -1;
		cost->kinds[message->blocks[i].kind] += cost->tokens - before;
		cost->estimated_by_kind[message->blocks[i].kind] +=
		    cost->estimated - rough;
	}
	record_prompt_tokens(message, message->n, cost);
	if (ctx_message_calls(message) > 1) {
		before =
		    ctx_find_surcharges(counter, message->dialect)->parallel;
		cost->tokens += before;
		cost->estimated += before;
		cost->kinds[CTX_BLOCK_TOOL_CALL] += before;
		cost->estimated_by_kind[CTX_BLOCK_TOOL_CALL] += before;
	}
	return 0;
}

/* Returns the number of tokens that are saved if the reasoning is removed from
 * a message.  Returns 0 if the message consists only of reasoning, except if
 * other records have the rest of the message; or if a reasoning block can be
 * removed only together with its message. */
static uint64_t
count_loose_reasoning(const struct ctx_message *message,
    const struct ctx_cost *cost)
{
	const unsigned parts = CTX_MESSAGE_IS_CONTINUED | CTX_MESSAGE_CONTINUES;
	uint64_t reasoning = cost->kinds[CTX_BLOCK_REASONING], all = 0;
	size_t i;

	for (i = 0; i < CTX_BLOCK_KINDS; i++)
		all += cost->kinds[i];
	for (i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_REASONING &&
		    message->blocks[i].removable == 0)
			return 0;
	return all > reasoning || (message->flags & parts) ? reasoning : 0;
}

/* Sets *tokens to the number of tokens for a message's role and delimiters.  If
 * the message is split over several records, these tokens are counted only in
 * the first record. */
static int
count_framing(struct ctx_counter *counter, const struct ctx_message *message,
    uint64_t *tokens, struct ctx_err *err)
{
	unsigned fixed = message->dialect->per_message;
	const struct ctx_surcharges *extra =
	    ctx_find_surcharges(counter, message->dialect);
	unsigned frame = extra->frame;
	struct ctx_cost role = {0};

	*tokens = 0;
	if (message->flags & CTX_MESSAGE_CONTINUES)
		return 0;
	if (counter->frame_message > 0)
		frame = counter->frame_message;
	if (fixed == 0 && !extra->framed) {
		/* If tokens are multiplied by a factor without a correction,
		 * the count of a short text is too high by more than
		 * extra->message.  Then extra->message is not added. */
		if (counter->corrects ||
		    ctx_tokens_to_model(counter, 100) == 100)
			*tokens = extra->message;
		return 0;
	}
	if (message->role == CTX_ROLE_ASSISTANT &&
	    ctx_message_calls(message) == 0)
		*tokens = extra->assistant;
	if (counter->frame_message > 0 || extra->framed) {
		/* A record with a prompt and its answer counts as two
		 * messages. */
		*tokens += message->n_prompt_blocks > 0 ? 2 * frame : frame;
		return 0;
	}
	if (message->role_node != 0 &&
	    ctx_count_value(counter, message->json, message->role_node, &role,
		err) < 0)
		return -1;
	*tokens += fixed + role.tokens;
	return 0;
}

/* Adds the tokens of the author's name: per_name of the dialect and, unless the
 * name is the same as the role, the tokens of its text.  Adds nothing for a
 * tool result whose name is counted with its call. */
static int
count_name(struct ctx_counter *counter, const struct ctx_message *message,
    struct ctx_cost *cost, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	struct ctx_str name = ctx_json_str(json, message->name);
	struct ctx_str role = ctx_json_str(json, message->role_node);

	if (message->role == CTX_ROLE_TOOL &&
	    ctx_find_surcharges(counter, message->dialect)->has_namespace)
		return 0;
	cost->tokens += message->dialect->per_name;
	if (role.n == name.n && memcmp(role.p, name.p, name.n) == 0)
		return 0;
	return ctx_count_value(counter, json, message->name, cost, err);
}

int
ctx_count_message(struct ctx_counter *counter,
    const struct ctx_message *message, struct ctx_cost *cost,
    struct ctx_err *err)
{
	const struct ctx_dialect *dialect = message->dialect;

	memset(cost, 0, sizeof *cost);
	if ((message->flags & CTX_MESSAGE_HIDDEN) ||
	    is_omitted(counter, message))
		return 0;
	if (count_framing(counter, message, &cost->framing, err) < 0)
		return -1;
	cost->tokens = cost->framing;
	if (message->name != 0 && dialect->per_name > 0 &&
	    count_name(counter, message, cost, err) < 0)
		return -1;
	if (add_block_tokens(counter, message, cost, err) < 0)
		return -1;
	cost->reasoning = count_loose_reasoning(message, cost);
	if (counter->basis == CTX_BASIS_ESTIMATED)
		cost->estimated = cost->tokens;
	return 0;
}

int
ctx_count_edited_message(struct ctx_counter *counter,
    const struct ctx_message *message, const struct ctx_message *original,
    struct ctx_cost *cost, struct ctx_err *err)
{
	int rc = ctx_count_message(counter, message, cost, err);

	for (size_t i = 0; rc == 0 && i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_OPAQUE)
			rc = ctx_count_loaded_tools(counter, message, i,
			    original, cost, err);
	return rc;
}

void
ctx_counter_release(struct ctx_counter *counter)
{
	ctx_buf_release(&counter->text);
	ctx_buf_release(&counter->aged);
}
