/* session.h - a recorded session that ctx-eval splits in two: its messages, and
 * the needed strings that messages after the split take from messages before
 * it */
#ifndef CTX_EVAL_SESSION_H
#define CTX_EVAL_SESSION_H

#include "cost/cost.h"
#include "eval/eval.h"
#include "eval/matcher.h"
#include "stream/stream.h"

/* Minimum number of characters of a name.  A name is a path, identifier, id or
 * number in a text. */
enum { CTX_NAME_LEAST = 6 };

/* A callback for each name (path, identifier, id or number) in a text.  Called
 * again for each repetition. */
struct ctx_name_taker {
	void *user;
	int (*take)(void *user, const char *p, size_t n, struct ctx_err *err);
};
/* Calls taker->take for each name (path, identifier, id or number) in a text.
 * Stops if taker->take returns -1. */
int ctx_find_names(const struct ctx_name_taker *taker, const char *p, size_t n,
    struct ctx_err *err);

/* Appends the texts of a message, each followed by a line feed: its tool
 * results to results, its other text blocks to texts, and the values in the
 * arguments of its tool calls to arguments.  Two of the buffers may be the
 * same.  Reasoning and media are left out. */
int ctx_append_message_texts(struct ctx_buf *results, struct ctx_buf *texts,
    struct ctx_buf *arguments, const struct ctx_message *message,
    struct ctx_err *err);
/* Appends every string, number, true, false and null inside a JSON value, and
 * with "keys" also the keys, each followed by a line feed. */
int ctx_append_json_texts(struct ctx_buf *texts, const struct ctx_json *json,
    uint32_t node, bool keys, struct ctx_err *err);

/* Replaces each escape of a line feed, carriage return, tab or quote in a text,
 * such as \n, \\n or \\\n, by a line feed.  JSON inside JSON contains such
 * escapes.  Otherwise the letter n of an escape would become the first letter
 * of the name after the escape. from: offset in the buffer at which the text
 * begins. */
void ctx_separate_escapes(struct ctx_buf *text, size_t from);

/* A message of a session.  A message that was split over several records is one
 * message here. */
struct eval_message {
	/* Where the texts of this message are stored. texts, texts_end: offsets
	 * of its texts in eval_session.texts. arguments, arguments_end: offsets
	 * of the arguments of its tool calls in eval_session.arguments. */
	size_t texts, texts_end, arguments, arguments_end;
	uint64_t tokens;
	enum ctx_role role;
	/* True for a message that a person wrote; false for a user message that
	 * has only tool results. */
	bool by_user;
	bool has_results; /* true if the message has tool results */
	uint32_t node;    /* JSON node of the message in its record */
	/* offset of the message's record in the file, in bytes */
	size_t record;
};

struct eval_session {
	const char *file;
	/* number of the line that contains the whole session, or 0 if the
	 * session is the whole file */
	uint64_t line;
	const struct ctx_dialect *dialect;
	struct eval_message *messages;
	size_t n, cap;
	struct ctx_buf texts, arguments;
	/* number of tokens of a request outside its messages: those of the
	 * system prompt and the tool definitions */
	uint64_t overhead;
	/* The bytes of the session: the whole file if each message is a line of
	 * its own, otherwise the line that contains all messages. */
	struct ctx_str bytes;
	/* Used if the session is in one line, and the request with its messages
	 * is in a JSON string of this line. coded: this string. value: the
	 * decoded text (see ctx_record.coded).  Otherwise the length n of both
	 * is 0. */
	struct ctx_str coded, value;
	/* If one line contains all messages: the parsed JSON of this line, and
	 * the JSON node of its array of messages.  Otherwise NULL and 0. */
	const struct ctx_json *json;
	uint32_t array;
	/* True if the session cannot be split (divided for evaluation), because
	 * its line contains several conversations or no array of messages. */
	bool cannot_split;
};

/* A file with recorded sessions, and how it is read. */
struct eval_input {
	const char *file;
	/* dialect chosen by the user, or NULL */
	const struct ctx_dialect *dialect;
	bool lenient;
	struct ctx_model_counters *counters;
};

/* A callback for each session in a file.  The session is valid until the
 * callback returns. */
struct eval_session_taker {
	void *user;
	int (*take)(void *user, const struct eval_session *session,
	    struct ctx_err *err);
};
/* Reads the sessions in a file.  Messages that are lines of their own form one
 * session together.  A line that contains a conversation is a separate
 * session. */
int ctx_eval_read_sessions(const struct eval_input *input, struct ctx_str bytes,
    const struct eval_session_taker *taker, struct ctx_err *err);
/* Appends the part of a session before a split to the buffer out: its bytes
 * without the messages whose index is at least split. */
int ctx_eval_write_before(const struct eval_session *session, size_t split,
    struct ctx_buf *out, struct ctx_err *err);

/* When a string is not counted as needed (see struct needed_string).
 * EVAL_SEEN_MOST: if more than this number of messages before the split contain
 * it.  EVAL_NEWEST: if one of this number of newest messages before the split
 * contains it, because every policy is assumed to keep these messages. */
enum { EVAL_SEEN_MOST = 3, EVAL_NEWEST = 4 };

/* A needed string: a path, identifier, id or number that a tool call after the
 * split (the place at which a session is divided) takes from messages before
 * the split. seen: indices of these messages. */
struct needed_string {
	struct ctx_str text;
	uint32_t seen[EVAL_SEEN_MOST];
	unsigned n_seen;
};

/* A split (place at which a session is divided), and its needed strings
 * (strings that later messages use).  The split is before the message with the
 * index "at". */
struct eval_split {
	size_t at;
	/* where the session should be split: which share of the session's
	 * messages is before the split, in thousandths of a percent */
	uint64_t share;
	struct needed_string *needed;
	size_t n, cap;
};

/* Returns true if a person wrote at least a part of a message.  Returns false
 * if an agent inserted the message, or if the message has only tool results. */
bool ctx_message_is_by_user(const struct ctx_message *message);

/* Finds the needed strings of all splits of a session.  The caller must pass
 * the splits in ascending order.  The texts of the strings are stored in names,
 * which must be valid as long as the splits. */
int ctx_find_needed(const struct eval_session *session,
    struct eval_split *splits, size_t n, struct ctx_intern *names,
    struct ctx_err *err);

#endif
