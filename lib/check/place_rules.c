/*
 * place_rules.c - checks that content blocks are in messages in which the
 * provider accepts them
 *
 * Anthropic: "`tool_use` blocks can only be in `assistant` messages"
 * (agent-framework #4328, March 2026), "`tool_result` blocks can only be in
 * `user` messages" (Anthropic.SDK #128, August 2025), "'image' blocks are not
 * permitted within assistant turns" (Semoss #2323, April 2026), and "The final
 * block in an assistant message cannot be `thinking`" (forgecode #2107,
 * December 2025; #3073, April 2026).  Since API version 2026-10-21, Anthropic
 * refuses a document block directly in an assistant message, and citations of a
 * text block in a user message, also if the text block is inside a
 * search_result block ("Versions" and "Migrating to API version 2026-10-21",
 * platform.claude.com, October 2026).  The header of the HTTP request says
 * which API version is used, not its JSON.  The SDKs of Anthropic use this
 * version since October 2026.
 *
 * Responses, in an assistant message: "Invalid value: 'input_text'.  Supported
 * values are: 'output_text' and 'refusal'." (ai-dial-adapter-openai #511, July
 * 2026; adk-go #1197), and so for 'input_image' (community.openai.com 1365014,
 * 2025).
 */
#include <string.h>

#include "check/validator.h"

/* Sets validator->replacement to a text block with the text of a document, or
 * with a text such as "[file removed]" if it is not plain text.  Lone
 * surrogates in the text are replaced, too, because this edit covers the edits
 * of their findings. */
static int
replace_document(struct ctx_validator *validator, uint32_t block)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t data = 0;
	const char *before = validator->dialect->text_block;
	struct ctx_buf *out = &validator->replacement;
	struct ctx_str text;
	int rc;

	if (ctx_json_is(json, ctx_json_find_path(json, block, "source/type"),
		"text"))
		data = ctx_json_find_path(json, block, "source/data");
	if (!ctx_json_is_string(json, data) ||
	    ctx_text_is_empty(json, data, true))
		return ctx_image_replace(out, &validator->text,
		    validator->dialect, json, block, validator->err);
	text = ctx_json_str(json, data);
	rc = ctx_surrogates_repair(&validator->text, &validator->spare, text,
	    false, validator->err);
	if (rc < 0)
		return -1;
	if (rc > 0)
		text = ctx_buf_str(&validator->text);
	out->n = 0;
	if (ctx_buf_add(out, before, strlen(before), validator->err) < 0 ||
	    ctx_buf_add(out, text.p, text.n, validator->err) < 0)
		return -1;
	return ctx_buf_add(out, "}", 1, validator->err);
}

/* The functions below check a block.  what: text of the finding. */

static int
refuse_source(struct ctx_validator *validator, uint32_t block, const char *what)
{
	if (replace_document(validator, block) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_ASSISTANT_MEDIA,
	    ctx_json_str(validator->message->json, block), what);
}

static int
refuse_block(struct ctx_validator *validator, uint32_t block, const char *what)
{
	(void)block;
	return ctx_validate_refuse(validator, CTX_RULE_BAD_BLOCK, what);
}

/* The repair changes the type of the block to output_text. */
static int
refuse_input_text(struct ctx_validator *validator, uint32_t block,
    const char *what)
{
	static const char type[] = "\"output_text\"";
	const struct ctx_json *json = validator->message->json;

	validator->replacement.n = 0;
	if (ctx_buf_add(&validator->replacement, type, sizeof type - 1,
		validator->err) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_BAD_BLOCK,
	    ctx_json_str(json, ctx_json_find(json, block, "type")), what);
}

static int
check_citations(struct ctx_validator *validator, uint32_t block,
    const char *what)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t list = ctx_json_find(json, block, "citations");

	if (!ctx_json_is_array(json, list) || ctx_json_count(json, list) == 0)
		return 0;
	validator->replacement.n = 0;
	if (ctx_buf_add(&validator->replacement, "[]", 2, validator->err) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_USER_CITATIONS,
	    ctx_json_str(json, list), what);
}

/* A kind of block in a message of this role, and the function that checks the
 * block if the conversation has this rule. */
struct block_place {
	uint64_t rule;
	enum ctx_role role;
	const char *type;
	int (*check)(struct ctx_validator *validator, uint32_t block,
	    const char *what);
	const char *what;
};

/* Calls place->check for each block of the type place->type in the content of a
 * message or block. */
static int
check_blocks(struct ctx_validator *validator, uint32_t parent,
    const struct block_place *place)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t list = ctx_json_find(json, parent, "content"), block = 0;

	while (ctx_json_next_element(json, list, &block))
		if (ctx_json_is(json, ctx_json_find(json, block, "type"),
			place->type) &&
		    place->check(validator, block, place->what) < 0)
			return -1;
	return 0;
}

static int
check_search_result(struct ctx_validator *validator, uint32_t block,
    const char *what)
{
	struct block_place inner = {0, CTX_ROLE_USER, "text", check_citations,
	    what};

	return check_blocks(validator, block, &inner);
}

/* The texts of a tool result may have citations, those of a search_result block
 * in it may not. */
static int
check_tool_result(struct ctx_validator *validator, uint32_t block,
    const char *what)
{
	struct block_place inner = {0, CTX_ROLE_USER, "search_result",
	    check_search_result, what};

	return check_blocks(validator, block, &inner);
}

int
ctx_validate_places(struct ctx_validator *validator)
{
	static const char citations[] = "a text of the user has citations";
	static const struct block_place places[] = {
	    {CTX_PLACES_BLOCKS, CTX_ROLE_ASSISTANT, "document", refuse_source,
		"an assistant message has a document"},
	    {CTX_PLACES_BLOCKS, CTX_ROLE_ASSISTANT, "image", refuse_source,
		"an assistant message has an image"},
	    {CTX_PLACES_BLOCKS, CTX_ROLE_USER, "text", check_citations,
		citations},
	    {CTX_PLACES_BLOCKS, CTX_ROLE_USER, "search_result",
		check_search_result, citations},
	    {CTX_PLACES_BLOCKS, CTX_ROLE_USER, "tool_result", check_tool_result,
		citations},
	    {CTX_PLACES_BLOCKS, CTX_ROLE_USER, "tool_use", refuse_block,
		"a tool_use block is not in an assistant message"},
	    {CTX_PLACES_BLOCKS, CTX_ROLE_ASSISTANT, "tool_result", refuse_block,
		"a tool_result block is not in a user message"},
	    {CTX_ITEM_FORM, CTX_ROLE_ASSISTANT, "input_text", refuse_input_text,
		"an input_text block is in an assistant message"},
	    {CTX_ITEM_FORM, CTX_ROLE_ASSISTANT, "input_image", refuse_block,
		"an input_image block is in an assistant message"},
	};
	const struct ctx_message *message = validator->message;

	for (size_t i = 0; i < CTX_LENGTH(places); i++)
		if ((validator->rules & places[i].rule) &&
		    message->role == places[i].role &&
		    check_blocks(validator, message->node, &places[i]) < 0)
			return -1;
	return 0;
}
