/* text_segments.c - finds and reads the texts of a message, or of a tool
 * result, to which one limit applies together */
#include <stdlib.h>
#include <string.h>

#include "dialect/result_content.h"
#include "stream/placeholder.h"
#include "truncate/text_segments.h"

static struct text_segment *
add_segment(struct text_segments *segments, uint32_t node, struct ctx_err *err)
{
	struct text_segment *segment;

	if (CTX_GROW(segments->list, segments->cap, segments->n + 1, err) < 0)
		return NULL;
	segment = &segments->list[segments->n++];
	memset(segment, 0, sizeof *segment);
	segment->node = node;
	return segment;
}

/* Sets *is to true if a JSON node is a text such as "[image removed: ...]" that
 * ctx has written in place of media. */
static int
detect_placeholder(struct text_segments *segments, const struct ctx_json *json,
    uint32_t node, bool *is, struct ctx_err *err)
{
	struct ctx_reference ref;

	*is = false;
	if (json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	return ctx_placeholder_read(ctx_json_str(json, node), &segments->text,
	    is, &ref, err);
}

/* Adds a text to the texts that may be shortened.  Does not add a text that ctx
 * has written in place of media, because such a text is kept as media are. */
static int
add_text_segment(struct text_segments *segments, const struct ctx_json *json,
    uint32_t node, const struct ctx_block *block, struct ctx_err *err)
{
	struct text_segment *segment;
	bool is;

	if (detect_placeholder(segments, json, node, &is, err) < 0)
		return -1;
	if (is)
		return 0;
	segment = add_segment(segments, node, err);
	if (segment == NULL)
		return -1;
	if (json->nodes[node].kind == CTX_JSON_STRING)
		segment->literal = ctx_json_str(json, node);
	if (block != NULL) {
		segment->container = block->container;
		segment->removable = block->removable;
	}
	return 0;
}

/* Adds a tool result that contains no text.  Its JSON is treated as one
 * text. */
static int
add_json_segment(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err)
{
	struct text_segment *segment;

	segments->n = segments->json_text.n = 0;
	/* The edit replaces the whole content of the tool result.  So the
	 * blocks of the result are not removed one by one. */
	segments->message.n = 0;
	segment = add_segment(segments, message->blocks[i].payload, err);
	if (segment == NULL)
		return -1;
	segment->is_json = true;
	return ctx_json_compact(message->json,
	    ctx_result_content_value(message, i), &segments->json_text,
	    &segment->literal, err);
}

int
ctx_text_segments_result(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err)
{
	uint32_t body = message->blocks[i].payload, node;
	const struct ctx_block *block;
	bool text = false;

	segments->n = 0;
	segments->is_message_text = false;
	segments->n_after_reasoning = 0;
	segments->message = *message;
	segments->message.node = body;
	segments->message.blocks += i + 1;
	segments->message.n = 0;
	if (body == 0)
		return 0;
	node = ctx_result_content_text(message->json, body, message->dialect);
	if (node != 0)
		return add_text_segment(segments, message->json, node, NULL,
		    err);
	if (!ctx_result_content_lists(message, i))
		return add_json_segment(segments, message, i, err);
	for (size_t k = i + 1;
	     k < message->n && message->blocks[k].result_index == i + 1; k++) {
		block = &message->blocks[k];
		segments->message.n++;
		if (block->kind == CTX_BLOCK_MEDIA)
			continue;
		node = block->kind == CTX_BLOCK_TEXT ? block->payload
						     : block->removable;
		/* This block cannot be removed, or only together with the whole
		 * tool result. */
		if (block->removable <= body)
			block = NULL;
		/* The block is not a text, and cannot be removed alone.  So the
		 * JSON of the whole tool result is shortened as one text. */
		if (block == NULL &&
		    message->json->nodes[node].kind != CTX_JSON_STRING)
			return add_json_segment(segments, message, i, err);
		if (add_text_segment(segments, message->json, node, block,
			err) < 0)
			return -1;
		text |= segments->n > 0 &&
		    segments->list[segments->n - 1].literal.n > 0;
	}
	if (segments->n > 0 && !text)
		return add_json_segment(segments, message, i, err);
	return 0;
}

int
ctx_text_segments_string(struct text_segments *segments,
    const struct ctx_message *message, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	struct ctx_block element = {.container = node};

	segments->n = 0;
	segments->is_message_text = false;
	segments->n_after_reasoning = 0;
	segments->message = *message;
	segments->message.node = node;
	segments->message.n = 0;
	if (json->nodes[node].kind == CTX_JSON_STRING)
		return add_text_segment(segments, json, node, NULL, err);
	for (uint32_t i = node + 1; i < json->nodes[node].next; i++) {
		element.removable = i;
		if (add_text_segment(segments, json, i, &element, err) < 0)
			return -1;
	}
	return 0;
}

/* Computes segments->n_after_reasoning for the texts of a message. */
static size_t
count_after_reasoning(const struct text_segments *segments)
{
	const struct ctx_message *message = &segments->message;
	size_t end = message->n, n = 0;

	if (!(message->dialect->rules & CTX_SIGNED))
		return 0;
	while (end > 0 && n < segments->n &&
	    message->blocks[end - 1].payload ==
		segments->list[segments->n - 1 - n].node) {
		end--;
		n++;
	}
	return end > 0 && message->blocks[end - 1].kind == CTX_BLOCK_REASONING
	    ? n
	    : 0;
}

int
ctx_text_segments_texts(struct text_segments *segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err)
{
	segments->n = 0;
	segments->is_message_text = true;
	segments->message = *message;
	for (size_t i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];

		if (i == but || block->kind != CTX_BLOCK_TEXT ||
		    block->result_index != 0 || block->no_truncate ||
		    message->json->nodes[block->payload].kind !=
			CTX_JSON_STRING)
			continue;
		if (add_text_segment(segments, message->json, block->payload,
			block, err) < 0)
			return -1;
	}
	segments->n_after_reasoning = count_after_reasoning(segments);
	return 0;
}

static int
read_segment(struct text_segments *segments, const struct text_segment *segment,
    struct ctx_err *err)
{
	struct ctx_str literal = segment->literal;
	struct ctx_buf *text = &segments->text;

	if (literal.n == 0)
		return ctx_json_append_compact(segments->message.json,
		    segment->node, text, err);
	return segment->is_json ? ctx_buf_add_str(text, literal, err)
				: ctx_json_string_decode(text, literal, err);
}

/* If the only text is the JSON of a tool result that is already in a buffer,
 * moves this buffer to segments->text without copying, and returns true.
 * Otherwise returns false. */
static bool
take_made_text(struct text_segments *segments)
{
	const struct text_segment *segment = &segments->list[0];
	struct ctx_buf text = segments->text;

	if (segments->n == 0 || !segment->is_json)
		return false;
	if (segments->json_text.n > 0) {
		segments->text = segments->json_text;
		segments->json_text = text;
		segments->json_text.n = 0;
	}
	return segment->literal.p == segments->text.p;
}

int
ctx_text_segments_read(struct text_segments *segments, struct ctx_err *err)
{
	struct ctx_buf *text = &segments->text;
	struct text_segment *segment;

	if (take_made_text(segments)) {
		segment = &segments->list[0];
		segment->from = 0;
		segment->to = text->n = segment->literal.n;
		return 0;
	}
	text->n = 0;
	for (size_t i = 0; i < segments->n; i++) {
		segment = &segments->list[i];
		segment->from = text->n;
		if (read_segment(segments, segment, err) < 0)
			return -1;
		segment->to = text->n;
	}
	return 0;
}

struct ctx_str
ctx_text_segment_text(const struct text_segments *segments,
    const struct text_segment *segment)
{
	return (struct ctx_str){segments->text.p + segment->from,
	    segment->to - segment->from};
}

void
ctx_text_segments_free_text(struct text_segments *segments)
{
	if (segments->n == 0 || segments->list[0].literal.p != segments->text.p)
		ctx_buf_reset(&segments->text);
}

void
ctx_text_segments_exclude_end(struct text_segments *segments, size_t bytes)
{
	segments->uncut_bytes = bytes;
	segments->text.n -= bytes;
	segments->list[segments->n - 1].to = segments->text.n;
}

size_t
ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes)
{
	return segment->is_json
	    ? at + bytes
	    : ctx_json_string_seek(segment->literal, at, bytes);
}

void
ctx_text_segments_release(struct text_segments *segments)
{
	free(segments->list);
	ctx_buf_release(&segments->text);
	ctx_buf_release(&segments->json_text);
	ctx_buf_release(&segments->placeholder_literals);
	free(segments->spans);
	memset(segments, 0, sizeof *segments);
}
