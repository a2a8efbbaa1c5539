/* dialect.h - the dialects, which are the message formats of providers,
 * frameworks and agents, and how a message's dialect is detected */
#ifndef CTX_DIALECT_H
#define CTX_DIALECT_H

#include "base/base.h"
#include "dialect/model_rules.h"
#include "json/json.h"
#include "message/message.h"

/* ---- dialect/dialect.c: the table of message formats -------------------- */

/* Rules of a dialect (message format), as bits.  The rules of this first group
 * are used to read and to prune messages.  "Neighbours" are messages with no
 * other message between them. */
enum {
	/* If a tool call and its result have no ids, they are matched by tool
	 * name and order. */
	CTX_PAIR_BY_NAME = 1,
	/* The first message after the system messages must be a user
	 * message. */
	CTX_FIRST_USER = 2,
	/* Neighbours must have different roles. */
	CTX_ALTERNATES = 4,
	/* Neighbouring messages with the role assistant are parts of one
	 * response of the model. */
	CTX_JOINS_ANSWERS = 8,
	/* If a tool call has an id and its result has none, or the other way
	 * round, they are matched by tool name. */
	CTX_PAIR_EITHER = 16,
	/* The conversation is translated to the format of another provider
	 * (option --provider of ctx-check).  System messages at its start then
	 * become the system prompt of the request.  No dialect has this rule by
	 * itself: it is set for the provider. */
	CTX_LIFTS_SYSTEM = 32,
	/* There may be only one system message, and it must be the first
	 * message. */
	CTX_ONE_SYSTEM = 64,
	/* A user message may contain the name of its writer.  A message by
	 * another writer begins a turn. */
	CTX_NAMES_USERS = 128,

	/* The following rules are checked by ctx-check, which reports messages
	 * that break one.  A few of the rules are also used when messages are
	 * grouped.  Bits 8 to 19 are rules about the order and content of
	 * messages.  They hold in whatever format the messages are written. */
	/* Tool results must come directly after the message with their
	 * calls. */
	CTX_RESULTS_NEXT = 1 << 8,
	/* The model can write a program that makes tool calls itself.  Each
	 * such tool call must contain the id of the tool call that runs the
	 * program.  That one must come earlier and not have its result yet. */
	CTX_NAMES_CALLERS = 1 << 9,
	/* The id of a tool call must have 1 to 64 characters: ASCII letters,
	 * digits, underscores and dashes. */
	CTX_PLAIN_IDS = 1 << 10,
	/* The id of a tool call must have at most 64 characters. */
	CTX_SHORT_IDS = 1 << 11,
	/* No text may be empty, and no message may consist of white space
	 * only. */
	CTX_NO_BLANK_TEXT = 1 << 13,
	/* The last message may be empty if it is an assistant message. */
	CTX_LAST_MAY_BE_EMPTY = 1 << 14,
	/* An assistant message must contain more than reasoning. */
	CTX_MUST_SPEAK = 1 << 15,
	/* A system message must come after a user message and before an
	 * assistant message. */
	CTX_SYSTEM_BETWEEN = 1 << 16,
	/* There may be no system message, because the request has a member for
	 * the system prompt. */
	CTX_NO_SYSTEM = 1 << 17,
	/* The last message must be a user message or a tool result. */
	CTX_LAST_USER = 1 << 18,
	/* The provider merges neighbouring messages with one role into one
	 * message. */
	CTX_MERGES = 1 << 19,

	/* Bits 20 to 30 are rules about how a message is written as JSON. */
	/* Tool results must come before all other blocks of their message. */
	CTX_RESULTS_FIRST = 1 << 20,
	/* All results for the tool calls of a message must be in the next
	 * message. */
	CTX_RESULTS_TOGETHER = 1 << 21,
	/* A tool call that is an element of an array must have an id. */
	CTX_NEEDS_IDS = 1 << 22,
	/* The arguments of a tool call must be a string that contains JSON. */
	CTX_ARGUMENTS_TEXT = 1 << 23,
	/* The arguments of a tool call must be a JSON object. */
	CTX_ARGUMENTS_OBJECT = 1 << 24,
	/* The array "tool_calls" may be missing, but not empty. */
	CTX_NO_EMPTY_CALLS = 1 << 25,
	/* A tool result must have content, which is neither null nor an empty
	 * array. */
	CTX_NEEDS_BODY = 1 << 26,
	/* Reasoning must have a signature, or encrypted data. */
	CTX_SIGNED = 1 << 27,
	/* After reasoning there must be another item of the assistant. */
	CTX_REASONING_LEADS = 1 << 28,
	/* The role of a message must be one that ctx knows, so that it is not
	 * read as CTX_ROLE_OTHER. */
	CTX_KNOWN_ROLES = 1 << 29,
	/* Tool results must be in user messages: there is no role tool. */
	CTX_NO_TOOL_ROLE = 1 << 30,
};

/* The rules from bit 31 on are macros, because an enum constant is an int. */

/* The id of a tool call must have exactly 9 characters: A-Z, a-z and 0-9. */
#define CTX_NINE_IDS (UINT64_C(1) << 32)
/* A request may have at most CTX_BREAKPOINTS_MAX cache breakpoints, and none
 * on reasoning. */
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
/* The result of a failed tool call may contain only texts. */
#define CTX_ERRORS_TEXT (UINT64_C(1) << 38)
/* A user message must not come directly after a tool message. */
#define CTX_ANSWERS_RESULTS (UINT64_C(1) << 39)
/* The arguments of a tool call must fit the JSON schema of the tool.  No
 * provider demands this, but ctx-check can report it; see
 * check/schema_rules.c. */
#define CTX_CALLS_FIT (UINT64_C(1) << 40)
/* An assistant message must not have images or other media. */
#define CTX_SAYS_TEXT (UINT64_C(1) << 46)
/* The content of a tool result must be an object. */
#define CTX_RESULT_OBJECT (UINT64_C(1) << 56)
/* A tool result may contain only blocks of the types that
 * ctx_dialect.result_types lists. */
#define CTX_RESULT_TYPES (UINT64_C(1) << 57)
/* The content of a tool result must be a string or an array of blocks. */
#define CTX_RESULT_STRING (UINT64_C(1) << 59)
/* Several providers accept this format.  So ctx-check also applies the rules
 * of the provider whose model is used; see ctx_vendor_rules. */
#define CTX_MODEL_DECIDES (UINT64_C(1) << 60)

/* Rules of ctx-check about the order of roles.  They say what providers accept.
 * CTX_FIRST_USER and CTX_ALTERNATES are stricter; the output of pruning follows
 * them even if the provider accepts more. */

/* The first message must be a user message or a tool result. */
#define CTX_ASKS_FIRST (UINT64_C(1) << 41)
/* Of two neighbouring messages, one must be from the assistant, and the other
 * from the user or a tool. */
#define CTX_ASKS_TURNS (UINT64_C(1) << 42)
/* All results for the tool calls of a message must be in one message. */
#define CTX_ASKS_TOGETHER (UINT64_C(1) << 58)
/* The provider reads neighbouring messages with one role as one turn.  Formats
 * with this rule also have the rule CTX_ALTERNATES.  So the output of pruning
 * has no such neighbours, unlike in formats with CTX_MERGES. */
#define CTX_TAKES_ROWS  (UINT64_C(1) << 45)
#define CTX_ONE_MESSAGE (CTX_TAKES_ROWS | CTX_MERGES)
/* The id of a tool call may contain . and : in addition to the characters of
 * CTX_PLAIN_IDS. */
#define CTX_DOTTED_IDS (UINT64_C(1) << 43)
/* Tool results must come before the next user or system message. */
#define CTX_RESULTS_BY_USER (UINT64_C(1) << 44)

/* The set of all rules about how messages are written as JSON.  If a
 * conversation is translated for a provider with another format, its JSON is
 * written anew, so these rules of that provider do not apply. */
#define CTX_FORM_RULES                                                       \
	(UINT64_C(0xff000000fff00000) | CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | \
	    CTX_JOINS_ANSWERS)

/*
 * If a tool call has no result, ctx-check can insert one.  This is a template
 * for it. $id and $name stand for the JSON strings of the call's id and tool
 * name, $text for the JSON string of the inserted content.
 *
 * A template fits a tool call under two conditions.  The call has an id if the
 * template contains $id, and a name if it contains $name.  The type of the
 * template is NULL or the type of the call.  The first template that fits is
 * used; if its text is empty, nothing is inserted.
 *
 * The type of a call is the member "type" of its block, or of its message if
 * the call has no block.  Without such a member, it is the role of the message.
 */
struct ctx_result_template {
	const char *type;
	const char *text;
};

/* Kinds of session files.  They differ in how the agent rebuilds its context,
 * the messages that it sends, from the lines: later lines remove or replace
 * earlier ones, or leave them on an abandoned branch. */
enum ctx_history {
	/* not a session file: all messages are in the context */
	CTX_HISTORY_NONE,
	CTX_HISTORY_LOG, /* a log: each line changes the context so far */
	/* a tree: the context is the path from the root to the file's last
	 * line */
	CTX_HISTORY_LAST,
	/* a tree: the context is the path from the root to the last message of
	 * a branch; of several branches, the one whose last message is later
	 * in the file */
	CTX_HISTORY_TIP,
};

/* Effect of a line of a session file on the context, the messages that the
 * agent sends to the model. */
enum ctx_line_kind {
	/* A header, an event or a snapshot: the line does not change the
	 * context. */
	CTX_LINE_ASIDE,
	/* The line does not change the context, but other lines of the tree may
	 * have it as their parent. */
	CTX_LINE_LINK,
	/* The line is a message.  In a log, it replaces an earlier line with
	 * the same id. */
	CTX_LINE_MESSAGE,
	/* The line is a summary.  It replaces all lines before it.  If it
	 * contains the id of another line, it replaces only the lines before
	 * that one. */
	CTX_LINE_SUMMARY,
	/* The line is a summary that replaces all earlier lines but the user
	 * messages. */
	CTX_LINE_DIGEST,
	/* The line contains the id of a message, and removes this message and
	 * all lines after it.  If no message has this id, the line
	 * removes all lines. */
	CTX_LINE_REWIND,
	/* The line removes the newest turns. */
	CTX_LINE_ROLLBACK,
};

enum {
	CTX_LINE_USER = 1, /* begins a turn, as counted by ROLLBACK */
	/* Context that the agent adds before a turn.  A CTX_LINE_ROLLBACK that
	 * removes the turn removes this line, too. */
	CTX_LINE_CONTEXT = 2,
	/* contains results for tool calls of the parent line */
	CTX_LINE_RESULT = 4,
	/* The line belongs to a subagent.  It is in the context only if the
	 * branch that the agent sends ends in a line of a subagent, as in a
	 * subagent's own file. */
	CTX_LINE_SIDE = 8,
	CTX_LINE_META = 16, /* ends a branch only if no other line can */
	/* The model wrote the line.  Neighbouring lines that the model wrote
	 * are one response. */
	CTX_LINE_ANSWER = 32,
	/* In a log: the line asks for a summary.  The line with the summary
	 * contains the id of this line. */
	CTX_LINE_ASKS = 64,
};

/* Data in a line of a session file about its place among the lines.  Members of
 * type uint32_t are JSON nodes of the line; 0 if the line has no such value. */
struct ctx_line_place {
	enum ctx_line_kind kind;
	unsigned flags;
	uint32_t id;     /* id of the line */
	uint32_t parent; /* id of the line's parent in the tree */
	/* Key of the member that contains the id of a line's parent; NULL if
	 * lines of this format have no parent.  Set even if this line lacks the
	 * member. */
	const char *parent_key;
	/* Id of another line, not the parent, to which this line refers.  If
	 * the other line is removed, ctx replaces this id by the id of a line
	 * that is kept. */
	uint32_t about;
	/* Id of the message, if an agent writes a message as several lines.
	 * All lines of the message contain the same id. */
	uint32_t same;
	uint32_t model; /* name of the model that is used from this line on */
	/* number of turns that a line of the kind CTX_LINE_ROLLBACK removes */
	uint64_t turns;
};

/* Where a format reports how many input tokens the provider has billed for a
 * request.  Each list has paths (see ctx_json_find_path) to numbers whose sum
 * is the input, with the tokens that were read from the prompt cache and
 * written to it.  The first number must be there; the others are of providers
 * whose first number does not include the cache.  A list without a path: the
 * format reports nothing there. */
enum { CTX_USAGE_PATHS = 3 };
struct ctx_usage {
	/* JSON paths from a message to the usage of the request it answers. */
	const char *message[CTX_USAGE_PATHS];
	/* JSON paths from a line of a session file that is not a message to the
	 * usage of the request whose response is before the line. */
	const char *line[CTX_USAGE_PATHS];
	/* JSON paths from the object around the messages (a request or a
	 * response) to its usage. */
	const char *request[CTX_USAGE_PATHS];
	/* JSON paths from the message, the line or the object to numbers of
	 * tokens; NULL: not reported. read: input read from the prompt cache.
	 * written: input written to it. written_hour: of the tokens written,
	 * those that the cache stores for an hour. output: output. */
	const char *read, *written, *written_hour, *output;
};

/*
 * A dialect: a message format.  This struct contains all that the rest of the
 * library knows about a format, and is a row of a table.  Each format also has
 * a file with the functions that read it.
 *
 * Templates and forms below are pieces of JSON.  A literal is a JSON string
 * with its quotes.
 */
struct ctx_dialect {
	const char *name;
	const char *about; /* description for --help and the manual */
	/* If the JSON value at node is a message that only this dialect
	 * writes, returns the reason in a few words, to be shown to users.
	 * Otherwise returns NULL. */
	const char *(*matches)(const struct ctx_json *json, uint32_t node);
	/* Like the function "matches", but returns a reason also for some
	 * messages that another dialect claims.  It is called only when the
	 * dialect of the stream is known to be this one.  NULL: no other
	 * dialect claims such messages. */
	const char *(
	    *matches_expected)(const struct ctx_json *json, uint32_t node);
	/* Returns a reason, as the function "matches" does, but for messages
	 * that only suggest this dialect, because other dialects have such
	 * messages, too.  The reason is used only if no message of the stream
	 * proves a dialect.  NULL: no message suggests this dialect. */
	const char *(*likely)(const struct ctx_json *json, uint32_t node);
	/* Parses a message.  Only ctx_dialect_read_message calls this function;
	 * its comment says what is returned. */
	int (*read)(const struct ctx_json *json, uint32_t node,
	    struct ctx_message *parsed, struct ctx_err *err);
	/* Only for session files of agents. history: how their lines lead to
	 * the context (see enum ctx_history). read_line: sets all members of
	 * *line for a line of the file, whose JSON value is at node.  If the
	 * line is not of this format, line->kind becomes CTX_LINE_ASIDE. */
	enum ctx_history history;
	void (*read_line)(const struct ctx_json *json, uint32_t node,
	    struct ctx_line_place *line);
	/* Key of a member that numbers the messages of an array, from 1.
	 * NULL: messages have no numbers. */
	const char *ordinal;
	/* For an array of messages, one of which is a summary that replaces the
	 * messages before it: returns the JSON node of the first message that
	 * is still sent to the model.  Otherwise returns 0.  NULL: in this
	 * format all messages are always sent. */
	uint32_t (*first_visible)(const struct ctx_json *json, uint32_t array);
	uint64_t rules; /* rules such as CTX_PAIR_BY_NAME */
	struct ctx_usage usage;
	/* Returns the JSON node of a message's model name; 0 if it has none.
	 * NULL: messages name no model. */
	uint32_t (*find_model)(const struct ctx_json *json, uint32_t message);
	/* Tokens beside those of texts: for each message, for each name of a
	 * sender, and once per conversation. */
	uint8_t per_message, per_name, priming;
	/* True if only the keys and strings in the JSON of tool arguments and
	 * results cost tokens, not punctuation and numbers. */
	bool counts_strings_only;
	/* rules for models that have none of their own */
	struct ctx_image image;
	struct ctx_tools tools;
	/* For a tool result whose content is only a text: the JSON before the
	 * string with the text, and the JSON after it. */
	const char *text_result_form[2];
	/*
	 * Only for formats in which the content of a tool result says that the
	 * tool call failed; in other formats a member beside the content says
	 * so.
	 *
	 * failed: the JSON before and after a text, like text_result_form.  It
	 * is used when a text replaces the content of a failed call, so that
	 * the new content says so, too. failures: the values that "type" has in
	 * the content of a failed call, up to NULL.  If failures is empty, such
	 * content is a string, and only the content of a failed call is one.
	 * If failed is NULL, text_result_form is used for all results.
	 *
	 * To find out whether a call failed, use ctx_block.is_error, which is
	 * set in all formats.
	 */
	const char *failed[2], *failures[4];
	/* Key of the member beside the message with the agent's own copy of the
	 * tool result, which is not sent.  NULL: the format has none. */
	const char *result_copy;
	/* A content block with which ctx can replace an image or other media by
	 * a text: the JSON before the string with the text.  After the string
	 * comes "}".  NULL: the format has no such block. */
	const char *text_block;
	/* The types of the blocks that a tool result may contain, up to NULL;
	 * for blocks without a type, their only key.  NULL: not known. */
	const char *const *result_types;
	/*
	 * Templates of the messages that ctx inserts in place of removed ones.
	 * A summary is inserted after the system messages at the start, a
	 * notice before a turn.  NULL: the format has no place for such a
	 * message.
	 *
	 * A template contains these names, which are replaced:
	 *   $text         the text of the summary or notice, as a JSON string
	 *   $uuid, $hex   a generated id of 36 or 8 characters
	 *   $parent       the id of the line before the inserted message
	 *
	 * Any other $KEY stands for the member KEY of the message after the
	 * inserted one, and $KEY.KEY for a member inside a member; null if
	 * there is none.
	 */
	const char *summary, *notice;
	/* For formats whose servers refuse an additional message
	 * (dialect/NOTES.md): template of a block with a summary or notice.
	 * ctx puts this block before the other blocks of the user's next
	 * message.  If the content of that message is a string and
	 * inserts_in_string is true, the text is put at the start of the
	 * string.  Only if no user message is left does a summary become a
	 * message by itself.  NULL: summaries and notices are always
	 * messages. */
	const char *insertion_block;
	bool inserts_in_string;
	/* Templates for the results that ctx-check inserts for tool calls
	 * without one.  If there are none, it inserts no results. */
	struct ctx_result_template synthetic_results[8];
	/* Only for formats in which one message has the results of several tool
	 * calls: the JSON before and after the results that ctx-check inserts.
	 * $time stands for the timestamp of the message with the tool calls.
	 * NULL: each inserted result is a message by itself. */
	const char *result_wrapper[2];
	/* Only for formats that say in a tool call that the provider runs the
	 * tool: key of the member that is then true.  For such a call,
	 * ctx-check inserts no result.  NULL: the format does not say so. */
	const char *provider_executed_key;
	/* JSON of a user message with the text CTX_NO_START.  If a conversation
	 * does not begin with a user message, ctx-check can insert this one at
	 * its start.  NULL: ctx-check inserts none. */
	const char *lead;
};

/* Text of a user message that ctx-check inserts at the start of a
 * conversation, in place of messages that are missing. */
#define CTX_NO_START "[earlier messages are missing]"

/* Returns row number i, from 0, of the table of dialects; NULL after the
 * last. */
const struct ctx_dialect *ctx_dialect_at(size_t i);
/* Returns the dialect with this name; NULL if there is none. */
const struct ctx_dialect *ctx_dialect_find(const char *name);

/* Parses the JSON value at node as a message of a dialect, into *message.
 * Returns 1; 0 if it is not a message of this dialect (*message is then
 * undefined); or -1 with *err if there is no memory. */
int ctx_dialect_read_message(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *message,
    struct ctx_err *err);

/* ---- dialect/template.c: messages and tool results that ctx inserts ------ */

/* Sets *value to the JSON text that stands for $name in a template.  Returns 0,
 * or -1 with *err. */
typedef int ctx_template_value(void *user, struct ctx_str name,
    struct ctx_str *value, struct ctx_err *err);
/* Fills in a template for a summary, a notice or a tool result that ctx
 * inserts, and appends the result to out.  The template contains names such as
 * $text.  For each, calls find to get the JSON that replaces it; find gets the
 * argument user. */
int ctx_template_fill(struct ctx_buf *out, const char *template,
    ctx_template_value *find, void *user, struct ctx_err *err);

/* ---- dialect/detect.c: what a record holds ------------------------------ */

enum ctx_layout_kind {
	CTX_LAYOUT_OTHER,        /* JSON without messages */
	CTX_LAYOUT_MESSAGE,      /* one message */
	CTX_LAYOUT_CONVERSATION, /* messages that are sent together */
	CTX_LAYOUT_LIST,         /* an array of conversations */
};

/* Place of the messages in a JSON value, and their format. */
struct ctx_record_layout {
	enum ctx_layout_kind kind;
	const struct ctx_dialect *dialect; /* dialect of the messages */
	bool decisive; /* true if no other dialect is possible */
	/* True if the messages are probably of this dialect, but others are
	 * possible. */
	bool likely;
	const char *why; /* what identified the dialect, to be shown to users */
	/* For a value that contains a conversation: the JSON node of its array
	 * of messages.  If is_single_message is true, the node of the only
	 * message. */
	uint32_t messages;
	/* If each element of the array contains a message as a member: the key
	 * of that member.  NULL: the element itself is the message. */
	const char *element;
	bool is_single_message;
	/* True if the messages are responses of a provider, not a request.
	 * Such messages are not pruned. */
	bool is_response;
	/* JSON node of the object that contains the messages as a member; 0 if
	 * no object contains them */
	uint32_t request;
	bool in_request; /* true if this object is a request */
	uint32_t model;  /* JSON node of the model's name, or 0 */
	/* True if the request continues a conversation that the provider has
	 * stored. */
	bool has_remote_state;
	/* for a list of conversations: JSON node of the array */
	uint32_t list;
};

/* Finds out whether the JSON value at node is a message or contains
 * conversations.  Looks at keys and types, not at texts. expected is the
 * dialect to try first, or NULL. */
void ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_record_layout *layout);

/* ---- dialect/coded_request.c: a request in a string --------------------- */

/* A request that is written as JSON inside a string of a record, as logs of
 * HTTP requests write it. */
struct ctx_coded_request {
	uint32_t node; /* JSON node of the string in the record */
	/* the decoded text of the string, and its JSON */
	struct ctx_buf text;
	struct ctx_json json;
};
/* Finds the coded request of a record: its member "request_body" or "request",
 * if this is a string and the record contains no other request or message.
 * Returns 1 with *coded set, 0 if there is none, or -1 with *err. */
int ctx_read_coded_request(const struct ctx_json *json,
    struct ctx_coded_request *coded, struct ctx_err *err);
void ctx_coded_request_release(struct ctx_coded_request *coded);

/* ---- dialect/detect_chat.c ---------------------------------------------- */

/* Returns a text for users that says why a message must be of Chat Completions
 * or a dialect derived from it; NULL if it can be of another dialect.  The
 * reasons are: it has "tool_calls", its role is tool, or its role is system and
 * it is the first message. first: true if it is the first message. */
const char *ctx_detect_chat(const struct ctx_json *json, uint32_t node,
    bool first);

/* ---- dialect/find_model.c: the model of a request or conversation ------- */

/* Returns the JSON node of the model's name in a request; 0 if it has none. */
uint32_t ctx_find_model_of_request(const struct ctx_json *json,
    uint32_t request);
/* Returns the JSON node of the last model name that the messages of a
 * conversation, or the record that is a message, have (member find_model of
 * the dialect); 0 if they name no model. */
uint32_t ctx_find_model_of_messages(const struct ctx_json *json,
    const struct ctx_record_layout *layout);

/* ---- dialect/suggest_path.c: finds messages in an unknown format -------- */

/* Where a record of an unknown format seems to contain messages. */
struct ctx_suggested_path {
	/* The place as a jq path, such as ".run.turns", ".[].log" or
	 * ".a[\"b.c\"]".  Empty if there is none, if the path is too long, or
	 * if a key in it has characters other than letters, digits, _ . and -.
	 */
	char path[96];
	/* True if the value at the path is a request, which ctx would read if
	 * it were the record; false if it is an array of messages. */
	bool request;
	/* True if the value is a string that contains the request or the array
	 * as JSON. */
	bool coded;
};

/* For an error message after ctx_detect has found no messages: finds where a
 * JSON value seems to contain some.  The place is the first array whose first
 * element has a role, or the request with this array.  If there is none, it is
 * the first string that contains a request or such an array. */
int ctx_suggest_path(const struct ctx_json *json,
    struct ctx_suggested_path *stray, struct ctx_err *err);

#include "dialect/breakpoint_format.h"

#endif
