/* request_prefix.h - a request as the list of items that a cache compares */
#ifndef CTX_CACHE_REQUEST_PREFIX_H
#define CTX_CACHE_REQUEST_PREFIX_H

#include "cache/breakpoints.h"
#include "cache/cache.h"

struct ctx_request_prefix {
	struct ctx_request_prefix_item *items;
	size_t n, cap, n_members;   /* n_members: items before the messages */
	struct cache_run run;       /* of its messages */
	uint64_t messages;          /* messages so far */
	struct breakpoints points;  /* as ctx_mark_cache would write them */
	uint64_t tokens, estimated; /* of the request; of these, estimated */
	struct ctx_buf text;        /* the compared texts, if keep */
	/* The first difference from the earlier request: */
	bool differs;
	size_t line_feeds; /* line feeds in its record before it */
	size_t column;     /* its column, from 1 */
	char earlier_excerpt[40], later_excerpt[40]; /* excerpts around it */
	size_t earlier_excerpt_n, later_excerpt_n;
	bool refused; /* true if signed reasoning ends after it in its item */
	bool binds;   /* true if its model has bound reasoning */
};

/* State of ctx_request_prefix_read. */
struct request_reading {
	struct ctx_request_prefix *prefix;
	struct ctx_stream *stream;
	struct ctx_model_counters *counters;
	const struct ctx_request_prefix_options *options;
	struct ctx_json json; /* an item after its breakpoints were removed */
	struct ctx_edits edits;
	struct ctx_breakpoint_writer writer;
	struct ctx_buf decoded, compared; /* scratch */
	bool begun;                       /* true if a conversation has begun */
};

/* ---- compare_item.c ---- */

/* Returns true if signed reasoning of the message ends after the first byte
 * that differs from the earlier request. */
bool ctx_request_has_signed_after_change(const struct request_reading *reading,
    const struct ctx_event *event);
/* Sets the hash of the last item to that of the value at node with
 * reading->edits applied, and clears the edits. */
int ctx_request_hash_item(struct request_reading *reading,
    const struct ctx_record *record, uint32_t node, struct ctx_err *err);

#endif
