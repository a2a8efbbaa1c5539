/*
 * cache.h - writes prompt-cache breakpoints into requests, and computes how
 * much of a request the cache has after a change (ctx-cache)
 */
#ifndef CTX_CACHE_H
#define CTX_CACHE_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- cache/mark_cache.c: writes prompt-cache breakpoints ---------------- */

/* Why a conversation gets prompt-cache breakpoints, or gets none. */
enum ctx_cache_status {
	CTX_CACHE_STATUS_MARKED,
	/* The message format has no prompt-cache breakpoints. */
	CTX_CACHE_STATUS_NO_FORMAT,
	/* The model's provider caches prompts without breakpoints. */
	CTX_CACHE_STATUS_AUTO,
	/* The model is not known to use prompt-cache breakpoints. */
	CTX_CACHE_STATUS_UNHEEDED,
};

/* What ctx_mark_cache reports when a conversation ends. */
struct ctx_cache_outcome {
	const char *file;
	/* Line number of the record that contains the conversation.  0 if its
	 * messages are separate records. */
	uint64_t line;
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	/* How the breakpoints of the conversation are written.  NULL if its
	 * message format has none. */
	const struct ctx_breakpoint_format *format;
	const struct ctx_model *model; /* NULL if the model is not known */
	size_t n_breakpoints;          /* how many breakpoints it gets */
	/* The conversation's tokens if they are so few that its model does not
	 * cache them, otherwise 0. */
	uint64_t tokens;
};

struct ctx_cache_options {
	/* Provider whose breakpoints are written.  NULL for the provider that
	 * the message format belongs to. */
	const char *provider;
	enum ctx_ttl ttl;
	bool strip; /* true: remove breakpoints and write none */
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation, but not if strip is true. May
	 * be NULL. */
	int (*ended)(void *user, const struct ctx_cache_outcome *outcome,
	    struct ctx_err *err);
};

/*
 * Removes the prompt-cache breakpoints of each conversation and writes new
 * ones, as many as a request may have.  They are written at these places, the
 * most important first:
 *  - the end of the newest message, unless the provider does that by itself,
 *  - the end of the system prompt,
 *  - if more than 15 content blocks lie between these two: the block 15 before
 *    the newest breakpoint, or the next block after it that may have a
 *    breakpoint.  Only for a provider that looks back a limited number of
 *    blocks for an earlier breakpoint,
 *  - the end of the message before the newest,
 *  - the last tool definition.
 *
 * A message none of whose blocks may have a breakpoint does not count as
 * newest.  Records that need no change are written byte for byte.
 *
 * In reports ctx_change.rule names the most important breakpoint that the
 * message gets, or is "earlier breakpoints" if it only loses some.
 *
 * CTX_EARG: the provider's breakpoints cannot be written in this message
 * format, or the provider is not known.
 *
 * Memory needed: the messages with the last 16 blocks, the newest two
 * messages, and system messages that nothing follows yet; or one record that
 * contains a conversation.
 */
int ctx_mark_cache(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_cache_options *options, struct ctx_err *err);

/* ---- cache/request_diff.c: compares two requests ------------------------ */

/* A request as the list of parts that a prompt cache compares: first the
 * members that come before the messages, such as the tools, then the messages.
 * White space and breakpoints are left out.  A message that is split over
 * several records has one item per record. */
struct ctx_request_prefix;
struct ctx_request_prefix_item {
	/* Name of the request's JSON member that is compared.  NULL if the item
	 * is a message. */
	const char *member;
	const char *file;
	uint64_t line;  /* line number of the record */
	uint64_t index; /* number of the message, from 0 */
	enum ctx_role role;
	uint64_t bytes, tokens;
	uint64_t hash;
	bool is_signed; /* true if the message has signed reasoning */
	/* True if the message is continued by a later item, from another
	 * record. */
	bool is_continued;
	/* Where the text of this item, which is compared with that of another
	 * request, is in the stored texts: offset and length in bytes.  Set if
	 * the texts are stored (option keep). */
	size_t text, text_n;
};
/* How a request is read for a comparison. */
struct ctx_request_prefix_options {
	/* Provider of the request: its breakpoints are assumed to be where
	 * ctx_mark_cache would write them for this provider.  NULL for the
	 * provider that the message format belongs to. */
	const char *provider;
	/* Key of the hashes by which items are compared.  Requests that are
	 * compared must be read with the same key. */
	const struct ctx_hashkey *key;
	/* True: store the compared texts, so that a request read later can be
	 * compared with this one. */
	bool keep;
	/* Earlier request to compare this one with; or NULL.  It must have been
	 * read with the option keep. */
	const struct ctx_request_prefix *earlier;
};
/* Reads the only conversation of a stream as the request to compare.  The
 * caller frees *prefix with ctx_request_prefix_close.  CTX_EARG: there is no
 * conversation, or there are several. */
int ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err);
void ctx_request_prefix_close(struct ctx_request_prefix *prefix);

/* How a later request differs from an earlier one.  A prompt cache serves the
 * whole earlier one only if the later one repeats it and appends messages. */
struct ctx_request_prefix_change {
	bool appended; /* true if messages were only appended */
	/* The first request member or message that differs.  NULL if the later
	 * request only ends earlier. */
	const struct ctx_request_prefix_item *item;
	/* Place of the first byte that differs, counted from 1. */
	uint64_t line, column;
	/* Texts of up to 40 bytes around the first byte that differs, in the
	 * earlier and the later request. */
	struct ctx_str was, now;
	uint64_t messages; /* number of unchanged messages before the change */
	/* Tokens of the earlier request before the first member or message that
	 * differs.  The cache still has these. */
	uint64_t kept;
	/* Tokens of the earlier request from the first member or message that
	 * differs on.  The cache cannot be used for these. */
	uint64_t lost;
	/* The first message with bound reasoning (signed reasoning that the
	 * provider refuses after a change before it) after the change, so that
	 * the request is refused.  NULL if there is none. */
	const struct ctx_request_prefix_item *refused;
};
/* Compares two requests.  The later one must have been read with the earlier
 * one in its options.  The strings in *change are valid as long as both
 * requests. */
void ctx_request_prefix_compare(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later,
    struct ctx_request_prefix_change *change);

/* Prices in millionths of a dollar per million tokens: of input, of cache reads
 * and of cache writes. */
struct ctx_prices {
	uint64_t in, read, write;
};
#define CTX_NO_PRICE UINT64_MAX /* the price is not known */
/* Sets *prices to those of the model that the request names.  An unknown price
 * is not derived from other prices, because models differ. */
void ctx_request_prefix_prices(const struct ctx_request_prefix *prefix,
    enum ctx_ttl ttl, struct ctx_prices *prices);

#define CTX_NEVER UINT64_MAX
/* What it costs to send a request after an earlier one, part of which is in the
 * prompt cache. */
struct ctx_cache_cost {
	/* What the earlier and the later request share at their beginning:
	 * messages, bytes and tokens.  A message that is split over several
	 * records is shared if all its records are equal. */
	uint64_t messages, bytes, tokens;
	uint64_t all; /* number of messages in the later request */
	/* True if the later request begins with the whole earlier one. */
	bool is_extension;
	/* First request member or message of the later request that is not
	 * shared with the earlier one. */
	const struct ctx_request_prefix_item *changed;
	/* How many tokens of the later request are read from the prompt cache,
	 * how many are written to it, and how many are sent without being
	 * written to it. */
	uint64_t read, written, fresh;
	bool writes; /* true if the provider charges for cache writes */
	bool estimated;
	/* For comparison, tokens if the earlier request had only been extended:
	 * those read from the cache (the earlier request), and those written to
	 * it (what was appended). */
	uint64_t reusable;
	uint64_t appended;
	/* Cost in dollars of the later request, and the cost if the earlier
	 * request had only been extended. */
	double cost, cost_unchanged;
	/* True if all prices are known that cost is computed from, and those
	 * that cost_unchanged is computed from. */
	bool known, known_unchanged;
	/* Number of further requests after which the changed, shorter prefix
	 * has saved what the change cost.  0 if the change costs nothing extra;
	 * CTX_NEVER if its cost is never saved.  Valid if both costs are known.
	 */
	uint64_t breakeven_requests;
};
void ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_prices *prices,
    struct ctx_cache_cost *cost);

#endif
