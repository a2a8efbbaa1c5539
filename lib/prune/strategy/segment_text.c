/* segment_text.c - collects the text of a segment (a message or a part of it)
 * for strategies that rank messages by their text */
#include "prune/strategy/segment_text.h"
#include "group/group.h"

int
ctx_append_node_text(struct ctx_buf *text, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	if (node == 0)
		return 0;
	if (ctx_json_append_text(json, node, text, err) < 0)
		return -1;
	return ctx_buf_add(text, " ", 1, err);
}

static int
append_tool_name(struct ctx_buf *text, struct ctx_buf *scratch,
    const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_err *err)
{
	struct ctx_str tool;

	scratch->n = 0;
	if (ctx_block_tool(json, block, scratch, &tool, err) < 0 ||
	    ctx_buf_add_str(text, tool, err) < 0)
		return -1;
	return block->name == 0 ? 0 : ctx_buf_add(text, " ", 1, err);
}

bool
ctx_is_in_segment(const struct ctx_block *block, unsigned flags)
{
	bool result =
	    block->kind == CTX_BLOCK_TOOL_RESULT || block->result_index != 0;

	return !(flags & (result ? CTX_SEGMENT_REST : CTX_SEGMENT_RESULTS));
}

int
ctx_append_block_text(struct ctx_buf *text, struct ctx_buf *scratch,
    const struct ctx_message *message, const struct ctx_block *block,
    struct ctx_err *err)
{
	bool array = block->payload != 0 &&
	    block->kind == CTX_BLOCK_TOOL_RESULT &&
	    message->json->nodes[block->payload].kind == CTX_JSON_ARRAY;

	if (block->kind == CTX_BLOCK_MEDIA)
		return 0;
	if (append_tool_name(text, scratch, message->json, block, err) < 0)
		return -1;
	if (array || block->is_encrypted)
		return 0;
	return ctx_append_node_text(text, message->json, block->payload, err);
}
