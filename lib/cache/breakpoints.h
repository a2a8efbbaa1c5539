/* breakpoints.h - decides which content blocks of a conversation get
 * prompt-cache breakpoints */
#ifndef CTX_CACHE_BREAKPOINTS_H
#define CTX_CACHE_BREAKPOINTS_H

#include "cache/cache.h"
#include "stream/rewrite.h"

/* Number of content blocks between the newest breakpoint and the one before
 * it.  Providers search the 20 blocks before a breakpoint for an earlier one.
 * This number is less than 20, because some of these blocks may not have a
 * breakpoint. */
#define BREAKPOINT_STEP 15

/* A message that is in memory until its prompt-cache breakpoints are known; or
 * a record after such a message that is not a message. */
struct cache_entry {
	struct ctx_held_message held;
	enum ctx_role role;
	/* True if the message had no cache breakpoints in the input. */
	bool is_unmarked;
	struct ctx_breakpoint_places places;
	/* Number of content blocks in the conversation before this message.
	 * System messages at the beginning of the conversation are not
	 * counted. */
	uint64_t first_block;
	/* Report of the message if its breakpoints change.  Set only if reports
	 * are wanted.  The entry owns change.tool. */
	struct ctx_change change;
};

/* A conversation that gets breakpoints, as far as it was read.  Its messages
 * are numbered from 0. */
struct cache_run {
	/* The queue of the messages that are not written yet.  Each entry is of
	 * the type struct cache_entry. */
	struct ctx_held_queue *entries;
	const char *file; /* input file of the first message */
	bool decided;     /* true if status and format are set */
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format *format;
	struct ctx_model_counter model_counter;
	/* Number of tokens in the request before its messages and in the
	 * messages read so far.  Counting stops at the minimum number of tokens
	 * that the provider caches for the model, because the exact number is
	 * not needed then. */
	uint64_t tokens;
	/* true as long as only system messages have been read */
	bool leading;
	/* Number of content blocks of all messages, without those of system
	 * messages at the beginning. */
	uint64_t blocks;
	/* Numbers, from 1, of messages that may have a breakpoint; 0 if
	 * there is none so far. system: the last of the system messages at
	 * the beginning. newest and previous: the last two of the other
	 * messages. */
	uint64_t system, newest, previous;
};

/* The breakpoints that a conversation gets. */
struct breakpoints {
	/* The provider's format of breakpoints. */
	const struct ctx_breakpoint_format *format;
	struct {
		uint64_t number; /* number of the message */
		/* Which content block of the message gets the breakpoint: the
		 * number of blocks after it.  This number is also the block's
		 * bit in ctx_breakpoint_places.mask. */
		unsigned bit;
		const char *rule; /* name of the breakpoint, for reports */
	} list[CTX_BREAKPOINTS_MAX];
	size_t n, max;
	/* Blocks of the request's system prompt (system), and tool definitions
	 * (tools), that get a breakpoint.  Masks like
	 * ctx_breakpoint_places.mask. */
	uint32_t system, tools;
};

/* A queue without entries, whose entries are of the type struct cache_entry. */
extern const struct ctx_held_queue ctx_cache_entries;

/* Frees the messages that were not written, and makes *run ready for the next
 * conversation. */
void ctx_cache_run_clear(struct cache_run *run);
/* Returns the entry of the message with this number, which must not have been
 * written yet. */
struct cache_entry *ctx_cache_run_at(const struct cache_run *run,
    uint64_t number);
/* Appends an entry for the event's message to the queue.  Returns the entry,
 * or NULL with *err. */
struct cache_entry *ctx_cache_run_add(struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err);

/* Decides whether messages of this format get breakpoints, and how these are
 * written: sets run->status and run->format. provider: the name of the
 * provider whose breakpoints are written; NULL: the one to which the format
 * belongs. */
int ctx_cache_run_decide(struct cache_run *run,
    const struct ctx_dialect *dialect, const char *provider,
    struct ctx_err *err);

/* Adds the JSON edits that give breakpoints to certain blocks of a message,
 * and remove all others. mask: these blocks, as in struct
 * ctx_breakpoint_places. */
int ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err);

/* Finds out which blocks of a message may have breakpoints of the prompt cache,
 * and whether the message has any now.  Does not edit the message.
 * writer->json: the message's JSON.  Must be called for all messages in their
 * order. */
int ctx_cache_run_find_places(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err);

/* Returns the index, in the conversation, of the content block on which the
 * newest message gets its breakpoint. */
uint64_t ctx_cache_run_newest(const struct cache_run *run);

/* Chooses the breakpoints of a conversation, as far as it was read. json and
 * layout: the record with the request and what was detected about it, if the
 * conversation is inside a request; otherwise NULL. */
void ctx_cache_run_place(const struct cache_run *run,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct breakpoints *points);
/* Chooses only the breakpoint at the end of the system messages at the
 * beginning of a conversation.  This breakpoint cannot change any more once
 * another message was read. */
void ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points);
/* Returns the breakpoints that a message gets, as a mask like
 * ctx_breakpoint_places.mask. number: the number of the message. */
uint32_t ctx_breakpoints_of(const struct breakpoints *points, uint64_t number);
/* Returns the name of the most important breakpoint that a message gets; NULL
 * if it gets none. number: the number of the message. */
const char *ctx_breakpoints_rule(const struct breakpoints *points,
    uint64_t number);
/* Returns how many breakpoints a conversation gets, including those in
 * messages that were written already. */
size_t ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run);

#endif
