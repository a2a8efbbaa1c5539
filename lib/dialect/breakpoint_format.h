/* breakpoint_format.h - describes how each provider writes cache breakpoints;
 * finds and writes them (dialect.h includes this file) */
#ifndef CTX_DIALECT_BREAKPOINT_FORMAT_H
#define CTX_DIALECT_BREAKPOINT_FORMAT_H

#include "json/json.h"

/* ---- dialect/breakpoint_format.c: how cache breakpoints are written ----- */

/* Ways in which a request tells the provider of a model what to cache. */
enum ctx_cache_kind {
	CTX_CACHE_NONE, /* not known */
	/* the provider caches every request, without being told to */
	CTX_CACHE_AUTO,
	CTX_CACHE_CONTROL, /* a breakpoint is "cache_control" in a block */
	/* a breakpoint is "prompt_cache_breakpoint" in a block */
	CTX_CACHE_BREAKPOINT,
	/* a breakpoint is a separate "cachePoint" block */
	CTX_CACHE_POINT,
	CTX_CACHES
};

/* The provider's prompt cache stores the beginning of a request up to a cache
 * breakpoint, which is a mark on a content block or a tool definition.  Before
 * ctx writes breakpoints, it removes all breakpoints that the request has, even
 * those of another provider's format. */

/* Maximum number of cache breakpoints in a request.  Providers refuse a request
 * with five. */
enum { CTX_BREAKPOINTS_MAX = 4 };

/* How long the provider stores a cached beginning of a request after it was
 * last used. */
enum ctx_ttl {
	CTX_TTL_5M, /* five minutes, the default */
	CTX_TTL_1H,
	CTX_TTLS
};
/* Returns the name of a storage time, such as "5m" for CTX_TTL_5M, or NULL if
 * there is no storage time with this number. */
const char *ctx_ttl_name(unsigned ttl);

/* A row of the table of breakpoint formats.  It describes how cache breakpoints
 * are written in messages of one dialect (format) that are sent to one
 * provider. */
struct ctx_breakpoint_format {
	const char *provider;
	/* The dialect of the messages.  For this dialect, this row of the table
	 * is used even if the caller names no provider. */
	const char *dialect;
	/* Other dialects in which this provider accepts messages.  Messages in
	 * these dialects may also be sent to other providers, so this row of
	 * the table is used for them only if the caller or the name of the
	 * model identifies the provider. */
	const char *other_dialects[3];
	/* For messages in one of other_dialects.  True if this row of the table
	 * is used only if the caller names the provider.  False if it is also
	 * used for a model whose kind is in the member "models". */
	bool only_on_request;
	const char *key; /* the key of a breakpoint in JSON */
	/* The JSON value of a breakpoint for each storage time.  If it is NULL,
	 * the value for five minutes is used. */
	const char *values[CTX_TTLS];
	/* True if a breakpoint is a separate array element {key: value} after
	 * the block that it marks; false if it is a member of this block. */
	bool separate_block;
	/* Keys of the member with the content of a message; the first key that
	 * the message has is used.  The content is an array of blocks, or a
	 * string.  To get a breakpoint, a string must become an array of one
	 * block. */
	const char *content[2];
	/* In some formats the members of a message are inside another object,
	 * for example {"type": ..., "data": {"content": ...}}.  These are the
	 * possible keys of this object. */
	const char *nested_content[2];
	/* A string of content must become an array with one text block to get a
	 * breakpoint.  This is the JSON before the text in that array; the JSON
	 * after the text is "}]". */
	const char *text;
	/* The kinds of content blocks that may have a breakpoint.  An empty
	 * element ends the array. */
	const struct ctx_breakpoint_block *blocks;
	/* True if blocks have no member "type", but one single key that says
	 * what the block is. */
	bool one_key_blocks;
	/* Roles of messages that get no breakpoint, as bits 1 << enum
	 * ctx_role. */
	unsigned no_marker_roles;
	/* key of the system prompt in a request, or NULL if it cannot have
	 * breakpoints */
	const char *system;
	/* Where a request has its array of tools.  If tools[1] is NULL, it is
	 * the member tools[0].  Otherwise it is the member tools[1] of the
	 * object tools[0].  If tools[0] is NULL, tools get no breakpoints in
	 * this format. */
	const char *tools[2];
	/* Keys of members of a tool definition.  A definition that has one of
	 * these members gets no breakpoint, unless the value of the member is
	 * false. */
	const char *no_marker_tools[2];
	/* A prompt cache compares the members of a new request with those of an
	 * earlier one, in a fixed order.  These are the keys of the members
	 * that it compares before the messages. */
	const char *before[6];
	/* The kinds of models that use breakpoints, as bits 1 << enum
	 * ctx_cache_kind.  The bit 1 << CTX_CACHES stands for models that ctx
	 * does not know. */
	unsigned models;
	/* The kinds of models that use breakpoints on tool definitions, as bits
	 * 1 << enum ctx_cache_kind. */
	unsigned tool_models;
	/* At a breakpoint, the provider finds a stored beginning of the request
	 * even if this beginning ends up to "lookback" blocks before the
	 * breakpoint. 0: only if it ends exactly at the breakpoint. */
	size_t lookback;
	/* Set if the provider itself puts a breakpoint at the end of the newest
	 * message, otherwise NULL.  A request can forbid this: it has an object
	 * as member implicit_breakpoint[0], and the member "mode" of this
	 * object is the string implicit_breakpoint[1]. */
	const char *implicit_breakpoint[2];
};
/* Returns the row of the table of breakpoint formats for messages of a dialect
 * that are sent to the provider with this name, or NULL if there is none.  If
 * provider is NULL, returns the first row whose member "dialect" is this
 * dialect. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_find(
    const struct ctx_dialect *dialect, const char *provider);
/* Returns the name of the i-th provider in the table of breakpoint formats
 * (counted from 0), or NULL if there are not so many. */
const char *ctx_breakpoint_provider(unsigned i);
/* Returns the first row of the table of breakpoint formats for messages of a
 * dialect, or NULL if there is none.  Used where the provider does not matter,
 * for example to remove breakpoints. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_any(
    const struct ctx_dialect *dialect);
/* A prompt cache compares the members of a new request with those of an earlier
 * one, in a fixed order.  Returns the key of the i-th member (counted from 0)
 * that it compares before the messages, or NULL if there are not so many.
 * format may be NULL if the provider has no breakpoints. */
const char *ctx_breakpoint_before(const struct ctx_breakpoint_format *format,
    size_t i);

/* Returns the JSON node of the content of a message, which is an array of
 * blocks or a string, or 0 if the message has no content. */
uint32_t ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message);
/* Return the JSON node of the system prompt of a request, or that of its array
 * of tools, or 0 if the request does not have it. */
uint32_t ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
uint32_t ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
/* Returns true if the provider itself puts a cache breakpoint at the end of
 * this request. */
bool ctx_breakpoint_is_implicit(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);

/* Finds all system prompts and arrays of tools of a request, at all places
 * where providers expect them.  Stores their JSON nodes in lists, each once,
 * and returns their number. */
#define CTX_BREAKPOINT_LISTS 10
size_t ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS]);
/* Returns true if a member with this key is a cache breakpoint in any
 * format. */
bool ctx_breakpoint_key(const struct ctx_json *json, uint32_t key);

/* ---- dialect/breakpoint_places.c: which blocks may have a breakpoint ---- */

/* Number of blocks at the end of an array that may get a cache breakpoint.
 * Blocks before them get none. */
#define CTX_BREAKPOINT_REACH 16
struct ctx_breakpoint_places {
	/* Number of blocks in the array, not counting those that consist only
	 * of a cache breakpoint. */
	size_t blocks;
	/* Bit i is set if the block that has i blocks after it in the array may
	 * have a breakpoint. */
	uint32_t mask;
};
/* Finds the blocks of an array ("list") that may have a cache breakpoint.  If
 * list is a string, it counts as one block. */
void ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);
/* Finds the last tool definition in an array ("list") that may have a cache
 * breakpoint. */
void ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);

/* ---- dialect/breakpoint_edits.c: writing and removing breakpoints -------- */

/* Collects the JSON edits that write and remove cache breakpoints. */
struct ctx_breakpoint_writer {
	const struct ctx_json *json; /* owned by the caller */
	struct ctx_edits *edits;     /* owned by the caller */
	/* scratch memory, a flag for each child of a node: true if the child is
	 * removed */
	bool *drop;
	size_t cap;
};
/* Adds the edits after which an array of blocks or tools has exactly the given
 * cache breakpoints. mask: places of the breakpoints, as in struct
 * ctx_breakpoint_places.  Breakpoints in nested blocks are removed. format may
 * be NULL if mask is 0.  An old breakpoint that is equal to the new one at its
 * place is not edited. */
int ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err);
/* Adds the edits that remove all members of an object that are cache
 * breakpoints.  Does not look into nested values. */
int ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err);
/* Adds the edits that make the content of a message ("list") an array with one
 * text block if it is a string, so that it can get a cache breakpoint.  Does
 * not change an array. */
int ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err);
void ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer);

/* ---- dialect/breakpoint_walk.c: finding the breakpoints in a request ----- */

/* A callback for each cache breakpoint.  If the JSON node "container" is an
 * object, the breakpoint is a member of the object, and node is the member's
 * key.  If container is an array, the breakpoint is the array element at node.
 * Returns 0, or -1 with *err to stop the search. */
typedef int ctx_breakpoint_visitor(void *user, const struct ctx_json *json,
    uint32_t container, uint32_t node, struct ctx_err *err);
/* Calls visit for each cache breakpoint of the given format, in an array of
 * blocks or tools ("list") and in nested blocks, in the order of the text. */
int ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err);

#endif
