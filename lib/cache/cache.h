/*
 * cache.h - ctx-cache: breakpoints, and what two requests share
 */
#ifndef CTX_CACHE_H
#define CTX_CACHE_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- cache/mark_cache.c: prompt-cache breakpoints ----------------------- */

/* Why a conversation has breakpoints, or none. */
enum ctx_cache_status {
	CTX_CACHE_STATUS_MARKED,
	CTX_CACHE_STATUS_NO_FORMAT, /* its format has none */
	CTX_CACHE_STATUS_AUTO,      /* its model caches without them */
	CTX_CACHE_STATUS_UNHEEDED,  /* its model is not known to use them */
};

/* The end of a conversation. */
struct ctx_cache_outcome {
	const char *file;
	uint64_t line; /* of its record; 0: the stream's own conversation */
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	/* How its breakpoints are written; NULL: its format has none. */
	const struct ctx_breakpoint_format *format;
	const struct ctx_model *model; /* NULL: not known */
	size_t n_breakpoints;          /* number of its breakpoints */
	/* Its tokens if they are too few for its model to cache, else 0. */
	uint64_t tokens;
};

struct ctx_cache_options {
	const char *provider; /* NULL: the dialect's */
	enum ctx_ttl ttl;
	bool strip; /* only remove breakpoints */
	struct ctx_report report;
	void *user;
	/* May be NULL; not called with strip. */
	int (*ended)(void *user, const struct ctx_cache_outcome *outcome,
	    struct ctx_err *err);
};

/*
 * Removes the breakpoints of each conversation and writes new ones, as many as
 * a request may have, in this order of importance:
 *  - the end of the newest message, unless the provider does that by itself,
 *  - the end of the system prompt,
 *  - if more than 15 blocks lie between these two: the block 15 before the
 *    newest, or the next that may have one; only for a provider that looks back
 *    a limited number of blocks for an earlier breakpoint,
 *  - the end of the message before the newest,
 *  - the last tool.
 * A message none of whose blocks may have a breakpoint does not count.  Records
 * that need no change are written byte for byte.
 *
 * ctx_change.rule names the most important breakpoint that the message gets, or
 * is "earlier breakpoints".
 * CTX_EARG: the provider's breakpoints cannot be written in this format, or the
 * provider is not known.
 * Memory: the messages of the last 16 blocks, the newest two messages, and
 * system messages that nothing follows yet; or one record that holds a
 * conversation.
 */
int ctx_mark_cache(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_cache_options *options, struct ctx_err *err);

/* ---- cache/request_diff.c: what two requests share and cost ------------- */

/* The parts of a request that a prompt cache compares: the members that come
 * before its messages, and the messages, without breakpoints and white space. A
 * message of several records has one item per record. */
struct ctx_request_prefix;
struct ctx_request_prefix_item {
	const char *member; /* name of the member; NULL: a message */
	const char *file;
	uint64_t line;  /* of its record */
	uint64_t index; /* of the message, from 0 */
	enum ctx_role role;
	uint64_t bytes, tokens;
	uint64_t hash;
	bool is_signed; /* true if it has signed reasoning */
	bool
	    is_continued; /* true if a later item belongs to the same message */
	/* Place of the compared text in the kept texts (option keep). */
	size_t text, text_n;
};
/* How a request is read. */
struct ctx_request_prefix_options {
	/* The breakpoints are assumed to be where ctx_mark_cache would write
	 * them for this provider; NULL: the dialect's own. */
	const char *provider;
	/* Requests that are compared must be read with the same key. */
	const struct ctx_hashkey *key;
	/* Keep the compared texts, for requests that are read later. */
	bool keep;
	/* An earlier request, read with keep, to compare with; or NULL. */
	const struct ctx_request_prefix *earlier;
};
/* Reads the one conversation of a stream.  CTX_EARG: there is no conversation,
 * or there are several. */
int ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err);
void ctx_request_prefix_close(struct ctx_request_prefix *prefix);

/* The first place where a request is not the earlier one with messages
 * appended. */
struct ctx_request_prefix_change {
	bool appended; /* true if there is no such place */
	/* The first member or message that differs; NULL: the request ends
	 * earlier than the earlier request. */
	const struct ctx_request_prefix_item *item;
	uint64_t line, column;   /* of the first byte that differs, from 1 */
	struct ctx_str was, now; /* up to 40 bytes around it */
	uint64_t messages;       /* unchanged messages before it */
	uint64_t kept; /* tokens of the earlier request before it ... */
	uint64_t lost; /* ... and after it, which the cache does not have */
	/* The first message whose bound reasoning stands after the change, so
	 * that the request is refused; NULL: none. */
	const struct ctx_request_prefix_item *refused;
};
/* Compares two requests; later must have been read with earlier as its option.
 * The strings in *change are valid as long as both requests. */
void ctx_request_prefix_compare(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later,
    struct ctx_request_prefix_change *change);

/* Prices in millionths of a dollar per million tokens. */
struct ctx_prices {
	uint64_t in, read, write;
};
#define CTX_NO_PRICE UINT64_MAX /* the price is not known */
/* Sets the prices of the model that the request names.  An unknown price is not
 * derived from other prices, because models differ. */
void ctx_request_prefix_prices(const struct ctx_request_prefix *prefix,
    enum ctx_ttl ttl, struct ctx_prices *prices);

#define CTX_NEVER UINT64_MAX
/* The cost of sending a request after an earlier one. */
struct ctx_cache_cost {
	/* Shared messages, bytes and tokens; a message of several records is
	 * shared if all its records are. */
	uint64_t messages, bytes, tokens;
	uint64_t all;      /* messages of the later request */
	bool is_extension; /* true if it begins with the whole earlier one */
	/* The first item that is not shared. */
	const struct ctx_request_prefix_item *changed;
	/* Tokens of the later request read from the cache, written to it, and
	 * sent without it. */
	uint64_t read, written, fresh;
	bool writes; /* true if the provider charges for cache writes */
	bool estimated;
	/* Without the change: tokens that would have been read from the cache
	 * (the earlier request) and written to it (what was appended). */
	uint64_t reusable;
	uint64_t appended;
	double cost, cost_unchanged; /* dollars for this request ... */
	bool known, known_unchanged; /* ... if all prices are known */
	/* Number of later requests after which the cheaper prefix has repaid
	 * the change, if both costs are known; 0: at once; CTX_NEVER. */
	uint64_t breakeven_requests;
};
void ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_prices *prices,
    struct ctx_cache_cost *cost);

#endif
