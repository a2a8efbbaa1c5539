/* text_segments.c - the texts of one item */
#include <stdlib.h>
#include <string.h>

#include "dialect/result_content.h"
#include "stream/placeholder.h"
#include "truncate/text_segments.h"

static struct text_segment *
add(struct text_segments *pieces, uint32_t node, struct ctx_err *err)
{
	struct text_segment *grown, *piece;

	grown = ctx_grow(pieces->list, &pieces->cap, pieces->n + 1,
	    sizeof *grown, err);
	if (grown == NULL)
		return NULL;
	pieces->list = grown;
	piece = &grown[pieces->n++];
	memset(piece, 0, sizeof *piece);
	piece->node = node;
	return piece;
}

/* Sets *is to whether a node is a text that stands in for media. */
static int
is_standin(struct text_segments *pieces, const struct ctx_json *json,
    uint32_t node, bool *is, struct ctx_err *err)
{
	struct reference ref;

	*is = false;
	if (json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	return ctx_placeholder_read(ctx_json_str(json, node), &pieces->text, is,
	    &ref, err);
}

/* Adds a text.  What stands in for media is no piece, as they are none. */
static int
add_literal(struct text_segments *pieces, const struct ctx_json *json,
    uint32_t node, const struct ctx_block *part, struct ctx_err *err)
{
	struct text_segment *piece;
	bool is;

	if (is_standin(pieces, json, node, &is, err) < 0)
		return -1;
	if (is)
		return 0;
	piece = add(pieces, node, err);
	if (piece == NULL)
		return -1;
	if (json->nodes[node].kind == CTX_JSON_STRING)
		piece->literal = ctx_json_str(json, node);
	if (part != NULL) {
		piece->parent = part->parent;
		piece->child = part->child;
	}
	return 0;
}

/* A body that is no text becomes one: its JSON. */
static int
add_made(struct text_segments *pieces, const struct ctx_message *view, size_t i,
    struct ctx_err *err)
{
	struct text_segment *piece;

	pieces->n = pieces->made.n = 0;
	pieces->item.n = 0; /* nothing is taken out of it */
	piece = add(pieces, view->parts[i].value, err);
	if (piece == NULL)
		return -1;
	piece->made = true;
	return ctx_json_compact(view->json, ctx_result_content_value(view, i),
	    &pieces->made, &piece->literal, err);
}

int
ctx_text_segments_result(struct text_segments *pieces,
    const struct ctx_message *view, const struct ctx_dialect *dialect, size_t i,
    struct ctx_err *err)
{
	uint32_t body = view->parts[i].value, node;
	const struct ctx_block *part;
	bool text = false;
	size_t k;

	pieces->n = 0;
	pieces->speaks = false;
	pieces->item = *view;
	pieces->item.node = body;
	pieces->item.parts += i + 1;
	pieces->item.n = 0;
	if (body == 0)
		return 0;
	node = ctx_result_content_text(view->json, body, dialect);
	if (node == 0 && view->json->nodes[body].kind == CTX_JSON_STRING)
		node = body;
	if (node != 0)
		return add_literal(pieces, view->json, node, NULL, err);
	if (!ctx_result_content_lists(view, i))
		return add_made(pieces, view, i, err);
	for (k = i + 1; k < view->n && view->parts[k].owner == i + 1; k++) {
		part = &view->parts[k];
		pieces->item.n++;
		if (part->kind == CTX_BLOCK_MEDIA)
			continue;
		node = part->kind == CTX_BLOCK_TEXT ? part->value : part->child;
		/* What would go with more than the result must stay. */
		if (part->child <= body)
			part = NULL;
		/* What is no text and must not go. */
		if (part == NULL &&
		    view->json->nodes[node].kind != CTX_JSON_STRING)
			return add_made(pieces, view, i, err);
		if (add_literal(pieces, view->json, node, part, err) < 0)
			return -1;
		text |=
		    pieces->n > 0 && pieces->list[pieces->n - 1].literal.n > 0;
	}
	if (pieces->n > 0 && !text)
		return add_made(pieces, view, i, err);
	return 0;
}

int
ctx_text_segments_texts(struct text_segments *pieces,
    const struct ctx_message *view, size_t but, struct ctx_err *err)
{
	const struct ctx_block *part;
	size_t i;

	pieces->n = 0;
	pieces->speaks = true;
	pieces->item = *view;
	for (i = 0; i < view->n; i++) {
		part = &view->parts[i];
		if (i == but || part->kind != CTX_BLOCK_TEXT ||
		    part->owner != 0 || part->whole ||
		    view->json->nodes[part->value].kind != CTX_JSON_STRING)
			continue;
		if (add_literal(pieces, view->json, part->value, part, err) < 0)
			return -1;
	}
	return 0;
}

static int
read_piece(struct text_segments *pieces, const struct ctx_json *json,
    const struct text_segment *piece, struct ctx_err *err)
{
	struct ctx_str literal = piece->literal;
	struct ctx_buf *text = &pieces->text;
	size_t before = text->n;

	if (literal.n > 0 && !piece->made)
		return ctx_json_string_decode(text, literal, err);
	if (literal.n == 0 &&
	    ctx_json_compact(json, piece->node, text, &literal, err) < 0)
		return -1;
	return text->n > before ? 0
				: ctx_buf_add(text, literal.p, literal.n, err);
}

/* Is the text that of the one piece that is made?  It is not copied. */
static bool
is_made(struct text_segments *pieces)
{
	const struct text_segment *piece = &pieces->list[0];
	struct ctx_buf text = pieces->text;

	if (pieces->n == 0 || !piece->made)
		return false;
	if (pieces->made.n > 0) {
		pieces->text = pieces->made;
		pieces->made = text;
		pieces->made.n = 0;
	}
	return piece->literal.p == pieces->text.p;
}

int
ctx_text_segments_read(struct text_segments *pieces,
    const struct ctx_json *json, struct ctx_err *err)
{
	struct ctx_buf *text = &pieces->text;
	struct text_segment *piece;
	size_t i;

	if (is_made(pieces)) {
		piece = &pieces->list[0];
		piece->from = 0;
		piece->to = text->n = piece->literal.n;
		return 0;
	}
	text->n = 0;
	for (i = 0; i < pieces->n; i++) {
		piece = &pieces->list[i];
		piece->from = text->n;
		if (read_piece(pieces, json, piece, err) < 0)
			return -1;
		piece->to = text->n;
	}
	return 0;
}

void
ctx_text_segments_forget(struct text_segments *pieces)
{
	if (pieces->n == 0 || pieces->list[0].literal.p != pieces->text.p)
		ctx_buf_reset(&pieces->text);
}

void
ctx_text_segments_spare(struct text_segments *pieces, size_t bytes)
{
	pieces->spared = bytes;
	pieces->text.n -= bytes;
	pieces->list[pieces->n - 1].to = pieces->text.n;
}

size_t
ctx_text_segment_seek(const struct text_segment *piece, size_t at, size_t bytes)
{
	return piece->made ? at + bytes
			   : ctx_json_string_seek(piece->literal, at, bytes);
}

void
ctx_text_segments_release(struct text_segments *pieces)
{
	free(pieces->list);
	ctx_buf_release(&pieces->text);
	ctx_buf_release(&pieces->made);
	ctx_buf_release(&pieces->plain);
	free(pieces->atoms);
	memset(pieces, 0, sizeof *pieces);
}
