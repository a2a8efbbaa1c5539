/* breakpoint_format.h - describes how cache breakpoints are written for each
 * provider; functions that find and write breakpoints (dialect.h includes this
 * file) */
#ifndef CTX_DIALECT_BREAKPOINT_FORMAT_H
#define CTX_DIALECT_BREAKPOINT_FORMAT_H

#include "json/json.h"

/* ---- dialect/breakpoint_format.c: how cache breakpoints are written ----- */

/* How a request tells the provider of a model which part of the request to
 * cache. */
enum ctx_cache_kind {
	CTX_CACHE_NONE, /* the way is not known */
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
 * ctx writes breakpoints, it removes all breakpoints of the request, including
 * breakpoints in the formats of other providers. */

/* Maximum number of cache breakpoints in a request.  Providers refuse a request
 * with five breakpoints. */
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
const char *ctx_ttl_name(size_t ttl);

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
	 * the table is used for such messages only if the caller or the name of
	 * the model identifies the provider. */
	const char *other_dialects[3];
	/* True if this row of the table is used for messages in other_dialects
	 * only if the caller names the provider.  False if the row is also used
	 * if the kind of the model is in the member "models". */
	bool only_on_request;
	const char *key; /* the key of a breakpoint in JSON */
	/* The JSON value of a breakpoint for each storage time.  If an element
	 * is NULL, the value for five minutes is used. */
	const char *values[CTX_TTLS];
	/* True if a breakpoint is a separate array element {key: value} after
	 * the marked block; false if a breakpoint is a member of the marked
	 * block. */
	bool separate_block;
	/* Keys of the member with the content of a message; the first key that
	 * the message has is used.  The content is an array of blocks, or a
	 * string.  To get a breakpoint, a string must become an array of one
	 * block. */
	const char *content[2];
	/* Possible keys of an inner object that has the members of a message,
	 * such as "data" in {"type": ..., "data": {"content": ...}}.  Not used
	 * if the message itself has these members. */
	const char *nested_content[2];
	/* JSON before the text in an array with one text block; the JSON after
	 * the text is "}]".  Content that is a string becomes such an array to
	 * get a breakpoint. */
	const char *text;
	/* The types of content blocks that may have a breakpoint; NULL ends the
	 * list.  "*_x" stands for any type that ends in _x. */
	const char *const *blocks;
	/* True if a block has no member "type": its only key says what the
	 * block is. */
	bool one_key_blocks;
	/* The value of the member "format" that a document must have to get a
	 * breakpoint, or NULL if any document may have one. */
	const char *document_format;
	/* Messages with these roles get no breakpoint.  A set of bits: 1 <<
	 * enum ctx_role. */
	unsigned no_marker_roles;
	/* key of the system prompt in a request, or NULL if the system prompt
	 * cannot have breakpoints */
	const char *system;
	/* Where a request has its array of tools.  If tools[1] is NULL, the
	 * array is the member tools[0].  Otherwise the array is the member
	 * tools[1] of the object tools[0].  If tools[0] is NULL, tools get no
	 * breakpoints in this format. */
	const char *tools[2];
	/* Keys of members of a tool definition.  A definition that has one of
	 * these members gets no breakpoint, unless the value of the member is
	 * false. */
	const char *no_marker_tools[2];
	/* A prompt cache compares a new request with an earlier request, member
	 * by member, in a fixed order.  These are the keys of the members that
	 * the cache compares before the messages. */
	const char *before[6];
	/* The kinds of models that use breakpoints.  A set of bits: 1 << enum
	 * ctx_cache_kind.  The bit 1 << CTX_CACHES stands for models that ctx
	 * does not know. */
	unsigned models;
	/* The kinds of models that use breakpoints on tool definitions.  A set
	 * of bits: 1 << enum ctx_cache_kind. */
	unsigned tool_models;
	/* Maximum number of blocks between a breakpoint and the end of a stored
	 * beginning of the request that the provider finds at the breakpoint.
	 * 0: the provider finds only a beginning that ends at the
	 * breakpoint. */
	size_t lookback;
	/* NULL unless the provider itself puts a breakpoint at the end of the
	 * newest message.  A request can forbid this breakpoint: the value at
	 * the path [0] must be the string [1]. */
	const char *implicit_breakpoint[2];
};
/* Returns the row of the table of breakpoint formats for messages of a dialect
 * that are sent to the provider with this name.  If provider is NULL, returns
 * the first row whose member "dialect" is this dialect.  Returns NULL if there
 * is no such row. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_find(
    const struct ctx_dialect *dialect, const char *provider);
/* Returns the name of the i-th provider in the table of breakpoint formats
 * (counted from 0), or NULL if i is too large. */
const char *ctx_breakpoint_provider(size_t i);
/* Returns the first row of the table of breakpoint formats for messages of a
 * dialect, or NULL if there is none.  Used where the provider does not matter,
 * for example to remove breakpoints. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_any(
    const struct ctx_dialect *dialect);
/* A prompt cache compares a new request with an earlier request, member by
 * member, in a fixed order.  Returns the key of the i-th member (counted from
 * 0) that the cache compares before the messages.  Returns NULL if i is too
 * large. format may be NULL if the provider has no breakpoints. */
const char *ctx_breakpoint_before(const struct ctx_breakpoint_format *format,
    size_t i);

/* Returns the JSON node of the content of a message, which is an array of
 * blocks or a string.  Returns 0 if there is none, or if it must be a string
 * (role function). */
uint32_t ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message);
/* ctx_breakpoint_system returns the JSON node of the system prompt of a
 * request, ctx_breakpoint_tools that of the array of tools.  Both return 0 if
 * there is none, or if it cannot have breakpoints in this format. */
uint32_t ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
uint32_t ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
/* Returns true if the provider itself puts a cache breakpoint at the end of
 * this request. */
bool ctx_breakpoint_is_implicit(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);

/* Finds the system prompts and arrays of tools of a request, at all places
 * where some provider expects them.  Stores the JSON node of each prompt or
 * array once in "lists".  Returns the number of stored nodes. */
#define CTX_BREAKPOINT_LISTS 10
size_t ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS]);
/* Returns true if the JSON node is a block that consists of nothing but a cache
 * breakpoint. */
bool ctx_breakpoint_is_block(const struct ctx_json *json, uint32_t node);
/* Returns true if a member with this key is a cache breakpoint in any
 * format. */
bool ctx_breakpoint_key(const struct ctx_json *json, uint32_t key);

/* ---- dialect/breakpoint_places.c: which blocks may have a breakpoint ---- */

/* A cache breakpoint can be written only on the last CTX_BREAKPOINT_REACH
 * blocks of an array. */
#define CTX_BREAKPOINT_REACH 16
struct ctx_breakpoint_places {
	/* Number of blocks in the array, not counting those that consist only
	 * of a cache breakpoint. */
	size_t blocks;
	/* Bit i is set if the block that has i blocks after it in the array may
	 * have a breakpoint. */
	uint32_t mask;
};
/* Returns the number of content blocks in an array.  Elements that consist of
 * nothing but a cache breakpoint are not counted. */
size_t ctx_breakpoint_count_blocks(const struct ctx_json *json, uint32_t list);
/* Finds the blocks that may have a cache breakpoint. list: JSON node of an
 * array of blocks, or of a string, which counts as one block. */
void ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);
/* Finds the last tool definition in an array ("list") that may have a cache
 * breakpoint. */
void ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);

/* ---- dialect/breakpoint_edits.c: finding, writing and removing them ------ */

/* A callback for each cache breakpoint.  If the JSON node "container" is an
 * object, the breakpoint is a member of the object, and node is the member's
 * key.  If container is an array, the breakpoint is the array element at node.
 * marked: JSON node of the block that has the breakpoint: of the object, or of
 * the last element before the breakpoint that is not a breakpoint itself; 0 if
 * there is none.  Returns 0, or -1 with *err to stop the search. */
typedef int ctx_breakpoint_visitor(void *user, const struct ctx_json *json,
    uint32_t container, uint32_t node, uint32_t marked, struct ctx_err *err);
/* Calls visit for each cache breakpoint of the given format in an array of
 * blocks or tools ("list") and in nested blocks.  The calls are in the order of
 * the JSON text. */
int ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err);

/* Collects the JSON edits that write and remove cache breakpoints. */
struct ctx_breakpoint_writer {
	const struct ctx_json *json; /* owned by the caller */
	struct ctx_edits *edits;     /* owned by the caller */
	/* scratch memory: one flag for each child of a JSON node, true if the
	 * child is removed */
	bool *drop;
	size_t cap;
};
/* Adds the edits after which an array of blocks or tools has exactly the given
 * cache breakpoints. mask: places of the breakpoints, as in struct
 * ctx_breakpoint_places.  Breakpoints that are members of nested blocks are
 * removed. format may be NULL if mask is 0.  An old breakpoint that is equal to
 * the new breakpoint is not edited. */
int ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err);
/* Adds the edits that remove all members of an object that are cache
 * breakpoints.  Does not look into nested values. */
int ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err);
/* Adds the edits that replace the content of a message by an array with one
 * text block, which can have a cache breakpoint. list: JSON node of the
 * content.  Adds nothing if the content is not a string. */
int ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err);
void ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer);

#endif
