/*
 * dialect.h - the message formats, and how one is detected
 */
#ifndef CTX_DIALECT_H
#define CTX_DIALECT_H

#include "base/base.h"
#include "json/json.h"
#include "message/message.h"

/* ---- dialect/dialect.c: the table of message formats -------------------- */

/* How a model counts the tokens of an image.  cost/image_tokens.c defines the
 * rules and the meaning of x, y and edge for each. */
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
	CTX_TOOLS_TEXTS, /* as the names and texts in that JSON, without it */
	CTX_TOOLS_RULES
};
struct ctx_tools {
	enum ctx_tools_rule rule;
	uint32_t once;   /* tokens added around all definitions, */
	uint32_t forced; /* or this many if the request forces a tool call */
};

/*
 * Rules of a dialect, as bits.  The first group is about reading and pruning.
 * "Neighbours" are messages with no other message between them.
 */
enum {
	/* A tool call and a result without ids pair by tool name and order. */
	CTX_PAIR_BY_NAME = 1,
	/* The first message after the system messages is a user's. */
	CTX_FIRST_USER = 2,
	/* Neighbours have different roles. */
	CTX_ALTERNATES = 4,
	/* Neighbours of role assistant are one response. */
	CTX_JOINS_ANSWERS = 8,
	/* A tool call and a result pair by name if only one has an id. */
	CTX_PAIR_EITHER = 16,
	/* The conversation is translated for another provider, so that leading
	 * system messages become the system prompt of the request.  Set for a
	 * provider, never in a row of the table. */
	CTX_LIFTS_SYSTEM = 32,
	/* There is at most one system message, and it is the first message. */
	CTX_ONE_SYSTEM = 64,
	/* A user message may have the name of its writer.  A message of another
	 * writer opens a turn. */
	CTX_NAMES_USERS = 128,

	/*
	 * The other rules are for ctx_check; grouping reads a few of them, too.
	 * Bits 8 to 19 demand something of the conversation, in whatever format
	 * it is written.
	 */
	/* Tool results come directly after the message with their calls. */
	CTX_RESULTS_NEXT = 1 << 8,
	/* A tool call made by a program names the tool call that runs the
	 * program.  That call must precede it and still be open. */
	CTX_NAMES_CALLERS = 1 << 9,
	/* The id of a tool call is 1 to 64 of A-Z a-z 0-9 _ and - */
	CTX_PLAIN_IDS = 1 << 10,
	/* The id of a tool call has at most 64 characters. */
	CTX_SHORT_IDS = 1 << 11,
	/* No text is empty, and no message has only white space. */
	CTX_NO_BLANK_TEXT = 1 << 13,
	/* The last message may be empty if its role is assistant. */
	CTX_LAST_MAY_BE_EMPTY = 1 << 14,
	/* An assistant message has more than reasoning. */
	CTX_MUST_SPEAK = 1 << 15,
	/* A system message stands after a user's and before an assistant's. */
	CTX_SYSTEM_BETWEEN = 1 << 16,
	/* No message is a system message: the request has a member for that. */
	CTX_NO_SYSTEM = 1 << 17,
	/* The last message is a user's or a tool result. */
	CTX_LAST_USER = 1 << 18,
	/* The provider merges neighbours of one role into one message. */
	CTX_MERGES = 1 << 19,

	/* Bits 20 to 30 demand something of the format itself. */
	/* In a message, tool results stand before all other blocks. */
	CTX_RESULTS_FIRST = 1 << 20,
	/* All results for one message's calls are in the next message. */
	CTX_RESULTS_TOGETHER = 1 << 21,
	/* A tool call that is an element of an array has an id. */
	CTX_NEEDS_IDS = 1 << 22,
	/* The arguments of a tool call are JSON in a string. */
	CTX_ARGUMENTS_TEXT = 1 << 23,
	/* The arguments of a tool call are an object. */
	CTX_ARGUMENTS_OBJECT = 1 << 24,
	/* "tool_calls" is not []. */
	CTX_NO_EMPTY_CALLS = 1 << 25,
	/* A tool result has a body, and that is neither null nor []. */
	CTX_NEEDS_BODY = 1 << 26,
	/* Reasoning has a signature, or encrypted data. */
	CTX_SIGNED = 1 << 27,
	/* After reasoning comes another item of the assistant. */
	CTX_REASONING_LEADS = 1 << 28,
	/* Every role is one of enum ctx_role, other than OTHER. */
	CTX_KNOWN_ROLES = 1 << 29,
	/* Tool results are in user messages: there is no role tool. */
	CTX_NO_TOOL_ROLE = 1 << 30,
};

/* Rules from bit 31 on are macros, since an enum constant is an int. */

/* The id of a tool call is exactly 9 of A-Z a-z 0-9 */
#define CTX_NINE_IDS (UINT64_C(1) << 32)
/* A request has at most CTX_BREAKPOINTS_MAX breakpoints, and none on
 * reasoning. */
#define CTX_FEW_BREAKPOINTS (UINT64_C(1) << 33)
/* The bytes of a request are limited; see ctx_provider_limits. */
#define CTX_SMALL_REQUEST (UINT64_C(1) << 34)
/* A request whose messages have tool calls defines tools. */
#define CTX_NEEDS_TOOLS (UINT64_C(1) << 35)
/* Number, bytes and pixels of images are limited; see ctx_provider_limits. */
#define CTX_IMAGE_LIMITS (UINT64_C(1) << 36)
/* A tool result holds only texts. */
#define CTX_RESULTS_TEXT (UINT64_C(1) << 37)
/* The result of a failed tool call holds only texts. */
#define CTX_ERRORS_TEXT (UINT64_C(1) << 38)
/* A user message does not come directly after a tool message. */
#define CTX_ANSWERS_RESULTS (UINT64_C(1) << 39)
/* The arguments of a tool call are valid for the schema of the tool.  No
 * provider demands this; see check/schema_rules.c. */
#define CTX_CALLS_FIT (UINT64_C(1) << 40)
/* An assistant message has no media blocks. */
#define CTX_SAYS_TEXT (UINT64_C(1) << 46)
/* The body of a tool result is an object. */
#define CTX_RESULT_OBJECT (UINT64_C(1) << 56)
/* A tool result holds only blocks listed in ctx_dialect.result_types. */
#define CTX_RESULT_TYPES (UINT64_C(1) << 57)
/* The body of a tool result is a string or an array of blocks. */
#define CTX_RESULT_STRING (UINT64_C(1) << 59)
/* Several providers take this format.  ctx_check also applies the rules of the
 * one that the model belongs to; see ctx_vendor_rules. */
#define CTX_MODEL_DECIDES (UINT64_C(1) << 60)

/* What ctx_check demands of the order of roles.  CTX_FIRST_USER and
 * CTX_ALTERNATES are stricter: they say what pruning leaves, even if the
 * provider accepts more. */

/* The first message is a user's or a tool result. */
#define CTX_ASKS_FIRST (UINT64_C(1) << 41)
/* Neighbours are not both the assistant's, or both the user's or tool's. */
#define CTX_ASKS_TURNS (UINT64_C(1) << 42)
/* All results for one message's calls are in one message. */
#define CTX_ASKS_TOGETHER (UINT64_C(1) << 58)
/* Neighbours of one role are one turn, but pruning leaves none
 * (CTX_ALTERNATES).  With CTX_MERGES, pruning may leave them. */
#define CTX_TAKES_ROWS  (UINT64_C(1) << 45)
#define CTX_ONE_MESSAGE (CTX_TAKES_ROWS | CTX_MERGES)
/* CTX_PLAIN_IDS allows . and : too. */
#define CTX_DOTTED_IDS (UINT64_C(1) << 43)
/* Tool results come before the next user or system message. */
#define CTX_RESULTS_BY_USER (UINT64_C(1) << 44)

/* The rules about how a format writes a conversation.  They do not hold for a
 * provider that gets the conversation translated. */
#define CTX_FORM_RULES                                                       \
	(UINT64_C(0xff000000fff00000) | CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | \
	    CTX_JOINS_ANSWERS)

/*
 * A template for the tool result that ctx_check inserts for a call without one.
 * $id and $name stand for the JSON strings of the call's id and tool name,
 * $text for the JSON string of the body.  Of several templates, the first that
 * fits is used: the call has what $id and $name need, and type is NULL or
 * equals the "type" of the call's block, else of the message, else the role.
 * If text is empty, no result is inserted.
 */
struct ctx_result_template {
	const char *type;
	const char *text;
};

/*
 * How the lines of a transcript lead to the active context.  A transcript is an
 * agent's log, from which the agent rebuilds its context: later lines remove or
 * replace earlier ones, or leave them on an abandoned branch.
 */
enum ctx_history {
	CTX_HISTORY_NONE, /* not a transcript: every message is active */
	CTX_HISTORY_LOG,  /* each line changes the context so far */
	CTX_HISTORY_LAST, /* a tree: the path from the root to the last line */
	CTX_HISTORY_TIP,  /* a tree: the path to the last message that no other
			   * message comes after */
};

/* What a line of a transcript does to the active context. */
enum ctx_line_kind {
	CTX_LINE_ASIDE, /* nothing: it is a header, an event, a snapshot */
	CTX_LINE_LINK,  /* nothing, but it is a node of the tree */
	/* Adds a message.  In a log, replaces an earlier line of this id. */
	CTX_LINE_MESSAGE,
	/* Adds a summary that replaces the lines before it, or those before the
	 * line that about names. */
	CTX_LINE_SUMMARY,
	/* Adds a summary that replaces all but the user's messages. */
	CTX_LINE_DIGEST,
	/* Removes the message that about names and all after it; everything if
	 * there is no such message. */
	CTX_LINE_REWIND,
	/* Removes the newest turns. */
	CTX_LINE_ROLLBACK,
};

enum {
	CTX_LINE_USER = 1,    /* opens a turn, which ROLLBACK counts */
	CTX_LINE_CONTEXT = 2, /* ROLLBACK removes it with the turn after it */
	CTX_LINE_RESULT = 4,  /* has results for the calls of its parent */
	/* Belongs to a side chain (a subagent).  Active only in a file that
	 * holds nothing else. */
	CTX_LINE_SIDE = 8,
	CTX_LINE_META = 16,   /* the tip only if the file has no other */
	CTX_LINE_ANSWER = 32, /* from the model; neighbours are one response */
	CTX_LINE_ASKS = 64,   /* in a log, requests the summary whose about
			       * names this line */
};

/* What a line says about its place in the transcript.  Each uint32_t is a node
 * of the record, or 0 if the line has no such value. */
struct ctx_line_place {
	enum ctx_line_kind kind;
	unsigned flags;
	uint32_t id;     /* of the line */
	uint32_t parent; /* id of the line before it in the tree */
	/* The key of parent, also if the line has no such member. */
	const char *parent_key;
	/* The id of another line.  If that is removed, another one that is kept
	 * must take its place here. */
	uint32_t about;
	uint32_t same;  /* lines with equal values are one message */
	uint32_t model; /* name of the model from this line on */
	/* The usage that the provider reported for the response before this
	 * line.  Of several reports the first counts. */
	uint32_t usage;
	uint64_t turns; /* ROLLBACK: how many turns it removes */
};

/*
 * A message format: a row of the table, with its reader in a file of its own.
 * All that the rest of the library knows about a format is in these columns.
 * In templates, "literal" means a JSON string with its quotes.
 */
struct ctx_dialect {
	const char *name;
	const char *about; /* for --help and the manual */
	/*
	 * Returns why the value at node is a message that only this dialect
	 * writes, as a few words for users, or NULL if it is not.
	 */
	const char *(*matches)(const struct ctx_json *json, uint32_t node);
	/* Like matches, for messages that another dialect claims, too.  Called
	 * only in a stream of this dialect.  NULL: there are none. */
	const char *(
	    *matches_expected)(const struct ctx_json *json, uint32_t node);
	/* Like matches, for messages that other dialects write, too.  Decides
	 * only if no message of the stream matches.  NULL: there are none. */
	const char *(*likely)(const struct ctx_json *json, uint32_t node);
	/* Called by ctx_dialect_read_message, which see. */
	int (*read)(const struct ctx_json *json, uint32_t node,
	    struct ctx_message *parsed, struct ctx_err *err);
	/*
	 * For transcripts: sets all of *line to what the record at node says
	 * about its place.  A record of another format gets CTX_LINE_ASIDE.
	 */
	enum ctx_history history;
	void (*read_line)(const struct ctx_json *json, uint32_t node,
	    struct ctx_line_place *line);
	/* The member that numbers the messages of an array from 1, or NULL. */
	const char *ordinal;
	/*
	 * Returns the first message of an array that the model still gets, if a
	 * later message replaces those before it, or 0.  NULL: it gets all.
	 */
	uint32_t (*first_visible)(const struct ctx_json *json, uint32_t array);
	uint64_t rules; /* CTX_PAIR_BY_NAME and so on */
	/* Tokens of framing: per message, per sender's name, and once per
	 * conversation. */
	uint8_t per_message, per_name, priming;
	/* True if JSON arguments and results count as the keys and strings in
	 * them, without punctuation and numbers. */
	bool counts_strings_only;
	/* Used for models that have no rule of their own. */
	struct ctx_image image;
	struct ctx_tools tools;
	/* A result body that is only a text: the JSON before and after its
	 * literal. */
	const char *text_result_form[2];
	/* Like text_result_form, for the result of a failed call; NULL: the
	 * form is the same.  A body means failure if its "type" is in failures,
	 * which ends with NULL; or, if failures is empty, if it is a string. */
	const char *failed[2], *failures[4];
	/* A content block that is only a text: the JSON before its literal; "}"
	 * ends the block.  It may replace any media block.  NULL: the format
	 * has no such block. */
	const char *text_block;
	/* The types (or only keys) of the blocks that a result may hold, ended
	 * by NULL; NULL: not known. */
	const char *const *result_types;
	/*
	 * Templates of the messages that ctx inserts about removed ones: a
	 * summary, after the leading system messages, and a notice, before a
	 * turn.  NULL: the format has no place for one.  $text is the literal
	 * of the text, $uuid and $hex a generated id of 36 or 8 characters,
	 * $parent the id of the line before.  $KEY and $KEY.KEY are that member
	 * of the message after it, or null.
	 */
	const char *summary, *notice;
	/*
	 * Where servers refuse an additional message (dialect/NOTES.md): the
	 * block that a summary or notice is written as, before the blocks of
	 * the user's next message.  If inserts_in_string is true and the
	 * content of that message is a string, the text is put at its start
	 * instead. Only if no user message is left is a summary a message of
	 * its own. NULL: summaries and notices are always messages.
	 */
	const char *insertion_block;
	bool inserts_in_string;
	/* Results for calls without one; no row: ctx_check inserts none. */
	struct ctx_result_template synthetic_results[8];
	/* The JSON before and after such results, separated by commas, that
	 * makes them one message; NULL: each is a message.  $time is the
	 * timestamp of the call's message. */
	const char *result_wrapper[2];
	/* The member of a tool call that is true if the provider runs the tool,
	 * so that ctx_check inserts no result; or NULL. */
	const char *provider_executed_key;
	/* A user message with the text CTX_NO_START.  ctx_check inserts it
	 * before a first message that is not a user's.  NULL: it inserts
	 * none. */
	const char *lead;
};

/* The text of a user message that replaces missing messages. */
#define CTX_NO_START "[earlier messages are missing]"

/* Returns row i of the table, or NULL after the last. */
const struct ctx_dialect *ctx_dialect_at(size_t i);
/* Returns the row of this name, or NULL. */
const struct ctx_dialect *ctx_dialect_find(const char *name);

/*
 * Parses the message at node into *message.  Returns 1; 0 if the value is not a
 * message of this dialect (*message is then undefined); or -1 if memory ran
 * out.
 */
int ctx_dialect_read_message(const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_message *message,
    struct ctx_err *err);

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
	bool decisive;   /* true if the value identifies the dialect, */
	bool likely;     /* or else only suggests it */
	const char *why; /* what identified the dialect, for users */
	/* CONVERSATION: the node of the array of messages; or of the only
	 * message, if is_single_message is true. */
	uint32_t messages;
	/* The member of each array element that is the message; NULL: the
	 * element is. */
	const char *element;
	bool is_single_message;
	/* True if the messages are responses to a request.  They are not
	 * pruned. */
	bool is_response;
	uint32_t request; /* the object that has messages as a member, if any */
	bool in_request;  /* true if that object is a request */
	uint32_t model;   /* node of the model's name, or 0 */
	/* True if the request continues a conversation that the provider
	 * stores. */
	bool has_remote_state;
	uint32_t list; /* LIST: node of the array of conversations */
};

/* Detects what the value at node holds, by its keys and types, not by its
 * texts.  expected is the dialect to try first, or NULL. */
void ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_record_layout *layout);

/*
 * Returns why the message at node can only be Chat Completions or a dialect
 * derived from it, or NULL: it has "tool_calls", its role is tool, or it is a
 * system message and first is true (it begins the conversation).
 */
const char *ctx_detect_chat(const struct ctx_json *json, uint32_t node,
    bool first);

/* ---- dialect/suggest_path.c: messages in an unknown record -------------- */

/*
 * Finds messages in a value in which ctx_detect found none, for an error
 * message.  Writes the jq path (".run.turns", ".[].log", ".a[\"b.c\"]") of the
 * first array whose first element has a role into path, of size bytes.  If
 * there is no such array, writes the path of the first string that contains one
 * as JSON, and sets *coded to true.  Writes "" if there is neither, if the path
 * is too long, or if a key in it has characters other than letters, digits and
 * _.-
 */
int ctx_suggest_path(const struct ctx_json *json, char *path, size_t size,
    bool *coded, struct ctx_err *err);

#include "dialect/breakpoint_format.h"

#endif
