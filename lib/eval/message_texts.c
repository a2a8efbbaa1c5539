/* message_texts.c - collects the texts of a message in which ctx-eval looks for
 * strings that later messages use */
#include <string.h>

#include "dialect/result_content.h"
#include "eval/session.h"

/* Appends the decoded text of a JSON string, or the JSON of another simple
 * value (number, true, false, null). */
static int
append_scalar(struct ctx_buf *out, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(json, node);
	int rc = json->nodes[node].kind == CTX_JSON_STRING
	    ? ctx_json_string_decode(out, raw, err)
	    : ctx_buf_add_str(out, raw, err);

	return rc < 0 ? -1 : ctx_buf_add(out, "\n", 1, err);
}

/* In the array of nodes, the nodes inside the value come after the node of the
 * value, so no recursion is needed. */
int
ctx_append_json_texts(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, bool keys, struct ctx_err *err)
{
	uint32_t end = json->nodes[node].next;

	for (uint32_t i = node; i < end; i++) {
		if (json->nodes[i].kind == CTX_JSON_ARRAY ||
		    json->nodes[i].kind == CTX_JSON_OBJECT ||
		    (!keys && ctx_json_is_key(json, i)))
			continue;
		if (append_scalar(out, json, i, err) < 0)
			return -1;
	}
	return 0;
}

void
ctx_separate_escapes(struct ctx_buf *text, size_t from)
{
	size_t to = from, end;

	for (size_t i = from; i < text->n; i = end) {
		end = i;
		while (end < text->n && text->p[end] == '\\')
			end++;
		if (end > i && end < text->n &&
		    memchr("nrt\"", text->p[end], 4) != NULL) {
			text->p[to++] = '\n';
			end++;
			continue;
		}
		end += end == i;
		memmove(text->p + to, text->p + i, end - i);
		to += end - i;
	}
	text->n = to;
}

/* Appends the values in the arguments of a tool call. */
static int
append_arguments(struct ctx_buf *out, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	struct ctx_coded_value value = {0};
	size_t from = out->n;
	int rc = ctx_coded_value_read(&value, json, node, err);

	if (rc >= 0)
		rc = ctx_append_json_texts(out, value.json, value.node, false,
		    err);
	ctx_coded_value_release(&value);
	ctx_separate_escapes(out, from);
	return rc;
}

/* Appends the text of a tool result.  Appends nothing if the result is an array
 * of blocks: these blocks are further blocks of the message. */
static int
append_result(struct ctx_buf *out, const struct ctx_message *message, size_t i,
    struct ctx_err *err)
{
	uint32_t body = message->blocks[i].payload, node;

	if (body == 0)
		return 0;
	node = ctx_result_content_text(message->json, body, message->dialect);
	if (node != 0)
		return append_scalar(out, message->json, node, err);
	if (ctx_result_content_lists(message, i))
		return 0;
	node = ctx_result_content_value(message, i);
	return ctx_append_json_texts(out, message->json,
	    node != 0 ? node : body, true, err);
}

int
ctx_append_message_texts(struct ctx_buf *results, struct ctx_buf *texts,
    struct ctx_buf *arguments, const struct ctx_message *message,
    struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	const struct ctx_block *block;
	int rc = 0;

	for (size_t i = 0; i < message->n && rc == 0; i++) {
		block = &message->blocks[i];
		if (block->kind == CTX_BLOCK_TOOL_RESULT)
			rc = append_result(results, message, i, err);
		else if (block->payload == 0)
			continue;
		else if (block->kind == CTX_BLOCK_TEXT)
			rc = ctx_append_json_texts(block->result_index != 0
				? results
				: texts,
			    json, block->payload, true, err);
		else if (block->kind == CTX_BLOCK_TOOL_CALL)
			rc = append_arguments(arguments, json, block->payload,
			    err);
	}
	return rc;
}
