/* breakpoint_format.h - how cache breakpoints are written and found; a part of
 * dialect.h, which includes it */
#ifndef CTX_DIALECT_BREAKPOINT_FORMAT_H
#define CTX_DIALECT_BREAKPOINT_FORMAT_H

#include "json/json.h"

/* ---- dialect/breakpoint_format.c: how cache breakpoints are written ----- */

/* How a model's provider decides which prefix of a request it caches. */
enum ctx_cache_kind {
	CTX_CACHE_NONE,       /* nothing that is known */
	CTX_CACHE_AUTO,       /* nothing is needed: it caches by itself */
	CTX_CACHE_CONTROL,    /* "cache_control" in a block */
	CTX_CACHE_BREAKPOINT, /* "prompt_cache_breakpoint" in a block */
	CTX_CACHE_POINT,      /* a separate "cachePoint" block */
	CTX_CACHES
};

/* A prompt cache stores the beginning of a request up to a breakpoint, which
 * is a mark on a content block or tool.  Before ctx writes breakpoints, it
 * removes those that are in the request, whatever their provider. */

/* Maximum number of cache breakpoints in a request; providers refuse a fifth.
 */
enum { CTX_BREAKPOINTS_MAX = 4 };

/* How long the provider stores a cached prefix after its last use. */
enum ctx_ttl {
	CTX_TTL_5M, /* five minutes, the default */
	CTX_TTL_1H,
	CTX_TTLS
};
/* Returns the name of this storage time, "5m" or "1h"; NULL after the last. */
const char *ctx_ttl_name(unsigned ttl);

/* How cache breakpoints are written in one dialect (message format) for one
 * provider. */
struct ctx_breakpoint_format {
	const char *provider;
	/* the dialect that is this provider's own format */
	const char *dialect;
	/* Other dialects that the provider accepts.  For a message in one of
	 * them, this entry is used only if the caller names the provider. */
	const char *also[3];
	/* True if the entry is used only if the caller names the provider,
	 * never because of the model's name. */
	bool only_on_request;
	const char *key; /* of a breakpoint */
	/* JSON values of a breakpoint, by storage time; NULL: the value for
	 * five minutes is used. */
	const char *values[CTX_TTLS];
	/* True if a breakpoint is an element {key: value} after the block that
	 * it marks; false if it is a member of that block. */
	bool separate_block;
	/* Keys of the message member that contains its blocks; the first key
	 * found is used.  The member is an array of blocks, or a string, which
	 * must become an array of one block to get a breakpoint. */
	const char *content[2];
	/* Keys of inner objects in which the content is searched instead, if
	 * the message has one of them. */
	const char *nested_content[2];
	/* The JSON before the text in an array with one text block; "}]" comes
	 * after it. */
	const char *text;
	/* The kinds of blocks that may have a breakpoint; the last entry is
	 * empty. */
	const struct ctx_breakpoint_block *blocks;
	/* True if blocks have no member "type": the only key of a block says
	 * what it is. */
	bool one_key_blocks;
	/* Roles of messages whose blocks get no breakpoint, as bits 1 << enum
	 * ctx_role. */
	unsigned no_marker_roles;
	/* key of the system prompt in a request, or NULL */
	const char *system;
	/* path of keys from a request to its array of tools, or NULL */
	const char *tools[2];
	/* Keys of members that forbid a breakpoint on a tool, unless the value
	 * is false. */
	const char *no_marker_tools[2];
	/* Members of a request that are before the messages in the cached
	 * prefix, in the order in which the cache compares them. */
	const char *before[6];
	/* Price of writing a prefix that is stored for an hour, in percent of
	 * the input price; 0: the same as for five minutes. */
	unsigned hour_percent;
	/* Models that use breakpoints, as bits 1 << enum ctx_cache_kind.  Bit
	 * 1 << CTX_CACHES stands for models that are not known. */
	unsigned models;
	unsigned tool_models; /* likewise, for breakpoints on tools */
	/* The provider searches for a stored prefix that ends up to this many
	 * blocks before a breakpoint; 0: only one that ends at the breakpoint.
	 */
	size_t lookback;
	/* The provider itself sets a breakpoint at the end of the newest
	 * message, unless the request forbids it. implicit_breakpoint[0] is
	 * the key of a request member.  The request forbids the breakpoint if
	 * "mode" in this member equals implicit_breakpoint[1].  NULL: the
	 * provider itself never sets a breakpoint. */
	const char *implicit_breakpoint[2];
};
/* Returns the table entry for messages of this dialect that are sent to the
 * provider with this name, or NULL.  If the name is NULL, returns the first
 * table entry that was made for this dialect. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_find(
    const struct ctx_dialect *dialect, const char *provider);
/* Returns the name of provider number i, or NULL after the last. */
const char *ctx_breakpoint_provider(unsigned i);
/* Returns any table entry for messages of the dialect, or NULL.  That is enough
 * to remove breakpoints. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_any(
    const struct ctx_dialect *dialect);
/* Returns the key of request member number i among those that the cache
 * compares before the messages; NULL after the last. format NULL: a provider
 * without breakpoints. */
const char *ctx_breakpoint_before(const struct ctx_breakpoint_format *format,
    size_t i);

/* Returns the array of blocks, or the string, that is the content of a
 * message; 0 if there is none. */
uint32_t ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message);
/* Return the JSON node of a request's system prompt or of its array of tools;
 * 0 if it has none. */
uint32_t ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
uint32_t ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
/* Returns true if the provider itself sets a cache breakpoint at the end of
 * this request. */
bool ctx_breakpoint_is_implicit(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);

/* Finds the system prompts and arrays of tools of a request, in the members
 * where any provider has them.  Sets lists to their JSON nodes, each once, and
 * returns the number. */
#define CTX_BREAKPOINT_LISTS 10
size_t ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS]);
/* Returns true if the key is one whose member is a cache breakpoint. */
bool ctx_breakpoint_key(const struct ctx_json *json, uint32_t key);

/* ---- dialect/breakpoint_places.c: which blocks may have a breakpoint ---- */

/* Number of blocks at the end of an array that are considered for a cache
 * breakpoint. */
#define CTX_BREAKPOINT_REACH 16
struct ctx_breakpoint_places {
	/* number of blocks in the array, without those that are breakpoints */
	size_t blocks;
	/* bit i is set if the block i places before the last may have a
	 * breakpoint */
	uint32_t mask;
};
/* Finds the blocks of an array that may have a cache breakpoint.  A string
 * counts as one block. */
void ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);
/* Finds the last tool that may have a cache breakpoint. */
void ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);

/* ---- dialect/breakpoint_edits.c: writing and removing breakpoints -------- */

/* Collects the edits that write and remove cache breakpoints. */
struct ctx_breakpoint_writer {
	const struct ctx_json *json; /* the caller's */
	struct ctx_edits *edits;     /* the caller's */
	bool *drop;                  /* scratch */
	size_t cap;
};
/* Adds the edits after which an array of blocks or tools has exactly the cache
 * breakpoints in mask (see struct ctx_breakpoint_places); blocks inside its
 * blocks have none. format may be NULL if mask is 0.  A breakpoint that is
 * right already is not edited. */
int ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err);
/* Adds the edits that remove those members of an object that are cache
 * breakpoints.  Its other members are not searched. */
int ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err);
/* Adds the edits that turn a content that is a string into an array of one
 * text block, as a cache breakpoint requires.  An array is not edited. */
int ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err);
void ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer);

/* ---- dialect/breakpoint_walk.c: finding the breakpoints in a request ----- */

/* A function that is called for each cache breakpoint.  Either container is an
 * object and node the key of the member that is the breakpoint, or container
 * is an array and node the element.  Returns 0, or -1 with *err to stop. */
typedef int ctx_breakpoint_visitor(void *user, const struct ctx_json *json,
    uint32_t container, uint32_t node, struct ctx_err *err);
/* Calls a function for each cache breakpoint of this format, in order, in an
 * array of blocks or tools and in the blocks inside those. */
int ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err);

#endif
