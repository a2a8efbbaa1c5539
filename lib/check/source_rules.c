/*
 * source_rules.c - checks that documents and citations are in messages in which
 * the provider accepts them
 *
 * Since API version 2026-10-21, Anthropic refuses a document block directly in
 * an assistant message, and citations of a text block in a user message, also
 * if the text block is inside a search_result block ("Versions" and "Migrating
 * to API version 2026-10-21", platform.claude.com, October 2026).  The header
 * of the HTTP request says which API version is used, not its JSON.  The SDKs
 * of Anthropic use this version since October 2026.
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

static int
check_document(struct ctx_validator *validator, uint32_t block)
{
	if (replace_document(validator, block) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_ASSISTANT_MEDIA,
	    ctx_json_str(validator->message->json, block),
	    "an assistant message has a document");
}

static int
check_citations(struct ctx_validator *validator, uint32_t block)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t list = ctx_json_find(json, block, "citations");

	if (!ctx_json_is_array(json, list) || ctx_json_count(json, list) == 0)
		return 0;
	validator->replacement.n = 0;
	if (ctx_buf_add(&validator->replacement, "[]", 2, validator->err) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_USER_CITATIONS,
	    ctx_json_str(json, list), "a text of the user has citations");
}

/* Calls check for each content block of the given type in the content of a
 * message or block. */
static int
check_blocks(struct ctx_validator *validator, uint32_t parent, const char *type,
    int (*check)(struct ctx_validator *validator, uint32_t block))
{
	const struct ctx_json *json = validator->message->json;
	uint32_t list = ctx_json_find(json, parent, "content"), block = 0;

	while (ctx_json_next_element(json, list, &block))
		if (ctx_json_is(json, ctx_json_find(json, block, "type"),
			type) &&
		    check(validator, block) < 0)
			return -1;
	return 0;
}

static int
check_search_result(struct ctx_validator *validator, uint32_t block)
{
	return check_blocks(validator, block, "text", check_citations);
}

/* The texts of a tool result may have citations, those of a search_result block
 * in it may not. */
static int
check_tool_result(struct ctx_validator *validator, uint32_t block)
{
	return check_blocks(validator, block, "search_result",
	    check_search_result);
}

int
ctx_validate_sources(struct ctx_validator *validator)
{
	static const struct {
		enum ctx_role role;
		const char *type;
		int (*check)(struct ctx_validator *validator, uint32_t block);
	} blocks[] = {
	    {CTX_ROLE_ASSISTANT, "document", check_document},
	    {CTX_ROLE_USER, "text", check_citations},
	    {CTX_ROLE_USER, "search_result", check_search_result},
	    {CTX_ROLE_USER, "tool_result", check_tool_result},
	};
	const struct ctx_message *message = validator->message;

	if (!(validator->rules & CTX_PLACES_SOURCES))
		return 0;
	for (size_t i = 0; i < CTX_LENGTH(blocks); i++)
		if (message->role == blocks[i].role &&
		    check_blocks(validator, message->node, blocks[i].type,
			blocks[i].check) < 0)
			return -1;
	return 0;
}
