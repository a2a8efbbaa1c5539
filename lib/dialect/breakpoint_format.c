/*
 * breakpoint_format.c - the table of how cache breakpoints are written for each
 * provider
 *
 * The table says which content blocks may have a cache breakpoint, how the
 * breakpoint is written, and which models use breakpoints.  Reasoning, and a
 * block with blank text, never get a breakpoint.
 *
 * Sources: the parameter types of anthropic-sdk-python and openai-python,
 * August 2026; the guides on prompt caching of Anthropic, OpenAI and Amazon
 * Bedrock, November 2026; for reasoning ("Cache point cannot be inserted after
 * reasoning block") and for documents other than PDF, issue 36517 of opencode
 * and pull request 2001 of strands-agents, 2026.
 */
#include <string.h>

#include "dialect/read.h"

static const char *const anthropic_blocks[] = {"text", "tool_use",
    "tool_result", "image", "document", "search_result", "server_tool_use",
    "mcp_tool_use", "*_tool_result", "mid_conv_system", "container_upload",
    "compaction", NULL};
/* LangChain sends blocks of these types to Anthropic unchanged, including a
 * cache breakpoint in the block. */
static const char *const langchain_blocks[] = {"text", "image", "document",
    NULL};
static const char *const bedrock_blocks[] = {"text", "toolUse", "toolResult",
    "image", "document", NULL};
static const char *const chat_blocks[] = {"text", "image_url", "input_audio",
    "file", NULL};
static const char *const responses_blocks[] = {"input_text", "input_image",
    "input_file", NULL};

#define TEXT_BLOCK(type) "[{\"type\":\"" type "\",\"text\":"
#define HEEDS(cache)     (1u << (cache))
#define NOT_KNOWN        (1u << CTX_CACHES)

static const struct ctx_breakpoint_format table[] = {
    {
	.provider = "anthropic",
	.dialect = "anthropic",
	/* Gateways to Claude accept Chat Completions messages with Anthropic's
	 * cache breakpoints. */
	.other_dialects = {"generic", "openai-chat"},
	.key = "cache_control",
	.values = {"{\"type\":\"ephemeral\"}",
	    "{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"},
	.content = {"content"},
	.text = TEXT_BLOCK("text"),
	.blocks = anthropic_blocks,
	.system = "system",
	.tools = {"tools"},
	/* A tool definition with one of these members must not have a cache
	 * breakpoint: "defer_loading" (the tool is loaded only when the model
	 * needs it) and "function" (the definition is in the format of Chat
	 * Completions). */
	.no_marker_tools = {"defer_loading", "function"},
	.before = {"model", "tools", "speed", "system", "tool_choice",
	    "thinking"},
	.models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.tool_models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.lookback = 20,
    },
    {
	.provider = "bedrock",
	.dialect = "bedrock",
	.other_dialects = {"generic"},
	.key = "cachePoint",
	.values = {"{\"type\":\"default\"}",
	    "{\"type\":\"default\",\"ttl\":\"1h\"}"},
	.separate_block = true,
	.content = {"content"},
	.text = "[{\"text\":",
	.blocks = bedrock_blocks,
	.one_key_blocks = true,
	.document_format = "pdf",
	.system = "system",
	.tools = {"toolConfig", "tools"},
	.before = {"modelId", "toolConfig", "system",
	    "additionalModelRequestFields"},
	/* On Bedrock, Claude and Amazon's own models use cache breakpoints.
	 * Amazon's models ignore breakpoints on tool definitions. */
	.models = HEEDS(CTX_CACHE_CONTROL) | HEEDS(CTX_CACHE_POINT) | NOT_KNOWN,
	.tool_models = HEEDS(CTX_CACHE_CONTROL) | NOT_KNOWN,
	.lookback = 20,
    },
    {
	.provider = "anthropic",
	.dialect = "langchain",
	.other_dialects = {"langchain-lc", "langchain-dict", "langchain-dump"},
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
    },
    /* Older models of OpenAI, and compatible servers, refuse unknown members of
     * a block.  So breakpoints are written only for models that are known to
     * accept breakpoints. */
    {
	.provider = "openai",
	.dialect = "openai-chat",
	.other_dialects = {"generic"},
	.key = "prompt_cache_breakpoint",
	.values = {"{\"mode\":\"explicit\"}"},
	.content = {"content"},
	.text = TEXT_BLOCK("text"),
	.blocks = chat_blocks,
	.no_marker_roles = 1u << CTX_ROLE_ASSISTANT,
	.before = {"model", "tools"},
	.models = HEEDS(CTX_CACHE_BREAKPOINT),
	.implicit_breakpoint = {"prompt_cache_options/mode", "explicit"},
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
	.implicit_breakpoint = {"prompt_cache_options/mode", "explicit"},
    },
};

static const size_t n_rows = CTX_LENGTH(table);

const char *
ctx_ttl_name(size_t ttl)
{
	static const char *const names[] = {"5m", "1h"};

	return ttl < CTX_TTLS ? names[ttl] : NULL;
}

/* Returns true if the dialect (message format) is in the list other_dialects of
 * a row of the table of breakpoint formats. */
static bool
may_apply_to(const struct ctx_breakpoint_format *row, const char *dialect)
{
	size_t i;

	for (i = 0; i < 3 && row->other_dialects[i] != NULL; i++)
		if (strcmp(row->other_dialects[i], dialect) == 0)
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
ctx_breakpoint_provider(size_t i)
{
	static const char *const names[] = {"anthropic", "bedrock", "openai"};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
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
	const size_t most = CTX_LENGTH(format->before);

	if (format != NULL)
		return i < most ? format->before[i] : NULL;
	return i < CTX_LENGTH(others) ? others[i] : NULL;
}

bool
ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node)
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

/* ---- where the blocks and tools are ---- */

uint32_t
ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message)
{
	uint32_t value = 0, inner;
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
	/* By OpenAI's types, the content of a message with the role function
	 * must be a string.  A string cannot have a cache breakpoint. */
	return ctx_json_is_string(json, value) &&
		ctx_json_is(json, ctx_json_find(json, message, "role"),
		    "function")
	    ? 0
	    : value;
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
ctx_breakpoint_is_implicit(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request)
{
	uint32_t mode;

	if (format->implicit_breakpoint[0] == NULL)
		return false;
	mode =
	    ctx_json_find_path(json, request, format->implicit_breakpoint[0]);
	return mode == 0 ||
	    !ctx_json_is(json, mode, format->implicit_breakpoint[1]);
}

_Static_assert(CTX_BREAKPOINT_LISTS >= 2 * CTX_LENGTH(table),
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
