/*
 * cache.h - writes prompt-cache breakpoints into requests, and computes how
 * much of a changed request is still in the cache (ctx-cache)
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

/* Result for a conversation: it gets prompt-cache breakpoints, or the reason
 * why it gets none. */
enum ctx_cache_status {
	CTX_CACHE_STATUS_MARKED,
	/* no breakpoints, because the message format cannot have any */
	CTX_CACHE_STATUS_NO_FORMAT,
	/* no breakpoints, because the provider caches prompts without them */
	CTX_CACHE_STATUS_AUTO,
	/* no breakpoints, because the model is not known to use any */
	CTX_CACHE_STATUS_UNHEEDED,
};

/* What ctx_mark_cache reports at the end of a conversation. */
struct ctx_cache_outcome {
	const char *file;
	/* Number of the line with the conversation. 0 for a conversation that
	 * has many lines, each of them a message. */
	uint64_t line;
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	/* Format of the conversation's breakpoints.  NULL if its message format
	 * has none. */
	const struct ctx_breakpoint_format *format;
	const struct ctx_model *model; /* NULL if the model is not known */
	/* number of breakpoints that the conversation gets */
	size_t n_breakpoints;
	/* If the conversation has too few tokens for its model to cache them:
	 * the number of its tokens.  Otherwise 0. */
	uint64_t tokens;
};

struct ctx_cache_options {
	/* Name of the provider whose breakpoints are written.  NULL: the one
	 * to which the message format belongs. */
	const char *provider;
	enum ctx_ttl ttl;
	bool strip; /* true if breakpoints are only removed */
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation, unless strip is true.  May
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

/* A request as a prompt cache compares it: a list of items.  These are the
 * members of the request that are compared before the messages, such as the
 * tools, and then the messages.  White space and breakpoints make no
 * difference.  A message that is split over several records has one item per
 * record. */
struct ctx_request_prefix;
struct ctx_request_prefix_item {
	/* The key of the item, if it is a member of the request.  NULL if it
	 * is a message. */
	const char *member;
	const char *file;
	uint64_t line;  /* number of the line where the record begins */
	uint64_t index; /* index of the message, from 0 */
	enum ctx_role role;
	uint64_t bytes, tokens;
	uint64_t hash;
	bool is_signed; /* true if the message has signed reasoning */
	/* True if the next item continues this message, which is split over
	 * several records. */
	bool is_continued;
	/* With the option keep, a text is stored for each item, by which
	 * requests are compared.  This is the offset and the length of the
	 * item's text, in bytes. */
	size_t text, text_n;
};
/* Settings for reading a request that is compared with another one. */
struct ctx_request_prefix_options {
	/* Name of the provider to which the request is sent.  Breakpoints are
	 * assumed to be where ctx_mark_cache would write them for this
	 * provider.  NULL: the provider to which the message format belongs. */
	const char *provider;
	/* Key of the hashes by which items are compared.  It must be the same
	 * for all requests that are compared. */
	const struct ctx_hashkey *key;
	/* True if this request is the earlier one of two that are compared.
	 * The texts of its items are then stored. */
	bool keep;
	/* The earlier request, with which this one is compared; or NULL.  It
	 * must have been read with the option keep. */
	const struct ctx_request_prefix *earlier;
};
/* Reads the only conversation of a stream as a request.  The caller frees
 * *prefix with ctx_request_prefix_close.  CTX_EARG: the stream has no
 * conversation, or several. */
int ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err);
void ctx_request_prefix_close(struct ctx_request_prefix *prefix);

/* Difference between a later request and an earlier one.  The prompt cache has
 * all of the earlier request only if the later one repeats it and appends
 * messages. */
struct ctx_request_prefix_change {
	bool appended; /* true if messages were only appended */
	/* The first member or message that differs.  NULL if the second request
	 * is only shorter: a beginning of the first one. */
	const struct ctx_request_prefix_item *item;
	/* Place of the first byte that differs: line and column of the later
	 * request, from 1. */
	uint64_t line, column;
	/* Up to 40 bytes around the first byte that differs, in the earlier
	 * request (was) and in the later one (now). */
	struct ctx_str was, now;
	uint64_t messages; /* number of unchanged messages before the change */
	/* Tokens of the earlier request before the first member or message
	 * that differs.  They are still in the cache. */
	uint64_t kept;
	/* Tokens of the earlier request from the first member or message that
	 * differs on.  The cache cannot be used for them. */
	uint64_t lost;
	/* The first message for which the provider refuses the later request.
	 * It has bound reasoning after the first difference: signed reasoning
	 * that the provider refuses if anything before it was changed.  NULL if
	 * there is none. */
	const struct ctx_request_prefix_item *refused;
};
/* Finds out how a later request differs from an earlier one.  When the later
 * request was read, its options must have named the earlier request (member
 * earlier).  The strings in *change belong to the two requests: they are valid
 * until one of the requests is freed. */
void ctx_request_prefix_compare(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later,
    struct ctx_request_prefix_change *change);

/* Which prices a request has. */
struct ctx_pricing {
	/* The model whose prices count; NULL: the one that the later request
	 * names. */
	const struct ctx_model *model;
	/* how long the cache stores what a request writes to it */
	enum ctx_ttl ttl;
	int64_t now; /* time of the request, seconds since 1970 */
};
/* Prices in millionths of a dollar per million tokens: of input, of cache reads
 * and of cache writes.  One that is not known is CTX_NO_PRICE; it is not
 * computed from others, because that would be wrong for some models. */
struct ctx_prices {
	uint64_t in, read, write;
};

#define CTX_NEVER UINT64_MAX
/* Cost of sending a request when the prompt cache has a part of it from an
 * earlier request. */
struct ctx_cache_cost {
	/* Size of the beginning that the two requests have in common: messages,
	 * bytes and tokens.  A message that is split over several records
	 * counts if all its records are equal. */
	uint64_t messages, bytes, tokens;
	uint64_t all; /* number of messages in the later request */
	/* True if the later request is the earlier one with messages
	 * appended. */
	bool is_extension;
	/* The first member or message of the later request that is not equal
	 * in the earlier one; NULL if there is none. */
	const struct ctx_request_prefix_item *changed;
	/* Of the tokens of the later request: those read from the prompt cache
	 * (read), those written to it (written), and those sent without being
	 * written to it (fresh). */
	uint64_t read, written, fresh;
	bool writes; /* true if the provider charges for cache writes */
	enum ctx_basis basis; /* how far to trust the numbers of tokens */
	/* For comparison: tokens of a request that repeats the earlier request
	 * and only appends messages. reusable: tokens of the earlier request,
	 * which the cache has. appended: tokens of the appended messages, which
	 * are written to the cache: those of the later request after the newest
	 * message that the earlier one also has. */
	uint64_t reusable;
	uint64_t appended;
	struct ctx_prices prices; /* those of the later request */
	/* Cost of the later request in dollars, and what it would cost if it
	 * only appended messages to the earlier request.  Prices may depend on
	 * the length of a request. */
	double cost, cost_unchanged;
	/* known: all prices needed for cost are known. known_unchanged: all
	 * prices needed for cost_unchanged are known. */
	bool known, known_unchanged;
	/* A change may make the cached part of the request shorter, so that
	 * each further request costs less.  This is the number of further
	 * requests after which the change has paid for itself: 0 if it costs
	 * nothing extra, CTX_NEVER if it never pays.  Valid if both costs are
	 * known. */
	uint64_t breakeven_requests;
};
int ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_pricing *pricing,
    struct ctx_cache_cost *cost, struct ctx_err *err);

#endif
