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

/* Whether a conversation gets prompt-cache breakpoints, and the reason if it
 * gets none. */
enum ctx_cache_status {
	CTX_CACHE_STATUS_MARKED,
	/* no breakpoints, because the message format cannot have any */
	CTX_CACHE_STATUS_NO_FORMAT,
	/* no breakpoints, because the provider caches prompts without
	 * breakpoints */
	CTX_CACHE_STATUS_AUTO,
	/* no breakpoints, because the model is not known to use breakpoints of
	 * this kind */
	CTX_CACHE_STATUS_UNHEEDED,
};

/* What ctx_mark_cache reports to the caller at the end of a conversation. */
struct ctx_cache_outcome {
	const char *file;
	/* Number of the line that contains the conversation. 0 for a
	 * conversation of several lines, each of which is a message. */
	uint64_t line;
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	/* How breakpoints are written in the message format of the
	 * conversation.  May be NULL unless status is CTX_CACHE_STATUS_MARKED.
	 */
	const struct ctx_breakpoint_format *format;
	const struct ctx_model *model; /* NULL if the model is not known */
	/* number of breakpoints that the conversation gets */
	size_t n_breakpoints;
	/* If the conversation gets breakpoints, but has fewer tokens than the
	 * provider requires to cache it: its number of tokens.  Otherwise 0. */
	uint64_t tokens;
};

struct ctx_cache_options {
	/* Name of the provider for which breakpoints are written, or NULL for
	 * the provider to which the message format belongs. */
	const char *provider;
	enum ctx_ttl ttl;
	/* true if breakpoints are only removed, and none are written */
	bool strip;
	struct ctx_report report;
	void *user;
	/* Called at the end of each conversation, except a record that is only
	 * a response.  Not called if strip is true.  May be NULL. */
	int (*ended)(void *user, const struct ctx_cache_outcome *outcome,
	    struct ctx_err *err);
};

/*
 * Replaces the prompt-cache breakpoints of each conversation by new ones, as
 * many as a request may have.  With the option strip, only removes them.  A
 * conversation that gets no new ones (enum ctx_cache_status) is not changed.
 * They are written at these places, the most important first:
 *  - the end of the newest message, unless the provider sets this breakpoint by
 *    itself,
 *  - the end of the system prompt,
 *  - if more than 15 content blocks are between these two places: the block
 *    that is 15 blocks before the newest breakpoint, or the next block that may
 *    have a breakpoint.  Written only for a provider that searches a limited
 *    number of blocks for an earlier breakpoint,
 *  - the end of the message before the newest,
 *  - the last tool definition.
 * A message in which no block may have a breakpoint does not count as the
 * newest one.  Records that are not changed are written byte for byte.
 *
 * In reports ctx_change.rule names the most important breakpoint that the
 * message gets, or is "earlier breakpoints" if the message only loses some.
 *
 * Fails with CTX_EARG if breakpoints of the provider cannot be written in this
 * message format, or if the provider is not known.
 *
 * Memory needed: the messages with the last 16 blocks, the newest two messages,
 * and system messages that no other message follows yet; or one record that
 * contains a conversation.
 */
int ctx_mark_cache(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_cache_options *options, struct ctx_err *err);

/* ---- cache/request_diff.c: compares two requests ------------------------ */

/* A request in the form in which a prompt cache compares requests: a list of
 * items.  The first items are the members of the request that come before the
 * messages in the cache, such as the tools.  The other items are the messages.
 * White space and breakpoints are ignored.  A message that is split over
 * several records has one item per record. */
struct ctx_request_prefix;
struct ctx_request_prefix_item {
	/* Key of the member, if the item is a member of the request; NULL if
	 * the item is a message. */
	const char *member;
	const char *file;
	/* number of the line on which the record of the item begins */
	uint64_t line;
	uint64_t index; /* index of the message, from 0 */
	enum ctx_role role;
	uint64_t bytes, tokens;
	uint64_t hash;
	bool is_bound; /* see ctx_message_is_bound */
	/* True if the message of this item is split over several records, and
	 * the next item has the next part of the message. */
	bool is_continued;
	/* Offset and length, in bytes, of the stored text by which this item is
	 * compared with the item of another request.  Valid only if the option
	 * "keep" is true. */
	size_t text, text_n;
};
/* Options for reading a request that will be compared with another one. */
struct ctx_request_prefix_options {
	/* Name of the provider to which the request is sent, or NULL for the
	 * provider to which the message format belongs.  The request is assumed
	 * to have breakpoints where ctx_mark_cache would write them for this
	 * provider. */
	const char *provider;
	/* Key of the hashes by which items are compared.  The key must be the
	 * same for all requests that are compared. */
	const struct ctx_hashkey *key;
	/* True if this request is the earlier one of two compared requests.
	 * The texts of its items are then stored. */
	bool keep;
	/* The earlier request with which this request is compared, or NULL.
	 * The earlier request must have been read with the option "keep". */
	const struct ctx_request_prefix *earlier;
};
/* Reads the only conversation of a stream as a request.  The caller frees
 * *prefix with ctx_request_prefix_close.  CTX_EARG: the stream has no
 * conversation, or several. */
int ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err);
void ctx_request_prefix_close(struct ctx_request_prefix *prefix);

/* How a later request differs from an earlier request.  The provider can read
 * all of the earlier request from its prompt cache only if the later request
 * repeats it and appends messages. */
struct ctx_request_prefix_change {
	/* true if the later request is equal to the earlier one, or is the
	 * earlier one with messages appended */
	bool appended;
	/* The first member or message of the later request that differs.  NULL
	 * if messages were only appended, or if the later request is equal to a
	 * beginning of the earlier request. */
	const struct ctx_request_prefix_item *item;
	/* Place of the first byte that differs in the later request: its line
	 * in the file, and its column in bytes, both from 1.  In a string that
	 * has escapes, or more than 64 KiB, the place may be its first byte. */
	uint64_t line, column;
	/* Up to 40 bytes around the first byte that differs, or a text with the
	 * length of a string of more than 64 KiB. was: from the earlier
	 * request; now: from the later request. */
	struct ctx_str was, now;
	uint64_t messages; /* number of unchanged messages before the change */
	/* Number of tokens of the earlier request before the first member or
	 * message that differs.  The provider can still read them from its
	 * cache. */
	uint64_t kept;
	/* Number of tokens of the earlier request from the first member or
	 * message that differs to its end.  The provider cannot read them from
	 * its cache any more. */
	uint64_t lost;
	/* The first message that has, after the first difference, bound
	 * reasoning (reasoning that the provider does not take if anything
	 * before it was changed), or NULL if there is none. */
	const struct ctx_request_prefix_item *bound;
	/* How the provider treats this reasoning. */
	enum ctx_binding binds;
};
/* Finds how a later request differs from an earlier one.  When the caller read
 * the later request, the option "earlier" must have been the earlier request.
 * The strings in *change belong to the two requests, and are valid until one of
 * the requests is freed. */
void ctx_request_prefix_compare(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later,
    struct ctx_request_prefix_change *change);

/* What the prices of a request depend on. */
struct ctx_pricing {
	/* The model whose prices are used, or NULL for the model that the later
	 * request names. */
	const struct ctx_model *model;
	/* how long the provider stores what the request writes to its cache */
	enum ctx_ttl ttl;
	int64_t now; /* time of the request in seconds since 1970 */
};
/* Prices in millionths of a dollar per million tokens: of input, of reading
 * from the cache and of writing to the cache.  CTX_NO_PRICE if a price is not
 * known.  A price is never computed from other prices, because that would be
 * wrong for some models. */
struct ctx_prices {
	uint64_t in, read, write;
};

#define CTX_NEVER UINT64_MAX
/* Cost of sending a request when the prompt cache contains a part of it from an
 * earlier request. */
struct ctx_cache_cost {
	/* Size of the beginning that is equal in both requests: in messages,
	 * bytes and tokens.  A message that is split over several records is
	 * counted if all its records are equal. */
	uint64_t messages, bytes, tokens;
	uint64_t all; /* number of messages in the later request */
	/* True if the later request is equal to the earlier request, or is the
	 * earlier request with messages appended. */
	bool is_extension;
	/* The first member or message of the later request after the beginning
	 * that is equal in both (it differs or was appended), or NULL if there
	 * is none. */
	const struct ctx_request_prefix_item *changed;
	/* Tokens of the later request. read: read from the prompt cache.
	 * written: written to the cache. fresh: neither read from the cache nor
	 * written to it. */
	uint64_t read, written, fresh;
	/* true if the later request would have breakpoints, so that the
	 * provider writes it to the cache and charges for that */
	bool writes;
	enum ctx_basis basis; /* how far the token counts can be trusted */
	/* For comparison with a request that only appends messages to the
	 * earlier request. reusable: tokens of the earlier request, which are
	 * all read from the cache. appended: tokens of the new messages, which
	 * are those of the later request after the newest message of the
	 * earlier request that it also contains; 0 if it contains none. */
	uint64_t reusable;
	uint64_t appended;
	struct ctx_prices prices; /* prices of the later request */
	/* cost: what the input of the later request costs in dollars.
	 * cost_unchanged: what it would cost if it only appended messages to
	 * the earlier request.  Prices may depend on the length of a request.
	 */
	double cost, cost_unchanged;
	/* known: true if all prices for cost are known. known_unchanged: true
	 * if all prices for cost_unchanged are known. */
	bool known, known_unchanged;
	/* A change may make requests shorter, so that each later request costs
	 * less.  Number of later requests whose savings pay for the change: 0
	 * if the change costs nothing extra, CTX_NEVER if savings never pay for
	 * it.  Valid if known and known_unchanged are true. */
	uint64_t breakeven_requests;
};
int ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_pricing *pricing,
    struct ctx_cache_cost *cost, struct ctx_err *err);

#endif
