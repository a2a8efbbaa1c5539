/*
 * check.h - ctx-check: what providers refuse, and its repair
 */
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
	/* The rule applies if any of these dialect rules is set; 0: always. */
	uint64_t when;
	enum ctx_fix_kind remedy;
};
/* Returns row i, or NULL after the last. */
const struct ctx_rule *ctx_rule_at(size_t i);

/* A provider that a conversation is to be sent to: the dialect whose rules it
 * has, and dialect rules that it adds (more). */
struct ctx_provider {
	const char *name, *about;
	const char *dialect;
	uint64_t more;
};
const struct ctx_provider *ctx_provider_at(size_t i);
const struct ctx_provider *ctx_provider_find(const char *name);
/* Returns the dialect rules for a conversation of this dialect that is sent to
 * the provider; NULL: to the provider whose own format it is. */
uint64_t ctx_provider_rules(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect);

/* Returns the dialect rules for a conversation of this dialect, which has
 * CTX_MODEL_DECIDES, that is sent to a model of this vendor (ctx_model.vendor).
 */
uint64_t ctx_vendor_rules(const char *vendor,
    const struct ctx_dialect *dialect);

/* Upper limits of a provider; 0: not known. */
struct ctx_provider_limits {
	const char *provider; /* name of its ctx_provider row */
	uint64_t request;     /* bytes of a request */
	uint32_t side;        /* pixels on a side of an image */
	/* With more than many images in the request: pixels on a side. */
	uint32_t many, many_side;
	uint64_t image;  /* bytes of an image */
	bool encoded;    /* true if the image's bytes are counted in base64 */
	uint32_t images; /* images of a request */
	/* Images of a request to a model whose window is at most few_window
	 * tokens. */
	uint64_t few_window;
	uint32_t few_images;
	uint32_t in_message; /* images of a message */
};
/* Returns the row of a provider, or with NULL that of the provider whose own
 * format the dialect is; NULL if there is none. */
const struct ctx_provider_limits *ctx_provider_limits_of(
    const struct ctx_provider *provider, const struct ctx_dialect *dialect);
/* Returns the maximum number of images of a request to a model with a window of
 * so many tokens; 0: the window is not known. */
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

/* One violation of a rule.  The words in capitals name the CTX_FIX_... of the
 * rule that a member is for. */
struct ctx_finding {
	enum ctx_rule_id id;
	struct ctx_place place;
	/* Text for people; it may quote the input, control characters
	 * included. */
	const char *what;
	/* REMOVE_BLOCK: index of the block in the message being checked;
	 * REPLACE_IMAGE: index among the images of an earlier message. */
	size_t part;
	uint32_t node; /* REMOVE_MEMBER: node of the key */
	uint32_t call; /* ADD_RESULT: index among the calls of the message */
	bool shared;   /* ADD_RESULT: an existing result may be meant for it */
	/* REPLACE_TEXT: the bytes to replace, p NULL if there is no fix; and
	 * the replacement, valid until on_finding returns. */
	struct ctx_str old;
	struct ctx_str replacement;
	bool in_request; /* found in the request, outside its messages */
	bool doubled;    /* ADD_RESULT: a later open call has the same id */
};

/*
 * Checks one conversation, message by message.  It calls on_finding for each
 * violation as soon as that is certain, which may be at a later message.
 *
 * on_finding returns 1 if it fixes the violation as the rule says; later
 * messages are then checked as if it had never been there.  It returns 2 if it
 * fixes it by a result in a message directly before the one being checked, or
 * after the last message; 0 if it does not fix it; -1 with *err.
 *
 * Memory: the open tool calls, and 48 bytes per id seen.
 */
struct ctx_validator {
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	void *user;
	/* Set by the caller: the provider, and the dialect of the next message;
	 * or NULL. */
	const struct ctx_provider *provider;
	const struct ctx_dialect *dialect;
	/* Set by the caller: tokens of the window of the message's model; 0:
	 * not known. */
	uint64_t window;
	/* Set by the caller after ctx_validator_begin: the request that holds
	 * the conversation, or NULL. */
	const struct ctx_json *request_json;
	uint32_t request;
	bool removed; /* true if a fix removed the last message */
	/* Per block of the last message: true if a fix removed it. */
	bool *removed_blocks;
	/* Internal: */
	size_t removed_blocks_cap;
	uint64_t rules;
	const struct ctx_message *message;
	struct ctx_place place;
	struct ctx_tool_call_log *log;
	struct ctx_buf what, text, replacement, spare;
	struct ctx_json json;
	/* Indices of messages, plus one; 0: none.  The last with results, ...
	 */
	uint64_t last_results;
	uint64_t last_speech; /* ... the last without results, ... */
	/* ... and last_speech at the time of late results. */
	uint64_t late_after;
	/* The message of the oldest call that late results answered. */
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
		/* The finding if the message is kept; what is NULL: none. */
		struct ctx_finding finding;
	} waiting_findings[3]; /* findings that the next message decides */
	unsigned waiting_bits; /* a bit per entry in use */
	/* Reasoning items in a row that still need an item of the assistant
	 * after them. */
	struct ctx_place *open_reasoning;
	size_t n_open_reasoning, open_reasoning_cap;
	uint64_t newest_turn; /* the newest message written by a user */
	/* The first of the newest assistant messages in a row. */
	uint64_t newest_answer;
	/* A call stays without a result, and got none added. */
	bool unanswered;
	/* Results may answer calls that only the provider stores.  Set by the
	 * caller after ctx_validator_begin, or by a message. */
	bool has_remote_state;
	bool outside_messages; /* checking the request outside its messages */
	bool has_tool_calls;   /* a message has a tool call */
	/* Cache breakpoints, oldest first; of the stream's own messages at most
	 * 4 are kept. */
	struct ctx_breakpoint_seen *breakpoints;
	size_t n_breakpoints, breakpoints_cap;
	/* Images, oldest first; at most one more than the provider takes. */
	struct ctx_image_seen *images;
	size_t n_images, images_cap;
	uint64_t images_left;   /* images that no fix has removed */
	bool unnamed_continues; /* a call without an id may get more results */
	bool ended;             /* the conversation has ended */
	/* An earlier message holds results of these calls. */
	bool results_split;
	bool reasoning_has_id; /* the waiting reasoning has an id of OpenAI */
	/* Open calls before this message wait until the user speaks or the
	 * conversation ends. */
	uint64_t open_until_user;
	/* The newest user message with more than results, plus one. */
	uint64_t newest_user_text;
	/* Blocks of a message that later records continue, and whether any is
	 * more than reasoning. */
	size_t continued_blocks;
	bool continued_speaks;
};

int ctx_validator_init(struct ctx_validator *validator, struct ctx_err *err);
void ctx_validator_release(struct ctx_validator *validator);
/* Begins the next conversation. */
void ctx_validator_begin(struct ctx_validator *validator);
/* Checks the next message by the rules of ctx_provider_rules. */
int ctx_validator_add(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_message *message, const struct ctx_place *place,
    struct ctx_err *err);
/* Ends the conversation.  With allow_pending the tool calls of its newest turn
 * need no result yet. */
int ctx_validator_end(struct ctx_validator *validator, bool allow_pending,
    struct ctx_err *err);
/* Checks validator->request outside its messages, which is the node of their
 * array.  Findings get the place of the request. */
int ctx_validator_check_request(struct ctx_validator *validator, uint64_t rules,
    uint32_t messages, const struct ctx_place *place, struct ctx_err *err);
/* Returns the index of the first message that may still get findings. */
uint64_t ctx_validator_settled(const struct ctx_validator *validator);

/* ---- check/check_stream.c: check a stream, or repair it ----------------- */

/* Content of the result that --repair adds for a call without one. */
#define CTX_NO_RESULT "[no result: the call was interrupted]"

/* A violation that ctx_check has fixed. */
struct ctx_fix {
	const struct ctx_finding *finding;
	const char *action; /* "drop", "insert" or "edit" */
	enum ctx_role role; /* of the message */
	/* The bytes removed, inserted or replaced; valid during the call. */
	struct ctx_str bytes;
};

struct ctx_check_options {
	const struct ctx_provider *provider; /* or NULL */
	/* For the windows of models, and whether they bind reasoning; NULL: no
	 * window is known, and none does. */
	struct ctx_model_counters *counters;
	bool allow_pending; /* see ctx_validator_end */
	bool schema; /* check arguments against schemas (CTX_CALLS_FIT) */
	/* Gets each message as it was, before its change is written; or NULL.
	 */
	struct ctx_archive *archive;
	/* What a repair does with bound reasoning after what it changes.  With
	 * CTX_REASONING_FAIL a conversation is held to its end. */
	enum ctx_reasoning reasoning;
	void *user;
	/* Called for each violation that was not fixed; part and node of the
	 * finding are not valid here. */
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	/* Called for each violation that was fixed; or NULL. */
	int (*on_fix)(void *user, const struct ctx_fix *fix,
	    struct ctx_err *err);
	uint64_t messages; /* set to the number of messages checked */
	/* Set to the number of messages whose bound reasoning after a repair
	 * was removed, and of those where it was kept; and of conversations
	 * that were not repaired because of CTX_REASONING_FAIL. */
	uint64_t reasoning_removed, reasoning_kept, refused;
};

/*
 * Checks the conversations of a stream.  With a writer (else NULL) it also
 * fixes what it can and writes the stream; records that need no fix are written
 * byte for byte.  Records after a tool call are then held until the call has
 * its result or can no longer get one.
 */
int ctx_check(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_check_options *options, struct ctx_err *err);

#endif
