/* breakpoint_edits.c - finds cache breakpoints, also on nested blocks, and
 * makes the edits that write and remove breakpoints */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"

/* ---- finding ---- */

/* Maximum number of levels of nested blocks in which cache breakpoints are
 * searched.  Blocks can contain blocks: a tool result can contain a document,
 * and the document can contain texts. */
#define NESTED_DEPTH 3

/* The state of a search through content blocks and their nested blocks, in the
 * order of the JSON text.  A stack of arrays of blocks is used in place of
 * recursion. */
struct nested_walk {
	const struct ctx_json *json;
	struct {
		/* list: JSON node of the array; at: JSON node of the element
		 * that is visited next */
		uint32_t list, at;
		/* JSON node of the last element before "at" that is not a cache
		 * breakpoint, or 0 */
		uint32_t block;
		/* nesting depth of the array; 0 for the outermost array */
		unsigned depth;
	} lists[2 * NESTED_DEPTH + 1];
	size_t n;
};

static void
add_list(struct nested_walk *walk, uint32_t list, unsigned depth)
{
	if (!ctx_json_is_array(walk->json, list) || depth > NESTED_DEPTH)
		return;
	walk->lists[walk->n].list = list;
	walk->lists[walk->n].at = list + 1;
	walk->lists[walk->n].block = 0;
	walk->lists[walk->n++].depth = depth;
}

/* Adds the arrays of blocks inside a block to the search: the block's member
 * "content", and the member "content" of its member "source". depth: the
 * nesting depth of these arrays.  If depth is more than NESTED_DEPTH, adds
 * nothing. */
static void
add_nested_lists(struct nested_walk *walk, uint32_t block, unsigned depth)
{
	const struct ctx_json *json = walk->json;

	add_list(walk, ctx_json_find(json, block, "content"), depth);
	add_list(walk, ctx_json_find_path(json, block, "source/content"),
	    depth);
}

/* Returns the JSON node of the next element of the search, a block or a cache
 * breakpoint, or 0 if there is none.  Sets *list to the JSON node of the array
 * that contains the element.  Sets *marked to the element or, if it is a cache
 * breakpoint, to the last block before it in the array, or 0. */
static uint32_t
next_nested_block(struct nested_walk *walk, uint32_t *list, uint32_t *marked)
{
	const struct ctx_node *nodes = walk->json->nodes;
	uint32_t node;
	size_t i;

	while (walk->n > 0) {
		i = walk->n - 1;
		*list = walk->lists[i].list;
		node = walk->lists[i].at;
		if (node < nodes[*list].next) {
			walk->lists[i].at = nodes[node].next;
			if (!ctx_breakpoint_is_block(walk->json, node))
				walk->lists[i].block = node;
			*marked = walk->lists[i].block;
			add_nested_lists(walk, node, walk->lists[i].depth + 1);
			return node;
		}
		walk->n--;
	}
	return 0;
}

/* If a cache breakpoint is a member of this block, returns the JSON node of the
 * member's key.  Returns 0 if the block has no breakpoint of this format.  A
 * member with the value null is not a breakpoint. */
static uint32_t
find_breakpoint_key(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t block)
{
	uint32_t value = format->separate_block
	    ? 0
	    : ctx_json_find(json, block, format->key);

	return value == 0 || json->nodes[value].kind == CTX_JSON_NULL
	    ? 0
	    : value - 1;
}

int
ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err)
{
	struct nested_walk walk = {.json = json};
	uint32_t node, key, container, marked;

	add_list(&walk, list, 0);
	while ((node = next_nested_block(&walk, &container, &marked)) != 0) {
		key = find_breakpoint_key(format, json, node);
		if ((key != 0 && visit(user, json, node, key, node, err) < 0) ||
		    (format->separate_block && marked != node &&
			visit(user, json, container, node, marked, err) < 0))
			return -1;
	}
	return 0;
}

/* ---- writing and removing ---- */

void
ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer)
{
	free(writer->drop);
	writer->drop = NULL;
	writer->cap = 0;
}

/* Allocates writer->drop, which has one flag for each child of an array or
 * object: true if the child must be removed.  Sets all flags to false. */
static int
reserve_drop_flags(struct ctx_breakpoint_writer *writer, uint32_t node,
    struct ctx_err *err)
{
	size_t n = ctx_json_count(writer->json, node);

	if (CTX_GROW(writer->drop, writer->cap, n, err) < 0)
		return -1;
	memset(writer->drop, 0, n * sizeof *writer->drop);
	return 0;
}

int
ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err)
{
	uint32_t key = 0;
	bool any = false;
	size_t i = 0;

	while (!any && ctx_json_next_member(writer->json, object, &key))
		any = ctx_breakpoint_key(writer->json, key);
	if (!any)
		return 0;
	if (reserve_drop_flags(writer, object, err) < 0)
		return -1;
	key = 0;
	while (ctx_json_next_member(writer->json, object, &key))
		writer->drop[i++] = ctx_breakpoint_key(writer->json, key);
	return ctx_edits_remove(writer->edits, writer->json, object,
	    writer->drop, err);
}

static int
insert_text(struct ctx_breakpoint_writer *writer, uint32_t at, const char *p,
    struct ctx_err *err)
{
	struct ctx_str place = {writer->json->text + at, 0};

	return ctx_edits_replace(writer->edits, place, p, strlen(p), err);
}

static const char *
breakpoint_value(const struct ctx_breakpoint_format *format, enum ctx_ttl ttl)
{
	const char *value = format->values[ttl];

	return value != NULL ? value : format->values[0];
}

/* Returns true if the JSON value at a node is equal to the JSON text "value",
 * apart from white space. */
static bool
is_same_value(const struct ctx_json *json, uint32_t node, const char *value)
{
	struct ctx_str text = ctx_json_str(json, node);
	size_t i;

	for (i = 0; i < text.n; i++) {
		if (strchr(" \t\r\n", text.p[i]) != NULL && text.p[i] != '\0')
			continue;
		if (text.p[i] != *value)
			return false;
		value++;
	}
	return *value == '\0';
}

/* Returns true if an object already has exactly the cache breakpoint that would
 * be written.  The object is a block with the breakpoint as a member.  In
 * formats with separate_block, the object is the block that is the
 * breakpoint. */
static bool
has_right_breakpoint(const struct ctx_json *json, uint32_t object,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl)
{
	bool right = false;
	uint32_t key = 0;

	if (ctx_breakpoint_is_block(json, object) != format->separate_block)
		return false;
	while (ctx_json_next_member(json, object, &key)) {
		if (!format->separate_block && !ctx_breakpoint_key(json, key))
			continue;
		if (right || !ctx_json_is(json, key, format->key) ||
		    !is_same_value(json, key + 1,
			breakpoint_value(format, ttl)))
			return false;
		right = true;
	}
	return right;
}

/* Adds the edit that writes a cache breakpoint for a block.  The caller adds
 * the edits that remove older breakpoints of the block. */
static int
put_breakpoint(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t block, struct ctx_err *err)
{
	const struct ctx_node *nodes = writer->json->nodes;
	uint32_t at = nodes[block].end, key;
	char marker[128];

	/* The new breakpoint is inserted after the last member of the block
	 * that is not an older breakpoint, because older breakpoints are
	 * removed. */
	for (key = block + 1;
	     !format->separate_block && key < nodes[block].next;
	     key = nodes[key + 1].next)
		if (!ctx_breakpoint_key(writer->json, key))
			at = nodes[key + 1].end;
	(void)snprintf(marker, sizeof marker,
	    format->separate_block ? ",{\"%s\":%s}" : ",\"%s\":%s", format->key,
	    breakpoint_value(format, ttl));
	return insert_text(writer, at, marker, err);
}

/* Adds the edits that replace a string by an array with one text block.  The
 * text block contains the string's text and a cache breakpoint. */
static int
put_text_breakpoint(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t text,
    struct ctx_err *err)
{
	char marker[128];

	(void)snprintf(marker, sizeof marker,
	    format->separate_block ? "},{\"%s\":%s}]" : ",\"%s\":%s}]",
	    format->key, breakpoint_value(format, ttl));
	if (insert_text(writer, writer->json->nodes[text].at, format->text,
		err) < 0)
		return -1;
	return insert_text(writer, writer->json->nodes[text].end, marker, err);
}

int
ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err)
{
	const struct ctx_node *node = &writer->json->nodes[list];

	if (node->kind != CTX_JSON_STRING)
		return 0;
	if (insert_text(writer, node->at, format->text, err) < 0)
		return -1;
	return insert_text(writer, node->end, "}]", err);
}

/* Adds the edits that remove cache breakpoints from the blocks inside a tool
 * result or document, where these are members of the blocks.  The arguments of
 * a tool call are not searched: they contain no blocks, although their keys may
 * look like breakpoints. */
static int
strip_nested_lists(struct ctx_breakpoint_writer *writer, uint32_t block,
    struct ctx_err *err)
{
	struct nested_walk walk = {.json = writer->json};
	uint32_t node, list, marked;

	add_nested_lists(&walk, block, 1);
	while ((node = next_nested_block(&walk, &list, &marked)) != 0)
		if (ctx_breakpoint_strip(writer, node, err) < 0)
			return -1;
	return 0;
}

/* Adds the edits that remove the elements of an array that consist only of a
 * cache breakpoint.  Keeps the elements whose JSON nodes are in the array
 * "kept".  Does not change an array with no other elements, because the array
 * would become empty. */
static int
drop_breakpoints(struct ctx_breakpoint_writer *writer, uint32_t list,
    const uint32_t *kept, size_t n_kept, struct ctx_err *err)
{
	const struct ctx_json *json = writer->json;
	size_t blocks = ctx_breakpoint_count_blocks(json, list), i = 0, k;
	uint32_t node = 0;

	if (blocks == 0 || blocks == ctx_json_count(json, list))
		return 0;
	if (reserve_drop_flags(writer, list, err) < 0)
		return -1;
	while (ctx_json_next_element(json, list, &node)) {
		writer->drop[i] = ctx_breakpoint_is_block(json, node);
		for (k = 0; k < n_kept; k++)
			writer->drop[i] &= kept[k] != node;
		i++;
	}
	return ctx_edits_remove(writer->edits, json, list, writer->drop, err);
}

/* If marked is true, adds the edits after which a block has exactly one cache
 * breakpoint, of the given format and storage time.  If marked is false, adds
 * the edits after which the block has no breakpoint. */
static int
write_block(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t block, bool marked, struct ctx_err *err)
{
	bool right = marked && !format->separate_block &&
	    has_right_breakpoint(writer->json, block, format, ttl);

	if ((!right && ctx_breakpoint_strip(writer, block, err) < 0) ||
	    strip_nested_lists(writer, block, err) < 0)
		return -1;
	if (!marked || right)
		return 0;
	return put_breakpoint(writer, format, ttl, block, err);
}

int
ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err)
{
	const struct ctx_json *json = writer->json;
	uint32_t node, next, end, kept[CTX_BREAKPOINT_REACH];
	size_t left, n_kept = 0;
	bool marked;

	if (list == 0)
		return 0;
	if (json->nodes[list].kind == CTX_JSON_STRING && mask != 0)
		return put_text_breakpoint(writer, format, ttl, list, err);
	if (json->nodes[list].kind != CTX_JSON_ARRAY)
		return 0;
	end = json->nodes[list].next;
	left = ctx_breakpoint_count_blocks(json, list);
	for (node = list + 1; node < end; node = next) {
		next = json->nodes[node].next;
		if (ctx_breakpoint_is_block(json, node))
			continue;
		marked =
		    left-- <= CTX_BREAKPOINT_REACH && (mask >> left & 1) != 0;
		if (marked && format->separate_block && next < end &&
		    has_right_breakpoint(json, next, format, ttl)) {
			kept[n_kept++] = next;
			marked = false;
		}
		if (write_block(writer, format, ttl, node, marked, err) < 0)
			return -1;
	}
	return drop_breakpoints(writer, list, kept, n_kept, err);
}
