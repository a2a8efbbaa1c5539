/* breakpoints.h - a conversation on its way to its breakpoints */
#ifndef CTX_CACHE_BREAKPOINTS_H
#define CTX_CACHE_BREAKPOINTS_H

#include "cache/cache.h"

/* Blocks between a breakpoint and the one before it; providers that look back
 * do so for 20 blocks, of which some may not carry a breakpoint. */
#define COURSE_STEP 15

/* A message, or bytes that wait for those before them. */
struct waiting {
	char *text; /* its record, owned; NULL: an element of one */
	size_t n;
	uint32_t node; /* the message in its record */
	enum ctx_role role;
	bool message;
	bool clean; /* it has no breakpoints */
	struct ctx_breakpoint_places places;
	uint64_t first; /* number of its first block in the conversation */
	struct ctx_change change; /* if anybody is told; its tool is owned */
};

/* What is known of a conversation; messages are numbered from 0, and list[i]
 * is number gone + i. */
struct cache_run {
	struct waiting *list;
	size_t n, cap;
	uint64_t gone;
	const char *file; /* of its first message */
	bool open, decided;
	enum ctx_cache_status why;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format *format;
	struct ctx_model_counter model_counter;
	uint64_t tokens; /* counted until the model caches so much */
	bool leading;    /* no message but system messages has come */
	uint64_t blocks; /* of messages after those */
	/* One more than the numbers of messages that may carry a breakpoint, 0:
	 * none yet: the last system message that leads, the newest two others.
	 */
	uint64_t system, newest, previous;
};

/* Where the breakpoints of a conversation go. */
struct breakpoints {
	struct {
		uint64_t number;  /* of the message */
		unsigned bit;     /* of its places */
		const char *rule; /* which of them it is, for people */
	} list[CTX_BREAKPOINTS_MAX];
	size_t n, most;
	uint32_t system, tools; /* masks for those of the request */
};

/* Frees what waits and forgets the conversation; the list is kept. */
void ctx_cache_run_clear(struct cache_run *run);
/* The next message, zeroed, or NULL. */
struct waiting *ctx_cache_run_add(struct cache_run *run, struct ctx_err *err);

/* Says for messages of this dialect whether breakpoints are to be written, and
 * which; provider as in struct ctx_cache_options. */
int ctx_cache_run_decide(struct cache_run *run,
    const struct ctx_dialect *dialect, const char *provider,
    struct ctx_err *err);

/* Notes the removal of the breakpoints of a message, and new ones by mask. */
int ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err);

/* Notes where a message, of the record in pen->json, may carry breakpoints, and
 * whether it has any; in order.  The pen's edits are as before. */
int ctx_cache_run_weigh(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err);

/* The number of the block at which the newest message gets its breakpoint. */
uint64_t ctx_cache_run_newest(const struct cache_run *run);

/* The breakpoints of a conversation as far as it has come; json is the record
 * of its shape, if that is in a request (shape NULL: it is in none). */
void ctx_cache_run_place(const struct cache_run *run,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct breakpoints *points);
/* The breakpoint of the last system message that leads, which is for good as
 * soon as another message has come. */
void ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points);
/* The breakpoints of one message, as a mask of its places. */
uint32_t ctx_breakpoints_of(const struct breakpoints *points, uint64_t number);
/* What the most needed of its breakpoints is, or NULL: it has none. */
const char *ctx_breakpoints_rule(const struct breakpoints *points,
    uint64_t number);
/* Frees what a message that waits owns. */
void ctx_breakpoints_free_waiting(struct waiting *one);
/* How many breakpoints the conversation gets or got. */
size_t ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run);

#endif
