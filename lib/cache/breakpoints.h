/* breakpoints.h - chooses which content blocks of a conversation get
 * prompt-cache breakpoints */
#ifndef CTX_CACHE_BREAKPOINTS_H
#define CTX_CACHE_BREAKPOINTS_H

#include "cache/cache.h"
#include "stream/rewrite.h"

/* Maximum distance, in content blocks, of the additional breakpoint from the
 * newest breakpoint, which comes after it.  From each breakpoint of a request,
 * the provider searches 20 blocks back for an earlier breakpoint.
 * BREAKPOINT_STEP is lower than 20, because some blocks cannot have a
 * breakpoint. */
#define BREAKPOINT_STEP 15

/* An element of the queue of ctx-cache: a message that is in memory until its
 * prompt-cache breakpoints are known.  A record that is not a message and comes
 * after such a message is also an element. */
struct cache_entry {
	struct ctx_held_message held;
	enum ctx_role role;
	/* True if the message had no cache breakpoints in the input. */
	bool is_unmarked;
	struct ctx_breakpoint_places places;
	/* Number of content blocks in the conversation before this message,
	 * without those of the system messages at the beginning. */
	uint64_t first_block;
	/* The report about this message, to be made if its breakpoints change.
	 * Set only if reports are wanted.  This struct owns change.tool. */
	struct ctx_change change;
};

/* A conversation that may get breakpoints, as far as it was read.  The elements
 * of its queue are numbered from 0: its messages and, after the first of them,
 * records that are not messages. */
struct cache_run {
	/* The queue of the messages that were not written yet.  Its elements
	 * have the type struct cache_entry. */
	struct ctx_held_queue *entries;
	/* input file of the first message of the conversation */
	const char *file;
	bool decided; /* true once the members status and format are set */
	enum ctx_cache_status status;
	const struct ctx_dialect *dialect;
	const struct ctx_breakpoint_format *format;
	struct ctx_model_counter model_counter;
	/* Number of tokens of the system prompt and tool definitions outside
	 * the messages, and of the messages read so far.  Not counted if the
	 * model is not known.  Counting stops when this number reaches the
	 * minimum that the provider caches for the model. */
	uint64_t tokens;
	/* true as long as only system messages have been read */
	bool leading;
	/* Number of content blocks in all messages read so far, without those
	 * of the system messages at the beginning. */
	uint64_t blocks;
	/* Three messages that may get a breakpoint: the number of the message
	 * plus 1, or 0 if there is no such message yet.  Messages in which no
	 * block may have a breakpoint are skipped. system: the last of the
	 * system messages at the beginning. newest: the last message after the
	 * system messages. previous: the message before the newest message. */
	uint64_t system, newest, previous;
};

/* The breakpoints that were chosen for a conversation. */
struct breakpoints {
	/* How the provider writes breakpoints. */
	const struct ctx_breakpoint_format *format;
	struct {
		uint64_t number; /* number of the message */
		/* Which content block of the message gets the breakpoint:
		 * number of blocks of the message after this block.  Also the
		 * number of the block's bit in ctx_breakpoint_places.mask. */
		unsigned bit;
		const char *rule; /* name of this breakpoint in reports */
	} list[CTX_BREAKPOINTS_MAX];
	size_t n, max;
	/* Masks like ctx_breakpoint_places.mask. system: which blocks of the
	 * system prompt get a breakpoint. tools: which tool definitions get a
	 * breakpoint. */
	uint32_t system, tools;
};

/* An empty queue whose elements have the type struct cache_entry. */
extern const struct ctx_held_queue ctx_cache_entries;

/* Frees the messages that were not written, and prepares *run for the next
 * conversation. */
void ctx_cache_run_clear(struct cache_run *run);
/* Returns the element of the queue for the message with this number.  The
 * message must not have been written yet. */
struct cache_entry *ctx_cache_run_at(const struct cache_run *run,
    uint64_t number);
/* Appends the event's message to the queue.  Returns the new element, or NULL
 * with *err. */
struct cache_entry *ctx_cache_run_add(struct cache_run *run,
    const struct ctx_event *event, struct ctx_err *err);

/* Decides whether messages of this format get breakpoints, and how breakpoints
 * are written.  Sets run->status and run->format. provider: name of the
 * provider for which breakpoints are written, or NULL for the provider to which
 * the format belongs; if many providers accept the format, the model decides.
 * Fails with CTX_EARG if the named provider has no breakpoints in this format,
 * or if the model is needed, but not known. */
int ctx_cache_run_decide(struct cache_run *run,
    const struct ctx_dialect *dialect, const char *provider,
    struct ctx_err *err);

/* Adds the JSON edits that write breakpoints into certain blocks of a message,
 * and remove all other breakpoints of the message. mask: these blocks, as in
 * ctx_breakpoint_places.mask. */
int ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err);

/* Finds which blocks of a message may have prompt-cache breakpoints, and
 * whether the message has any now.  Updates the members of *run from "leading"
 * on.  Does not edit the message. writer->json: JSON of the message.  The
 * caller must call this for all messages in their order. */
int ctx_cache_run_find_places(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err);

/* Returns the index, in the conversation without the system messages at its
 * beginning, of the content block that gets the breakpoint of the message
 * run->newest, which must not be 0. */
uint64_t ctx_cache_run_newest(const struct cache_run *run);

/* Chooses the breakpoints of the part of a conversation that was read so far.
 * json, layout: for a conversation inside a request, the JSON of the request,
 * and where it contains the messages; otherwise NULL. */
void ctx_cache_run_place(const struct cache_run *run,
    const struct ctx_json *json, const struct ctx_record_layout *layout,
    struct breakpoints *points);
/* Chooses only the breakpoint after the system messages at the beginning of a
 * conversation.  This breakpoint cannot change any more once another message
 * was read. */
void ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points);
/* Returns the breakpoints that were chosen for a message, as a mask like
 * ctx_breakpoint_places.mask. number: number of the message. */
uint32_t ctx_breakpoints_of(const struct breakpoints *points, uint64_t number);
/* Returns the name of the most important breakpoint that was chosen for a
 * message, or NULL if there is none. number: number of the message. */
const char *ctx_breakpoints_rule(const struct breakpoints *points,
    uint64_t number);
/* Returns the number of breakpoints of a conversation, with those in messages
 * that were already written. */
size_t ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run);

#endif
