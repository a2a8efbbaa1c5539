/* result_content.c - writes and recognises the content of a tool result that
 * is only a text */
#include <string.h>

#include "dialect/read.h"
#include "dialect/result_content.h"

/* Returns true if the JSON text at *p begins with the JSON text "piece".  White
 * space between JSON tokens is ignored, and so are different escapes of the
 * same character.  If true, moves *p to the byte after this beginning. */
static bool
match_json(const char **p, const char *end, const char *piece)
{
	bool quoted = false;
	uint32_t c;
	size_t at;

	for (; *piece != '\0'; piece++) {
		while (!quoted && *p < end && memchr(" \t\r\n", **p, 4))
			++*p;
		if (*p == end || (*piece == '"' && **p != '"'))
			return false;
		/* ctx_json_string_next takes a JSON string with its quotes, so
		 * the offset of the first character is 1. */
		at = 1;
		(void)ctx_json_string_next((struct ctx_str){*p - 1,
					       (size_t)(end - *p) + 2},
		    &at, &c);
		*p += at - 1;
		if (c != (unsigned char)*piece)
			return false;
		quoted ^= *piece == '"';
	}
	while (*p < end && memchr(" \t\r\n", **p, 4))
		++*p;
	return true;
}

const char *const *
ctx_result_text_form(const struct ctx_dialect *dialect)
{
	static const char *const string[2] = {"", ""};

	return dialect->text_result_form[0] == NULL ? string
						    : dialect->text_result_form;
}

const char *const *
ctx_result_content_form(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect)
{
	const char *const *sign = dialect->failures;
	uint32_t type;
	bool failed;

	if (dialect->failed[0] == NULL)
		return ctx_result_text_form(dialect);
	failed = *sign == NULL && json->nodes[body].kind == CTX_JSON_STRING;
	type = ctx_json_find(json, body, "type");
	for (; *sign != NULL && !failed; sign++)
		failed = ctx_json_is(json, type, *sign);
	return failed ? dialect->failed : ctx_result_text_form(dialect);
}

uint32_t
ctx_result_content_text(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect)
{
	const struct ctx_node *nodes = json->nodes;
	const char *const *form = ctx_result_content_form(json, body, dialect);
	const char *p = json->text + nodes[body].at;
	const char *end = json->text + nodes[body].end;
	uint32_t node = body;

	if (ctx_json_is_string(json, body))
		return body;
	if (body == 0 || !match_json(&p, end, form[0]))
		return 0;
	while (node < nodes[body].next && json->text + nodes[node].at != p)
		node++;
	if (node == nodes[body].next || nodes[node].kind != CTX_JSON_STRING)
		return 0;
	p = json->text + nodes[node].end;
	return match_json(&p, end, form[1]) && p == end ? node : 0;
}

bool
ctx_result_content_restores(const struct ctx_json *json, uint32_t body,
    const struct ctx_dialect *dialect)
{
	const char *const *form = ctx_result_content_form(json, body, dialect);
	size_t before = strlen(form[0]), after = strlen(form[1]);
	uint32_t node = ctx_result_content_text(json, body, dialect);
	struct ctx_str all = ctx_json_str(json, body), text;

	if (node == 0)
		return false;
	text = ctx_json_str(json, node);
	return before + text.n + after == all.n &&
	    memcmp(all.p, form[0], before) == 0 &&
	    memcmp(text.p + text.n, form[1], after) == 0 &&
	    ctx_json_string_is_normalized(text);
}

int
ctx_result_content_add(struct ctx_buf *out, const char *const *form,
    const char *p, size_t n, struct ctx_err *err)
{
	if (ctx_buf_add(out, form[0], strlen(form[0]), err) < 0 ||
	    ctx_json_string_encode(out, p, n, err) < 0)
		return -1;
	return ctx_buf_add(out, form[1], strlen(form[1]), err);
}

int
ctx_result_content_scan(const struct ctx_dialect *dialect, struct ctx_str text,
    struct ctx_buf *content, struct ctx_json *json, struct ctx_err *err)
{
	if (ctx_result_content_add(content, ctx_result_text_form(dialect),
		text.p, text.n, err) < 0)
		return -1;
	return ctx_json_scan_text(json,
	    (struct ctx_str){content->p, content->n}, err);
}

/* Returns the first block inside tool result i.  Returns NULL if there is none,
 * or if its JSON is not inside the JSON of the result's content. */
static const struct ctx_block *
find_first_within(const struct ctx_message *message, size_t i)
{
	const uint32_t body = message->blocks[i].payload;
	const struct ctx_block *block = &message->blocks[i + 1];

	return i + 1 < message->n && block->result_index == i + 1 &&
		block->payload > body &&
		block->payload < message->json->nodes[body].next
	    ? block
	    : NULL;
}

bool
ctx_result_content_lists(const struct ctx_message *message, size_t i)
{
	const struct ctx_node *nodes = message->json->nodes;
	const uint32_t body = message->blocks[i].payload;
	const struct ctx_block *block = find_first_within(message, i);

	return nodes[body].kind == CTX_JSON_ARRAY ||
	    (block != NULL && block->container > body &&
		nodes[block->container].kind == CTX_JSON_ARRAY);
}

uint32_t
ctx_result_content_value(const struct ctx_message *message, size_t i)
{
	const uint32_t body = message->blocks[i].payload;
	const struct ctx_block *block = find_first_within(message, i);
	bool only =
	    i + 2 >= message->n || message->blocks[i + 2].result_index != i + 1;

	return block != NULL && block->container <= body && only
	    ? block->payload
	    : body;
}

/* ---- the agent's copy of a tool result ---- */

size_t
ctx_result_copied(const struct ctx_message *message)
{
	size_t result = message->n, i;

	if (message->result_copy == 0)
		return message->n;
	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
			continue;
		if (result < message->n)
			return message->n;
		result = i;
	}
	return result;
}

uint32_t
ctx_result_copy_next(const struct ctx_message *message, uint32_t after)
{
	/* first characters of JSON for an object, array or string */
	static const char *const starts[] = {"{", "[", "\"", NULL};
	const struct ctx_json *json = message->json;
	uint32_t copy = message->result_copy,
		 node = after == 0               ? copy
	    : ctx_count_strings(json, after) > 1 ? json->nodes[after].next
						 : after + 1;

	if (json->nodes[copy].kind == CTX_JSON_STRING)
		return node == copy && !ctx_begins(json, copy, starts) ? copy
								       : 0;
	for (; node < json->nodes[copy].next; node++)
		if (ctx_count_strings(json, node) > 1 ||
		    (json->nodes[node].kind == CTX_JSON_STRING &&
			!ctx_json_is_key(json, node)))
			return node;
	return 0;
}

uint64_t
ctx_result_copy_chars(const struct ctx_message *message, uint32_t node)
{
	const struct ctx_json *json = message->json;
	uint64_t chars = 0;
	uint32_t i;

	if (json->nodes[node].kind == CTX_JSON_STRING)
		return ctx_json_string_chars(ctx_json_str(json, node));
	for (i = node + 1; i < json->nodes[node].next; i++)
		chars += ctx_json_string_chars(ctx_json_str(json, i));
	return chars;
}

/* ---- media ---- */

/* Returns true if a text may replace content block i.  A block inside a tool
 * result may be replaced only if a text may replace the content of the
 * result. */
static bool
is_free(const struct ctx_message *message, size_t i)
{
	const struct ctx_block *block = &message->blocks[i];
	uint32_t body;

	if (block->result_index == 0)
		return true;
	body = message->blocks[block->result_index - 1].payload;
	return body != 0 && block->removable > body &&
	    block->removable < message->json->nodes[body].next;
}

uint32_t
ctx_media_block(const struct ctx_message *message, size_t i)
{
	const struct ctx_block *block = &message->blocks[i];
	const struct ctx_json *json = message->json;
	uint32_t type;

	if (block->kind != CTX_BLOCK_MEDIA ||
	    message->dialect->text_block == NULL || block->removable == 0 ||
	    json->nodes[block->container].kind != CTX_JSON_ARRAY ||
	    json->nodes[block->removable].kind != CTX_JSON_OBJECT ||
	    !is_free(message, i))
		return 0;
	/* A block with only the member "type" is a placeholder for an image.
	 * The images are stored outside the message, in the order of the
	 * placeholders. */
	type = ctx_json_find(json, block->removable, "type");
	if (type != 0 &&
	    (ctx_json_count(json, block->removable) == 1 ||
		ctx_json_starts_with(json, type, "reasoning")))
		return 0;
	return block->removable;
}
