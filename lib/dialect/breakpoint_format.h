/* breakpoint_format.h - how cache breakpoints are written and found (dialect.h
 * includes this file) */
#ifndef CTX_DIALECT_BREAKPOINT_FORMAT_H
#define CTX_DIALECT_BREAKPOINT_FORMAT_H

#include "json/json.h"

/* ---- dialect/breakpoint_format.c: how cache breakpoints are written ----- */

/* Ways to tell the provider of a model which part of a request to cache. */
enum ctx_cache_kind {
	CTX_CACHE_NONE, /* no way to tell the provider is known */
	/* the provider caches without being asked by the request */
	CTX_CACHE_AUTO,
	CTX_CACHE_CONTROL, /* a breakpoint is "cache_control" in a block */
	/* a breakpoint is "prompt_cache_breakpoint" in a block */
	CTX_CACHE_BREAKPOINT,
	/* a breakpoint is a separate "cachePoint" block */
	CTX_CACHE_POINT,
	CTX_CACHES
};

/* The provider's prompt cache stores the beginning of a request up to a cache
 * breakpoint: a mark on a content block or a tool definition.  Before ctx
 * writes breakpoints, it removes all that the request has, even those that
 * were written for another provider. */

/* Maximum number of cache breakpoints in a request; providers refuse a request
 * with five. */
enum { CTX_BREAKPOINTS_MAX = 4 };

/* Time for which the provider stores a cached beginning of a request after its
 * last use. */
enum ctx_ttl {
	CTX_TTL_5M, /* five minutes, the default */
	CTX_TTL_1H,
	CTX_TTLS
};
/* Returns the name of a storage time: "5m" for CTX_TTL_5M, "1h" for
 * CTX_TTL_1H; NULL for other numbers. */
const char *ctx_ttl_name(unsigned ttl);

/* A row of a table: how cache breakpoints are written in messages of one
 * dialect (message format) that are sent to one provider. */
struct ctx_breakpoint_format {
	const char *provider;
	/* The dialect for which the row is used even if the caller names no
	 * provider. */
	const char *dialect;
	/* Other dialects in which the provider also accepts messages.  Messages
	 * in these dialects are also sent to other providers.  So this
	 * provider's row is used for such a message only if the caller or the
	 * name of the model identifies the provider. */
	const char *other_dialects[3];
	/* True if the caller must name the provider for messages in one of the
	 * other_dialects.  False: it is enough that the model uses breakpoints
	 * of the provider's kind. */
	bool only_on_request;
	const char *key; /* key that a breakpoint has in JSON */
	/* JSON value of a breakpoint for each storage time.  NULL: the value
	 * for five minutes is used. */
	const char *values[CTX_TTLS];
	/* True if a breakpoint is an element {key: value} after the block that
	 * it marks; false if it is a member of that block. */
	bool separate_block;
	/* The content of a message is the member with one of these keys; the
	 * first key that the message has is used.  The content is an array of
	 * blocks, or a string, which must become an array of one block to get
	 * a breakpoint. */
	const char *content[2];
	/* In some formats the members of a message are in an inner object, for
	 * example {"type": ..., "data": {"content": ...}}.  These are the keys
	 * of such objects. */
	const char *nested_content[2];
	/* Beginning of the JSON that replaces a string by an array with one
	 * text block: all that comes before the text.  After the text comes
	 * "}]". */
	const char *text;
	/* The kinds of content blocks that may have a breakpoint.  The last
	 * element of the array is empty. */
	const struct ctx_breakpoint_block *blocks;
	/* True if blocks have no member "type": a block has a single key,
	 * which says what it is. */
	bool one_key_blocks;
	/* Roles whose messages get no breakpoint, as bits 1 << enum
	 * ctx_role. */
	unsigned no_marker_roles;
	/* key of the system prompt in a request, or NULL */
	const char *system;
	/* Place of the array of tools in a request. tools[1] NULL: it is the
	 * member tools[0].  Otherwise it is the member tools[1] of the object
	 * tools[0]. tools[0] NULL: tools get no breakpoints in this format. */
	const char *tools[2];
	/* A tool definition gets no breakpoint if it has a member with one of
	 * these keys, unless the member is false. */
	const char *no_marker_tools[2];
	/* A prompt cache compares the members of a new request with those of an
	 * earlier one, in a fixed order.  These are the keys of the members
	 * that come before the messages in this order. */
	const char *before[6];
	/* The kinds of models that use breakpoints, as bits 1 << enum
	 * ctx_cache_kind.  If the bit 1 << CTX_CACHES is set, breakpoints are
	 * also written for models that ctx does not know. */
	unsigned models;
	/* The kinds of models that use breakpoints on tool definitions, as bits
	 * 1 << enum ctx_cache_kind. */
	unsigned tool_models;
	/* At a breakpoint, the provider also finds a stored beginning of the
	 * request that ends earlier: up to this many blocks before the
	 * breakpoint. 0: only one that ends at the breakpoint. */
	size_t lookback;
	/* Not NULL if the provider itself puts a breakpoint at the end of the
	 * newest message.  A request can forbid that: if its member
	 * implicit_breakpoint[0] is an object whose "mode" is
	 * implicit_breakpoint[1]. */
	const char *implicit_breakpoint[2];
};
/* Returns the row for messages of a dialect that are sent to the provider with
 * this name; NULL if there is none.  If provider is NULL, returns the first row
 * whose member dialect is this dialect. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_find(
    const struct ctx_dialect *dialect, const char *provider);
/* Returns the name of a provider in the table. i: its number, from 0.  Returns
 * NULL after the last one. */
const char *ctx_breakpoint_provider(unsigned i);
/* Returns the first row of the table of breakpoint formats that fits messages
 * of a dialect, for any provider; NULL if there is none.  Used where it does
 * not matter how the provider writes breakpoints, for example to remove them.
 */
const struct ctx_breakpoint_format *ctx_breakpoint_format_any(
    const struct ctx_dialect *dialect);
/* A prompt cache compares the members of a new request with those of an earlier
 * one, in a fixed order.  Returns the key of a member that comes before the
 * messages in this order. i: its number, from 0.  Returns NULL after the last
 * one. format NULL: the provider has no breakpoints. */
const char *ctx_breakpoint_before(const struct ctx_breakpoint_format *format,
    size_t i);

/* Returns the JSON node of a message's content: an array of blocks, or a
 * string.  Returns 0 if the message has none. */
uint32_t ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message);
/* Return the JSON node of a request's system prompt or of its array of tools;
 * 0 if it has none. */
uint32_t ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
uint32_t ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
/* Returns true if the provider itself puts a cache breakpoint at the end of
 * this request. */
bool ctx_breakpoint_is_implicit(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);

/* Finds all system prompts and arrays of tools of a request, wherever a
 * provider has them.  Sets lists to their JSON nodes, each once, and returns
 * their number. */
#define CTX_BREAKPOINT_LISTS 10
size_t ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS]);
/* Returns true if a member with this key is a cache breakpoint. */
bool ctx_breakpoint_key(const struct ctx_json *json, uint32_t key);

/* ---- dialect/breakpoint_places.c: which blocks may have a breakpoint ---- */

/* Only the last blocks of an array may get a cache breakpoint: this many. */
#define CTX_BREAKPOINT_REACH 16
struct ctx_breakpoint_places {
	/* Number of blocks in the array; cache breakpoints that are blocks by
	 * themselves do not count. */
	size_t blocks;
	/* Bit i is set if a block may have a breakpoint. i: how many blocks
	 * come after it in the array. */
	uint32_t mask;
};
/* Finds the blocks of an array that may have a cache breakpoint.  If the
 * content is a string instead of an array, it counts as one block. */
void ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);
/* Finds the last tool definition that may have a cache breakpoint. */
void ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);

/* ---- dialect/breakpoint_edits.c: writing and removing breakpoints -------- */

/* Collects the edits that write and remove cache breakpoints. */
struct ctx_breakpoint_writer {
	const struct ctx_json *json; /* owned by the caller */
	struct ctx_edits *edits;     /* owned by the caller */
	/* scratch memory: which children to remove */
	bool *drop;
	size_t cap;
};
/* Adds the edits that give an array of blocks or tools certain cache
 * breakpoints, and no others. mask: the places of the breakpoints, as in
 * struct ctx_breakpoint_places.  Blocks inside other blocks get none. format
 * may be NULL if mask is 0.  A breakpoint that is right already is not
 * edited. */
int ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err);
/* Adds the edits that remove cache breakpoints from an object: those of its
 * members that are breakpoints.  Deeper JSON values are not searched. */
int ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err);
/* Adds the edits that make a message's content an array of one text block if
 * it is a string, so that it can get a cache breakpoint.  An array is not
 * edited. */
int ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err);
void ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer);

/* ---- dialect/breakpoint_walk.c: finding the breakpoints in a request ----- */

/* A function that is called for each cache breakpoint.  If container is an
 * object, the breakpoint is a member, and node is the member's key.  If
 * container is an array, the breakpoint is the element node.  Returns 0, or -1
 * with *err to stop. */
typedef int ctx_breakpoint_visitor(void *user, const struct ctx_json *json,
    uint32_t container, uint32_t node, struct ctx_err *err);
/* Calls a function for each cache breakpoint in an array of blocks or tools,
 * and in the blocks inside them, in their order.  Only breakpoints of the
 * given format are found. */
int ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err);

#endif
