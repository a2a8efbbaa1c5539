/* request_prefix.h - a request as the list of members and messages that a
 * prompt cache compares */
#ifndef CTX_CACHE_REQUEST_PREFIX_H
#define CTX_CACHE_REQUEST_PREFIX_H

#include "cache/breakpoints.h"
#include "cache/cache.h"

struct ctx_request_prefix {
	struct ctx_request_prefix_item *items;
	/* There are n items; the first n_members are JSON members of the
	 * request, the others are messages. */
	size_t n, cap, n_members;
	/* The messages of the request, and which blocks may have breakpoints.
	 */
	struct cache_run run;
	struct ctx_held_queue entries; /* of run */
	uint64_t messages;             /* number of messages read so far */
	/* Breakpoints that ctx_mark_cache would write. */
	struct breakpoints points;
	/* Tokens of the request, and how many of them are estimated. */
	uint64_t tokens, estimated;
	/* Compared texts of all members and messages, if they are stored
	 * (option keep). */
	struct ctx_buf text;
	/* These members describe the first difference from the earlier
	 * request: */
	bool differs;
	size_t line_feeds; /* line feeds before the difference in its record */
	size_t column;     /* column of the difference, from 1 */
	/* Texts around the difference. */
	char earlier_excerpt[40], later_excerpt[40];
	size_t earlier_excerpt_n, later_excerpt_n;
	/* True if the message with the first difference has signed reasoning
	 * that ends after the difference. */
	bool refused;
	/* True if the provider refuses signed reasoning of this model when
	 * something before it has changed (bound reasoning). */
	bool binds;
};

/* State of ctx_request_prefix_read. */
struct request_reading {
	struct ctx_request_prefix *prefix;
	struct ctx_stream *stream;
	struct ctx_model_counters *counters;
	const struct ctx_request_prefix_options *options;
	/* JSON of a member or message whose breakpoints were removed. */
	struct ctx_json json;
	struct ctx_edits edits;
	struct ctx_breakpoint_writer writer;
	struct ctx_buf decoded, compared; /* scratch buffers */
	bool begun; /* true once a conversation has begun */
};

/* ---- compare_item.c ---- */

/* Returns true if the event's message has signed reasoning that ends after the
 * first byte that differs from the earlier request. */
bool ctx_request_has_signed_after_change(const struct request_reading *reading,
    const struct ctx_event *event);
/* Computes the hash of the last item (a request member or message) from the
 * JSON value at node, with reading->edits applied.  Also compares the item with
 * the earlier request, and clears the edits. */
int ctx_request_hash_item(struct request_reading *reading,
    const struct ctx_record *record, uint32_t node, struct ctx_err *err);

#endif
