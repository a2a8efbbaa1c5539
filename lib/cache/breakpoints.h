/* breakpoints.h - chooses which content blocks of a conversation get
 * prompt-cache breakpoints */
#ifndef CTX_CACHE_BREAKPOINTS_H
#define CTX_CACHE_BREAKPOINTS_H

#include "cache/cache.h"
#include "stream/rewrite.h"

/* Number of content blocks between the newest breakpoint and an additional one
 * before it.  Providers search the 20 blocks before a breakpoint for an earlier
 * one.  This number is lower, because some of these blocks cannot have a
 * breakpoint. */
#define BREAKPOINT_STEP 15

/* A message that is in memory until its prompt-cache breakpoints are known, or
 * a record after such a message that is not a message. */
struct cache_entry {
	struct ctx_held_message held;
	enum ctx_role role;
	/* True if the message had no cache breakpoints in the input. */
	bool is_unmarked;
	struct ctx_breakpoint_places places;
	/* Number of content blocks in the conversation before this message,
	 * without the system messages at the beginning. */
	uint64_t first_block;
	/* The report about this message, used if its breakpoints change.  Set
	 * only if reports are wanted.  The entry owns change.tool. */
	struct ctx_change change;
};

/* The part of a conversation that was read so far.  The conversation gets
 * breakpoints.  Its messages are numbered from 0. */
struct cache_run {
	/* The queue of the messages that are not written yet.  Its entries have
	 * the type struct cache_entry. */
	struct ctx_held_queue *entries;
	/* input file of the first message of the conversation */
	const char *file;
	bool decided; /* true once the members status and format are set */
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format *format;
	struct ctx_model_counter model_counter;
	/* Number of tokens in the request before its messages and in the
	 * messages read so far.  Counting stops when the minimum that the
	 * provider caches for the model is reached, because a more exact number
	 * is not needed. */
	uint64_t tokens;
	/* true as long as only system messages have been read */
	bool leading;
	/* Number of content blocks of all messages, without the system messages
	 * at the beginning. */
	uint64_t blocks;
	/* Messages that may have a breakpoint, as their number plus 1; 0 if
	 * there is none yet. system: the last of the system messages at the
	 * beginning. newest, previous: the last message after these, and the
	 * one before it. */
	uint64_t system, newest, previous;
};

/* The breakpoints that were chosen for a conversation. */
struct breakpoints {
	/* How the provider writes breakpoints. */
	const struct ctx_breakpoint_format *format;
	struct {
		uint64_t number; /* number of the message */
		/* The content block of the message that gets the breakpoint,
		 * given as the number of blocks after it.  This is also the bit
		 * of the block in ctx_breakpoint_places.mask. */
		unsigned bit;
		const char *rule; /* name of this breakpoint in reports */
	} list[CTX_BREAKPOINTS_MAX];
	size_t n, max;
	/* Blocks of the system prompt, and tool definitions, of the request
	 * that get a breakpoint.  Masks as in ctx_breakpoint_places.mask. */
	uint32_t system, tools;
};

/* An empty queue for entries of the type struct cache_entry. */
extern const struct ctx_held_queue ctx_cache_entries;

/* Frees the messages that were not written, and prepares *run for the next
 * conversation. */
void ctx_cache_run_clear(struct cache_run *run);
/* Returns the entry of the message with this number.  The message must not have
 * been written yet. */
struct cache_entry *ctx_cache_run_at(const struct cache_run *run,
    uint64_t number);
/* Appends an entry for the event's message to the queue.  Returns the entry, or
 * NULL with *err. */
struct cache_entry *ctx_cache_run_add(struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err);

/* Decides whether messages of this format get breakpoints, and in which form:
 * sets run->status and run->format. provider: name of the provider for which
 * breakpoints are written, or NULL for the provider to which the format
 * belongs. */
int ctx_cache_run_decide(struct cache_run *run,
    const struct ctx_dialect *dialect, const char *provider,
    struct ctx_err *err);

/* Adds the JSON edits after which exactly the given blocks of a message have
 * breakpoints. mask: these blocks, as in struct ctx_breakpoint_places. */
int ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err);

/* Finds which blocks of a message may have prompt-cache breakpoints, and
 * whether the message has any now.  Does not edit the message. writer->json:
 * JSON of the message.  Must be called for all messages in their order. */
int ctx_cache_run_find_places(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err);

/* Returns the index, in the conversation, of the content block that gets the
 * breakpoint of the newest message. */
uint64_t ctx_cache_run_newest(const struct cache_run *run);

/* Chooses the breakpoints of the part of a conversation that was read so far.
 * json, layout: for a conversation inside a request, the record with the
 * request and its layout; otherwise NULL. */
void ctx_cache_run_place(const struct cache_run *run,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct breakpoints *points);
/* Chooses only the breakpoint at the end of the system messages at the
 * beginning of a conversation.  Once another message was read, this breakpoint
 * cannot change any more. */
void ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points);
/* Returns the breakpoints that were chosen for a message, as a mask like
 * ctx_breakpoint_places.mask. number: number of the message. */
uint32_t ctx_breakpoints_of(const struct breakpoints *points, uint64_t number);
/* Returns the name of the most important breakpoint that was chosen for a
 * message, or NULL if there is none. number: number of the message. */
const char *ctx_breakpoints_rule(const struct breakpoints *points,
    uint64_t number);
/* Returns the number of breakpoints of a conversation, including those in
 * messages that were already written. */
size_t ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run);

#endif
