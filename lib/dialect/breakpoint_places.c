/*
 * breakpoint_places.c - finds the blocks and tools that may have a cache
 * breakpoint
 *
 * Reasoning, and a block with blank text, never get a breakpoint.
 */
#include <string.h>

#include "dialect/dialect.h"

static bool
is_blank_text(const struct ctx_json *json, uint32_t string)
{
	struct ctx_str literal = ctx_json_str(json, string);
	size_t at = 1;
	uint32_t cp;

	if (json->nodes[string].kind != CTX_JSON_STRING)
		return true;
	while (ctx_json_string_next(literal, &at, &cp))
		if (cp != ' ' && cp != '\t' && cp != '\n' && cp != '\r')
			return false;
	return true;
}

/* Returns the JSON node of the value that a block of the given type has in this
 * format: the block itself or, in formats without types, the value of its only
 * key.  Returns 0 if the block has another type. type: JSON node of the block's
 * member "type", or 0. */
static uint32_t
find_typed_value(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t block, uint32_t type,
    const char *want)
{
	if (format->one_key_blocks)
		return ctx_json_find(json, block, want);
	return (*want == '*' ? ctx_json_ends_with(json, type, want + 1)
			     : ctx_json_is(json, type, want))
	    ? block
	    : 0;
}

static bool
may_mark_block(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t block)
{
	uint32_t type = ctx_json_find(json, block, "type"), value = 0;
	const char *const *want = format->blocks;

	while (*want != NULL &&
	    (value = find_typed_value(format, json, block, type, *want)) == 0)
		want++;
	if (*want == NULL)
		return false;
	if (strcmp(*want, "text") == 0 || strcmp(*want, "input_text") == 0)
		return !is_blank_text(json, ctx_json_find(json, block, "text"));
	return format->document_format == NULL ||
	    strcmp(*want, "document") != 0 ||
	    ctx_json_is(json, ctx_json_find(json, value, "format"),
		format->document_format);
}

/* Returns true if an element of an array, a content block or a tool definition,
 * may have a cache breakpoint. */
typedef bool may_mark(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t element);

static bool
may_mark_tool(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t tool)
{
	uint32_t value;
	size_t i;

	for (i = 0; i < 2 && format->no_marker_tools[i] != NULL; i++) {
		value = ctx_json_find(json, tool, format->no_marker_tools[i]);
		if (value != 0 && json->nodes[value].kind != CTX_JSON_FALSE)
			return false;
	}
	return json->nodes[tool].kind == CTX_JSON_OBJECT;
}

size_t
ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list)
{
	uint32_t node = 0;
	size_t n = 0;

	while (ctx_json_next_element(json, list, &node))
		n += !ctx_breakpoint_is_block(json, node);
	return n;
}

static void
find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, may_mark *may,
    struct ctx_breakpoint_places *places)
{
	uint32_t node = 0;
	size_t left;

	memset(places, 0, sizeof *places);
	if (ctx_json_is_string(json, list)) {
		places->blocks = 1;
		places->mask = !is_blank_text(json, list);
		return;
	}
	left = places->blocks = ctx_breakpoint_count_blocks(json, list);
	while (ctx_json_next_element(json, list, &node)) {
		if (ctx_breakpoint_is_block(json, node) ||
		    left-- > CTX_BREAKPOINT_REACH)
			continue;
		if (may(format, json, node))
			places->mask |= 1u << left;
	}
}

void
ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places)
{
	find_places(format, json, list, may_mark_block, places);
}

void
ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places)
{
	find_places(format, json, list, may_mark_tool, places);
	/* Clears all bits but the lowest bit that is set, which stands for the
	 * last tool definition that may have a breakpoint. */
	places->mask &= ~places->mask + 1;
}
