/* check.h - finds what providers would refuse in a conversation, and repairs it
 * (ctx-check) */
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
	CTX_RULE_EMPTY_PART,
	CTX_RULE_REASONING_ONLY,
	CTX_RULE_LAST_REASONING,
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
	CTX_RULE_USER_CITATIONS,
	CTX_RULE_UNSIGNED_CALL,
	CTX_RULE_BOUND_REASONING,
	CTX_RULE_BAD_BLOCK,
	CTX_RULE_NO_TYPE,
	CTX_RULE_DUPLICATE_ITEM,
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
	/* put a tool result in place of the inserted one; remove a result of
	 * CTX_RULE_ORPHAN_RESULT for which there is none */
	CTX_FIX_MOVE_RESULT,
	CTX_FIX_REPLACE_TEXT, /* replace bytes of the message by other bytes */
	/* remove the oldest cache breakpoint in a message */
	CTX_FIX_REMOVE_BREAKPOINT,
	CTX_FIX_REPLACE_IMAGE, /* replace an image by a text */
	/* insert a user message before the message that the finding is about */
	CTX_FIX_ADD_FIRST,
};

struct ctx_rule {
	const char *id;
	const char *about; /* one line that explains a finding of this rule */
	/* address of a page or thread which shows that providers refuse
	 * violations of this rule */
	const char *source;
	/* Bits of rules (see dialect.h): the rule applies to conversations for
	 * which one of these bits is set. 0: to all conversations. */
	uint64_t when;
	enum ctx_fix_kind remedy;
};
/* Returns the rule of ctx-check with the index i, or NULL after the last
 * rule. */
const struct ctx_rule *ctx_rule_at(size_t i);

/* Limits of a provider: maximum sizes of a request and of its images, and
 * maximum numbers of images. 0: the limit is not known. */
struct ctx_provider_limits {
	uint64_t request; /* maximum length of a request in bytes */
	uint32_t side;    /* maximum width and height of an image in pixels */
	/* If a request has more than "many" images, each image may have a width
	 * and height of at most many_side pixels. */
	uint32_t many, many_side;
	uint64_t image; /* maximum size of an image in bytes */
	/* True if the maximum size of an image applies to its base64 text;
	 * false if it applies to the decoded bytes. */
	bool encoded;
	uint32_t images; /* maximum number of images in a request */
	/* If the context window of the model has at most few_window tokens, the
	 * maximum number of images in a request is few_images. */
	uint64_t few_window;
	uint32_t few_images;
	uint32_t in_message; /* maximum number of images in a message */
};

/* A provider to which conversations are sent.  The rules for a conversation are
 * those of its dialect (message format) and those in the member "more", without
 * those in "less"; see ctx_provider_rules. */
struct ctx_provider {
	const char *name, *about;
	const char *dialect;
	/* Vendor of the models by which requests to this provider are
	 * recognized (ctx_model.vendor); NULL if a model shows nothing. */
	const char *vendor;
	/* Beginning of the names of the vendor's models that servers of others
	 * run; NULL if there are none. */
	const char *open_models;
	/* key of a member that each request to this provider has, besides its
	 * messages and the name of the model; NULL if there is none */
	const char *member;
	/* Dialects that are detected if a request in the provider's dialect has
	 * nothing, or a mistake, by which the dialect could be recognized. */
	const char *plain[2];
	/* True if gateways accept the vendor's models in requests of another
	 * format.  Then such a model does not show that plain messages are in
	 * the provider's dialect. */
	bool served_by_others;
	/* rules, as bits, that the provider has besides those of the dialect,
	 * and rules of the dialect that it does not have */
	uint64_t more, less;
	struct ctx_provider_limits limits;
};
const struct ctx_provider *ctx_provider_at(size_t i);
const struct ctx_provider *ctx_provider_find(const char *name);
/* Returns the limits of a provider, or NULL if no limits are known.  If
 * provider is NULL, returns the limits of the provider that has defined the
 * dialect (format). */
const struct ctx_provider_limits *ctx_provider_limits_of(
    const struct ctx_provider *provider, const struct ctx_dialect *dialect);
/* Returns the maximum number of images in a request, or 0 if it is not known.
 * window: the context window of the model in tokens, on which the maximum
 * depends. */
uint32_t ctx_provider_limits_images(const struct ctx_provider_limits *limits,
    uint64_t window);

/* ---- check/choose_rules.c: the rules for a conversation ------------------ */

/* What decides by which rules a conversation is checked. */
struct ctx_rule_choice {
	/* the provider to which the caller will send the conversation, or
	 * NULL */
	const struct ctx_provider *given;
	/* result of ctx_provider_of_request, or NULL */
	const struct ctx_provider *shown;
	const struct ctx_model *model; /* NULL if not known */
	/* True if the conversation is in a request.  A request is sent as it
	 * is; other conversations can be translated to the format of the
	 * provider. */
	bool in_request;
};

/* Returns which rules apply to a conversation that is sent to a provider, as
 * bits.  If provider is NULL, returns the rules of the dialect (format) alone.
 * in_request: see ctx_rule_choice. */
uint64_t ctx_provider_rules(const struct ctx_provider *provider,
    const struct ctx_dialect *dialect, bool in_request);
/* Returns the provider to which a request is sent, if the model of the request
 * and its format show that; otherwise NULL. json: the JSON of the record;
 * model: NULL if not known. */
const struct ctx_provider *ctx_provider_of_request(const struct ctx_json *json,
    const struct ctx_record_layout *layout, const struct ctx_model *model);
/* Returns the rules, as bits, for a conversation in a dialect (format).  Sets
 * *provider to the provider whose limits apply, or to NULL. */
uint64_t ctx_choose_rules(const struct ctx_rule_choice *choice,
    const struct ctx_dialect *dialect, const struct ctx_provider **provider);

/* ---- check/validator.c: what the provider would refuse ------------------ */

/* Place of a message in the input. */
struct ctx_place {
	const char *file;
	/* number of the line in the file on which the message begins, from 1 */
	uint64_t line;
	uint64_t message; /* index of the message in the conversation, from 0 */
	/* true if the message is inside a record; false if it is a record */
	bool inside;
};

/* A finding: a violation of a rule in the input.  Members whose comment names a
 * kind of repair (CTX_FIX_...) are used only for that kind. */
struct ctx_finding {
	enum ctx_rule_id id;
	struct ctx_place place;
	/* Text that tells the user what is wrong.  It may contain bytes of the
	 * input, including control characters. */
	const char *what;
	/* Index, plus 1, of the block that the repair changes; 0 if there is no
	 * such block.  For CTX_FIX_REMOVE_BLOCK and
	 * CTX_FIX_MOVE_RESULT: index in the message that is
	 * being checked.  For CTX_FIX_REPLACE_IMAGE: index of the image in its
	 * message, counting only images that a text may replace. */
	size_t block;
	/* For CTX_FIX_REMOVE_MEMBER: JSON node of the key of the member that is
	 * removed, or 0 if the message needs this member. */
	uint32_t node;
	/* For CTX_FIX_ADD_RESULT: index of the tool call without a result among
	 * the tool calls of its message. */
	uint32_t call;
	/* For CTX_FIX_ADD_RESULT: true if the inserted result could be taken as
	 * the result of another tool call.  Then no result is inserted. */
	bool shared;
	/* If the repair replaces bytes of the input: old is the bytes that are
	 * replaced, replacement the new bytes.  Both are valid until on_finding
	 * returns.  For other repairs, old.p is NULL. */
	struct ctx_str old;
	struct ctx_str replacement;
	/* True if the violation is outside the messages of a request, such as
	 * in its system prompt. */
	bool in_request;
	/* For CTX_FIX_ADD_RESULT: true if a later tool call has the same id as
	 * the tool call without a result. */
	bool doubled;
};

/*
 * Checks one conversation, message by message.  Calls on_finding for each
 * violation of a rule.  A violation that depends on later messages is reported
 * when these messages were checked.
 *
 * on_finding returns 1 if it repairs the violation as the rule says.  Then
 * later messages are checked as if there had been no violation. on_finding
 * returns 2 if the repair also inserts a tool result directly before the
 * message that is being checked, or as the last message. on_finding returns 0
 * if it does not repair the violation, or -1 with *err.
 *
 * Memory: the tool calls without a result, 48 bytes for each different id of a
 * tool call, and the ids of the items of Responses.
 */
struct ctx_validator {
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	void *user;
	/* The provider to which the conversation is sent, or NULL.  Set by the
	 * caller. */
	const struct ctx_provider *provider;
	const struct ctx_dialect *dialect;
	/* Context window of the conversation's model in tokens; 0 if not known.
	 * Set by the caller. */
	uint64_t window;
	/* If the conversation is inside a record: the parsed JSON of the
	 * record, and the JSON node of the request.  If the record has no
	 * request, but only an array of messages: the JSON node of this array.
	 * Otherwise NULL and 0.  Set by the caller after
	 * ctx_validator_begin. */
	const struct ctx_json *request_json;
	uint32_t request;
	/* true if a repair has removed the message that was checked last */
	bool removed;
	/* For each block of the message that was checked last: true if a repair
	 * has removed the block. */
	bool *removed_blocks;
	/* The next members are used only inside lib/check. */
	/* the argument err of the function that checks a message */
	struct ctx_err *err;
	size_t removed_blocks_cap;
	uint64_t rules;
	const struct ctx_message *message;
	struct ctx_place place;
	struct ctx_tool_call_log *log;
	struct ctx_buf what, text, replacement, spare;
	struct ctx_coded_value arguments; /* parsed arguments of a tool call */
	/* schemas of the request's tools, see schema_index.c */
	struct ctx_node_index schemas;
	/* the members of an object that its schema requires, see
	 * schema_index.c */
	struct ctx_intern members;
	/* ids of the items, in formats with the rule CTX_ITEM_FORM */
	struct ctx_intern items;
	/* true if a repair has removed the id of the item that is being
	 * checked */
	bool id_removed;
	/* index of the last message with tool results, plus 1; 0 if there is
	 * none */
	uint64_t last_results;
	/* Index of the last message with content that is not a tool result,
	 * plus 1; 0 if there is none. */
	uint64_t last_speech;
	/* Value that last_speech had when a late tool result was read; 0 if
	 * there was no late result.  A result is late if a message without tool
	 * results is between the result and its tool call. */
	uint64_t late_after;
	/* Index of the message with the oldest tool call whose result was late.
	 * A result is late if a message without tool results is between the
	 * result and its tool call. */
	uint64_t late_call;
	struct ctx_last_seen {
		enum ctx_role role; /* role of the last message */
		/* true if the last block of the last message is a tool
		 * result */
		bool in_result;
		/* True if the last block of the last message is a tool call.
		 * Either the provider runs the tool, and continues a turn that
		 * was paused; or the call has no result, which is reported. */
		bool in_call;
		/* True if the user and tool messages at the end of the
		 * conversation (so far) contain anything besides tool
		 * results. */
		bool has_user_text;
		/* true if a message other than a system message was read */
		bool begun;
	} last;
	struct {
		struct ctx_place place;
		/* The value that ctx_validator.last had before the message at
		 * "place" was read. */
		struct ctx_last_seen before;
		/* A finding (violation of a rule) about a later message than
		 * that at "place".  The finding is dropped if a repair removes
		 * the message at "place". finding.what is NULL if there is no
		 * finding. */
		struct ctx_finding finding;
		/* findings about the newest message that only the next message
		 * confirms or refutes */
	} waiting_findings[3];
	/* bit i is set if waiting_findings[i] is in use */
	unsigned waiting_bits;
	/* Places of the newest reasoning items that directly follow each other,
	 * if no other item of the assistant was read after them. */
	struct ctx_place *open_reasoning;
	size_t n_open_reasoning, open_reasoning_cap;
	/* Places of the messages of the newest turn whose first tool call has
	 * no signature. */
	struct ctx_place *unsigned_calls;
	size_t n_unsigned_calls, unsigned_calls_cap;
	/* index of the newest message that the user wrote */
	uint64_t newest_turn;
	/* Index of the first of the newest assistant messages that directly
	 * follow each other. */
	uint64_t newest_answer;
	/* True if a tool call has no result, and no result was inserted for
	 * it. */
	bool unanswered;
	/* True if the provider stores earlier tool calls that are not in the
	 * conversation.  Then tool results may answer such calls.  Set by the
	 * caller after ctx_validator_begin, or when a message says so. */
	bool has_remote_state;
	/* True while the parts of the request outside its messages are
	 * checked. */
	bool outside_messages;
	bool has_tool_calls; /* true if a message has a tool call */
	/* Cache breakpoints in the conversation, in the order of the messages.
	 * If each message is a separate record, only the newest 4 are
	 * stored. */
	struct ctx_breakpoint_seen *breakpoints;
	size_t n_breakpoints, breakpoints_cap;
	/* true if a breakpoint stores the prompt for five minutes */
	bool has_short_breakpoint;
	/* Images in the conversation, in the order of the messages.  If the
	 * provider accepts n images, at most n + 1 are stored. */
	struct ctx_image_seen *images;
	size_t n_images, images_cap;
	/* value of ctx_image_seen.ordinal for the next image of the message
	 * that is being checked */
	size_t next_ordinal;
	/* number of images in the conversation, not counting those that a
	 * repair has removed */
	uint64_t images_left;
	/* True if the conversation has a tool result without an id, and the
	 * result says that further results for its tool call may come. */
	bool unnamed_continues;
	bool ended; /* true once the conversation has ended */
	/* True if the results for the tool calls of one message are in several
	 * messages, and this message is not the first of these messages. */
	bool results_split;
	/* True if the newest item in open_reasoning has an id of the form that
	 * OpenAI uses ("rs_..."). */
	bool reasoning_has_id;
	/* Index of a message.  Tool calls in messages before this message need
	 * no result until the user writes something, or until the conversation
	 * ends. */
	uint64_t open_until_user;
	/* Index of the newest user message that contains anything besides tool
	 * results, plus 1. */
	uint64_t newest_user_text;
	/* If a message is split over several records: number of its blocks with
	 * content that were read so far, and true if any of these blocks is not
	 * reasoning. */
	size_t continued_blocks;
	bool continued_speaks;
};

int ctx_validator_init(struct ctx_validator *validator, struct ctx_err *err);
void ctx_validator_release(struct ctx_validator *validator);
/* Prepares the validator for the next conversation, and forgets the previous
 * conversation. */
void ctx_validator_begin(struct ctx_validator *validator);
/* Checks the next message. rules: the return value of ctx_provider_rules. */
int ctx_validator_add(struct ctx_validator *validator, uint64_t rules,
    const struct ctx_message *message, const struct ctx_place *place,
    struct ctx_err *err);
/* Ends the check of the conversation. allow_pending: true if tool calls of the
 * newest turn may lack a result. */
int ctx_validator_end(struct ctx_validator *validator, bool allow_pending,
    struct ctx_err *err);
/* Checks the parts of the request (validator->request_json) outside its
 * messages, such as its system prompt. messages: JSON node of the messages;
 * place: where the request is in the input, for the texts of findings
 * (violations of rules). */
int ctx_validator_check_request(struct ctx_validator *validator, uint64_t rules,
    uint32_t messages, const struct ctx_place *place, struct ctx_err *err);
/* Returns the index of the first message that may still be repaired, because
 * findings about it depend on later messages; UINT64_MAX if there is none. */
uint64_t ctx_validator_first_undecided(const struct ctx_validator *validator);

/* ---- check/check_stream.c: check a stream, or repair it ----------------- */

/* Text of the tool result that --repair inserts for a tool call without a
 * result. */
#define CTX_ADDED_RESULT_TEXT "[no result: the call was interrupted]"
/* If each message is a record: maximum number of messages from a tool call to a
 * late result that --repair can move to the call. */
#define CTX_LATE_MESSAGES 64

struct ctx_check_config {
	/* the provider to which the conversations will be sent, or NULL */
	const struct ctx_provider *provider;
	/* Token counters, used to find the context window of a model and
	 * whether its provider refuses signed reasoning after a change.  If
	 * NULL, no context window is known, and all signed reasoning is
	 * accepted. */
	struct ctx_model_counters *counters;
	/* true if tool calls of the newest turn may lack a result */
	bool allow_pending;
	/* true if the arguments of tool calls are checked against the JSON
	 * schemas of their tools */
	bool schema;
	/* How repairs are reported.  The members finding, file, line, rule,
	 * role, action and bytes of the reported changes are set; the action is
	 * "drop", "insert", "move" or "edit". report.dry_run: true if repairs
	 * are reported although writer is NULL and nothing is written. */
	struct ctx_report report;
	/* What a repair does with bound reasoning: signed reasoning that the
	 * provider refuses if anything before the reasoning was changed.  If
	 * CTX_REASONING_FAIL is set, a conversation is kept in memory until its
	 * end. */
	enum ctx_reasoning reasoning;
	void *user;
	/* Called for each violation of a rule that was not repaired.  The
	 * callback must not use the members block and node of *finding, which
	 * are only for the repair. */
	int (*on_finding)(void *user, const struct ctx_finding *finding,
	    struct ctx_err *err);
	/* Numbers of messages that were checked, and of repairs, set by
	 * ctx_check_stream. */
	uint64_t messages, repaired;
	/* Numbers that ctx_check_stream sets.  Bound reasoning is reasoning
	 * that the provider does not take if anything before the reasoning was
	 * changed. reasoning_removed: number of messages from which a
	 * repair has removed bound reasoning. reasoning_kept: number of
	 * messages in which bound reasoning was kept. reasoning_dropped: number
	 * of reasoning items that the provider will drop after a repair.
	 * refused: number of conversations that were not repaired because of
	 * CTX_REASONING_FAIL. */
	uint64_t reasoning_removed, reasoning_kept, reasoning_dropped, refused;
};

/* Checks the conversations of a stream.  If writer is not NULL, also repairs
 * the conversations as far as possible, and writes the stream.  Records without
 * a repair are written byte for byte.  In a repair, records after a tool call
 * are kept in memory until the tool call has its result, or cannot get a result
 * any more.  If a result is inserted for a call, up to CTX_LATE_MESSAGES
 * messages are kept in memory, in which its own result may come. */
int ctx_check_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_check_config *options, struct ctx_err *err);

#endif
