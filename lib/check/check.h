/* check.h - ctx-check: finds what providers would refuse in a conversation, and
 * repairs it */
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

/* The ways in which --repair can fix a violation of a rule. */
enum ctx_fix_kind {
	CTX_FIX_NONE,
	CTX_FIX_REMOVE_BLOCK,
	/* remove a member of the message's JSON object */
	CTX_FIX_REMOVE_MEMBER,
	CTX_FIX_REMOVE_MESSAGE,
	/* insert a tool result for a tool call without one */
	CTX_FIX_ADD_RESULT,
	CTX_FIX_REPLACE_TEXT, /* replace bytes of the message */
	/* remove the oldest cache breakpoint in a message */
	CTX_FIX_REMOVE_BREAKPOINT,
	CTX_FIX_REPLACE_IMAGE, /* replace an image by a text */
	/* insert a user message before the message that violates the rule */
	CTX_FIX_ADD_FIRST,
};

struct ctx_rule {
	const char *id;
	const char *about; /* what a finding of this rule means, in one line */
	/* page or thread that shows that providers refuse violations of this
	 * rule */
	const char *source;
	/* The rule applies to a conversation whose dialect (format) has one of
	 * these bits; 0: to every conversation. */
	uint64_t when;
	enum ctx_fix_kind remedy;
};
/* Returns row number i, from 0, of the table of rules; NULL after the last. */
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
/* Returns the rules for a conversation of a dialect (format) that is sent to a
 * provider. provider NULL: those of the dialect. */
uint64_t ctx_provider_rules(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect);

/* Several providers accept the formats that have the rule CTX_MODEL_DECIDES.
 * Returns the rules for a conversation in such a format (dialect), which depend
 * on the vendor of its model (ctx_model.vendor). */
uint64_t ctx_vendor_rules(const char *vendor,
    const struct ctx_dialect *dialect);

/* The largest request, and the largest size and number of images, that a
 * provider accepts. 0: not known. */
struct ctx_provider_limits {
	/* name of the provider that has these limits, as in struct
	 * ctx_provider */
	const char *provider;
	uint64_t request; /* length of a request in bytes */
	uint32_t side;    /* pixels of each side of an image */
	/* In a request with more than many images, each side of an image may
	 * have at most many_side pixels. */
	uint32_t many, many_side;
	uint64_t image; /* size of an image in bytes */
	/* True if the limit for an image applies to its base64 text, false if
	 * to its bytes. */
	bool encoded;
	uint32_t images; /* number of images in a request */
	/* If the model's context window has at most few_window tokens, a
	 * request may have only few_images images. */
	uint64_t few_window;
	uint32_t few_images;
	uint32_t in_message; /* number of images in a message */
};
/* Returns the limits of a provider; NULL if none are known. provider NULL: the
 * provider whose own format the dialect is. */
const struct ctx_provider_limits *ctx_provider_limits_of(
    const struct ctx_provider *provider, const struct ctx_dialect *dialect);
/* Returns the maximum number of images in a request; 0: not known. window:
 * context window of the model in tokens, on which the maximum depends. */
uint32_t ctx_provider_limits_images(const struct ctx_provider_limits *limits,
    uint64_t window);

/* ---- check/validator.c: what the provider would refuse ------------------ */

/* Place of a message in the input. */
struct ctx_place {
	const char *file;
	/* line of the file in which the message begins, from 1 */
	uint64_t line;
	uint64_t message; /* index of the message in the conversation, from 0 */
	/* true for a message of a conversation inside a record, false for a
	 * message that is a record */
	bool inside;
};

/* A finding: a violation of a rule.  Some members are used by some kinds of
 * repair only, which their comments name (CTX_FIX_...). */
struct ctx_finding {
	enum ctx_rule_id id;
	struct ctx_place place;
	/* Text that says what is wrong.  It may quote the input, including
	 * control characters. */
	const char *what;
	/* The block that the fix changes; SIZE_MAX: none.
	 * CTX_FIX_REMOVE_BLOCK: its index in the message that is being checked.
	 * CTX_FIX_REPLACE_IMAGE: its index among the images of the message at
	 * place, counting only images that may be replaced by a text. */
	size_t block;
	/* CTX_FIX_REMOVE_MEMBER: JSON node of the key of the member that is
	 * removed */
	uint32_t node;
	/* CTX_FIX_ADD_RESULT: index of the tool call without a result among the
	 * tool calls of its message. */
	uint32_t call;
	/* CTX_FIX_ADD_RESULT: true if an inserted result could be taken as the
	 * answer to another tool call than this one.  Then none is inserted. */
	bool shared;
	/* If the repair replaces bytes of the input: old are these bytes,
	 * replacement those that replace them.  Both are valid until on_finding
	 * returns. old.p NULL: the repair does not replace bytes. */
	struct ctx_str old;
	struct ctx_str replacement;
	/* True if the violation is in a request, but outside its messages, such
	 * as in its system prompt. */
	bool in_request;
	/* CTX_FIX_ADD_RESULT: true if a later tool call has the same id as the
	 * tool call without a result. */
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
 * before the one being checked, or the last message.  It returns 0 if it does
 * not repair it, and -1 with *err.
 *
 * Memory: the tool calls without a result, and 48 bytes for each different id.
 */
struct ctx_validator {
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	void *user;
	/* Set by the caller: the provider to which the conversation is sent,
	 * or NULL. */
	const struct ctx_provider *provider;
	const struct ctx_dialect *dialect;
	/* Set by the caller: context window of the conversation's model in
	 * tokens; 0: not known. */
	uint64_t window;
	/* Set by the caller after ctx_validator_begin, if the conversation is
	 * inside a request: JSON text and JSON node of the request.  Otherwise
	 * NULL and 0. */
	const struct ctx_json *request_json;
	uint32_t request;
	bool removed; /* true if a repair has removed the last message */
	/* For each block of the last message: true if a repair has removed
	 * it. */
	bool *removed_blocks;
	/* The remaining members are internal. */
	size_t removed_blocks_cap;
	uint64_t rules;
	const struct ctx_message *message;
	struct ctx_place place;
	struct ctx_tool_call_log *log;
	struct ctx_buf what, text, replacement, spare;
	struct ctx_json json;
	/* 1 + the index of the last message with tool results; 0: there is
	 * none. */
	uint64_t last_results;
	/* Index of the last message that has content but no tool results, plus
	 * 1; 0: none. */
	uint64_t last_speech;
	/* A tool result is late if a message without results is between its
	 * tool call and it.  When a late result is read, the value of
	 * last_speech is stored here. 0: no result was late. */
	uint64_t late_after;
	/* Index of the message with the oldest tool call whose result was late
	 * (see late_after). */
	uint64_t late_call;
	struct ctx_last_seen {
		enum ctx_role role; /* role of the last message */
		/* true if the last block of the last message is a tool
		 * result */
		bool in_result;
		/* true if the newest consecutive user and tool messages contain
		 * something besides tool results */
		bool has_user_text;
		/* true if a message was read that is not a system message */
		bool begun;
	} last;
	struct {
		struct ctx_place place;
		/* what ctx_validator.last was before the message at this place
		 * was read */
		struct ctx_last_seen before;
		/* A finding about a later message.  It is true only if no
		 * repair removes the message whose place is in the member
		 * "place".  finding.what is NULL if there is no such
		 * finding. */
		struct ctx_finding finding;
	} waiting_findings[3]; /* findings that the next message decides */
	unsigned waiting_bits; /* bit i: waiting_findings[i] is in use */
	/* Places of the newest consecutive reasoning items.  An item of the
	 * assistant, which was not read yet, must follow them. */
	struct ctx_place *open_reasoning;
	size_t n_open_reasoning, open_reasoning_cap;
	/* index of the newest message that a user wrote */
	uint64_t newest_turn;
	/* Index of the first message of the newest run of consecutive assistant
	 * messages. */
	uint64_t newest_answer;
	/* True if some tool call has no result, and none was inserted for
	 * it. */
	bool unanswered;
	/* True if tool results may answer calls that are not in the
	 * conversation, because the provider has stored them.  Set by the
	 * caller after ctx_validator_begin, or when a message says so. */
	bool has_remote_state;
	/* true while other parts of the request than messages are checked */
	bool outside_messages;
	bool has_tool_calls; /* some message has a tool call */
	/* Cache breakpoints in the conversation, the oldest first.  If each
	 * message is a record of its own, only the newest 4 are stored. */
	struct ctx_breakpoint_seen *breakpoints;
	size_t n_breakpoints, breakpoints_cap;
	/* Images in the conversation, the oldest first.  At most one more than
	 * the provider accepts. */
	struct ctx_image_seen *images;
	size_t n_images, images_cap;
	uint64_t images_left; /* number of images that no repair has removed */
	/* true if a tool call without an id may get further results */
	bool unnamed_continues;
	bool ended; /* the conversation has ended */
	/* True if the tool calls of one message have their results in several
	 * messages: in this one and in an earlier one. */
	bool results_split;
	/* true if the newest item in open_reasoning has an id in the form of
	 * OpenAI's ("rs_...") */
	bool reasoning_has_id;
	/* Index of a message.  Tool calls in earlier messages than this one may
	 * have no result until the user writes something or the conversation
	 * ends. */
	uint64_t open_until_user;
	/* Index, plus 1, of the newest user message that has something besides
	 * tool results. */
	uint64_t newest_user_text;
	/* If a message is split over several records: the number of its blocks
	 * so far, and whether one of them is not reasoning. */
	size_t continued_blocks;
	bool continued_speaks;
};

int ctx_validator_init(struct ctx_validator *validator, struct ctx_err *err);
void ctx_validator_release(struct ctx_validator *validator);
/* Begins the next conversation. */
void ctx_validator_begin(struct ctx_validator *validator);
/* Checks the next message. rules: what ctx_provider_rules has returned. */
int ctx_validator_add(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_message *message, const struct ctx_place *place,
    struct ctx_err *err);
/* Ends the conversation.  If allow_pending is true, tool calls of the newest
 * turn may have no result yet. */
int ctx_validator_end(struct ctx_validator *validator, bool allow_pending,
    struct ctx_err *err);
/* Checks the parts of validator->request that are not messages, such as its
 * system prompt. messages: the JSON node of its messages. place: where the
 * request is in the input; all these findings get it. */
int ctx_validator_check_request(struct ctx_validator *validator, uint64_t rules,
    uint32_t messages, const struct ctx_place *place, struct ctx_err *err);
/* Returns the index of the first message about which there can still be
 * findings. */
uint64_t ctx_validator_first_undecided(const struct ctx_validator *validator);

/* ---- check/check_stream.c: check a stream, or repair it ----------------- */

/* Text of the tool result that --repair inserts for a tool call without one. */
#define CTX_ADDED_RESULT_TEXT "[no result: the call was interrupted]"

/* A violation of a rule that ctx-check has repaired. */
struct ctx_fix {
	const struct ctx_finding *finding;
	const char *action; /* "drop", "insert" or "edit" */
	enum ctx_role role; /* role of the message */
	/* The bytes that were removed or inserted, or that an edit has
	 * replaced.  Valid until on_fix returns. */
	struct ctx_str bytes;
};

struct ctx_check_config {
	/* provider to which the conversations will be sent, or NULL */
	const struct ctx_provider *provider;
	/* Knows for each model its context window, and whether its provider
	 * refuses signed reasoning after a change.  NULL: no context window is
	 * known, and signed reasoning is never taken to be refused. */
	struct ctx_model_counters *counters;
	bool allow_pending; /* see ctx_validator_end */
	/* true to call on_finding and on_fix as a repair does, although no
	 * writer is given and nothing is written */
	bool dry_run;
	/* true to check arguments against the JSON schemas of their tools */
	bool schema;
	/* The archive, in which the original of each changed message is stored
	 * before the changed one is written; NULL: none. */
	struct ctx_archive *archive;
	/* A repair's treatment of bound reasoning (signed reasoning that the
	 * provider refuses if anything before it was changed).  With
	 * CTX_REASONING_FAIL a conversation is kept in memory until its end. */
	enum ctx_reasoning reasoning;
	void *user;
	/* Called for each violation that was not repaired.  It must not use the
	 * members block and node of the finding, which are meant for the
	 * repair. */
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	/* Called for each violation that was repaired; or NULL. */
	int (*on_fix)(void *user, const struct ctx_fix *fix,
	    struct ctx_err *err);
	uint64_t messages; /* result: number of messages that were checked */
	/* Three numbers, set by ctx-check. reasoning_removed: messages whose
	 * bound reasoning (signed reasoning that the provider refuses if
	 * anything before it was changed) was removed after a repair.
	 * reasoning_kept: messages in which bound reasoning was kept. refused:
	 * conversations that were not repaired because of
	 * CTX_REASONING_FAIL. */
	uint64_t reasoning_removed, reasoning_kept, refused;
};

/* Checks the conversations of a stream.  If writer is not NULL, also repairs
 * what it can and writes the stream; records without a repair are written byte
 * for byte.  Records after a tool call are kept in memory until the call has
 * its result or cannot get one any more. */
int ctx_check_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_check_config *options, struct ctx_err *err);

#endif
