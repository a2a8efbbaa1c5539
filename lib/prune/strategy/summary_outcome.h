/* summary_outcome.h - what the result of a tool call says, for the built-in
 * summarizer; heuristic.c also uses it */
#ifndef CTX_PRUNE_STRATEGY_SUMMARY_OUTCOME_H
#define CTX_PRUNE_STRATEGY_SUMMARY_OUTCOME_H

#include "prune/prune.h"

/* the beginning of a text that Claude Code adds to a message or a tool result
 */
#define CTX_REMINDER "<system-reminder>"

/* ---- summary_outcome.c ---- */

/* Returns the first line at the beginning of a tool result that looks like an
 * error message, or an empty text if there is none. */
struct ctx_str ctx_find_error_line(struct ctx_str text);
/* Returns a tool result without the lines that an agent writes before the
 * output of a command. */
struct ctx_str ctx_summary_skip_header(struct ctx_str result);
/* Appends a text without its terminal control sequences, such as the one for
 * bold text; appends at most "most" bytes. */
int ctx_summary_append_plain(struct ctx_buf *out, struct ctx_str text,
    size_t most, struct ctx_err *err);
/* Where a line that tells the outcome of a tool call is searched for. */
enum outcome_search {
	SEARCH_SHORT, /* in a short result only */
	/* also how many tests passed and failed, in a long result; if the call
	 * failed, also error messages */
	SEARCH_TESTS,
	SEARCH_ALL, /* also error messages in a long result */
};

/* Writes the outcome of a tool call, which is a line of the tool result, to the
 * buffer "out".  Writes nothing if no line says what the outcome is. */
int ctx_summary_find_outcome(const struct ctx_summary_text *result,
    enum outcome_search search, struct ctx_buf *out, struct ctx_err *err);

/* ---- summary_commit.c ---- */

/* Returns true for the line that git prints after a commit, such as
 * "[main 1a2b3c4] Mend the test". */
bool ctx_summary_is_commit(struct ctx_str line);
/* Returns true if the outcome of a command is a line that git prints after a
 * commit, and the command contains "git" or is too long to be stored whole (it
 * ends with " ..."). */
bool ctx_summary_makes_commit(struct ctx_str command, struct ctx_str outcome);

/* ---- summary_members.c ---- */

/* Writes values of a tool result in JSON to the buffer "out", in about 140
 * bytes: "KEY=VALUE, KEY=VALUE".  Begins with the outermost members.  Leaves
 * out long values, and values that the text "call" contains. */
int ctx_summary_list_members(const struct ctx_json *json, struct ctx_str call,
    struct ctx_buf *out, struct ctx_err *err);

#endif
