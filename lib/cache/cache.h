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

/* ---- cache/mark_cache.c: hints for a prompt cache ----------------------- */

/* Why a conversation has hints, or none. */
enum ctx_cache_status {
	CTX_CACHE_STATUS_MARKED,
	CTX_CACHE_STATUS_NO_FORMAT, /* its format has no place for hints */
	CTX_CACHE_STATUS_AUTO,      /* its model caches by itself */
	CTX_CACHE_STATUS_UNHEEDED,  /* its model is not known to heed hints */
};

/* The end of a conversation. */
struct ctx_cache_outcome {
	const char *file;
	uint64_t line; /* of its record; 0: it is the messages of the stream */
	enum ctx_cache_status why;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format
	    *format;                   /* NULL: its format has none */
	const struct ctx_model *model; /* NULL: none is known */
	size_t marks;                  /* hints that it has */
	uint64_t tokens; /* that it costs, if its model caches nothing as
			  * short as that, else 0 */
};

struct ctx_cache_options {
	const char *provider; /* NULL: the dialect's */
	enum ctx_ttl ttl;
	bool strip; /* take hints away, write none */
	struct ctx_report report;
	void *user;
	/* May be NULL; not called with strip. */
	int (*ended)(void *user, const struct ctx_cache_outcome *outcome,
	    struct ctx_err *err);
};

/*
 * Writes the hints of each conversation anew: at the end of the newest
 * message (unless the provider does that by itself), of the system prompt,
 * where more than 15 blocks lie between these 15 blocks before the newest (or
 * the first behind that that may carry a hint; only for a provider that looks
 * back no more than so many), of the message before the newest, and of the
 * tools; in this order as many as a request may have.  A message whose blocks
 * may carry none does not count.  What needs no change leaves byte for byte.
 * Holds the messages of the last 16 blocks, the newest two, and system
 * messages that no other message has followed; or one conversation record.
 * The rule of a touch is the hint that the message gets, of several the most
 * needed, or "old hints".
 * CTX_EARG: the provider's hints cannot stand in these messages, or nothing
 * tells the provider.
 */
int ctx_mark_cache(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_cache_options *options, struct ctx_err *err);

/* ---- cache/request_diff.c: what two requests share and cost ------------- */

/* What of a request a cache compares: what stands before its messages, and
 * these, without hints and white space.  A message of several records has an
 * item for each. */
struct ctx_request_prefix;
struct ctx_request_prefix_item {
	const char *member; /* of the request, or NULL: a message */
	const char *file;
	uint64_t line;  /* of its record */
	uint64_t index; /* of the message, from 0 */
	enum ctx_role role;
	uint64_t bytes, tokens;
	uint64_t hash;
	bool is_signed; /* it holds signed reasoning */
	bool more;      /* an item further on belongs to the same message */
	size_t text, text_n; /* what is compared, in a kept prefix */
};
/* How a request is read. */
struct ctx_request_prefix_options {
	const char
	    *provider; /* cache markers are taken to be where ctx_cache_kind
			* would write them for it; NULL: detected */
	/* Requests that are compared must have been read with one key. */
	const struct ctx_hashkey *key;
	/* Keep what is compared, for requests that are read later. */
	bool keep;
	/* A kept request that this one is to begin with, or NULL. */
	const struct ctx_request_prefix *earlier;
};
/* Reads the one conversation of a stream.  CTX_EARG: there is no conversation,
 * or there are several. */
int ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err);
void ctx_request_prefix_close(struct ctx_request_prefix *prefix);

/* Where a request ceases to be the earlier one with messages appended. */
struct ctx_request_prefix_change {
	bool appended; /* it never does */
	/* The first member or message that differs; NULL: the request ends
	 * before the earlier one does. */
	const struct ctx_request_prefix_item *item;
	uint64_t line, column;   /* of the first byte that differs, from 1 */
	struct ctx_str was, now; /* what stands around it, up to 40 bytes */
	uint64_t messages;       /* before it, unchanged */
	uint64_t kept;           /* tokens of the earlier request before it, */
	uint64_t lost; /* and after it: a cache has to read these anew */
	/* The first message whose signed reasoning stands after the change
	 * and is refused; NULL: there is none, or the model does not bind. */
	const struct ctx_request_prefix_item *refused;
};
/* later was read after earlier; the strings live as long as they do. */
void ctx_request_prefix_compare(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later,
    struct ctx_request_prefix_change *change);

/* Millionths of a dollar for a million tokens. */
struct ctx_prices {
	uint64_t in, read, write;
};
#define CTX_NO_PRICE UINT64_MAX /* it is not known */
/* Sets the prices of the model that the request names.  A price that the
 * model does not have follows from no other: models differ. */
void ctx_request_prefix_prices(const struct ctx_request_prefix *prefix,
    enum ctx_ttl ttl, struct ctx_prices *prices);

#define CTX_NEVER UINT64_MAX
/* What it costs to send a request after another one. */
struct ctx_cache_cost {
	uint64_t messages, bytes, tokens; /* that are shared; of a message of
					   * several records all must be */
	uint64_t all;                     /* messages of the later request */
	bool is_extension; /* it begins with all of the earlier one */
	const struct ctx_request_prefix_item
	    *changed;                  /* first that is not shared */
	uint64_t read, written, fresh; /* tokens of the later request */
	bool writes; /* the provider has a price for what is written */
	bool estimated;
	uint64_t reusable; /* tokens of the earlier request, and what was added
			    * behind its newest message: had it not been
			    * changed, these would have been read ... */
	uint64_t appended; /* ... and these written */
	double cost, cost_unchanged; /* of this call, dollars ... */
	bool known, known_unchanged; /* ... if their prices are known */
	/* Later calls until the change has paid for itself, if both costs are
	 * known; 0: with this one, or the request has only grown. */
	uint64_t breakeven_requests;
};
void ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_prices *prices,
    struct ctx_cache_cost *cost);

#endif
