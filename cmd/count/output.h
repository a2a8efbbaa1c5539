/* output.h - the lines that ctx-count prints */
#ifndef CTX_CMD_COUNT_OUTPUT_H
#define CTX_CMD_COUNT_OUTPUT_H

#include "cli/cli.h"

/* One line of output: a conversation, a message, or all messages of one name.
 */
struct row {
	struct ctx_token_stats sum;
	struct ctx_str label; /* the name, from the input; NULL: none */
	uint64_t number;      /* rises from row to row */
};

struct rows {
	struct row *list;
	size_t n, cap;
	uint64_t taken; /* messages given to rows_keep */
	struct ctx_intern names;
};

/* How rows are printed. */
struct row_form {
	struct cli *cli;
	bool json, tsv, quiet;
	const char *per;          /* kind of labels: "role", "tool" */
	uint64_t window, reserve; /* tokens; window 0: the model's */
	/* Internal: */
	bool header; /* true if the header was printed */
};

/* Returns the context window, in tokens, of which a row shows the used share;
 * 0: the row shows none. */
uint64_t row_window(const struct row_form *form,
    const struct ctx_token_stats *stats);
void row_print(struct row_form *form, const struct row *row);
void row_add(struct ctx_token_stats *sum, const struct ctx_token_stats *stats);

/* Adds a message to the row of its name. */
int rows_add(struct rows *rows, const struct ctx_token_stats *stats,
    const char *p, size_t n, struct ctx_err *err);
/* Stores the message if it is among the top largest so far; top is at least 1.
 */
int rows_keep(struct rows *rows, const struct ctx_token_stats *stats,
    uint64_t top, struct ctx_err *err);
/* Sorts the stored messages, largest first. */
void rows_rank(struct rows *rows);
/* Prints and clears the rows, largest first; with turns, in the order of the
 * turns. */
void rows_print(struct row_form *form, struct rows *rows, bool turns);
void rows_release(struct rows *rows);

#endif
