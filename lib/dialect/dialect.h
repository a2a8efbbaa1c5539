/* dialect.h - the table of dialects, and how the dialect of a message is
 * detected; a dialect is the message format of a provider, framework or
 * agent */
#ifndef CTX_DIALECT_H
#define CTX_DIALECT_H

#include "base/base.h"
#include "dialect/model_rules.h"
#include "dialect/session_line.h"
#include "json/json.h"
#include "message/message.h"

/* ---- dialect/dialect.c: the table of message formats -------------------- */

/* Rules of a dialect (message format), as bits.  The rules up to
 * CTX_NAMES_USERS (bits 0 to 7) are used for reading and pruning messages. */
enum {
	/* If a tool call and its result have no ids, they are matched by tool
	 * name and order. */
	CTX_PAIR_BY_NAME = 1,
	/* The first message after the system messages must be a user
	 * message. */
	CTX_FIRST_USER = 2,
	/* Messages that follow each other must have different roles. */
	CTX_ALTERNATES = 4,
	/* Assistant messages that directly follow each other are parts of one
	 * response of the model. */
	CTX_JOINS_ANSWERS = 8,
	/* If either a tool call or its result has no id, they are matched by
	 * tool name. */
	CTX_PAIR_EITHER = 16,
	/* The conversation is translated to the format of another provider
	 * (ctx-check --provider).  System messages at its beginning then become
	 * the system prompt of the request.  No dialect has this rule; it is
	 * set for the provider. */
	CTX_LIFTS_SYSTEM = 32,
	/* There may be only one system message, and it must be the first
	 * message. */
	CTX_ONE_SYSTEM = 64,
	/* A user message may contain the name of its writer.  A user message
	 * begins a new turn if it names another writer than the user message
	 * before. */
	CTX_NAMES_USERS = 128,

	/* ctx-check tests the rules with bit 8 and above, and reports messages
	 * that break a rule.  Pruning uses a few of these rules, too, to find
	 * messages that must be kept or removed together.  Bits 8 to 19 are
	 * rules about the order and the content of messages.  These rules do
	 * not depend on how a message is written in JSON. */
	/* Tool results must come directly after the message with their tool
	 * calls. */
	CTX_RESULTS_NEXT = 1 << 8,
	/* The model can write a program that makes tool calls.  Each tool call
	 * of the program must contain the id of the tool call that runs the
	 * program.  That tool call must come before, without a result yet. */
	CTX_NAMES_CALLERS = 1 << 9,
	/* The id of a tool call must have 1 to 64 characters: ASCII letters,
	 * digits, underscores and dashes. */
	CTX_PLAIN_IDS = 1 << 10,
	/* The id of a tool call must have at most 64 characters. */
	CTX_SHORT_IDS = 1 << 11,
	/* No text may be empty, and no message may consist of white space
	 * only. */
	CTX_NO_BLANK_TEXT = 1 << 13,
	/* A last message of the assistant may be empty (have no text). */
	CTX_LAST_MAY_BE_EMPTY = 1 << 14,
	/* An assistant message must contain something other than reasoning. */
	CTX_MUST_SPEAK = 1 << 15,
	/* System messages must come after a user message or tool result, and
	 * before an assistant message or at the end.  Several may follow each
	 * other directly. */
	CTX_SYSTEM_BETWEEN = 1 << 16,
	/* There must be no system message, because the request has a member for
	 * the system prompt. */
	CTX_NO_SYSTEM = 1 << 17,
	/* The last message must be a user message or a tool result. */
	CTX_LAST_USER = 1 << 18,
	/* The provider merges messages with the same role that directly follow
	 * each other. */
	CTX_MERGES = 1 << 19,

	/* Bits 20 to 30 are rules about how a message is written in JSON. */
	/* Tool results must come before all other blocks of their message. */
	CTX_RESULTS_FIRST = 1 << 20,
	/* All results for the tool calls of a message must be in the message
	 * directly after it. */
	CTX_RESULTS_TOGETHER = 1 << 21,
	/* A tool call that is an element of an array must have an id. */
	CTX_NEEDS_IDS = 1 << 22,
	/* The arguments of a tool call must be a string. */
	CTX_ARGUMENTS_TEXT = 1 << 23,
	/* The arguments of a tool call must be a JSON object. */
	CTX_ARGUMENTS_OBJECT = 1 << 24,
	/* The array "tool_calls" may be missing, but must not be empty. */
	CTX_NO_EMPTY_CALLS = 1 << 25,
	/* A tool result must have content that is neither null nor an empty
	 * array. */
	CTX_NEEDS_BODY = 1 << 26,
	/* Reasoning must have a signature or encrypted data. */
	CTX_SIGNED = 1 << 27,
	/* After a reasoning item there must be another item of the
	 * assistant. */
	CTX_REASONING_LEADS = 1 << 28,
	/* The role of a message must be one that ctx knows (any but
	 * CTX_ROLE_OTHER). */
	CTX_KNOWN_ROLES = 1 << 29,
	/* Tool results must be in user messages.  The role "tool" is not
	 * allowed. */
	CTX_NO_TOOL_ROLE = 1 << 30,
};

/* The rules with bit 31 and above are macros, because an enum constant is an
 * int, which is too small for these bits. */

/* Arguments of a tool call that are a string must contain JSON, because the
 * server parses them. */
#define CTX_ARGUMENTS_PARSED (UINT64_C(1) << 31)
/* The id of a tool call must have exactly 9 characters from A-Z, a-z and
 * 0-9. */
#define CTX_NINE_IDS (UINT64_C(1) << 32)
/* A request may have at most CTX_BREAKPOINTS_MAX cache breakpoints.  Reasoning
 * must not have a cache breakpoint. */
#define CTX_FEW_BREAKPOINTS (UINT64_C(1) << 33)
/* The length of a request in bytes is limited; see ctx_provider_limits. */
#define CTX_SMALL_REQUEST (UINT64_C(1) << 34)
/* A request must define tools if its messages contain tool calls. */
#define CTX_NEEDS_TOOLS (UINT64_C(1) << 35)
/* Images are limited in their number, bytes and pixels; see
 * ctx_provider_limits. */
#define CTX_IMAGE_LIMITS (UINT64_C(1) << 36)
/* A tool result may contain only texts. */
#define CTX_RESULTS_TEXT (UINT64_C(1) << 37)
/* The result of a failed tool call must have content, and only texts. */
#define CTX_ERRORS_TEXT (UINT64_C(1) << 38)
/* A user message must not come directly after a message with the role tool. */
#define CTX_ANSWERS_RESULTS (UINT64_C(1) << 39)
/* The arguments of a tool call must match the JSON schema of the tool.  No
 * provider demands this, but ctx-check can report it; see
 * check/schema_rules.c. */
#define CTX_CALLS_FIT (UINT64_C(1) << 40)
/* An assistant or system message must not have images or other media. */
#define CTX_SAYS_TEXT (UINT64_C(1) << 46)
/* The last block of an assistant message must not be reasoning. */
#define CTX_SPEAKS_LAST (UINT64_C(1) << 48)
/* A block must have a member besides the mark that it is a thought. */
#define CTX_NEEDS_DATA (UINT64_C(1) << 63)
/* The content of a tool result must be an object. */
#define CTX_RESULT_OBJECT (UINT64_C(1) << 56)
/* A tool result may contain only blocks of the types that
 * ctx_dialect.result_types lists. */
#define CTX_RESULT_TYPES (UINT64_C(1) << 57)
/* The content of a tool result must be a string or an array of blocks. */
#define CTX_RESULT_STRING (UINT64_C(1) << 59)
/* Some blocks must not be in an assistant message, others not in a user
 * message; see check/place_rules.c. */
#define CTX_PLACES_BLOCKS (UINT64_C(1) << 61)
/* Items must have different ids.  The texts of an assistant message must be of
 * the type output_text.  The role "tool" is not allowed.  Only OpenAI demands
 * this: xAI repeats ids (ruby_llm, grok-4.3, recorded 2026). */
#define CTX_ITEM_FORM (UINT64_C(1) << 55)
/* Each content block must have a type, each tool call in an array, too.  A
 * message with the role "tool" must have the id of its tool call. */
#define CTX_TYPED_BLOCKS (UINT64_C(1) << 54)
/* The first tool call of each assistant message in the newest turn must have a
 * signature, if the model signs calls (ctx_model.signs_calls). */
#define CTX_SIGNS_CALLS (UINT64_C(1) << 62)
/* Several providers accept this format.  So ctx-check also applies the rules of
 * the provider of the model; see ctx_choose_rules. */
#define CTX_MODEL_DECIDES (UINT64_C(1) << 60)

/* ctx-check tests the rules CTX_ASKS_FIRST and CTX_ASKS_TURNS, which say what
 * order of roles providers accept.  CTX_FIRST_USER and CTX_ALTERNATES are
 * stricter: pruning follows these two rules even if the provider accepts other
 * orders. */

/* The first message must be a user message or a tool result. */
#define CTX_ASKS_FIRST (UINT64_C(1) << 41)
/* Of two messages that directly follow each other, one must be from the
 * assistant, and the other one from the user or a tool. */
#define CTX_ASKS_TURNS (UINT64_C(1) << 42)
/* All results for the tool calls of one message must be in the same message. */
#define CTX_ASKS_TOGETHER (UINT64_C(1) << 58)
/* The provider reads messages with the same role that directly follow each
 * other as one turn.  Formats with this rule also have the rule CTX_ALTERNATES,
 * so pruning leaves no two messages of one role next to each other. */
#define CTX_TAKES_ROWS  (UINT64_C(1) << 45)
#define CTX_ONE_MESSAGE (CTX_TAKES_ROWS | CTX_MERGES)
/* The id of a tool call may also contain . and : (see CTX_PLAIN_IDS). */
#define CTX_DOTTED_IDS (UINT64_C(1) << 43)
/* Tool results must come before the next user or system message. */
#define CTX_RESULTS_BY_USER (UINT64_C(1) << 44)
/* A provider may refuse requests that lack reasoning of earlier turns. */
#define CTX_WANTS_REASONING (UINT64_C(1) << 47)

/* All rules about how messages are written in JSON.  Not tested for a
 * conversation that is translated to another format, because the translation
 * writes new JSON. */
#define CTX_FORM_RULES                                                       \
	(UINT64_C(0xffc00000fff00000) | CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | \
	    CTX_JOINS_ANSWERS)

/*
 * A template for the tool result that ctx-check can insert for a tool call
 * without a result. $id and $name stand for the JSON strings of the tool call's
 * id and tool name, $text for the JSON string of the inserted text.
 *
 * A template that contains $id fits only tool calls with an id.  A template
 * that contains $name fits only tool calls with a tool name.  A template whose
 * type is not NULL fits only tool calls of this type.  The first template that
 * fits a tool call is used.  If the template is an empty string, no result is
 * inserted.
 *
 * The type of a tool call is the member "type" of its block, or of its message
 * if the call has no block.  Without such a member, the type is the role of the
 * message.
 */
struct ctx_result_template {
	const char *type;
	const char *text;
};

/* Where a format reports how many input tokens the provider has billed for a
 * request.  Each list contains paths (see ctx_json_find_path) to numbers.  The
 * sum of the numbers is all input tokens, including those that were read from
 * the prompt cache or written to it.  The number at the first path must exist;
 * a missing number at another path counts as 0.  If the format does not report
 * the usage at this place, the list is empty. */
enum { CTX_USAGE_PATHS = 3 };
struct ctx_usage {
	/* Paths from a message to the usage (billed tokens) of the request that
	 * the message answers. */
	const char *message[CTX_USAGE_PATHS];
	/* Paths from a line of a session file that is not a message to the
	 * usage of the request before the line. */
	const char *line[CTX_USAGE_PATHS];
	/* Paths from the object around the messages (a request or a response)
	 * to its usage. */
	const char *request[CTX_USAGE_PATHS];
	/* Paths to numbers of tokens, which begin where the paths in message,
	 * line and request begin; NULL if not reported. read: input tokens read
	 * from the prompt cache. written: input tokens written to the prompt
	 * cache. written_hour: the part of written that is stored for an hour.
	 * output: output tokens. */
	const char *read, *written, *written_hour, *output;
};

/* Types of the functions of a dialect; struct ctx_dialect says what they do. */
typedef const char *ctx_dialect_is(const struct ctx_json *json, uint32_t node);
typedef int ctx_dialect_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *parsed, struct ctx_err *err);
typedef void ctx_dialect_line(const struct ctx_json *json, uint32_t node,
    struct ctx_line_place *line);
typedef uint32_t ctx_dialect_first(const struct ctx_json *json, uint32_t array);
typedef uint32_t ctx_dialect_model(const struct ctx_json *json, uint32_t node);

/*
 * A dialect: a message format.  This struct contains everything that the rest
 * of the library knows about a format, and is a row of the table of dialects.
 * One file per format has the functions that read its messages.
 *
 * Some members are parts of JSON texts, from which ctx makes messages and
 * blocks.
 */
struct ctx_dialect {
	const char *name;
	/* description of the format, for --help and the manual */
	const char *about;
	/* Returns a reason (a text of a few words for the user) if the JSON
	 * value at node is a message, or another line of a session file, of
	 * this dialect.  Otherwise returns NULL.  The rows before this row are
	 * asked first. */
	ctx_dialect_is *matches;
	/* Returns a reason if the value is a message that this dialect has, but
	 * other dialects have, too.  Called after "matches" has returned NULL,
	 * and only if the stream is already known to be of this dialect.  NULL
	 * if "matches" is enough. */
	ctx_dialect_is *matches_expected;
	/* Returns a reason (a text for the user) if the message suggests this
	 * dialect, but other dialects have such messages, too.  The reason is
	 * used only if no message of the stream proves a dialect.  NULL if no
	 * message suggests this dialect. */
	ctx_dialect_is *likely;
	/* Parses a message.  Called only by ctx_dialect_read_message, where the
	 * return value is described. */
	ctx_dialect_read *read;
	/* For session files of agents. history: how the context (the messages
	 * that the agent sends) is computed from the lines. read_line: stores
	 * in *line where the line at the JSON node belongs in the session.  The
	 * caller must set all members to 0, and line->kind to CTX_LINE_ASIDE.
	 * read_line does not change *line if the line is not of this format. */
	enum ctx_history history;
	ctx_dialect_line *read_line;
	/* true if replay_request.is_resent can be true for the agent */
	bool resends;
	/* Key of a member with the number of a message in its array, counted
	 * from 1.  NULL if messages have no numbers. */
	const char *ordinal;
	/* Returns the JSON node of the first message of an array that is still
	 * sent to the model, because a summary in the array replaces the
	 * messages before.  Returns 0 if the array has no summary.  NULL if all
	 * messages of this format are always sent. */
	ctx_dialect_first *first_visible;
	/* rules of the format as bits, such as CTX_PAIR_BY_NAME */
	uint64_t rules;
	struct ctx_usage usage;
	/* Returns the JSON node of the model's name in a message, or 0 if the
	 * message has none.  Used to find the model of a conversation before
	 * its messages are read.  NULL if messages of this format never name a
	 * model, or if only "read" finds it. */
	ctx_dialect_model *find_model;
	/* Name of a model.  Tokens of a conversation that names no model are
	 * estimated as for this model.  NULL if the models of many providers
	 * are used with this format; then the encoding is o200k_base. */
	const char *counts_like;
	/* Tokens of a request that are not in its texts. per_message: for each
	 * message. per_name: for each name of a sender. priming: once per
	 * conversation. */
	uint8_t per_message, per_name, priming;
	/* True if in the JSON of tool arguments and results only keys and
	 * strings cost tokens, not punctuation and numbers, unless the model
	 * gets this JSON in a form of its own (CTX_FORM_PYTHON,
	 * CTX_FORM_DECLARATION). */
	bool counts_strings_only;
	/* How the tokens of images and tools are counted for models that have
	 * no rules of their own. */
	struct ctx_image image;
	struct ctx_tools tools;
	/* JSON of a tool result's content that is only a text: [0] is the part
	 * before the string of the text, [1] the part after the string.  NULL
	 * if the content is the string alone; see ctx_result_text_form. */
	const char *text_result_form[2];
	/*
	 * For formats in which the content of a tool result says that the tool
	 * call failed; in other formats a member beside the content says so.
	 *
	 * failed: used when ctx replaces the content of a failed call's result
	 * by a text, so that the new content still says that the call failed.
	 * [0] is the JSON before the string of the text, [1] the JSON after the
	 * string.  If failed[0] is NULL, text_result_form is used for all
	 * results.
	 *
	 * failures: the values that "type" may have in the content of a failed
	 * call's result; NULL ends the list.  If the list is empty, the content
	 * of a failed call's result is a string, and that of other results is
	 * not a string.
	 *
	 * To find out whether a call failed, use ctx_block.is_error, which is
	 * set in all formats.
	 */
	const char *failed[2], *failures[4];
	/* Key of the member with the agent's own copy of a tool result.  This
	 * member is beside the message, and is not sent to the model.  NULL if
	 * the format has no copy. */
	const char *result_copy;
	/* The JSON of a text block before the string of the text; the JSON
	 * after the string is "}". ctx can replace an image by this text block.
	 * NULL if the format has no text blocks. */
	const char *text_block;
	/* The types of the blocks that a tool result may contain; NULL ends the
	 * list.  If the only key of a block says what the block is, the list
	 * contains these keys.  NULL if the types are not known. */
	const char *const *result_types;
	/* the roles that a message may have; NULL ends the list.  NULL if ctx
	 * knows roles of the format only by their meaning. */
	const char *const *roles;
	/*
	 * Templates of the messages that ctx inserts in place of removed
	 * messages.  A summary is inserted after the system messages at the
	 * beginning, a notice before a turn.  NULL if such a message is not
	 * possible in this format.
	 *
	 * A template contains these names, which are replaced:
	 *   $text  the text of the summary or notice, as a JSON string
	 *   $uuid, $hex  a generated id of 36 or 8 characters
	 *   $parent  the id of the line before the inserted message
	 * Any other $KEY stands for the member KEY of the message after the
	 * inserted message, and $KEY/KEY for a member inside a member.  If the
	 * member is missing, null replaces $KEY.
	 */
	const char *summary, *notice;
	/* For formats whose servers refuse an additional message
	 * (dialect/NOTES.md): template of a block with a summary or notice. ctx
	 * inserts this block before the other blocks of the user's next
	 * message.  If inserts_in_string is true and the content of that
	 * message is a string, ctx inserts the text at the beginning of the
	 * string.  If no user message is left, ctx inserts a summary as a
	 * separate message.  NULL if summaries and notices are always separate
	 * messages. */
	const char *insertion_block;
	bool inserts_in_string;
	/* Templates of the results that ctx-check inserts for tool calls
	 * without a result.  If there are no templates, it inserts no
	 * results. */
	struct ctx_result_template synthetic_results[8];
	/* For formats in which one message has the results of several tool
	 * calls: the JSON before and after the results that ctx-check inserts.
	 * $time stands for the timestamp of the message with the tool calls.
	 * NULL if each inserted result is a separate message. */
	const char *result_wrapper[2];
	/* Key of a member of a tool call that is true if the provider runs the
	 * tool. ctx-check inserts no result for such a tool call.  NULL if the
	 * format has no such member. */
	const char *provider_executed_key;
	/* JSON of a user message with the text CTX_NO_START. ctx-check can
	 * insert this message at the beginning of a conversation that does not
	 * begin with a user message.  NULL if it must not be inserted. */
	const char *lead;
};

/* Text of the user message that ctx-check inserts at the beginning of a
 * conversation, in place of messages that are missing. */
#define CTX_NO_START "[earlier messages are missing]"

/* Returns row number i of the table of dialects (counted from 0), or NULL after
 * the last row. */
const struct ctx_dialect *ctx_dialect_at(size_t i);
/* Returns the dialect with this name, or NULL if there is none. */
const struct ctx_dialect *ctx_dialect_find(const char *name);

/* Parses the JSON value at node as a message of a dialect, into *message.
 * Returns 1 on success.  Returns 0 if the value is not a message of this
 * dialect; then the caller must not use *message.  Returns -1 with *err if
 * there is no memory. */
int ctx_dialect_read_message(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *message,
    struct ctx_err *err);

/* Returns 1 if the JSON value at node is a message of this dialect and a person
 * has written it (ctx_message_is_from_user), 0 if not, or -1 with *err.
 * scratch: memory for the parsed message. */
int ctx_dialect_is_from_user(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *scratch,
    struct ctx_err *err);

/* ---- dialect/template.c: messages and tool results that ctx inserts ------ */

/* A callback that sets *value to the JSON text for the name $name in a
 * template.  Returns 0, or -1 with *err. */
typedef int ctx_template_value(void *user, struct ctx_str name,
    struct ctx_str *value, struct ctx_err *err);
/* Fills in a template of a summary, a notice or a tool result that ctx inserts,
 * and appends the result to out.  For each name in the template, such as $text,
 * calls find with the argument user to get the JSON that replaces the name. */
int ctx_template_fill(struct ctx_buf *out, const char *template,
    ctx_template_value *find, void *user, struct ctx_err *err);

/* ---- dialect/detect.c: what a record holds ------------------------------ */

enum ctx_layout_kind {
	CTX_LAYOUT_OTHER,        /* JSON without messages */
	CTX_LAYOUT_MESSAGE,      /* one message */
	CTX_LAYOUT_CONVERSATION, /* messages that are sent together */
	CTX_LAYOUT_LIST,         /* an array of conversations */
};

/* Where a JSON value contains messages, and their dialect (format). */
struct ctx_record_layout {
	enum ctx_layout_kind kind;
	const struct ctx_dialect *dialect; /* dialect of the messages */
	/* true if no other dialect has such messages */
	bool decisive;
	/* True if the messages are probably of the dialect "dialect", although
	 * other dialects are possible. */
	bool likely;
	/* a text for the user: the key or value that identified the dialect */
	const char *why;
	/* JSON node of the array of messages, if the value contains a
	 * conversation.  If is_single_message is true, JSON node of the only
	 * message. */
	uint32_t messages;
	/* If the messages are members of the elements of the array: key of this
	 * member.  NULL if the elements are the messages. */
	const char *element;
	bool is_single_message;
	/* True if the messages are the response of a provider, not a request.
	 * Such messages are not pruned. */
	bool is_response;
	/* JSON node of the object that has the messages as a member, which may
	 * be 0 (the record itself).  Also 0 if there is no such object. */
	uint32_t request;
	bool in_request; /* true if "request" is a request, not a response */
	uint32_t model;  /* JSON node of the model's name, or 0 */
	/* True if the request continues a conversation that the provider has
	 * stored. */
	bool has_remote_state;
	/* for a list of conversations: JSON node of the array */
	uint32_t list;
	uint32_t tools; /* JSON node of the request's tool definitions, or 0 */
};

/* Finds out whether the JSON value at node is a message or contains
 * conversations, and stores in *layout where the messages are and which dialect
 * they have.  Does not look at the texts of messages. expected: the dialect to
 * test first, or NULL. */
void ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_record_layout *layout);

/* Returns the JSON node of the last name of a model in the messages of a
 * conversation, or in a record that is a message (see ctx_dialect.find_model).
 * Returns 0 if no message names a model. */
uint32_t ctx_find_model_of_messages(const struct ctx_json *json,
    const struct ctx_record_layout *layout);

/* ---- dialect/content_blocks.c ------------------------------------------- */

/* Returns why a message must be of Chat Completions or a dialect derived from
 * it, as a text for the user, or NULL if other dialects are possible, too.  The
 * reasons are: the message has "tool_calls", its role is tool, or it is the
 * first message and its role is system. first: true if it is the first
 * message. */
const char *ctx_detect_chat(const struct ctx_json *json, uint32_t node,
    bool first);

#include "dialect/breakpoint_format.h"
#include "dialect/coded_value.h"
#include "dialect/suggest_path.h"

#endif
