/* summary_outcome.h - what the result of a tool call says, for the built-in
 * summarizer; heuristic.c also uses it */
#ifndef CTX_PRUNE_STRATEGY_SUMMARY_OUTCOME_H
#define CTX_PRUNE_STRATEGY_SUMMARY_OUTCOME_H

#include "prune/prune.h"

/* ---- summary_outcome.c ---- */

/* Returns the first line at the beginning of a tool result that looks like an
 * error message, or an empty text if there is none. */
struct ctx_str ctx_find_error_line(struct ctx_str text);
/* Returns a tool result without the lines that an agent writes before the
 * output of a command. */
struct ctx_str ctx_summary_skip_header(struct ctx_str result);
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

/* ---- summary_members.c ---- */

/* Writes values of a tool result in JSON to the buffer "out", in about 140
 * bytes: "KEY=VALUE, KEY=VALUE".  Begins with the outermost members.  Leaves
 * out long values, and values that the text "call" contains. */
int ctx_summary_list_members(const struct ctx_json *json, struct ctx_str call,
    struct ctx_buf *out, struct ctx_err *err);

#endif
