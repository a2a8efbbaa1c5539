/* check.h - ctx-check: finds what providers would refuse, and repairs it */
#ifndef CTX_CHECK_H
#define CTX_CHECK_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "json/json.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- check/rules.c: what providers refuse ------------------------------- */

enum ctx_rule_id {
	CTX_RULE_ORPHAN_CALL,
	CTX_RULE_ORPHAN_CALLER,
	CTX_RULE_ORPHAN_RESULT,
	CTX_RULE_RESULT_ORDER,
	CTX_RULE_DUPLICATE_RESULT,
	CTX_RULE_SPLIT_RESULTS,
	CTX_RULE_RESULTS_FIRST,
	CTX_RULE_EMPTY_RESULT,
	CTX_RULE_DUPLICATE_ID,
	CTX_RULE_BAD_ID,
	CTX_RULE_BAD_ARGUMENTS,
	CTX_RULE_EMPTY_TOOL_CALLS,
	CTX_RULE_EMPTY_MESSAGE,
	CTX_RULE_EMPTY_TEXT,
	CTX_RULE_REASONING_ONLY,
	CTX_RULE_CUT_REASONING,
	CTX_RULE_LONE_REASONING,
	CTX_RULE_FIRST_MESSAGE,
	CTX_RULE_LAST_MESSAGE,
	CTX_RULE_ALTERNATION,
	CTX_RULE_SYSTEM_PLACE,
	CTX_RULE_BAD_ROLE,
	CTX_RULE_NO_MESSAGE,
	CTX_RULE_LONE_SURROGATE,
	CTX_RULE_MANY_MARKERS,
	CTX_RULE_BAD_MARKER,
	CTX_RULE_BIG_REQUEST,
	CTX_RULE_NO_TOOLS,
	CTX_RULE_BIG_IMAGE,
	CTX_RULE_MANY_IMAGES,
	CTX_RULE_BAD_RESULT,
	CTX_RULE_USER_AFTER_RESULT,
	CTX_RULE_CALL_SCHEMA,
	CTX_RULE_ASSISTANT_MEDIA,
	CTX_RULE_BOUND_REASONING,
	CTX_RULES
};

/* How --repair fixes a violation. */
enum ctx_fix_kind {
	CTX_FIX_NONE,
	CTX_FIX_REMOVE_BLOCK,
	CTX_FIX_REMOVE_MEMBER, /* remove a member of the message */
	CTX_FIX_REMOVE_MESSAGE,
	CTX_FIX_ADD_RESULT,        /* add a result for a tool call */
	CTX_FIX_REPLACE_TEXT,      /* replace bytes of the message */
	CTX_FIX_REMOVE_BREAKPOINT, /* remove the message's oldest breakpoint */
	CTX_FIX_REPLACE_IMAGE,     /* replace an image by a text */
	CTX_FIX_ADD_FIRST,         /* add a user message before the message */
};

struct ctx_rule {
	const char *id;
	const char *about;  /* one line: what a finding means */
	const char *source; /* page or thread that shows the refusal */
	/* The rule applies to a conversation whose dialect (format) has one of
	 * these bits; 0: to every conversation. */
	uint64_t when;
	enum ctx_fix_kind remedy;
};
/* Returns row i, or NULL after the last. */
const struct ctx_rule *ctx_rule_at(size_t i);

/* A provider to which conversations are sent.  Its rules are those of its
 * dialect (message format), and the additional rules in ctx_provider.more. */
struct ctx_provider {
	const char *name, *about;
	const char *dialect;
	uint64_t more;
};
const struct ctx_provider *ctx_provider_at(size_t i);
const struct ctx_provider *ctx_provider_find(const char *name);
/* Returns the rules for a conversation of this dialect (format) that is sent
 * to this provider.  If the provider is NULL, only the rules of the dialect
 * itself apply. */
uint64_t ctx_provider_rules(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect);

/* Returns the rules for a conversation whose dialect has CTX_MODEL_DECIDES and
 * that is sent to a model of this vendor (ctx_model.vendor). */
uint64_t ctx_vendor_rules(const char *vendor,
    const struct ctx_dialect *dialect);

/* The maximum sizes and numbers that a provider accepts; 0: not known. */
struct ctx_provider_limits {
	const char *provider; /* name of its ctx_provider row */
	uint64_t request;     /* bytes of a request */
	uint32_t side;        /* pixels on a side of an image */
	/* If the request has more than many images, each side of an image may
	 * have many_side pixels. */
	uint32_t many, many_side;
	uint64_t image; /* bytes of an image */
	/* true if the limit is for the image's base64 text, false if for its
	 * bytes */
	bool encoded;
	uint32_t images; /* images of a request */
	/* If the model's window has at most few_window tokens, a request may
	 * have few_images images. */
	uint64_t few_window;
	uint32_t few_images;
	uint32_t in_message; /* images of a message */
};
/* Returns the limits of a provider; NULL means the provider whose own format
 * the dialect is.  Returns NULL if none are known. */
const struct ctx_provider_limits *ctx_provider_limits_of(
    const struct ctx_provider *provider, const struct ctx_dialect *dialect);
/* Returns the maximum number of images in a request to a model with a window
 * of this many tokens; 0: the window is not known. */
uint32_t ctx_provider_limits_images(const struct ctx_provider_limits *limits,
    uint64_t window);

/* ---- check/validator.c: what the provider would refuse ------------------ */

/* The place of a message. */
struct ctx_place {
	const char *file;
	uint64_t line;    /* in that file, from 1 */
	uint64_t message; /* index in its conversation, from 0 */
	bool inside;      /* true if the conversation is inside a record */
};

/* One violation of a rule.  A word in capitals before a member's comment names
 * the kind of repair (CTX_FIX_...) that uses the member. */
struct ctx_finding {
	enum ctx_rule_id id;
	struct ctx_place place;
	/* Text that says what is wrong.  It may quote the input, including
	 * control characters. */
	const char *what;
	/* REMOVE_BLOCK: index of the block in the message that is being
	 * checked; REPLACE_IMAGE: index of the image among those of an earlier
	 * message. */
	size_t part;
	uint32_t node; /* REMOVE_MEMBER: node of the key */
	/* ADD_RESULT: index of the tool call among those of its message */
	uint32_t call;
	/* ADD_RESULT: true if a tool result without a call may be meant for
	 * this call */
	bool shared;
	/* REPLACE_TEXT: the bytes to be replaced (p NULL: there is no fix),
	 * and their replacement, valid until on_finding returns. */
	struct ctx_str old;
	struct ctx_str replacement;
	/* true if the violation is in the request, but not in its messages */
	bool in_request;
	/* ADD_RESULT: true if a later call without a result has the same id */
	bool doubled;
};

/*
 * Checks one conversation, message by message.  Calls on_finding for each
 * violation of a rule as soon as it is certain, which may be only at a later
 * message.
 *
 * on_finding returns 1 if it repairs the violation as the rule says; later
 * messages are then checked as if the violation had not been there.  It returns
 * 2 if it repairs the violation by a tool result that becomes the message
 * before the one being checked, or the last message; 0 if it does not repair
 * it; -1 with *err.
 *
 * Memory: the tool calls without a result, and 48 bytes for each different id.
 */
struct ctx_validator {
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	void *user;
	/* Set by the caller: the provider, or NULL. */
	const struct ctx_provider *provider;
	const struct ctx_dialect *dialect;
	/* Set by the caller: window, in tokens, of the model of the message;
	 * 0: not known. */
	uint64_t window;
	/* Set by the caller after ctx_validator_begin: JSON and node of the
	 * request that contains the conversation; NULL and 0 if there is none.
	 */
	const struct ctx_json *request_json;
	uint32_t request;
	bool removed; /* true if a fix removed the last message */
	/* For each block of the last message, true if a repair removed it. */
	bool *removed_blocks;
	/* Internal: */
	size_t removed_blocks_cap;
	uint64_t rules;
	const struct ctx_message *message;
	struct ctx_place place;
	struct ctx_tool_call_log *log;
	struct ctx_buf what, text, replacement, spare;
	struct ctx_json json;
	/* Index of the last message with tool results, plus 1; 0: none. */
	uint64_t last_results;
	/* index of the last message without tool results, plus 1; 0: none */
	uint64_t last_speech;
	/* The value of last_speech when late tool results (not directly after
	 * their calls) came. */
	uint64_t late_after;
	/* Index of the message with the oldest tool call that late results
	 * answered. */
	uint64_t late_call;
	struct ctx_last_seen {
		enum ctx_role role; /* of the last message */
		bool in_result;     /* the last message ended in a result */
		bool has_user_text; /* the user's turn has more than results */
		bool begun;         /* a message other than system was seen */
	} last;
	struct {
		struct ctx_place place;
		struct ctx_last_seen before; /* what stood before it */
		/* The finding that is reported if the waiting message is kept.
		 * If there is no such finding, finding.what is NULL. */
		struct ctx_finding finding;
	} waiting_findings[3]; /* findings that the next message decides */
	unsigned waiting_bits; /* a bit per entry in use */
	/* Consecutive reasoning items that must still be followed by an item
	 * of the assistant. */
	struct ctx_place *open_reasoning;
	size_t n_open_reasoning, open_reasoning_cap;
	uint64_t newest_turn; /* the newest message written by a user */
	/* First message of the newest run of assistant messages. */
	uint64_t newest_answer;
	/* True if a tool call has no result and none was inserted. */
	bool unanswered;
	/* True if tool results may answer calls that only the provider has
	 * stored.  Set by the caller after ctx_validator_begin, or when a
	 * message says so. */
	bool has_remote_state;
	/* true while the request outside its messages is checked */
	bool outside_messages;
	bool has_tool_calls; /* a message has a tool call */
	/* Cache breakpoints, the oldest first.  Of messages that are records,
	 * at most 4 are stored. */
	struct ctx_breakpoint_seen *breakpoints;
	size_t n_breakpoints, breakpoints_cap;
	/* Images, the oldest first; at most one more than the provider
	 * accepts. */
	struct ctx_image_seen *images;
	size_t n_images, images_cap;
	uint64_t images_left; /* images that no fix has removed */
	/* true if a tool call without an id may get more results */
	bool unnamed_continues;
	bool ended; /* the conversation has ended */
	/* True if an earlier message also contains results of the calls that
	 * this message answers. */
	bool results_split;
	/* true if the reasoning in open_reasoning has an id of OpenAI */
	bool reasoning_has_id;
	/* Tool calls before this message may stay without a result until the
	 * user writes something or the conversation ends. */
	uint64_t open_until_user;
	/* Index plus 1 of the newest user message that contains more than tool
	 * results. */
	uint64_t newest_user_text;
	/* For a message that later records continue: the number of its blocks
	 * so far, and whether one of them is not reasoning. */
	size_t continued_blocks;
	bool continued_speaks;
};

int ctx_validator_init(struct ctx_validator *validator, struct ctx_err *err);
void ctx_validator_release(struct ctx_validator *validator);
/* Begins the next conversation. */
void ctx_validator_begin(struct ctx_validator *validator);
/* Checks the next message. rules are those of ctx_provider_rules. */
int ctx_validator_add(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_message *message, const struct ctx_place *place,
    struct ctx_err *err);
/* Ends the conversation.  If allow_pending is true, tool calls of the newest
 * turn may have no result yet. */
int ctx_validator_end(struct ctx_validator *validator, bool allow_pending,
    struct ctx_err *err);
/* Checks validator->request except its messages, which are at the JSON node
 * messages.  Findings get the place of the request. */
int ctx_validator_check_request(struct ctx_validator *validator, uint64_t rules,
    uint32_t messages, const struct ctx_place *place, struct ctx_err *err);
/* Returns the index of the first message about which there may still be
 * findings. */
uint64_t ctx_validator_settled(const struct ctx_validator *validator);

/* ---- check/check_stream.c: check a stream, or repair it ----------------- */

/* Text of the tool result that --repair inserts for a call without a result. */
#define CTX_NO_RESULT "[no result: the call was interrupted]"

/* A violation that ctx_check has fixed. */
struct ctx_fix {
	const struct ctx_finding *finding;
	const char *action; /* "drop", "insert" or "edit" */
	enum ctx_role role; /* of the message */
	/* The bytes that were removed, inserted or replaced; valid during the
	 * call of on_fix. */
	struct ctx_str bytes;
};

struct ctx_check_options {
	const struct ctx_provider *provider; /* or NULL */
	/* Gives the windows of models, and whether they refuse signed
	 * reasoning after a change.  NULL: no window is known, and no model is
	 * taken to refuse it. */
	struct ctx_model_counters *counters;
	bool allow_pending; /* see ctx_validator_end */
	/* true to check arguments against the JSON schemas of their tools */
	bool schema;
	/* Archive for each message as it was before a change, written before
	 * the change; NULL: none. */
	struct ctx_archive *archive;
	/* What a repair does with bound reasoning (signed, and refused after a
	 * change before it).  With CTX_REASONING_FAIL a conversation is kept
	 * in memory until its end. */
	enum ctx_reasoning reasoning;
	void *user;
	/* Called for each violation that was not repaired.  The members part
	 * and node of the finding are not valid there. */
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	/* Called for each violation that was repaired; NULL: not called. */
	int (*on_fix)(void *user, const struct ctx_fix *fix,
	    struct ctx_err *err);
	uint64_t messages; /* set to the number of messages checked */
	/* Set to the number of messages whose bound reasoning was removed
	 * after a repair, of messages where it was kept, and of conversations
	 * that were not repaired because of CTX_REASONING_FAIL. */
	uint64_t reasoning_removed, reasoning_kept, refused;
};

/* Checks the conversations of a stream.  If writer is not NULL, also repairs
 * what it can and writes the stream; records without a repair are written byte
 * for byte.  Records after a tool call are kept in memory until the call has
 * its result or cannot get one any more. */
int ctx_check(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_check_options *options, struct ctx_err *err);

#endif
