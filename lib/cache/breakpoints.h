/* breakpoints.h - where the breakpoints of a conversation are written */
#ifndef CTX_CACHE_BREAKPOINTS_H
#define CTX_CACHE_BREAKPOINTS_H

#include "cache/cache.h"

/* Blocks between the newest breakpoint and the earlier one.  Providers search
 * the 20 blocks before a breakpoint for an earlier one, and some of these
 * blocks may not have a breakpoint. */
#define BREAKPOINT_STEP 15

/* A message that waits to be written, or a record that is not a message. */
struct cache_entry {
	char *text; /* owned bytes of its record; NULL: it is inside a record */
	size_t bytes;  /* length of text */
	uint32_t node; /* node of the message in its record */
	enum ctx_role role;
	bool is_message;  /* false: only text and bytes are set */
	bool is_unmarked; /* true if it has no breakpoints */
	struct ctx_breakpoint_places places;
	uint64_t first_block; /* index of its first block in the conversation */
	/* Filled if changes are reported; owns change.tool. */
	struct ctx_change change;
};

/* What is known of a conversation. Messages are numbered from 0, and list[i] is
 * message number n_written + i. */
struct cache_run {
	struct cache_entry *list;
	size_t n, cap;
	uint64_t n_written; /* messages written already */
	const char *file;   /* of its first message */
	/* True if its model is known; if status and format are set. */
	bool begun, decided;
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format *format;
	struct ctx_model_counter model_counter;
	/* Tokens so far; not counted further once the model caches that many.
	 */
	uint64_t tokens;
	bool leading;    /* true while all messages are system messages */
	uint64_t blocks; /* blocks of the messages after these */
	/* Numbers, plus one, of messages that may have a breakpoint; 0: none
	 * yet. The last leading system message, and the newest two of the
	 * others. */
	uint64_t system, newest, previous;
};

/* Where the breakpoints of a conversation are written. */
struct breakpoints {
	const struct ctx_breakpoint_format *format; /* how */
	struct {
		uint64_t number;  /* message number */
		unsigned bit;     /* bit of ctx_breakpoint_places.mask */
		const char *rule; /* name of the breakpoint, for reports */
	} list[CTX_BREAKPOINTS_MAX];
	size_t n, max;
	uint32_t system, tools; /* masks of these members of the request */
};

/* Frees the waiting messages and resets the run; keeps the memory of the list.
 */
void ctx_cache_run_clear(struct cache_run *run);
/* Appends a zeroed entry. Returns NULL with *err. */
struct cache_entry *ctx_cache_run_add(struct cache_run *run,
    struct ctx_err *err);

/* Sets run->status and run->format for messages of this dialect.  provider is
 * as in struct ctx_cache_options. */
int ctx_cache_run_decide(struct cache_run *run,
    const struct ctx_dialect *dialect, const char *provider,
    struct ctx_err *err);

/* Adds edits that remove the breakpoints of a message and write those in mask.
 */
int ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err);

/* Records where a message may have breakpoints, and whether it has any.  The
 * message is in writer->json; messages must come in order.  No edit is added.
 */
int ctx_cache_run_find_places(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err);

/* Returns the index of the block at which the newest message gets its
 * breakpoint. */
uint64_t ctx_cache_run_newest(const struct cache_run *run);

/* Sets the breakpoints of a conversation as far as it has been read. layout is
 * that of the record json if that is a request, else NULL. */
void ctx_cache_run_place(const struct cache_run *run,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct breakpoints *points);
/* Sets the breakpoint of the last leading system message. It is final once
 * another message has been read. */
void ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points);
/* Returns the breakpoints of a message as a mask of its places. */
uint32_t ctx_breakpoints_of(const struct breakpoints *points, uint64_t number);
/* Returns the name of the message's most important breakpoint, or NULL. */
const char *ctx_breakpoints_rule(const struct breakpoints *points,
    uint64_t number);
/* Frees what a waiting message owns. */
void ctx_cache_entry_release(struct cache_entry *entry);
/* Returns the number of breakpoints that the conversation gets, including those
 * already written. */
size_t ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run);

#endif
