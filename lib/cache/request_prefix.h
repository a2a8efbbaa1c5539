/* request_prefix.h - a request as the list of items (members and messages) that
 * a prompt cache compares */
#ifndef CTX_CACHE_REQUEST_PREFIX_H
#define CTX_CACHE_REQUEST_PREFIX_H

#include "cache/breakpoints.h"
#include "cache/cache.h"

struct ctx_request_prefix {
	struct ctx_request_prefix_item *items;
	/* n: number of items. cap: number of items for which there is memory.
	 * n_members: how many items are members of the request.  The members
	 * come first; the other items are messages. */
	size_t n, cap, n_members;
	/* system_end: index in "items", plus 1, of the member of the request
	 * that contains the system prompt, if it can have a breakpoint;
	 * otherwise 0. tools_end: the same for the tools. */
	size_t system_end, tools_end;
	/* The messages of the request, and which of their blocks may have
	 * breakpoints. */
	struct cache_run run;
	/* the queue to which run.entries points */
	struct ctx_held_queue entries;
	uint64_t messages; /* number of messages read so far */
	/* The breakpoints that ctx_mark_cache would write into the request. */
	struct breakpoints points;
	uint64_t tokens; /* number of tokens of the request */
	enum ctx_basis basis;
	/* The texts by which members and messages are compared.  Empty unless
	 * the option "keep" is true. */
	struct ctx_buf text;
	/* True if the request differs from the earlier one.  The members from
	 * here to "is_bound" describe the first difference. */
	bool differs;
	/* Place of the first difference: offset in bytes in the JSON of its
	 * record, line in the file, column in the line (line and column from
	 * 1). */
	size_t offset;
	uint64_t line;
	size_t column;
	/* Up to 40 bytes around the first difference, from the earlier and from
	 * the later request. */
	char earlier_excerpt[40], later_excerpt[40];
	size_t earlier_excerpt_n, later_excerpt_n;
	/* True if the message with the first difference has bound reasoning
	 * that ends after the difference. */
	bool is_bound;
	/* How the provider of the request's model treats reasoning when
	 * anything before it was changed. */
	enum ctx_binding binds;
};

/* What ctx_request_prefix_read needs while it reads a request. */
struct request_reading {
	struct ctx_request_prefix *prefix;
	/* rewrite.edits: the edits that remove the breakpoints of an item of
	 * the request (a member such as "tools", or a message).
	 * rewrite.text_json: the parsed JSON of this item without its
	 * breakpoints. */
	struct ctx_rewrite rewrite;
	const struct ctx_request_prefix_options *options;
	struct ctx_breakpoint_writer writer;
	struct ctx_buf decoded, compared; /* scratch memory */
	bool begun;  /* true once a conversation has begun */
	bool inside; /* true if this conversation is inside a record */
};

/* ---- compare_item.c ---- */

/* Computes the hash of the newest item (a member or a message of the request)
 * from the JSON at node. reading->rewrite.edits must contain the edits that
 * remove the breakpoints; the function clears them.  Compares the item with the
 * item of the same number in the earlier request. */
int ctx_request_hash_item(struct request_reading *reading,
    const struct ctx_record *record, uint32_t node, struct ctx_err *err);

#endif
