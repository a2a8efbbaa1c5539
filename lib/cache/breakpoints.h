/* breakpoints.h - decides which content blocks of a conversation get
 * prompt-cache breakpoints */
#ifndef CTX_CACHE_BREAKPOINTS_H
#define CTX_CACHE_BREAKPOINTS_H

#include "cache/cache.h"
#include "stream/rewrite.h"

/* Content blocks between the newest breakpoint and the one before it. Providers
 * search the 20 blocks before a breakpoint for an earlier one. 15 is less,
 * because some of these blocks may not have a breakpoint. */
#define BREAKPOINT_STEP 15

/* A message kept in memory until its prompt-cache breakpoints are decided, or a
 * record that is not a message and follows one. */
struct cache_entry {
	struct ctx_held_message held;
	enum ctx_role role;
	/* True if the message had no breakpoints in the input. */
	bool is_unmarked;
	struct ctx_breakpoint_places places;
	/* Number of content blocks before the message in the conversation,
	 * system messages at the beginning not counted. */
	uint64_t first_block;
	/* Description of the message, set only if changes are reported.  Owns
	 * change.tool. */
	struct ctx_change change;
};

/* A conversation that gets breakpoints, as far as it has been read.  Messages
 * are numbered from 0. */
struct cache_run {
	/* The messages that are not written yet: each entry is a struct
	 * cache_entry. */
	struct ctx_held_queue *entries;
	const char *file; /* input file of the first message */
	bool decided;     /* true if status and format are set */
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format *format;
	struct ctx_model_counter model_counter;
	/* Tokens of the messages read so far.  Counting stops when there are
	 * enough for the model to cache them. */
	uint64_t tokens;
	/* true while all messages read so far are system messages */
	bool leading;
	/* Number of content blocks in all messages, without the system messages
	 * at the beginning. */
	uint64_t blocks;
	/* Numbers (counted from 1) of messages that may have a breakpoint; 0 if
	 * none was read yet. system: the last of the system messages at the
	 * beginning. newest and previous: the last two of the other messages.
	 */
	uint64_t system, newest, previous;
};

/* Places of the breakpoints that a conversation gets. */
struct breakpoints {
	/* How breakpoints are written for the provider. */
	const struct ctx_breakpoint_format *format;
	struct {
		uint64_t number; /* number of the message */
		/* Which content block gets the breakpoint: its distance from
		 * the message's last block, which is also its bit in
		 * ctx_breakpoint_places.mask. */
		unsigned bit;
		const char *rule; /* name of the breakpoint, used in reports */
	} list[CTX_BREAKPOINTS_MAX];
	size_t n, max;
	/* Blocks of the request's system prompt and tool definitions that get a
	 * breakpoint, as masks like ctx_breakpoint_places.mask. */
	uint32_t system, tools;
};

/* An empty queue, whose entries are of struct cache_entry. */
extern const struct ctx_held_queue ctx_cache_entries;

/* Frees the messages that were not written and resets the conversation to its
 * initial state. */
void ctx_cache_run_clear(struct cache_run *run);
/* Returns the message with this number, which was not written yet. */
struct cache_entry *ctx_cache_run_at(const struct cache_run *run,
    uint64_t number);
/* Appends an entry for the event's message.  Returns the entry, or NULL and
 * sets *err. */
struct cache_entry *ctx_cache_run_add(struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err);

/* Decides whether and how messages of this format get breakpoints, and sets
 * run->status and run->format. provider is the one whose breakpoints are
 * written, or NULL for the provider that the format belongs to. */
int ctx_cache_run_decide(struct cache_run *run,
    const struct ctx_dialect *dialect, const char *provider,
    struct ctx_err *err);

/* Adds JSON edits that remove the breakpoints of a message and write those in
 * mask. */
int ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err);

/* Records which blocks of a message may have breakpoints, and whether the
 * message has any now. writer->json is the message's JSON.  Must be called for
 * the messages in order.  Does not edit the message. */
int ctx_cache_run_find_places(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err);

/* Returns the index, within the conversation, of the block at which the newest
 * message gets its breakpoint. */
uint64_t ctx_cache_run_newest(const struct cache_run *run);

/* Chooses the breakpoints of a conversation as far as it has been read.  If the
 * conversation is inside a request, json is that record and layout describes
 * it; otherwise both are NULL. */
void ctx_cache_run_place(const struct cache_run *run,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct breakpoints *points);
/* Chooses only the breakpoint at the end of the system messages with which the
 * conversation begins.  It is final once a message that is no system message
 * was read. */
void ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points);
/* Returns the breakpoints that a message gets, as a mask like
 * ctx_breakpoint_places.mask. */
uint32_t ctx_breakpoints_of(const struct breakpoints *points, uint64_t number);
/* Returns the name of the most important breakpoint that a message gets, or
 * NULL if it gets none. */
const char *ctx_breakpoints_rule(const struct breakpoints *points,
    uint64_t number);
/* Returns how many breakpoints the conversation gets, including those already
 * written. */
size_t ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run);

#endif
