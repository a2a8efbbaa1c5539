/* session.h - a recorded session, cut in two: its messages, and the strings
 * that the messages after the cut need from those before it */
#ifndef CTX_EVAL_SESSION_H
#define CTX_EVAL_SESSION_H

#include "cost/cost.h"
#include "eval/eval.h"
#include "eval/matcher.h"
#include "stream/stream.h"

/* Least number of characters of a name. */
enum { CTX_NAME_LEAST = 6 };

/* A function that gets the names of a text, one per call, with repetitions. */
struct ctx_name_taker {
	void *user;
	int (*take)(void *user, const char *p, size_t n, struct ctx_err *err);
};
/* Calls take for each name in a text.  Stops if take returns -1. */
int ctx_find_names(const struct ctx_name_taker *taker, const char *p, size_t n,
    struct ctx_err *err);

/* Appends the texts of a message to texts: its text blocks and the texts of its
 * tool results.  Appends the values of the arguments of its tool calls to
 * arguments.  Each is followed by a line feed.  Reasoning and media are left
 * out. */
int ctx_append_message_texts(struct ctx_buf *texts, struct ctx_buf *arguments,
    const struct ctx_message *message, struct ctx_err *err);
/* Appends all keys and strings of a JSON value, each followed by a line
 * feed. */
int ctx_append_json_texts(struct ctx_buf *texts, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err);

/* Replaces each escape of a line feed, carriage return, tab or quote, with any
 * number of backslashes, by a line feed: so no name begins with the letter of
 * an escape.  Texts within JSON within JSON have such escapes.  from: where in
 * the buffer to begin. */
void ctx_separate_escapes(struct ctx_buf *text, size_t from);

/* A message of a session; one that is split over several records is one. */
struct eval_message {
	/* Place of its texts in eval_session.texts, and of the arguments of its
	 * tool calls in eval_session.arguments. */
	size_t texts, texts_end, arguments, arguments_end;
	uint64_t tokens;
	enum ctx_role role;
	/* True for a message that a person wrote, with more than tool results.
	 */
	bool by_user;
	bool has_results; /* has tool results */
	uint32_t node;    /* JSON node of the message in its record */
	size_t record;    /* offset of its record in the file, in bytes */
};

struct eval_session {
	const char *file;
	uint64_t line; /* of the record that contains the session; else 0 */
	const struct ctx_dialect *dialect;
	struct eval_message *messages;
	size_t n, cap;
	struct ctx_buf texts, arguments;
	/* tokens of the request that are in no message */
	uint64_t overhead;
	/* The file, whose records are the messages; or the record that contains
	 * the messages. */
	struct ctx_str bytes;
	/* Only if a record contains the messages: its JSON, and the node of the
	 * array of messages; else NULL and 0. */
	const struct ctx_json *json;
	uint32_t array;
	/* true if the messages of a record cannot be cut, because it has
	 * several conversations or no array of messages */
	bool cannot_cut;
};

/* A file to be read, and how. */
struct eval_input {
	const char *file;
	const struct ctx_dialect *dialect; /* chosen by the user, or NULL */
	bool lenient;
	struct ctx_model_counters *counters;
};

/* A function that is called for each session of a file.  The session is valid
 * during the call. */
struct eval_session_taker {
	void *user;
	int (*take)(void *user, struct eval_session *session,
	    struct ctx_err *err);
};
/* Reads a file: its messages that are records are one session, each record with
 * a conversation is another. */
int ctx_eval_read_sessions(const struct eval_input *input, struct ctx_str bytes,
    const struct eval_session_taker *taker, struct ctx_err *err);
/* Appends the bytes of the session without its messages from cut on. */
int ctx_eval_write_before(const struct eval_session *session, size_t cut,
    struct ctx_buf *out, struct ctx_err *err);

/* Number of messages in which a needed string stands at most, and number of
 * newest messages that every policy is assumed to keep. */
enum { EVAL_SEEN_MOST = 3, EVAL_NEWEST = 4 };

/* A needed string: a name that an argument of a tool call after the cut has,
 * and that the messages before the cut have in seen[0] to seen[n_seen - 1]. */
struct needed_string {
	struct ctx_str text;
	uint32_t seen[EVAL_SEEN_MOST];
	unsigned n_seen;
};

/* The needed strings of one cut, which is the index of the first message after
 * it. */
struct eval_cut {
	size_t at;
	uint64_t share; /* of the messages, in thousandths of a percent */
	struct needed_string *needed;
	size_t n, cap;
};

/* Finds the needed strings of all cuts, which are in ascending order.  The
 * strings stand in names. */
int ctx_find_needed(const struct eval_session *session, struct eval_cut *cuts,
    size_t n, struct ctx_intern *names, struct ctx_err *err);

#endif
