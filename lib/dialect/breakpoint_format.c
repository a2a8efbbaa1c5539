/*
 * breakpoint_format.c - how breakpoints are written for each provider
 *
 * The table says which blocks may have a breakpoint, how it is written, and
 * which models use it.  A block with blank text, and reasoning, never gets one.
 *
 * Sources: the parameter types of anthropic-sdk-python and openai-python,
 * August 2026; the guides on prompt caching of Anthropic, OpenAI and Amazon
 * Bedrock, November 2026; for reasoning ("Cache point cannot be inserted after
 * reasoning block") and for documents other than PDF, issue 36517 of opencode
 * and pull request 2001 of strands-agents, 2026.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/read.h"

struct ctx_breakpoint_block {
	/* The type, or only key, of the block; "*_x" is any type that ends in
	 * _x. */
	const char *type;
	const char *text; /* the member with the text, if it is a text block */
	/* This member of the block must have the value is; NULL: no such
	 * condition. */
	const char *member, *is;
};

static const struct ctx_breakpoint_block anthropic_blocks[] = {
    {.type = "text", .text = "text"},
    {.type = "tool_use"},
    {.type = "tool_result"},
    {.type = "image"},
    {.type = "document"},
    {.type = "search_result"},
    {.type = "server_tool_use"},
    {.type = "mcp_tool_use"},
    {.type = "*_tool_result"},
    {.type = "mid_conv_system"},
    {.type = "container_upload"},
    {.type = "compaction"},
    {0},
};

/* Blocks that LangChain passes to Anthropic unchanged. */
static const struct ctx_breakpoint_block langchain_blocks[] = {
    {.type = "text", .text = "text"},
    {.type = "image"},
    {.type = "document"},
    {0},
};

static const struct ctx_breakpoint_block bedrock_blocks[] = {
    {.type = "text", .text = "text"},
    {.type = "toolUse"},
    {.type = "toolResult"},
    {.type = "image"},
    {.type = "document", .member = "format", .is = "pdf"},
    {0},
};

static const struct ctx_breakpoint_block chat_blocks[] = {
    {.type = "text", .text = "text"},
    {.type = "image_url"},
    {.type = "input_audio"},
    {.type = "file"},
    {0},
};

static const struct ctx_breakpoint_block responses_blocks[] = {
    {.type = "input_text", .text = "text"},
    {.type = "input_image"},
    {.type = "input_file"},
    {0},
};

#define TEXT_BLOCK(type) "[{\"type\":\"" type "\",\"text\":"
#define HEEDS(cache)     (1u << (cache))
#define NOT_KNOWN        (1u << CTX_CACHES)

static const struct ctx_breakpoint_format table[] = {
    {
	.provider = "anthropic",
	.dialect = "anthropic",
	/* Gateways accept these breakpoints in Chat Completions messages. */
	.also = {"generic", "openai-chat"},
	.key = "cache_control",
	.values = {"{\"type\":\"ephemeral\"}",
	    "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"},
	.content = {"content"},
	.text = TEXT_BLOCK("text"),
	.blocks = anthropic_blocks,
	.system = "system",
	.tools = {"tools"},
	/* Not on tools that are loaded later, nor on tools in the format of
	 * Chat Completions. */
	.no_marker_tools = {"defer_loading", "function"},
	.before = {"model", "tools", "speed", "system", "tool_choice",
	    "thinking"},
	.models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.tool_models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.lookback = 20,
	.hour_percent = 200,
    },
    {
	.provider = "bedrock",
	.dialect = "bedrock",
	.also = {"generic"},
	.key = "cachePoint",
	.values = {"{\"type\":\"default\"}",
	    "{\"type\":\"default\",\"ttl\":\"1h\"}"},
	.separate_block = true,
	.content = {"content"},
	.text = "[{\"text\":",
	.blocks = bedrock_blocks,
	.one_key_blocks = true,
	.system = "system",
	.tools = {"toolConfig", "tools"},
	.before = {"modelId", "toolConfig", "system",
	    "additionalModelRequestFields"},
	/* Claude, and Amazon's own models; the latter take no breakpoints on
	 * tools. */
	.models = HEEDS(CTX_CACHE_CONTROL) | HEEDS(CTX_CACHE_POINT) | NOT_KNOWN,
	.tool_models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.lookback = 20,
	.hour_percent = 200,
    },
    {
	.provider = "anthropic",
	.dialect = "langchain",
	.also = {"langchain-lc", "langchain-dict", "langchain-dump"},
	.only_on_request = true,
	.key = "cache_control",
	.values = {"{\"type\":\"ephemeral\"}",
	    "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"},
	.content = {"content"},
	.nested_content = {"kwargs", "data"},
	.text = TEXT_BLOCK("text"),
	.blocks = langchain_blocks,
	.before = {"model", "tools"},
	.models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.lookback = 20,
	.hour_percent = 200,
    },
    /* Older models and compatible servers refuse unknown members, so the model
     * must be known to accept these. */
    {
	.provider = "openai",
	.dialect = "openai-chat",
	.also = {"generic"},
	.key = "prompt_cache_breakpoint",
	.values = {"{\"mode\":\"explicit\"}"},
	.content = {"content"},
	.text = TEXT_BLOCK("text"),
	.blocks = chat_blocks,
	.no_marker_roles = 1u << CTX_ROLE_ASSISTANT,
	.before = {"model", "tools"},
	.models = HEEDS(CTX_CACHE_BREAKPOINT),
	.implicit_breakpoint = {"prompt_cache_options", "explicit"},
    },
    {
	.provider = "openai",
	.dialect = "openai-responses",
	.key = "prompt_cache_breakpoint",
	.values = {"{\"mode\":\"explicit\"}"},
	.content = {"content", "output"},
	.text = TEXT_BLOCK("input_text"),
	.blocks = responses_blocks,
	.no_marker_roles = 1u << CTX_ROLE_ASSISTANT,
	.before = {"model", "tools", "instructions"},
	.models = HEEDS(CTX_CACHE_BREAKPOINT),
	.implicit_breakpoint = {"prompt_cache_options", "explicit"},
    },
};

static const size_t n_rows = sizeof table / sizeof table[0];

const char *
ctx_ttl_name(unsigned ttl)
{
	static const char *const names[] = {"5m", "1h"};

	return ttl < CTX_TTLS ? names[ttl] : NULL;
}

/* Returns true if row->also lists this dialect. */
static bool
may_apply_to(const struct ctx_breakpoint_format *row, const char *dialect)
{
	size_t i;

	for (i = 0; i < 3 && row->also[i] != NULL; i++)
		if (strcmp(row->also[i], dialect) == 0)
			return true;
	return false;
}

const struct ctx_breakpoint_format *
ctx_breakpoint_format_find(const struct ctx_dialect *dialect,
    const char *provider)
{
	const struct ctx_breakpoint_format *row;

	for (row = table; row < table + n_rows; row++) {
		if (provider != NULL && strcmp(row->provider, provider) != 0)
			continue;
		if (strcmp(row->dialect, dialect->name) == 0 ||
		    (provider != NULL && may_apply_to(row, dialect->name)))
			return row;
	}
	return NULL;
}

const char *
ctx_breakpoint_provider(unsigned i)
{
	static const char *const names[] = {"anthropic", "bedrock", "openai"};

	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

const struct ctx_breakpoint_format *
ctx_breakpoint_format_any(const struct ctx_dialect *dialect)
{
	const struct ctx_breakpoint_format *row;

	for (row = table; row < table + n_rows; row++)
		if (strcmp(row->dialect, dialect->name) == 0 ||
		    may_apply_to(row, dialect->name))
			return row;
	return NULL;
}

const char *
ctx_breakpoint_before(const struct ctx_breakpoint_format *format, size_t i)
{
	static const char *const others[] = {"model", "tools", "system",
	    "systemInstruction", "system_instruction"};
	const size_t most = sizeof format->before / sizeof format->before[0];

	if (format != NULL)
		return i < most ? format->before[i] : NULL;
	return i < sizeof others / sizeof others[0] ? others[i] : NULL;
}

/* ---- which blocks and tools may have a breakpoint ---- */

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

/* Returns true if the node is a breakpoint that is a separate block. */
static bool
is_breakpoint_block(const struct ctx_json *json, uint32_t node)
{
	const struct ctx_breakpoint_format *row;

	if (ctx_json_count(json, node) != 1)
		return false;
	for (row = table; row < table + n_rows; row++)
		if (row->separate_block &&
		    ctx_json_find(json, node, row->key) != 0)
			return true;
	return false;
}

bool
ctx_breakpoint_key(const struct ctx_json *json, uint32_t key)
{
	const struct ctx_breakpoint_format *row;

	for (row = table; row < table + n_rows; row++)
		if (!row->separate_block && ctx_json_is(json, key, row->key))
			return true;
	return false;
}

static bool
is_block_type(const struct ctx_json *json, uint32_t type, const char *want)
{
	return *want == '*' ? ctx_json_ends_with(json, type, want + 1)
			    : ctx_json_is(json, type, want);
}

static bool
may_mark_block(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t block)
{
	uint32_t type = ctx_json_find(json, block, "type"), value;
	const struct ctx_breakpoint_block *row;

	for (row = format->blocks; row->type != NULL; row++) {
		value = format->one_key_blocks
		    ? ctx_json_find(json, block, row->type)
		    : block;
		if (value == 0 ||
		    (!format->one_key_blocks &&
			(type == 0 || !is_block_type(json, type, row->type))))
			continue;
		if (row->text != NULL)
			return !is_blank_text(json,
			    ctx_json_find(json, block, row->text));
		if (row->member == NULL)
			return true;
		value = ctx_json_find(json, value, row->member);
		return value != 0 && ctx_json_is(json, value, row->is);
	}
	return false;
}

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

/* ---- where the blocks and tools are ---- */

uint32_t
ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message)
{
	uint32_t value = 0, inner, role;
	size_t i;

	for (i = 0; i < 2 && format->nested_content[i] != NULL; i++) {
		inner = ctx_json_find(json, message, format->nested_content[i]);
		if (inner != 0) {
			message = inner;
			break;
		}
	}
	for (i = 0; i < 2 && value == 0 && format->content[i] != NULL; i++)
		value = ctx_json_find(json, message, format->content[i]);
	/* OpenAI's types allow only a string in a message of role function. */
	role = ctx_json_find(json, message, "role");
	if (value != 0 && json->nodes[value].kind == CTX_JSON_STRING &&
	    role != 0 && ctx_json_is(json, role, "function"))
		return 0;
	return value;
}

uint32_t
ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request)
{
	if (format->system == NULL)
		return 0;
	return ctx_json_find(json, request, format->system);
}

uint32_t
ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request)
{
	uint32_t node = request;
	size_t i;

	if (format->tools[0] == NULL)
		return 0;
	for (i = 0; i < 2 && format->tools[i] != NULL; i++)
		if ((node = ctx_json_find(json, node, format->tools[i])) == 0)
			return 0;
	return json->nodes[node].kind == CTX_JSON_ARRAY ? node : 0;
}

bool
ctx_breakpoint_remove_own(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request)
{
	uint32_t mode;

	if (format->implicit_breakpoint[0] == NULL)
		return false;
	mode = ctx_find_below(json, request, format->implicit_breakpoint[0],
	    "mode");
	return mode == 0 ||
	    !ctx_json_is(json, mode, format->implicit_breakpoint[1]);
}

/* Counts the elements that are not breakpoint blocks. */
static size_t
count_blocks(const struct ctx_json *json, uint32_t list)
{
	uint32_t node;
	size_t n = 0;

	for (node = list + 1; node < json->nodes[list].next;
	     node = json->nodes[node].next)
		n += !is_breakpoint_block(json, node);
	return n;
}

void
ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places)
{
	uint32_t node;
	size_t left;

	memset(places, 0, sizeof *places);
	if (list == 0)
		return;
	if (json->nodes[list].kind == CTX_JSON_STRING) {
		places->blocks = 1;
		places->mask = !is_blank_text(json, list);
	}
	if (json->nodes[list].kind != CTX_JSON_ARRAY)
		return;
	left = places->blocks = count_blocks(json, list);
	for (node = list + 1; node < json->nodes[list].next;
	     node = json->nodes[node].next) {
		if (is_breakpoint_block(json, node) ||
		    left-- > CTX_BREAKPOINT_REACH)
			continue;
		if (may_mark_block(format, json, node))
			places->mask |= 1u << left;
	}
}

void
ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places)
{
	uint32_t node;
	size_t left;

	memset(places, 0, sizeof *places);
	if (list == 0)
		return;
	left = places->blocks = count_blocks(json, list);
	for (node = list + 1; node < json->nodes[list].next;
	     node = json->nodes[node].next)
		if (!is_breakpoint_block(json, node) &&
		    left-- <= CTX_BREAKPOINT_REACH &&
		    may_mark_tool(format, json, node))
			places->mask = 1u << left;
}

/* ---- writing ---- */

void
ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer)
{
	free(writer->drop);
	writer->drop = NULL;
	writer->cap = 0;
}

/* Resizes writer->drop to one flag per child of the container, all false. */
static int
reserve_drop_flags(struct ctx_breakpoint_writer *writer, uint32_t node,
    struct ctx_err *err)
{
	size_t n = ctx_json_count(writer->json, node);
	bool *drop = ctx_grow(writer->drop, &writer->cap, n, sizeof *drop, err);

	if (drop == NULL)
		return -1;
	writer->drop = drop;
	memset(drop, 0, n * sizeof *drop);
	return 0;
}

int
ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err)
{
	const struct ctx_node *nodes = writer->json->nodes;
	uint32_t key;
	bool any = false;
	size_t i = 0;

	if (nodes[object].kind != CTX_JSON_OBJECT)
		return 0;
	for (key = object + 1; key < nodes[object].next && !any;
	     key = nodes[key + 1].next)
		any = ctx_breakpoint_key(writer->json, key);
	if (!any)
		return 0;
	if (reserve_drop_flags(writer, object, err) < 0)
		return -1;
	for (key = object + 1; key < nodes[object].next;
	     key = nodes[key + 1].next)
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

/* Returns true if the value equals the JSON text value, ignoring white
 * space. */
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

/* Returns true if the object has, or is, exactly the breakpoint to write. */
static bool
has_right_breakpoint(const struct ctx_json *json, uint32_t object,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl)
{
	const struct ctx_node *nodes = json->nodes;
	bool right = false;
	uint32_t key;

	if (nodes[object].kind != CTX_JSON_OBJECT ||
	    is_breakpoint_block(json, object) != format->separate_block)
		return false;
	for (key = object + 1; key < nodes[object].next;
	     key = nodes[key + 1].next) {
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

/* Adds the edit that writes a breakpoint for a block.  Its other breakpoints
 * must be absent or removed. */
static int
put_breakpoint(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t block, struct ctx_err *err)
{
	const struct ctx_node *nodes = writer->json->nodes;
	uint32_t at = nodes[block].end, key;
	char hint[128];

	/* Insert after the last member that is kept. */
	for (key = block + 1;
	     !format->separate_block && key < nodes[block].next;
	     key = nodes[key + 1].next)
		if (!ctx_breakpoint_key(writer->json, key))
			at = nodes[key + 1].end;
	(void)snprintf(hint, sizeof hint,
	    format->separate_block ? ",{\"%s\":%s}" : ",\"%s\":%s", format->key,
	    breakpoint_value(format, ttl));
	return insert_text(writer, at, hint, err);
}

/* Adds the edits that turn a string into an array of one block with a
 * breakpoint. */
static int
put_text_breakpoint(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t text,
    struct ctx_err *err)
{
	char hint[128];

	(void)snprintf(hint, sizeof hint,
	    format->separate_block ? "},{\"%s\":%s}]" : ",\"%s\":%s}]",
	    format->key, breakpoint_value(format, ttl));
	if (insert_text(writer, writer->json->nodes[text].at, format->text,
		err) < 0)
		return -1;
	return insert_text(writer, writer->json->nodes[text].end, hint, err);
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

/* Depth of nested blocks that are searched; the deepest are the blocks of a
 * document in a tool result. */
#define INNER 3

/* An array of blocks within a block, during a walk without recursion. */
struct nested_list {
	uint32_t at, end; /* nodes: the next element; after the last */
	unsigned depth;   /* from 1 on */
};

/* Finds the arrays of blocks in the block at this depth: at most two, none at
 * depth INNER.  Returns how many. */
static size_t
find_nested_lists(const struct ctx_json *json, uint32_t block, unsigned depth,
    struct nested_list *found)
{
	const uint32_t lists[] = {ctx_find_list(json, block, "content"),
	    ctx_find_below(json, block, "source", "content")};
	size_t i, n = 0;

	for (i = 0; i < 2 && depth < INNER; i++)
		if (lists[i] != 0 &&
		    json->nodes[lists[i]].kind == CTX_JSON_ARRAY)
			found[n++] = (struct nested_list){lists[i] + 1,
			    json->nodes[lists[i]].next, depth + 1};
	return n;
}

/* Adds the edits that remove breakpoints from blocks in a tool result or
 * document.  The input of a tool call has no blocks, whatever its keys. */
static int
strip_nested_lists(struct ctx_breakpoint_writer *writer, uint32_t block,
    struct ctx_err *err)
{
	const struct ctx_json *json = writer->json;
	struct nested_list lists[2 * INNER], *last;
	size_t n = find_nested_lists(json, block, 0, lists);
	uint32_t node;

	while (n > 0) {
		last = lists + n - 1;
		if (last->at == last->end) {
			n--;
			continue;
		}
		node = last->at;
		last->at = json->nodes[node].next;
		if (ctx_breakpoint_strip(writer, node, err) < 0)
			return -1;
		n += find_nested_lists(json, node, last->depth, lists + n);
	}
	return 0;
}

/* Returns the key node of this format's breakpoint in a block, or 0.  A null
 * value is not a breakpoint. */
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
	struct nested_list lists[2 * INNER + 1], *last;
	uint32_t node, key, container[2 * INNER + 1];
	size_t n = 0, i, more;

	if (!ctx_is_array(json, list))
		return 0;
	container[0] = list;
	lists[n++] = (struct nested_list){list + 1, json->nodes[list].next, 0};
	while (n > 0) {
		last = lists + n - 1;
		if (last->at == last->end) {
			n--;
			continue;
		}
		node = last->at;
		last->at = json->nodes[node].next;
		key = find_breakpoint_key(format, json, node);
		if ((key != 0 && visit(user, json, node, key, err) < 0) ||
		    (format->separate_block &&
			is_breakpoint_block(json, node) &&
			visit(user, json, container[n - 1], node, err) < 0))
			return -1;
		more = find_nested_lists(json, node, last->depth, lists + n);
		for (i = 0; i < more; i++)
			container[n + i] = lists[n + i].at - 1;
		n += more;
	}
	return 0;
}

/* Adds the edits that remove the breakpoint blocks of an array, except those in
 * kept.  An array with only breakpoint blocks is left as it is. */
static int
drop_breakpoints(struct ctx_breakpoint_writer *writer, uint32_t list,
    const uint32_t *kept, size_t n_kept, struct ctx_err *err)
{
	const struct ctx_json *json = writer->json;
	size_t blocks = count_blocks(json, list), i = 0, k;
	uint32_t node;

	if (blocks == 0 || blocks == ctx_json_count(json, list))
		return 0;
	if (reserve_drop_flags(writer, list, err) < 0)
		return -1;
	for (node = list + 1; node < json->nodes[list].next;
	     node = json->nodes[node].next) {
		writer->drop[i] = is_breakpoint_block(json, node);
		for (k = 0; k < n_kept; k++)
			writer->drop[i] &= kept[k] != node;
		i++;
	}
	return ctx_edits_remove(writer->edits, json, list, writer->drop, err);
}

/* Adds the edits for one block, so that it has exactly the right breakpoint if
 * marked is true, and none if not. */
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
	left = count_blocks(json, list);
	for (node = list + 1; node < end; node = next) {
		next = json->nodes[node].next;
		if (is_breakpoint_block(json, node))
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

_Static_assert(CTX_BREAKPOINT_LISTS >= 2 * sizeof table / sizeof table[0],
    "a system prompt and tools for each row");

size_t
ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS])
{
	const struct ctx_breakpoint_format *row;
	uint32_t both[2];
	size_t n = 0, i, k;

	for (row = table; row < table + n_rows; row++) {
		both[0] = ctx_breakpoint_system(row, json, request);
		both[1] = ctx_breakpoint_tools(row, json, request);
		for (i = 0; i < 2; i++) {
			for (k = 0; k < n && lists[k] != both[i]; k++)
				;
			if (k == n && both[i] != 0)
				lists[n++] = both[i];
		}
	}
	return n;
}
