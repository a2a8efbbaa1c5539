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

#include "check/image_rules.h"
#include "check/surrogate_rules.h"
#include "check/validator.h"

/* Sets validator->replacement to a text block with the text of a document, or
 * with a text such as "[file removed]" if it is not plain text.  Lone
 * surrogates in the text are replaced, too, because this edit covers the edits
 * of their findings. */
static int
replace_document(struct ctx_validator *validator, uint32_t block)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t source = ctx_json_find(json, block, "source"), data = 0;
	const char *before = validator->dialect->text_block;
	struct ctx_buf *out = &validator->replacement;
	struct ctx_str text;
	int rc;

	if (ctx_json_is(json, ctx_json_find(json, source, "type"), "text"))
		data = ctx_json_find(json, source, "data");
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
	const struct ctx_json *json = validator->message->json;

	if (!ctx_json_is(json, ctx_json_find(json, block, "type"), "document"))
		return 0;
	if (replace_document(validator, block) < 0)
		return -1;
	return ctx_validate_refuse_text(validator, CTX_RULE_ASSISTANT_MEDIA,
	    ctx_json_str(json, block), "an assistant message has a document");
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

/* Checks the elements of a list that are text blocks. */
static int
check_texts(struct ctx_validator *validator, uint32_t list)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t block = 0;

	while (ctx_json_next_element(json, list, &block))
		if (ctx_json_is(json, ctx_json_find(json, block, "type"),
			"text") &&
		    check_citations(validator, block) < 0)
			return -1;
	return 0;
}

/* Checks the text blocks in the elements of a list that are search_result
 * blocks. */
static int
check_search_results(struct ctx_validator *validator, uint32_t list)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t block = 0;

	while (ctx_json_next_element(json, list, &block))
		if (ctx_json_is(json, ctx_json_find(json, block, "type"),
			"search_result") &&
		    check_texts(validator,
			ctx_json_find(json, block, "content")) < 0)
			return -1;
	return 0;
}

/* Checks the content of a user message.  The texts of a tool result may have
 * citations, those of a search_result block in a tool result may not. */
static int
check_user_content(struct ctx_validator *validator, uint32_t content)
{
	const struct ctx_json *json = validator->message->json;
	uint32_t block = 0;

	if (check_texts(validator, content) < 0 ||
	    check_search_results(validator, content) < 0)
		return -1;
	while (ctx_json_next_element(json, content, &block))
		if (ctx_json_is(json, ctx_json_find(json, block, "type"),
			"tool_result") &&
		    check_search_results(validator,
			ctx_json_find(json, block, "content")) < 0)
			return -1;
	return 0;
}

int
ctx_validate_sources(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	uint32_t content =
		     ctx_json_find(message->json, message->node, "content"),
		 block = 0;

	if (!(validator->rules & CTX_PLACES_SOURCES))
		return 0;
	if (message->role == CTX_ROLE_USER)
		return check_user_content(validator, content);
	while (message->role == CTX_ROLE_ASSISTANT &&
	    ctx_json_next_element(message->json, content, &block))
		if (check_document(validator, block) < 0)
			return -1;
	return 0;
}
