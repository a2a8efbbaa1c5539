/* breakpoint_format.h - prompt-cache breakpoints: a part of dialect.h, which
 * includes it */
#ifndef CTX_DIALECT_BREAKPOINT_FORMAT_H
#define CTX_DIALECT_BREAKPOINT_FORMAT_H

#include "json/json.h"

/* ---- dialect/breakpoint_format.c: how breakpoints are written ----------- */

/* What makes a model's provider cache a prefix of the request. */
enum ctx_cache_kind {
	CTX_CACHE_NONE,       /* nothing that is known */
	CTX_CACHE_AUTO,       /* nothing is needed: it caches by itself */
	CTX_CACHE_CONTROL,    /* "cache_control" in a block */
	CTX_CACHE_BREAKPOINT, /* "prompt_cache_breakpoint" in a block */
	CTX_CACHE_POINT,      /* a separate "cachePoint" block */
	CTX_CACHES
};

/*
 * A prompt cache stores the start of a request up to a breakpoint, which is
 * written on a content block or a tool.  Before ctx writes breakpoints it
 * removes those that are there, of any provider.
 */

/* Breakpoints per request; a provider refuses a fifth. */
enum { CTX_BREAKPOINTS_MAX = 4 };

/* How long a cached prefix is stored after its last use. */
enum ctx_ttl {
	CTX_TTL_5M, /* five minutes, the default */
	CTX_TTL_1H,
	CTX_TTLS
};
/* Returns "5m" or "1h", NULL after the last. */
const char *ctx_ttl_name(unsigned ttl);

/* How breakpoints are written in a dialect for a provider. */
struct ctx_breakpoint_format {
	const char *provider;
	const char *dialect; /* the dialect that belongs to this provider */
	/* Other dialects whose messages may be sent to the provider, if the
	 * caller names the provider. */
	const char *also[3];
	/* True if the model's name never selects this row: the caller must name
	 * the provider. */
	bool only_on_request;
	const char *key; /* of a breakpoint */
	/* The JSON value of a breakpoint; NULL: values[0]. */
	const char *values[CTX_TTLS];
	/* True if a breakpoint is an element {key: value} after its block, and
	 * not a member of the block. */
	bool separate_block;
	/* Keys of the message's blocks: an array, or a string, which must
	 * become an array of one block to get a breakpoint.  The first key
	 * found counts. */
	const char *content[2];
	/* Members in which content is looked up instead, if one exists. */
	const char *nested_content[2];
	/* The JSON before the text in an array of one text block; "}]" ends
	 * it. */
	const char *text;
	/* The blocks that may have a breakpoint, ended by an empty row. */
	const struct ctx_breakpoint_block *blocks;
	/* True if the only key of a block is its type. */
	bool one_key_blocks;
	/* Roles whose blocks get no breakpoint, bit 1 << enum ctx_role. */
	unsigned no_marker_roles;
	const char *system;   /* key of a request's system prompt, or NULL */
	const char *tools[2]; /* path of keys to a request's tools, or NULL */
	/* Keys of tools that get no breakpoint, unless the value is false. */
	const char *no_marker_tools[2];
	/* Members of a request that the cache compares before the messages, in
	 * this order. */
	const char *before[6];
	/* Price of writing a prefix for an hour, in percent of the input price;
	 * 0: the price of writing it for five minutes. */
	unsigned hour_percent;
	/* Models that use breakpoints, bit 1 << enum ctx_cache_kind.  Bit 1 <<
	 * CTX_CACHES means an unknown model. */
	unsigned models;
	unsigned tool_models; /* likewise, for breakpoints on tools */
	/* Number of blocks before a breakpoint in which the provider looks for
	 * a stored prefix; 0: it must end at the breakpoint. */
	size_t lookback;
	/* The provider sets a breakpoint at the end of the newest message,
	 * unless the "mode" of request member [0] is [1].  NULL: it does not.
	 */
	const char *implicit_breakpoint[2];
};
/*
 * Returns the row for messages of a dialect that are sent to the provider of
 * this name, or NULL.  provider NULL: the one that the dialect belongs to.
 */
const struct ctx_breakpoint_format *ctx_breakpoint_format_find(
    const struct ctx_dialect *dialect, const char *provider);
/* Returns the name of provider i, or NULL after the last. */
const char *ctx_breakpoint_provider(unsigned i);
/* Returns any row for messages of the dialect, or NULL.  It is enough to remove
 * breakpoints. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_any(
    const struct ctx_dialect *dialect);
/* Returns key i of the request members that the cache compares before the
 * messages, or NULL after the last.  format NULL: a provider without
 * breakpoints. */
const char *ctx_breakpoint_before(const struct ctx_breakpoint_format *format,
    size_t i);

/* Returns the array or string that holds the blocks of a message, or 0. */
uint32_t ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message);
/* Return the system prompt and the array of tools of a request, or 0. */
uint32_t ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
uint32_t ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
/* Returns true if the provider sets a breakpoint at the end of this request by
 * itself (implicit_breakpoint). */
bool ctx_breakpoint_is_implicit(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);

/* Finds the system prompts and tool arrays of a request, at the places of all
 * providers.  Sets lists to their nodes, each once, and returns how many. */
#define CTX_BREAKPOINT_LISTS 10
size_t ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS]);
/* Returns true if the key is that of a breakpoint that is a member of its
 * block. */
bool ctx_breakpoint_key(const struct ctx_json *json, uint32_t key);

/* ---- dialect/breakpoint_places.c: blocks that may have a breakpoint ---- */

/* Only the last blocks of an array are considered for a breakpoint. */
#define CTX_BREAKPOINT_REACH 16
struct ctx_breakpoint_places {
	size_t blocks; /* number of blocks, without breakpoint blocks */
	uint32_t mask; /* bit i: the block i before the last may have one */
};
/* Finds the blocks of an array that may have a breakpoint.  A string counts as
 * one block. */
void ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);
/* Finds the last tool that may have a breakpoint. */
void ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);

/* ---- dialect/breakpoint_edits.c: writing and removing breakpoints ------ */

/* Collects the edits that write and remove breakpoints. */
struct ctx_breakpoint_writer {
	const struct ctx_json *json; /* the caller's */
	struct ctx_edits *edits;     /* the caller's */
	bool *drop;                  /* scratch */
	size_t cap;
};
/*
 * Adds the edits that leave exactly the breakpoints of mask in an array of
 * blocks or tools; the blocks inside its blocks keep none.  For mask, see
 * struct ctx_breakpoint_places.  format may be NULL if mask is 0.  A breakpoint
 * that is right already is not edited.
 */
int ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err);
/* Adds the edits that remove the breakpoints that are members of an object,
 * without looking into its other members. */
int ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err);
/* Adds the edits that turn a string of content into an array of one text block,
 * as a breakpoint would.  An array is not edited. */
int ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err);
void ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer);

/* ---- dialect/breakpoint_walk.c: breakpoints that are there -------------- */

/* Called for each breakpoint: container is the object and node the key of the
 * member, or container is the array and node the element.  Returns 0, or -1
 * with *err to stop. */
typedef int ctx_breakpoint_visitor(void *user, const struct ctx_json *json,
    uint32_t container, uint32_t node, struct ctx_err *err);
/* Visits, in order, the breakpoints of this format in an array of blocks or
 * tools, and in the blocks inside those. */
int ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err);

#endif
