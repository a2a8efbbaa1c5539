/* dialect.h - the dialects (message formats of providers, frameworks and
 * agents), and how they are detected */
#ifndef CTX_DIALECT_H
#define CTX_DIALECT_H

#include "base/base.h"
#include "json/json.h"
#include "message/message.h"

/* ---- dialect/dialect.c: the table of message formats -------------------- */

/* How a model counts the tokens of an image. cost/image_tokens.c says, for
 * each value, what the numbers x, y and edge mean. */
enum ctx_image_rule {
	CTX_IMAGE_NONE, /* not known */
	CTX_IMAGE_TILES,
	CTX_IMAGE_PATCHES,
	CTX_IMAGE_SQUARES,
	CTX_IMAGE_CROPS,
	CTX_IMAGE_FIXED,
	CTX_IMAGE_RULES
};
struct ctx_image {
	enum ctx_image_rule rule;
	uint32_t x, y, edge;
};

/* How the tool definitions of a request are written into the model's prompt;
 * see cost/request_overhead.c. */
enum ctx_tools_rule {
	CTX_TOOLS_NONE,  /* not known */
	CTX_TOOLS_TYPES, /* as TypeScript types */
	CTX_TOOLS_JSON,  /* as JSON */
	/* only the names and texts of the definitions, without the punctuation
	 * of their JSON */
	CTX_TOOLS_TEXTS,
	CTX_TOOLS_RULES
};
struct ctx_tools {
	enum ctx_tools_rule rule;
	/* number of tokens added around all definitions, unless the request
	 * forces a tool call */
	uint32_t once;
	/* number of tokens added around all definitions if the request forces
	 * a tool call */
	uint32_t forced;
};

/* Rules of a dialect (format), as bits.  The first group is about reading and
 * pruning. "Neighbours" are messages with no other message between them. */
enum {
	/* A tool call and a result without ids are matched by tool name and
	 * order. */
	CTX_PAIR_BY_NAME = 1,
	/* The first message after the system messages is a user message. */
	CTX_FIRST_USER = 2,
	/* Neighbours have different roles. */
	CTX_ALTERNATES = 4,
	/* Neighbours of role assistant are one response. */
	CTX_JOINS_ANSWERS = 8,
	/* A tool call and a result are matched by name if only one of them has
	 * an id. */
	CTX_PAIR_EITHER = 16,
	/* The conversation is translated for another provider, and system
	 * messages at the start become the system prompt of the request.  Set
	 * for a provider, never in the table of dialects. */
	CTX_LIFTS_SYSTEM = 32,
	/* There is at most one system message, and it is the first message. */
	CTX_ONE_SYSTEM = 64,
	/* A user message may contain the name of its writer.  A message of
	 * another writer begins a turn. */
	CTX_NAMES_USERS = 128,

	/* The rules from here on are checked by ctx_check; a few are also used
	 * when messages are grouped.  Bits 8 to 19 are rules about the
	 * conversation, in whatever format it is written. */
	/* Tool results come directly after the message with their calls. */
	CTX_RESULTS_NEXT = 1 << 8,
	/* A tool call that a program of the model made names the call that
	 * runs the program.  That call must come before it and have no result
	 * yet. */
	CTX_NAMES_CALLERS = 1 << 9,
	/* The id of a tool call has 1 to 64 characters: ASCII letters, digits,
	 * underscores and dashes. */
	CTX_PLAIN_IDS = 1 << 10,
	/* The id of a tool call has at most 64 characters. */
	CTX_SHORT_IDS = 1 << 11,
	/* No text is empty, and no message consists of white space only. */
	CTX_NO_BLANK_TEXT = 1 << 13,
	/* If the last message is an assistant message, it may be empty. */
	CTX_LAST_MAY_BE_EMPTY = 1 << 14,
	/* An assistant message contains more than reasoning. */
	CTX_MUST_SPEAK = 1 << 15,
	/* A system message comes after a user message and before an assistant
	 * message. */
	CTX_SYSTEM_BETWEEN = 1 << 16,
	/* No message is a system message: the request has a member for the
	 * system prompt. */
	CTX_NO_SYSTEM = 1 << 17,
	/* The last message is a user message or a tool result. */
	CTX_LAST_USER = 1 << 18,
	/* The provider merges neighbours of one role into one message. */
	CTX_MERGES = 1 << 19,

	/* Bits 20 to 30 are rules about the form of the messages. */
	/* Tool results come before all other blocks of their message. */
	CTX_RESULTS_FIRST = 1 << 20,
	/* All results for the calls of a message are in the next message. */
	CTX_RESULTS_TOGETHER = 1 << 21,
	/* A tool call that is an element of an array has an id. */
	CTX_NEEDS_IDS = 1 << 22,
	/* The arguments of a tool call are JSON in a string. */
	CTX_ARGUMENTS_TEXT = 1 << 23,
	/* The arguments of a tool call are an object. */
	CTX_ARGUMENTS_OBJECT = 1 << 24,
	/* "tool_calls" is not []. */
	CTX_NO_EMPTY_CALLS = 1 << 25,
	/* A tool result has content, which is neither null nor an empty array.
	 */
	CTX_NEEDS_BODY = 1 << 26,
	/* Reasoning has a signature, or encrypted data. */
	CTX_SIGNED = 1 << 27,
	/* Reasoning is followed by another item of the assistant. */
	CTX_REASONING_LEADS = 1 << 28,
	/* The role of each message is known: it is never read as
	 * CTX_ROLE_OTHER. */
	CTX_KNOWN_ROLES = 1 << 29,
	/* Tool results are in user messages: there is no role tool. */
	CTX_NO_TOOL_ROLE = 1 << 30,
};

/* The rules from bit 31 on are macros, because an enum constant is an int. */

/* The id of a tool call is exactly 9 of A-Z a-z 0-9 */
#define CTX_NINE_IDS (UINT64_C(1) << 32)
/* A request has at most CTX_BREAKPOINTS_MAX cache breakpoints, and none on
 * reasoning. */
#define CTX_FEW_BREAKPOINTS (UINT64_C(1) << 33)
/* The number of bytes of a request is limited; see ctx_provider_limits. */
#define CTX_SMALL_REQUEST (UINT64_C(1) << 34)
/* A request whose messages have tool calls defines tools. */
#define CTX_NEEDS_TOOLS (UINT64_C(1) << 35)
/* The number, bytes and pixels of images are limited; see ctx_provider_limits.
 */
#define CTX_IMAGE_LIMITS (UINT64_C(1) << 36)
/* A tool result holds only texts. */
#define CTX_RESULTS_TEXT (UINT64_C(1) << 37)
/* The result of a failed tool call contains only texts. */
#define CTX_ERRORS_TEXT (UINT64_C(1) << 38)
/* A user message does not come directly after a tool message. */
#define CTX_ANSWERS_RESULTS (UINT64_C(1) << 39)
/* The arguments of a tool call fit the JSON schema of the tool.  No provider
 * demands this; see check/schema_rules.c. */
#define CTX_CALLS_FIT (UINT64_C(1) << 40)
/* An assistant message has no media blocks. */
#define CTX_SAYS_TEXT (UINT64_C(1) << 46)
/* The body of a tool result is an object. */
#define CTX_RESULT_OBJECT (UINT64_C(1) << 56)
/* A tool result contains only blocks of the types in ctx_dialect.result_types.
 */
#define CTX_RESULT_TYPES (UINT64_C(1) << 57)
/* The content of a tool result is a string or an array of blocks. */
#define CTX_RESULT_STRING (UINT64_C(1) << 59)
/* Several providers accept this format. ctx_check also applies the rules of
 * the provider that the model belongs to; see ctx_vendor_rules. */
#define CTX_MODEL_DECIDES (UINT64_C(1) << 60)

/* The rules of ctx_check about the order of roles.  CTX_FIRST_USER and
 * CTX_ALTERNATES are stricter: they are for the output of pruning, even if the
 * provider accepts more. */

/* The first message is a user message or a tool result. */
#define CTX_ASKS_FIRST (UINT64_C(1) << 41)
/* Two neighbouring messages are not both from the assistant, and not both from
 * the user or a tool. */
#define CTX_ASKS_TURNS (UINT64_C(1) << 42)
/* All results for the calls of a message are in one message. */
#define CTX_ASKS_TOGETHER (UINT64_C(1) << 58)
/* The provider takes neighbouring messages of one role as one turn.  Pruning
 * never leaves two neighbours of one role, because the format also has
 * CTX_ALTERNATES.  In a format with CTX_MERGES pruning may leave them. */
#define CTX_TAKES_ROWS  (UINT64_C(1) << 45)
#define CTX_ONE_MESSAGE (CTX_TAKES_ROWS | CTX_MERGES)
/* CTX_PLAIN_IDS allows . and : too. */
#define CTX_DOTTED_IDS (UINT64_C(1) << 43)
/* Tool results come before the next user or system message. */
#define CTX_RESULTS_BY_USER (UINT64_C(1) << 44)

/* The rules about the form in which messages are written.  They do not hold
 * for a provider to which the conversation is sent in another format. */
#define CTX_FORM_RULES                                                       \
	(UINT64_C(0xff000000fff00000) | CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | \
	    CTX_JOINS_ANSWERS)

/*
 * A template for the tool result that ctx_check inserts for a call without one.
 * $id and $name stand for the JSON strings of the call's id and tool name,
 * $text for the JSON string of the content.
 *
 * ctx_check uses the first template that fits the call.  A template fits if the
 * call has an id and a name, as far as the template contains $id and $name.
 * Its type must also be NULL or the type of the call: "type" in the block of
 * the call, or in the message if the call has no block.  Without "type", the
 * role of the message is the type.  If text is empty, no result is inserted.
 */
struct ctx_result_template {
	const char *type;
	const char *text;
};

/* How the lines of an agent's session file lead to the context, the messages
 * that the agent sends.  From such a file the agent rebuilds its context:
 * later lines remove or replace earlier ones, or leave them on an abandoned
 * branch. */
enum ctx_history {
	/* not a session file: every message is in the context */
	CTX_HISTORY_NONE,
	CTX_HISTORY_LOG, /* each line changes the context so far */
	/* a tree: the context is the path from the root to the last line */
	CTX_HISTORY_LAST,
	/* a tree: the context is the path from the root to the last message of
	 * a branch; of several branches, the one whose last message is later
	 * in the file */
	CTX_HISTORY_TIP,
};

/* What a line of a session file does to the context, the messages that the
 * agent sends. */
enum ctx_line_kind {
	/* nothing: the line is a header, an event or a snapshot */
	CTX_LINE_ASIDE,
	CTX_LINE_LINK, /* nothing, but it is a node of the tree */
	/* The line is a message.  In a log it replaces an earlier line with
	 * its id. */
	CTX_LINE_MESSAGE,
	/* The line is a summary.  It replaces all lines before it or, if it
	 * contains the id of another line, only the lines before that line. */
	CTX_LINE_SUMMARY,
	/* The line is a summary that replaces all lines but user messages. */
	CTX_LINE_DIGEST,
	/* The line contains the id of a message, and removes this message and
	 * all lines after it.  If no message has this id, the line
	 * removes all lines. */
	CTX_LINE_REWIND,
	/* Removes the newest turns. */
	CTX_LINE_ROLLBACK,
};

enum {
	CTX_LINE_USER = 1, /* opens a turn, which ROLLBACK counts */
	/* CTX_LINE_ROLLBACK removes this line with the turn after it */
	CTX_LINE_CONTEXT = 2,
	CTX_LINE_RESULT = 4, /* has results for the calls of its parent */
	/* The line belongs to a subagent.  It is in the context only if the
	 * file contains nothing else. */
	CTX_LINE_SIDE = 8,
	CTX_LINE_META = 16, /* the tip only if the file has no other */
	/* the model wrote the line; neighbouring lines of this kind are one
	 * response */
	CTX_LINE_ANSWER = 32,
	/* In a log: the line requests a summary.  The line with the summary
	 * contains the id of this line. */
	CTX_LINE_ASKS = 64,
};

/* What a line of a session file says about its place among the lines.  Members
 * of type uint32_t are nodes of the record, 0 if the line has no such value. */
struct ctx_line_place {
	enum ctx_line_kind kind;
	unsigned flags;
	uint32_t id;     /* of the line */
	uint32_t parent; /* id of the line before it in the tree */
	/* The key under which lines of this format contain the id of their
	 * parent.  It is also set if this line has no such member. */
	const char *parent_key;
	/* The id of another line.  If that line is removed, the id of a line
	 * that is kept must be written here. */
	uint32_t about;
	uint32_t same;  /* lines with equal values are one message */
	uint32_t model; /* name of the model from this line on */
	/* The token usage that the provider reported for the response before
	 * this line.  If there are several reports, the first counts. */
	uint32_t usage;
	uint64_t turns; /* ROLLBACK: how many turns it removes */
};

/* A dialect: a message format.  Each has an entry in the table and a file with
 * the functions that read it; this struct contains all that the rest of the
 * library knows about a format.  In templates, "literal" means a JSON string
 * with its quotes. */
struct ctx_dialect {
	const char *name;
	const char *about; /* for --help and the manual */
	/* Returns a few words for users that say why the value at node is a
	 * message which only this dialect writes; NULL if it is not. */
	const char *(*matches)(const struct ctx_json *json, uint32_t node);
	/* Like the function above, but also accepts messages that another
	 * dialect claims.  It is called only in a stream whose dialect is this
	 * one.  NULL: there are no such messages. */
	const char *(
	    *matches_expected)(const struct ctx_json *json, uint32_t node);
	/* Like the first function above (matches), but also accepts messages
	 * that other dialects write, too.  The result is used only if no
	 * message of the stream matches a dialect other than "generic".  NULL:
	 * there are no such messages. */
	const char *(*likely)(const struct ctx_json *json, uint32_t node);
	/* Called only by ctx_dialect_read_message, which has the same result.
	 */
	int (*read)(const struct ctx_json *json, uint32_t node,
	    struct ctx_message *parsed, struct ctx_err *err);
	/* For session files: how the lines lead to the context, and a function
	 * that reads a line.  The function sets all members of *line, from the
	 * JSON value of the line.  A line that is not of this format gets
	 * CTX_LINE_ASIDE. */
	enum ctx_history history;
	void (*read_line)(const struct ctx_json *json, uint32_t node,
	    struct ctx_line_place *line);
	/* Key of the member that numbers the messages of an array from 1;
	 * NULL: they have no numbers. */
	const char *ordinal;
	/* Returns the first message of an array that is sent to the model, if
	 * a later message replaces those before it; else 0.  NULL: all
	 * messages are sent. */
	uint32_t (*first_visible)(const struct ctx_json *json, uint32_t array);
	uint64_t rules; /* CTX_PAIR_BY_NAME and so on */
	/* Tokens in addition to those of the texts: per message, per name of a
	 * sender, and once per conversation. */
	uint8_t per_message, per_name, priming;
	/* True if arguments and results that are JSON count as the keys and
	 * strings in them, without punctuation and numbers. */
	bool counts_strings_only;
	/* How tokens of images and tools are counted for models without rules
	 * of their own. */
	struct ctx_image image;
	struct ctx_tools tools;
	/* A tool result whose content is only a text: the JSON before and
	 * after the text's literal. */
	const char *text_result_form[2];
	/* Like text_result_form, for the result of a failed tool call; NULL:
	 * the form is the same.  A result is a failure if the "type" of its
	 * content is in failures, which ends with NULL; or, if failures is
	 * empty, if its content is a string. */
	const char *failed[2], *failures[4];
	/* A content block that is only a text: the JSON before its literal;
	 * "}" comes after it.  It can replace any media block.  NULL: the
	 * format has no such block. */
	const char *text_block;
	/* The types (or, in formats without types, the only keys) of the
	 * blocks that a tool result may contain, ended by NULL; NULL: not
	 * known. */
	const char *const *result_types;
	/*
	 * Templates of the messages that ctx inserts in place of removed ones.
	 * A summary is inserted after the system messages at the start, a
	 * notice before a turn.  NULL: the format has no place for such a
	 * message.
	 *
	 * In a template, $text is the literal of the text. $uuid and $hex are a
	 * generated id of 36 or 8 characters. $parent is the id of the line
	 * before the inserted one.  Any other $KEY or $KEY.KEY is the value of
	 * this member in the message that follows the inserted one; it is null
	 * if there is none.
	 */
	const char *summary, *notice;
	/* For servers that refuse an additional message (dialect/NOTES.md):
	 * template of the block in which a summary or notice is written,
	 * before the blocks of the user's next message.  If inserts_in_string
	 * is true and the content of that message is a string, the text is put
	 * at the start of the string instead.  Only if no user message is left
	 * is a summary a message by itself.  NULL: summaries and notices are
	 * always messages. */
	const char *insertion_block;
	bool inserts_in_string;
	/* Templates of results for tool calls without one; if there are none,
	 * ctx_check inserts no results. */
	struct ctx_result_template synthetic_results[8];
	/* The JSON before and after results for tool calls that makes them one
	 * message; NULL: each result is a message. $time is the timestamp of
	 * the message with the calls. */
	const char *result_wrapper[2];
	/* Key of the member of a tool call that is true if the provider runs
	 * the tool, so that ctx_check inserts no result; or NULL. */
	const char *provider_executed_key;
	/* A user message with the text CTX_NO_START, which ctx_check inserts
	 * before a first message that is not a user message.  NULL: it inserts
	 * none. */
	const char *lead;
};

/* Text of a user message that ctx_check inserts at the start, in place of
 * missing messages. */
#define CTX_NO_START "[earlier messages are missing]"

/* Returns entry i of the table of dialects, or NULL after the last. */
const struct ctx_dialect *ctx_dialect_at(size_t i);
/* Returns the row of this name, or NULL. */
const struct ctx_dialect *ctx_dialect_find(const char *name);

/* Reads the JSON value at node into *message.  Returns 1; 0 if the value is
 * not a message of this dialect (*message is then undefined); -1 with *err if
 * there is no memory. */
int ctx_dialect_read_message(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *message,
    struct ctx_err *err);
/* Scans text into *json, then reads a message in it.  node: the index that the
 * message has among the JSON values of text; 0 if the text is the message.
 * Returns what ctx_dialect_read_message does.  The text and *json must stay
 * valid as long as *message is used. */
int ctx_dialect_read_text(const struct ctx_dialect *dialect,
    struct ctx_str text, struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err);

/* ---- dialect/template.c: messages and tool results that ctx inserts ------ */

/* Sets *value to the JSON text that stands for $name in a template.  Returns 0,
 * or -1 with *err. */
typedef int ctx_template_value(void *user, struct ctx_str name,
    struct ctx_str *value, struct ctx_err *err);
/* Appends a template of a dialect (summary, notice, insertion_block and others)
 * to out.  Each $NAME in it is replaced by what find, called with user, sets.
 */
int ctx_template_fill(struct ctx_buf *out, const char *template,
    ctx_template_value *find, void *user, struct ctx_err *err);

/* ---- dialect/detect.c: what a record holds ------------------------------ */

enum ctx_layout_kind {
	CTX_LAYOUT_OTHER,        /* JSON without messages */
	CTX_LAYOUT_MESSAGE,      /* one message */
	CTX_LAYOUT_CONVERSATION, /* messages that are sent together */
	CTX_LAYOUT_LIST,         /* an array of conversations */
};

/* What was detected about a JSON value. */
struct ctx_record_layout {
	enum ctx_layout_kind kind;
	const struct ctx_dialect *dialect; /* of its messages */
	bool decisive;   /* true if the value can only be of this dialect */
	bool likely;     /* or else only suggests it */
	const char *why; /* what identified the dialect, for users */
	/* For a value that contains a conversation: the JSON node of the array
	 * of messages or, if is_single_message is true, of the only message. */
	uint32_t messages;
	/* Key of the member of each array element that is the message; NULL:
	 * the element itself is the message. */
	const char *element;
	bool is_single_message;
	/* True if the messages are responses of a provider, not a request.
	 * They are not pruned. */
	bool is_response;
	/* node of the object that has the messages as a member, if there is
	 * one */
	uint32_t request;
	bool in_request; /* true if that object is a request */
	uint32_t model;  /* node of the model's name, or 0 */
	/* True if the request continues a conversation that the provider has
	 * stored. */
	bool has_remote_state;
	/* for a list of conversations: the JSON node of the array */
	uint32_t list;
};

/* Detects whether the JSON value at node is a message or contains
 * conversations, by its keys and types and not by its texts. expected is the
 * dialect to try first, or NULL. */
void ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_record_layout *layout);

/* Returns a text that says why the message at node can only be Chat
 * Completions or a dialect derived from it: it has "tool_calls", its role is
 * tool, or it is a system message and first is true (it is the first message).
 * NULL: it can be of another dialect. */
const char *ctx_detect_chat(const struct ctx_json *json, uint32_t node,
    bool first);

/* ---- dialect/suggest_path.c: finds messages in an unknown format -------- */

/* For an error message: finds messages in a JSON value in which ctx_detect
 * found none.  Writes the jq path (".run.turns", ".[].log", ".a[\"b.c\"]") of
 * the first array whose first element has a role into path, of size bytes.  If
 * there is no such array, writes the path of the first string that contains
 * such an array as JSON, and sets *coded to true.  Writes "" if there is
 * neither, if the path is too long, or if a key in it has characters other
 * than letters, digits and _. */
int ctx_suggest_path(const struct ctx_json *json, char *path, size_t size,
    bool *coded, struct ctx_err *err);

#include "dialect/breakpoint_format.h"

#endif
