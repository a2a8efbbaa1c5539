/*
 * dialect.h - the message formats, and how one is detected
 */
#ifndef CTX_DIALECT_H
#define CTX_DIALECT_H

#include "base/base.h"
#include "json/json.h"
#include "message/message.h"

/* ---- dialect/dialect.c: the table of message formats -------------------- */

/* How a model counts an image; cost/media.c tells what x, y, edge are. */
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

/* How a model is shown the tools that a request defines; see
 * cost/request_overhead.c. */
enum ctx_tools_rule {
	CTX_TOOLS_NONE,  /* not known */
	CTX_TOOLS_TYPES, /* as types of TypeScript */
	CTX_TOOLS_JSON,  /* as their JSON */
	CTX_TOOLS_TEXTS, /* as the names and texts in it */
	CTX_TOOLS_RULES
};
struct ctx_tools {
	enum ctx_tools_rule rule;
	uint32_t once;   /* tokens around them ... */
	uint32_t forced; /* ... where the request asks for a call */
};

enum {
	CTX_PAIR_BY_NAME = 1,  /* calls and results without ids: name, order */
	CTX_FIRST_USER = 2,    /* the first message after system is a user's */
	CTX_ALTERNATES = 4,    /* no two neighbours of the same role */
	CTX_JOINS_ANSWERS = 8, /* neighbours of the assistant are one answer */
	CTX_PAIR_EITHER = 16,  /* an id on one side only does not part them */
	CTX_LIFTS_SYSTEM = 32, /* a provider's: leading system messages become
				* its system prompt */
	CTX_ONE_SYSTEM = 64,   /* one system message, if any, and that first */
	CTX_NAMES_USERS = 128, /* a user's message may name who wrote it: one
				* of another name opens a turn */

	/* What only ctx_check asks: how a conversation must be put together,
	 * whoever wrote it down ... */
	CTX_RESULTS_NEXT = 1 << 8,   /* results before anybody else speaks */
	CTX_NAMES_CALLERS = 1 << 9,  /* a call may name the call whose program
				      * made it; that one must be there */
	CTX_PLAIN_IDS = 1 << 10,     /* 1 to 64 of A-Z a-z 0-9 _ and - */
	CTX_SHORT_IDS = 1 << 11,     /* at most 64 characters */
	CTX_NO_BLANK_TEXT = 1 << 13, /* no text is "", nor is all that is said
				      * white space */
	CTX_LAST_MAY_BE_EMPTY = 1 << 14, /* if it is the assistant's */
	CTX_MUST_SPEAK = 1 << 15,     /* the assistant does more than reason */
	CTX_SYSTEM_BETWEEN = 1 << 16, /* after the user, before the assistant */
	CTX_NO_SYSTEM = 1 << 17,      /* the system prompt stands elsewhere */
	CTX_LAST_USER = 1 << 18,      /* the assistant's turn is next */
	CTX_MERGES = 1 << 19, /* neighbours of one role are one message */
	/* ... and how this format writes it down. */
	CTX_RESULTS_FIRST = 1 << 20,    /* results before text in a message */
	CTX_RESULTS_TOGETHER = 1 << 21, /* all in the one next message */
	CTX_NEEDS_IDS = 1 << 22,        /* a call in a list has an id */
	CTX_ARGUMENTS_TEXT = 1 << 23,   /* "arguments": JSON in a string */
	CTX_ARGUMENTS_OBJECT = 1 << 24, /* arguments are an object */
	CTX_NO_EMPTY_CALLS = 1 << 25,   /* "tool_calls" is never [] */
	CTX_NEEDS_BODY = 1 << 26, /* a result has a body, which is not [] */
	CTX_SIGNED = 1 << 27,     /* reasoning has a signature, or data */
	CTX_REASONING_LEADS = 1 << 28, /* to an item of the assistant's */
	CTX_KNOWN_ROLES = 1 << 29,     /* no role but those of enum ctx_role */
	CTX_NO_TOOL_ROLE = 1 << 30,    /* results are the user's */
};

/* Rules from bit 31 on are macros, since an enum constant is an int. */
#define CTX_NINE_IDS (UINT64_C(1) << 32) /* exactly 9 of A-Z a-z 0-9 */
#define CTX_FEW_BREAKPOINTS \
	(UINT64_C(1) << 33) /* at most CTX_BREAKPOINTS_MAX hints */
#define CTX_SMALL_REQUEST (UINT64_C(1) << 34) /* see ctx_provider_limits */
#define CTX_NEEDS_TOOLS   (UINT64_C(1) << 35) /* calls ask for definitions */
#define CTX_IMAGE_LIMITS  (UINT64_C(1) << 36) /* see ctx_provider_limits */
#define CTX_RESULTS_TEXT  (UINT64_C(1) << 37) /* a result is texts only, */
#define CTX_ERRORS_TEXT   (UINT64_C(1) << 38) /* ... if it tells a failure */
#define CTX_ANSWERS_RESULTS                               \
	(UINT64_C(1) << 39) /* the assistant speaks after \
			     * results */
#define CTX_CALLS_FIT                                           \
	(UINT64_C(1) << 40) /* arguments fit the tool's schema; \
			     * of no provider: see schema_rules.c */
#define CTX_SAYS_TEXT     (UINT64_C(1) << 46) /* no media from the assistant */
#define CTX_RESULT_OBJECT (UINT64_C(1) << 56) /* a result is an object */
#define CTX_RESULT_TYPES  (UINT64_C(1) << 57) /* of result_types only */
#define CTX_RESULT_STRING (UINT64_C(1) << 59) /* a text or a list of blocks */

/* What ctx_check demands of the order of roles.  CTX_FIRST_USER and
 * CTX_ALTERNATES say what pruning leaves; a provider may take more. */
#define CTX_ASKS_FIRST (UINT64_C(1) << 41) /* the first is a user's message */
#define CTX_ASKS_TURNS (UINT64_C(1) << 42) /* no two neighbours of one side */
#define CTX_ASKS_TOGETHER                                                    \
	(UINT64_C(1) << 58) /* results of one message's calls in one message \
			     */
/* Neighbours of one role are one turn: TAKES_ROWS, though pruning leaves none
 * (CTX_ALTERNATES); MERGES, and pruning may leave them. */
#define CTX_TAKES_ROWS  (UINT64_C(1) << 45)
#define CTX_ONE_MESSAGE (CTX_TAKES_ROWS | CTX_MERGES)
#define CTX_DOTTED_IDS  (UINT64_C(1) << 43) /* plain ids may hold . and : */
#define CTX_RESULTS_BY_USER \
	(UINT64_C(1) << 44) /* results before the user or the system speaks */

/* Rules about the way in which a format writes a conversation down.  A
 * provider that gets the conversation translated does not see them. */
#define CTX_FORM_RULES                                                       \
	(UINT64_C(0xff000000fff00000) | CTX_PAIR_BY_NAME | CTX_PAIR_EITHER | \
	    CTX_JOINS_ANSWERS)

/*
 * How a result is written whose body is a text of ours, for ctx_check to put
 * after a call that has none.  In text stand $id and $name for the literals
 * of the call's id and name, and $text for the literal of the body; the
 * first row fits whose type is the "type" of the call's block, or of its
 * message if that is the call, or else the role of that (NULL: any), and
 * whose $id and $name the call has.  With an empty text no result is written.
 */
struct ctx_result_template {
	const char *type;
	const char *text;
};

/*
 * Transcripts are logs of an agent, which rebuilds the context from them:
 * lines may be taken back, replaced or left on a branch.  How they do it.
 */
enum ctx_history {
	CTX_HISTORY_NONE, /* no transcript: every message counts */
	CTX_HISTORY_LOG,  /* line by line, each does something to the last */
	CTX_HISTORY_LAST, /* a tree: the path from the root to the last line */
	CTX_HISTORY_TIP,  /* a tree: the path to the last message that is a
			   * tip, or has no messages behind it */
};

/* What a line of a transcript does. */
enum ctx_line_kind {
	CTX_LINE_ASIDE,    /* nothing: it is a header, an event, a snapshot */
	CTX_LINE_LINK,     /* stands in the tree, but is no message */
	CTX_LINE_MESSAGE,  /* in a log, replaces an earlier one of its id */
	CTX_LINE_SUMMARY,  /* stands for what is before it, or before the
			    * line that about names */
	CTX_LINE_DIGEST,   /* the same, but messages of the user stay */
	CTX_LINE_REWIND,   /* takes back the message that about names and all
			    * behind it; all there is if it names none */
	CTX_LINE_ROLLBACK, /* takes back the newest turns */
};

enum {
	CTX_LINE_USER = 1,    /* opens a turn that may be taken back ... */
	CTX_LINE_CONTEXT = 2, /* ... and goes with the turn behind it */
	CTX_LINE_RESULT = 4,  /* answers the call of its parent */
	CTX_LINE_SIDE = 8,    /* of a side chain: live only in a file of such */
	CTX_LINE_META = 16,   /* no tip, whatever follows */
	CTX_LINE_ANSWER = 32, /* the model's; such in a row are one answer */
	CTX_LINE_ASKS = 64,   /* in a log, for the summary that is about it */
};

/* What a line says of its place.  Places are nodes, 0 where there is none. */
struct ctx_line_place {
	enum ctx_line_kind kind;
	unsigned flags;
	uint32_t id;            /* its own name */
	uint32_t parent;        /* names the line before it in the tree */
	const char *parent_key; /* of that, also where there is none */
	uint32_t about;         /* names another line, which must stay a line */
	uint32_t same;          /* lines of equal same are one message */
	uint32_t model;         /* the name of the model from here on */
	uint32_t usage; /* what the provider says that the answer took which
			 * stands before the line; the first such counts */
	uint64_t turns; /* ROLLBACK: how many */
};

/*
 * A message format.  One row of the table, one file for its reader; what the
 * rest of the library must know of a format is a column here.
 */
struct ctx_dialect {
	const char *name;
	const char *about; /* for --help and the manual */
	/*
	 * Is the value at node a message that only this dialect writes?  Then
	 * what gave it away, for people; else NULL.
	 */
	const char *(*matches)(const struct ctx_json *json, uint32_t node);
	/* The same of what this dialect writes, too, though another claims
	 * it: asked in streams of this one only.  NULL: there is nothing. */
	const char *(
	    *matches_expected)(const struct ctx_json *json, uint32_t node);
	/* The same of what other dialects carry, too: it settles nothing, but
	 * counts where no message settles the dialect.  NULL: nothing. */
	const char *(*likely)(const struct ctx_json *json, uint32_t node);
	/*
	 * Reads the message at node into view.  Returns 1, 0 if the value is
	 * no message of this dialect (view undefined), -1 out of memory.
	 */
	int (*read)(const struct ctx_json *json, uint32_t node,
	    struct ctx_message *view, struct ctx_err *err);
	/*
	 * Transcripts only: what the record at node says of its place in
	 * the file (all of *line is set).  Of a record of another format it
	 * must say ASIDE.
	 */
	enum ctx_history history;
	void (*read_line)(const struct ctx_json *json, uint32_t node,
	    struct ctx_line_place *line);
	/* The member that numbers the messages of an array from 1, or NULL. */
	const char *ordinal;
	/*
	 * The first message of an array that the model is still shown, where
	 * one further on may stand for those before it; NULL: all are shown.
	 */
	uint32_t (*first_visible)(const struct ctx_json *json, uint32_t array);
	uint64_t rules; /* CTX_PAIR_BY_NAME and so on */
	/* Tokens of framing: for each message, for a sender's name, and once
	 * for the conversation. */
	uint8_t per_message, per_name, priming;
	/* Of arguments and results that are JSON the model is shown keys and
	 * texts only. */
	bool counts_strings_only;
	/* What holds for models that say nothing of their own. */
	struct ctx_image image;
	struct ctx_tools tools;
	/* A result body that holds just a text: what stands before and behind
	 * its literal. */
	const char *text_result_form[2];
	/* The same of a result that failed, NULL: there is no other; and the
	 * types that tell so, ended by NULL, or none: that it is a string. */
	const char *failed[2], *failures[4];
	/* A block of content that is just a text: what stands before its
	 * literal, which a brace ends.  It may take the place of any block of
	 * media.  NULL: there is no such block. */
	const char *text_block;
	/* Types, or keys, of the blocks that a result may hold, ended by
	 * NULL; NULL: not known. */
	const char *const *result_types;
	/*
	 * Messages of ours that tell of what went: a summary, which stands
	 * behind the leading system messages, and a notice, which stands
	 * before a turn.  NULL: the format has no place for one.  In them stand
	 * $text for the literal of the text, $uuid and $hex for a name of 36 or
	 * 8 characters, $parent for the name of the line before it, and $KEY or
	 * $KEY.KEY for what the message behind it has there, or null.
	 */
	const char *summary, *notice;
	/*
	 * Where some servers refuse a further message (dialect/NOTES.md), both
	 * begin the user's next message: with this block before the user's
	 * blocks, or, if note_text is true, within the string that the content
	 * may be.  A summary is a message only if no user's message is kept.
	 * NULL: both are messages.
	 */
	const char *note_part;
	bool note_text;
	/* Results for calls that have none; no row: that is not repaired. */
	struct ctx_result_template synthetic_results[8];
	/* What stands before and behind such results, parted by commas, to
	 * make them a message; NULL: each is a message by itself.  $time is
	 * that of the call's message. */
	const char *result_wrapper[2];
	/* The member of a call that is true if the provider runs the tool,
	 * which then is not for us to answer; or NULL. */
	const char *provider_executed_key;
	/* A user's message that says CTX_NO_START, which ctx_check puts before
	 * a first message that is not a user's; NULL: there is none. */
	const char *lead;
};

/* The text of a user's message that stands in for messages that are not there.
 */
#define CTX_NO_START "[earlier messages are missing]"

/* Row i of the table, or NULL behind the last. */
const struct ctx_dialect *ctx_dialect_at(size_t i);
/* By name; NULL if there is none. */
const struct ctx_dialect *ctx_dialect_find(const char *name);

/* ---- dialect/detect.c: what a record is --------------------------------- */

enum ctx_layout_kind {
	CTX_LAYOUT_OTHER,   /* JSON, but nothing that holds messages */
	CTX_LAYOUT_MESSAGE, /* the value is one message */
	CTX_LAYOUT_CONVERSATION,
	CTX_LAYOUT_LIST, /* an array of conversations */
};

/* What a value was found to be. */
struct ctx_record_layout {
	enum ctx_layout_kind kind;
	const struct ctx_dialect *dialect; /* of its messages */
	bool decisive;       /* the value settles the dialect of its stream */
	bool likely;         /* it does not, but speaks for this one */
	const char *why;     /* what gave it away, for people */
	uint32_t messages;   /* CONVERSATION: the array that holds them ... */
	const char *element; /* ... each as this member, if not NULL */
	bool is_single_message; /* or no array, but the only message */
	bool is_response; /* these are answers to a request, not to be cut */
	uint32_t request; /* the object that messages is a member of, if any */
	bool in_request;  /* there is such an object */
	uint32_t model;   /* the model's name, 0 if the value has none */
	bool has_remote_state; /* it goes on with what the provider keeps */
	uint32_t list; /* LIST: the array that holds the conversations */
};

/* Finds out what the value at node is; looks at its keys, not its texts.
 * expected, or NULL, is the dialect to ask first. */
void ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_record_layout *layout);

/*
 * The reason why the message at node rules out every dialect but those of the
 * Chat Completions kind, or NULL: it has tool calls beside its content, it is
 * a tool's, or it is a system message and the first of its conversation.
 */
const char *ctx_detect_chat(const struct ctx_json *json, uint32_t node,
    bool first);

/* ---- dialect/suggest_path.c: messages where none are looked for --------- */

/*
 * For a value that holds no messages where any are looked for: writes the
 * path, as jq takes it (".run.turns", ".[].log", ".a[\"b.c\"]"), of the first
 * array in it whose elements have a role, into path of size bytes.  If there is
 * none, the path of the first string that is the JSON of such an array, and
 * *coded is true.  "" if there is neither, or its path is too long or has a
 * name of other characters than letters, digits and _.-
 */
int ctx_suggest_path(const struct ctx_json *json, char *path, size_t size,
    bool *coded, struct ctx_err *err);

/* ---- dialect/breakpoint_format.c: how breakpoints are written ----------- */

/* What makes a provider cache a prefix. */
enum ctx_cache_kind {
	CTX_CACHE_NONE,       /* nothing that is known */
	CTX_CACHE_AUTO,       /* it does so by itself */
	CTX_CACHE_CONTROL,    /* "cache_control" in a block */
	CTX_CACHE_BREAKPOINT, /* "prompt_cache_breakpoint" in a part */
	CTX_CACHE_POINT,      /* a "cachePoint" block of its own */
	CTX_CACHES
};

/*
 * A prompt cache keeps what begins a request up to a breakpoint: a block of
 * content, a tool.  Providers that do not choose the breakpoints themselves
 * take a hint there.  Whoever writes hints removes those that are there
 * first, whichever provider they were for.
 */
enum { CTX_BREAKPOINTS_MAX = 4 }; /* hints of a request; a fifth is refused */

enum ctx_ttl {
	CTX_TTL_5M, /* five minutes after the last use: the default */
	CTX_TTL_1H,
	CTX_TTLS
};
/* "5m", "1h", NULL behind the last. */
const char *ctx_ttl_name(unsigned ttl);

/* A row for each way in which hints are written. */
struct ctx_breakpoint_format {
	const char *provider;
	const char *dialect;  /* the format that is this provider's */
	const char *also[3];  /* those that may be, if the user says so */
	bool only_on_request; /* and only then, whatever the model */
	const char *key;      /* of a hint */
	const char *values[CTX_TTLS]; /* its value; NULL: as the first */
	bool separate_block; /* an element {key: value} behind the block, not a
			      * member of it */
	/* Members of a message, or of the first of within that it has, that
	 * hold blocks: an array, or a text, which must become an array of one
	 * block to carry a hint. */
	const char *content[2];
	const char *nested_content[2];
	const char *text; /* what stands before the text in that array; a
			   * brace and a bracket end it */
	/* Blocks that may carry a hint; after the last an empty row. */
	const struct ctx_breakpoint_block *blocks;
	bool one_key_blocks; /* blocks are told by their one key, not a type */
	unsigned
	    no_marker_roles;  /* a bit for each role whose blocks carry none */
	const char *system;   /* member of a request, as a content; or NULL */
	const char *tools[2]; /* path of members to its tools; or NULL */
	const char
	    *no_marker_tools[2]; /* a tool with such a member carries none */
	/* Members of a request that stand before its messages in the cache,
	 * in this order, or that what is behind them depends on. */
	const char *before[6];
	/* Price of what is written for an hour, of that of input; 0: it is
	 * that of what is written for 5 minutes. */
	unsigned hour_percent;
	unsigned models; /* a bit for each enum ctx_cache_kind that heeds hints,
			  * 1 << CTX_CACHES: and if no model is known */
	unsigned tool_models; /* the same, for those on tools */
	/* The provider looks so many blocks back from a breakpoint for one
	 * that it has kept; 0: it must have kept this one. */
	size_t lookback;
	/* It takes the end of the newest message for a breakpoint by itself,
	 * unless this member of the request has as "mode" this text. */
	const char *implicit_breakpoint[2];
};
/*
 * The row for messages of a dialect that go to a provider, by name; NULL:
 * the dialect's own.  NULL if there is none.
 */
const struct ctx_breakpoint_format *ctx_breakpoint_format_find(
    const struct ctx_dialect *dialect, const char *provider);
/* Name i of the providers, or NULL behind the last. */
const char *ctx_breakpoint_provider(unsigned i);
/* Any row for messages of the dialect, to take hints away by, or NULL. */
const struct ctx_breakpoint_format *ctx_breakpoint_format_any(
    const struct ctx_dialect *dialect);
/* The members of a request that stand before its messages, as in the row
 * (NULL: of a provider that takes no hints); name i, or NULL. */
const char *ctx_breakpoint_before(const struct ctx_breakpoint_format *format,
    size_t i);

/* The array or text that holds the blocks of a message, or 0. */
uint32_t ctx_breakpoint_content(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t message);
/* The same of a request (its node): its system prompt, its tools. */
uint32_t ctx_breakpoint_system(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
uint32_t ctx_breakpoint_tools(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);
/* Does the provider set a breakpoint at the end by itself?  request 0: there
 * is none. */
bool ctx_breakpoint_remove_own(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t request);

/* Which of the last blocks of an array (or text) may carry a hint. */
#define CTX_BREAKPOINT_REACH 16
struct ctx_breakpoint_places {
	size_t blocks; /* how many there are; hints are none */
	uint32_t mask; /* bit i: the block i before the last may */
};
void ctx_breakpoint_find_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);
/* The same of tools, but only the last that may. */
void ctx_breakpoint_find_tool_places(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list,
    struct ctx_breakpoint_places *places);

/* Where hints are written. */
struct ctx_breakpoint_writer {
	const struct ctx_json *json;
	struct ctx_edits *edits;
	bool *drop; /* scratch */
	size_t cap;
};
/*
 * Notes the removal of the hints of an array of blocks or tools, and of those
 * in its blocks, and new ones where mask says (see above; hints may be NULL
 * if it is 0).  One that is right already stays as it is.
 */
int ctx_breakpoint_write(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl, uint32_t list,
    uint32_t mask, struct ctx_err *err);
/* Notes the removal of the hints that an object itself has as members. */
int ctx_breakpoint_strip(struct ctx_breakpoint_writer *writer, uint32_t object,
    struct ctx_err *err);
/* Sets lists to the arrays and texts beside the messages of a request in which
 * any provider keeps hints, each once; returns how many there are. */
#define CTX_BREAKPOINT_LISTS 10
size_t ctx_breakpoint_lists(const struct ctx_json *json, uint32_t request,
    uint32_t lists[CTX_BREAKPOINT_LISTS]);
/* Is the key one of a hint that is a member of what it is for? */
bool ctx_breakpoint_key(const struct ctx_json *json, uint32_t key);
/* Notes that a text, as a content, becomes the array of one block that it
 * would be with a hint; arrays stay. */
int ctx_breakpoint_widen(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, uint32_t list,
    struct ctx_err *err);
void ctx_breakpoint_writer_release(struct ctx_breakpoint_writer *writer);
/* Is told of a hint: a member of the object container with this key node, or
 * an element of the array container.  0, or -1 with *err to stop. */
typedef int ctx_breakpoint_visitor(void *user, const struct ctx_json *json,
    uint32_t container, uint32_t node, struct ctx_err *err);
/* Visits the hints of this provider's in an array of blocks or tools, and in
 * the blocks of those, in order. */
int ctx_breakpoint_each(const struct ctx_breakpoint_format *format,
    const struct ctx_json *json, uint32_t list, void *user,
    ctx_breakpoint_visitor *visit, struct ctx_err *err);

#endif
